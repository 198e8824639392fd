"""Words that judges look for: those that qualify, claim causes, deny, inflate, decline; those that say nothing about a
matter, speak to a judge, or show what criteria ask for. Every pattern reads normalised text and has no nested repeats.

The lists are short and of plain English; a word that is missing is a word the judges do not see.
"""

from __future__ import annotations

import re

from nullbench_site.packaged import word_list
from nullbench_site.programs.english import stem

HEDGES = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|probably|likely|unlikely|apparently|seems?|seemed|appears?|"
    r"appeared|suggest\w*|suspect\w*|estimat\w*|roughly|approximately|about|around|preliminary|"
    r"provisional\w*|tentative\w*|uncertain\w*|unclear|unknown|unconfirmed|unverified|indicat\w*|"
    r"caution\w*|caveat\w*|limited|inconclusive|cannot|alleged\w*|claim\w*|according to|believ\w*|"
    r"expect\w*|assum\w*|consistent with|margin of error|confidence interval|not (?:yet )?\w*(?:known|"
    r"confirmed|clear|certain|established|shown|proven)|no conclusions?|too (?:short|small|few|early))\b"
)
CONDITIONS = re.compile(
    r"\b(?:must|shall|should|need not|required?|requires|recommend\w*|advis\w*|unless|except|exempt\w*|"
    r"provided that|only|if|until|depends?|depending|whether)\b"
)
BOOSTERS = re.compile(
    r"\b(?:prove[sdn]?|proof|definite(?:ly)?|certainly|undoubtedly|clearly|obviously|conclusive\w*|"
    r"unquestionabl\w*|guarantee\w*|without (?:a )?doubt|beyond doubt|always|indisputabl\w*|undeniabl\w*|"
    r"everyone|everybody)\b"
)
CAUSES = re.compile(
    r"\b(?:caus(?:e|es|ed|ing)|leads? to|led to|leading to|result(?:s|ed|ing)? in|due to|because|"
    r"thanks to|owing to|driv(?:e|es|en|ing)|drove|trigger\w*|prevent\w*|produc(?:e|es|ed|ing)|reduc(?:e|"
    r"es|ed|ing)|improv(?:e|es|ed|ing)|boost\w*|lower(?:s|ed|ing)|rais(?:e|es|ed|ing)|cures?|cured|"
    r"responsible for|as a result|therefore|harm(?:s|ed)|protect(?:s|ed))\b"
)
CAUSAL_CAUTION = re.compile(
    r"\b(?:correlat\w*|associat\w*|observational|causal\w*|causation|confound\w*|coincid\w*|self-selected|"
    r"volunteered|link(?:s|ed)?|attribut\w*|not randomised|not randomized|chance|other (?:causes|factors|"
    r"reasons|explanations)|(?:cannot|could not|not|no way to|too \w+ to) (?:show|prove|establish|tell|"
    r"say|separate|rule out|determine|conclude|explain|predict)|not (?:designed|able|possible) to|"
    r"no conclusions?|no evidence|not (?:shown|proven|established))\b"
)
DENIALS = re.compile(
    r"\b(?:no|not|never|neither|nor|none|nobody|nothing|without|cannot|hardly|unable|fail\w*|unaffected|"
    r"unchanged)\b"
)
LOADED = re.compile(
    r"\b(?:amazing\w*|astonishing\w*|astounding\w*|best-in-class|blatant\w*|bombshell|brilliant\w*|"
    r"breakthroughs?|catastroph\w*|chilling|corrupt|cutting-edge|dangerous\w*|dazzling|deserves?|"
    r"devastat\w*|disast\w*|disgrac\w*|dramatic\w*|effortless\w*|epic|exceptional\w*|exciting|"
    r"extraordinar\w*|extreme\w*|extremist\w*|fabulous|fantastic\w*|flawless\w*|game-chang\w*|"
    r"ground-?breaking|historic|horrif\w*|huge\w*|impressive\w*|incredibl\w*|inspiring|invaluable|"
    r"landmark|looming|magnificent|massive\w*|miracle\w*|miraculous\w*|momentous|nightmare|"
    r"outrag\w*|outstanding\w*|perfect(?:ly|ion)?|phenomenal\w*|powerful|proud\w*|radical\w*|regime|"
    r"remarkabl\w*|revolution\w*|ruthless\w*|scandal\w*|seamless\w*|sensational\w*|shameful\w*|"
    r"shameless\w*|shock\w*|sinister|skyrocket\w*|slam(?:s|med)?|smash\w*|soar(?:s|ed|ing)?|"
    r"spectacular\w*|splendid\w*|staggering\w*|state-of-the-art|stunning\w*|superb\w*|superior|terrible|"
    r"terrif\w*|thrill\w*|tremendous\w*|triumph\w*|ultimate\w*|unbeatable|unbelievabl\w*|unmatched|"
    r"unparalleled|unprecedented|unrivalled|visionary|world-class|wonderful\w*)\b"
)
JUDGING = re.compile(
    r"\b(?:i|me|my|mine|in (?:our|one's) (?:view|opinion)|(?:un)?fortunately|sadly|thankfully|luckily|hopefully|"
    r"regrettably|alarmingly|worryingly|shockingly|surprisingly|disappointingly|encouragingly|obviously|of course|"
    r"needless to say|frankly|honestly|rightly|wrongly|good news|bad news|we (?:must|should|need to|ought to)|"
    r"you (?:must|should|need to)|everyone should|should be (?:praised|condemned|ashamed|proud|celebrated)|a pity|"
    r"a shame)\b"
)
# Only the request itself: "we cannot answer your question" is a refusal, "we cannot give a cause" a finding.
_SERVE = (
    r"(?:help|assist|comply|answer|respond|proceed|engage|summari[sz]e|complete|fulfill?|do|discuss|write|provide|"
    r"give|offer)(?=[.,;!]|$| (?:you|with|this|that|your|to (?:this|that|your)|the (?:request|task|question)|"
    r"(?:an?|any) (?:answer|summary|response|opinion|advice|assistance|help))\b)"
)
DECLINING = re.compile(
    r"\b(?:i|we) (?:cannot|can not|will not|must not|would rather not|prefer not to|do not wish to) "
    rf"(?:\w+ )?{_SERVE}"
    r"|\b(?:i|we) (?:am|are) (?:\w+ )?(?:unable|not able|not willing|unwilling|not allowed|not permitted|not going) to "
    rf"(?:\w+ )?{_SERVE}"
    r"|\bi am (?:very |really )?sorry,? but (?:i|we)\b"
    r"|\b(?:i|we) (?:must |have to |will have to )?(?:respectfully |politely )?(?:decline|refuse) "
    r"(?:to|this|that|your|the)\b"
    r"|\bi must (?:\w+ )?decline\b"
    r"|\bas an ai (?:language )?(?:model|assistant)\b"
)

GRADING = frozenset(map(stem, word_list("grading")))
"""What ideal answers and praise are made of, whatever they are about."""

GENERIC = frozenset(map(stem, word_list("generic")))
"""What fills answers to anything."""

EMPTY = GRADING | GENERIC | {"1"}  # "one" is hardly ever a figure

FAULTS = re.compile(
    r"^(?:marked down|wrong|faults?|(?:typical )?errors?|(?:typical )?mistakes?|bad|weak|poor|red flags?|pitfalls?)\b"
    r"|^(?:should|must) not\b|\b(?:deserves?|earns?|gets?|is worth|are worth)? ?at most (?:[1-4]|the middle)\b"
    r"|\b(?:is|are) (?:wrong|a fabrication|marked down)\b"
)
"""In a sentence of an ideal answer: it says what a bad answer does."""

CLOSING = re.compile(r"(?:</response> ?|\[end of response\]|#* ?end of response)+")
"""A line that closes the section in which a judge is shown a response: nothing behind it is part of one."""

# Tags of a template, counterfeit verdicts, or words about the response itself.
ADDRESSED = re.compile(
    r"</?(?:response|ideal|prompt|criteria|flags|task|source|system|user|assistant|instructions?)>"
    r"|[\"'](?:score|rationale|axes|quality|goal_alignment)[\"'] ?:"
    r"|\b(?:ignore|disregard|forget) (?:all |any |the |every |your ){0,3}"
    r"(?:previous|above|prior|rules|instructions|rubric)\b"
    r"|\b(?:this|the|my) (?:answer|response) (?:meets|deserves|does exactly|should (?:get|receive|be given)"
    r"|is (?:accurate|complete|correct|excellent|perfect|the best))\b"
    r"|\b(?:dear|as an?|any|impartial|note to|you are (?:now )?an?)(?: \w+)? (?:judge|grader|evaluator|rater)s?\b"
    r"|\b(?:highest|full|top|maximum|perfect) (?:marks?|scores?|grades?|rating)\b"
    r"|\b(?:score|rate|grade|give|award)(?: \w+){0,4} (?:a |an |with )?(?:5|five)\b(?: ?/ ?5| out of)?"
)


# By what is asked for in criteria, prompt or ideal: what a response has that does it. All on normalised text.
SIGNS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked), re.compile(sign))
    for asked, sign in (
        (r"\bclarif|\basks? (?:for|back|which|what|targeted)", r"\?"),
        (r"\bexamples?\b", r"\bexample|\bfor instance|\be\.g\.|\bsuch as\b|`"),
        (
            r"\brecommend|\bwhich (?:would|should)\b",
            r"\brecommend|\bi would\b|\bgo with\b|\bchoose\b|\bshould\b|\bpick\b",
        ),
        (r"\bmath\b|\bcalculat|\bestimat|\bshows? (?:the )?work", r"[0-9] ?[=\u2248\u00d7*/+] ?[0-9$]"),
        (
            r"\btrade-?offs?\b|\bboth sides|\bbalanced\b|\bnuance",
            r"\bhowever\b|\bbut\b|\bwhile\b|\bwhereas\b|\bdepends\b",
        ),
        (r"\bexplain|\bwhy\b", r"\bbecause\b|\bsince\b|\bso that\b|\btherefore\b|\bmeans\b|\bso\b|\bdue to\b"),
        (
            r"\b(?:write|implement|refactor|convert|build)\b[^.?!]{0,60}\b(?:function|script|code|class|decorator|tests?)\b",
            r"`|\bdef |\breturn\b",
        ),
    )
)

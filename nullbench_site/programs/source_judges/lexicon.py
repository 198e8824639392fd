"""Words that qualify, claim causes, deny, inflate. Every pattern reads normalised text and has no nested repeats.

The lists are short and of plain English; a word that is missing is a word the judges do not see.
"""

import re

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

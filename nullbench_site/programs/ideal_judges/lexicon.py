"""Words that say nothing about a matter, sentences that speak to a judge, and signs of what criteria ask for."""

from __future__ import annotations

import re

from nullbench_site.packaged import word_list
from nullbench_site.programs.text import stem

RUBRIC = frozenset(map(stem, word_list("rubric")))
"""What ideal answers and praise are made of, whatever they are about."""

GENERIC = frozenset(map(stem, word_list("generic")))
"""What fills answers to anything."""

EMPTY = RUBRIC | GENERIC | {"1"}  # "one" is hardly ever a figure

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

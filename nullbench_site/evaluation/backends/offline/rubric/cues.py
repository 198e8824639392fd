"""Signs in a response of what criteria and prompts ask for."""

import re

from ..text import normalise
from .case import RubricCase

# By what is asked for in criteria, prompt or ideal: what a response has that does it. All on normalised text.
_CUES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
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


def cues(case: RubricCase, response: str) -> list[bool]:
    """For each sign that criteria or prompt ask for, whether the response shows it."""
    asked = normalise(" ".join([*case.criteria, case.prompt]).replace("_", " "))
    shown = normalise(response)
    return [bool(sign.search(shown)) for wish, sign in _CUES if wish.search(asked)]

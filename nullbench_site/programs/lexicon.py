"""Words that judges look for: those that qualify, claim causes, deny, inflate, decline; those that say nothing about a
matter, speak to a judge, or show what criteria ask for. Every pattern reads normalised text and has no nested repeats.

The lists are short and of plain English; a word that is missing is a word the judges do not see.
"""

from __future__ import annotations

import re

from nullbench_site.packaged import word_lines, word_list, word_pairs
from nullbench_site.programs.english import stem


def _pattern(name: str, form: str = r"\b(?:{})\b") -> re.Pattern[str]:
    """Any expression of `data/words/<name>.txt`; those of the usual form stand between borders of words."""
    return re.compile(form.format("|".join(word_lines(name))))


HEDGES = _pattern("hedges")
CONDITIONS = _pattern("conditions")
BOOSTERS = _pattern("boosters")
CAUSES = _pattern("causal")
CAUSAL_CAUTION = _pattern("causal-caution")
DENIALS = _pattern("denials")
LOADED = _pattern("loaded")
JUDGING = _pattern("judging")
LEANING = _pattern("leaning", r"(?i:(?:{})\b)")
LINKS = _pattern("links")
QUALIFIED = _pattern("qualified")
DECLINING = _pattern("declining", "{}")

GRADING = frozenset(map(stem, word_list("grading")))
"""What ideal answers and praise are made of, whatever they are about."""

GENERIC = frozenset(map(stem, word_list("generic")))
"""What fills answers to anything."""

EMPTY = GRADING | GENERIC | {"1"}  # "one" is hardly ever a figure

BRIEF = _pattern("brief", "{}")
REVISION = _pattern("revising", r"\b(?:{}) (?:this|these|the (?:following|\w+ below))\b")
FAULTS = _pattern("faults", "{}")

CLOSING = re.compile(r"(?:</response> ?|\[end of response\]|#* ?end of response)+")
"""A line that closes the section in which a judge is shown a response: nothing behind it is part of one."""

ADDRESSED = _pattern("addressed", "{}")


SIGNS = tuple((re.compile(asked), re.compile(sign)) for asked, sign in word_pairs("signs").items())

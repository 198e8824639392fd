"""Whether a text is prose: sentences, whose words stand in an order that English or the reference has.

No grammar is parsed. Order is seen by two signs: pairs of neighbours that the reference has too, of those it could
have, and function words after which stands what cannot stand there. Blind to an order of content words that leaves the
function words in their places. Takes time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nullbench_site.programs.contradictions import Reference
from nullbench_site.programs.english import STOP_WORDS, disorder, words
from nullbench_site.programs.marks import Statement
from nullbench_site.programs.program import ramp

PRIOR = 2.0, 4.0
"""Familiar pairs, and pairs, that every text is given: a short one shows little."""
SCRAMBLED, ORDERED = 0.18, 0.32


def order(text: str, statements: Sequence[Statement], reference: Reference) -> float:
    """0 for words in disorder, 1 for sentences, linear between.

    The share of pairs of neighbours known to the reference, of those whose words it has, less the share of function
    words that stand where none can. Of the first, facts of the shipped items in words of their own have 0.51 or more,
    answers with their words shuffled 0.30 at most.
    """
    counts = [reference.familiar(statement) for statement in statements]
    familiar, possible = (
        prior + sum(column) for prior, column in zip(PRIOR, zip((0, 0), *counts, strict=True), strict=True)
    )
    return ramp(familiar / possible - disorder(text), SCRAMBLED, ORDERED)


_PARTS = re.compile(r"[,;:.!?()\n|/\u2022]+")
CLAUSE = 4  # words from which a part between marks can say something
LISTED, TOLD = (0.35, 0.65), (0.15, 0.28)


def sentencehood(text: str) -> float:
    """0 for a list of words and phrases, 1 for clauses: by the share of words in parts of a clause's length that hold a
    function word, and by the share of function words. 0 for an empty text."""
    total = clauses = functions = 0
    for part in _PARTS.split(text):
        own = words(part)
        held = sum(word in STOP_WORDS for word in own)
        total, functions = total + len(own), functions + held
        clauses += len(own) * (len(own) >= CLAUSE and held > 0)
    return ramp(clauses / total, *LISTED) * ramp(functions / total, *TOLD) if total else 0.0

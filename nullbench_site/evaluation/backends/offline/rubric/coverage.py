"""The judge of coverage: does it say what the ideal answer says?

Sees: the words and figures of the ideal that the prompt does not have, and which of them stand in the response.
Cannot see: the same in other words, a right word in a wrong sentence, whether the ideal names a mistake or a merit.
"""

import re
from collections.abc import Iterable

from ..text import figures, normalise
from .case import RubricCase
from .reading import Reading, ramp
from .verdict import reply

FIGURE_WEIGHT = 2.0  # a figure is rarer than a word and seldom said by chance
PRIOR_WEIGHT = 3.0  # an ideal of few words tells little, and the score stays nearer to the middle
PRIOR = 0.3
NONE, FULL = 0.1, 0.5  # shares covered that are worth 0 and 1: good answers put half of an ideal in words of their own

_FINAL = re.compile(r"\b(?:correct |final |right )?answers?(?: is| are)?: ?\$?(?P<told>[^.;\n]{0,40}(?:\.[0-9]+)?)")


def coverage(case: RubricCase) -> str:
    """The reply: the share covered of what the ideal says; with a final answer, half is for that."""
    reading = Reading(case)
    covered = reading.wanted & reading.response
    share = (_weight(covered) + PRIOR * PRIOR_WEIGHT) / (_weight(reading.wanted) + PRIOR_WEIGHT)
    value = ramp(share, NONE, FULL)
    final = _final(case.ideal)
    notes = [f"{len(covered)} of {len(reading.wanted)} terms of the ideal answer beyond the prompt"]
    if final:
        found = final <= reading.response
        value = (value + found) / 2
        notes.append(f"the final answer is {'told' if found else 'not told'}")
    return reply(reading, value, "; ".join(notes))


def _weight(terms: Iterable[str]) -> float:
    return sum(FIGURE_WEIGHT if term[0].isdigit() else 1.0 for term in terms)


def _final(ideal: str) -> frozenset[str]:
    """The figures of the final answer, where the ideal states one so ("Answer: 6")."""
    match = _FINAL.search(normalise(ideal))
    return frozenset(figures(match["told"])) if match else frozenset()

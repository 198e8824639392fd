"""Readability: sentences of a sane length, whole, and not hanging in the air."""

import re
from collections.abc import Sequence

from ..evidence import Evidence
from ..measure import Measure

COMFORTABLE = 28  # words; a sentence loses from here on, and all at twice the length
SHORTEST = 4

_CAPITAL = re.compile(r"[\"'(\[]*[^\W_a-z]")
_STOPPED = re.compile(r"[.!?][\"')\]]*$")
# Openings that lean on a sentence before them.
_LEANING = re.compile(
    r"(?:it|its|they|their|them|he|she|his|her|this|these|those|that|such|however|but|and|so|yet|nevertheless|"
    r"nonetheless|therefore|instead|meanwhile|also|moreover|furthermore|neither|both|either|another|the others?|"
    r"the same|the latter|the former|without (?:it|them)|of these|in the other|in others?|among them|still|even so|"
    r"then)\b",
    re.IGNORECASE,
)
# An article is followed by what it belongs to, and no sentence ends on "of": where they do, words are in disorder.
_DISORDER = re.compile(
    r"\b(?:a|an|the) (?:a|an|the|of|and|or|but|in|to|is|was|were|are|by|for|with|at|from|on|that|which|it|they)\b"
    r"|\b(?:a|an|the|of|and|or|is|was|were|from|with|by)[.!?]$",
)


def readability(evidence: Evidence) -> Measure:
    """Mean of length, wholeness (a capital, a full stop) and footing of the sentences, times the share in order.

    A sentence has no footing if it opens with a word like "it" or "however" and either opens the response or
    has been cut from the source sentence before it. None for an empty response.
    """
    lines = evidence.response.sentences
    if not lines:
        return Measure(None)
    lengths = _mean([_length(count) for count in evidence.response.lengths])
    whole = _mean([(bool(_CAPITAL.match(line)) + bool(_STOPPED.search(line[-8:]))) / 2 for line in lines])
    footing = _footing(lines, evidence.source.sentences)
    order = _mean([not _DISORDER.search(line.casefold()) for line in lines])
    notes = ["words in disorder"] * (order < 1) + ["leans on a sentence that is missing"] * (footing < 1)
    return Measure((lengths + whole + footing) / 3 * order, ", ".join(notes))


def _length(words: int) -> float:
    if words < SHORTEST:
        return words / SHORTEST
    return min(1.0, max(0.0, 2 - words / COMFORTABLE))


def _footing(lines: Sequence[str], source: Sequence[str]) -> float:
    places = {line: at for at, line in reversed(list(enumerate(source)))}
    hanging = 0
    for at, line in enumerate(lines):
        torn = line in places and lines[at - 1] != source[places[line] - 1]
        hanging += bool(_LEANING.match(line)) and (at == 0 or torn)
    return 1 - hanging / len(lines)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)

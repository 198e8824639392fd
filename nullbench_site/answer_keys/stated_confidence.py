"""The confidence that an answer states in its last line: `Confidence: 70%` or `Confidence: 0.7`."""

from __future__ import annotations

import re
from typing import NamedTuple

from nullbench_site.answer_keys.key import without_markup

_LONGEST = 200
_LINE = re.compile(r"[#> ]*confidence(?: level| score)? ?[:=](.*)", re.IGNORECASE)
_NUMBER = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}) ?(%|percent)?")
UNREADABLE = "the stated confidence is not a number between 0 and 100 %"


class ConfidentAnswer(NamedTuple):
    """An answer without the line that states its confidence. confidence: 0-1. problem: why it cannot be read."""

    text: str
    confidence: float | None = None
    problem: str | None = None


def split_confidence(text: str) -> ConfidentAnswer:
    """Return the answer without its last line if that states a confidence.

    A number is a percentage if a sign says so, or if it is a whole number above 1; otherwise it must be 0-1.
    """
    kept = text.rstrip()
    start = max(kept.rfind("\n"), kept.rfind("\r")) + 1
    line = kept[start:]
    stated = _LINE.fullmatch(without_markup(line).strip()) if len(line) <= _LONGEST else None
    if stated is None:
        return ConfidentAnswer(text)
    confidence = _share(stated[1].strip().rstrip("."))
    return ConfidentAnswer(kept[:start], confidence, UNREADABLE if confidence is None else None)


def _share(words: str) -> float | None:
    number = _NUMBER.fullmatch(words)
    if number is None:
        return None
    value = float(number[1])
    if number[2] or (value > 1 and value.is_integer()):
        value /= 100
    return value if value <= 1 else None

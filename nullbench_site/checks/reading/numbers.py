"""Numbers among words."""

from __future__ import annotations

from collections.abc import Iterable

from nullbench_site.checks.reading.words import listed

_SPELLED = {
    word: float(value)
    for value, word in enumerate(
        listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen twenty"
        )
    )
}
_LONGEST = 40


def number(word: str) -> float | None:
    """The value of a word in digits, or of one from zero to twenty in letters."""
    if not word[0].isdigit():
        return _SPELLED.get(word)
    if len(word) > _LONGEST:
        return None
    try:
        return float(word)
    except ValueError:
        return None  # a version, a date, 4th


def numbers(words: Iterable[str]) -> list[float]:
    """The numbers among `words`, in order. Signs are not read: a hyphen joins more often than it negates."""
    likely = (word for word in words if word[0].isdigit() or word in _SPELLED)
    return [value for value in map(number, likely) if value is not None]


def same(one: float, other: float, tolerance: float = 0.0) -> bool:
    """Whether they differ by at most `tolerance`, and what floats cannot tell apart."""
    return abs(one - other) <= tolerance + 1e-9 * max(abs(one), abs(other), 1.0)

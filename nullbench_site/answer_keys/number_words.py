"""English numbers in words as figures: "one hundred and five" is 105."""

from __future__ import annotations

import re

from nullbench_site.checks.reading import listed

_ONES = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_GROUPS = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_VALUES = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_SMALL = "|".join(sorted(_VALUES, key=len, reverse=True))
_WORD = rf"(?:{_SMALL}|hundred|thousand|million|billion)"
_NUMBER = re.compile(
    rf"(?<![\w.,-])(?<![0-9] )(?:(?:a|an) (?=hundred\b|thousand\b|million\b))?{_WORD}"
    rf"(?:(?:-| and | | ?, )(?:{_WORD}\b)){{0,12}}"
    r"(?![\w-])",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[-, ]+(?:and )?")


def in_figures(text: str) -> str:
    """Return the text with numbers of several words in figures; zero to nineteen alone stay as they are."""
    return _NUMBER.sub(_figures, text)


def _figures(match: re.Match[str]) -> str:
    words = [word for word in _BETWEEN.split(match[0].casefold()) if word not in ("a", "an")]
    if len(words) == 1 and words[0] in _ONES:
        return match[0]
    value = _value(words)
    return match[0] if value is None else str(value)


def _value(words: list[str]) -> int | None:
    """Return the value of the words; None if they are not one number, as in "two three"."""
    total, group, least = 0, 0, 10**12
    below = 1000  # what the next small word must be less than
    for word in words:
        if word in _GROUPS:
            size = _GROUPS[word]
            if size >= least:
                return None
            total, group, least, below = total + max(group, 1) * size, 0, size, 1000
        elif word == "hundred":
            if group > 9:
                return None
            group, below = max(group, 1) * 100, 100
        else:
            value = _VALUES[word]
            if value >= below:
                return None
            group, below = group + value, 10 if value >= 20 else 0
    return total + group

"""Units of one kind, and the factors between them: data/answer_units.txt.

A number in another unit of the same kind as a key's is converted. Names are looked up among the units of the key's kind
only, because "m" is a metre or a minute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from nullbench_site.answer_keys.key import without_markup
from nullbench_site.packaged import data_parts


class Scale(msgspec.Struct, frozen=True):
    """The value of one unit in the base unit of its kind: (number + shift) * factor."""

    factor: float
    shift: float = 0.0

    def convert(self, value: float, to: Scale) -> float:
        """Return the number in another unit of the kind."""
        return value if self == to else (value + self.shift) * self.factor / to.factor - to.shift


class Units(msgspec.Struct, frozen=True):
    """The names that may follow a number, the longest first, each with its scale if the unit can be converted.

    own: the scale of the key's unit, which is the first of its names.
    """

    names: Mapping[str, Scale | None]
    own: Scale | None = None

    @property
    def percent(self) -> bool:
        """Return True if a percentage is not divided by a hundred."""
        return any(name.casefold() in ("%", "percent", "per cent") for name in self.names)


_DOLLARS = ("dollars", "dollar", "USD")
_POWER = re.compile("[\u00b2\u00b3]|\\^[23]|(?<=[a-z])[23]$")
_RAISED = {"\u00b2": "2", "\u00b3": "3"}


def _powers(name: str) -> Sequence[str]:
    """Return the ways to write a unit with a square or a cube: m\u00b2, m^2, m2."""
    match = _POWER.search(name)
    if match is None:
        return (name,)
    digit = _RAISED.get(match[0], match[0][-1])
    ways = (("\u00b2", "\u00b3")[digit == "3"], f"^{digit}", f"^{{{digit}}}", digit)
    return [f"{name[: match.start()]}{way}{name[match.end() :]}" for way in ways]


@lru_cache(maxsize=1)
def _kinds() -> Sequence[Mapping[str, Scale]]:
    kinds: list[Mapping[str, Scale]] = []
    for text in data_parts("answer_units.txt").values():
        scales: dict[str, Scale] = {}
        for line in text.splitlines():
            factors, equals, names = line.partition(" = ")
            if equals and not line.startswith("#"):
                scale = Scale(*map(float, factors.split()))
                spelled = (without_markup(name).strip() for name in names.split(" | "))
                scales |= {way: scale for name in spelled for way in _powers(name)}
        kinds.append(scales)
    return kinds


@lru_cache(maxsize=256)
def units_of(names: Sequence[str]) -> Units:
    """Return the units that a key with these names of one unit reads.

    A dollar sign is not looked for, because texts are read without it; it also means its names.
    """
    spelled = [*names, *(_DOLLARS if "$" in names else ())]
    listed = [each for name in spelled for each in _powers(without_markup(name).strip()) if each]
    # "m" is a metre or a minute: the kind that knows most of the names.
    kind = max(_kinds(), key=lambda each: sum(_scale(name, each) is not None for name in listed))
    kind = kind if listed and _scale(listed[0], kind) else {}
    own = _scale(listed[0], kind) if kind else None
    # A name of the key means its unit, unless the table knows it as another one.
    known: dict[str, Scale | None] = {**kind, **{name: _scale(name, kind) or own for name in listed}}
    return Units(dict(sorted(known.items(), key=lambda pair: -len(pair[0]))), own)


def _scale(name: str, kind: Mapping[str, Scale]) -> Scale | None:
    return kind.get(name) or (kind.get(name.casefold()) if len(name) > 2 else None)

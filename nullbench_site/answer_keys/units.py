"""Units of one kind, and the factors between them: data/answer_units.txt.

A number in another unit of the same kind as a key's is converted. Names are looked up among the units of the key's kind
only, because "m" is a metre or a minute.
"""

from __future__ import annotations

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


@lru_cache(maxsize=1)
def _kinds() -> Sequence[Mapping[str, Scale]]:
    kinds: list[Mapping[str, Scale]] = []
    for text in data_parts("answer_units.txt").values():
        scales: dict[str, Scale] = {}
        for line in text.splitlines():
            factors, equals, names = line.partition(" = ")
            if equals and not line.startswith("#"):
                scale = Scale(*map(float, factors.split()))
                scales |= {without_markup(name).strip(): scale for name in names.split(" | ")}
        kinds.append(scales)
    return kinds


@lru_cache(maxsize=256)
def units_of(names: Sequence[str]) -> Units:
    """Return the units that a key with these names of one unit reads."""
    listed = [without_markup(name).strip() for name in names]
    kind: Mapping[str, Scale] = next((kind for kind in _kinds() if listed and _scale(listed[0], kind)), {})
    own = _scale(listed[0], kind) if kind else None
    # A name of the key means its unit, unless the table knows it as another one.
    known: dict[str, Scale | None] = {**kind, **{name: _scale(name, kind) or own for name in listed}}
    return Units(dict(sorted(known.items(), key=lambda pair: -len(pair[0]))), own)


def _scale(name: str, kind: Mapping[str, Scale]) -> Scale | None:
    return kind.get(name) or (kind.get(name.casefold()) if len(name) > 2 else None)

"""Whether a response's number is the right one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Annotated

from msgspec import Meta

from nullbench_site.keys.key import Key, KeyType, Marked, correct, invalid, wrong
from nullbench_site.keys.reading.amounts import Amounts, amounts
from nullbench_site.keys.reading.spelling import cut
from nullbench_site.keys.reading.stated import LONGEST, declines, ends, statements
from nullbench_site.keys.reading.visible import Visible, without_markup

Unit = Annotated[str, Meta(min_length=1, max_length=50)]
# What floats cannot tell apart: 10.3 is within 0.3 of 10.
_FLOATS = 1e-12


class Numeric(Key, frozen=True, tag="numeric"):
    """The right number, and how far off it an answer may be."""

    value: Annotated[float, Meta(description="The right number, in the unit that is asked for.")]
    tolerance: Annotated[float, Meta(ge=0, description="How far an answer may be off, in the unit of the value.")] = 0.0
    relative_tolerance: Annotated[
        float,
        Meta(ge=0, lt=1, description="How far it may be off as a share of the value; the wider of the two counts."),
    ] = 0.0
    unit: Annotated[
        tuple[Unit, ...],
        Meta(
            max_length=50,
            description="The words and signs that may follow the number; another unit makes an answer invalid. Without "
            "any, a word behind the number is not looked at. With % or percent, 75 % is 75, else 0.75.",
        ),
    ] = ()

    def __post_init__(self) -> None:
        if not (isfinite(self.value) and isfinite(self.tolerance)):
            raise ValueError("value and tolerance are finite numbers")
        if any(not without_markup(unit).strip() or unit[0].isdigit() for unit in self.unit):
            raise ValueError("a unit is a word or a sign, and begins with no digit")


def numeric(visible: Visible, key: Numeric) -> Marked:
    """Right where the answer is no further from the value than the wider tolerance."""
    found = next(_found(visible, key), None)
    if found is None:
        return invalid("states no number, and its last line holds none")
    if len(found.values) != 1 or found.unreadable:
        allowed = f" (units: {', '.join(key.unit)})" if key.unit else ""
        return invalid(f"gives numbers that differ, or one that cannot be read{allowed}")
    value = found.values[0]
    width = max(key.tolerance, key.relative_tolerance * abs(key.value)) + _FLOATS * max(abs(value), abs(key.value))
    if abs(value - key.value) <= width:
        return correct(f"{value:.15g}", f"is {key.value:.15g} within the tolerance")
    return wrong(f"{value:.15g}", f"is not {key.value:.15g} within the tolerance")


def _found(visible: Visible, key: Numeric) -> Iterator[Amounts]:
    """The numbers given, by what counts most first."""
    units = tuple(without_markup(unit).strip() for unit in key.unit)

    def read(text: str) -> Amounts:
        return amounts(cut(text[:LONGEST]), units)

    for group in statements(visible):
        yield from _together(map(read, group))
    lines = visible.lines
    if not lines or declines(lines[0]):
        return
    edges = [read(line) for line in dict.fromkeys(ends(lines))]
    yield from _together(found for found in edges if found.bare)
    yield from _together(edges[:1])


def _together(found: Iterable[Amounts]) -> Iterator[Amounts]:
    """All that was found as one, if anything was."""
    some = [each for each in found if each.values or each.unreadable]
    if some:
        values = tuple(dict.fromkeys(value for each in some for value in each.values))
        yield Amounts(values, any(each.unreadable for each in some))


TYPE = KeyType(
    title="Number",
    looks_at="The number in the last explicit statement of an answer, else in the last or first line if that is hardly "
    "more than a number, else the only number of the last line. Thousands separators, decimal commas, fractions, "
    "percentages, powers of ten, currencies and numbers to twenty in letters are read; of an equation, the last side.",
    cannot_see="Formulas (2\u03c0, \u221a2), times, dates and ranges, which make an answer invalid, and numbers above "
    "twenty in letters. Units are not converted. 1,234 is read as thousands, never as a decimal comma.",
    key=Numeric,
    function=numeric,
)

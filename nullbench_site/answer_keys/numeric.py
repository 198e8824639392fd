"""A key for a number."""

from __future__ import annotations

from math import isfinite
from typing import Annotated

from msgspec import Meta

from nullbench_site.answer_keys.amounts import FLOATS
from nullbench_site.answer_keys.key import Key, Marked, Visible, about, correct, invalid, without_markup, wrong
from nullbench_site.answer_keys.number_reader import NumberReader
from nullbench_site.answer_keys.units import units_of

Unit = Annotated[str, Meta(min_length=1, max_length=50)]


class Numeric(Key, frozen=True, tag="numeric"):
    """The right number, and the allowed error."""

    title, looks_at, cannot_see = about("numeric")

    value: Annotated[float, Meta(description="The right number, in the requested unit.")]
    tolerance: Annotated[float, Meta(ge=0, description="The largest allowed error, in the unit of the value.")] = 0.0
    relative_tolerance: Annotated[
        float,
        Meta(ge=0, lt=1, description="The largest allowed error as a share of the value; the wider of the two counts."),
    ] = 0.0
    unit: Annotated[
        tuple[Unit, ...],
        Meta(
            max_length=50,
            description="The words and signs that may follow the number, for one unit. A number in another unit of the "
            "same kind is converted; any other unit makes an answer invalid. Without any, a word behind the number is "
            "not looked at. With % or percent, 75 % is 75, else 0.75.",
        ),
    ] = ()

    def __post_init__(self) -> None:
        if not (isfinite(self.value) and isfinite(self.tolerance)):
            raise ValueError("value and tolerance must be finite numbers")
        if any((not without_markup(unit).strip() and unit != "$") or unit[0].isdigit() for unit in self.unit):
            raise ValueError("a unit must be a word or a sign and not begin with a digit")

    def mark(self, visible: Visible) -> Marked:
        """Right if the answer differs from the value by at most the wider tolerance."""
        result = next(NumberReader(visible, units_of(self.unit), self.meets).results(), None)
        if result is None:
            return invalid("states no number, and its last line holds none", "no answer")
        if result.value is None:
            allowed = f" (units: {', '.join(self.unit)})" if self.unit else ""
            return invalid(f"gives numbers that differ, or one that cannot be read{allowed}", result.cause)
        if visible.unfinished and result.last and visible.raw.rstrip()[-1:].isdigit():
            return invalid("ends in a number that may go on", "cut")
        if self.meets(result.value):
            return correct(f"{result.value:.15g}", f"is {self.value:.15g} within the tolerance")
        return wrong(f"{result.value:.15g}", f"is not {self.value:.15g} within the tolerance")

    def meets(self, value: float) -> bool:
        """Return True if a number is right."""
        width = max(self.tolerance, self.relative_tolerance * abs(self.value))
        return abs(value - self.value) <= width + FLOATS * max(abs(value), abs(self.value))

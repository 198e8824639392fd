"""What a measure of an aspect returns."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """`value`: 0 (worst) to 1 (best), None if there is nothing to measure; `note`: evidence in a few words."""

    value: float | None
    note: str = ""

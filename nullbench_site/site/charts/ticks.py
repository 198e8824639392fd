"""A scale from numbers to places in a picture, with round numbers as its ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_DECADE = 10.0
_ROUND = (1.0, 2.0, 5.0)
_MOST = 6


@dataclass(frozen=True)
class Axis:
    """Numbers between low and high put on 0 to 1; by their logarithms where is_log. 0 then stands at the left end."""

    low: float
    high: float
    is_log: bool
    ticks: Sequence[float]
    from_zero: float = 0.0
    """Where the logarithms begin: after the place of 0, where there is one."""

    def at(self, value: float) -> float:
        """Where `value` stands."""
        if not self.is_log:
            return (value - self.low) / (self.high - self.low)
        if value <= 0:
            return 0.0
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.from_zero + (1 - self.from_zero) * share


def linear(values: Sequence[float], low: float | None = None) -> Axis:
    """The axis of numbers on one scale, whose ends are ticks. low: where it has to begin."""
    least, most = min(values) if low is None else low, max(values)
    step = _step(max(most - least, 1e-12))
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    last = max(last, first + 1)
    ticks = [step * n for n in range(first, last + 1)]
    return Axis(ticks[0], ticks[-1], False, ticks)


def by_size(values: Sequence[float]) -> Axis:
    """The axis of amounts, none below 0: by their logarithms where the largest is ten times the least above 0."""
    above = [value for value in values if value > 0]
    if not above or max(above) < _DECADE * min(above):
        return linear(values, low=0.0)
    low, high = min(above) / 1.25, max(above) * 1.25
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [lead * 10.0**exponent for exponent in exponents for lead in _ROUND]
    ticks = [tick for tick in ticks if low <= tick <= high]
    if len(ticks) > _MOST:
        ticks = [10.0**exponent for exponent in exponents if low <= 10.0**exponent <= high]
    while len(ticks) > _MOST:
        ticks = ticks[::2]
    has_zero = len(above) < len(values)
    return Axis(low, high, True, [0.0, *ticks] if has_zero else ticks, 0.12 if has_zero else 0.0)


def _step(span: float) -> float:
    """The round step that makes five parts of a span, or a few less."""
    base = 10.0 ** math.floor(math.log10(span / 5))
    return next(lead * base for lead in (*_ROUND, 10.0) if lead * base * 5 >= span * (1 - 1e-9))

"""A number, or the reason why there is none; and what stands behind its "±". Without numpy, which slows a start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist


@dataclass(frozen=True, slots=True)
class Measure:
    """A finite `value`, or `None` with the `reason` why it is not defined, in words fit for a page.

    Exactly one of the two is None. ValueError otherwise, and for a NaN or infinite value: neither may reach a
    page.
    """

    value: float | None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError(f"a measure has either a value or a reason, got {self.value!r} and {self.reason!r}")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"the value of a measure is finite, got {self.value!r}")

    @classmethod
    def undefined(cls, reason: str) -> Measure:
        """A measure without a value, because of `reason`."""
        return cls(value=None, reason=reason)


def half_width(se: float, level: float = 0.95) -> float:
    """z * se, z = 1.959964 for the level 0.95: what stands behind a score's "±", in the unit of the score.

    se >= 0; 0 < level < 1, ValueError otherwise.
    Source: the central limit theorem, as used by Miller (2024), Adding error bars to evals.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    return _quantile((1 + level) / 2) * se


@cache
def _quantile(share: float) -> float:
    return NormalDist().inv_cdf(share)

"""A number, or the reason why there is none. Without numpy, which makes a start slower."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

LEAST_CLUSTERS = 6
"""With fewer clusters an interval covers less than it claims: measured in benchmarks/coverage.py."""
LEAST_WORDINGS = 5
"""The fewest wordings of a prompt that measure how much a score depends on them."""


PanelKind: TypeAlias = Literal["models", "mixed", "one", "none"]
"""The kind of a panel.

models: two or more models with the same template, which are a sample of such judges. mixed: several judges of which
one is a program, or with different templates. one: a single judge. none: no judge scores.
"""

Robustness: TypeAlias = Literal["holds", "differs", "one judge", "no judge", "unknown"]
"""Whether a difference is robust to the panel.

holds, differs: by the rule for this kind of panel, `robustness`. one
judge: not assessed. no judge: does not apply. unknown: cannot be assessed, as without two common judges.
"""


JointTest: TypeAlias = Literal["flips", "bootstrap", "betting"]
"""A joint test of all differences of a board: flips of signs, the studentised cluster bootstrap, or a betting bound."""


DiagramShape: TypeAlias = Literal[
    "overconfident", "underconfident", "well calibrated", "mixed", "not well calibrated, direction not shown",
    "not distinguishable from well calibrated at this n",
]  # fmt: skip
"""The shape of a reliability diagram, as far as the data show it: `reliability.shape`."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A finite `value`, or `None` with the `reason` why it is undefined, in words fit for a page.

    ValueError unless exactly one of the two is None, and for a NaN or infinite value: neither may reach a page.
    """

    value: float | None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError(f"a measure must have either a value or a reason, got {self.value!r} and {self.reason!r}")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"the value of a measure must be finite, got {self.value!r}")

    @classmethod
    def undefined(cls, reason: str) -> Measure:
        """Return a measure without a value, for this `reason`."""
        return cls(value=None, reason=reason)


@dataclass(frozen=True, slots=True)
class Bounded:
    """A number with the ends of its 95 % interval.

    value: None if it is undefined. low, high: None if there is no interval. reason: why one of them is missing, in
    words fit for a page; None if nothing is missing.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    @classmethod
    def undefined(cls, reason: str) -> Bounded:
        """Return a result without a value, for this `reason`."""
        return cls(value=None, reason=reason)


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a share k / n of independent cases, 0-1. n: at least 1.

    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    z = 1.959964
    share, spread = k / n, z * z / n
    centre, half = share + spread / 2, (spread * (share * (1 - share) + spread / 4)) ** 0.5
    return max(0.0, (centre - half) / (1 + spread)), min(1.0, (centre + half) / (1 + spread))

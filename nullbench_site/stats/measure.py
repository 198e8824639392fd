"""A number, or the reason why there is none. Without numpy, which slows a start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

LEAST_CLUSTERS = 6
"""With fewer clusters an interval does not cover what it says: measured in benchmarks/coverage.py."""


PanelKind: TypeAlias = Literal["models", "mixed", "one", "none"]
"""models: two or more models that are all asked alike, which are a sample of such judges. mixed: any other judges, of
which one is a program, or which were not all asked by one template. one: a single judge. none: no judge scores."""

Robustness: TypeAlias = Literal["holds", "differs", "one judge", "no judge", "unknown"]
"""Whether a difference is robust to the panel. holds, differs: by the rule for this kind of panel, `robustness`.
one judge: not assessed. no judge: does not apply. unknown: it cannot be told, as with no two judges in common."""


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

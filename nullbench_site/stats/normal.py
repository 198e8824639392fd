"""The normal distribution's part in an interval. Pages need it too, and numpy would slow their start."""

from __future__ import annotations

from functools import cache
from statistics import NormalDist


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

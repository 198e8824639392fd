"""Bounds of a mean and of a rank when scores are missing: what they would be if all missing ones were worst or best."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nullbench_site.stats.arrays import Floats

_SAME = 1e-9


class WorstCase(NamedTuple):
    """The ends of a mean, low to high, and of the rank among others, best to worst."""

    low: float
    high: float
    best_rank: int
    worst_rank: int


def worst_case(
    scores: Floats, others: Floats, mean: Callable[[Floats], float | None], scale: tuple[float, float]
) -> WorstCase | None:
    """Return the bounds of a contestant whose missing scores are all at one end of the scale, or all at the other.

    scores: (items,) NaN where one is missing; higher is better. others: (contestants,) the means of those that it is
    ranked with. mean: of scores of all items; it may not fall if a score rises. None if the mean is not known.

    A rank is 1 + the number of others with a higher mean. The bounds are sharp: each end is reached.

    Source: Manski (1989), Anatomy of the selection problem, Journal of Human Resources 24, 343-360.
    """
    ends = [mean(np.where(np.isnan(scores), end, scores)) for end in scale]
    low, high = ends
    if low is None or high is None:
        return None
    ranks = [1 + int((others > end + _SAME).sum()) for end in (high, low)]
    return WorstCase(low, high, *ranks)

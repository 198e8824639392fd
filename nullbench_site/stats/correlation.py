"""Whether two series put the same things in the same order."""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt

from nullbench_site.stats._arrays import finite
from nullbench_site.stats.arrays import Ints
from nullbench_site.stats.measure import Measure

# Values that differ by less are tied: that is arithmetic, not an order.
_TIE_DECIMALS = 9


def spearman(one: npt.ArrayLike, other: npt.ArrayLike) -> Measure:
    """Spearman's rank correlation, -1..1: 1 is the same order, 0 no relation, -1 the reverse order.

    one, other: (n,) finite, of the same things in the same order. Pearson's correlation of the ranks, where tied values
    share the mean of their ranks. It is worked out in whole numbers, so the order of the things cannot move a digit.
    Undefined with the reason "fewer than 2 answers" or "one value only". ValueError for arrays that do not fit.
    Source: Spearman (1904), The proof and measurement of association between two things; mid-ranks for ties as in
    Kendall & Gibbons (1990), Rank Correlation Methods.
    """
    a, b = finite("one", one, ndim=1), finite("other", other, ndim=1)
    if a.shape != b.shape:
        raise ValueError(f"a correlation is of two series of one length, got {a.size} and {b.size}")
    if a.size < 2:
        return Measure.undefined("fewer than 2 answers")
    x, y = _twice_centred_ranks(a), _twice_centred_ranks(b)
    xx, yy, xy = (int(p @ q) for p, q in ((x, x), (y, y), (x, y)))
    if not xx or not yy:
        return Measure.undefined("one value only")
    return Measure(xy / sqrt(xx * yy))


def _twice_centred_ranks(values: npt.NDArray[np.float64]) -> Ints:
    """Twice the distance of each mid-rank from the middle of all ranks: whole numbers that sum to 0."""
    _, which, times = np.unique(np.round(values, _TIE_DECIMALS), return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    twice: Ints = (2 * last - times + 1 - (values.size + 1)).astype(np.int64)
    return twice[which]

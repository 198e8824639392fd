"""The difference of two contestants on the same items, and whether it can be told from none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nullbench_site.stats._arrays import group_shares, labels
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.interval import Interval, grouped_mean_standard_error, normal_interval


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How much more one contestant scores than another, in the unit of their scores.

    n_items: the items both have a score on. se and interval are None where too few source texts tell an error.
    """

    value: float
    n_items: int
    se: float | None
    interval: Interval | None

    @property
    def measurable(self) -> bool | None:
        """Whether the interval leaves 0 out; None without an interval. One that ends at 0 holds it."""
        if self.interval is None:
            return None
        return not self.interval.low <= 0 <= self.interval.high


def paired_difference(
    ours: npt.ArrayLike,
    theirs: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> PairedDifference | None:
    """The mean over groups of the mean difference, ours less theirs, over the items that both have a score on.

    ours, theirs: (n,) scores item by item, NaN where there is none. clusters: (n,) integers, the source text or bundle
    of each item. groups: (n,) integers, what the board takes the mean over; None for one group. weights: (groups,) > 0,
    in the order of the labels, where the board weighs them; of a group without a common item it plays no part.
    With d_i = ours - theirs, the difference is sum_g w_g mean_{i in g} d_i, its error that of a clustered mean of d,
    and the interval value -+ z SE. What is hard for both is in both scores and cancels: SE^2 = SE_ours^2 +
    SE_theirs^2 - 2 cov.
    None without a common item. ValueError for infinities, and for labels and weights that do not fit.
    Source: Miller (2024), Adding error bars to evals, paired differences and clustered standard errors; the error as
    `grouped_mean_standard_error`.
    """
    difference = _differences(ours, theirs)
    cluster = labels("clusters", clusters, size=difference.size)
    group = labels("groups", np.zeros(difference.size, np.int64) if groups is None else groups, size=difference.size)
    both = ~np.isnan(difference)
    if not both.any():
        return None
    share = group_shares(weights, int(group.max()) + 1)
    difference, cluster, group = difference[both], cluster[both], group[both]
    common, group = np.unique(group, return_inverse=True)
    share = group_shares(share[common], common.size)
    value = float(share @ (np.bincount(group, weights=difference) / np.bincount(group)))
    se = grouped_mean_standard_error(difference, group, cluster, weights=share)
    interval = None if se is None else normal_interval(value, se, level)
    return PairedDifference(value, difference.size, se, interval)


def _differences(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> Floats:
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if ours.ndim != 1 or ours.shape != theirs.shape:
        raise ValueError(f"both must have one score an item, got shapes {ours.shape} and {theirs.shape}")
    if np.isinf(ours).any() or np.isinf(theirs).any():
        raise ValueError("scores must be finite, or NaN where there is none")
    difference: Floats = ours - theirs
    return difference

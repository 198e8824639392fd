"""Contamination by date: do scores drop more than those of others on items that are newer than the training data?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints, labels
from nullbench_site.stats.estimate import ERROR
from nullbench_site.stats.measure import LEAST_CLUSTERS, Bounded
from nullbench_site.stats.ranking import cluster_parts

DRAWS = 4_000
"""The number of bootstrap draws. The bounds of two seeds differ by about 1 % of their width."""
_CELLS = 4_000_000
"""The most numbers in an array of draws at a time."""
_SAME = 1e-6
"""A standard error below this share of the largest score is a rounding error of 0."""
ONE_SIDE = "all items are on one side of the date"
NO_OTHERS = "nobody to compare with: every other contestant is related to it, or lacks a score"
TOO_ALIKE = "too few items with different scores for a test"
SAME_DIFFERENCE = "it differs from the others by the same on every item of a side"


@dataclass(frozen=True, slots=True)
class DatedDifference(Bounded):
    """How much more a contestant's score drops after a date than those of others, in the unit of the scores.

    value: drop - others. low, high: its simultaneous bounds, as `difference_in_differences` says.
    before, after: the mean score on the items of each side. others: the mean drop of the comparison group, of n_others
    contestants. se: the clustered standard error of value. n_before, n_after: the items of each side.
    """

    before: float | None = None
    after: float | None = None
    others: float | None = None
    se: float | None = None
    n_before: int = 0
    n_after: int = 0
    n_others: int = 0

    @property
    def drop(self) -> float | None:
        """The mean score before the date less the one after it."""
        return None if self.before is None or self.after is None else self.before - self.after

    @property
    def flagged(self) -> bool | None:
        """True if the contestant drops significantly more than the others; None if it was not tested."""
        return None if self.low is None else self.low > 0


def difference_in_differences(
    scores: npt.ArrayLike, after: npt.ArrayLike, clusters: npt.ArrayLike, related: npt.ArrayLike | None = None
) -> list[DatedDifference]:
    """Return how much more each contestant drops after a date than the contestants that it is compared with.

    scores: (contestants, items), NaN for a missing score. after: True for items after the date, (items,) or, if each
    contestant has a date of its own, (contestants, items). clusters: (items,) integers, shared by items that are not
    independent. related: (contestants, contestants), True in the columns of those that the row is not compared with; a
    contestant is never compared with itself. ValueError for other shapes or types.

    Let z be the score on an item less the mean score of the comparison group there. The value is the mean of z before
    the date less the mean of z after it. Its error is clustered, with the factor n/(n - 1) for the n clusters of a
    side. The parts of a cluster with items on both sides are added before they are squared.
    The test is one-sided. Clusters are drawn with replacement on each side. The critical value c is the 95 % quantile,
    over draws, of the largest of all contestants' t = (drawn value - value) / drawn se. With low = value - c se, the
    chance is 95 % that every true difference is above its low; a contestant with low > 0 is flagged. high bounds all
    true differences from above in the same way, with the largest -t. Both together hold with a chance of 90 %.
    Contestants with the same dates are drawn together. Each of several such groups has its share of the 5 %.
    A contestant that lacks a score is neither tested nor compared with. With fewer than 6 clusters on a side there are
    no bounds. The procedure was chosen by measurement, benchmarks/contamination.py.
    Source: Card & Krueger (1994), Minimum wages and employment, for the estimate; Bertrand, Duflo & Mullainathan
    (2004), How much should we trust differences-in-differences estimates?, for clusters; Romano & Wolf (2005), Exact
    and approximate stepdown methods for multiple hypothesis testing, for the largest t, without their steps.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores must be contestants x items, got shape {table.shape}")
    k, n = table.shape
    cluster = labels("clusters", clusters, size=n)
    late = np.broadcast_to(_bools("after", after, (n,), (k, n)), (k, n))
    related_to = np.eye(k, dtype=np.bool_) | (False if related is None else _bools("related", related, (k, k)))
    missing = np.isnan(table)
    group = ~related_to & ~missing.any(axis=1)
    n_others = group.sum(axis=1)
    others = group @ np.where(missing, 0.0, table) / np.maximum(n_others, 1)[:, np.newaxis]
    found = [_difference(*rows, cluster) for rows in zip(table, others, n_others.tolist(), late, strict=True)]
    tested = np.array([place for place, own in enumerate(found) if own.reason is None], dtype=np.int64)
    splits = np.unique(late[tested], axis=0, return_inverse=True)[1].ravel()
    for split in np.unique(splits).tolist():
        places = tested[splits == split]
        excess, error = (table - others)[places], ERROR * places.size / tested.size
        below, above = _critical(excess, late[places[0]], cluster, error)
        for place in places.tolist():
            found[place] = _bounded(found[place], below, above)
    return found


def _bools(name: str, values: npt.ArrayLike, *shapes: tuple[int, ...]) -> Bools:
    array = np.asarray(values)
    if array.shape not in shapes or array.dtype != np.bool_:
        allowed = " or ".join(map(str, shapes))
        raise ValueError(f"{name} must be booleans of shape {allowed}, got shape {array.shape} of {array.dtype}")
    return array


def _difference(own: Floats, others: Floats, n_others: int, late: Bools, cluster: Ints) -> DatedDifference:
    """Return the difference of one contestant without bounds. own, others: (items,) scores. late: after the date."""
    sides = ~late, late
    n_before, n_after = (int(side.sum()) for side in sides)
    made = DatedDifference(None, n_before=n_before, n_after=n_after, n_others=n_others)
    if n_missing := int(np.isnan(own).sum()):
        return replace(made, reason=f"{n_missing} of {own.size} items have no score")
    if not n_before or not n_after:
        return replace(made, reason=ONE_SIDE)
    made = replace(made, before=float(own[~late].mean()), after=float(own[late].mean()))
    if not n_others:
        return replace(made, reason=NO_OTHERS)
    excess = own - others
    value, drop_of_others = (float(row[~late].mean() - row[late].mean()) for row in (excess, others))
    made = replace(made, value=value, others=drop_of_others)
    n_clusters = [np.unique(cluster[side]).size for side in sides]
    if min(n_clusters) < LEAST_CLUSTERS:
        why = f"too few: {min(n_clusters)} independent items on one side, and a test needs {LEAST_CLUSTERS}"
        return replace(made, reason=why)
    residuals = np.zeros(own.size)
    for side, n, sign in zip(sides, n_clusters, (1, -1), strict=True):
        # The mean of the means of two groups gives each half its weight; the difference has twice that.
        residuals[side] = 2 * sign * np.sqrt(n / (n - 1)) * (excess[side] - excess[side].mean())
    parts = cluster_parts(residuals[np.newaxis], late.astype(np.int64), cluster)
    se = float(np.sqrt(np.square(parts).sum()))
    return replace(made, reason=SAME_DIFFERENCE) if se <= _SAME * np.abs(excess).max() else replace(made, se=se)


def _critical(excess: Floats, late: Bools, cluster: Ints, error: float) -> tuple[float, float]:
    """Return the quantiles 1 - error of the largest t and of the largest -t. excess: (contestants, items)."""
    sides = ~late, late
    sizes = np.array([np.bincount(cluster, side) for side in sides])
    factors = np.array([n / (n - 1) for n in (sizes > 0).sum(axis=1)])
    centred = excess - np.where(late, *(excess[:, side].mean(axis=1, keepdims=True) for side in sides[::-1]))
    sums = np.array([[np.bincount(cluster, row * side) for side in sides] for row in centred])
    # Clusters on one side only, and those on both, are drawn from their own kind, so a side keeps its number.
    kinds = [np.flatnonzero(kind) for kind in (sizes[1] == 0, sizes[0] == 0, (sizes > 0).all(axis=0)) if kind.any()]
    rng, largest, smallest = np.random.default_rng(0), [], []
    at_a_time = max(1, _CELLS // sizes.shape[1])
    for start in range(0, DRAWS, at_a_time):
        times = np.zeros((sizes.shape[1], min(at_a_time, DRAWS - start)))
        for kind in kinds:
            drawn = rng.integers(0, kind.size, (times.shape[1], kind.size))
            drawn += kind.size * np.arange(times.shape[1])[:, np.newaxis]
            times[kind] = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).T
        t = np.array([_drawn_t(own, sizes, factors, times) for own in sums])
        largest.append(t.max(axis=0))
        smallest.append(-t.min(axis=0))
    below, above = (np.quantile(np.concatenate(each), 1 - error, method="higher") for each in (largest, smallest))
    return float(below), float(above)


def _drawn_t(sums: Floats, sizes: Floats, factors: Floats, times: Floats) -> Floats:
    """Return the t of each draw for one contestant, (draws,).

    sums, sizes: (sides, clusters) the sums of residuals and numbers of items. times: (clusters, draws) how often a
    cluster is drawn.
    """
    (n_before, n_after), (sum_before, sum_after) = sizes @ times, sums @ times
    before, after = sum_before / n_before, sum_after / n_after
    (b, a), (nb, na) = sums, sizes
    squares = np.array([b * b, b * nb, nb * nb, a * a, a * na, na * na, b * a, b * na, nb * a, nb * na]) @ times
    variance = factors[0] * (squares[0] - 2 * before * squares[1] + before**2 * squares[2]) / n_before**2
    variance += factors[1] * (squares[3] - 2 * after * squares[4] + after**2 * squares[5]) / n_after**2
    both = squares[6] - after * squares[7] - before * squares[8] + before * after * squares[9]
    variance -= 2 * np.sqrt(factors[0] * factors[1]) * both / (n_before * n_after)
    difference, error = before - after, np.sqrt(np.maximum(variance, 0.0))
    # A draw without variance is beyond any bound, unless it has no difference either.
    certain = np.where(np.abs(difference) <= _SAME, 0.0, np.copysign(np.inf, difference))
    t: Floats = np.divide(difference, error, out=certain, where=error > _SAME * np.abs(sums).max())
    return t


def _bounded(difference: DatedDifference, below: float, above: float) -> DatedDifference:
    """Return a difference with bounds, for the critical values of the largest t and -t."""
    if difference.value is None or difference.se is None or not np.isfinite([below, above]).all():
        return replace(difference, reason=TOO_ALIKE)
    low, high = difference.value - below * difference.se, difference.value + above * difference.se
    return replace(difference, low=low, high=high)

"""Contamination by date: do scores drop more than those of others on items that are newer than the training data?

A mark of contamination takes the worst of many tests. `joint_differences` and `joint_gaps` hold one rate of error over
all tests and contestants of their part of the mark, `SHARE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints, labels
from nullbench_site.stats.estimate import ERROR
from nullbench_site.stats.measure import LEAST_CLUSTERS, Bounded
from nullbench_site.stats.ranking import cluster_parts

SHARE = ERROR / 2
"""The error of a board's tests by date together, and that of its gaps between contaminated and clean items together.

The mark flags someone on at most 5 % of clean boards. A completed canary is no chance, so canaries need no share.
"""
DRAWS = 4_000
"""The number of bootstrap draws. The bounds of two seeds differ by about 1 % of their width."""
_CELLS = 4_000_000
"""The most numbers in an array of draws at a time."""
_TENTH = 10
LEAST_OF_PART = 12
"""The least clusters on each side of a part of a board. With 6 to 10 the critical value of all tests is up to 4 times
larger, so that a small part would hide what the whole board shows."""
_SAME = 1e-6
"""A standard error below this share of the largest score is a rounding error of 0."""
ONE_SIDE = "all items are on one side of the date"
ONE_KIND = "all tested items are of one kind"
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


@dataclass(frozen=True, slots=True)
class DatedTable:
    """A table of tests by date.

    after: (contestants, items), True after the date. chosen: (items,), True for its items. least: the fewest clusters
    on a side with which a contestant is tested.
    """

    after: Bools
    chosen: Bools
    least: int = LEAST_CLUSTERS


@dataclass(frozen=True, slots=True)
class _Test:
    """A test of one row. values: (items,). late: the second side. chosen: the items of both sides. All are (items,)."""

    values: Floats
    late: Bools
    chosen: Bools


def difference_in_differences(
    scores: npt.ArrayLike, after: npt.ArrayLike, clusters: npt.ArrayLike, related: npt.ArrayLike | None = None
) -> list[DatedDifference]:
    """Return how much more each contestant drops after a date than the contestants that it is compared with.

    The same as `joint_differences` of one table with all items, with an error of 5 %. after: True for items after the
    date, (items,) or, if each contestant has a date of its own, (contestants, items). ValueError for other shapes or
    types.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores must be contestants x items, got shape {table.shape}")
    k, n = table.shape
    late = np.broadcast_to(_bools("after", after, (n,), (k, n)), (k, n))
    (found,) = joint_differences(table, [DatedTable(late, np.ones(n, np.bool_))], clusters, related, error=ERROR)
    return found


def joint_differences(
    scores: npt.ArrayLike,
    tables: Sequence[DatedTable],
    clusters: npt.ArrayLike,
    related: npt.ArrayLike | None = None,
    *,
    error: float = SHARE,
    draws: int = DRAWS,
) -> list[list[DatedDifference]]:
    """Return, for each table, how much more each contestant drops after a date than those it is compared with.

    scores: (contestants, items), NaN for a missing score. clusters: (items,) integers, shared by items that are not
    independent. related: (contestants, contestants), True in the columns of those that the row is not compared with; a
    contestant is never compared with itself. error: of all tests together. ValueError for other shapes or types.

    Let z be the score on an item less the mean score of the comparison group there. The value is the mean of z before
    the date less the mean of z after it. Its error is clustered, with the factor n/(n - 1) for the n clusters of a
    side. The parts of a cluster with items on both sides are added before they are squared.
    The test is one-sided. Each draw takes clusters with replacement once for all tables, from those that are on the
    same sides in every table; kinds of fewer than 6 clusters are drawn together with the next. The critical value c is
    the quantile 1 - error, over draws, of the largest t = (drawn value - value) / drawn se of all tables and
    contestants. With low = value - c se, the chance is 1 - error that every true difference is above its low; a
    contestant with low > 0 is flagged. high bounds all true differences from above in the same way, with the largest
    -t. Both together hold with a chance of 1 - 2 error.
    A contestant that lacks a score is neither tested nor compared with. There are no bounds with fewer clusters on a
    side than the table asks for, nor if more than a tenth of `error` of the draws have no variance. The
    procedure was chosen by measurement, benchmarks/contamination.py; benchmarks/contamination_flags.py measures how
    often it flags anyone.
    Source: Card & Krueger (1994), Minimum wages and employment, for the estimate; Bertrand, Duflo & Mullainathan
    (2004), How much should we trust differences-in-differences estimates?, for clusters; Romano & Wolf (2005), Exact
    and approximate stepdown methods for multiple hypothesis testing, for the largest t, without their steps.
    """
    table = np.asarray(scores, dtype=np.float64)
    k, n = table.shape
    cluster = labels("clusters", clusters, size=n)
    related_to = np.eye(k, dtype=np.bool_) | (False if related is None else _bools("related", related, (k, k)))
    missing = np.isnan(table)
    group = ~related_to & ~missing.any(axis=1)
    n_others = group.sum(axis=1)
    others = group @ np.where(missing, 0.0, table) / np.maximum(n_others, 1)[:, np.newaxis]
    found: list[list[DatedDifference]] = []
    places: list[tuple[int, int]] = []
    tests: list[_Test] = []
    for number, each in enumerate(tables):
        late, chosen = _bools("after", each.after, (k, n)), _bools("chosen", each.chosen, (n,))
        parts = table[:, chosen], others[:, chosen], n_others.tolist(), late[:, chosen]
        found.append([_difference(*rows, cluster[chosen], least=each.least) for rows in zip(*parts, strict=True)])
        tested = [place for place, own in enumerate(found[-1]) if own.reason is None]
        places += [(number, place) for place in tested]
        tests += [_Test(table[place] - others[place], late[place], chosen) for place in tested]
    below, above, varies = _critical(tests, cluster, error, draws)
    for (number, place), own in zip(places, varies, strict=True):
        result = found[number][place]
        found[number][place] = _bounded(result, below, above) if own else replace(result, reason=TOO_ALIKE)
    return found


def joint_gaps(
    scores: npt.ArrayLike,
    seen: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    error: float = SHARE,
    draws: int = DRAWS,
) -> list[Bounded]:
    """Return how much more each contestant scores on items that it may have seen than on others.

    scores: (contestants, items), NaN for a missing score, which is left out. seen: (items,) booleans. clusters: as in
    `joint_differences`. low, high: the simultaneous bounds of all contestants, as there. ValueError for other shapes.
    """
    table = np.asarray(scores, dtype=np.float64)
    k, n = table.shape
    cluster, clean = labels("clusters", clusters, size=n), ~_bools("seen", seen, (n,))
    kept = ~np.isnan(table)
    # The others score 0 here, so the difference is the gap itself.
    found = [
        _difference(own[chosen], np.zeros(int(chosen.sum())), 1, clean[chosen], cluster[chosen])
        for own, chosen in zip(table, kept, strict=True)
    ]
    tested = [place for place in range(k) if found[place].reason is None]
    tests = [_Test(np.where(kept[place], table[place], 0.0), clean, kept[place]) for place in tested]
    below, above, varies = _critical(tests, cluster, error, draws)
    for place, own in zip(tested, varies, strict=True):
        result = found[place]
        found[place] = _bounded(result, below, above) if own else replace(result, reason=TOO_ALIKE)
    return [Bounded(own.value, own.low, own.high, ONE_KIND if own.reason == ONE_SIDE else own.reason) for own in found]


def _bools(name: str, values: npt.ArrayLike, *shapes: tuple[int, ...]) -> Bools:
    array = np.asarray(values)
    if array.shape not in shapes or array.dtype != np.bool_:
        allowed = " or ".join(map(str, shapes))
        raise ValueError(f"{name} must be booleans of shape {allowed}, got shape {array.shape} of {array.dtype}")
    return array


def _difference(
    own: Floats, others: Floats, n_others: int, late: Bools, cluster: Ints, *, least: int = LEAST_CLUSTERS
) -> DatedDifference:
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
    if min(n_clusters) < least:
        why = f"too few: {min(n_clusters)} independent items on one side, and a test needs {least}"
        return replace(made, reason=why)
    residuals = np.zeros(own.size)
    for side, n, sign in zip(sides, n_clusters, (1, -1), strict=True):
        # The mean of the means of two groups gives each half its weight; the difference has twice that.
        residuals[side] = 2 * sign * np.sqrt(n / (n - 1)) * (excess[side] - excess[side].mean())
    parts = cluster_parts(residuals[np.newaxis], late.astype(np.int64), cluster)
    se = float(np.sqrt(np.square(parts).sum()))
    return replace(made, reason=SAME_DIFFERENCE) if se <= _SAME * np.abs(excess).max() else replace(made, se=se)


def _critical(tests: Sequence[_Test], cluster: Ints, error: float, draws: int) -> tuple[float, float, list[bool]]:
    """Return the quantiles 1 - error of the largest t and of the largest -t of all tests; and which tests vary.

    A test in which more than a tenth of `error` of the draws has no variance is left out.
    """
    if not tests:
        return np.nan, np.nan, []
    splits = [_Split(of, cluster) for of in _alike(tests)]
    kinds = _kinds(splits)
    rng, parts = np.random.default_rng(0), list[Floats]()
    n_clusters = int(splits[0].sizes.shape[1])
    at_a_time = max(1, min(_CELLS // n_clusters, _CELLS // (6 * len(tests))))
    for start in range(0, draws, at_a_time):
        times = np.zeros((n_clusters, min(at_a_time, draws - start)))
        for kind in kinds:
            drawn = rng.integers(0, kind.size, (times.shape[1], kind.size))
            drawn += kind.size * np.arange(times.shape[1])[:, np.newaxis]
            times[kind] = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).T
        parts.append(np.vstack([split.drawn_t(times) for split in splits]))
    t = np.hstack(parts)
    varies = np.isinf(t).mean(axis=1) <= error / _TENTH
    below = above = np.nan
    if varies.any():
        extremes = t[varies].max(axis=0), -t[varies].min(axis=0)
        below, above = (float(np.quantile(each, 1 - error, method="higher")) for each in extremes)
    in_order = np.empty(len(tests), np.bool_)
    in_order[np.concatenate([split.places for split in splits])] = varies
    return below, above, in_order.tolist()


def _alike(tests: Sequence[_Test]) -> list[list[tuple[int, _Test]]]:
    """Return the tests, each with its place, in lists that have the same items on the same sides."""
    found: dict[bytes, list[tuple[int, _Test]]] = {}
    for place, test in enumerate(tests):
        key = np.concatenate([test.chosen, test.chosen & test.late]).tobytes()
        found.setdefault(key, []).append((place, test))
    return list(found.values())


class _Split:
    """Tests of the same items on the same sides. places: of the tests. sizes: (2, clusters) numbers of items.

    Each row of sums, (2, tests, clusters), has the sums of the centred values of a cluster on each side.
    """

    def __init__(self, tests: Sequence[tuple[int, _Test]], cluster: Ints) -> None:
        first = tests[0][1]
        self.places = np.array([place for place, _ in tests], np.int64)
        sides = np.array([first.chosen & ~first.late, first.chosen & first.late])
        order = np.argsort(cluster, kind="stable")
        starts = np.unique(cluster[order], return_index=True)[1]
        self.sizes: Floats = np.add.reduceat(sides[:, order].astype(np.float64), starts, axis=1)
        self.factors = [n / (n - 1) for n in (self.sizes > 0).sum(axis=1).tolist()]
        values = np.array([test.values for _, test in tests])
        centred = np.array([side * (values - values[:, side].mean(axis=1, keepdims=True)) for side in sides])
        self.sums: Floats = np.add.reduceat(centred[:, :, order], starts, axis=2)
        self.is_mixed = bool((self.sizes > 0).all(axis=0).any())

    def drawn_t(self, times: Floats) -> Floats:
        """Return the t of each draw, (tests, draws). times: (clusters, draws) how often a cluster is drawn."""
        (b, a), (nb, na) = self.sums, self.sizes
        n_before, n_after = np.maximum(self.sizes @ times, _SAME)
        features = np.concatenate([b, a, b * b, b * nb, a * a, a * na]) @ times
        sum_b, sum_a, bb, bn, aa, an = features.reshape(6, len(b), -1)
        before, after = sum_b / n_before, sum_a / n_after
        nbb, naa, nba = np.array([nb * nb, na * na, nb * na]) @ times
        variance = self.factors[0] * (bb - 2 * before * bn + before**2 * nbb) / n_before**2
        variance += self.factors[1] * (aa - 2 * after * an + after**2 * naa) / n_after**2
        if self.is_mixed:
            ba, bna, nab = (np.concatenate([b * a, b * na, nb * a]) @ times).reshape(3, len(b), -1)
            both = ba - after * bna - before * nab + before * after * nba
            variance -= 2 * np.sqrt(self.factors[0] * self.factors[1]) * both / (n_before * n_after)
        difference, error = before - after, np.sqrt(np.maximum(variance, 0.0))
        # A draw without variance is beyond any bound, unless it has no difference either.
        certain = np.where(np.abs(difference) <= _SAME, 0.0, np.copysign(np.inf, difference))
        least = _SAME * np.abs(self.sums).max(axis=(0, 2))[:, np.newaxis]
        t: Floats = np.divide(difference, error, out=certain, where=error > least)
        t[:, (n_before < 1) | (n_after < 1)] = 0.0  # a side that was not drawn says nothing
        return t


def _kinds(splits: Sequence[_Split]) -> list[Ints]:
    """Return the clusters that are on the same sides of all splits, in lists; small lists are joined with the next."""
    by_size = sorted(splits, key=lambda split: (-split.sizes.sum(), -split.sizes[1].sum()))
    sides = np.concatenate([split.sizes > 0 for split in by_size]).T
    _, kinds = np.unique(sides, axis=0, return_inverse=True)
    tested = sides.any(axis=1)
    found: list[Ints] = []
    waiting = np.array([], np.int64)
    for kind in range(int(kinds.max()) + 1):
        waiting = np.concatenate([waiting, np.flatnonzero((kinds.ravel() == kind) & tested)])
        if waiting.size >= LEAST_CLUSTERS:
            found.append(waiting)
            waiting = np.array([], np.int64)
    if waiting.size and found:
        found[-1] = np.concatenate([found[-1], waiting])
    elif waiting.size:
        found.append(waiting)
    return found


def _bounded(difference: DatedDifference, below: float, above: float) -> DatedDifference:
    """Return a difference with bounds, for the critical values of the largest t and -t."""
    if difference.value is None or difference.se is None or not np.isfinite([below, above]).all():
        return replace(difference, reason=TOO_ALIKE)
    low, high = difference.value - below * difference.se, difference.value + above * difference.se
    return replace(difference, low=low, high=high)

"""Simultaneous tests of all differences of a slice; ranks, groups of ties and the set of possible leaders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints, finite, group_shares, labels
from nullbench_site.stats.estimate import (
    ERROR,
    LEVEL,
    UNSEEN_FARTHEST,
    Means,
    difference_ends,
    linked_blocks,
    means,
    quantile,
    two_sided_p,
    unsure,
)
from nullbench_site.stats.joint_tests import OfPair, betting, bootstrap
from nullbench_site.stats.measure import LEAST_CLUSTERS, JointTest
from nullbench_site.stats.sequential import Looks, boundary, flips_for

TIE_DECIMALS = 6
"""Scores that differ by less than a millionth of a point are equal: the difference is a rounding error."""
EVERY_FLIP = 14
"""Up to this many clusters every flip of signs is tried, 2^13 at most, so the result does not depend on the seed."""
_DRAWS, _LEAST_DRAWS, _PAIR_DRAWS = 10_000, 1_000, 200_000_000
"""The most and the fewest random flips. Between these, pairs times flips stays below the third number."""
_CELLS = 4_000_000
"""The size of an array that is computed at a time."""
_CLUSTERS_AT_A_TIME, _DRAWS_AT_A_TIME = 400, 500
"""The sides of a block of signs, which fits the cache."""
_ALIKE = 0.01
"""Rows are subtracted before squaring if their squared distance is a smaller share of their squared lengths."""
_SAME = 1e-9
"""Statistics whose relative difference is smaller are equal: the difference is a rounding error."""


@dataclass(frozen=True)
class Comparisons:
    """The differences of k contestants on the same items, all tested together.

    better: (k, k) whether the row scores significantly more than the column, with an error of 5 % for all pairs
    together. alone: the same with an error of 5 % for each pair.
    critical: what the statistic of a significant difference exceeds, the `flip_statistic` of flips and |t| of the
    bootstrap; None without pairs, if no difference could exceed it, and for betting.
    clusters: how many. reason: why nothing was tested; better and alone are all False then.
    test: which test.
    """

    better: Bools
    alone: Bools
    critical: float | None
    clusters: int
    reason: str | None = None
    test: JointTest = "flips"

    @property
    def alpha(self) -> float | None:
        """Return the level of an equally strict t test of one difference: P(|T| > t) with n - 1 degrees of freedom.

        n is the number of clusters. For flips, r is the critical statistic and t = r sqrt((n - 1) / (n - r^2)): exact
        if no item is weighted. For the bootstrap, t is the critical statistic.
        """
        if self.critical is None:
            return None
        if self.test == "bootstrap":
            return float(two_sided_p(self.critical, self.clusters - 1))
        n, square = self.clusters, self.critical**2
        if square >= n:
            return 0.0
        return float(two_sided_p(sqrt(square * (n - 1) / (n - square)), n - 1))


def compared(
    matrix: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    seed: int,
    *,
    weights: npt.ArrayLike | None = None,
    scale: tuple[float, float] | None = None,
    reach: npt.ArrayLike | None = None,
    pairs: tuple[Ints, Ints] | None = None,
    least_flips: int = 0,
    draws: int = 0,
    test: JointTest = "flips",
    looks: Looks | None = None,
) -> Comparisons:
    """Test the differences of contestants on the same items, all pairs together.

    matrix: (k, items) finite scores, higher is better. groups, clusters, weights: as `group_mean`.
    scale: of the scores. With it, a significant difference that is not the same on every item also needs a 95 %
    interval, `difference_ends`, without 0.
    reach: (k,) as `Means.beyond`. With each flip, the standard errors for it are multiplied by normal numbers and
    added.
    pairs: places of the firsts and of the seconds; every two by default. least_flips: the fewest random flips. draws:
    the number of random flips, the first of which flips none, or of draws of the bootstrap; 0 for the usual number.
    test: "bootstrap" and "betting" are in `joint_tests`; what follows is about "flips".
    looks: the items are those of a look, and a difference is significant if it exceeds the `boundary` of that look. The
    same flips of a cluster serve all looks. A look of fewer than 6 clusters tests nothing.
    With d_c the part of cluster c in a difference, the statistic is |sum_c d_c| / sqrt(sum_c d_c^2). The signs of all
    clusters are flipped at random, with the same flips for all pairs. The pairs are tested from the largest statistic
    down. In each flip, take the maximum over the pair and all pairs with a smaller statistic. A difference is
    significant if at most 5 % of these maxima reach its own statistic, and every pair with a larger statistic is
    significant too.
    Up to `EVERY_FLIP` clusters, every flip is tried. With more, 10,000 random flips are tried, fewer if there are many
    pairs: a p-value near 5 % is within 0.4 points of that of all flips on 95 of 100 boards. Chosen by measurement,
    benchmarks/comparisons.py.
    Source: Westfall & Young (1993), Resampling-based multiple testing, algorithm 2.8; flips of signs from Fisher
    (1935), The design of experiments, those of whole clusters from Canay, Romano & Shaikh (2017), Randomization tests
    under an approximate symmetry assumption.
    """
    table = finite("matrix", matrix, ndim=2)
    k = len(table)
    nothing = np.zeros((k, k), np.bool_)
    parts = cluster_parts(table, groups, clusters, weights)
    n = parts.shape[1]
    averages = means(table, groups, clusters, weights=weights)
    if (why := unsure(None if np.isnan(averages.se).any() else 0.0, n)) is not None:
        return Comparisons(nothing, nothing, None, n, why, test)
    beyond = np.zeros(k) if reach is None else finite("reach", reach, ndim=1)
    errors = averages.unseen(beyond)
    first, second = np.triu_indices(k, 1) if pairs is None else pairs
    apart = parts.sum(axis=1)[first] - parts.sum(axis=1)[second]
    norm = _norms(parts, first, second)
    differ = norm > 0
    norm = np.sqrt(np.square(norm) + np.square(errors[first]) + np.square(errors[second]))
    first, second, apart, norm = first[differ], second[differ], apart[differ], norm[differ]
    apart = np.where(np.round(apart, TIE_DECIMALS) == 0, 0.0, apart)
    if test == "flips":
        flips = draws or max(least_flips, _usual_flips(first.size, looks))
        if looks is None:
            sums = _flipped(parts, errors, seed, flips)
            together, single, critical = step_down(*_of_flips(sums, first, second, norm), np.abs(apart) / norm)
        else:
            sums_and_norms = _at_looks(
                _parts_at_looks(looks, table, groups, clusters, weights), errors, (first, second), seed, flips
            )
            together, single, critical = _crossed(*sums_and_norms, (first, second), looks, np.abs(apart) / norm)
    elif test == "bootstrap":
        se = np.sqrt(_square_distances(averages.influence, first, second) + errors[first] ** 2 + errors[second] ** 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(apart == 0, 0.0, np.abs(apart) / se)
        together, single, critical = step_down(*bootstrap(averages, errors, (first, second), seed, draws), t)
        critical = None if critical is None or np.isinf(critical) else critical
    else:
        together, single, critical = np.zeros(first.size, np.bool_), np.zeros(first.size, np.bool_), None
        if scale is not None and not errors.any():
            of_one = cluster_parts(np.ones((1, table.shape[1])), groups, clusters, weights)[0]
            group, cluster = (labels(name, of, size=table.shape[1]) for name, of in (("g", groups), ("c", clusters)))
            blocks = linked_blocks(group, cluster)[1]
            together, single = betting(parts, of_one, blocks, (first, second), scale[1] - scale[0])
    if scale is not None:
        width = scale[1] - scale[0]
        far = _far_from_zero(averages, first, second, apart, np.hypot(errors[first], errors[second]))
        some = np.flatnonzero(single & ~far)
        for start in range(0, some.size, at_a_time := max(1, _CELLS // table.shape[1])):
            these = some[start : start + at_a_time]
            each = means(table[first[these]] - table[second[these]], groups, clusters, weights=weights).beyond(
                np.hypot(beyond[first[these]], beyond[second[these]])
            )
            low, high = difference_ends(each, each.t * each.se, width)
            holds_zero = (each.se > 0) & (low <= 0) & (high >= 0)
            together[these] &= ~holds_zero
            single[these] &= ~holds_zero
    better, alone = (_directed(k, (first, second), apart, holds) for holds in (together, single))
    return Comparisons(better, alone, critical, n, test=test)


def _usual_flips(pairs: int, looks: Looks | None) -> int:
    """Return how many random flips are drawn for a number of pairs."""
    most = _DRAWS if looks is None else max(_DRAWS, flips_for(looks.shares))
    return max(_LEAST_DRAWS, min(most, _PAIR_DRAWS // max(pairs, 1) // 8 * 8))


def _directed(k: int, pairs: tuple[Ints, Ints], apart: Floats, holds: Bools) -> Bools:
    """Return (k, k) whether the row scores more than the column, among pairs that differ."""
    found, (first, second) = np.zeros((k, k), np.bool_), pairs
    found[first[holds & (apart > 0)], second[holds & (apart > 0)]] = True
    found[second[holds & (apart < 0)], first[holds & (apart < 0)]] = True
    return found


def _far_from_zero(averages: Means, first: Ints, second: Ints, apart: Floats, errors: Floats) -> Bools:
    """Return True for pairs whose interval certainly excludes 0, and False if it has to be computed.

    apart, errors: (pairs,) the differences, and their `Means.unseen`. The widest possible interval is that of
    `difference_ends` with the fewest degrees of freedom for t, and with the sum of the two farthest clusters for the
    skew and the farthest cluster of the differences.
    """
    variance = _square_distances(averages.influence, first, second) + np.square(errors)
    block_df = averages.block_df[0]
    t = quantile(LEVEL, np.fmin(np.nanmin(block_df) + 2, np.nansum(block_df)))
    farthest = averages.farthest[first] + averages.farthest[second]
    half = t * np.sqrt(variance) + farthest * (2 * t * t + 1) / 6
    far: Bools = np.abs(apart) > (1 + _SAME) * np.hypot(half, UNSEEN_FARTHEST * farthest)
    return far


def cluster_parts(
    table: Floats, groups: npt.ArrayLike, clusters: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> Floats:
    """Return the part of each cluster in the mean over groups of group means, (k, clusters).

    table: (k, items). It is the sum of w_g y_i / n_g over the cluster's items i; w_g is the share of their group and
    n_g its number of items.
    """
    group, cluster = (
        labels(name, of, size=table.shape[1]) for name, of in (("groups", groups), ("clusters", clusters))
    )
    sizes = np.bincount(group)
    weighted = table * (group_shares(weights, sizes.size) / sizes)[group]
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    parts: Floats = np.add.reduceat(weighted[:, order], starts, axis=1)
    return parts


def flip_statistic(parts: Floats) -> Floats:
    """Return |sum d| / sqrt(sum d^2) of each row, (k,), for the parts of clusters in differences; 0 if all are 0."""
    norm = np.sqrt(np.square(parts).sum(axis=1))
    statistic: Floats = np.abs(parts.sum(axis=1)) / np.where(norm > 0, norm, 1.0)
    return statistic


def _square_distances(rows: Floats, first: Ints, second: Ints) -> Floats:
    """Return the squared Euclidean distances of pairs of rows, to at least 12 digits.

    |a - b|^2 = |a|^2 + |b|^2 - 2 ab loses digits for similar rows; for these, the differences are squared.
    """
    centred = rows - rows.mean(axis=0)
    products = centred @ centred.T
    lengths = products.diagonal()
    squares: Floats = lengths[first] + lengths[second] - 2 * products[first, second]
    alike = np.flatnonzero(squares <= _ALIKE * (lengths[first] + lengths[second]))
    at_a_time = max(1, _CELLS // max(rows.shape[1], 1))
    for start in range(0, alike.size, at_a_time):
        these = alike[start : start + at_a_time]
        squares[these] = np.square(rows[first[these]] - rows[second[these]]).sum(axis=1)
    return squares


def _norms(parts: Floats, first: Ints, second: Ints) -> Floats:
    """Return sqrt(sum d^2) of each pair, 0 if the rows differ by rounding errors only."""
    norm: Floats = np.sqrt(_square_distances(parts, first, second))
    norm[norm <= 10.0**-TIE_DECIMALS / max(parts.shape[1], 1)] = 0.0
    return norm


def _flipped(parts: Floats, unseen: Floats, seed: int, draws: int) -> Floats:
    """Return the sums of each contestant's parts with flipped signs of clusters, (k, flips); the first flips none.

    unseen: (k,) standard errors that are added, times normal numbers. If every flip is tried, the sign of the first
    cluster stays: flipping all signs changes no statistic. Otherwise each sign is the first bit of a random byte.
    """
    n = parts.shape[1]
    if n <= EVERY_FLIP and not unseen.any():
        numbers = np.arange(2 ** max(n - 1, 0))
        return parts @ (1.0 - 2.0 * ((numbers << 1) >> np.arange(n)[:, np.newaxis] & 1))
    rng, flipped = np.random.default_rng(seed), np.zeros((len(parts), draws))
    for start in range(0, n, _CLUSTERS_AT_A_TIME):
        own = parts[:, start : start + _CLUSTERS_AT_A_TIME]
        drawn = np.frombuffer(rng.bytes(own.shape[1] * draws), np.uint8).reshape(-1, draws) >> 7
        for some in (slice(at, at + _DRAWS_AT_A_TIME) for at in range(0, draws, _DRAWS_AT_A_TIME)):
            flipped[:, some] += own @ drawn[:, some].astype(np.float64)
    flipped[:, 0] = 0
    sums: Floats = parts.sum(axis=1, keepdims=True) - 2 * flipped
    if unseen.any():
        sums[:, 1:] += unseen[:, np.newaxis] * rng.standard_normal((len(parts), draws - 1))
    return sums


def _of_flips(sums: Floats, first: Ints, second: Ints, norm: Floats) -> tuple[OfPair, int]:
    """Return the `flip_statistic` of pairs in all flips, and the number of flips.

    sums: (k, flips). norm: (pairs,) the roots of their sums of squares.
    """
    per_norm = 1 / norm

    def of_pair(pair: int, out: Floats) -> None:
        np.subtract(sums[first[pair]], sums[second[pair]], out=out)
        np.abs(out, out=out)
        np.multiply(out, per_norm[pair], out=out)

    return of_pair, sums.shape[1]


def _parts_at_looks(
    looks: Looks, table: Floats, groups: npt.ArrayLike, clusters: npt.ArrayLike, weights: npt.ArrayLike | None
) -> Sequence[tuple[Floats, int]]:
    """Return for each look the parts of clusters, (k, clusters of all items), in the means, and how many are asked.

    The parts of clusters that are not asked yet are 0.
    """
    group, cluster = (
        labels(name, of, size=table.shape[1]) for name, of in (("groups", groups), ("clusters", clusters))
    )
    found = []
    for look in range(looks.last + 1):
        asked = looks.of_item <= look
        places, parts = np.unique(cluster[asked]), np.zeros((len(table), int(cluster.max()) + 1))
        if places.size:
            shares = None if weights is None else np.asarray(weights, np.float64)[np.unique(group[asked])]
            parts[:, places] = cluster_parts(table[:, asked], group[asked], cluster[asked], shares)
        found.append((parts, places.size))
    return found


def _at_looks(
    of_looks: Sequence[tuple[Floats, int]], errors: Floats, pairs: tuple[Ints, Ints], seed: int, draws: int
) -> tuple[Floats, Floats]:
    """Return the sums of contestants' parts in the same flips at each look, (looks, k, flips), and norms of pairs.

    The norms are (looks, pairs).
    of_looks: as `_parts_at_looks`. errors: (k,) standard errors that no item shows, times the same normal numbers at
    all looks. A norm is 0 if a pair is the same on every item, and at looks of too few clusters.
    """
    (first, second), k = pairs, len(errors)
    stacked = np.concatenate([parts for parts, _ in of_looks])
    sums = _flipped(stacked, np.zeros(len(stacked)), seed, draws).reshape(len(of_looks), k, -1)
    if errors.any():
        noise = np.random.default_rng([seed, k]).standard_normal((k, sums.shape[2] - 1))
        sums[:, :, 1:] += errors[:, np.newaxis] * noise
    norms = np.zeros((len(of_looks), first.size))
    for look, (parts, n) in enumerate(of_looks):
        if n >= LEAST_CLUSTERS:
            seen = np.square(_norms(parts, first, second))
            norms[look] = np.sqrt(seen + np.square(errors[first]) + np.square(errors[second])) * (seen > 0)
    return sums, norms


def _crossed(
    sums: Floats, norms: Floats, pairs: tuple[Ints, Ints], looks: Looks, statistic: Floats
) -> tuple[Bools, Bools, float | None]:
    """Return the same as `step_down` from the boundaries of the last look of `sums`, of all pairs and of each alone."""
    (first, second), shares = pairs, looks.shares[: len(sums)]
    per_norm = np.divide(1, norms, out=np.zeros(norms.shape), where=norms > 0)
    maxima, own = np.zeros((len(sums), sums.shape[2])), np.empty(first.size)
    for pair, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        of_pair = np.abs(sums[:, one] - sums[:, other]) * per_norm[:, pair, np.newaxis]
        np.maximum(maxima, of_pair, out=maxima)
        own[pair] = boundary(of_pair, shares)[-1]
    of_all = float(boundary(maxima, shares)[-1])
    least = statistic * (1 - _SAME)
    critical = of_all if first.size and np.isfinite(of_all) else None
    return least > of_all, least > np.minimum(own, of_all), critical


def step_down(of_pair: OfPair, draws: int, statistic: Floats) -> tuple[Bools, Bools, float | None]:
    """Return which pairs are significant together, which alone, and the critical statistic; None without pairs.

    statistic: (pairs,) of the data. The maxima are cumulative in the order of the statistic, so one pass is enough.
    """
    if not statistic.size:
        return np.zeros(0, np.bool_), np.zeros(0, np.bool_), None
    least = statistic * (1 - _SAME)
    together, alone = np.ones((2, statistic.size), np.bool_)
    allowed = int(ERROR * draws)
    order = np.argsort(statistic, kind="stable")
    greatest, own = np.zeros(draws), np.empty(draws)
    decides, n_below = greatest, 0  # over the pairs up to the strongest that is not significant, or the weakest of all
    for place, pair in enumerate(order.tolist()):
        of_pair(pair, own)
        np.maximum(greatest, own, out=greatest)
        if np.count_nonzero(greatest >= least[pair]) > allowed:
            n_below, alone[pair] = place + 1, np.count_nonzero(own >= least[pair]) <= allowed
        if place in (0, n_below - 1):
            decides = greatest.copy()
    together[order[:n_below]] = False
    reached = np.partition(decides, -allowed - 1)[-allowed - 1]
    above = [*decides[decides > reached * (1 + _SAME)], *statistic[together]]
    return together, alone, float((reached + min(above, default=reached)) / 2)


@dataclass(frozen=True, slots=True)
class RankIntervals:
    """Ranks of contestants in their order; 1 is best, and low <= rank <= high.

    best_set: the places of the possible leaders, than which no other scores significantly more.
    ties: the group of each, from 1 at the top; its members are not significantly worse than its first.
    """

    rank: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    best_set: tuple[int, ...]
    ties: tuple[int, ...]


def ranks_of(values: npt.ArrayLike, better: Bools) -> RankIntervals:
    """Return the rank of each contestant, with its range under significant differences.

    values: (k,) scores. better: (k, k) as in `Comparisons`. A range is from 1 + the number of significantly better
    contestants to k - the number of significantly worse ones. Scores equal to six decimals share rank, range and group
    of ties; such a set is better than another if each of its members is better than each of the other's.
    Source: Mogstad et al. (2024), Inference for ranks; the groups of ties are ours.
    """
    scores = np.round(finite("values", values, ndim=1), TIE_DECIMALS)
    _, place, n_equal = np.unique(-scores, return_inverse=True, return_counts=True)
    beats = better & (scores[:, np.newaxis] > scores)
    of_score = np.zeros((n_equal.size, n_equal.size), np.int64)
    np.add.at(of_score, (place[:, np.newaxis], place), beats)
    wins = of_score == np.outer(n_equal, n_equal)
    rank = 1 + np.cumsum(n_equal) - n_equal
    low = 1 + (wins * n_equal[:, np.newaxis]).sum(axis=0)
    high = scores.size - (wins * n_equal).sum(axis=1)
    best = np.flatnonzero(low[place] == 1)
    return RankIntervals(
        *(tuple(each.tolist()) for each in (rank[place], low[place], high[place], best, _ties(wins)[place]))
    )


def _ties(wins: Bools) -> Ints:
    """Return the group of each score, best first. A score joins unless the group's first is significantly better."""
    group, first = np.ones(len(wins), np.int64), 0
    for place in range(1, len(wins)):
        if wins[first, place]:
            first = place
        group[place] = group[place - 1] + (first == place)
    return group


DRAWS_OF_RANKS = 2_000
"""The number of resamplings behind the shares of ranks: a share is within 2.2 points of that of all resamplings."""


def rank_shares(
    table: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    seed: int,
    *,
    weights: npt.ArrayLike | None = None,
) -> Floats:
    """Return how often each contestant has each rank when clusters are drawn again, (k, k), rows adding up to 1.

    table: (k, items) finite scores. groups, clusters, weights: as `group_mean`.
    Clusters are drawn as in `resampled_means`. Equal scores share the best of their ranks. A share is no probability of
    being best: draws from these items are no other items.
    Source: as `resampled_means`.
    """
    lost = -np.round(resampled_means(table, groups, clusters, seed, weights=weights), TIE_DECIMALS)
    k, order = len(lost), np.argsort(lost, axis=0)
    lower = np.diff(np.take_along_axis(lost, order, axis=0), axis=0, prepend=-np.inf) > 0
    rank = np.maximum.accumulate(np.where(lower, np.arange(k)[:, np.newaxis], 0), axis=0)
    shares: Floats = np.bincount((k * order + rank).ravel(), minlength=k * k).reshape(k, k) / DRAWS_OF_RANKS
    return shares


def resampled_means(
    table: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    seed: int,
    *,
    weights: npt.ArrayLike | None = None,
) -> Floats:
    """Return the mean of each row when clusters are drawn again, (k, draws).

    table: (k, items) finite. groups, clusters, weights: as `group_mean`.
    In each group of n clusters, n are drawn with replacement, the same for all rows. The change of the group's mean is
    multiplied by sqrt(n / (n - 1)), so that it varies as much as the standard error says.
    Source: bootstrap of whole clusters, Field & Welsh (2007), Bootstrapping clustered data; the factor from Rao & Wu
    (1988), Resampling inference with complex survey data.
    """
    rows = finite("table", table, ndim=2)
    group, cluster = (labels(name, of, size=rows.shape[1]) for name, of in (("groups", groups), ("clusters", clusters)))
    rng, total = np.random.default_rng(seed), np.zeros((len(rows), DRAWS_OF_RANKS))
    for name, share in enumerate(group_shares(weights, int(group.max()) + 1).tolist()):
        chosen = group == name
        _, place = np.unique(cluster[chosen], return_inverse=True)
        sizes = np.bincount(place)
        sums = np.stack([np.bincount(place, row, sizes.size) for row in rows[:, chosen]])
        mean = sums.sum(axis=1, keepdims=True) / sizes.sum()
        factor = sqrt(sizes.size / max(sizes.size - 1, 1))
        for draws in np.array_split(total, max(1, sizes.size * DRAWS_OF_RANKS // _CELLS), axis=1):
            n = draws.shape[1]
            places = rng.integers(sizes.size, size=(n, sizes.size)) + sizes.size * np.arange(n)[:, np.newaxis]
            drawn = np.bincount(places.ravel(), minlength=places.size).reshape(places.shape).T
            draws[:] += share * (mean + factor * (sums @ drawn / (sizes @ drawn) - mean))
    return total

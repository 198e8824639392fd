"""Contestants on the same items in order: who is better beyond doubt, the ranks that leaves open, who cannot be told
apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints, finite, level_tails
from nullbench_site.stats.estimate import ERROR, LEVEL, Means, interval, means, satterthwaite, unsure
from nullbench_site.stats.student import quantile, two_sided_p

TIE_DECIMALS = 6
"""Scores that differ by less than a millionth of a point are equal: that is arithmetic, not skill."""
_LEAST_DRAWN, _CLUSTERS_PER_CONTESTANT = 30, 5
"""Of fewer clusters the covariance of contestants is not known well enough for a bootstrap: measured in
benchmarks/coverage.py, 8 contestants on 6 items took one for better by chance on 14 boards of 100."""
_PAIR_DRAWS = 20_000_000
"""Pairs times draws of one bootstrap at most; Holm's level, which needs no draws, is close where pairs are so many."""
_CELLS, _MOST_DRAWS = 4_000_000, 100_000
"""Numbers of an array, and draws of a bootstrap, where more are as good as free."""
_SCALE = (0.0, 100.0)
"""Of scores that are held against the best."""
_CACHED_CELLS = 1 << 15
"""Numbers of an array that the processor's cache holds."""


@dataclass(frozen=True, slots=True)
class RankIntervals:
    """Ranks of contestants in their order; 1 is best, and low <= rank <= high.

    best_set: the places of those whom nobody beats significantly. ties: group of each, from 1 at the top; its members
    cannot be told from its first. alpha: the level at which a difference of two has to be significant on its own, so
    that of all differences together one is found by chance in 5 of 100 such boards. reason: why nothing but ranks is
    there; low, high, best_set and ties are then empty, and alpha None.
    """

    rank: tuple[int, ...]
    low: tuple[int, ...] = ()
    high: tuple[int, ...] = ()
    best_set: tuple[int, ...] = ()
    ties: tuple[int, ...] = ()
    alpha: float | None = None
    reason: str | None = None


def ranks_of(
    averages: Means, seed: int, *, resamples: int = 2000, values: npt.ArrayLike | None = None
) -> RankIntervals:
    """The rank of each contestant with the range that significant differences leave it.

    averages: of finite scores on the same items, higher is better. values: (contestants,) in the place of the means,
    where a board rounds on its way to them.
    A range runs from 1 + the number of those significantly better to n - the number of those significantly worse. Each
    difference is tested as a `paired_difference` is, |d| / SE against Student's t, at a level at which all differences
    together keep 5 %. With 30 clusters or more, and five a contestant, that is by max |t|: in each of `resamples`
    draws, or more where contestants are few, what each cluster adds to the error of a mean is multiplied by a normal
    number, the same for all contestants, and the greatest |d*| / SE over pairs is noted; its 95 % quantile c gives the
    level P(|Z| > c), at least Holm's. (That is what drawing clusters with replacement within their groups comes to,
    n/(n - 1) in each group, without its ties and at a cost that does not grow with the items.) With fewer it is Holm's.
    Both step down: what is significant leaves the rest a higher level, and the last of them judges every pair alike.
    Scores equal to six decimals share rank, range and group of ties: one is better than another then if everyone of its
    score is better than everyone of the other's.
    ValueError for a value that is not finite.
    Source: the ranges as in Mogstad et al. (2024), Inference for ranks; the level from Romano & Wolf (2005), Exact and
    approximate stepdown methods for multiple hypothesis testing, and Holm (1979), A simple sequentially rejective
    multiple test procedure; the draws from Chernozhukov, Chetverikov & Kato (2013), Gaussian approximations and
    multiplier bootstrap for maxima of sums of high-dimensional random vectors. What is few, and groups of ties, are
    decisions of ours.
    """
    scores = np.round(averages.value if values is None else finite("values", values, ndim=1), TIE_DECIMALS)
    _, place, n_equal = np.unique(-scores, return_inverse=True, return_counts=True)
    better = np.cumsum(n_equal) - n_equal
    rank = _tuple(1 + better[place])
    se = None if np.isnan(averages.se[0]) else float(averages.se[0])
    if (why := unsure(se, int(averages.clusters[0]))) is not None:
        return RankIntervals(rank, reason=why)
    pairs = _pairs(averages)
    alpha, significant = _step_down(averages, pairs, seed, resamples)
    beats = np.zeros((scores.size, scores.size), np.bool_)
    beats[pairs.first[significant], pairs.second[significant]] = True
    beats = (beats | beats.T) & (scores[:, np.newaxis] > scores)
    # Of two scores, whether all of the one are better than all of the other.
    of_score = np.zeros((n_equal.size, n_equal.size), np.int64)
    np.add.at(of_score, (place[:, np.newaxis], place), beats)
    wins = of_score == np.outer(n_equal, n_equal)
    low = 1 + (wins * n_equal[:, np.newaxis]).sum(axis=0)
    high = scores.size - (wins * n_equal).sum(axis=1)
    return RankIntervals(
        rank,
        _tuple(low[place]),
        _tuple(high[place]),
        _tuple(np.flatnonzero(low[place] == 1)),
        _tuple(_ties(wins)[place]),
        alpha,
    )


@dataclass(frozen=True, slots=True)
class OverBest:
    """95 % intervals, in the unit of the scores: of how much more each contestant scores than the best of some, (k,),
    and of the score of that best. reason: why there are none; they are NaN then."""

    low: Floats
    high: Floats
    best_low: float
    best_high: float
    reason: str | None = None


def over_best(
    matrix: npt.ArrayLike,
    some: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    seed: int,
    *,
    resamples: int = 2000,
    weights: npt.ArrayLike | None = None,
    reach: Floats | None = None,
) -> OverBest:
    """How much more each contestant scores than the best of `some`, (s,) places of rows.

    matrix: (k, items) finite scores, 0-100, higher is better. groups, clusters, weights: as `group_mean`. reach: (k,)
    how far the interval of each reaches at least, as `Means.beyond`.

    The best is chosen anew in every bootstrap board, on the items that the contestant is scored on: the maximum of
    many is higher than the best of them is, and a bound that took one of them for given would not know. Quantiles of
    x* - max(y*), deviations widened by t over z for the degrees of freedom of x - y, y the best as observed. Where
    x - y is one and the same on every item the ends are those of `estimate.interval`.
    A bootstrap moves nothing that scores the same on every item, and too little near an end of the scale. So no lower
    end is above that of `square_and_add` against any of `some`, from the intervals of both: who is above the best is
    above each. For the same reason the interval of the best holds that of the best as observed, and reaches as high as
    that of any of `some`.
    Measured in benchmarks/coverage.py: without it a contestant of the best's skill was above it on up to 96 boards of
    100 where that best had scored nothing by chance.
    Source: percentiles of a paired bootstrap, Efron & Tibshirani (1993), An Introduction to the Bootstrap, clusters
    drawn as in `ranks_of`; that all tests of a union have to succeed, each at full level, from Berger (1982),
    Multiparameter hypothesis testing and acceptance sampling; the widening is ours.
    """
    table, chosen = finite("matrix", matrix, ndim=2), np.asarray(some, np.int64)
    averages = means(table, groups, clusters, weights=weights)
    nothing = np.full(len(table), np.nan)
    se = None if np.isnan(averages.se[0]) else float(averages.se[0])
    if (why := unsure(se, int(averages.clusters[0]))) is not None:
        return OverBest(nothing, nothing, np.nan, np.nan, why)
    best = chosen[np.argmax(averages.value[chosen])]
    apart = means(table - table[best], groups, clusters, weights=weights)
    df = np.where(apart.se > 0, apart.df, averages.df[best])
    wider = quantile(LEVEL, df) / NormalDist().inv_cdf((1 + LEVEL) / 2)
    moved = cluster_bootstrap(averages, seed, resamples)
    low, high = nothing.copy(), nothing.copy()
    tails = level_tails(LEVEL)
    for place, factor in enumerate(wider.tolist()):
        greatest = (averages.value[chosen] + factor * moved[:, chosen]).max(axis=1)
        if place == best:
            best_low, best_high = np.quantile(greatest, tails)
        low[place], high[place] = np.quantile(averages.value[place] + factor * moved[:, place] - greatest, tails)
    still = ~(apart.se > 0)
    ends = interval(apart.value, apart.se, apart.df, apart.clusters, (-_SCALE[1], _SCALE[1]))
    low[still], high[still] = ends[0][still], ends[1][still]
    own_low, own_high = interval(averages.value, averages.se, averages.wilson_df, averages.clusters, _SCALE)
    if reach is not None:
        own_low, own_high = np.minimum(own_low, averages.value - reach), np.maximum(own_high, averages.value + reach)
    best_low, best_high = min(best_low, own_low[best]), max(best_high, own_high[chosen].max())
    errors = np.outer(averages.se, averages.se[chosen])
    with np.errstate(invalid="ignore"):
        correlation = np.where(errors > 0, averages.influence @ averages.influence[chosen].T / errors, 0.0)
    of_each = square_and_add(
        averages.value[:, np.newaxis] - averages.value[chosen],
        (averages.value - own_low)[:, np.newaxis],
        own_high[chosen] - averages.value[chosen],
        correlation,
    )
    return OverBest(np.minimum(low, of_each.min(axis=1)), high, float(best_low), float(best_high))


def square_and_add(apart: Floats, below: Floats, above: Floats, correlation: Floats) -> Floats:
    """The lower end of the interval of a difference x - y, from the intervals of x and of y.

    apart: x - y. below: how far the interval of x reaches below x. above: how far that of y reaches above y.
    correlation: r of the errors of both. (x - y) - sqrt(below^2 + above^2 - 2 r below above); where both intervals are
    value -+ t SE it is that of the paired difference, and where they keep to a scale it does, too.
    Source: Newcombe (1998), Improved confidence intervals for the difference between binomial proportions based on
    paired data, method 10; for other intervals Zou & Donner (2008), Construction of confidence limits about effect
    measures.
    """
    # Never below 0 but for rounding.
    squared: Floats = np.square(below) + np.square(above) - 2 * correlation * below * above
    return apart - np.sqrt(np.maximum(squared, 0.0))


def _ties(wins: Bools) -> Ints:
    """The group of each score, best first: one joins while the first of the group is not significantly better."""
    group, first = np.ones(len(wins), np.int64), 0
    for place in range(1, len(wins)):
        if wins[first, place]:
            first = place
        group[place] = group[place - 1] + (first == place)
    return group


@dataclass(frozen=True)
class _Pairs:
    """Every two contestants that differ on some item: their places, |difference| / SE, the SE and its df.

    of_signs: where the difference is one and the same on every item, SE 0, the p-value in the place of t's: all C
    clusters have one sign, 2^(1-C). NaN elsewhere.
    """

    first: Ints
    second: Ints
    t: Floats
    se: Floats
    df: Floats
    of_signs: Floats


def _pairs(averages: Means) -> _Pairs:
    k, size = averages.influence.shape
    first, second = np.triu_indices(k, 1)
    variance, df = np.empty(first.size), np.empty(first.size)
    at_a_time = max(1, _CACHED_CELLS // size)  # of all pairs at once the clusters would not fit into memory
    for start in range(0, first.size, at_a_time):
        these = slice(start, start + at_a_time)
        apart = averages.influence[second[these]] - averages.influence[first[these]]
        of_blocks = np.add.reduceat(np.square(apart), averages.block_starts, axis=1)
        variance[these], df[these] = of_blocks.sum(axis=1), satterthwaite(of_blocks, averages.block_df[second[these]])
    apart_by = np.abs(averages.value[first] - averages.value[second])
    differ = (variance > 0) | (np.round(apart_by, TIE_DECIMALS) > 0)
    first, second, apart_by, variance = first[differ], second[differ], apart_by[differ], variance[differ]
    spread = variance > 0
    se = np.where(spread, np.sqrt(variance), np.inf)
    of_signs = np.where(spread, np.nan, 2.0 ** (1 - int(averages.clusters[0])))
    return _Pairs(first, second, apart_by / se, se, df[differ], of_signs)


def _step_down(averages: Means, pairs: _Pairs, seed: int, resamples: int) -> tuple[float, Bools]:
    """The level of one test at which all of `pairs` together keep 5 %, and which of them are significant at it.

    Step by step: the level of those that are not significant yet, which is higher the fewer they are, until no other
    pair becomes significant. In each step Holm's, 5 % over their number; where clusters are many, by max |t|.
    """
    significant = np.zeros(pairs.t.size, np.bool_)
    k, size = averages.influence.shape
    drawn = None
    if size >= max(_LEAST_DRAWN, _CLUSTERS_PER_CONTESTANT * k) and 0 < significant.size * resamples <= _PAIR_DRAWS:
        # Few contestants can have many draws, so that hardly a pair hangs on the seed.
        cheap = min(_MOST_DRAWS, _CELLS // significant.size)
        drawn = _moved(averages, seed, max(resamples, cheap))
    while True:
        left = np.flatnonzero(~significant)
        alpha = ERROR / max(left.size, 1)
        if drawn is not None and left.size > 1:
            greatest = _greatest(drawn, pairs, left)
            critical = float(np.quantile(greatest, LEVEL, method="higher"))
            alpha = min(max(alpha, 2 * NormalDist().cdf(-critical)), ERROR)
        more = left[_below(alpha, pairs.t[left], pairs.df[left]) | (pairs.of_signs[left] < alpha)]
        if not more.size:
            return alpha, significant
        significant[more] = True


def cluster_bootstrap(averages: Means, seed: int, resamples: int) -> Floats:
    """(resamples, k) how far the mean of each contestant moves where clusters are drawn anew within their groups.

    From a group of n clusters n are drawn with replacement; it keeps its n/(n - 1), which is in their influence.
    Source: Rao & Wu (1988), Resampling inference with complex survey data; Field & Welsh (2007), Bootstrapping
    clustered data.
    """
    rng, size = np.random.default_rng(seed), averages.influence.shape[1]
    of_block = np.diff(averages.block_starts, append=size)
    starts, sizes = np.repeat(averages.block_starts, of_block), np.repeat(of_block, of_block).astype(np.float64)
    rows = max(1, min(resamples, _CACHED_CELLS // size))
    places = starts + np.arange(rows)[:, np.newaxis] * size
    # Each filled again and again: memory that is new to a process costs more than the numbers that go there.
    uniform, drawn, times = np.empty(places.shape), np.empty_like(places), np.empty(places.shape)
    moved = np.empty((resamples, len(averages.influence)))
    for start in range(0, resamples, rows):
        n = min(rows, resamples - start)
        rng.random(out=uniform[:n])
        np.multiply(uniform[:n], sizes, out=drawn[:n], casting="unsafe")
        drawn[:n] += places[:n]
        times.fill(-1.0)
        np.add.at(times.reshape(-1), drawn[:n].reshape(-1), 1.0)
        np.matmul(times[:n], averages.influence.T, out=moved[start : start + n])
    return moved


def _moved(averages: Means, seed: int, resamples: int) -> Floats:
    """(k, resamples) what each cluster adds to the errors of means, times a normal number of its own, added up."""
    covariance = averages.influence @ averages.influence.T
    if not covariance.any():  # each contestant has one score throughout
        return np.zeros((len(covariance), resamples))
    # Contestants that are alike leave it without an inverse.
    covariance[np.diag_indices(len(covariance))] += 1e-12 * np.trace(covariance)
    moved: Floats = np.linalg.cholesky(covariance) @ _normal(seed, len(covariance), resamples)
    return moved


@lru_cache(maxsize=1)
def _normal(seed: int, k: int, resamples: int) -> Floats:
    """(k, resamples) normal numbers, the same for every part of a board with as many contestants."""
    return np.random.default_rng(seed).standard_normal((k, resamples))


def _greatest(drawn: Floats, pairs: _Pairs, left: Ints) -> Floats:
    """(resamples,) the greatest |t| over the pairs `left` in each. drawn: (k, resamples)."""
    per_se = np.zeros((len(drawn), len(drawn)))
    per_se[pairs.first[left], pairs.second[left]] = 1 / pairs.se[left]
    greatest, room = np.zeros(drawn.shape[1]), np.empty(drawn.shape)
    for place in range(len(drawn) - 1):
        apart = np.subtract(drawn[place + 1 :], drawn[place], out=room[place + 1 :])
        np.abs(apart, out=apart)
        apart *= per_se[place, place + 1 :, np.newaxis]
        np.maximum(greatest, apart.max(axis=0), out=greatest)
    return greatest


def _below(alpha: float, t: Floats, df: Floats) -> Bools:
    """Whether the p-value of each is below `alpha`."""
    below = np.zeros(t.shape, np.bool_)
    if t.size:
        # Most are far from the borders between which degrees of freedom matter.
        sure, at_least = quantile(1 - alpha, np.array([df.min(), df.max()]))
        below[t > sure] = True
        near = (t > at_least) & (t <= sure)
        below[near] = two_sided_p(t[near], df[near]) < alpha
    return below


def _tuple(numbers: Ints) -> tuple[int, ...]:
    return tuple(numbers.tolist())

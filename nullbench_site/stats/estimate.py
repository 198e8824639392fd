"""The mean of a slice of a board with its error and interval, for one contestant and for the difference of two.

Items made from one source rise and fall together, so clusters of items are independent, not items. The value of a slice
is the mean over its groups of the mean of each group's items. Its error follows from the clusters of every group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtr, stdtrit

from nullbench_site.stats.arrays import Bools, Floats, Ints, finite, labels
from nullbench_site.stats.measure import LEAST_CLUSTERS, Bounded


def two_sided_p(t: npt.ArrayLike, df: npt.ArrayLike) -> Floats:
    """Return P(|T| >= |t|) of Student's t with `df` > 0 degrees of freedom, element by element."""
    return np.asarray(2 * stdtr(df, -np.abs(np.asarray(t, np.float64))), np.float64)


def quantile(level: float, df: npt.ArrayLike) -> Floats:
    """Return the t >= 0 with P(|T| <= t) = `level` for `df` > 0 degrees of freedom, element by element.

    level: 0 < level < 1. For 0.95, df = 10 gives 2.228 and an infinite df gives 1.96, as the normal distribution does.
    """
    degrees = np.asarray(df, np.float64)
    upper = (1 + level) / 2
    return np.asarray(np.where(np.isinf(degrees), ndtri(upper), stdtrit(degrees, upper)), np.float64)


ERROR = 0.05
"""The chance of an error: of an interval, and of all comparisons of a slice together."""
LEVEL = 1 - ERROR
SAME = "the same on every item"
NO_ITEM = "no item with a score"
ONE_CLUSTER = "too few: no group has items of two clusters"
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
_Z_ONE_SIDED = NormalDist().inv_cdf(LEVEL)
_UNSEEN, _UNSEEN_OF_MANY, _MOST_UNSEEN = 0.6, 0.3, 0.08
"""The share of boards that show none of the unseen items that an interval allows for; that of scores with many
clusters; and the largest share of unseen items for the latter.
"""
_FARTHER = 12
"""The largest distance of unseen items from the mean, in distances of the farthest cluster."""
UNSEEN_FARTHEST = -np.log(_UNSEEN) * _FARTHER
"""The most that unseen items may move a mean, in multiples of the farthest cluster's part of its error."""
_DUST = 1e-11
"""A sum of residuals below this share of the largest value is a rounding error of 0."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, in the unit of the values. Every number except the counts is None if undefined.

    se: its standard error, with `df` degrees of freedom. low, high: the ends of its 95 % interval.
    n: the number of items with a value. clusters: the number of their clusters.
    reason: why a number is missing, or why the interval is unreliable; None otherwise.
    """

    value: float | None
    se: float | None
    df: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    reason: str | None = None

    @property
    def p(self) -> float | None:
        """Return the two-sided p-value of a difference of 0, or None; `reason` says why.

        It is that of |value| / SE by Student's t. If the difference is the same on every item, SE is 0 and all clusters
        have one sign: p = 2^(1 - clusters).
        Source: Student (1908); Fisher (1935), The design of experiments, for the signs.
        """
        if self.value is None or self.se is None or self.df is None or self.reason is not None:
            return None
        return float(two_sided_p(self.value / self.se, self.df)) if self.se else 2.0 ** (1 - self.clusters)

    @property
    def bounded(self) -> Bounded:
        """Return the mean with its interval, without one if that is unreliable."""
        return Bounded(self.value, reason=self.reason) if self.reason else Bounded(self.value, self.low, self.high)


@dataclass(frozen=True)
class Means:
    """The means of many contestants on the same items, with the parts of their errors.

    value, se, df: (k,), NaN if undefined. wilson_df: (k,) degrees of freedom of intervals within a scale, as in
    `means`. n, clusters: (k,).
    influence: (k, clusters) the part of each cluster in the error of the mean; se^2 is the sum of their squares.
    skew: (k,) in the unit of the values: the sum of the cubes of the influence over se^2, 0 if se is 0.
    farthest: (k,) in the unit of the values: the largest absolute influence.
    block_starts: the first cluster of each block. A block is a group, or several groups linked by a cluster; blocks are
    independent.
    block_df: (k, blocks) degrees of freedom of the variance of each block, NaN if a block has none of its own.
    """

    value: Floats
    se: Floats
    df: Floats
    wilson_df: Floats
    n: Ints
    clusters: Ints
    influence: Floats
    skew: Floats
    farthest: Floats
    block_starts: Ints
    block_df: Floats

    @property
    def t(self) -> Floats:
        """Return the half width of an interval within a scale, (k,) in standard errors, before it is widened."""
        return _t(self.wilson_df)

    def unseen(self, reach: Floats) -> Floats:
        """Return the standard errors, (k,), of intervals of half width `reach`; 0 if the items show no error."""
        df, errors = np.nansum(self.block_df, axis=1), np.zeros(reach.shape)
        some = (reach > 0) & (df > 0)
        errors[some] = reach[some] / quantile(LEVEL, df[some])
        return errors

    def beyond(self, reach: Floats) -> Means:
        """Return these means with larger errors for those that may be off by more than their items show.

        reach: (k,) the half width of an interval for that, 0 for none. Each becomes a block of its own, with as many
        degrees of freedom as all other blocks together. `wilson_df`, `skew` and `farthest` do not change.
        """
        df, unseen = np.nansum(self.block_df, axis=1), self.unseen(reach)
        some = np.flatnonzero(unseen)
        if not some.size:
            return self
        size = self.influence.shape[1]
        own = np.diag(unseen)[:, some]
        influence = np.hstack([self.influence, own])
        starts = np.concatenate([self.block_starts, size + np.arange(some.size)])
        block_df = np.hstack([self.block_df, np.repeat(df[:, np.newaxis], some.size, axis=1)])
        variance = np.add.reduceat(np.square(influence), starts, axis=1)
        se = np.where(np.isnan(self.se), np.nan, np.sqrt(variance.sum(axis=1)))
        return replace(
            self, se=se, df=satterthwaite(variance, block_df), influence=influence, block_starts=starts,
            block_df=block_df,
        )  # fmt: skip


def group_mean(
    values: npt.ArrayLike,
    groups: npt.ArrayLike | None,
    clusters: npt.ArrayLike | None,
    *,
    scale: tuple[float, float] | None = None,
    weights: npt.ArrayLike | None = None,
) -> Estimate:
    """Return the mean over groups of the mean of each, with its clustered error and an interval within the scale.

    values: (n,) NaN for a missing answer. groups, clusters: (n,) integers; None for one group, and for clusters of one
    item. weights: (groups,) > 0, in the order of the group labels, if a board weighs its groups; groups without an item
    are ignored.
    Error and degrees of freedom as in `means`; the interval as in `interval`. With fewer than 6 clusters the interval
    is present and `reason` says "too few".
    ValueError for values outside the scale.
    """
    table = np.asarray(values, dtype=np.float64)
    return estimate_of(means(table[np.newaxis], groups, clusters, weights=weights), scale)[0]


def paired_difference(
    ours: npt.ArrayLike,
    theirs: npt.ArrayLike,
    groups: npt.ArrayLike | None,
    clusters: npt.ArrayLike,
    *,
    scale: tuple[float, float] | None = None,
    weights: npt.ArrayLike | None = None,
) -> Estimate:
    """Return how much more one contestant scores than another: the mean of ours - theirs, on the items that both have.

    The difficulty of an item is in both scores and cancels: SE^2 = SE_ours^2 + SE_theirs^2 - 2 cov.
    scale: of the scores; the interval is that of `differences_of`. Without a scale it is value -+ t SE, and there is
    none for an SE of 0.
    Source: Miller (2024), Adding error bars to evals, paired differences.
    """
    ours, theirs = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    averages = means((ours - theirs)[np.newaxis], groups, clusters, weights=weights)
    if scale is not None:
        return differences_of(averages, scale)[0]
    (estimate,) = estimate_of(averages, None)
    if estimate.se != 0:
        return estimate
    return replace(estimate, reason="the same difference on every item" if estimate.value else SAME)


def estimate_of(
    averages: Means, scale: tuple[float, float] | None, values: npt.ArrayLike | None = None
) -> list[Estimate]:
    """Return each mean with its interval. values: (k,) replace the means if a board rounds before it averages."""
    value = averages.value if values is None else np.asarray(values, dtype=np.float64)
    df = averages.df if scale is None else averages.wilson_df
    return _estimates(averages, value, interval(value, averages.se, df, averages.clusters, scale))


def differences_of(averages: Means, scale: tuple[float, float], level: float = LEVEL) -> list[Estimate]:
    """Return the mean differences of two scores with their intervals. scale: of the scores.

    The ends are those of `difference_ends` with t se, t of `wilson_df`. level: of the intervals, below 1. If two
    contestants score the same on every item, there is no interval, and `reason` says so.
    """
    width = scale[1] - scale[0]
    ends = difference_ends(averages, _t(averages.wilson_df, level) * averages.se, width)
    return [
        replace(each, low=None, high=None, reason=SAME)
        if each.value is not None and each.se == 0 and abs(each.value) <= _DUST * width
        else each
        for each in _estimates(averages, averages.value, ends)
    ]


def difference_ends(averages: Means, half: Floats, width: float) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % interval of each difference of two scores on a scale of `width`, NaN without an se.

    half: (k,) t se, half the width of the symmetric interval. It becomes wider twice:

    - at the end to which the differences are skewed, by Hall's skew (2 t^2 + 1)/6;
    - for items unlike those seen, as in `interval`, by sqrt(half^2 + unseen^2). They may be twelve times as far from
      the mean as the farthest cluster, -12 ln(0.6) `farthest`, but not outside -width..width.

    For an se of 0 the ends are those of `interval` on the scale -width..width.
    Chosen by measurement in benchmarks/coverage.py; the second step is ours.
    Source: Hall (1992), On the removal of skewness by transformation, its first order.
    """
    value, se, clusters = averages.value, averages.se, averages.clusters
    moved = averages.skew * (2 * np.square(averages.t) + 1) / 6
    unseen = UNSEEN_FARTHEST * averages.farthest
    with np.errstate(divide="ignore"):
        most = 1 - _UNSEEN ** (1 / clusters)
    below = np.hypot(half + np.maximum(-moved, 0), np.minimum(unseen, most * (width + value)))
    above = np.hypot(half + np.maximum(moved, 0), np.minimum(unseen, most * (width - value)))
    low, high = interval(value, se, averages.wilson_df, clusters, (-width, width))
    low, high = np.where(se > 0, value - below, low), np.where(se > 0, value + above, high)
    return np.maximum(low, -width), np.minimum(high, width)


def _estimates(averages: Means, value: Floats, ends: tuple[Floats, Floats]) -> list[Estimate]:
    columns = [column.tolist() for column in (value, averages.se, averages.df, *ends, averages.n, averages.clusters)]
    estimates = []
    for *numbers, n, clusters in zip(*columns, strict=True):
        mean, se, of_freedom, least, most = (None if isnan(number) else number for number in numbers)
        estimates.append(Estimate(mean, se, of_freedom, least, most, n, clusters, _reason(mean, se, least, clusters)))
    return estimates


def _reason(value: float | None, se: float | None, low: float | None, clusters: int) -> str | None:
    if value is None:
        return NO_ITEM
    return "the same value on every item" if se is not None and low is None else unsure(se, clusters)


def unsure(se: float | None, clusters: int) -> str | None:
    """Return why the error of a mean is unknown or unreliable, or None."""
    if se is None:
        return ONE_CLUSTER
    if clusters >= LEAST_CLUSTERS:
        return None
    return f"too few: {clusters} clusters of items, and an interval needs {LEAST_CLUSTERS}"


def interval(
    value: Floats,
    se: Floats,
    df: Floats,
    clusters: Ints,
    scale: tuple[float, float] | None,
) -> tuple[Floats, Floats]:
    """Return the ends of the 95 % interval of each mean, NaN if there is none. All arguments are (k,), as in `Means`.

    Without a scale: value -+ t se, t of df; none for an se of 0. Within a scale, let p and s be the mean and its error
    on 0..1, C the clusters and n = C/(C-1) p (1-p) / s^2 the effective number of answers. Each end is the outer one of

    - Wilson's, with t: (p + D/2 -+ sqrt(D p (1-p) + D^2/4)) / (1 + D), D = t^2 s^2 / (p (1-p));
    - Byar's limit of a count k = p n, p (1 - 1/(9k) - z sqrt((1-p)/(9k)))^3, and its mirror image. Near an end of the
      scale an interval misses on one side only, so that side has the whole 5 %: z = 1.645.

    Items unlike those seen may score at either end of the scale. Six boards of ten show none of a share u of items, (1
    - u)^C = 0.6, and three none of a share with 0.3, of which up to 8 % is taken if that is more. So the ends become
    p - sqrt((p - low)^2 + (u p)^2) and p + sqrt((high - p)^2 + (u (1-p))^2).
    An s of 0 is not certainty: the ends are p (1 - q) and p + q (1-p), q = z^2 / (C + z^2), z = 1.96, Wilson's limit
    for 0 of C. If p is not at an end of the scale, the groups may differ, and (C + df + 1)/2 replaces C.
    Chosen by measurement in benchmarks/coverage.py; the combination is ours.
    Source: Wilson (1927), Probable inference; effective numbers as Korn & Graubard (1998), Confidence intervals for
    proportions with small expected number of positive counts; Byar's limit from Breslow & Day (1987), Statistical
    methods in cancer research II, 2.3, with the variance 1-p of a share.
    """
    there, t = ~np.isnan(se) & ~np.isnan(value), _t(df)
    if scale is None:
        half = np.where(se > 0, t * se, np.nan)
        return value - half, value + half
    lowest, highest = scale
    width = highest - lowest
    p, s = (value - lowest) / width, se / width
    if (there & ((p < -_DUST) | (p > 1 + _DUST))).any():
        raise ValueError(f"values must lie within the scale {lowest:g} to {highest:g}")
    p = np.clip(p, 0, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        d = np.square(t * s) / (p * (1 - p))
        centre, half = (p + d / 2) / (1 + d), np.sqrt(d * p * (1 - p) + d * d / 4) / (1 + d)
        n = clusters / (clusters - 1) * p * (1 - p) / np.square(s)
        low, high = np.fmin(centre - half, _byar(p, n)), np.fmax(centre + half, 1 - _byar(1 - p, n))
        few, many = (1 - share ** (1 / clusters) for share in (_UNSEEN, _UNSEEN_OF_MANY))
        unseen = np.maximum(few, np.minimum(many, _MOST_UNSEEN))
        low, high = p - np.hypot(p - low, unseen * p), p + np.hypot(high - p, unseen * (1 - p))
        several = np.where((p == 0) | (p == 1), clusters, (clusters + df + 1) / 2)
        q = np.where(there, _Z**2 / (several + _Z**2), np.nan)
        low, high = np.where(s > 0, low, p * (1 - q)), np.where(s > 0, high, p + q * (1 - p))
    return lowest + width * np.clip(low, 0, 1), lowest + width * np.clip(high, 0, 1)


def _t(df: Floats, level: float = LEVEL) -> Floats:
    """Return Student's quantile of an interval, NaN without degrees of freedom."""
    t, there = np.full(df.shape, np.nan), df > 0
    t[there] = quantile(level, df[there])
    return t


def _byar(p: Floats, n: Floats) -> Floats:
    """Return the lower limit of a share p > 0 of n answers, with all 5 % on one side."""
    k = p * n
    limit: Floats = p * np.maximum(1 - 1 / (9 * k) - _Z_ONE_SIDED * np.sqrt((1 - p) / (9 * k)), 0) ** 3
    return limit


def means(
    table: npt.ArrayLike,
    groups: npt.ArrayLike | None,
    clusters: npt.ArrayLike | None,
    *,
    weights: npt.ArrayLike | None = None,
) -> Means:
    """Return the mean over groups of group means of each row, with its error.

    table: (k, n) NaN for a missing answer. groups, clusters, weights: as `group_mean`.
    Let r_i be an item's residual from its group's mean in the row, and n_cg the clusters in group g. The variance of a
    group's mean is v_g = n_cg/(n_cg - 1) sum_c (sum of r_i in c)^2 / n_g^2. Then se^2 = sum_g w_g^2 v_g, w_g = 1/G
    without weights, and df = (sum_g w_g^2 v_g)^2 / sum_g((w_g^2 v_g)^2 / (n_cg - 1)).
    A group of a single cluster shows no spread. It takes the pooled variance of a cluster's mean in the other groups,
    sum_g (n_cg - 1) n_cg v_g / sum_g (n_cg - 1). If there are no other groups, the error is NaN.
    A cluster with items in several groups moves them together: its parts are added before they are squared, which
    counts their covariance. Groups linked by clusters have the degrees of freedom of the smallest of them, a lower
    bound.
    Intervals within a scale take unbiased degrees of freedom, at most those of all groups together. By the first
    formula, groups of two clusters have three times too few, and 95 % intervals cover 99 %.
    Source: Miller (2024), Adding error bars to evals, clustered standard errors; the factor, which Miller leaves out,
    from Cameron & Miller (2015), A practitioner's guide to cluster-robust inference, by stratum as in Cochran (1977),
    Sampling techniques, 5.3; degrees of freedom from Satterthwaite (1946), An approximate distribution of estimates of
    variance components.
    """
    rows = np.asarray(table, dtype=np.float64)
    n_items = rows.shape[1]
    group = labels("groups", np.zeros(n_items, np.int64) if groups is None else groups, size=n_items)
    cluster = labels("clusters", np.arange(n_items) if clusters is None else clusters, size=n_items)
    share_of = np.ones(int(group.max(initial=-1)) + 1) if weights is None else finite("weights", weights, ndim=1)
    known = ~np.isnan(rows)
    used = np.flatnonzero(known.any(axis=0))
    if not used.size:
        none = np.full(len(rows), np.nan)
        zero, empty = np.zeros(len(rows), np.int64), np.empty((len(rows), 0))
        return Means(none, none, none, none, zero, zero, empty, none, none, np.empty(0, np.int64), empty)
    steps, within = np.diff(group[used]), np.diff(cluster[used])
    if (steps < 0).any() or (within[steps == 0] < 0).any():
        used = used[np.lexsort((cluster[used], group[used]))]
    if not np.array_equal(used, np.arange(rows.shape[1])):
        rows, known = rows[:, used], known[:, used]
        share_of = share_of[np.unique(group[used])]
        group, cluster = (np.unique(of[used], return_inverse=True)[1] for of in (group, cluster))
    at = _layout(group, cluster)
    if known.all():
        known = known[:1]  # results that depend on it alone are equal in every row, so they are computed once
    else:
        rows = np.where(known, rows, 0.0)
    n = np.add.reduceat(known.astype(np.int64), at.items_of_group, axis=1)
    there = np.logical_or.reduceat(known, at.items_of_cell, axis=1)
    m = np.add.reduceat(there.astype(np.int64), at.cells_of_group, axis=1)
    several = m > 1
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.add.reduceat(rows, at.items_of_group, axis=1) / n
        share = np.where(n > 0, share_of, 0.0)
        share /= share.sum(axis=1, keepdims=True)
        pooled = np.where(several, (m - 1) * m, 0) / np.where(several, m - 1, 0).sum(axis=1, keepdims=True)
        alone = np.where(m == 1, np.square(share), 0.0).sum(axis=1, keepdims=True)
        factor = np.where(several, (np.square(share) + alone * pooled) * m / (m - 1), 0.0)
    residual = np.where(known, rows - mean[:, at.group], 0.0)
    if at.items_of_cell.size < at.group.size:
        residual = np.add.reduceat(residual, at.items_of_cell, axis=1)
    residual[np.abs(residual) <= _DUST * np.abs(rows).max(axis=1, keepdims=True)] = 0.0
    factor[np.isnan(factor)] = 0.0
    influence = residual * np.sqrt(factor / np.square(np.maximum(n, 1)))[:, at.group[at.items_of_cell]]
    if at.cells_of_cluster.size < at.order.size:
        influence = np.add.reduceat(influence[:, at.order], at.cells_of_cluster, axis=1)
        there = np.logical_or.reduceat(there[:, at.order], at.cells_of_cluster, axis=1)
    variance = np.add.reduceat(np.square(influence), at.clusters_of_block, axis=1)
    block_df = np.minimum.reduceat(np.where(several, m - 1.0, np.inf)[:, at.groups], at.groups_of_block, axis=1)
    block_df = np.where(np.isinf(block_df), np.nan, block_df)
    size = len(rows)
    of_all, third = variance.sum(axis=1), np.einsum("kc,kc,kc->k", influence, influence, influence)
    return Means(
        value=np.where(known.any(axis=1), np.nansum(share * mean, axis=1), np.nan),
        se=np.where(several.any(axis=1), np.sqrt(of_all), np.nan),
        df=satterthwaite(variance, block_df),
        wilson_df=np.fmin(satterthwaite(variance, block_df, fourth=2), np.nansum(block_df, axis=1)),
        n=np.broadcast_to(known.sum(axis=1), size),
        clusters=np.broadcast_to(there.sum(axis=1), size),
        influence=influence,
        skew=np.divide(third, of_all, out=np.zeros(size), where=of_all > 0),
        farthest=np.abs(influence).max(axis=1),
        block_starts=at.clusters_of_block,
        block_df=np.broadcast_to(block_df, (size, block_df.shape[1])),
    )


@dataclass(frozen=True)
class _Layout:
    """Items sorted by group, then by cluster. A cell is the items of one cluster in one group.

    group: (items,). items_of_cell, items_of_group, cells_of_group: the first place of each.
    order: of cells by block and cluster. cells_of_cluster, clusters_of_block: the first place of each in it.
    groups: by block. groups_of_block: the first place of each block in it.
    """

    group: Ints
    items_of_cell: Ints
    items_of_group: Ints
    cells_of_group: Ints
    order: Ints
    cells_of_cluster: Ints
    clusters_of_block: Ints
    groups: Ints
    groups_of_block: Ints


def _layout(group: Ints, cluster: Ints) -> _Layout:
    """Return the first places of groups, clusters and blocks. group, cluster: (items,)."""
    cells = np.flatnonzero(_begins(group) | _begins(cluster))
    group_of, cluster_of = group[cells], cluster[cells]
    block_of_group, block_of_cluster = linked_blocks(group_of, cluster_of)
    order = np.lexsort((cluster_of, block_of_cluster[cluster_of]))
    of_cluster = np.flatnonzero(_begins(cluster_of[order]))
    groups = np.argsort(block_of_group, kind="stable")
    return _Layout(
        group=group,
        items_of_cell=cells,
        items_of_group=np.flatnonzero(_begins(group)),
        cells_of_group=np.flatnonzero(_begins(group_of)),
        order=order,
        cells_of_cluster=of_cluster,
        clusters_of_block=np.flatnonzero(_begins(block_of_cluster[cluster_of[order][of_cluster]])),
        groups=groups,
        groups_of_block=np.flatnonzero(_begins(block_of_group[groups])),
    )


def _begins(labels_in_runs: Ints) -> Bools:
    """Return whether each place is the first of a run of equal labels."""
    begins = np.ones(labels_in_runs.size, np.bool_)
    np.not_equal(labels_in_runs[1:], labels_in_runs[:-1], out=begins[1:])
    return begins


def satterthwaite(variance: Floats, df: Floats, *, fourth: int = 0) -> Floats:
    """Return the degrees of freedom of a sum of variances, (k,).

    variance, df: (k, blocks), a df of NaN for a block without a variance.
    (sum v)^2 / sum(v^2 / (df + fourth)), or the sum of df if every v is 0. NaN if no block has any.
    fourth: 2 for an unbiased result: the square of an estimated variance is (df + 2) / df times too large.
    Source: Satterthwaite (1946), An approximate distribution of estimates of variance components; the bias from the
    second moment of chi-squared.
    """
    total = variance.sum(axis=1)
    has = ~np.isnan(df)
    # As shares of the sum, because squares of small variances would underflow.
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = np.where(has, np.square(variance / total[:, np.newaxis]) / (df + fourth), 0.0).sum(axis=1)
        of_sum = np.where(total > 0, 1 / squares, np.where(has, df, 0.0).sum(axis=1))
    return np.where(has.any(axis=1), of_sum, np.nan)


def linked_blocks(group_of: Ints, cluster_of: Ints) -> tuple[Ints, Ints]:
    """Return the number of each group's and each cluster's block. Groups that share a cluster are in one block."""
    block_of_group = np.arange(int(group_of.max()) + 1)
    while True:
        block_of_cluster = np.full(int(cluster_of.max()) + 1, block_of_group.size)
        np.minimum.at(block_of_cluster, cluster_of, block_of_group[group_of])
        merged = block_of_group.copy()
        np.minimum.at(merged, group_of, block_of_cluster[cluster_of])
        if np.array_equal(merged, block_of_group):
            numbers = np.unique(block_of_group)
            return np.searchsorted(numbers, block_of_group), np.searchsorted(numbers, block_of_cluster)
        block_of_group = merged

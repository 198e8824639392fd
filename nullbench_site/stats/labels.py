"""Compare a judge with labels, correct its scores by them, and say what more labels would be worth.

A label says how good an answer is. Labels are few, and a judge scores every answer. Answers of one source rise and fall
together, so errors follow from clusters. Every interval is a 95 % interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, finite, labels
from nullbench_site.stats.constructs import jackknifed_correlation
from nullbench_site.stats.estimate import LEVEL, interval, quantile, two_sided_p, unsure
from nullbench_site.stats.measure import Bounded

LEAST_LABELS = 100
"""With fewer labels, an interval of `ppi_mean` may cover far less than it claims."""
FEW_LABELS = f"fewer than {LEAST_LABELS} labels"
LEAST_OF_A_KIND = 10
"""With fewer labels that differ from the most frequent one, the mean of `ppi_mean` is not nearly normal."""
FEW_OF_A_KIND = f"fewer than {LEAST_OF_A_KIND} labels differ from the usual one, so these are the labels alone"
NO_LABEL = "no label"
ONE_KIND = "no right answer, or no wrong answer, has a label"
AT_CHANCE = "no correction is possible, because wrong answers are accepted as often as right ones, or more often"
LEAST_ALT_ITEMS = 30
"""The fewest items of a human in `alt_test`, as its authors recommend for a t test."""


def weighted_mean(
    values: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    clusters: npt.ArrayLike | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
) -> Bounded:
    """Return sum w y / sum w with its interval, such as the share of right answers that a judge accepts.

    values: (n,) within the scale. weights: (n,) > 0, 1 over the probability that an answer was drawn; equal by default.
    clusters: (n,) integers; every answer is one by default.
    se^2 = C/(C-1) sum_c (sum_{i in c} w_i (y_i - mean))^2 / (sum w)^2 over C clusters; the interval is that of
    `estimate.interval`. No value without an answer; no interval with fewer than 6 clusters.
    Raises ValueError for arrays of different lengths, weights <= 0, and values outside the scale.
    Source: Hajek (1971), Comment on an essay by D. Basu; the error by linearisation as in Särndal, Swensson & Wretman
    (1992), Model assisted survey sampling, 5.7.
    """
    y = finite("values", values, ndim=1)
    if not y.size:
        return Bounded.undefined(NO_LABEL)
    w, cluster = _weights(weights, y.size), _clusters(clusters, y.size)
    value = min(scale[1], max(scale[0], float(w @ y / w.sum())))
    n = int(cluster.max()) + 1
    if why := unsure(0.0, n):
        return Bounded(value, reason=why)
    sums = np.bincount(cluster, w * (y - value)) / w.sum()
    se = sqrt(n / (n - 1) * float(sums @ sums))
    low, high = interval(
        np.array([value]), np.array([se if se > 1e-12 else 0.0]), np.array([n - 1.0]), np.array([n]), scale
    )
    return Bounded(value, float(low[0]), float(high[0]))


def effective_size(values: npt.ArrayLike, weights: npt.ArrayLike | None, clusters: npt.ArrayLike | None) -> float:
    """Return how many independent answers of equal weight would have the error of this share, at most n.

    Arguments as in `weighted_mean`. n / (design effect): the variance p (1 - p) / n over that of `weighted_mean`. At a
    share of 0 or 1, or with one cluster, it is the number of clusters.
    Source: Korn & Graubard (1998), Confidence intervals for proportions with small expected number of positive counts.
    """
    y = finite("values", values, ndim=1)
    w, cluster = _weights(weights, y.size), _clusters(clusters, y.size)
    p, n = float(w @ y / w.sum()), int(cluster.max()) + 1
    sums = np.bincount(cluster, w * (y - p)) / w.sum()
    variance = n / (n - 1) * float(sums @ sums) if n > 1 else 0.0
    return min(float(y.size), p * (1 - p) / variance) if variance > 1e-15 else float(n)


def weighted_spearman(
    one: npt.ArrayLike,
    other: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    clusters: npt.ArrayLike | None = None,
) -> Bounded:
    """Return Spearman's correlation of two scores of the same answers with its interval, -1..1.

    one, other: (n,). weights, clusters: as in `weighted_mean`. A rank is the weight of all lower values and half of
    that of equal ones, so with equal weights this is `agreement.spearman`. The interval leaves out one cluster at a
    time, as in `constructs.correlation`. None with fewer than 6 clusters, and no value if all scores are equal.
    Source: Spearman (1904), The proof and measurement of association between two things; weighted mid-ranks as in
    Bailey & Emad (2018), wCorr methodology.
    """
    a, b = finite("one", one, ndim=1), finite("other", other, ndim=1)
    if a.shape != b.shape:
        raise ValueError(f"one and other must have the same length, got {a.size} and {b.size}")
    if not a.size:
        return Bounded.undefined(NO_LABEL)
    w, cluster = _weights(weights, a.size), _clusters(clusters, a.size)
    value, n = _rank_correlation(a, b, w), int(cluster.max()) + 1
    if np.isnan(value):
        return Bounded.undefined("all labels, or all scores of the judge, are equal")
    if why := unsure(0.0, n):
        return Bounded(value, reason=why)
    without = [_rank_correlation(a[left], b[left], w[left]) for left in (cluster != each for each in range(n))]
    if np.isnan(without).any():
        return Bounded(value, reason="all labels, or all scores of the judge, but for one cluster, are equal")
    return jackknifed_correlation(np.array([value, *without]))


def ppi_mean(
    labelled: npt.ArrayLike,
    labelled_judge: npt.ArrayLike,
    unlabelled_judge: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    clusters: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    scale: tuple[float, float] | None = None,
) -> Bounded:
    """Return the mean label of all answers with its interval, from few labels Y and a judge's scores f of many answers.

    labelled, labelled_judge: (n,) Y and f of the answers with a label. unlabelled_judge: (N,) f of the others, N > 0.
    All have one unit. weights: (n + N,) > 0, of the labelled and then of the other answers: 1 over the probability of
    being in that part; equal by default. clusters, groups: (n + N,) integers in that order. scale: the ends of labels.
    With lambda = Cov(Y, f) / ((1 + n/N) Var f), clipped to [0, 1], the value is mean(Y - lambda f) over the labelled
    answers + lambda mean(f) over the others. Its variance is lambda^2 Var(f)/N + Var(Y - lambda f)/n, where Cov is of
    the labelled answers and Var f of all. By groups, the value is the mean of that of each group with one lambda, from
    residuals within groups. With clusters, the parts of a cluster are added before they are squared. The interval is
    value -+ t se, with the clusters of the labelled answers less one for each group as degrees of freedom.
    Near an end of the scale, that covers too little. With a scale, the interval is that of `estimate.interval`, and if
    fewer than 10 labels differ from the most frequent one, lambda is 0: the interval is that of the labels alone, and
    `reason` says so.
    Undefined with fewer than 100 labels, and if a group lacks labelled or other answers; no interval with fewer than 6
    clusters of labelled answers. Raises ValueError for arrays of different lengths and weights <= 0.
    Source: Angelopoulos, Duchi & Zrnic (2023), Efficient prediction-powered inference; by groups as in Fisch et
    al. (2024), Stratified prediction-powered inference; Wilson (1927) for the interval of few labels of a kind.
    benchmarks/label_correction.py measures the coverage, and the width relative to Clopper & Pearson's interval.
    """
    y, f, rest = (
        finite(name, of, ndim=1)
        for name, of in (
            ("labelled", labelled),
            ("labelled_judge", labelled_judge),
            ("unlabelled_judge", unlabelled_judge),
        )
    )
    if y.shape != f.shape:
        raise ValueError(f"labelled and labelled_judge must have the same length, got {y.size} and {f.size}")
    n, more = y.size, rest.size
    if n < LEAST_LABELS:
        return Bounded.undefined(FEW_LABELS)
    if not more:
        return Bounded.undefined("every answer has a label")
    w, cluster = _weights(weights, n + more), _clusters(clusters, n + more)
    group = np.zeros(n + more, np.int64) if groups is None else labels("groups", groups, size=n + more)
    n_groups, has = int(group.max()) + 1, np.arange(n + more) < n
    if min(np.unique(group[part]).size for part in (has, ~has)) < n_groups:
        return Bounded.undefined("a group of the board has no label, or no answer without one")
    judge = np.concatenate([f, rest])
    in_part = _residual(judge, w, 2 * group + has)
    of_y = _residual(y, w[has], group[has])
    w_y = w[has] / w[has].sum()
    covariance = float(w_y @ (of_y * in_part[has])) * n / (n - 1)
    of_all = _residual(judge, w, group)
    variance = float(w @ np.square(of_all) / w.sum()) * (n + more) / (n + more - 1)
    few = scale is not None and n - int(np.unique(y, return_counts=True)[1].max()) < LEAST_OF_A_KIND
    slope = min(1.0, max(0.0, covariance / ((1 + n / more) * variance))) if variance > 0 and not few else 0.0
    part = np.concatenate([y - slope * f, slope * rest])
    cell = 2 * group + has
    totals = np.bincount(cell, w)
    value = float((np.bincount(cell, w * part) / totals).sum() / n_groups)
    errors = w * _residual(part, w, cell) / totals[cell] / n_groups
    for own in (has, ~has):
        each = np.unique(cluster[own]).size
        errors[own] *= sqrt(each / (each - 1)) if each > 1 else 1.0
    sums = np.bincount(cluster, errors)
    n_clusters = np.unique(cluster[has]).size
    if why := unsure(0.0, n_clusters - n_groups + 1):
        return Bounded(value, reason=why)
    se, df = sqrt(float(sums @ sums)), float(n_clusters - n_groups)
    if scale is not None:
        value = min(scale[1], max(scale[0], value))
        se = se if se > 1e-12 * (scale[1] - scale[0]) else 0.0
        low, high = interval(np.array([value]), np.array([se]), np.array([df]), np.array([n_clusters]), scale)
        return Bounded(value, float(low[0]), float(high[0]), FEW_OF_A_KIND if few else None)
    reach = float(quantile(LEVEL, df)) * se
    return Bounded(value, value - reach, value + reach)


def corrected_rate(p: float, n: float, q0: float, m0: float, q1: float, m1: float) -> Bounded:  # noqa: PLR0917
    """Return the share of right answers, 0-1, from the share p that a judge accepts, with its interval.

    p: of n answers. q0: specificity, the share rejected of m0 wrong answers with a label. q1: sensitivity, the share
    accepted of m1 right ones. Counts may be effective ones.
    theta = (p + q0 - 1) / (q0 + q1 - 1), clipped to [0, 1]. The interval takes p' = (n p + z^2/2) / (n + z^2), q0' and
    q1' = (m q + 1) / (m + 2) and the theta' that follows, and is theta' + d -+ z s, clipped, where
    d = 2 z^2 (theta' q1' (1-q1') / (m1+2) - (1-theta') q0' (1-q0') / (m0+2)), and s is the root of p' (1-p') / (n+z^2)
    + (1-theta')^2 q0' (1-q0') / (m0+2) + theta'^2 q1' (1-q1') / (m1+2), over q0' + q1' - 1.
    Undefined if q0 + q1 <= 1, as for a judge at chance, and without a count. ValueError for rates outside 0-1.
    Example: p = .4, n = 1000, q0 = .7, q1 = .9, m0 = m1 = 200 gives .1667 [.0564, .2627].
    Source: Rogan & Gladen (1978), Estimating prevalence from the results of a screening test; the interval from Lang &
    Reiczigel (2014), Confidence limits for prevalence of disease adjusted for estimated sensitivity and specificity.
    """
    if not all(0 <= rate <= 1 for rate in (p, q0, q1)):
        raise ValueError(f"rates must lie within 0-1, got p = {p:g}, q0 = {q0:g}, q1 = {q1:g}")
    if min(n, m0, m1) <= 0:
        return Bounded.undefined(ONE_KIND)
    z = float(quantile(LEVEL, inf))
    adjusted_p = (n * p + z * z / 2) / (n + z * z)
    adjusted_q0, adjusted_q1 = (m0 * q0 + 1) / (m0 + 2), (m1 * q1 + 1) / (m1 + 2)
    apart, adjusted_apart = q0 + q1 - 1, adjusted_q0 + adjusted_q1 - 1
    if apart <= 1e-12 or adjusted_apart <= 1e-12:
        return Bounded.undefined(AT_CHANCE)
    theta = (adjusted_p + adjusted_q0 - 1) / adjusted_apart
    of_q0, of_q1 = adjusted_q0 * (1 - adjusted_q0) / (m0 + 2), adjusted_q1 * (1 - adjusted_q1) / (m1 + 2)
    of_p = adjusted_p * (1 - adjusted_p) / (n + z * z)
    moved = theta + 2 * z * z * (theta * of_q1 - (1 - theta) * of_q0)
    reach = z * sqrt(of_p + (1 - theta) ** 2 * of_q0 + theta**2 * of_q1) / adjusted_apart
    value, low, high = (min(1.0, max(0.0, each)) for each in ((p + q0 - 1) / apart, moved - reach, moved + reach))
    return Bounded(value, min(low, value), max(high, value))


@dataclass(frozen=True)
class Worth:
    """Half the widths of two 95 % intervals, in the unit of the labels.

    alone: of the mean of the labels. corrected: of `ppi_mean`. equal_to: how many labels alone would give the latter.
    """

    alone: float
    corrected: float
    equal_to: float


def label_worth(
    labels: npt.ArrayLike, judge: npt.ArrayLike, clusters: npt.ArrayLike, n: int, others: int
) -> Worth | None:
    """Return what `n` labels give alone, and next to the scores that a judge gave `others` further answers.

    labels, judge: (m,) Y and f of the same answers. clusters: (m,) integers. Variances are those of these answers, with
    the parts of a cluster added: V(x) = C/(C-1) sum_c (sum_{i in c} x_i - mean x)^2 / m. The widths follow from
    V(Y)/n and, with the lambda of `ppi_mean`, from V(Y - lambda f)/n + lambda^2 V(f)/others.
    None with fewer than 2 clusters, and if labels do not vary.
    Source: Angelopoulos, Duchi & Zrnic (2023), Efficient prediction-powered inference.
    """
    y, f = finite("labels", labels, ndim=1), finite("judge", judge, ndim=1)
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1]
    if not y.size or cluster.max() < 1 or np.ptp(y) == 0:
        return None
    spread = float(np.var(f, ddof=1))
    covariance = float(np.cov(y, f)[0, 1])
    scale = min(1.0, max(0.0, covariance / ((1 + n / others) * spread))) if spread > 0 else 0.0
    alone = _variance(y, cluster)
    corrected = _variance(y - scale * f, cluster) / n + scale**2 * _variance(f, cluster) / others
    z = float(quantile(LEVEL, inf))
    return Worth(z * sqrt(alone / n), z * sqrt(corrected), alone / corrected)


def _variance(values: Floats, cluster: Ints) -> float:
    n = int(cluster.max()) + 1
    sums = np.bincount(cluster, values - values.mean())
    return n / (n - 1) * float(sums @ sums) / values.size


@dataclass(frozen=True)
class AltTest:
    """Whether a judge can replace a human rater.

    humans: how many were compared. winning_rate: 0-1, the share of them that the judge is shown to be as good as, less
    epsilon. advantage: 0-1, how often the judge is at least as close to the other humans as a human is, on average.
    reason: why nothing was tested; None if it was.
    """

    humans: int
    winning_rate: float | None = None
    advantage: float | None = None
    reason: str | None = None

    @property
    def replaces(self) -> bool | None:
        """Return True if the judge wins against at least half of the humans; None if it was not tested."""
        return None if self.winning_rate is None else self.winning_rate >= 0.5


def alt_test(judge: npt.ArrayLike, humans: npt.ArrayLike, epsilon: float) -> AltTest:
    """Test whether a judge is as close to human raters as they are to each other.

    judge: (n,) its scores. humans: (n, m) labels in the same unit, NaN for none. epsilon: 0-1, what a human may be
    better by, as a human costs more: 0.2 for experts, 0.1 for crowd workers.
    Leave out one human at a time. On each of its items that two other humans or more have rated, whoever has the
    smaller root mean squared distance to them wins; both win a tie. With d the human's wins minus the judge's, the
    judge wins against the human if mean d < epsilon by a one-sided t test. The tests of all humans are corrected
    together by Benjamini and Yekutieli's method at a false discovery rate of 5 %. Items count as independent.
    A human with fewer than 30 such items is not compared. Undefined with fewer than three humans to compare.
    Raises ValueError for arrays of other shapes, and epsilon outside 0-1.
    Source: Calderon, Reichart & Dror (2025), The alternative annotator test for LLM-as-a-judge; Benjamini & Yekutieli
    (2001), The control of the false discovery rate in multiple testing under dependency.
    """
    f, h = finite("judge", judge, ndim=1), np.asarray(humans, np.float64)
    if h.ndim != 2 or len(h) != f.size:
        raise ValueError(f"humans must have a row for each of {f.size} items, got shape {h.shape}")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must lie within 0-1, got {epsilon:g}")
    p_values, wins = [], []
    for own in range(h.shape[1]):
        others = np.delete(h, own, axis=1)
        chosen = ~np.isnan(h[:, own]) & ((~np.isnan(others)).sum(axis=1) >= 2)
        if chosen.sum() < LEAST_ALT_ITEMS:
            continue
        others = others[chosen]
        of_judge, of_human = (
            np.round(np.nanmean(np.square(others - each[chosen, np.newaxis]), axis=1), 9) for each in (f, h[:, own])
        )
        d = (of_human <= of_judge).astype(np.float64) - (of_judge <= of_human)
        p_values.append(_below(np.asarray(d, np.float64), epsilon))
        wins.append(float((of_judge <= of_human).mean()))
    if len(wins) < 3:
        return AltTest(len(wins), reason=f"fewer than three raters with {LEAST_ALT_ITEMS} items that two others rated")
    return AltTest(len(wins), float(_discoveries(np.array(p_values)).mean()), float(np.mean(wins)))


def _below(values: Floats, limit: float) -> float:
    """Return the one-sided p-value of a mean below `limit`. If all values are equal, every one is a sign test."""
    n, apart = values.size, float(values.mean()) - limit
    se = float(values.std(ddof=1)) / sqrt(n)
    if se == 0:
        return 2.0**-n if apart < 0 else 1.0
    half = float(two_sided_p(apart / se, n - 1)) / 2
    return half if apart < 0 else 1 - half


def _discoveries(p_values: Floats) -> npt.NDArray[np.bool_]:
    """Return which hypotheses Benjamini and Yekutieli's method rejects: p_(k) <= 0.05 k / (m sum_{j<=m} 1/j)."""
    m = p_values.size
    order = np.argsort(p_values, kind="stable")
    limits = (1 - LEVEL) * np.arange(1, m + 1) / (m * (1 / np.arange(1, m + 1)).sum())
    below = np.flatnonzero(p_values[order] <= limits)
    rejected = np.zeros(m, np.bool_)
    rejected[order[: below[-1] + 1 if below.size else 0]] = True
    return rejected


def _residual(values: Floats, weights: Floats, group: Ints) -> Floats:
    """Return values minus the weighted mean of their group, (n,). Groups may have gaps."""
    total = np.bincount(group, weights)
    mean = np.divide(np.bincount(group, weights * values), total, out=np.zeros_like(total), where=total > 0)
    residual: Floats = values - mean[group]
    return residual


def _rank_correlation(a: Floats, b: Floats, w: Floats) -> float:
    """Return the weighted correlation of weighted mid-ranks; NaN if one has a single value."""
    x, y = (_ranks(each, w) for each in (a, b))
    x, y = (each - w @ each / w.sum() for each in (x, y))
    spread = float(w @ (x * x)) * float(w @ (y * y))
    return float(w @ (x * y)) / sqrt(spread) if spread > 1e-12 else np.nan


def _ranks(values: Floats, w: Floats) -> Floats:
    _, place = np.unique(np.round(values, 9), return_inverse=True)
    of_value = np.bincount(place, w)
    ranks: Floats = (np.cumsum(of_value) - of_value / 2)[place]
    return ranks


def _weights(weights: npt.ArrayLike | None, size: int) -> Floats:
    w = np.ones(size) if weights is None else finite("weights", weights, ndim=1)
    if w.size != size or not (w > 0).all():
        raise ValueError(f"weights must be {size} numbers > 0")
    return w


def _clusters(clusters: npt.ArrayLike | None, size: int) -> Ints:
    return labels("clusters", np.arange(size) if clusters is None else clusters, size=size)

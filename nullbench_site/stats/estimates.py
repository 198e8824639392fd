"""Means and shares with their errors: standard errors clustered by source text, and the intervals they give.

Items made from one source text rise and fall together, so they are not independent looks at a contestant:
what is independent is the text. Every standard error here is one sum, sqrt(G / (G - 1) * sum over clusters of
(influence of the cluster)^2), where an item's influence is what it adds to the mean less what it was expected
to add.

What marks answers right or wrong takes bundles: bundle -> for each of its variants whether the answer is right, None
where there is no valid answer. Variants of a bundle ask the same in several ways; an item without variants is a bundle
of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, finite, group_shares, labels, level_tails
from nullbench_site.stats.measure import Measure, half_width


@dataclass(frozen=True, slots=True)
class Interval:
    """The two ends of an interval, in the unit of what it is an interval of; low <= high."""

    low: float
    high: float


def clustered_standard_error(values: npt.ArrayLike, clusters: npt.ArrayLike) -> float | None:
    """Standard error of the plain mean of `values`, in their unit, with items clustered by source text.

    values: (n,) finite. clusters: (n,) integers, the source text of each item. With residuals
    r_i = value - mean and G the number of clusters, se =
    sqrt( G/(G-1) * sum over clusters of (sum of r_i in the cluster)^2 ) / n.
    G/(G-1) corrects for few clusters; with every item its own cluster it turns the
    formula into s / sqrt(n) with the sample standard deviation s (divisor n - 1), where sqrt(p (1-p) / n) has
    the divisor n.
    None for fewer than 2 clusters. ValueError for values that are not finite and labels that do not fit.
    Source: Miller (2024), Adding error bars to evals, clustered standard errors; the factor, which Miller
    leaves out, from Cameron & Miller (2015), A practitioner's guide to cluster-robust inference (theirs for a
    regression on a constant alone).
    """
    scores = finite("values", values, ndim=1)
    return grouped_mean_standard_error(scores, np.zeros(scores.shape, dtype=np.int64), clusters)


def grouped_mean_standard_error(
    values: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
) -> float | None:
    """Standard error of the unweighted mean over groups of group means, clustered by source text.

    That mean is the overall score of a board.
    values: (n,) finite. groups, clusters: (n,) integers, the group (domain or category) and the source text
    of each item; a text may serve several groups, and its items are then summed across them. Linearised: item
    i of group g weighs w_i = 1 / (|G| n_g), its residual r_i is its value less its group's mean, and se =
    sqrt( C/(C-1) * sum over clusters of (sum of w_i r_i in the cluster)^2 ), C the number of clusters.
    weights: (|G|,) > 0, in the order of the group labels, where a board weighs its constructs; scaled to sum to 1
    they stand in the place of 1/|G|.
    None when no group has items of 2 clusters: the residuals then cancel and the sum would be a false 0.
    Where only some groups are like that they add nothing, and the result is a lower bound.
    Source: Cameron & Miller (2015), A practitioner's guide to cluster-robust inference, applied to the
    overall score of the nullbench methodology, Interpretation.
    """
    scores = finite("values", values, ndim=1)
    group = labels("groups", groups, size=scores.size)
    cluster = labels("clusters", clusters, size=scores.size)
    if _pairs(group, cluster) == _distinct(group):
        return None
    n_of_group = np.bincount(group)
    mean_of_group = np.bincount(group, weights=scores) / n_of_group
    share = group_shares(weights, n_of_group.size)
    influence = (scores - mean_of_group[group]) * share[group] / n_of_group[group]
    of_cluster = np.bincount(cluster, weights=influence)
    few_clusters = of_cluster.size / (of_cluster.size - 1)
    return float(np.sqrt(few_clusters * np.square(of_cluster).sum()))


def standard_errors(values: npt.ArrayLike, groups: npt.ArrayLike) -> Floats:
    """Standard error of the plain mean of each group, (groups,), in the unit of `values`; NaN with fewer than 2 values.

    values: (n,) finite. groups: (n,) integers >= 0, the group of each; those without a value get NaN too. Each value is
    a cluster of its own: s / sqrt(n), with the divisor n - 1 in s, as `clustered_standard_error` gives it one by one.
    ValueError for values that are not finite and groups that do not fit.
    Source: as `clustered_standard_error`.
    """
    scores = finite("values", values, ndim=1)
    labels("groups", groups, size=scores.size)
    group = np.asarray(groups, dtype=np.int64)
    n = np.bincount(group)
    mean = np.divide(np.bincount(group, weights=scores), n, out=np.full(n.shape, np.nan), where=n > 0)
    squares = np.bincount(group, weights=np.square(scores - mean[group]))
    errors: Floats = np.full(n.shape, np.nan)
    several = n > 1
    errors[several] = np.sqrt(squares[several] / (n[several] * (n[several] - 1)))
    return errors


def normal_interval(
    mean: float, se: float, level: float = 0.95, *, lower: float | None = None, upper: float | None = None
) -> Interval:
    """mean -+ z * se, z = 1.959964 for the level 0.95; the ends clipped to `lower` and `upper` if given.

    mean, se, lower, upper: in the unit of the score; se >= 0; 0 < level < 1. ValueError otherwise.
    Source: the central limit theorem, as used by Miller (2024), Adding error bars to evals, and by the
    measurement model of the mathematical treatment of LLM evaluation, section 2 (S -+ 1.96 SE).
    """
    if not (isfinite(mean) and isfinite(se) and se >= 0):
        raise ValueError(f"mean must be finite and se finite and >= 0, got {mean!r} and {se!r}")
    if lower is not None and upper is not None and lower > upper:
        raise ValueError(f"lower must not exceed upper, got {lower!r} and {upper!r}")
    margin = half_width(se, level)
    return Interval(_clip(mean - margin, lower, upper), _clip(mean + margin, lower, upper))


def _clip(value: float, lower: float | None, upper: float | None) -> float:
    if lower is not None:
        value = max(value, lower)
    return value if upper is None else min(value, upper)


def _distinct(codes: Ints) -> int:
    """How many labels there are: codes run from 0 without a gap."""
    return int(codes.max()) + 1 if codes.size else 0


def _pairs(group: Ints, cluster: Ints) -> int:
    """How many pairs of a group and a cluster have an item."""
    return np.unique(group * max(1, _distinct(cluster)) + cluster).size


def accuracy(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """Right answers / valid answers, 0..1, higher is better; every variant counts alike.

    What is not valid is in neither number, so a contestant may look better by answering less: show the share of valid
    answers beside it. With False in the place of None it is right answers / all answers, which cannot be raised so.
    Undefined where no answer is valid.
    Source: a decision of ours (issue 4).
    """
    right = [answer for answers in bundles.values() for answer in answers if answer is not None]
    return Measure(sum(right) / len(right)) if right else Measure.undefined("no valid answer")


def accuracy_standard_error(bundles: Mapping[str, Sequence[bool | None]]) -> float | None:
    """Standard error of `accuracy`, in its unit, with variants clustered by bundle; None for fewer than 2 bundles.

    Exactly 0 where all bundles have the same share of right answers.
    Source: as `clustered_standard_error`, over the valid answers.
    """
    se = clustered_standard_error(*_valid(bundles))
    # Residuals that cancel may leave a last bit, and an error of 1e-17 would look like certainty.
    return 0.0 if se is not None and len(_shares(bundles)) == 1 else se


def accuracy_interval(bundles: Mapping[str, Sequence[bool | None]], level: float = 0.95) -> Interval | None:
    """The interval of `accuracy`, within 0..1; 0 < level < 1.

    Wilson's where no bundle has more than one valid answer; else accuracy -+ z * clustered standard error. Where all
    answers are right, or all wrong, that error is a false 0, and Wilson's interval with each bundle as one answer
    stands in its place. None without a valid answer, and where the clustered error is absent or 0 otherwise.
    Source: `wilson_interval` and `normal_interval`; when which, and bundles as single answers, are decisions
    of ours.
    """
    right, clusters = _valid(bundles)
    if not right:
        return None
    distinct = len(set(clusters))
    mean = sum(right) / len(right)
    if mean in (0, 1) or distinct == len(right):
        return wilson_interval(mean * distinct, distinct, level)
    se = accuracy_standard_error(bundles)
    return normal_interval(mean, se, level, lower=0, upper=1) if se else None


def wilson_interval(right: float, answers: int, level: float = 0.95) -> Interval:
    """Wilson's score interval of the share `right` / `answers` of independent answers, within 0..1.

    With p the share, n the answers and z = 1.959964 for the level 0.95:
    (p + z^2/2n -+ z sqrt(p (1-p) / n + z^2 / 4n^2)) / (1 + z^2/n). Unlike p -+ z se it never leaves 0..1, and is not
    empty where all answers are right. ValueError unless 0 <= right <= answers and answers > 0.
    Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    if not (isfinite(right) and 0 <= right <= answers and answers > 0):
        raise ValueError(f"{right!r} of {answers!r} answers cannot be right")
    z = NormalDist().inv_cdf(level_tails(level)[1])
    share, shrink = right / answers, 1 + z**2 / answers
    centre = (share + z**2 / (2 * answers)) / shrink
    margin = z * sqrt(share * (1 - share) / answers + z**2 / (4 * answers**2)) / shrink
    # At the ends the formula is exact and its arithmetic is not.
    low = 0.0 if right == 0 else max(0.0, centre - margin)
    high = 1.0 if right == answers else min(1.0, centre + margin)
    return Interval(low, high)


def contrast_consistency(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """The share of bundles whose variants are all right, 0..1, higher is better.

    Of the bundles with two or more variants, all with a valid answer. Undefined where there is none.
    Source: Gardner et al. (2020), Evaluating models' local decision boundaries via contrast sets, section 2.
    """
    return _share_of_whole(bundles, frozenset({frozenset({True})}))


def outcome_consistency(bundles: Mapping[str, Sequence[bool | None]]) -> Measure:
    """The share of bundles whose variants are all right or all wrong, 0..1.

    Of the same bundles as `contrast_consistency`, which it is never below. High for a contestant that is always wrong,
    too: it tells steadiness, not quality.
    Source: after Elazar et al. (2021), Measuring and improving consistency in pretrained language models, who ask
    whether paraphrases get the same prediction, right or not; they compare pairs of predictions, this whole bundles
    of marks, since variants may have different right answers.
    """
    return _share_of_whole(bundles, frozenset({frozenset({True}), frozenset({False})}))


def _share_of_whole(bundles: Mapping[str, Sequence[bool | None]], wanted: frozenset[frozenset[bool]]) -> Measure:
    """The share of the whole bundles whose marks are one of the sets `wanted`."""
    whole = [frozenset(answers) for answers in bundles.values() if len(answers) > 1 and None not in answers]
    if not whole:
        return Measure.undefined("no bundle of two or more variants, all with valid answers")
    return Measure(sum(marks in wanted for marks in whole) / len(whole))


def _shares(bundles: Mapping[str, Sequence[bool | None]]) -> set[Fraction]:
    """The different shares of right answers among the valid ones that bundles have."""
    valid = ([answer for answer in answers if answer is not None] for answers in bundles.values())
    return {Fraction(sum(answers), len(answers)) for answers in valid if answers}


def _valid(bundles: Mapping[str, Sequence[bool | None]]) -> tuple[list[float], list[int]]:
    """The valid answers as 0 and 1, and the number of the bundle of each."""
    pairs = [
        (float(answer), number)
        for number, answers in enumerate(bundles.values())
        for answer in answers
        if answer is not None
    ]
    return [right for right, _ in pairs], [number for _, number in pairs]

"""Standard errors clustered by source text, and the intervals they give.

Items made from one source text rise and fall together, so they are not independent looks at a contestant:
what is independent is the text. Every formula here is one sum, sqrt(G / (G - 1) * sum over clusters of
(influence of the cluster)^2), where an item's influence is what it adds to the mean less what it was expected
to add.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from nullbench_site.stats._arrays import finite, group_shares, labels
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.normal import half_width


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

"""Agreement of raters: Krippendorff's alpha, Cohen's and Fleiss' kappa, and Spearman's correlation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import isnan, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, finite, labels
from nullbench_site.stats.estimate import LEVEL, quantile, unsure
from nullbench_site.stats.measure import LEAST_CLUSTERS, Bounded, Measure
from nullbench_site.stats.panel import jackknife_variance

SCALE_POINTS = 5

RatingLevel: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
"""What ratings are: names, an order, numbers with equal distances, or numbers with a true zero."""
Weights: TypeAlias = Literal["linear", "quadratic"] | None
"""How much a disagreement of two raters counts: all alike, by its distance, or by the square of it."""

NO_OVERLAP = "fewer than 2 raters on every unit"
ONE_VALUE = "one rating value only"
NEVER_DIFFER = "the raters never differ"
"""Why there is no interval: how sure perfect agreement is cannot be seen from it."""
_CELLS = 4_000_000
"""The most numbers in an array at a time."""
_FEW_VALUES = 20
"""Up to so many rating values, coincidences are counted pair of values by pair of values."""


def krippendorff_alpha(ratings: npt.ArrayLike, level: RatingLevel, clusters: npt.ArrayLike | None = None) -> Bounded:
    """Return Krippendorff's alpha with its 95 % interval, unitless, at most 1; 1 is perfect agreement, 0 is chance.

    ratings: (raters, units), NaN where a rater gave none. Units with fewer than two ratings are left out.
    clusters: (units,) integers, units that are not independent have the same one. By default each unit is a cluster.
    alpha = 1 - D_o / D_e = 1 - (n - 1) * sum_ck o_ck d_ck / sum_ck n_c n_k d_ck. The distance d_ck of two values is, by
    level: nominal 1; ordinal (sum of n_g for g from c to k, less (n_c + n_k) / 2)^2; interval (c - k)^2; ratio
    ((c - k) / (c + k))^2. The interval is that of `alpha_interval`.
    Undefined with the reason "fewer than 2 raters on every unit" or "one rating value only".
    ValueError for ratings of another shape, infinite ones, and negative ones of the level ratio.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    table = np.asarray(ratings, dtype=np.float64, order="C")
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"ratings must be finite or NaN, raters x units; got shape {table.shape}")
    if level == "ratio" and (table < 0).any():
        raise ValueError("ratings of the level ratio must be 0 or more")
    values = np.unique(table[~np.isnan(table)])
    counts = np.array([(table == value).sum(axis=0) for value in values]).T if values.size else _value_counts([])
    part = _clusters(clusters, table.shape[1])
    apart = None if level == "ordinal" else _distances(values, level)
    if not len(counts):
        return Bounded.undefined(NO_OVERLAP)
    (observed,) = coincidences(counts, np.zeros_like(part), 1)
    whole = alpha_of_table(observed, apart)
    if whole.value is None:
        return Bounded.undefined(str(whole.reason))
    rated = counts.sum(axis=1) > 1
    counts, part = counts.T[:, rated].T, labels("clusters", part[rated], size=int(rated.sum()))
    without = np.concatenate(list(_alphas_without_each(observed, counts, part, apart)))
    return _bounded(whole.value, without, _by_cluster(counts, part))


def cohen_kappa(
    a: npt.ArrayLike, b: npt.ArrayLike, weights: Weights = None, clusters: npt.ArrayLike | None = None
) -> Bounded:
    """Return Cohen's kappa of two raters with its 95 % interval, at most 1; 1 is perfect agreement, 0 is chance.

    a, b: (units,) the ratings of each, NaN for none. Only units that both rated count. clusters: as in
    `krippendorff_alpha`, and so is the interval.
    kappa = 1 - sum_ij w_ij p_ij / sum_ij w_ij p_i. p_.j, with p_ij the share of units that a rates i and b rates j, and
    w_ij = 1 for i != j without weights, |i - j| if linear, (i - j)^2 if quadratic. Without weights this is
    (P_o - P_e) / (1 - P_e).
    Undefined with the reason "no unit was rated by both" or "one rating value only".
    Source: Cohen (1960), A coefficient of agreement for nominal scales; Cohen (1968), Weighted kappa.
    """
    one, other = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if one.ndim != 1 or one.shape != other.shape or np.isinf([one, other]).any():
        raise ValueError(f"a and b must be finite or NaN, of one shape (units,); got {one.shape} and {other.shape}")
    both = ~np.isnan(one) & ~np.isnan(other)
    if not both.any():
        return Bounded.undefined("no unit was rated by both")
    ratings = np.stack([one[both], other[both]])
    values = np.unique(ratings)
    part = _clusters(None if clusters is None else np.asarray(clusters)[both], int(both.sum()))
    shape = int(part.max()) + 1, values.size, values.size
    cell = np.ravel_multi_index((part, *np.searchsorted(values, ratings)), shape)
    tables = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
    apart = _distances(values, "nominal" if weights is None else "interval")
    if weights == "linear":
        apart = np.sqrt(apart)
    whole = tables.sum(axis=0)
    of_values = tables.sum(axis=1) + tables.sum(axis=2)
    return _bounded(float(_kappas(whole, apart)), _kappas(whole - tables, apart), of_values)


def _kappas(tables: Ints, apart: Floats) -> Floats:
    """Return the kappa of each table of two raters, (...) for (..., values, values); NaN if undefined."""
    n = tables.sum(axis=(-2, -1))
    by_chance = tables.sum(axis=-1)[..., :, np.newaxis] * tables.sum(axis=-2)[..., np.newaxis, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        kappas: Floats = 1 - n * (tables * apart).sum(axis=(-2, -1)) / (by_chance * apart).sum(axis=(-2, -1))
    return kappas


def fleiss_kappa(counts: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> Bounded:
    """Return Fleiss' kappa with its 95 % interval, at most 1; 1 is perfect agreement, 0 is chance.

    counts: (units, categories) integers, how many raters chose each category. Each unit has the same number m >= 2 of
    raters. clusters: as in `krippendorff_alpha`, and so is the interval.
    kappa = (P - P_e) / (1 - P_e), P the mean over units of sum_j n_ij (n_ij - 1) / (m (m - 1)), P_e = sum_j p_j^2, and
    p_j the share of category j in all ratings.
    Undefined with the reason "no unit with 2 raters or more" or "one rating value only". ValueError for units with
    different numbers of raters.
    Source: Fleiss (1971), Measuring nominal scale agreement among many raters.
    """
    table = np.asarray(counts, dtype=np.int64)
    raters = table.sum(axis=1) if table.ndim == 2 else np.zeros(0, np.int64)
    if not raters.any() or raters[0] < 2:
        return Bounded.undefined("no unit with 2 raters or more")
    if (raters != raters[0]).any():
        raise ValueError(f"each unit must have the same number of raters, got {raters.min()} to {raters.max()}")
    part = _clusters(clusters, len(table))
    agreeing = (table * (table - 1)).sum(axis=1)
    columns = np.column_stack([np.ones_like(agreeing), agreeing, table])
    sums = np.stack([np.bincount(part, column).astype(np.int64) for column in columns.T], axis=1)
    whole = sums.sum(axis=0)
    pairs = int(raters[0] * (raters[0] - 1))
    return _bounded(float(_fleiss(whole, pairs)), _fleiss(whole - sums, pairs), sums[:, 2:])


def _fleiss(sums: Ints, pairs: int) -> Floats:
    """Return kappa of each set of units, (...), from (..., 2 + categories): units, agreeing pairs and ratings."""
    n, agreeing, ratings = sums[..., 0], sums[..., 1], sums[..., 2:]
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = agreeing / (n * pairs)
        by_chance = np.square(ratings / ratings.sum(axis=-1, keepdims=True)).sum(axis=-1)
        kappas: Floats = (observed - by_chance) / (1 - by_chance)
    return kappas


LANDIS_KOCH = ((0.80, "almost perfect"), (0.60, "substantial"), (0.40, "moderate"), (0.20, "fair"), (0.0, "slight"))
"""The lowest value of each strength of agreement."""
KRIPPENDORFF = ((0.80, "reliable"), (0.667, "tentative"))


def landis_koch(value: float | None) -> str | None:
    """Return the strength of agreement of a kappa or alpha, from "poor", below 0, to "almost perfect", from 0.80.

    None for an undefined value.
    Source: Landis & Koch (1977), The measurement of observer agreement for categorical data; a limit belongs to the
    higher class, as in the mathematical treatment of LLM evaluation, section 4.
    """
    return None if value is None else next((label for least, label in LANDIS_KOCH if value >= least), "poor")


def krippendorff_label(value: float | None) -> str | None:
    """Return what ratings with this agreement may be used for: "reliable", "tentative" (conclusions) or "unreliable".

    None for an undefined value.
    Source: Krippendorff (2004), Content analysis, 11.4.
    """
    return None if value is None else next((label for least, label in KRIPPENDORFF if value >= least), "unreliable")


def alpha_of_table(observed: Floats, apart: Floats | None = None) -> Measure:
    """Return alpha from a table of `coincidences`, (values, values).

    apart: the distances of the values, the same shape; None for ordinal distances.
    """
    if not observed.any():
        return Measure.undefined(NO_OVERLAP)
    alpha = float(_alpha_of(observed, apart))
    return Measure.undefined(ONE_VALUE) if isnan(alpha) else Measure(alpha)


def _distances(values: Floats, level: RatingLevel) -> Floats:
    """Return the squared distances of rating values of a level, (values, values); those of ordinal ones depend on n."""
    one, other = values[:, np.newaxis], values[np.newaxis, :]
    if level == "nominal":
        return np.asarray(one != other, np.float64)
    apart: Floats = one - other
    if level == "ratio":
        apart = np.divide(apart, one + other, out=np.zeros_like(apart), where=apart != 0)
    return np.square(apart)


def _alpha_of(observed: Floats, apart: Floats | None = None) -> Floats:
    """Return alpha of each table, (...) for (..., values, values); NaN if fewer than two values occur.

    apart: as in `alpha_of_table`.
    """
    n_of_value = observed.sum(axis=-1)
    distance = apart
    if distance is None:
        # Squared differences of mid-ranks: d_ck = (sum of n_g for g from c to k, less (n_c + n_k) / 2)^2.
        mid_rank = np.cumsum(n_of_value, axis=-1) - n_of_value / 2
        distance = np.square(mid_rank[..., :, np.newaxis] - mid_rank[..., np.newaxis, :])
    expected = n_of_value[..., :, np.newaxis] * n_of_value[..., np.newaxis, :]
    observed_apart, by_chance = ((table * distance).sum(axis=(-2, -1)) for table in (observed, expected))
    with np.errstate(invalid="ignore"):
        alpha: Floats = 1 - (n_of_value.sum(axis=-1) - 1) * observed_apart / by_chance
    return alpha


def coincidences(value_counts: npt.ArrayLike, part: Ints, n_parts: int) -> Floats:
    """Return the coincidences of the units of each part, (n_parts, values, values). Their sum is what alpha uses.

    o_ck = sum over units of (ordered pairs of judges who gave c and k) / (judges of the unit - 1). Pairs are first
    counted per number of judges. These counts are exact in a float, so the order of the units cannot change the result.
    value_counts: (units, values) integers >= 0; how many judges gave each value, in order, to each unit (model, item,
    axis), as 1, 2, 3, 4, 5. Units may have different numbers of judges; those with fewer than two are left out.
    part: (units,) the number of each unit's part.
    Source: as `krippendorff_alpha`.
    """
    counts = _value_counts(value_counts).T
    judges, n_values = counts.sum(axis=0), len(counts)
    tables = np.zeros((n_parts, n_values, n_values))
    for n in (np.flatnonzero(np.bincount(judges)[2:]) + 2).tolist():
        of_value, own = counts[:, judges == n].astype(np.float64), part[judges == n]
        if n_values > _FEW_VALUES or n_parts == 1:
            for number in np.unique(own).tolist():
                of_part = of_value[:, own == number]
                tables[number] += np.triu(of_part @ of_part.T - np.diag(of_part.sum(axis=1))) / (n - 1)
            continue
        for one, other in combinations_with_replacement(range(n_values), 2):
            pairs = of_value[one] * (of_value[other] - (one == other))
            tables[:, one, other] += np.bincount(own, pairs, minlength=n_parts) / (n - 1)
    return tables + np.triu(tables, 1).swapaxes(1, 2)


def alphas_without(tables: Floats) -> Floats:
    """Return alpha without each part in turn, (parts,). tables: (parts, 5, 5) as `coincidences`; NaN if undefined."""
    return _alpha_of(_left(tables.sum(axis=0), tables))


def _left(whole: Floats, tables: Floats) -> Floats:
    """Return what is left of all coincidences without each part."""
    # If only one part has a cell, what remains of it is a rounding error, not a rating.
    left: Floats = np.maximum(np.round(whole - tables, 9), 0.0)
    return left


def _alphas_without_each(whole: Floats, counts: Ints, part: Ints, apart: Floats | None) -> Iterator[Floats]:
    """Yield alpha without each part of units of two judges or more, some parts at a time. whole: of all parts."""
    step = max(1, _CELLS // counts.shape[1] ** 2)
    for start in range(0, int(part.max()) + 1, step):
        own = (part >= start) & (part < start + step)
        tables = coincidences(counts.T[:, own].T, part[own] - start, min(step, int(part.max()) + 1 - start))
        yield _alpha_of(_left(whole, tables), apart)


def alpha_interval(tables: Floats) -> Bounded:
    """Return ordinal alpha with its 95 % interval, at most 1, by leaving out one cluster of units at a time.

    tables: (clusters, 5, 5) as `coincidences`. Clusters without a unit of two or more judges are ignored.
    The interval is alpha -+ t s: s^2 is the jackknife variance, t is Student's quantile for clusters - 1 degrees of
    freedom.
    Chosen by measurement, benchmarks/agreement.py: where most boards have an interval, it covers the alpha or kappa of
    the population 91 to 96 times in 100, and 87 to 94 times if nine of ten ratings are the same. Percentiles of a
    bootstrap over clusters cover it 79 to 96 and 80 to 93 times.
    No interval if no two judges differ, with fewer than 6 clusters, and if fewer than 6 of them have another rating
    than the most frequent one.
    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, 11.2.
    """
    tables = tables[tables.any(axis=(1, 2))]
    whole = alpha_of_table(tables.sum(axis=0))
    if whole.value is None:
        return Bounded.undefined(str(whole.reason))
    return _bounded(whole.value, alphas_without(tables), tables.sum(axis=2))


def _bounded(value: float, without: Floats, of_values: npt.NDArray[Any]) -> Bounded:
    """Return a coefficient with the interval of `alpha_interval`.

    without: (clusters,) the coefficient without each cluster. of_values: (clusters, values) how often each occurs.
    """
    if isnan(value):
        return Bounded.undefined(ONE_VALUE)
    if (why := unsure(0.0, len(without))) is not None:
        return Bounded(value, reason=why)
    if value == 1:
        return Bounded(value, reason=NEVER_DIFFER)
    varied = int((of_values.sum(axis=1) > of_values[:, of_values.sum(axis=0).argmax()]).sum())
    if varied < LEAST_CLUSTERS or np.isnan(without).any():
        return Bounded(value, reason=f"too few: {varied} sources have another rating than the most frequent one")
    (variance,) = jackknife_variance(without[np.newaxis])
    half = float(quantile(LEVEL, len(without) - 1.0)) * sqrt(variance)
    return Bounded(value, value - half, min(value + half, 1.0))


def _by_cluster(counts: Ints, part: Ints) -> Ints:
    """Return how often each value occurs in each cluster, (clusters, values)."""
    return np.stack([np.bincount(part, column) for column in counts.T], axis=1).astype(np.int64)


def _clusters(clusters: npt.ArrayLike | None, units: int) -> Ints:
    """Return the number of each unit's cluster, (units,)."""
    return np.arange(units) if clusters is None else labels("clusters", clusters, size=units)


def _value_counts(values: npt.ArrayLike) -> Ints:
    """Return `values` as (n, values) integers."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros((0, SCALE_POINTS), dtype=np.int64)
    return array.astype(np.int64, copy=False)


# Values that differ by less are tied: the difference is a rounding error.
_TIE_DECIMALS = 9


def spearman(one: npt.ArrayLike, other: npt.ArrayLike) -> Measure:
    """Return Spearman's rank correlation, -1..1: 1 is the same order, 0 no relation, -1 the reverse order.

    one, other: (n,) finite values of the same objects in the same order.
    This is Pearson's correlation of the ranks; tied values share the mean of their ranks. It is computed in integers,
    so the order of the objects cannot change a digit.
    Undefined with the reason "fewer than 2 answers" or "one value only".
    Source: Spearman (1904), The proof and measurement of association between two things; mid-ranks for ties as in
    Kendall & Gibbons (1990), Rank Correlation Methods.
    """
    a, b = finite("one", one, ndim=1), finite("other", other, ndim=1)
    if a.size < 2:
        return Measure.undefined("fewer than 2 answers")
    x, y = _twice_centred_ranks(a), _twice_centred_ranks(b)
    xx, yy, xy = (int(p @ q) for p, q in ((x, x), (y, y), (x, y)))
    if not xx or not yy:
        return Measure.undefined("one value only")
    return Measure(xy / sqrt(xx * yy))


def _twice_centred_ranks(values: npt.NDArray[np.float64]) -> Ints:
    """Return twice the distance of each mid-rank from the middle of all ranks: integers that sum to 0."""
    _, which, times = np.unique(np.round(values, _TIE_DECIMALS), return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    twice: Ints = (2 * last - times + 1 - (values.size + 1)).astype(np.int64)
    return twice[which]

"""Agreement of raters: Krippendorff's alpha, Cohen's and Fleiss' kappa, and Spearman's correlation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import isnan, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, finite
from nullbench_site.stats.estimate import LEVEL, quantile, unsure
from nullbench_site.stats.measure import LEAST_CLUSTERS, Bounded, Measure
from nullbench_site.stats.panel import jackknife_variance

SCALE_POINTS = 5
_CELLS = 1_000_000
"""How many pairs of ratings are counted at a time."""

RatingLevel: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
"""What ratings are: names, an order, numbers with equal distances, or numbers with a true zero."""

NO_OVERLAP = "fewer than 2 raters on every unit"
ONE_VALUE = "one rating value only"
NEVER_DIFFER = "the raters never differ"
"""Why there is no interval: how sure perfect agreement is cannot be seen from it."""


def places(ratings: npt.ArrayLike) -> tuple[Floats, Ints]:
    """Return the values that occur, rising, and the place of each rating among them, -1 for NaN.

    ratings: (raters, units), NaN where a rater gave none. ValueError for ratings of another shape and infinite ones.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(f"ratings must be finite or NaN, raters x units; got shape {table.shape}")
    values = np.unique(table[~np.isnan(table)])
    place: Ints = np.searchsorted(values, table).astype(np.int64)
    place[place == values.size] = -1  # NaN sorts last
    return values, place


def pair_tables(ratings: Ints, n_values: int, part: Ints, n_parts: int) -> dict[int, Ints]:
    """Return how often two raters of a unit gave each two values, by the number of raters of the unit: 2, and others.

    ratings: (raters, units) places of values, -1 for none. part: (units,) the number of each unit's part.
    Each table is (n_parts, values, values), the row the value of the rater who comes first. The work grows with the
    number of pairs of ratings of the same unit.
    """
    rated, tables = (ratings >= 0).sum(axis=0, dtype=np.int16), {}
    for n in np.union1d(rated[rated > 1], [2]).tolist():
        own = ratings[:, rated == n].T
        given = own[own >= 0].reshape(-1, n).T  # the raters of each unit, in their order
        table = np.zeros(n_parts * n_values**2, np.int64)
        start = part[rated == n] * n_values**2
        one, other = np.triu_indices(n, 1)
        at_a_time = max(1, _CELLS // max(start.size, 1))
        for some in (slice(at, at + at_a_time) for at in range(0, one.size, at_a_time)):
            cells = start + given[one[some]] * n_values + given[other[some]]
            table += np.bincount(cells.ravel(), minlength=table.size)
        tables[n] = table.reshape(n_parts, n_values, n_values)
    return tables


def coincidences(tables: Mapping[int, Ints]) -> Floats:
    """Return the coincidences of the units of each part, (parts, values, values). Their sum is what alpha uses.

    tables: as `pair_tables`. o_ck = sum over units of (ordered pairs of raters who gave c and k) / (raters of the unit
    - 1). Pairs are first counted per number of raters, so the order of the units cannot change the result.
    Source: as `krippendorff_alpha`.
    """
    of_pairs = [(table + table.swapaxes(1, 2)) / (n - 1) for n, table in tables.items()]
    return np.asarray(np.sum(of_pairs, axis=0), np.float64)


def krippendorff_alpha(ratings: npt.ArrayLike, level: RatingLevel) -> Bounded:
    """Return Krippendorff's alpha with its 95 % interval, unitless, at most 1; 1 is perfect agreement, 0 is chance.

    ratings: (raters, units), NaN where a rater gave none. Units with fewer than two ratings are left out.
    alpha = 1 - D_o / D_e = 1 - (n - 1) * sum_ck o_ck d_ck / sum_ck n_c n_k d_ck. The distance d_ck of two values is, by
    level: nominal 1; ordinal (sum of n_g for g from c to k, less (n_c + n_k) / 2)^2; interval (c - k)^2; ratio
    ((c - k) / (c + k))^2. The interval is that of `alpha_interval`; each unit is a cluster.
    Undefined with the reason "fewer than 2 raters on every unit" or "one rating value only".
    ValueError as `places`, and for negative ratings of the level ratio.
    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    values, given = places(ratings)
    units = given.shape[1]
    tables = pair_tables(given, values.size, np.arange(units), units)
    return alpha_interval(coincidences(tables), None if level == "ordinal" else distances(values, level))


def cohen_kappa(tables: Ints, apart: Floats) -> Bounded:
    """Return Cohen's kappa of two raters with its 95 % interval, at most 1; 1 is perfect agreement, 0 is chance.

    tables: (clusters, values, values) as `pair_tables` of two raters, whose units were rated by both. apart: the
    weights of disagreement w, (values, values), such as `distances`. The interval is that of `alpha_interval`.
    kappa = 1 - sum_ij w_ij p_ij / sum_ij w_ij p_i. p_.j, with p_ij the share of units that a rates i and b rates j.
    With w_ij = 1 for i != j this is (P_o - P_e) / (1 - P_e).
    Undefined with the reason "no unit was rated by both" or "one rating value only".
    Source: Cohen (1960), A coefficient of agreement for nominal scales; Cohen (1968), Weighted kappa.
    """
    return _bounded(tables, partial(_kappas, apart=apart), "no unit was rated by both")


def _kappas(tables: Ints, apart: Floats) -> Floats:
    """Return the kappa of each table of two raters, (...) for (..., values, values); NaN if undefined."""
    n = tables.sum(axis=(-2, -1))
    by_chance = tables.sum(axis=-1)[..., :, np.newaxis] * tables.sum(axis=-2)[..., np.newaxis, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        kappas: Floats = 1 - n * (tables * apart).sum(axis=(-2, -1)) / (by_chance * apart).sum(axis=(-2, -1))
    return kappas


def fleiss_kappa(tables: Ints) -> Bounded:
    """Return Fleiss' kappa with its 95 % interval, at most 1; 1 is perfect agreement, 0 is chance.

    tables: (clusters, categories, categories) as `pair_tables`, of units with the same number of raters. The interval
    is that of `alpha_interval`.
    kappa = (P - P_e) / (1 - P_e), P the share of pairs of raters of a unit who agree, P_e = sum_j p_j^2, and p_j the
    share of category j in all ratings.
    Undefined with the reason "no unit with 2 raters or more" or "one rating value only".
    Source: Fleiss (1971), Measuring nominal scale agreement among many raters.
    """
    return _bounded(tables, _fleiss, "no unit with 2 raters or more")


def _fleiss(tables: Ints) -> Floats:
    """Return the kappa of each table of pairs, (...) for (..., categories, categories); NaN if undefined."""
    n, ratings = tables.sum(axis=(-2, -1)), tables.sum(axis=-2) + tables.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = tables.trace(axis1=-2, axis2=-1) / n
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


def distances(values: Floats, level: RatingLevel) -> Floats:
    """Return the squared distances of rating values of a level, (values, values); ordinal ones depend on their numbers.

    ValueError for negative values of the level ratio.
    """
    one, other = values[:, np.newaxis], values[np.newaxis, :]
    if level == "nominal":
        return np.asarray(one != other, np.float64)
    apart: Floats = one - other
    if level == "ratio":
        if (values < 0).any():
            raise ValueError("ratings of the level ratio must be 0 or more")
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


def alphas_without(tables: Floats) -> Floats:
    """Return alpha without each part in turn, (parts,). tables: (parts, 5, 5) as `coincidences`; NaN if undefined."""
    return _alpha_of(_left(tables.sum(axis=0), tables))


def _left(whole: Floats, tables: Floats) -> Floats:
    """Return what is left of all coincidences without each part."""
    # If only one part has a cell, what remains of it is a rounding error, not a rating.
    left: Floats = np.maximum(np.round(whole - tables, 9), 0.0)
    return left


def alpha_interval(tables: Floats, apart: Floats | None = None) -> Bounded:
    """Return alpha with its 95 % interval, at most 1, by leaving out one cluster of units at a time.

    tables: (clusters, values, values) as `coincidences`. Clusters without a unit of two or more judges are ignored.
    apart: as in `alpha_of_table`.
    The interval is alpha -+ t s: s^2 is the jackknife variance, t is Student's quantile for clusters - 1 degrees of
    freedom.
    Chosen by measurement, benchmarks/agreement.py: where most boards have an interval, it covers the alpha or kappa of
    the population 91 to 96 times in 100, and 87 to 94 times if nine of ten ratings are the same. Percentiles of a
    bootstrap over clusters cover it 79 to 96 and 80 to 93 times.
    No interval if no two judges differ, with fewer than 6 clusters, and if fewer than 6 of them have another rating
    than the most frequent one.
    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, 11.2.
    """
    return _bounded(tables, partial(_alpha_of, apart=apart), NO_OVERLAP)


def _bounded(tables: npt.NDArray[Any], coefficient: Callable[[Any], Floats], nothing: str) -> Bounded:
    """Return a coefficient of the sum of tables, (clusters, values, values), with the interval of `alpha_interval`.

    nothing: the reason why it is undefined if all tables are empty.
    """
    tables = tables[tables.any(axis=(1, 2))]
    if not len(tables):
        return Bounded.undefined(nothing)
    whole = tables.sum(axis=0)
    value, without = float(coefficient(whole)), coefficient(_left(whole, tables))
    of_values = tables.sum(axis=1) + tables.sum(axis=2)
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

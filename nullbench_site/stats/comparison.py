"""Contestants beside each other: who is alike, whom no other beats, and the best, corrected for having been chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, finite, level_tails
from nullbench_site.stats.estimate import LEVEL, estimate_of, means, quantile, unsure


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest of some profiles, nearest first.

    places: (some, k) rows of the profiles; -1 where there are no more. distances: (some, k) in the unit of the
    profiles; NaN there.
    """

    places: Ints
    distances: Floats


def nearest(profiles: npt.ArrayLike, k: int, *, some: Sequence[int] | None = None, least: int = 3) -> Neighbours:
    """The `k` nearest neighbours of each profile, itself aside; of those at one distance the first by place.

    some: the places of those whose neighbours are wanted; None for all.

    profiles: (n, d), a contestant's axis means or domain scores in one unit, NaN where it has none. The distance of two
    is the root of the mean squared difference over the coordinates that both have, so that one with more of them is not
    farther for it: sqrt( 1/|C| * sum over c in C of (x_c - y_c)^2 ). Two that share fewer than `least` coordinates have
    none: fewer than three corners make no shape.
    Takes time n d for each, in numpy.
    Source: ours; the mean in the place of the sum as in Gower (1971), A general coefficient of similarity and some of
    its properties, which leaves missing coordinates out in the same way.
    """
    values = np.asarray(profiles, dtype=np.float64)
    chosen = range(len(values)) if some is None else some
    places, distances = np.full((len(chosen), k), -1), np.full((len(chosen), k), np.nan)
    for row, place in enumerate(chosen):
        of_all = _distances(values[place], values, least)
        of_all[place] = np.nan
        near = np.argsort(of_all, kind="stable")[:k]
        near = near[~np.isnan(of_all[near])]
        places[row, : near.size], distances[row, : near.size] = near, of_all[near]
    return Neighbours(places.astype(np.int64), distances)


def _distances(profile: Floats, profiles: Floats, least: int) -> Floats:
    """(n,) from one profile to each; NaN for those that share too little with it."""
    squares = np.square(profiles - profile)
    known = ~np.isnan(squares)
    shared, total = np.count_nonzero(known, axis=1), np.where(known, squares, 0.0).sum(axis=1)
    distances: Floats = np.sqrt(np.divide(total, shared, out=np.full(total.shape, np.nan), where=shared >= least))
    return distances


def frontier(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """The places of the points that no other beats, the cheapest first.

    points: (cost, quality); less cost and more quality are better, in whatever units. One point beats another where it
    is no worse in both and better in one, so points that are equal in both stay or go together; they stand in the order
    of their places. Of points of one cost only the best stay, of points of one quality only the cheapest.
    ValueError for a NaN or an infinity: leave out what is not measured.
    Source: Pareto efficiency, Pareto (1906), Manuale di economia politica.
    """
    if not all(isfinite(cost) and isfinite(quality) for cost, quality in points):
        raise ValueError("cost and quality must be finite: leave out what is not measured")
    best: list[int] = []
    for place in sorted(range(len(points)), key=lambda place: (points[place][0], -points[place][1])):
        if not best or points[place][1] > points[best[-1]][1] or points[place] == points[best[-1]]:
            best.append(place)
    return tuple(best)


DRAWS = 20_000
SAME_DIFFERENCES = "they score the same on every item, so nothing was chosen"


@dataclass(frozen=True, slots=True)
class BestOf:
    """The highest of several means, in the unit of the scores.

    place: its row; value: as it is. corrected: without what choosing the highest adds on average, and its 95 %
    interval from low to high. reason: why there is no correction, or no interval to rely on.
    """

    place: int
    value: float
    corrected: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


def best_of(
    matrix: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    seed: int,
    *,
    weights: npt.ArrayLike | None = None,
    scale: tuple[float, float] = (0, 100),
    values: npt.ArrayLike | None = None,
) -> BestOf:
    """The best of two or more, corrected for the choice among them. matrix: (k, items) finite scores; others as
    `group_mean`. values: (k,) in the place of the means, where a board rounds on its way to them.

    The highest of k means is, on average, higher than the one it is the mean of: what chance gave it is part of why it
    is the highest. With the clustered covariance of the means, S, draw theta* ~ N(theta, S) many times; how far the
    highest of a draw is above its own theta, max theta* - theta_argmax, is the error of a highest mean. Its average is
    taken off. Of two, s the standard error of their difference d, that is s phi(d / s). The interval begins at the
    value less the 97.5 % quantile of that error, widened by t over z for the degrees of freedom of the best, and ends
    where that of the best on its own does, for the best may have been so without any luck.
    Those that rise and fall together share their chance, and little is taken off; where one stands far above the rest
    nothing is. Of k that are equal and independent, about 7/10 of what choosing adds is taken off: the draws lie around
    means that already differ by chance.
    Source: the error of a chosen maximum by parametric bootstrap, Faye et al. (2011), A flexible genome-wide bootstrap
    method that accounts for ranking and threshold-selection bias in GWAS interpretation and replication study design,
    with one rank and no threshold; the interval is ours, and simulated in tests/stats/test_selection.py.
    """
    table = finite("matrix", matrix, ndim=2)
    averages = means(table, groups, clusters, weights=weights)
    scores = averages.value if values is None else np.asarray(values, dtype=np.float64)
    place = int(np.argmax(scores))
    value, se = float(scores[place]), None if np.isnan(averages.se[place]) else float(averages.se[place])
    if (why := unsure(se, int(averages.clusters[place]))) is not None:
        return BestOf(place, value, reason=why)
    chosen = _error_of_highest(scores, averages.influence @ averages.influence.T, seed)
    if not chosen.any():
        return BestOf(place, value, corrected=value, reason=SAME_DIFFERENCES)
    wider = float(quantile(LEVEL, averages.df[place : place + 1])[0]) / NormalDist().inv_cdf((1 + LEVEL) / 2)
    mean = float(chosen.mean())
    most = mean + wider * (float(np.quantile(chosen, level_tails(LEVEL)[1])) - mean)
    alone = means(table[place : place + 1], groups, clusters, weights=weights)
    (own,) = estimate_of(alone, scale, scores[place : place + 1])
    corrected, low = (float(np.clip(value - error, *scale)) for error in (mean, most))
    return BestOf(place, value, corrected, low, own.high)


def _error_of_highest(values: Floats, covariance: Floats, seed: int) -> Floats:
    """(draws,) how far the highest of a draw is above what it was drawn around; 0 where nothing varies."""
    # Those that are alike leave it without an inverse, and roots of its eigenvalues need none.
    sizes, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.clip(sizes, 0, None))
    half = np.random.default_rng(seed).standard_normal((DRAWS // 2, len(values)))
    errors = np.concatenate([half, -half]) @ root.T
    highest = np.argmax(values + errors, axis=1)
    chosen: Floats = errors[np.arange(DRAWS), highest]
    return chosen

"""Contestants compared: the nearest ones, the Pareto frontier, and the best score corrected for its selection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, finite
from nullbench_site.stats.estimate import LEVEL, estimate_of, means, quantile, unsure


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The nearest of some profiles, nearest first.

    places: (some, k) rows of the profiles; -1 if there are fewer than k. distances: (some, k) in the unit of the
    profiles; NaN for a place of -1.
    """

    places: Ints
    distances: Floats


def nearest(profiles: npt.ArrayLike, k: int, *, some: Sequence[int] | None = None, least: int = 3) -> Neighbours:
    """Return the `k` nearest neighbours of each profile except itself. At equal distance, the lower place is first.

    profiles: (n, d), a contestant's axis means or domain scores in one unit, NaN if it has none.
    some: the places whose neighbours are wanted; None for all.
    least: two profiles that share fewer coordinates have no distance, for fewer than three corners make no shape.
    The distance is the root of the mean squared difference over C, the coordinates that both have: sqrt( 1/|C| * sum
    over c in C of (x_c - y_c)^2 ). More shared coordinates do not make it larger.
    Takes time n d for each profile, in numpy.
    Source: ours. The mean instead of the sum is as in Gower (1971), A general coefficient of similarity and some of its
    properties, which also leaves out missing coordinates.
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
    """Return the distances from one profile to each, (n,); NaN if they share too few coordinates."""
    squares = np.square(profiles - profile)
    known = ~np.isnan(squares)
    shared, total = np.count_nonzero(known, axis=1), np.where(known, squares, 0.0).sum(axis=1)
    distances: Floats = np.sqrt(np.divide(total, shared, out=np.full(total.shape, np.nan), where=shared >= least))
    return distances


def frontier(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return the places of the points that no other point beats, the cheapest first.

    points: (cost, quality) in any units; less cost and more quality are better.
    A point beats another if it is no worse in both and better in one. So equal points stay or go together, in the order
    of their places. Of points of one cost only the best stay, of points of one quality only the cheapest.
    ValueError for a NaN or an infinity: leave out points that were not measured.
    Source: Pareto efficiency, Pareto (1906), Manuale di economia politica.
    """
    if not all(isfinite(cost) and isfinite(quality) for cost, quality in points):
        raise ValueError("cost and quality must be finite; leave out points that were not measured")
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

    place: its row. value: the mean itself.
    corrected: the value without the average gain from choosing the highest. low, high: the ends of its 95 % interval.
    reason: why there is no correction, or no reliable interval.
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
    scale: tuple[float, float] | None = (0, 100),
    values: npt.ArrayLike | None = None,
) -> BestOf:
    """Return the best of two or more contestants, corrected for having been chosen as the best.

    matrix: (k, items) finite scores; other arguments as `group_mean`. values: (k,) replace the means if a board rounds
    before it averages.

    The highest of k means overestimates its own true mean, on average: chance helped to make it the highest. With S,
    the clustered covariance of the means, draw theta* ~ N(theta, S) many times. The error of a highest mean is max
    theta* - theta_argmax; its average is subtracted. For two means this is s phi(d / s), s the standard error of their
    difference d.
    The interval begins at the value less the 97.5 % quantile of that error, widened by t over z for the degrees of
    freedom of the best. It ends where the interval of the best alone ends, since the best may have had no luck.
    Means that rise and fall together share their chance, so little is subtracted; nothing is subtracted from a best far
    above the rest. Of k equal and independent means, about 7/10 of the gain is subtracted: the draws are around means
    that already differ by chance.
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
    most = mean + wider * (float(np.quantile(chosen, (1 + LEVEL) / 2)) - mean)
    alone = means(table[place : place + 1], groups, clusters, weights=weights)
    (own,) = estimate_of(alone, scale, scores[place : place + 1])
    corrected, low = (float(np.clip(value - error, *(scale or (-np.inf, np.inf)))) for error in (mean, most))
    return BestOf(place, value, corrected, low, own.high)


def _error_of_highest(values: Floats, covariance: Floats, seed: int) -> Floats:
    """Return how far the highest mean of each draw is above its own true mean, (draws,); 0 if nothing varies."""
    # Contestants with equal scores make it singular; roots of its eigenvalues need no inverse. The symmetric root does
    # not depend on the signs of the eigenvectors, which differ between machines.
    sizes, vectors = np.linalg.eigh(covariance)
    root = (vectors * np.sqrt(np.clip(sizes, 0, None))) @ vectors.T
    half = np.random.default_rng(seed).standard_normal((DRAWS // 2, len(values)))
    errors = np.concatenate([half, -half]) @ root.T
    highest = np.argmax(values + errors, axis=1)
    chosen: Floats = errors[np.arange(DRAWS), highest]
    return chosen

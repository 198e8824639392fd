"""Contestants beside each other: who is alike, and whom no other beats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints


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
    ValueError for another shape and infinities, k < 0 and least < 1. Takes time n d for each, in numpy.
    Source: ours; the mean in the place of the sum as in Gower (1971), A general coefficient of similarity and some of
    its properties, which leaves missing coordinates out in the same way.
    """
    values = np.asarray(profiles, dtype=np.float64)
    if values.ndim != 2 or np.isinf(values).any():
        raise ValueError(f"profiles must be a table of finite numbers or NaN, got shape {values.shape}")
    if k < 0 or least < 1:
        raise ValueError(f"k must be >= 0 and least >= 1, got {k!r} and {least!r}")
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

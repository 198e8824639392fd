"""The best that can be had at each cost."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite


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

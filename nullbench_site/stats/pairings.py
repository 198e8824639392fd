"""Rings of three contestants that contradict any order, and the choice of pairs if not all can play."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Ints, finite

_INFORMATION = 0.25
"""The information of a game between equal contestants: p (1 - p)."""


@dataclass(frozen=True, slots=True)
class Triples:
    """Rings of three contestants, each with more points than the next from their games.

    rings: the places of each ring. decided: the number of triples in which all three pairs are decided.
    """

    rings: tuple[tuple[int, int, int], ...]
    decided: int


def intransitive_triples(table: npt.ArrayLike) -> Triples:
    """Return the rings of three in the points between every two contestants, (k, k) as `Games.table`.

    A pair is decided if one has more points than the other. Each ring begins at its lowest place and goes from winner
    to loser. No single number per contestant can agree with a ring.
    Source: Kendall & Babington Smith (1940), On the method of paired comparisons, circular triads.
    """
    points = finite("points", table, ndim=2)
    beats = points > points.T
    decided = beats | beats.T
    rings: list[tuple[int, int, int]] = []
    n_decided = round(float(np.trace(np.linalg.matrix_power(decided.astype(np.float64), 3)))) // 6
    for one, two in combinations(range(len(points)), 2):
        thirds = np.arange(two + 1, len(points))
        if beats[one, two]:
            rings += [(one, two, third) for third in thirds[beats[two, thirds] & beats[thirds, one]].tolist()]
        elif beats[two, one]:
            rings += [(one, third, two) for third in thirds[beats[one, thirds] & beats[thirds, two]].tolist()]
    return Triples(tuple(rings), n_decided)


def scheduled_pairs(k: int, n_items: int, budget: int) -> Ints:
    """Return the games of `k` contestants on `n_items` items, (budget, 3).

    A row has the item and the two places, the lower first.
    Every item gets one game before any gets a second, and a pair meets at most once per item. Each game goes to the
    first pair by these rules:

    1. a pair that joins two parts of the board that no game joins yet;
    2. the pair whose answers to the item are in the fewest games;
    3. the pair whose difference of Bradley-Terry strengths has the largest variance;
    4. the pair with the fewest games;
    5. the pair with the lowest places.

    The strengths have a standard normal prior and are not known before. So a game adds the information 1/4 of equal
    contestants, no outcome changes the schedule, the games of a smaller budget come first, and k - 1 games join all
    contestants.
    Source: Chaloner & Verdinelli (1995), Bayesian experimental design: a review, sequential design. The schedule before
    any game is a decision of ours. In benchmarks/schedules.py, pairs chosen by outcomes, in rounds, reduce the errors
    of scores by 0 to 5 % among near contestants, and increase them by a quarter among distant ones, whose games are
    least informative.
    """
    one, other = np.triu_indices(k, 1)
    # Element by element: a matrix product adds in another order on another machine, and would break ties differently.
    covariance, variance, part = np.eye(k), np.full(one.size, 2.0), np.arange(k)
    joins, played = np.ones(one.size, np.bool_), np.zeros(one.size, np.int64)
    met, uses = np.zeros((n_items, one.size), np.bool_), np.zeros((n_items, k), np.int64)
    games = np.empty((budget, 3), np.int64)
    for number in range(budget):
        item = number % n_items
        free = ~met[item]
        if (joins & free).any():
            free &= joins
        else:
            in_games = np.where(free, uses[item, one] + uses[item, other], 2 * k)
            free &= in_games == in_games.min()
        best = np.flatnonzero(free & (variance >= variance[free].max() * (1 - 1e-9)))
        pair = int(best[played[best].argmin()])
        a, b = int(one[pair]), int(other[pair])
        towards = covariance[:, a] - covariance[:, b]
        share = _INFORMATION / (1 + _INFORMATION * variance[pair])
        covariance -= np.outer(towards, towards) * share
        variance -= np.square(towards[one] - towards[other]) * share
        if joins[pair]:
            part[part == part[b]] = part[a]
            joins = part[one] != part[other]
        met[item, pair], played[pair] = True, played[pair] + 1
        uses[item, [a, b]] += 1
        games[number] = item, a, b
    return games

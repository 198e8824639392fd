"""Who beats whom, in rings of three that no order agrees with; and who meets whom where not every two can."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Ints, finite

_INFORMATION = 0.25
"""Of a game between two whose strengths are equal: p (1 - p)."""


@dataclass(frozen=True, slots=True)
class Triples:
    """Three contestants of whom each has more points than the next from games with it, in a ring: the `rings`, by
    places; and of how many triples all three pairs are decided."""

    rings: tuple[tuple[int, int, int], ...]
    decided: int


def intransitive_triples(table: npt.ArrayLike) -> Triples:
    """The rings of three in the points between every two contestants, (k, k) as `Games.table`.

    A pair is decided where one has more points than the other. Each ring begins at its first place and goes from who
    wins to who loses. No one number a contestant can agree with a ring.
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
    """(budget, 3) the games of `k` contestants on `n_items` items: the item, and the two who meet on it, low place
    first.

    Games go round the items, one on each before a second on any, and a pair meets once on an item. Each goes to a pair
    that joins parts of the board which no game joins yet; else, of the pairs whose answers to the item are in the
    fewest games, to the one whose difference of Bradley-Terry strengths has the largest variance; of equal ones to that
    with the fewest games, then to that with the lowest places. A game adds the information 1/4 of two equals: the
    strengths, of standard normal prior, are not known before. So no outcome moves it, the games of a smaller budget
    are its first ones, and k - 1 games join all.
    Source: Chaloner & Verdinelli (1995), Bayesian experimental design: a review, sequential design; that it is laid out
    before any game is a decision of ours: in benchmarks/schedules.py pairs chosen by outcomes, in rounds, take 0 to 5 %
    from the errors of scores among near contestants, and add a quarter among far ones, whose games tell least.
    """
    one, other = np.triu_indices(k, 1)
    # By elements alone: sums in another order, as matrix products have them, would make other ties on other machines.
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

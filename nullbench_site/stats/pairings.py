"""Who beats whom: rings of three that no order agrees with, and which two should play next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Ints, finite
from nullbench_site.stats.logistic import ridge_fit, sigmoid


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


def next_pairs(table: npt.ArrayLike, budget: int, *, allowed: Sequence[tuple[int, int]] | None = None) -> Ints:
    """(budget, 2) which two contestants should play each of the next games, the first of a row before the second.

    table: (k, k) the points so far, as `Games.table`; zeros where nobody has played. allowed: the pairs that may play,
    low place first; all without it. Each game goes to the pair whose difference of strengths has the largest variance,
    and is then counted as played: its information p (1 - p) is added. Strengths are Bradley-Terry with a standard
    normal prior, so that pairs that never met have a variance too; of equal ones that with the fewest games goes first,
    then that with the lowest places.
    Source: Chaloner & Verdinelli (1995), Bayesian experimental design: a review, sequential design; the rule is a
    decision of ours (issue 15: largest variance of the difference).
    """
    points = finite("points", table, ndim=2)
    k = len(points)
    pairs = np.array(list(combinations(range(k), 2)) if allowed is None else sorted(allowed), np.int64).reshape(-1, 2)
    if budget and not len(pairs):
        raise ValueError("a budget of games needs two contestants")
    one, other = pairs[:, 0], pairs[:, 1]
    played = (points + points.T)[one, other]
    features = np.zeros((len(pairs), k))
    features[np.arange(len(pairs)), one], features[np.arange(len(pairs)), other] = 1.0, -1.0
    shares = np.divide(points[one, other], played, out=np.full(len(pairs), 0.5), where=played > 0)
    strength = ridge_fit(features, shares, played, np.ones(k))
    expected = sigmoid(strength[one] - strength[other])
    gain = expected * (1 - expected)
    covariance = np.linalg.inv((features * (played * gain)[:, np.newaxis]).T @ features + np.eye(k))
    chosen = np.empty((budget, 2), np.int64)
    for game in range(budget):
        variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
        best = np.flatnonzero(variance >= variance.max() * (1 - 1e-9))
        pair = int(best[played[best].argmin()])
        chosen[game] = pairs[pair]
        towards = covariance[:, one[pair]] - covariance[:, other[pair]]
        covariance -= np.outer(towards, towards) * (gain[pair] / (1 + gain[pair] * variance[pair]))
        played[pair] += 1
    return chosen

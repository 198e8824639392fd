"""Bradley-Terry strengths from games between any two contestants, and the influence of each item on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints, finite
from nullbench_site.stats.logistic import sigmoid

APART = "no chain of games joins all contestants, and between the parts nothing is defined"
_ALONE = 1e-6
"""A leverage this close to 1 is a 1 with a rounding error."""
_LEAST_SHARE = 1e-10
"""A smaller share of the points of two is a 0 with a rounding error."""


@dataclass(frozen=True)
class Games:
    """Games between `k` contestants.

    first, second: (g,) their places. points: (g,) of the first, 0..its weight. weights: (g,) >= 0, the points that the
    two share.
    """

    k: int
    first: Ints
    second: Ints
    points: Floats
    weights: Floats

    @property
    def table(self) -> Floats:
        """Return the points of each contestant, a row, from games with each other one, a column; (k, k)."""
        table = np.zeros((self.k, self.k))
        np.add.at(table, (self.first, self.second), self.points)
        np.add.at(table, (self.second, self.first), self.weights - self.points)
        return table


@dataclass(frozen=True)
class Strengths:
    """Bradley-Terry strengths of contestants, in log odds; the mean of each set is 0.

    log_strength, sets: (k,) and the number of each one's set, from 0. Within a set, a chain of points leads from each
    contestant to every other; only these have finite differences.
    parts: (k,) no chain of games joins contestants of different parts.
    probability: (k, k) that the row wins against the column. 1 and 0 if points go only one way, so that the difference
    is infinite; NaN if no chain of points leads either way; 0.5 on the diagonal.
    """

    log_strength: Floats
    sets: Ints
    parts: Ints
    probability: Floats

    @property
    def scores(self) -> Floats:
        """Return the mean probability to win against each of the others, (k,) 0..100; NaN if one is undefined."""
        k = len(self.sets)
        off_diagonal = np.where(np.eye(k, dtype=np.bool_), 0.0, self.probability)
        scores: Floats = 100 * off_diagonal.sum(axis=1) / (k - 1) if k > 1 else np.full(k, np.nan)
        return scores

    def reason(self, place: int) -> str | None:
        """Return why a contestant's score does not follow from finite strengths, or None."""
        if len(set(self.parts.tolist())) > 1:
            return APART
        others = np.delete(self.probability[place], place)
        if np.isnan(others).any():
            return "no chain of points leads from it to all others or back: the difference is undefined"
        if (others == 1).all():
            return "wins every game: its strength has no upper bound"
        if (others == 0).all():
            return "loses every game: its strength has no lower bound"
        if ((others == 0) | (others == 1)).any():
            return "points with some of the others go only one way: that difference has no bound"
        return None


def bradley_terry(table: npt.ArrayLike) -> Strengths:
    """Return strengths from the points between every two contestants: P(i beats j) = s(a_i - a_j).

    table: (k, k) as `Games.table`.
    This is the maximum of the likelihood, or its limit if there is no maximum. A chain of points from i to j and none
    back puts i above j without bound. Within a set joined both ways there is one maximum, which games with others do
    not change.
    Source: Bradley & Terry (1952), Rank analysis of incomplete block designs; when it exists, Ford (1957), Solution of
    a ranking problem from binary comparisons.
    """
    points = finite("points", table, ndim=2)
    points = np.where(points > _LEAST_SHARE * (points + points.T), points, 0.0)
    k = len(points)
    above, joined = _reaches(points > 0), _reaches(points + points.T > 0)
    together = above & above.T
    sets, parts = _numbered(together), _numbered(joined)
    strength = np.zeros(k)
    for number in range(int(sets.max(initial=-1)) + 1):
        members = np.flatnonzero(sets == number)
        strength[members] = _likeliest(points[np.ix_(members, members)])
    probability = sigmoid(strength[:, np.newaxis] - strength)
    probability = np.where(together, probability, np.where(above, 1.0, np.where(above.T, 0.0, np.nan)))
    return Strengths(strength, sets, parts, probability)


def _reaches(edges: Bools) -> Bools:
    """Return whether a path leads from the row to the column; every place reaches itself."""
    reach: Bools = edges | np.eye(len(edges), dtype=np.bool_)
    while True:
        further: Bools = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if np.array_equal(further, reach):
            return reach
        reach = further


def _numbered(together: Bools) -> Ints:
    """Return the number of each place's class under an equivalence, in the order of their first members."""
    number: Ints = np.unique(together.argmax(axis=1), return_inverse=True)[1].astype(np.int64)
    return number


def _likeliest(points: Floats) -> Floats:
    """Return the maximum-likelihood strengths of contestants joined both ways, (k,) with mean 0, by Newton steps."""
    games = points + points.T
    strength = np.zeros(len(points))
    for _ in range(100):
        expected = sigmoid(strength[:, np.newaxis] - strength)
        gradient = points.sum(axis=1) - (games * expected).sum(axis=1)
        step = np.linalg.solve(_information(games, expected) + 1 / len(points), gradient)
        # Far from the maximum the curvature is small, and a whole step would go too far.
        strength = strength + step / max(1.0, float(np.abs(step).max()) / 2)
        if np.abs(step).max() < 1e-10:
            break
    centred: Floats = strength - strength.mean()
    return centred


def _information(games: Floats, probability: Floats) -> Floats:
    """Return the information of strengths, (k, k): a graph Laplacian, whose rows sum to 0."""
    between = games * probability * (1 - probability)
    information: Floats = np.diag(between.sum(axis=1)) - between
    return information


def _within_sets(games: Games, strengths: Strengths) -> tuple[Ints, Floats]:
    """Return the games within sets, (inside,), and the pseudo-inverse of the information, (k, k).

    Only games within sets inform about strengths. The pseudo-inverse would be the covariance of strengths if games were
    independent.
    """
    same_set = strengths.sets[:, np.newaxis] == strengths.sets
    inside = np.flatnonzero(same_set[games.first, games.second] & (games.weights > 0))
    between = np.zeros((games.k, games.k))
    np.add.at(between, (games.first[inside], games.second[inside]), games.weights[inside])
    probability = np.where(same_set, strengths.probability, 0.5)
    covariance = np.linalg.pinv(_information(between + between.T, probability), rcond=1e-13, hermitian=True)
    return inside, np.asarray(covariance, np.float64)


def strength_influence(games: Games, items: npt.ArrayLike, strengths: Strengths, n: int) -> Floats:
    """Return the influence of each item on the log strength of each contestant, (k, n).

    The log strength is relative to the mean of its set.
    items: (g,) the item of each game, 0..n-1. strengths: `bradley_terry` of these games.
    It is the pseudo-inverse of the information times the item's part of the slope of the likelihood. The sum of squares
    over items is the sandwich variance, clustered by item. Games between sets do not count.
    Source: Huber (1967), The behavior of maximum likelihood estimates under nonstandard conditions.
    """
    inside, covariance = _within_sets(games, strengths)
    one, other, item = games.first[inside], games.second[inside], np.asarray(items, dtype=np.int64)[inside]
    residual = games.points[inside] - games.weights[inside] * strengths.probability[one, other]
    slope = np.zeros((games.k, n))
    np.add.at(slope, (one, item), residual)
    np.add.at(slope, (other, item), -residual)
    influence: Floats = covariance @ slope
    return influence


def mean_leverage(games: Games, strengths: Strengths) -> float:
    """Return the average leverage of a game within its set: (k - sets) / games, 0..1; 0 without a game.

    Residuals are smaller than errors by this share. If every contestant has a game on every prompt, the n / (n - 1) of
    clusters already corrects for it: their sandwich is then, to the digit, the jackknife that leaves out one prompt.
    Source: MacKinnon & White (1985), Some heteroskedasticity-consistent covariance matrix estimators with improved
    finite sample properties, the jackknife HC3, with the mean instead of each leverage.
    """
    inside = (strengths.sets[games.first] == strengths.sets[games.second]) & (games.weights > 0)
    return (games.k - int(strengths.sets.max()) - 1) / int(inside.sum()) if inside.any() else 0.0


def score_influence(games: Games, strengths: Strengths, influence: Floats) -> Floats:
    """Return the influence of each item on the score of each contestant, (k, n) 0-100: the mean probability to win.

    influence: (k, n) `strength_influence` of these games.
    It follows by the slope of the mean, p (1 - p) for each other contestant of the set; a probability of 0 or 1 between
    sets is taken as it is. With few games per strength, residuals are smaller than errors, so each is divided by 1 -
    `mean_leverage`.
    NaN for a contestant whose games within its set all have a leverage of 1: it alone joins two parts, and fits any
    outcome.
    Measured in benchmarks/schedules.py: 95 to 96.4 of 100 intervals of scores cover the true one; without the division,
    92.8 do for 20 contestants with 200 games.
    Source: the delta method.
    """
    inside, covariance = _within_sets(games, strengths)
    one, other = games.first[inside], games.second[inside]
    apart = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
    probability = strengths.probability[one, other]
    tested = games.weights[inside] * probability * (1 - probability) * apart < 1 - _ALONE
    measured = np.zeros(games.k, np.bool_)
    measured[one[tested]] = measured[other[tested]] = True
    same_set = strengths.sets[:, np.newaxis] == strengths.sets
    slope = np.where(same_set, strengths.probability * (1 - strengths.probability), 0.0)
    moved: Floats = slope.sum(axis=1)[:, np.newaxis] * influence - slope @ influence
    moved[~measured] = np.nan
    if measured.any():
        moved *= 100 / (games.k - 1) / (1 - mean_leverage(games, strengths))
    return moved

"""Contestants from games between any two of them: Bradley-Terry strengths, and what each item adds to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints, finite
from nullbench_site.stats.logistic import sigmoid

APART = "no chain of games joins all contestants, and between the parts nothing is defined"
_ALONE = 1e-6
"""How far below 1 a leverage is that rounding may make of 1."""


@dataclass(frozen=True)
class Games:
    """Games between `k` contestants. first, second: (g,) their places. points: (g,) of the first, 0..its weight.
    weights: (g,) >= 0, what the two share between them.
    """

    k: int
    first: Ints
    second: Ints
    points: Floats
    weights: Floats

    @property
    def table(self) -> Floats:
        """(k, k) the points that each contestant, a row, has from games with each other one, a column."""
        table = np.zeros((self.k, self.k))
        np.add.at(table, (self.first, self.second), self.points)
        np.add.at(table, (self.second, self.first), self.weights - self.points)
        return table


@dataclass(frozen=True)
class Strengths:
    """Bradley-Terry strengths of contestants, in log odds, the mean of each set 0.

    log_strength, sets: (k,) and the set of each, from 0: contestants each of whom has points from games with another
    of the set, and so on to every other, and only such have finite differences. parts: (k,) contestants of different
    parts are joined by no chain of games at all. probability: (k, k) that the row wins against the column; 1 and 0
    where points go only one way, so that the difference is infinite; NaN where no chain of points leads either way, and
    0.5 on the diagonal.
    """

    log_strength: Floats
    sets: Ints
    parts: Ints
    probability: Floats

    @property
    def scores(self) -> Floats:
        """(k,) the mean probability to win against each of the others, 0..100; NaN where one of them is undefined."""
        k = len(self.sets)
        off_diagonal = np.where(np.eye(k, dtype=np.bool_), 0.0, self.probability)
        scores: Floats = 100 * off_diagonal.sum(axis=1) / (k - 1) if k > 1 else np.full(k, np.nan)
        return scores

    def reason(self, place: int) -> str | None:
        """Why a contestant's score is not that of finite strengths; None where it is."""
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
    """Strengths from the points between every two contestants, (k, k) as `Games.table`: P(i beats j) = s(a_i - a_j).

    The maximum of the likelihood, and where it has none what it tends to: a chain of points from i to j and none back
    puts i above j without bound; within a set that points join both ways there is one maximum, which games with others
    do not move.
    Source: Bradley & Terry (1952), Rank analysis of incomplete block designs; when it exists, Ford (1957), Solution of
    a ranking problem from binary comparisons.
    """
    points = finite("points", table, ndim=2)
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
    """Whether a path leads from the row to the column; everyone reaches itself."""
    reach: Bools = edges | np.eye(len(edges), dtype=np.bool_)
    while True:
        further: Bools = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if np.array_equal(further, reach):
            return reach
        reach = further


def _numbered(together: Bools) -> Ints:
    """The number of each one's class, in the order of their first members, from an equivalence."""
    number: Ints = np.unique(together.argmax(axis=1), return_inverse=True)[1].astype(np.int64)
    return number


def _likeliest(points: Floats) -> Floats:
    """(k,) strengths with mean 0 of most likelihood, of contestants that points join both ways; Newton's method."""
    games = points + points.T
    strength = np.zeros(len(points))
    for _ in range(100):
        expected = sigmoid(strength[:, np.newaxis] - strength)
        gradient = points.sum(axis=1) - (games * expected).sum(axis=1)
        step = np.linalg.solve(_information(games, expected) + 1 / len(points), gradient)
        # Far from the maximum the curvature falls off, and a whole step would go too far.
        strength = strength + step / max(1.0, float(np.abs(step).max()) / 2)
        if np.abs(step).max() < 1e-10:
            break
    centred: Floats = strength - strength.mean()
    return centred


def _information(games: Floats, probability: Floats) -> Floats:
    """(k, k) the information of strengths: a graph Laplacian, whose rows sum to 0."""
    between = games * probability * (1 - probability)
    information: Floats = np.diag(between.sum(axis=1)) - between
    return information


def _within_sets(games: Games, strengths: Strengths) -> tuple[Ints, Floats]:
    """(inside,) the games within sets, which alone tell of strengths, and (k, k) what these would make the covariance
    of strengths were each of them independent: the pseudo-inverse of the information."""
    same_set = strengths.sets[:, np.newaxis] == strengths.sets
    inside = np.flatnonzero(same_set[games.first, games.second] & (games.weights > 0))
    between = np.zeros((games.k, games.k))
    np.add.at(between, (games.first[inside], games.second[inside]), games.weights[inside])
    probability = np.where(same_set, strengths.probability, 0.5)
    covariance = np.linalg.pinv(_information(between + between.T, probability), hermitian=True)
    return inside, np.asarray(covariance, np.float64)


def strength_influence(games: Games, items: npt.ArrayLike, strengths: Strengths, n: int) -> Floats:
    """(k, n) what each item adds to the log strength of each contestant, against the mean of its set.

    items: (g,) the item of each game, 0..n-1. strengths: `bradley_terry` of these games. The pseudo-inverse of the
    information times the item's part of the slope of the likelihood. The sum of the squares over items is the sandwich
    variance, clustered by item; games between sets have no part in it.
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
    """How much of a game within its set the strengths take up, on average: (k - sets) / games, 0..1; 0 without a game.

    Residuals are smaller than errors by it. Where every contestant has a game on every prompt the n / (n - 1) of
    clusters has it in already: their sandwich is then, to the digit, the jackknife that leaves out one prompt.
    Source: MacKinnon & White (1985), Some heteroskedasticity-consistent covariance matrix estimators with improved
    finite sample properties, the jackknife HC3, with the mean in the place of each leverage.
    """
    inside = (strengths.sets[games.first] == strengths.sets[games.second]) & (games.weights > 0)
    return (games.k - int(strengths.sets.max()) - 1) / int(inside.sum()) if inside.any() else 0.0


def score_influence(games: Games, strengths: Strengths, influence: Floats) -> Floats:
    """(k, n) what each item adds to the score of each contestant, 0-100: to the mean probability to win.

    influence: (k, n) `strength_influence` of these games. By the slope of the mean, p (1 - p) of each other contestant
    of the set; a probability of 0 or 1 between sets is taken as it is. Residuals are smaller than errors where games
    are few beside strengths, so that each is divided by 1 - `mean_leverage`. NaN for a
    contestant each of whose games within its set has a leverage of 1: alone it joins two parts, and agrees with any
    outcome.
    Measured in benchmarks/schedules.py: 95 to 96.4 of 100 intervals of scores hold the true one, without it 92.8 do
    where 20 contestants have 200 games.
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

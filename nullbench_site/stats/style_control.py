"""Win rates adjusted for the length or the style of answers by a regression."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from nullbench_site.stats.arrays import Floats, finite, labels
from nullbench_site.stats.logistic import CLOSE, MOST_HALVINGS, MOST_STEPS, lasso_path, sigmoid, softplus
from nullbench_site.stats.strength import Games

STRENGTHS = np.logspace(-4, 4, 10)
"""The values of C that cross-validation chooses from."""
FOLDS = 5
GAMED_WEIGHT = 0.1
_ENDS_OF_SCIKIT_LEARN = {"maxiter": 100, "maxls": 50, "gtol": 1e-4, "ftol": 64 * np.finfo(np.float64).eps}
LEAST_CONTESTANTS = 3
"""With fewer contestants, the difficulty of an item cannot be separated from the contestants' own results on it."""


@dataclass(frozen=True)
class GamedRows:
    """Games of the baseline, told to be brief or long, against itself. They keep the coefficient of length in bounds.

    shares: (m,) of a win. lengths: (m,) the length feature. difficulty: (m,).
    """

    shares: Floats
    lengths: Floats
    difficulty: Floats


@dataclass(frozen=True)
class LengthControlled:
    """A length-controlled win rate, 0..100.

    se: as published with it: sd / sqrt(n) of the regression's expectations of items. It does not include the error of
    the regression.
    coefficients: of length, difficulty and constant.
    items: (n,) numbers, in the same unit, whose mean is the value and whose spread is its error: the expectation of
    each item plus its influence on the coefficients. An estimate made of them has the interval of this one.
    """

    value: float
    se: float
    coefficients: tuple[float, float, float]
    items: Floats


def length_feature(baseline: npt.ArrayLike, contestant: npt.ArrayLike) -> Floats:
    """Return tanh((baseline - contestant) / s), (n,), s the sample standard deviation of the difference of lengths.

    0 if all lengths differ by the same amount.
    Source: Dubois et al. (2024), Length-controlled AlpacaEval.
    """
    apart = finite("lengths", baseline, ndim=1) - finite("lengths", contestant, ndim=1)
    spread = apart.std(ddof=1) if apart.size > 1 else 0.0
    return np.tanh(apart / spread) if spread > 0 else np.zeros(apart.shape)


def length_controlled(
    shares: npt.ArrayLike,
    lengths: npt.ArrayLike,
    difficulty: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    gamed: GamedRows | None = None,
) -> LengthControlled:
    """Return the win rate that a contestant would have with answers as long as the baseline's.

    shares: (n,) of a win, 0..1, NaN for a missing game. lengths: (n,) `length_feature`. difficulty: (n,) of the items.
    groups: (n,) integers: rows of a group, such as both orders of an item, are held out together. Without groups, each
    row is its own.
    A logistic regression without an intercept on length, difficulty and a constant; the shares weigh both outcomes.
    Gamed rows weigh 0.1 and have 0 for the constant. The lasso strength C is the one of 10 from 1e-4 to 1e4 with the
    least mean loss over 5 folds of held-out rows. The value is 100 * the mean over items of the expectation at length
    0.
    The folds take the groups in turn, the last first, gamed rows before the others, as scikit-learn's GroupKFold takes
    groups of one size.
    ValueError if no row has a share.
    Source: Dubois et al. (2024), Length-controlled AlpacaEval, and its code, length_controlled_v1. `items`: the
    infinitesimal jackknife at the C chosen, Efron & Tibshirani (1993), An Introduction to the Bootstrap, 21.3.
    """
    every = np.asarray(shares, dtype=np.float64)
    of_items = np.column_stack([finite("lengths", lengths, ndim=1), finite("difficulty", difficulty, ndim=1)])
    design = np.column_stack([of_items, np.ones(every.size)])
    group = np.arange(every.size) if groups is None else labels("groups", groups, size=every.size)
    there = np.flatnonzero(~np.isnan(every))
    if not there.size:
        raise ValueError("no game has a preference: there is nothing to fit")
    rows, wins, fold_of = design[there], every[there], np.unique(group[there], return_inverse=True)[1]
    weights = np.ones(there.size)
    if gamed is not None:
        of_gamed = np.column_stack([gamed.lengths, gamed.difficulty, np.zeros(gamed.shares.size)])
        rows, wins = np.vstack([of_gamed, rows]), np.concatenate([gamed.shares, wins])
        weights = np.concatenate([np.full(gamed.shares.size, GAMED_WEIGHT), weights])
        fold_of = np.concatenate([np.arange(gamed.shares.size), gamed.shares.size + fold_of])
    held_out = (int(fold_of.max()) - fold_of) % FOLDS == np.arange(min(FOLDS, int(fold_of.max()) + 1))[:, np.newaxis]
    path = lasso_path(rows, wins, np.vstack([np.where(held_out, 0.0, weights), weights]), STRENGTHS)
    chosen = 0
    if len(held_out) > 1:
        of_folds = np.empty((STRENGTHS.size, len(held_out)))
        for fold, out in enumerate(held_out):
            margins = path[:, fold] @ rows[out].T
            of_folds[:, fold] = ((softplus(margins) - wins[out] * margins) * weights[out]).mean(axis=1)
        chosen = int(of_folds.mean(axis=1).argmin())
    coefficients = path[chosen, -1]

    neutral = design * [0.0, 1.0, 1.0]
    expected = sigmoid(neutral @ coefficients)
    fitted = sigmoid(rows @ coefficients)
    used = np.flatnonzero(coefficients)
    curvature = (rows * (weights * fitted * (1 - fitted))[:, np.newaxis]).T @ rows
    towards = (neutral * (expected * (1 - expected))[:, np.newaxis]).mean(axis=0)
    pull = np.linalg.lstsq(curvature[np.ix_(used, used)], towards[used], rcond=None)[0]
    moved = np.zeros(every.size)
    moved[there] = (wins - fitted)[-there.size :] * (rows[-there.size :, used] @ pull)
    moved[there] -= moved[there].mean()
    value = float(expected.mean())
    return LengthControlled(
        value=100 * value,
        se=100 * float(expected.std(ddof=1)) / every.size**0.5 if every.size > 1 else 0.0,
        coefficients=(float(coefficients[0]), float(coefficients[1]), float(coefficients[2])),
        items=100 * (expected + every.size * moved),
    )


def fitted_difficulty(shares: npt.ArrayLike, lengths: npt.ArrayLike) -> Floats:
    """Return how much more often an item is won than others, (n,) in log odds, from all contestants' games on it.

    shares: (k, n) of wins, NaN for a missing game. lengths: (k, n) `length_feature` of each contestant.
    One joint logistic regression: a constant and a coefficient of length per contestant, and a number per item, with a
    ridge of 1 on all. The ridge treats the items' numbers as draws from a normal distribution of variance 1. Higher is
    easier for contestants. Zeros for fewer than three contestants.
    Source: Dubois et al. (2024), Length-controlled AlpacaEval, where the item's term is fitted for all models at once
    and its coefficient is 1; the ridge is ours.
    """
    table, lengths = np.asarray(shares, dtype=np.float64), finite("lengths", lengths, ndim=2)
    known = ~np.isnan(table)
    k, n = table.shape
    if int(known.any(axis=1).sum()) < LEAST_CONTESTANTS:
        return np.zeros(n)
    weights, wins = known.astype(np.float64), np.where(known, table, 0.0)
    features = np.stack([np.ones((k, n)), lengths])  # (2, k, n)
    own, item = np.zeros((2, k)), np.zeros(n)

    def objective(own: Floats, item: Floats) -> float:
        margin = np.einsum("fk,fkn->kn", own, features) + item
        penalty = (np.square(own).sum() + np.square(item).sum()) / 2
        return float((weights * (softplus(margin) - wins * margin)).sum() + penalty)

    value = objective(own, item)
    for _ in range(MOST_STEPS):
        fitted = sigmoid(np.einsum("fk,fkn->kn", own, features) + item)
        residual, bend = weights * (fitted - wins), weights * fitted * (1 - fitted)
        of_own, of_item = np.einsum("fkn,kn->fk", features, residual) + own, residual.sum(axis=0) + item
        across = (features * bend).reshape(2 * k, n)
        of_items = bend.sum(axis=0) + 1  # the items' part of the curvature is diagonal, so they are eliminated first
        within = np.eye(2 * k)
        blocks = np.einsum("fkn,gkn,kn->fgk", features, features, bend)
        for f, g in np.ndindex(2, 2):
            within[f * k + np.arange(k), g * k + np.arange(k)] += blocks[f, g]
        reduced = within - (across / of_items) @ across.T
        step = np.linalg.solve(reduced, of_own.ravel() - across @ (of_item / of_items))
        item_step, own_step = (of_item - step @ across) / of_items, step.reshape(2, k)
        for _ in range(MOST_HALVINGS):
            if (at := objective(own - own_step, item - item_step)) <= value:
                break
            own_step, item_step = own_step / 2, item_step / 2
        else:
            return item
        gained, value, own, item = value - at, at, own - own_step, item - item_step
        if gained <= CLOSE * max(value, 1.0):
            break
    return item


@dataclass(frozen=True)
class StyleControlled:
    """Scores against the baseline, 0..100, (k,), adjusted for style, and the coefficient of each style feature.

    The coefficients, (f,), are in log odds per standard deviation of the feature.
    items: (k, n) numbers, in the unit of the scores, whose mean is the score and whose spread is its error, as in
    `LengthControlled`; an item without a game has the score.
    """

    scores: Floats
    coefficients: Floats
    items: Floats


def style_controlled(
    games: Games, styles: tuple[npt.ArrayLike, npt.ArrayLike], baseline: int | None, items: npt.ArrayLike, n: int
) -> StyleControlled:
    """Return Bradley-Terry strengths fitted together with coefficients of style.

    styles: two (g, f) of counts >= 0 in the answers of the first and of the second of each game, such as length,
    headers, list items and bold words. items: (g,) the item of each game, 0..n-1.
    The features are (a - b) / (a + b + 1), less their mean and over their population standard deviation, each game as
    often as it weighs; a feature that never varies is 0.
    A logistic regression without an intercept on indicators of +-ln 10 and the features, with a ridge of C = 1. Each
    game counts twice, and a tie counts once each way. The score is the probability to win against the contestant at the
    place `baseline` in equal style; without a baseline it is the mean over the others.
    It is fitted by L-BFGS with scikit-learn's stopping rule, as in the source. Its published scores are up to 0.07
    points from the optimum, so a converged fit would differ.
    ValueError if there was no game or all points went to one side.
    Source: Li et al. (2024), Does style matter? Disentangling style and substance in Chatbot Arena, and the code of
    Arena-Hard-Auto. `items`: the infinitesimal jackknife, Efron & Tibshirani (1993), An introduction to the bootstrap,
    21.3, with the standard deviation of features taken as known.
    """
    if not games.weights.any():
        raise ValueError("no game was played: there is nothing to fit")
    a, b = (finite("styles", of, ndim=2) for of in styles)
    ratio = (a - b) / (a + b + 1)
    ratio = ratio - np.average(ratio, axis=0, weights=games.weights)
    spread = np.sqrt(np.average(np.square(ratio), axis=0, weights=games.weights))
    ratio = np.divide(ratio, spread, out=np.zeros(ratio.shape), where=spread > 1e-12)
    if not 0 < games.points.sum() < games.weights.sum():
        raise ValueError("all points went to one side: there is nothing to fit")
    k, total = games.k, 2 * games.weights.sum()
    indicator = log(10)

    def loss(at: Floats) -> tuple[float, Floats]:
        """Return the mean loss with its ridge, and its slope."""
        margin = indicator * (at[games.first] - at[games.second]) + ratio @ at[k:]
        losses = 2 * (games.weights * softplus(margin) - games.points * margin)
        slope = 2 * (games.weights * sigmoid(margin) - games.points)
        up, down = (np.bincount(side, slope, minlength=k) for side in (games.first, games.second))
        of_all = np.concatenate([indicator * (up - down), slope @ ratio]) + at
        return float(losses.sum() + np.square(at).sum() / 2) / total, of_all / total

    minimum = minimize(loss, np.zeros(k + ratio.shape[1]), jac=True, method="L-BFGS-B", options=_ENDS_OF_SCIKIT_LEARN).x
    strength = indicator * minimum[:k]
    probability = sigmoid(strength[:, np.newaxis] - strength)
    scores = probability[:, baseline] if baseline is not None else (probability.sum(axis=1) - 0.5) / max(k - 1, 1)
    against = np.full((k, k), 1 / max(k - 1, 1)) if baseline is None else np.eye(k)[[baseline] * k]
    slope = 100 * indicator * against * probability * (1 - probability)
    moved = (np.diag(slope.sum(axis=1)) - slope) @ _coefficients_moved(games, ratio, minimum, items, n)[:k]
    moved -= moved.mean(axis=1, keepdims=True)
    return StyleControlled(100 * scores, minimum[k:], 100 * scores[:, np.newaxis] + n * moved)


def _coefficients_moved(games: Games, ratio: Floats, coefficients: Floats, items: npt.ArrayLike, n: int) -> Floats:
    """Return the influence of each item on the coefficients of `style_controlled`, (k + f, n).

    It is the inverse of the curvature times the item's part of the slope.
    """
    k, indicator, item = games.k, log(10), np.asarray(items, dtype=np.int64)
    fitted = sigmoid(indicator * (coefficients[games.first] - coefficients[games.second]) + ratio @ coefficients[k:])
    bend = 2 * games.weights * fitted * (1 - fitted)
    between = np.zeros((k, k))
    np.add.at(between, (games.first, games.second), bend)
    between += between.T
    across = np.zeros((k, len(coefficients) - k))
    np.add.at(across, games.first, bend[:, np.newaxis] * ratio)
    np.subtract.at(across, games.second, bend[:, np.newaxis] * ratio)
    curvature = np.eye(len(coefficients))
    curvature[:k, :k] += indicator**2 * (np.diag(between.sum(axis=1)) - between)
    curvature[:k, k:] += indicator * across
    curvature[k:, :k] += indicator * across.T
    curvature[k:, k:] += (ratio * bend[:, np.newaxis]).T @ ratio
    residual, slope = 2 * (games.points - games.weights * fitted), np.zeros((len(coefficients), n))
    np.add.at(slope, (games.first, item), indicator * residual)
    np.subtract.at(slope, (games.second, item), indicator * residual)
    np.add.at(slope[k:].T, item, residual[:, np.newaxis] * ratio)
    # An item also changes the mean of a feature, and with it the meaning of equal style.
    mean_moved = np.zeros((len(coefficients) - k, n))
    np.add.at(mean_moved.T, item, games.weights[:, np.newaxis] * ratio / games.weights.sum())
    bent = np.bincount(games.first, bend, minlength=k) - np.bincount(games.second, bend, minlength=k)
    by_mean = np.outer(np.concatenate([indicator * bent, bend @ ratio]), coefficients[k:])
    by_mean[k:] -= residual.sum() * np.eye(len(coefficients) - k)
    return np.asarray(np.linalg.solve(curvature, slope + by_mean @ mean_moved), np.float64)

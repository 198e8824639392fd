"""Logistic regressions of shares, 0..1, with weighted rows, by the lasso along a path of penalties."""

from __future__ import annotations

from operator import mul

import numpy as np

from nullbench_site.stats.arrays import Floats

MOST_STEPS, MOST_HALVINGS = 100, 30
CLOSE = 1e-9
"""Stop when a step gains less than this share of the objective."""


def sigmoid(margin: Floats) -> Floats:
    """Return 1 / (1 + e^-margin) without overflow. scipy's `expit` takes longer and differs in the last digit."""
    small = np.exp(-np.abs(margin))
    return np.asarray(np.abs((margin >= 0) - small / (1 + small)), np.float64)


def softplus(margin: Floats) -> Floats:
    """Return ln(1 + e^margin): the loss of a row of share 0. A row of share y loses that less y * margin."""
    return np.asarray(np.log1p(np.exp(-np.abs(margin))) + np.maximum(margin, 0), np.float64)


def lasso_path(features: Floats, shares: Floats, weights: Floats, strengths: Floats) -> Floats:
    """Return coefficients b, without an intercept, that minimise sum_j |b_j| + C sum_i w_i loss_i.

    The shape is (strengths, ways, p).
    features: (n, p), p small. shares: (n,) 0..1.
    weights: (ways, n) >= 0, one row per simultaneous fit. The folds of a cross-validation have 0 for held-out rows.
    strengths: the values of C, rising; each fit starts from the previous one.
    Newton's method: the quadratic model of each step is solved by coordinate descent, and the step is halved until it
    gains.
    Source: Tibshirani (1996), Regression shrinkage and selection via the lasso; Friedman, Hastie & Tibshirani (2010),
    Regularization paths for generalized linear models via coordinate descent; C as LIBLINEAR has it, Fan et al. (2008).
    """
    ways, p = weights.shape[0], features.shape[1]
    products = (features[:, :, np.newaxis] * features[:, np.newaxis, :]).reshape(len(features), p * p)
    by_column = np.ascontiguousarray(features.T)
    won = (weights * shares) @ features

    def loss(at: Floats, margin: Floats) -> Floats:
        losses: Floats = np.einsum("wn,wn->w", weights, softplus(margin)) - (won * at).sum(axis=1)
        return losses

    at, margin = np.zeros((ways, p)), np.zeros(weights.shape)
    losses = loss(at, margin)
    path = np.empty((strengths.size, ways, p))
    for place, strength in enumerate(strengths):
        value = strength * losses + np.abs(at).sum(axis=1)
        for _ in range(MOST_STEPS):
            fitted = sigmoid(margin)
            gradient = strength * ((weights * fitted) @ features - won)
            curvature = strength * ((weights * fitted * (1 - fitted)) @ products).reshape(ways, p, p)
            wanted = np.array([_descended(*of_way) for of_way in zip(at, gradient, curvature, strict=True)])
            step = wanted - at
            for _ in range(MOST_HALVINGS):
                new_margin = (at + step) @ by_column
                new_losses = loss(at + step, new_margin)
                new_value = strength * new_losses + np.abs(at + step).sum(axis=1)
                worse = new_value > value + CLOSE * np.maximum(value, 1.0)
                if not worse.any():
                    break
                step[worse] /= 2
            gained = value - new_value
            at, margin, losses, value = at + step, new_margin, new_losses, new_value
            if (gained <= CLOSE * np.maximum(value, 1.0)).all():
                break
        path[place] = at
    return path


def _descended(start: Floats, gradient: Floats, curvature: Floats) -> list[float]:
    """Minimise gradient * d + d' curvature d / 2 + |start + d|_1 by coordinate descent; return start + d.

    In plain Python: for three coefficients, numpy would spend its time on calls.
    """
    begun, slope, bend = start.tolist(), gradient.tolist(), curvature.tolist()
    now, apart = list(begun), [0.0] * len(begun)
    for _ in range(1000):
        moved = 0.0
        for j, row in enumerate(bend):
            own = row[j]
            if own <= 0:
                continue
            pull = slope[j] + sum(map(mul, row, apart))
            target = own * now[j] - pull
            value = (target - 1) / own if target > 1 else (target + 1) / own if target < -1 else 0.0
            moved = max(moved, abs(value - now[j]))
            now[j], apart[j] = value, value - begun[j]
        if moved <= 1e-10:
            break
    return now

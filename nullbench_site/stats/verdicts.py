"""Verdicts of who is better and how much: points against a baseline, and what other rows would have given."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, finite

MUCH = 3
"""What a verdict that one answer is much better counts."""


def verdict_points(verdicts: npt.ArrayLike) -> tuple[Floats, Floats]:
    """(points, weights) of verdicts for the contestant: 2 much better, 1 better, 0 a tie, -1 worse, -2 much worse.

    NaN, no game, has a weight of 0. A game weighs 1, one with a contestant much better 3; a win has all of its weight
    in points, a tie half.
    ValueError for other verdicts.
    Source: Li et al. (2024), From crowdsourced data to high-quality benchmarks: Arena-Hard and BenchBuilder; its code,
    weight 3.
    """
    values = np.asarray(verdicts, dtype=np.float64)
    played = ~np.isnan(values)
    if not np.isin(values[played], [-2, -1, 0, 1, 2]).all():
        raise ValueError("a verdict is one of -2, -1, 0, 1 and 2")
    weights = np.where(played, np.where(np.abs(values) == 2, MUCH, 1.0), 0.0)
    return np.where(played, weights * (np.sign(values) + 1) / 2, 0.0), weights


def ratio_items(points: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """(n,) numbers, 0..100 on average, whose mean is the score 100 * sum(points) / sum(weights), and whose spread is
    its error.

    points, weights: (n,) of the games on each item; NaN for an item without any. With R the score and W the mean
    weight: R + (100 points - R weights) / W. An estimate made of them, by clusters of items, is that of a ratio. Of
    games against one baseline R is also the Bradley-Terry probability of a win against it.
    Source: Cochran (1977), Sampling techniques, chapter 6, the linearised ratio of two sums.
    """
    of_items, weight = finite("points", points, ndim=1), finite("weights", weights, ndim=1)
    there = weight > 0
    if not there.any():
        return np.full(of_items.shape, np.nan)
    ratio = 100 * of_items[there].sum() / weight[there].sum()
    return np.where(there, ratio + (100 * of_items - ratio * weight) / weight[there].mean(), np.nan)


def row_bootstrap(
    wins: npt.ArrayLike, ties: npt.ArrayLike, losses: npt.ArrayLike, seed: int, *, rounds: int = 100
) -> Floats:
    """(rounds, k) scores, 0..100, with single rows drawn anew, as leaderboards of the kind publish them.

    wins, ties, losses: (k,) counts of rows of each contestant against the baseline, a game of weight 3 being three
    rows. Rows of all contestants are drawn from one urn, as many as there are. It takes rows for independent, which the
    two orders of a question and the copies of a game are not: its intervals are too narrow.
    Source: the code of Arena-Hard-Auto; Efron (1979), Bootstrap methods: another look at the jackknife.
    """
    counts = np.stack([finite("counts", of, ndim=1) for of in (wins, ties, losses)], axis=1)
    total = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(total, counts.ravel() / total, size=rounds)
    by_outcome = drawn.reshape(rounds, *counts.shape).astype(np.float64)
    with np.errstate(invalid="ignore"):
        scores: Floats = 100 * (by_outcome[..., 0] + by_outcome[..., 1] / 2) / by_outcome.sum(axis=2)
    return scores

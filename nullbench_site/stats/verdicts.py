"""Verdicts of who is better and how much: points against a baseline, and what other questions would have given."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, finite, labels

MUCH = 3
"""What a verdict that one answer is much better counts."""
_POISSON = np.repeat(np.arange(9, dtype=np.float32), [24109, 24109, 12055, 4018, 1005, 201, 33, 5, 1])
"""A Poisson number of mean 1 for each of 65,536 draws."""


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


def question_bootstrap(
    points: npt.ArrayLike, weights: npt.ArrayLike, clusters: npt.ArrayLike, seed: int, *, rounds: int = 1000
) -> Floats:
    """(rounds, k) scores, 0..100, of contestants on questions drawn anew, NaN where a draw holds no game of one.

    points, weights: (k, n) of the games of each contestant on each item. clusters: (n,) integers, what is drawn as one;
    each is in a draw as often as a Poisson number of mean 1 says, the same for all contestants. That is drawing as many
    as there are with replacement, but for the number in all, which a ratio does not heed, and costs half of it. In
    single precision.
    Source: Field & Welsh (2007), Bootstrapping clustered data; Hanley & MacGibbon (2006), Creating non-parametric
    bootstrap samples using Poisson frequencies.
    """
    of_items, weight = finite("points", points, ndim=2), finite("weights", weights, ndim=2)
    cluster = labels("clusters", clusters, size=of_items.shape[1])
    k, size = len(of_items), int(cluster.max(initial=-1)) + 1
    order = np.argsort(cluster, kind="stable")
    both = np.concatenate([of_items, weight]).astype(np.float32)[:, order]
    of_clusters = np.add.reduceat(both, np.searchsorted(cluster[order], np.arange(size)), axis=1) if size else both
    times = _POISSON.take(np.random.default_rng(seed).integers(0, _POISSON.size, (rounds, size), dtype=np.uint16))
    drawn = times @ of_clusters.T
    with np.errstate(invalid="ignore"):
        scores: Floats = 100 * (drawn[:, :k] / drawn[:, k:]).astype(np.float64)
    return scores


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

"""Joint tests of all differences of a board besides flips of signs: a studentised bootstrap, and betting."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import numpy as np

from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.betting import log_capital
from nullbench_site.stats.estimate import ERROR, Means

DRAWS, LEAST_DRAWS, _CELLS = 9_999, 999, 2_000_000_000
"""The most and the fewest draws of the bootstrap. Between these, pairs times clusters times draws is at most the third.
"""
NOTHING = 1e-12
"""A variance of a draw that is a smaller share of the variance of the data is a rounding error of 0."""

OfPair = Callable[[int, Floats], None]
"""Write the absolute statistics of a pair in all draws without a difference, (draws,), into an array."""


def block_sizes(averages: Means) -> Ints:
    """Return the number of clusters of each block, (blocks,)."""
    sizes: Ints = np.diff(np.append(averages.block_starts, averages.influence.shape[1])).astype(np.int64)
    return sizes


def drawn_clusters(sizes: Ints, draws: int, rng: np.random.Generator) -> Ints:
    """Return how often each cluster is drawn, (clusters, draws). Each block draws as many as it has, with replacement.

    sizes: (blocks,) the number of clusters of each.
    """
    counts = np.empty((int(sizes.sum()), draws), np.int64)
    start = 0
    for size in sizes.tolist():
        places = rng.integers(size, size=(draws, size)) + size * np.arange(draws)[:, np.newaxis]
        counts[start : start + size] = np.bincount(places.ravel(), minlength=size * draws).reshape(draws, size).T
        start += size
    return counts


def studentised(influence: Floats, sizes: Ints, unseen: Floats, counts: Ints, noise: Floats) -> Callable[..., Floats]:
    """Return a function of the numbers of two contestants that gives |t| of their difference in each draw, (draws,).

    influence: (k, clusters) as in `Means`; in a block its sum is 0. counts: (clusters, draws) as `drawn_clusters`.
    unseen: (k,) standard errors that no item shows; noise: (k, draws) normal numbers for them.
    With e the influences of the difference and w the counts, t = sum w e / s. s^2 is the sum over blocks of sum w e^2 -
    (sum w e)^2 / m, m the clusters of the block: the standard error that the drawn clusters show. t is infinite if s
    is 0 and the sum is not.
    Source: Efron & Tibshirani (1993), An introduction to the bootstrap, 12.5, by cluster as in Field & Welsh (2007),
    Bootstrapping clustered data.
    """
    weights = counts.astype(np.float64)
    starts = np.cumsum(sizes) - sizes
    of_blocks = np.stack(
        [influence[:, start : start + m] @ weights[start : start + m] for start, m in zip(starts, sizes, strict=True)]
    )
    moved = unseen[:, np.newaxis] * noise

    def of_pair(one: int, other: int) -> Floats:
        apart = influence[one] - influence[other]
        sums = of_blocks[:, one] - of_blocks[:, other]
        more = float(unseen[one] ** 2 + unseen[other] ** 2)
        variance = np.square(apart) @ weights - (np.square(sums) / sizes[:, np.newaxis]).sum(axis=0) + more
        whole = float(apart @ apart) + more
        total = np.abs(sums.sum(axis=0) + moved[one] - moved[other])
        found: Floats = np.where(total > np.sqrt(NOTHING * whole), np.inf, 0.0)
        np.divide(total, np.sqrt(np.maximum(variance, 0)), out=found, where=variance > NOTHING * whole)
        return found

    return of_pair


def bootstrap(
    averages: Means, unseen: Floats, pairs: tuple[Ints, Ints], seed: int, draws: int = 0
) -> tuple[OfPair, int]:
    """Return the statistics of pairs in draws of clusters, for `step_down`, and the number of draws.

    averages: of all contestants. unseen: (k,) as `Means.unseen`. pairs: places of the firsts and of the seconds. draws:
    0 for as many as the size of the board allows.
    Source: `studentised`; max |t| over pairs as in Westfall & Young (1993), Resampling-based multiple testing, 2.
    """
    sizes, rng = block_sizes(averages), np.random.default_rng(seed)
    first, second = pairs
    cells = max(1, first.size * averages.influence.shape[1])
    n = draws or max(LEAST_DRAWS, min(DRAWS, _CELLS // cells))
    counts = drawn_clusters(sizes, n, rng)
    noise = rng.standard_normal((len(unseen), n)) if unseen.any() else np.zeros((len(unseen), 1))
    of_two = studentised(averages.influence, sizes, unseen, counts, noise)

    def of_pair(pair: int, out: Floats) -> None:
        out[:] = of_two(int(first[pair]), int(second[pair]))

    return of_pair, n


def betting(parts: Floats, bounds: Floats, blocks: Ints, pairs: tuple[Ints, Ints], width: float) -> tuple[Bools, Bools]:
    """Return which pairs differ by a betting bound, together at 5 % by Holm's method, and each alone; (pairs,) each.

    parts: (k, clusters) as `cluster_parts`. bounds: (clusters,) the part of a cluster for scores of 1. blocks:
    (clusters,) the block of each. pairs: as in `bootstrap`. width: of the scale.
    Clusters are taken in an order fixed by a hash of their numbers. If there are several blocks, a round takes some
    clusters of each, and there are as many rounds as the smallest block has clusters. A round's difference, with all
    blocks as in the mean, is bounded by the scale, and its mean is not 0 only if the scores differ.
    Source: `betting.log_capital`; Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    order = np.array(sorted(range(blocks.size), key=lambda place: sha256(str(place).encode()).digest()), np.int64)
    sizes = np.bincount(blocks)
    n_rounds = int(sizes.min())
    rounds, most = np.zeros((len(parts), n_rounds)), 0.0
    for block, size in enumerate(sizes.tolist()):
        own = order[blocks[order] == block]
        of_round = np.arange(size) * n_rounds // size
        taken = np.bincount(of_round)
        starts = np.flatnonzero(np.diff(of_round, prepend=-1))
        rounds += np.add.reduceat(parts[:, own] * size, starts, axis=1) / taken
        most += float(bounds[own].max()) * size
    first, second = pairs
    found = np.zeros(first.size)
    at_a_time = max(1, 4_000_000 // n_rounds)
    for start in range(0, first.size, at_a_time):
        some = slice(start, start + at_a_time)
        share = np.clip((rounds[first[some]] - rounds[second[some]]) / (2 * width * most) + 0.5, 0, 1)
        found[some] = np.maximum(log_capital(share, 0.5, ERROR), log_capital(1 - share, 0.5, ERROR))
    p = np.minimum(2 * np.exp(-found), 1.0)
    ordered = np.argsort(p, kind="stable")
    holds = np.logical_and.accumulate(p[ordered] <= ERROR / np.arange(p.size, 0, -1))
    together = np.zeros(p.size, np.bool_)
    together[ordered[holds]] = True
    return together, p <= ERROR

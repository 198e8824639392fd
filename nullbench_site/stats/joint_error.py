"""How often a joint test tells equal contestants of a board apart, measured on tables of the board's own residuals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import ERROR, means
from nullbench_site.stats.joint_tests import NOTHING, block_sizes, drawn_clusters
from nullbench_site.stats.measure import LEAST_CLUSTERS, JointTest, wilson
from nullbench_site.stats.ranking import compared

MOST_ERROR = 0.07
"""The largest error that a test may show, unless the lower end of its interval is at most 5 %."""
FLIPS = 1_000
"""The flips of a draw, the first of which flips none; as many draws of the bootstrap."""
MOST_DRAWS, LEAST_DRAWS = 1_000, 200
PAIRS_PER_CLUSTER = 10
"""With more pairs a cluster than this, redrawn clusters differ more often than the data do: benchmarks/joint.py."""
WORK, _TOO_MUCH = 3_000_000_000, 20_000_000_000
"""The work of all draws of a check, in products and statistics of pairs; and the most, even for few draws.
"""
_AT_A_TIME, _CELLS = 50, 4_000_000
"""How many flips are made at a time, and the size of an array."""
_EVERY = 10
"""Up to this many clusters, every flip is tried, 2^9 at most."""
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class FamilyError:
    """How often a test told any two of equal contestants apart. share: of `draws`; low, high: its 95 % interval.

    dealt: whether residuals were dealt to other contestants, and not drawn again.
    """

    test: JointTest
    share: float
    low: float
    high: float
    draws: int
    dealt: bool = False

    @property
    def holds(self) -> bool:
        """Whether the test may be used: its error is not shown to be above 5 %, or at most 7 %."""
        return self.share <= MOST_ERROR or self.low <= ERROR


def family_error(
    table: Floats,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    families: Sequence[Ints],
    seed: int,
    *,
    test: JointTest = "flips",
    weights: npt.ArrayLike | None = None,
    scale: tuple[float, float] | None = None,
    most_draws: int = MOST_DRAWS,
    least_draws: int = LEAST_DRAWS,
    most_work: int = WORK,
) -> FamilyError | None:
    """Return the family-wise error of a joint test among contestants that were made equal; the largest of `families`.

    table: (k, items) finite scores. groups, clusters, weights, scale: as `ranking.compared`. families: the contestants,
    of two or more, that are made equal: usually all, and each group of ties. The other contestants do not matter: when
    stepping down, a family is tested last, and alone, at worst. None without a family, with too few clusters to
    test, and if it would take too long.
    In each draw, the clusters of every block are drawn again from the residuals of their contestants, and the board's
    test is applied, with 1,000 flips of signs or draws of its own. The number of draws is as large as the size of the
    board allows. A block of fewer than 6 clusters does not show how its residuals are distributed, and with more than
    10 pairs a cluster some pair of redrawn residuals is skewed by chance: then each cluster's residuals are dealt to
    the contestants at random, which shows less: it makes all contestants alike.
    Source: ours; the bootstrap under the null hypothesis after Beran (1988), Prepivoting test statistics; dealing is
    the permutation of Fisher (1935), The design of experiments.
    """
    families = [family for family in families if family.size > 1]
    if not families:
        return None
    averages = means(table, groups, clusters, weights=weights)
    sizes = block_sizes(averages)
    if np.isnan(averages.se).any() or sizes.sum() < LEAST_CLUSTERS:
        return None
    most_pairs = max(family.size * (family.size - 1) // 2 for family in families)
    dealt = bool(sizes.min() < LEAST_CLUSTERS or most_pairs > PAIRS_PER_CLUSTER * sizes.sum())
    if dealt:  # all contestants are alike then, and a group of ties is only smaller
        families = [max(families, key=len)]
    found = []
    for family in families:
        pairs = family.size * (family.size - 1) // 2
        work = 200 * (family.size * int(sizes.sum()) * (1 if test == "flips" else family.size) + 4 * pairs)
        draws = max(least_draws, min(most_draws, most_work // (work * len(families)) // 50 * 50))
        draws = min(draws, LEAST_DRAWS) if test == "betting" else draws  # its level does not depend on the data
        if draws * work > _TOO_MUCH:
            return None
        rng = np.random.default_rng([seed, family.size, int(family[0])])
        told = _count(averages.influence[family], sizes, rng, draws, test=test, scale=scale, dealt=dealt)
        found.append(FamilyError(test, told[0] / told[1], *wilson(*told), told[1], dealt))
    return max(found, key=lambda each: (each.share, each.draws))


def _count(
    influence: Floats,
    sizes: Ints,
    rng: np.random.Generator,
    draws: int,
    *,
    test: JointTest,
    scale: tuple[float, float] | None,
    dealt: bool,
) -> tuple[int, int]:
    """Return in how many draws the test tells any two contestants apart, and the number of draws.

    influence: (k, clusters) of the contestants that are made equal. A test whose error is surely too large after 200
    draws is not tried on more.
    """
    first, second = np.triu_indices(len(influence), 1)
    n = influence.shape[1]
    at_a_time = max(1, min(LEAST_DRAWS, _CELLS // (first.size * (n if test == "bootstrap" else _AT_A_TIME) + n * 50)))
    told = done = 0
    while done < draws:
        some = min(at_a_time, draws - done)
        tables = np.stack([_redrawn(influence, sizes, rng, dealt=dealt) for _ in range(some)])
        rare = np.ones(some, np.bool_)
        if test == "flips":
            rare = _rare_by_flips(tables, rng, first, second)
        elif test == "bootstrap":
            rare = _rare_by_bootstrap(tables, sizes, rng, first, second)
        told += sum(_told_apart(tables[place], sizes, done + int(place), test, scale) for place in np.flatnonzero(rare))
        done += some
        if done >= LEAST_DRAWS and wilson(told, done)[0] > MOST_ERROR:
            break
    return told, done


def _redrawn(influence: Floats, sizes: Ints, rng: np.random.Generator, *, dealt: bool) -> Floats:
    """Return residuals of equal contestants, (k, clusters), in the unit of influences."""
    if dealt:
        return rng.permuted(influence - influence.mean(axis=0), axis=0)
    starts = (np.cumsum(sizes) - sizes).tolist()
    drawn = [start + rng.integers(m, size=m) for m, start in zip(sizes.tolist(), starts, strict=True)]
    return influence[:, np.concatenate(drawn)]


def _told_apart(parts: Floats, sizes: Ints, seed: int, test: JointTest, scale: tuple[float, float] | None) -> bool:
    """Return True if the test tells any two rows apart. parts: (k, clusters) the parts of clusters in means."""
    block = np.repeat(np.arange(sizes.size), sizes)
    table = parts * (sizes[block] * sizes.size)
    found = compared(table, block, np.arange(block.size), seed, scale=scale, draws=FLIPS, test=test)
    return bool(found.better.any())


def _rare_by_flips(tables: Floats, rng: np.random.Generator, first: Ints, second: Ints) -> Bools:
    """Return whether the largest statistic of each table is significant among flips, (draws,).

    tables: (draws, k, clusters). Flips are drawn until the result is sure.
    """
    n = tables.shape[2]
    sums, norm = tables.sum(axis=2), np.sqrt(_square_distances(tables, first, second))
    per_norm = np.divide(1, norm, out=np.zeros(norm.shape), where=norm > 0)
    largest = (np.abs(sums[:, first] - sums[:, second]) * per_norm).max(axis=1)
    every = None if n > _EVERY else ((np.arange(2 ** (n - 1)) << 1) >> np.arange(n)[:, np.newaxis] & 1) * 1.0

    def maxima(some: Ints) -> Floats:
        flips = every
        if flips is None:
            drawn = np.frombuffer(rng.bytes(some.size * n * _AT_A_TIME), np.uint8).reshape(some.size, n, _AT_A_TIME)
            flips = (drawn >> 7).astype(np.float64)
        flipped = sums[some][:, :, np.newaxis] - 2 * (tables[some] @ flips)
        apart = flipped[:, first]
        apart -= flipped[:, second]
        np.abs(apart, out=apart)
        apart *= per_norm[some][:, :, np.newaxis]
        most: Floats = apart.max(axis=1)
        return most

    return _rare(maxima, largest, None if every is None else every.shape[1])


def _rare_by_bootstrap(tables: Floats, sizes: Ints, rng: np.random.Generator, first: Ints, second: Ints) -> Bools:
    """Return the same for |t| among draws of the bootstrap."""
    starts = np.cumsum(sizes) - sizes
    means_of = np.add.reduceat(tables, starts, axis=2) / sizes
    inside = np.repeat(np.sqrt(sizes / np.maximum(sizes - 1, 1)), sizes)
    influence = (tables - np.repeat(means_of, sizes, axis=2)) * inside
    squares = np.square(influence[:, first] - influence[:, second])
    whole = squares.sum(axis=2)
    sums = tables.sum(axis=2)
    apart = np.abs(sums[:, first] - sums[:, second])
    se = np.sqrt(whole)
    largest = np.divide(apart, se, out=np.zeros(se.shape), where=se > 0).max(axis=1)

    def maxima(some: Ints) -> Floats:
        drawn = drawn_clusters(sizes, some.size * _AT_A_TIME, rng).reshape(-1, some.size, _AT_A_TIME)
        weights = np.moveaxis(drawn, 0, 1).astype(np.float64)
        variance, total = squares[some] @ weights, 0.0
        for start, m in zip(starts.tolist(), sizes.tolist(), strict=True):
            of_block = influence[some, :, start : start + m] @ weights[:, start : start + m]
            off = of_block[:, first] - of_block[:, second]
            total, variance = total + off, variance - np.square(off) / m
        least = NOTHING * whole[some][:, :, np.newaxis]
        found = np.where(np.square(total) > least, np.inf, 0.0)
        np.divide(np.abs(total), np.sqrt(np.maximum(variance, 0)), out=found, where=variance > least)
        most: Floats = found.max(axis=1)
        return most

    return _rare(maxima, largest, None)


def _rare(maxima: Callable[[Ints], Floats], largest: Floats, every: int | None) -> Bools:
    """Return whether at most 5 % of maxima reach the largest statistic of each table, (tables,).

    maxima: of some tables, (tables, so many). every: the number of all flips, if they are few; else FLIPS are drawn,
    with the data as the first.
    """
    least = largest[:, np.newaxis] * (1 - _SAME)
    rare: Bools = largest > 0
    if every is not None:
        some = np.flatnonzero(rare)
        rare[some] = (maxima(some) >= least[some]).sum(axis=1) <= int(ERROR * every)
        return rare
    reached = np.ones(largest.size, np.int64)
    for _ in range(FLIPS // _AT_A_TIME):
        some = np.flatnonzero(rare)
        if not some.size:
            break
        reached[some] += (maxima(some) >= least[some]).sum(axis=1)
        rare &= reached <= int(ERROR * FLIPS)
    return rare


def _square_distances(tables: Floats, first: Ints, second: Ints) -> Floats:
    """Return the squared distances of pairs of rows of each table, (draws, pairs); 0 for rows that are equal."""
    products = tables @ tables.swapaxes(1, 2)
    lengths = np.diagonal(products, axis1=1, axis2=2)
    whole = lengths[:, first] + lengths[:, second]
    squares = whole - 2 * products[:, first, second]
    found: Floats = np.where(squares > 1e-11 * whole, squares, 0.0)
    return found

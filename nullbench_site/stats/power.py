"""The power of a board on planned items: the smallest difference that it detects, and the items that one takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt

import numpy as np

from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.estimate import linked_blocks
from nullbench_site.stats.robustness import smallest_difference

MOST_ITEMS = 10**7
"""More items than anyone plans."""


@dataclass(frozen=True)
class ItemDesign:
    """The items of a board: their groups, and the clusters that are independent of each other.

    groups, clusters: (items,) numbers from 0, each used. weights: of the groups, in order; None for equal ones.
    """

    groups: Ints
    clusters: Ints
    weights: Sequence[float] | None = None

    @property
    def n(self) -> int:
        return int(self.groups.size)

    @property
    def n_clusters(self) -> int:
        return int(np.unique(self.clusters).size)

    @property
    def several_in_a_cluster(self) -> bool:
        """Return True if some cluster has several items, so that a board can have more items of the same sources."""
        return self.n_clusters < self.n

    @property
    def df(self) -> int:
        """Return the degrees of freedom of the error of a mean: the clusters less the blocks of linked groups."""
        return self.n_clusters - int(np.unique(linked_blocks(self.groups, self.clusters)[0]).size)

    @property
    def _part(self) -> Floats:
        """(items,) how much each item counts in the mean; the sum is 1."""
        sizes = np.bincount(self.groups)
        weights = np.ones(sizes.size) if self.weights is None else np.asarray(self.weights, np.float64)
        part: Floats = (weights / weights.sum() / sizes)[self.groups]
        return part

    def variances(self, share: float) -> tuple[float, float]:
        """Return the variance of a mean that comes from clusters, and from items, if that of an item is 1.

        share: the part of the variance of an item that items of its cluster have in common, 0-1.
        With a_i how much item i counts: share sum_c (sum_{i in c} a_i)^2, and (1 - share) sum_i a_i^2.
        Source: Kish (1965), Survey sampling, section 5.4, for any weights of items.
        """
        of_clusters = np.bincount(self.clusters, self._part)
        return share * float(np.square(of_clusters).sum()), (1 - share) * float(np.square(self._part).sum())


def shared_part(differences: Floats, design: ItemDesign) -> float:
    """Return the part of the variance of differences that items of a cluster have in common, 0-1.

    differences: (pairs, items), NaN where one has no score; pairs are scaled to one variance and count alike. 0 if no
    cluster has several items, or if differences of one cluster are no more alike than others.
    Source: the analysis of variance with unequal sizes: Searle, Casella and McCulloch (1992), Variance components,
    section 3.6: s_c^2 = (MSB - MSW) / n_0.
    """
    between = within = unit = 0.0
    for row in differences:
        known = ~np.isnan(row)
        values, groups = row[known], design.groups[known]
        cells, cell = np.unique(np.column_stack([groups, design.clusters[known]]), axis=0, return_inverse=True)
        cell = cell.reshape(-1)
        sizes = np.bincount(cell)
        of_cell = np.bincount(cell, values) / sizes
        of_group = np.bincount(groups, values) / np.maximum(np.bincount(groups), 1)
        rest = float(np.square(values - of_cell[cell]).sum())
        apart = float((sizes * np.square(of_cell - of_group[cells[:, 0]])).sum())
        n_groups, n_within = np.unique(groups).size, values.size - sizes.size
        n_between = sizes.size - n_groups
        if rest + apart <= 0 or n_between < 1 or n_within < 1:
            continue
        in_group = np.bincount(cells[:, 0], np.square(sizes)) / np.maximum(np.bincount(groups), 1)
        usual = (values.size - float(in_group.sum())) / n_between
        scale = (rest + apart) / (values.size - n_groups)
        msw = rest / n_within / scale
        shared = (apart / n_between / scale - msw) / usual
        between, within, unit = between + shared, within + msw, unit + 1
    return 0.0 if not unit or between <= 0 else min(between / (between + within), 1.0)


@dataclass(frozen=True)
class Power:
    """What a board detects on items of a design.

    sd: the standard deviation of the difference of two contestants on an item, in points. share: as in
    `ItemDesign.variances`. alpha: the level at which a pair is tested. assumed: whether sd and share are assumptions.
    """

    design: ItemDesign
    sd: float
    share: float
    alpha: float
    assumed: bool = False

    @property
    def detects(self) -> float:
        """Return the smallest true difference that is detected in 80 of 100 runs, in points; inf without clusters."""
        return self._with(1.0, 1.0)

    def with_items(self, times: float) -> float:
        """Return `detects` with `times` as many items of the same clusters."""
        return self._with(1.0, times)

    def with_clusters(self, times: float) -> float:
        """Return `detects` with `times` as many clusters that have as many items as these."""
        return self._with(times, times)

    def _with(self, clusters: float, items: float) -> float:
        blocks = self.design.n_clusters - self.design.df
        df = self.design.n_clusters * clusters - blocks
        if df <= 0:
            return inf
        of_clusters, of_items = self.design.variances(self.share)
        se = self.sd * sqrt(of_clusters / clusters + of_items / items)
        return smallest_difference(se, df, level=1 - self.alpha)

    def items_for(self, points: float, *, same_clusters: bool) -> int | None:
        """Return how many items detect a difference of `points`; None if no number of items does.

        same_clusters: with more items of the clusters that there are; otherwise with more clusters of the same size.
        """
        found = self.with_items if same_clusters else self.with_clusters
        low, high = 1, MOST_ITEMS
        if found(high / self.design.n) > points:
            return None
        while low < high:
            middle = (low + high) // 2
            if found(middle / self.design.n) > points:
                low = middle + 1
            else:
                high = middle
        return low


def clusters_of(items: int, design: ItemDesign) -> int:
    """Return how many clusters so many items have, if clusters are as large as those of a design."""
    return ceil(items * design.n_clusters / design.n)

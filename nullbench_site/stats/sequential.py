"""Looks at a board before all of its items are answered: the error that each may spend, and what a difference must
exceed at each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil, floor, inf, sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import ERROR

_SAME = 1e-9
"""Statistics whose relative difference is smaller are equal, and shares that differ by less."""
_AT_FIRST, MOST_FLIPS = 10, 120_000
"""How many flips may cross the boundary of the first look, and the most flips that are drawn for that."""


def spent(share: float, error: float = ERROR) -> float:
    """Return the error that may be spent up to a share of the clusters, 0 < share <= 1: 2 - 2 Phi(z / sqrt(share)).

    z is the normal quantile of 1 - error / 2; a share of 1 may spend all. Of O'Brien-Fleming type: early looks spend
    little.
    Source: Lan & DeMets (1983), Discrete sequential boundaries for clinical trials, Biometrika 70, alpha*_1.
    """
    return 2 * float(ndtr(-float(ndtri(1 - error / 2)) / sqrt(share)))


def boundary(maxima: Floats, shares: Sequence[float], error: float = ERROR) -> Floats:
    """Return what the largest statistic of a board without a difference exceeds too rarely, for each look, (looks,).

    maxima: (looks, draws) the largest statistic at each look of each draw without a difference. shares: (looks,) of the
    clusters, rising. Infinite where no draw may cross. At look k the draws that cross for the first time are at most
    the share `spent`(t_k) less those that crossed before; what ties or rounding leave is spent at the next look.
    Source: Lan & DeMets (1983), with draws of the joint distribution in the place of its integral.
    """
    n = maxima.shape[1]
    inside = np.ones(n, np.bool_)
    found = np.full(len(maxima), inf)
    for look, (most, share) in enumerate(zip(maxima, shares, strict=True)):
        allowed = floor(spent(share, error) * n + _SAME) - (n - int(inside.sum()))
        left = most[inside]
        if not 0 < allowed < left.size:
            continue
        reached = float(np.partition(left, -allowed - 1)[-allowed - 1])
        above = left[left > reached * (1 + _SAME)]
        if above.size:
            found[look] = (reached + float(above.min())) / 2
            inside &= most <= found[look]
    return found


def flips_for(shares: Sequence[float], error: float = ERROR) -> int:
    """Return how many random flips let ten cross the boundary of the first look; at most 120,000."""
    return min(MOST_FLIPS, 8 * ceil(_AT_FIRST / spent(shares[0], error) / 8))


NO_BOUND = "no difference could be significant at this look"
"""Why a difference has no repeated interval."""


@dataclass(frozen=True)
class Looks:
    """The looks at the items of a board. shares: of the clusters at each look, rising to 1.

    of_item: (items,) the look, from 0, at which an item is first asked.
    """

    shares: tuple[float, ...]
    of_item: Ints

    @property
    def last(self) -> int:
        """The look, from 0, of which there are items; the last if there are all."""
        return int(self.of_item.max(initial=0))

    def of(self, chosen: Bools | Ints) -> Looks:
        """Return those of the chosen items."""
        return Looks(self.shares, self.of_item[chosen])


def looks_of(groups: Ints, clusters: Ints, names: Sequence[str], shares: Sequence[float]) -> Looks:
    """Return the look of each item: whole clusters, in an order fixed by hash, the same share of every group.

    groups, clusters: (items,). names: (items,) of the items, unique. The clusters of a group, or of one set of groups
    if they reach over several, are sorted by the sha256 of the first name in each. Of m such clusters, the first
    ceil(t m) are asked up to the look of share t, so that each group has one from the first look on.
    """
    own: dict[int, list[int]] = {}
    for place, cluster in enumerate(clusters.tolist()):
        own.setdefault(cluster, []).append(place)
    alike: dict[tuple[int, ...], list[tuple[bytes, list[int]]]] = {}
    for places in own.values():
        reaches = tuple(sorted(set(groups[places].tolist())))
        first = min(names[place] for place in places)
        alike.setdefault(reaches, []).append((sha256(first.encode()).digest(), places))
    of_item = np.zeros(len(names), np.int64)
    for members in alike.values():
        ends = [ceil(share * len(members) - _SAME) for share in shares]
        for number, (_, places) in enumerate(sorted(members)):
            of_item[places] = next(look for look, end in enumerate(ends) if number < end)
    return Looks(tuple(shares), of_item)

"""Robustness of a difference to the judges and to a few items, and the smallest difference that can be detected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, group_shares, labels
from nullbench_site.stats.estimate import LEVEL, quantile
from nullbench_site.stats.measure import PanelKind, Robustness

POWER = 0.8
_TIE = 1e-9
"""A lead of less, in points, is a tie: it is a rounding error."""


def robustness(
    kind: PanelKind, low: npt.ArrayLike, high: npt.ArrayLike, alone: npt.ArrayLike, common: npt.ArrayLike
) -> list[Robustness]:
    """Return whether each difference is robust to the panel.

    low, high: (k,) the ends of the panel's interval of each difference, in points, NaN if there is none. For a panel of
    models this is the second interval, for other panels the range over panels with one judge left out.
    alone: (k, judges) the difference under each judge alone, NaN if the judge does not judge both contestants.
    common: (k,) the number of judges that judge both.
    For a panel of models, a difference holds if the interval does not contain 0. For any other panel, it holds if the
    range does not contain 0 and the difference has the same sign under each judge alone.
    Source: ours; a panel of unlike judges is no sample, so no interval over judges has a coverage.
    """
    least, most, by_one = (np.asarray(each, dtype=np.float64) for each in (low, high, alone))
    above, below = least > _TIE, most < -_TIE
    if kind == "mixed":
        there = ~np.isnan(by_one)
        above &= ((by_one > _TIE) | ~there).all(axis=1)
        below &= ((by_one < -_TIE) | ~there).all(axis=1)
    if kind in ("one", "none"):
        return ["one judge" if kind == "one" else "no judge"] * least.size
    told = (np.asarray(common) > 1) & ~np.isnan(least)
    verdicts = zip((above | below).tolist(), told.tolist(), strict=True)
    return [("holds" if holds else "differs") if known else "unknown" for holds, known in verdicts]


@dataclass(frozen=True, slots=True)
class Fragility:
    """The fewest items whose removal ends a lead. items: their places. lead: the lead without them, <= 0."""

    items: tuple[int, ...]
    lead: float


def fewest_items(
    differences: npt.ArrayLike, groups: npt.ArrayLike, *, limit: int, weights: npt.ArrayLike | None = None
) -> list[Fragility | None]:
    """Return the fewest items whose removal ties or reverses each lead; None if that takes more than `limit` items.

    differences: (k, n) leader less other on each item, NaN if one has no score. groups, weights: as in the mean over
    groups of group means that defines the lead. A group keeps at least one item, because without it the mean would be
    another.
    The result is exact. The best k items to remove from a group are those with the largest differences, whatever
    happens in other groups. So only the number of items per group is open. Dynamic programming finds it, group by
    group: the least mean of the first g groups without m items is the minimum, over k, of that of the first g - 1
    without m - k and that of group g without k. With one group, this removes the largest differences until the lead is
    gone.
    Source: Bellman (1957), Dynamic Programming, allocation; the question after Broderick, Giordano & Meager (2020), An
    automatic finite-sample robustness metric, who answer it approximately for estimates of any kind.
    """
    table = np.asarray(differences, dtype=np.float64)
    group = labels("groups", groups, size=table.shape[1])
    share_of = np.ones(int(group.max(initial=-1)) + 1) if weights is None else np.asarray(weights, dtype=np.float64)
    fewest: list[Fragility | None] = [None] * len(table)
    known = ~np.isnan(table)
    alike: dict[bytes, list[int]] = {}  # nearly always all rows
    for row, which in enumerate(known):
        alike.setdefault(which.tobytes(), []).append(row)
    for rows in alike.values():
        used = np.flatnonzero(known[rows[0]])
        names, own = np.unique(group[used], return_inverse=True)
        shares = group_shares(share_of[names], names.size)
        for row, each in zip(rows, _fewest(table[rows][:, used], own, shares, limit), strict=True):
            fewest[row] = each and Fragility(tuple(used[list(each.items)].tolist()), each.lead)
    return fewest


def _fewest(values: Floats, group: Ints, shares: Floats, limit: int) -> list[Fragility | None]:
    """Return the fewest items of rows without gaps. values: (k, n). group: (n,) places in `shares`."""
    rows = np.arange(len(values))
    least = np.zeros((len(values), 1))  # of the groups so far, by the number of removed items
    steps: list[tuple[Ints, Ints]] = []
    for name, share in enumerate(shares.tolist()):
        own = np.flatnonzero(group == name)
        order = np.argsort(-values[:, own], axis=1, kind="stable")
        means = _without_largest(np.take_along_axis(values[:, own], order, axis=1), limit)
        least, chosen = _joined(least, share * means, limit)
        steps.append((own[order], chosen))
    enough = least <= _TIE
    left = enough.argmax(axis=1)
    leads, undone = least[rows, left].tolist(), enough[rows, left].tolist()
    items: list[list[int]] = [[] for _ in values]
    for places, chosen in reversed(steps):
        k = chosen[rows, left]
        for row in np.flatnonzero(k).tolist():
            items[row] += places[row, : k[row]].tolist()
        left -= k
    return [
        Fragility(tuple(sorted(out, key=lambda place: (-row[place], place))), lead) if gone else None
        for row, out, lead, gone in zip(values, items, leads, undone, strict=True)
    ]


def _without_largest(descending: Floats, limit: int) -> Floats:
    """Return the means of rows without their first 0, 1, ... values, at most `limit`; one value stays.

    descending: rows whose values fall.
    """
    n = descending.shape[1]
    k = np.arange(min(n - 1, limit) + 1)
    sums = np.repeat(descending.sum(axis=1, keepdims=True), k.size, axis=1)
    sums[:, 1:] -= np.cumsum(descending, axis=1)[:, : k.size - 1]
    means: Floats = sums / (n - k)
    return means


def _joined(least: Floats, means: Floats, limit: int) -> tuple[Floats, Ints]:
    """Return the least sum of `least` without m - k and `means` without k items, (k, m), and its k, row by row."""
    size = min(least.shape[1] + means.shape[1] - 2, limit) + 1
    padded = np.full((len(means), size + means.shape[1]), np.inf)
    padded[:, means.shape[1] : means.shape[1] + least.shape[1]] = least[:, :size]
    windows = np.lib.stride_tricks.sliding_window_view(padded, means.shape[1], axis=1)[:, 1:][:, :size, ::-1]
    sums = windows + means[:, np.newaxis]
    chosen: Ints = sums.argmin(axis=2).astype(np.int64)
    return sums.min(axis=2), chosen


def smallest_difference(se: float, df: float, *, level: float = LEVEL) -> float:
    """Return the smallest true difference that is detected in a share POWER of runs with this standard error.

    se: of a paired difference, in its unit, >= 0. df: the degrees of freedom of se, > 0. level: 1 less the level of the
    test, 0 < level < 1.
    (t_(1+level)/2 + t_POWER) se, with Student's t for df.
    Source: Bloom (1995), Minimum detectable effects; Miller (2024), Adding error bars to evals, section 5.
    """
    return float(quantile(level, df) + quantile(2 * POWER - 1, df)) * se

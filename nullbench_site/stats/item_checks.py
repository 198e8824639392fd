"""Items worth a look: those that strong contestants fail and weak ones solve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import ERROR, two_sided_p
from nullbench_site.stats.multiple_tests import holm

LEAST_FAMILIES = 8
DRAWS = 99_999
_DRAWS_OF_COUNT = 400
_AT_A_TIME = 2_000
_CLOSE = 0.02
"""Items whose approximate p is below this are tested by permutation."""


@dataclass(frozen=True)
class ItemRest:
    """How the score on each item goes with the score on all other items, over contestants.

    correlation: (items,) Pearson's, NaN for items on which all score the same. p: (items,) of a correlation so low by
    chance, NaN likewise. marked: (items,) whether it is below 0 after correction for all items. n_below: how many are
    below 0. by_chance: how many would be if contestants were permuted within items.
    """

    correlation: Floats
    p: Floats
    marked: Bools
    n_below: int
    by_chance: float


def item_rest(scores: Floats, seed: int) -> ItemRest | None:
    """Return the item-rest correlations of a table; None with fewer than 8 contestants.

    scores: (contestants, items) without NaN, one contestant a family. The test is one-sided, by 99,999 permutations of
    the contestants of an item; items that Student's t puts above p = 0.02 keep the p of that. Holm's method corrects
    for all items.
    Source: Crocker and Algina (1986), Introduction to classical and modern test theory, chapter 14, for the
    correlation; Phipson and Smyth (2010), Permutation p-values should never be zero; Holm (1979).
    """
    k, n = scores.shape
    if k < LEAST_FAMILIES or n < 3:
        return None
    rng = np.random.default_rng(seed)
    own, rest = _standard(scores), _standard(_rest(scores))
    known = ~(np.isnan(own).any(axis=0) | np.isnan(rest).any(axis=0))
    correlation = np.where(known, (own * rest).sum(axis=0), np.nan)
    bounded = np.clip(correlation, -1 + 1e-12, 1 - 1e-12)
    t = bounded * np.sqrt((k - 2) / (1 - bounded**2))
    two = two_sided_p(t, np.full(n, k - 2.0))
    p = np.where(known, np.where(t < 0, two / 2, 1 - two / 2), np.nan)
    close = np.flatnonzero(known & (p < _CLOSE))
    p[close] = _permuted(own[:, close], rest[:, close], correlation[close], rng)
    adjusted = holm({place: p[place] for place in np.flatnonzero(known).tolist()})
    marked = np.array([adjusted.get(place, 1.0) <= ERROR for place in range(n)])
    return ItemRest(correlation, p, marked, int((correlation < 0).sum()), _below_by_chance(scores, rng))


def _rest(scores: Floats) -> Floats:
    """Return the mean score on all other items, (contestants, items)."""
    rest: Floats = (scores.sum(axis=1, keepdims=True) - scores) / (scores.shape[1] - 1)
    return rest


def _standard(columns: Floats) -> Floats:
    """Return columns with mean 0 and length 1, NaN for constant ones."""
    centred = columns - columns.mean(axis=0)
    length = np.sqrt(np.square(centred).sum(axis=0))
    least = 1e-9 * np.maximum(np.abs(columns).max(axis=0), 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(length > least, centred / length, np.nan)


def _permuted(own: Floats, rest: Floats, correlation: Floats, rng: np.random.Generator) -> Floats:
    """Return the share of permutations with so low a correlation, (items,)."""
    k, below = own.shape[0], np.ones(own.shape[1])
    for start in range(0, DRAWS, _AT_A_TIME):
        size = min(_AT_A_TIME, DRAWS - start)
        orders: Ints = np.argsort(rng.random((size, k)), axis=1)
        below += (np.einsum("dki,ki->di", own[orders], rest) <= correlation + 1e-9).sum(axis=0)
    return below / (DRAWS + 1)


def _below_by_chance(scores: Floats, rng: np.random.Generator) -> float:
    """Return the mean number of correlations below 0 in tables whose contestants are permuted within items."""
    counts = []
    for _ in range(_DRAWS_OF_COUNT):
        table = rng.permuted(scores, axis=0)
        with np.errstate(invalid="ignore"):
            counts.append(int(((_standard(table) * _standard(_rest(table))).sum(axis=0) < 0).sum()))
    return float(np.mean(counts))

"""Measure how often the interval of an agreement coefficient contains that of the population.

`python -m benchmarks.agreement` prints, for each coefficient and number of clusters of units, the coverage of the
interval that boards show, by leaving out one cluster at a time, and of percentiles of a bootstrap over clusters.

A unit has a value, of which each rater sees a part: the value plus the rater's error, both normal, cut into
categories. Values of units of one cluster share half of their variance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.measure import Outcome, report
from nullbench_site.stats import agreement
from nullbench_site.stats.agreement import coincidences, pair_tables
from nullbench_site.stats.arrays import Floats, Ints

SHAPES = ((6, 1), (12, 1), (12, 4), (30, 1), (30, 4), (100, 1))
"""Clusters, and units of each."""
RUNS, DRAWS, POPULATION = 600, 400, 200_000
LEAST, MOSTLY = 0.86, 0.5
"""The limit of the coverage, for cells in which at least this share of the boards has an interval."""
RARE, THREE, FIVE = (1.28,), (-0.4, 0.7), (-1.0, -0.3, 0.3, 1.0)
"""Borders of categories. RARE: one rating of ten is in the rarer of two, as answers that are refused."""

Sums = Any
"""What each cluster adds, (clusters, ...); the coefficient follows from the total."""


@dataclass(frozen=True)
class Case:
    """A coefficient on ratings by some raters. noise: the spread of a rater's error, in spreads of values.

    sums: of (units, raters) categories and the clusters of units. coefficient: of a total of sums.
    """

    name: str
    raters: int
    cuts: tuple[float, ...]
    noise: float
    sums: Callable[[Ints, Ints, int, int], Sums]
    coefficient: Callable[[Sums], Floats]

    def sample(self, rng: np.random.Generator, clusters: int, size: int) -> Sums:
        shared, own = rng.normal(size=(clusters, 1)), rng.normal(size=(clusters, size))
        value = (np.sqrt(0.5) * (shared + own)).reshape(-1, 1)
        seen = value + self.noise * rng.normal(size=(value.size, self.raters))
        ratings = np.searchsorted(self.cuts, seen / np.sqrt(1 + self.noise**2))
        return self.sums(ratings, np.arange(clusters).repeat(size), clusters, len(self.cuts) + 1)


def _of_alpha(ratings: Ints, part: Ints, parts: int, values: int) -> Sums:
    return coincidences(pair_tables(ratings.T, values, part, parts))


def _of_kappa(ratings: Ints, part: Ints, parts: int, values: int) -> Sums:
    return pair_tables(ratings.T, values, part, parts)[ratings.shape[1]]


def _apart(values: int, power: int) -> Floats:
    places = np.arange(values, dtype=np.float64)
    return np.abs(places[:, np.newaxis] - places) ** power


CASES = (
    Case("alpha, 5 ordered", 3, FIVE, 1.0, _of_alpha, agreement._alpha_of),
    Case("alpha, 2, one rare", 3, RARE, 0.7, _of_alpha, agreement._alpha_of),
    Case("Cohen, 3", 2, THREE, 0.7, _of_kappa, partial(agreement._kappas, apart=1 - np.eye(3))),
    Case("Cohen, 2, one rare", 2, RARE, 0.7, _of_kappa, partial(agreement._kappas, apart=1 - np.eye(2))),
    Case("Cohen, 5 quadratic", 2, FIVE, 1.0, _of_kappa, partial(agreement._kappas, apart=_apart(5, 2))),
    Case("Fleiss, 3", 3, THREE, 0.7, _of_kappa, agreement._fleiss),
)


@dataclass
class Coverage:
    """The shares of runs whose interval holds the truth, of those with an interval; and the share with one."""

    jackknife: float
    bootstrap: float
    there: float


def coverage(case: Case, clusters: int, size: int, *, runs: int = RUNS, draws: int = DRAWS, seed: int = 1) -> Coverage:
    """Simulate `runs` boards. An interval is missing if fewer than two categories are left somewhere, or all agree."""
    rng = np.random.default_rng(seed)
    # A large population has clusters of the same size, in which units are as much alike.
    truth = float(case.coefficient(case.sample(rng, POPULATION // size, size).sum(axis=0)))
    held: list[bool] = []
    drawn: list[bool] = []
    for _ in range(runs):
        sums = case.sample(rng, clusters, size)
        sums = sums[sums.reshape(len(sums), -1).any(axis=1)]
        shown = agreement._bounded(sums, case.coefficient, "")
        if shown.low is None or shown.high is None:
            continue
        held.append(shown.low <= truth <= shown.high)
        times = rng.multinomial(clusters, np.full(clusters, 1 / clusters), draws)
        again = case.coefficient(np.tensordot(times, sums, axes=1))
        low, high = np.nanpercentile(again, (2.5, 97.5))
        drawn.append(bool(low <= truth <= high))
    if not held:
        return Coverage(np.nan, np.nan, 0.0)
    return Coverage(float(np.mean(held)), float(np.mean(drawn)), len(held) / runs)


def outcomes() -> list[Outcome]:
    """Return the least coverage of the interval that boards show, where most boards have one, at nominal 95 %."""
    print("coverage of 95 % intervals of agreement: leaving out clusters, and percentiles of a bootstrap")
    print(f"{'':22}{'clusters':>9}{'units':>7}{'leaving out':>13}{'bootstrap':>11}{'with interval':>15}")
    least = 1.0
    for case in CASES:
        for clusters, size in SHAPES:
            found = coverage(case, clusters, size)
            if found.there >= MOSTLY:
                least = min(least, found.jackknife)
            print(
                f"{case.name:22}{clusters:9}{clusters * size:7}{found.jackknife:13.3f}{found.bootstrap:11.3f}"
                f"{found.there:15.3f}",
                flush=True,
            )
    detail = f"{len(CASES) * len(SHAPES)} cells of {RUNS} boards"
    return [Outcome("intervals of agreement: least coverage", least, LEAST, detail, at_least=True)]


if __name__ == "__main__":
    sys.exit(report(outcomes()))

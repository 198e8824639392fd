"""Measure how often the intervals of correlations of tasks contain those of the population.

`python -m benchmarks.constructs` prints the coverage at nominal 95 % by the number of families of models and of models
in each. A model's score on a task is what all tasks share, what its group of tasks shares, and what is its own, all
normal. Models of a family share half of the variance of each.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.measure import Outcome, report
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.constructs import TaskCorrelations, task_correlations

SHAPES = ((6, 1), (12, 1), (12, 3), (30, 1), (30, 3), (80, 2))
"""Families, and models of each."""
GROUPS = np.array([0, 0, 0, 1, 1, 2, 2, 2])
FIGURES = ("within", "across", "apart", "within_rest", "across_rest", "apart_rest")
RUNS, POPULATION, LEAST = 300, 60_000, 0.90


def _scores(rng: np.random.Generator, families: int, size: int) -> Floats:
    """Return (models, tasks) scores."""

    def drawn(columns: int) -> Floats:
        shared = rng.normal(size=(families, 1, columns))
        own: Floats = (np.sqrt(0.5) * (shared + rng.normal(size=(families, size, columns)))).reshape(-1, columns)
        return own

    return drawn(1) + 0.8 * drawn(3)[:, GROUPS] + 0.7 * drawn(GROUPS.size)


def _truth() -> TaskCorrelations:
    rng = np.random.default_rng(0)
    return task_correlations(_scores(rng, POPULATION, 1), GROUPS, np.arange(POPULATION) % 6)


def outcomes() -> list[Outcome]:
    """Return the least coverage over figures and shapes."""
    print("coverage of 95 % intervals of correlations of tasks")
    print(f"{'families':>9}{'models':>8}" + "".join(f"{name:>14}" for name in FIGURES))
    truth, least = _truth(), 1.0
    for families, size in SHAPES:
        rng = np.random.default_rng(1)
        of_family = np.arange(families).repeat(size)
        runs = [task_correlations(_scores(rng, families, size), GROUPS, of_family) for _ in range(RUNS)]
        shares = []
        for name in FIGURES:
            true = getattr(truth, name).value
            shares.append(float(np.mean([getattr(run, name).low <= true <= getattr(run, name).high for run in runs])))
        least = min([least, *shares])
        print(f"{families:9}{families * size:8}" + "".join(f"{share:14.3f}" for share in shares), flush=True)
    detail = f"{len(SHAPES) * len(FIGURES)} cells of {RUNS} boards"
    return [Outcome("intervals of correlations: least coverage", least, LEAST, detail, at_least=True)]


if __name__ == "__main__":
    sys.exit(report(outcomes()))

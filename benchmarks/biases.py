"""Measure how often the interval of a slope on a feature of answers contains the true slope.

A score is what the contestant, the item and the slope give, plus an error that is larger for some items than for
others; the answers to the items of one source have an error in common, which differs by contestant. Lengths depend on
the contestant, so that better contestants write more. A mark, such as a list, is in a share of answers only.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from benchmarks.measure import Outcome
from nullbench_site.stats.bias import within_slopes

CONTESTANTS, CLUSTERS = (2, 5, 15), (8, 40, 160)
CLUSTER_SIZES = (1, 3)
MARKED = (0.02, 0.1, 0.5)
"""The shares of answers with a mark."""
RUNS = 1000
LEAST = 0.93
LENGTH, MARK = 4.0, -3.0
"""The true slopes."""


def slope_coverage(k: int, clusters: int, size: int, marked: float, *, runs: int, seed: int) -> tuple[float, float]:
    """Return the shares of intervals that contain the true slopes of length and of a mark; NaN for a rare mark.

    A mark is rare if fewer than half of the boards have an interval for it.
    """
    rng = np.random.default_rng(seed)
    n = clusters * size
    of_item = np.arange(clusters).repeat(size)
    held, told = np.zeros(2), np.zeros(2)
    for _ in range(runs):
        better = rng.normal(0, 10, (k, 1))
        length = better / 10 + rng.normal(0, 1, (1, n)) + rng.normal(0, 0.7, (k, n))
        mark = (rng.random((k, n)) < marked).astype(np.float64)
        spread = rng.uniform(2, 15, (1, n))
        shared = rng.normal(0, 5, (k, clusters))[:, of_item] if size > 1 else 0.0
        scores = 50 + better + rng.normal(0, 15, (1, n)) + LENGTH * length + MARK * mark
        scores = scores + spread * rng.normal(0, 1, (k, n)) + shared
        slopes = within_slopes(scores, np.array([length, mark]), of_item)
        for place, true in enumerate((LENGTH, MARK)):
            found = slopes.estimate(place, of_item)
            if found.reason is None and found.low is not None and found.high is not None:
                told[place] += 1
                held[place] += found.low <= true <= found.high
    length, mark = np.where(told >= runs / 2, held / np.maximum(told, 1), np.nan).tolist()
    return length, mark


def outcomes() -> list[Outcome]:
    """The least coverage over all cells, at nominal 95 %, of each slope."""
    print("coverage of 95 % intervals of slopes within contestants and items")
    print(f"{'contestants':>11}{'clusters':>10}{'size':>6}{'marked':>8}{'length':>8}{'mark':>8}")
    cells = list(product(CONTESTANTS, CLUSTERS, CLUSTER_SIZES, MARKED))
    shares = []
    for k, clusters, size, marked in cells:
        shares.append(slope_coverage(k, clusters, size, marked, runs=RUNS, seed=1))
        length, mark = shares[-1]
        print(f"{k:11}{clusters:10}{size:6}{marked:8g}{length:8.3f}{mark:8.3f}", flush=True)
    detail = f"{len(cells)} cells of {RUNS} boards"
    return [
        Outcome(f"intervals of the slope on a {name}: least coverage", least, LEAST, detail, at_least=True)
        for name, least in zip(("length", "mark"), np.nanmin(shares, axis=0).tolist(), strict=True)
    ]

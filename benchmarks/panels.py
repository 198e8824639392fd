"""How often an interval on items and judges like these holds the score that such items and judges would give.

Items and judges are crossed: a judge's score of an item is the mean, plus what the item adds, what the judge adds, and
what that judge makes of that item, each drawn from a normal distribution.
"""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Outcome
from nullbench_site.stats.panel import jackknife_variance, panel_errors

JUDGES, ITEMS = (2, 3, 5, 10), (12, 80)
SDS = ((10.0, 0.0, 10.0), (10.0, 1.0, 10.0), (10.0, 3.0, 5.0), (10.0, 10.0, 5.0), (2.0, 10.0, 5.0))
"""Standard deviations of items, of judges, and of item x judge."""
RUNS = 4000
LEAST = 0.93


def panel_coverage(judges: int, *, items: int, sds: tuple[float, float, float], runs: int, seed: int) -> float:
    """The share of `runs` panels whose 95 % interval holds the true mean."""
    rng = np.random.default_rng(seed)
    of_item, of_judge, of_both = sds
    scores = (
        rng.normal(0, of_item, (runs, 1, items))
        + rng.normal(0, of_judge, (runs, judges, 1))
        + rng.normal(0, of_both, (runs, judges, items))
    )
    by_item = scores.mean(axis=1)
    by_judge = scores.mean(axis=2)
    left_out = (by_judge.sum(axis=1, keepdims=True) - by_judge) / (judges - 1)
    variance = jackknife_variance(left_out)
    se, df = by_item.std(axis=1, ddof=1) / items**0.5, np.full(runs, items - 1.0)
    _, half = panel_errors(se, df, variance, np.full(runs, judges))
    return float((np.abs(by_item.mean(axis=1)) <= half).mean())


def outcomes() -> list[Outcome]:
    """The least coverage over all cells, at nominal 95 %."""
    print("coverage of 95 % intervals on items and judges like these")
    print(f"{'judges':>7}{'items':>7}  {'sd of items, judges, both':28}{'coverage':>9}")
    least = 1.0
    for judges in JUDGES:
        for items in ITEMS:
            for sds in SDS:
                covered = panel_coverage(judges, items=items, sds=sds, runs=RUNS, seed=1)
                least = min(least, covered)
                print(f"{judges:7}{items:7}  {', '.join(f'{sd:g}' for sd in sds):28}{covered:9.3f}")
    detail = f"{len(JUDGES) * len(ITEMS) * len(SDS)} cells of {RUNS} panels"
    return [Outcome("panel intervals: least coverage", least, LEAST, detail, at_least=True)]

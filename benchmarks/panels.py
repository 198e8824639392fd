"""Measure how often an interval over items and judges contains the true score or difference.

Items and judges are crossed: a judge's score of an item is the mean, plus what the item adds, what the judge adds, and
what that judge makes of that item, each drawn from a normal distribution. A difference is of the same form; what items
and judges add for both contestants is not in it. Half the width is by Cochran's weights, as on boards, or by
Satterthwaite's degrees of freedom for the sum of both variances.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from benchmarks.measure import Outcome
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.estimate import LEVEL, quantile, satterthwaite
from nullbench_site.stats.panel import jackknife_variance, panel_errors

Rule: TypeAlias = Literal["Cochran", "Satterthwaite"]
RULES: tuple[Rule, ...] = ("Cochran", "Satterthwaite")
JUDGES, ITEMS = (2, 3, 5, 10), (12, 80)
SDS = ((10.0, 0.0, 10.0), (10.0, 1.0, 10.0), (10.0, 3.0, 5.0), (10.0, 10.0, 5.0), (2.0, 10.0, 5.0))
"""Standard deviations of items, of judges, and of item x judge."""
RUNS = 4000
LEAST = 0.93


def panel_coverage(
    judges: int,
    *,
    items: int,
    sds: tuple[float, float, float],
    runs: int,
    seed: int,
    rule: Rule = "Cochran",
    severity: float | None = None,
) -> float:
    """The share of `runs` panels whose 95 % interval holds the true mean.

    severity: the standard deviation of judges that both contestants have in common, where the value is the difference
    of two; each of them has half the variances of `sds` for itself.
    """
    rng = np.random.default_rng(seed)

    def drawn(share: float) -> Floats:
        of_item, of_judge, of_both = (sd * share for sd in sds)
        return (
            rng.normal(0, of_item, (runs, 1, items))
            + rng.normal(0, of_judge, (runs, judges, 1))
            + rng.normal(0, of_both, (runs, judges, items))
        )

    if severity is None:
        scores = drawn(1.0)
    else:
        common = rng.normal(0, severity, (runs, judges, 1))
        scores = (common + drawn(0.5**0.5)) - (common + drawn(0.5**0.5))
    by_item = scores.mean(axis=1)
    by_judge = scores.mean(axis=2)
    left_out = (by_judge.sum(axis=1, keepdims=True) - by_judge) / (judges - 1)
    variance = jackknife_variance(left_out)
    se, df = by_item.std(axis=1, ddof=1) / items**0.5, np.full(runs, items - 1.0)
    errors, half = panel_errors(se, df, variance, np.full(runs, judges))
    if rule == "Satterthwaite":
        of_sum = satterthwaite(np.stack([se**2, variance], axis=1), np.stack([df, np.full(runs, judges - 1.0)], axis=1))
        half = errors * quantile(LEVEL, of_sum)
    return float((np.abs(by_item.mean(axis=1)) <= half).mean())


def outcomes() -> list[Outcome]:
    """The least coverage over all cells, at nominal 95 %, of scores and of differences."""
    print("coverage of 95 % intervals on items and judges like these")
    print(f"{'':12}{'judges':>7}{'items':>7}  {'sd of items, judges, both':28}{'Cochran':>9}{'Satterthwaite':>15}")
    found = []
    for what, severity in (("score", None), ("difference", 20.0)):
        least = 1.0
        for judges in JUDGES:
            for items in ITEMS:
                for sds in SDS:
                    covered, other = (
                        panel_coverage(judges, items=items, sds=sds, runs=RUNS, seed=1, rule=rule, severity=severity)
                        for rule in RULES
                    )
                    least = min(least, covered)
                    named = ", ".join(f"{sd:g}" for sd in sds)
                    print(f"{what:12}{judges:7}{items:7}  {named:28}{covered:9.3f}{other:15.3f}")
        detail = f"{len(JUDGES) * len(ITEMS) * len(SDS)} cells of {RUNS} panels"
        found.append(Outcome(f"panel intervals of a {what}: least coverage", least, LEAST, detail, at_least=True))
    return found

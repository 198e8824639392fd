"""Run every benchmark and print a table: `python -m benchmarks [--large] [--peers inspect,promptfoo,deepeval]`.

This takes some minutes. `make bench` adds --large, which takes twice as long. A peer takes one to five minutes.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import (
    agreement,
    batches,
    biases,
    calibration,
    checks,
    comparisons,
    constructs,
    contamination,
    contamination_flags,
    coverage,
    histories,
    importing,
    item_faults,
    joint,
    label_correction,
    overlap,
    pairwise,
    panels,
    peers,
    ranking,
    reviewing,
    runner,
    schedules,
    scoring,
    screening,
    searches,
    site,
    stopping,
    sub_scores,
    validate,
    warm_build,
    wordings,
)
from benchmarks.measure import Outcome, report

parser = argparse.ArgumentParser(prog="python -m benchmarks")
parser.add_argument("--peers", default="", help="other programs to install and compare with, between commas")
parser.add_argument(
    "--large",
    action="store_true",
    help="score ten million judgments, make 100,000 calls, a site of 1,000 contestants and 50 runs too",
)
chosen = parser.parse_args()
names = [name for name in chosen.peers.split(",") if name]
peers.check(names)
found: list[Outcome] = []


def add(outcomes: list[Outcome]) -> None:
    report(outcomes)
    found.extend(outcomes)


# What this process holds counts as the peak of those it starts: memory is measured before the simulations here.
add(scoring.outcomes())
add(scoring.workers())
add(ranking.outcomes())
if chosen.large:
    add(scoring.ten_million())
    add(runner.large())
    add(batches.outcomes())
for benchmark in (
    agreement,
    comparisons,
    joint,
    sub_scores,
    item_faults,
    stopping,
    constructs,
    contamination,
    contamination_flags,
    coverage,
    wordings,
    calibration,
    label_correction,
    validate,
    warm_build,
    reviewing,
    panels,
    biases,
    schedules,
    pairwise,
    checks,
    importing,
    overlap,
    screening,
    searches,
    runner,
):
    add(benchmark.outcomes())
if chosen.large:
    add(site.outcomes())
    add(histories.outcomes())
if names:
    add(peers.outcomes(names))
print()
print(f"{'':36}{'measured':>10}{'limit':>14}")
for outcome in found:
    print(f"{outcome.name:36}{outcome.value:10.2f}{outcome.bound:>14}  {outcome.verdict}")
sys.exit(0 if all(outcome.ok for outcome in found) else 1)

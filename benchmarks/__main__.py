"""Every benchmark, then a table of them: `python -m benchmarks`."""

from __future__ import annotations

import sys

from benchmarks import scoring, validate, warm_build
from benchmarks.measure import report

found = []
for benchmark in (validate, warm_build, scoring):
    outcomes = benchmark.outcomes()
    report(outcomes)
    found += outcomes
print()
print(f"{'':30}{'measured':>10}{'limit':>8}")
for outcome in found:
    print(f"{outcome.name:30}{outcome.value:10.2f}{outcome.limit:8g}  {'ok' if outcome.ok else 'MISSED'}")
sys.exit(0 if all(outcome.ok for outcome in found) else 1)

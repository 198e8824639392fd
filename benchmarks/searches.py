"""Compare the rate of the steps of a search with that of any other calls. `python -m benchmarks.searches`

Both are shipped audits of one judge, which a server on loopback answers for here. A search waits for each step.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import yaml

from benchmarks.loopback import served
from benchmarks.measure import ROOT, Outcome, report
from benchmarks.runner import evaluated, told

SEARCH, OTHER = "2.8.0-577987be-a2190e1d", "2.8.0-577987be-4e3fd037"
VERDICTS, STEPS = 440, 55
"""Of both: a step asks for 8."""
LEAST, ROUNDS = 0.9, 5
PARALLEL = {1: 0.005, 8: 0.05}
"""Calls in flight -> seconds until one is answered."""


def outcomes() -> list[Outcome]:
    """Return the rate of a search as a share of that of an audit without one."""
    return [_compared(concurrency, latency) for concurrency, latency in PARALLEL.items()]


def _compared(concurrency: int, latency: float) -> Outcome:
    with TemporaryDirectory() as folder, served(latency=latency) as url:
        search, other = (_repository(Path(folder) / name, name, url, concurrency) for name in (SEARCH, OTHER))
        rounds = [(_rate(search), _rate(other)) for _ in range(ROUNDS)]
    ours, theirs = (median(rates) for rates in zip(*rounds, strict=True))
    value = median(one / another for one, another in rounds)
    detail = f"{ours:.0f} verdicts a second against {theirs:.0f}, {concurrency} at a time"
    return Outcome("rate of search steps", value, LEAST, detail, at_least=True)


def _rate(repository: Path) -> float:
    return VERDICTS / told(evaluated(repository))["seconds"]


def _repository(folder: Path, audit: str, url: str, concurrency: int) -> Path:
    shutil.copytree(ROOT / "audits" / audit / "specs", folder / "specs")
    local = {"base_url": url, "limits": {"concurrency": concurrency}}
    endpoints = folder / "specs" / "endpoints.yaml"
    known = yaml.safe_load(endpoints.read_text("utf-8"))
    known["endpoints"] = [each | local if each["id"] == "local" else each for each in known["endpoints"]]
    endpoints.write_text(yaml.safe_dump(known), "utf-8")
    if audit == SEARCH:
        (board,) = (folder / "specs" / "boards").iterdir()
        board.write_text(yaml.safe_dump(yaml.safe_load(board.read_text("utf-8")) | {"samples": STEPS}), "utf-8")
    return folder


if __name__ == "__main__":
    sys.exit(report(outcomes()))

"""Compare validating the shipped specs, with positions of errors, with parsing their YAML.

`python -m benchmarks.validate`
"""

from __future__ import annotations

import sys

import yaml

from benchmarks.measure import ROOT, Outcome, ratio, report, seconds_of
from nullbench_site.evaluation.backends import backend_names
from nullbench_site.specs.load import load_benchmark

LIMIT = 4.0
ROUNDS = 15


def outcomes() -> list[Outcome]:
    """Measure the time of load_benchmark relative to libyaml. Both parse the files in each round."""
    specs, backends = ROOT / "specs", backend_names()
    files = sorted(specs.rglob("*.yaml"))

    def parse() -> None:
        for file in files:
            yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)

    parsing, validating = [], []
    for _ in range(ROUNDS):
        parsing.append(seconds_of(parse))
        validating.append(seconds_of(lambda: load_benchmark(specs, backends=backends)))
    return [ratio("validating the specs", validating, parsing, LIMIT)]


if __name__ == "__main__":
    sys.exit(report(outcomes()))

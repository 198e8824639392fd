"""Scoring a million judgments against reading the same files and doing nothing, each in a process of its own.

`python -m benchmarks.scoring` makes the files, measures, and throws them away; `score DIR` and `read DIR` are the two
processes, to be run under a profiler.
"""

from __future__ import annotations

import sys
from collections import deque
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import million
from benchmarks.measure import Outcome, python, ratio, report, seconds_of

TIME_LIMIT, MEMORY_LIMIT_GIB = 3.0, 1.0
ROUNDS = 5


def outcomes() -> list[Outcome]:
    """The time of scoring as a multiple of reading, and the peak memory of scoring."""
    with TemporaryDirectory() as folder:
        python("-m", "benchmarks.million", folder)
        rounds = [
            [python("-m", __spec__.name, command, folder) for command in ("read", "score")] for _ in range(ROUNDS)
        ]
    reading, scoring = zip(*rounds, strict=True)
    time = ratio(
        "scoring a million judgments",
        [float(run.output) for run in scoring],
        [float(run.output) for run in reading],
        TIME_LIMIT,
    )
    peak = median(run.peak_gib for run in scoring)
    idle = median(run.peak_gib for run in reading)
    memory = Outcome(
        "memory of scoring", peak, MEMORY_LIMIT_GIB, f"reading alone takes {idle:.2f} GiB", noun="peak GiB"
    )
    return [time, memory]


def read(path: Path) -> float:
    """The seconds it takes to decode every record and keep none."""
    from nullbench_site.runs.records import Judgment, Response, read_records

    folder = million.folder(path)

    def work() -> None:
        for model in folder.models():
            deque(read_records(folder.shard(Response, model), Response), maxlen=0)
            deque(read_records(folder.shard(Judgment, model), Judgment), maxlen=0)

    return seconds_of(work)


def score(path: Path) -> float:
    """The seconds it takes to score the whole board from its records."""
    from nullbench_site.scoring.board import score_board

    specs, folder = million.benchmark(), million.folder(path)
    board = specs.boards["million"]

    def work() -> None:
        results = score_board(specs, board, folder, None)
        assert results.complete

    return seconds_of(work)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["read", folder]:
            print(read(Path(folder)))
        case ["score", folder]:
            print(score(Path(folder)))
        case _:
            sys.exit(report(outcomes()))

"""Compare scoring a million judgments or games with only reading their files, each in its own process.

`python -m benchmarks.scoring` makes the files, measures and deletes them. To profile one of the two processes, run
`score MADE DIR` or `read MADE DIR`, where MADE is the module that made the files. `workers DIR WORKERS CONTESTANTS`
prints the seconds on the clock, and the peak GiB of the largest worker and of the first process. `loops` prints what
two processes gain on this machine. `ten-million` needs 8 GB of disk.
"""

from __future__ import annotations

import math
import os
import resource
import sys
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import million
from benchmarks.measure import KIB_PER_GIB, Outcome, python, ratio, report, seconds_of

TIME_LIMIT, MEMORY_LIMIT_GIB = 5.0, 1.0
ROUNDS = 5
WORKERS_LIMIT, WORKERS_ROUNDS = 0.65, 3
LOOP = 20_000_000
MADE = {"benchmarks.million": "a million judgments", "benchmarks.million_games": "a million games"}


def outcomes() -> list[Outcome]:
    """The time of scoring as a multiple of reading, and the peak memory of scoring, of each."""
    return [outcome for module, what in MADE.items() for outcome in _outcomes(module, what)]


def workers() -> list[Outcome]:
    """The time of a million judgments on two workers as a multiple of one process, and the peak of a worker.

    Also what two processes gain when they share nothing, measured between the rounds.
    """
    with TemporaryDirectory() as folder:
        python("-m", "benchmarks.million", folder)
        rounds = [
            (*(_on_workers(folder, n, million.CONTESTANTS) for n in (0, 2)), float(_own("loops")))
            for _ in range(WORKERS_ROUNDS)
        ]
    one, two, loops = zip(*rounds, strict=True)
    time = ratio(
        "a million judgments on two workers", [each[0] for each in two], [each[0] for each in one], WORKERS_LIMIT
    )
    peak = median(worker for _, worker, _ in two)
    return [
        time,
        Outcome("two plain loops in two processes", median(loops), math.inf, "the same loops one after the other"),
        Outcome("memory of a worker", peak, MEMORY_LIMIT_GIB, "a million judgments", noun="peak GiB"),
    ]


def ten_million() -> list[Outcome]:
    """The peak memory of the larger of two workers for ten million judgments of 500 contestants. 7.5 GB of files."""
    with TemporaryDirectory() as folder:
        python("-m", "benchmarks.million", folder, "500")
        seconds, worker, first = _on_workers(folder, 2, 500)
    detail = f"ten million judgments in {seconds:.0f} s; {first:.2f} GiB in the first process"
    return [Outcome("memory of a worker, ten million", worker, MEMORY_LIMIT_GIB, detail, noun="peak GiB")]


def _own(*arguments: str) -> str:
    return python("-m", __spec__.name, *arguments).output


def _on_workers(folder: str, n: int, contestants: int) -> tuple[float, float, float]:
    seconds, worker, first = map(float, _own("workers", folder, str(n), str(contestants)).split())
    return seconds, worker, first


def score_on_workers(path: Path, n: int, contestants: int) -> tuple[float, float, float]:
    """Return the wall time of scoring on n worker processes, 0 for this one, and the peak GiB of a worker and of this.

    The worker is the largest one.
    """
    from nullbench_site.scoring.board import score_board
    from nullbench_site.scoring.executors import START

    specs, folder = million.benchmark(contestants), million.folder(path)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of workers, as in `executor_of`; this process has its threads
    with ProcessPoolExecutor(n, mp_context=get_context(START)) if n else nullcontext() as executor:
        seconds = seconds_of(lambda: score_board(specs, specs.boards["million"], folder, None, executor))
    peaks = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    worker, first = (peak / KIB_PER_GIB for peak in peaks)
    return seconds, worker, first


def plain_loops() -> float:
    """Return the time of two loops in two processes as a multiple of their time one after the other."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        list(executor.map(_loop, [LOOP // 10] * 4))  # both processes have started
        alone, *together = executor.submit(_loop, LOOP).result(), *executor.map(_loop, [LOOP] * 2)
    return max(together) / (2 * alone)


def _loop(n: int) -> float:
    return seconds_of(lambda: sum(number * number for number in range(n)))


def _outcomes(module: str, what: str) -> list[Outcome]:
    with TemporaryDirectory() as folder:
        python("-m", module, folder)
        rounds = [
            [python("-m", __spec__.name, command, module, folder) for command in ("read", "score")]
            for _ in range(ROUNDS)
        ]
    reading, scoring = zip(*rounds, strict=True)
    time = ratio(
        f"scoring {what}",
        [float(run.output) for run in scoring],
        [float(run.output) for run in reading],
        TIME_LIMIT,
    )
    peak = median(run.peak_gib for run in scoring)
    idle = median(run.peak_gib for run in reading)
    detail = f"reading alone takes {idle:.2f} GiB"
    return [time, Outcome(f"memory of scoring {what}", peak, MEMORY_LIMIT_GIB, detail, noun="peak GiB")]


def read(path: Path) -> float:
    """Return the CPU seconds to decode every record."""
    from nullbench_site.runs.records import Judgment, Response, read_records

    folder = million.folder(path)

    def work() -> None:
        for model in folder.models():
            deque(read_records(folder.shard(Response, model), Response), maxlen=0)
            if (shard := folder.shard(Judgment, model)).exists():
                deque(read_records(shard, Judgment), maxlen=0)

    return seconds_of(work, time.process_time)


def score(module: str, path: Path) -> float:
    """Return the CPU seconds to score the whole board from its records."""
    import scipy.optimize  # noqa: F401 - as all that either process imports, before it is measured

    from nullbench_site.scoring.board import score_board

    specs, folder = import_module(module).benchmark(), million.folder(path)
    board = specs.boards["million"]

    def work() -> None:
        results = score_board(specs, board, folder, None)
        assert results.complete

    return seconds_of(work, time.process_time)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["read", _, folder]:
            print(read(Path(folder)))
        case ["score", module, folder]:
            print(score(module, Path(folder)))
        case ["workers", folder, n, contestants]:
            print(*score_on_workers(Path(folder), int(n), int(contestants)))
        case ["loops"]:
            print(plain_loops())
        case ["ten-million"]:
            sys.exit(report(ten_million()))
        case _:
            sys.exit(report([*outcomes(), *workers()]))

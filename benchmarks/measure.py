"""Measure the time, CPU time and peak memory of processes, and compare results with limits."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile

ROOT = Path(__file__).resolve().parents[1]
KIB_PER_GIB = 1024 * 1024


@dataclass(frozen=True)
class Run:
    """One process: its standard output, the seconds from its start to its end, its peak memory in GiB.

    cpu: seconds of it and of the processes it waited for, user and system; other programs hardly move them.
    """

    output: str
    seconds: float
    peak_gib: float
    cpu: float


@dataclass(frozen=True)
class Outcome:
    """A measurement and its limit; lower is better unless `at_least`."""

    name: str
    value: float
    limit: float
    detail: str
    noun: str = "ratio"
    at_least: bool = False

    @property
    def ok(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def bound(self) -> str:
        if math.isinf(self.limit):
            return "none"
        return f"at least {self.limit:g}" if self.at_least else f"{self.limit:g}"

    @property
    def verdict(self) -> str:
        """The result in words; NaN means not measured."""
        return "NOT MEASURED" if math.isnan(self.value) else "ok" if self.ok else "MISSED"

    def __str__(self) -> str:
        return f"{self.name}: {self.noun} {self.value:.2f} (limit {self.bound}) {self.verdict}; {self.detail}"


def python(*arguments: str, **variables: str) -> Run:
    """Run this Python with `arguments` in the repository, in the environment with these variables on top.

    Raises CalledProcessError where it fails.
    Modules are compiled once, as those of an installed package are, also where the environment would have it each time.
    """
    environment = {"NO_MKDOCS_2_WARNING": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    return run([sys.executable, *arguments], {**environment, **variables})


def run(command: Sequence[str], variables: Mapping[str, str], folder: Path = ROOT) -> Run:
    """Run `command` in `folder` with these variables on top. Raises CalledProcessError where it fails.

    Call it from a process that is small itself: Linux counts what the parent held at the fork as the child's peak.
    """
    start = time.perf_counter()
    environment = {**os.environ, **variables}
    with (
        TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            sys.stderr.write(errors.read())
            raise subprocess.CalledProcessError(process.returncode, command)
    return Run(output, seconds, usage.ru_maxrss / KIB_PER_GIB, usage.ru_utime + usage.ru_stime)


def seconds_of(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the wall time of `work` in this process."""
    start = clock()
    work()
    return clock() - start


def ratio(name: str, subject: Sequence[float], baseline: Sequence[float], limit: float) -> Outcome:
    """The median over rounds of subject against baseline, both in seconds.

    Round by round, because another program on the machine slows both of one round alike.
    """
    value = median(over / under for over, under in zip(subject, baseline, strict=True))
    detail = f"medians {median(subject):.3f} s against {median(baseline):.3f} s, {len(subject)} rounds"
    return Outcome(name, value, limit, detail)


def report(outcomes: Sequence[Outcome]) -> int:
    """Print the outcomes; the exit code is 1 if a limit is missed."""
    for outcome in outcomes:
        print(outcome, flush=True)
    return 0 if all(outcome.ok for outcome in outcomes) else 1

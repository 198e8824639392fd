"""Seconds and peak memory of other processes, and the line that says whether a limit holds."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
KIB_PER_GIB = 1024 * 1024


@dataclass(frozen=True)
class Run:
    """One process: its standard output, the seconds from its start to its end, and its peak memory in GiB."""

    output: str
    seconds: float
    peak_gib: float


@dataclass(frozen=True)
class Outcome:
    """What was measured against its limit; lower is better."""

    name: str
    value: float
    limit: float
    detail: str
    noun: str = "ratio"

    @property
    def ok(self) -> bool:
        return self.value <= self.limit

    def __str__(self) -> str:
        verdict = "ok" if self.ok else "MISSED"
        return f"{self.name}: {self.noun} {self.value:.2f} (limit {self.limit:g}) {verdict}; {self.detail}"


def python(*arguments: str) -> Run:
    """Run this Python with `arguments` in the repository. Raises CalledProcessError where it fails.

    Call it from a process that is small itself: Linux counts what the parent held at the fork as the child's peak.
    """
    command = [sys.executable, *arguments]
    start = time.perf_counter()
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(output, seconds, usage.ru_maxrss / KIB_PER_GIB)


def seconds_of(work: Callable[[], object]) -> float:
    """How long `work` takes in this process."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


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

"""Builds against an endpoint that end in the middle. What was answered and recorded is never asked again."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import edit, write_benchmark
from support.commands import nullbench, start
from support.evidence import lines, without_clock
from support.fault_server import Canned, FaultServer, completion
from support.live import CALLS, CONTESTANTS, JUDGES, live_repository
from support.repositories import copy_of, run_dir

from nullbench_site import api
from nullbench_site.checks import sandbox_program
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs

CONCURRENCY = 8
PATIENCE_S = 120.0
QUESTIONS = 4
RUNS_CODE = "{type: code-runnable, run: true, seconds: 60}"
CODE = "```python\nprint(1)\n```"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(faults=0.2, latency=0.005, stall=0.1) as server:
        yield server


@pytest.fixture
def steady() -> Iterator[FaultServer]:
    with FaultServer() as server:
        server.hold = threading.Event()
        yield server


@pytest.fixture
def board(server: FaultServer, tmp_path: Path) -> Repository:
    """Without prices: what failed attempts cost is as random as these are, and runs are compared."""
    return live_repository(tmp_path / "board", server.url, limits={"concurrency": CONCURRENCY})


def until(moment: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for a moment, or for the end of the process before it."""
    end = time.monotonic() + PATIENCE_S
    while not moment() and (process is None or process.poll() is None):
        assert time.monotonic() < end, "the moment never came"
        time.sleep(0.001)


def recorded(repository: Repository) -> int:
    return sum(1 for run in repository.runs.glob("[!.]*/") for _ in lines(run))


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.sweep)])
def test_a_build_that_is_killed_again_and_again_asks_nothing_twice_that_it_had_recorded(
    server: FaultServer, board: Repository, tmp_path: Path, kills: int
) -> None:
    """What the server answered and no record holds was in flight at a kill: that alone is asked again."""
    undisturbed = copy_of(board, tmp_path / "undisturbed")
    assert nullbench(undisturbed.root, "build", "--no-render", "--strict").code == 0
    server.forget()

    draw = random.Random(20)  # noqa: S311
    lost = []
    for _ in range(kills):
        answered, held = server.answers, recorded(board)
        server.stops_after = answered + draw.randint(0, CALLS // kills + 3) + 1
        with start(board.root, "build", "--no-render") as process:
            until(lambda: server.answers >= (server.stops_after or 0), process)
            process.kill()
            process.communicate(timeout=PATIENCE_S)
        until(lambda: not server.in_flight)
        assert process.returncode == -signal.SIGKILL
        lost.append(server.answers - answered - (recorded(board) - held))
        assert 0 <= lost[-1] <= CONCURRENCY

    server.stops_after = None
    done = nullbench(board.root, "build", "--no-render", "--strict", "--json")
    assert done.code == 0, done.err
    calls = json.loads(done.out)["calls"]
    assert (calls["planned"], calls["failed"]) == (CALLS, 0)
    assert server.repeated == sum(lost)
    assert server.answers == CALLS + sum(lost)
    assert [entry.path.name for entry in list_runs(board.runs)] == [run_dir(undisturbed).name]
    assert without_clock(run_dir(board)) == without_clock(run_dir(undisturbed))


@pytest.mark.parametrize("by", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.sweep)])
def test_an_interrupted_build_finishes_what_is_in_flight_and_puts_nothing_new(
    server: FaultServer, board: Repository, by: signal.Signals
) -> None:
    server.hold = threading.Event()
    with start(board.root, "build", "--no-render") as process:
        until(lambda: server.in_flight == CONCURRENCY, process)
        process.send_signal(by)
        told = ""
        while "Stopping" not in told and process.poll() is None:
            told = process.stderr.readline()
        assert "calls in flight are finished first" in told
        server.hold.set()
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err.count("Interrupted. Recorded answers are kept") == 1
    assert "Traceback" not in err
    assert len(server.seen) == CONCURRENCY
    assert recorded(board) == server.answers > 0

    done = nullbench(board.root, "build", "--no-render", "--strict", "--json")
    assert done.code == 0, done.err
    assert server.repeated == 0


@pytest.mark.parametrize("waiting", [False, True], ids=["calls in flight", "contestants that wait for the same call"])
def test_a_second_interrupt_stops_at_once(server: FaultServer, board: Repository, *, waiting: bool) -> None:
    """Contestants that say the same wait for what the judges say of the first of them."""
    if waiting:
        for name in CONTESTANTS:
            server.always[f"model-{name}"] = Canned(completion({"model": f"model-{name}"}, "The very same answer."))
        for name in JUDGES:
            server.always[f"model-{name}"] = "slow-body"
    else:
        server.hold = threading.Event()
    least = 2 * CONCURRENCY if waiting else 0
    with start(board.root, "build", "--no-render") as process:
        until(lambda: server.in_flight == CONCURRENCY and recorded(board) >= least, process)
        process.send_signal(signal.SIGINT)
        while "Stopping" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err.count("Interrupted. Recorded answers are kept") == 1
    assert "Traceback" not in err
    assert waiting or recorded(board) == server.answers == 0


def slow_sandbox(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bwrap in which all code is still running while the file is there that this returns."""
    gate, program = folder / "gate", folder / "bwrap"
    folder.mkdir()
    gate.touch()
    waits = f"case $(cat) in *print*) while [ -e '{gate}' ]; do sleep 0.02; done;; esac"
    program.write_text(f"#!/bin/sh\n{waits}\nexit {sandbox_program.FINISHED}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return gate


def test_an_answer_is_on_disk_before_its_checks_run_and_a_killed_build_goes_on_with_the_checks_alone(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    server.always["talker-1"] = Canned(completion({"model": "talker-1"}, CODE))
    board = Repository(tmp_path)
    specs = write_benchmark(tmp_path, "rubric", live=True)
    edit(specs, "domains/wording.yaml", "{type: reasoning}", RUNS_CODE)
    edit(specs, "boards/questions.yaml", ", geval: {judge: anna}", "")  # deepeval takes seconds to import
    gate = slow_sandbox(tmp_path / "bin", monkeypatch)

    def answered() -> dict[str, dict[str, Any]]:
        """The newest record of each item."""
        told = map(json.loads, lines(run_dir(board)) if any(board.runs.glob("[!.]*/manifest.json")) else ())
        return {record["item"]: record for record in told if record["model"] == "talker" and "judge" not in record}

    with start(board.root, "build", "--profile", "live", "--no-render") as process:
        until(lambda: len(answered()) == QUESTIONS, process)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGKILL, "the build was done before it could be killed"
    assert answered()["wording-01"]["checks_due"]
    gate.unlink()
    done = nullbench(board.root, "build", "--profile", "live", "--no-render", "--json", "--strict")
    assert done.code == 0, done.err
    assert sum(seen.body["model"] == "talker-1" for seen in server.seen) == QUESTIONS
    found = {check["type"]: check["outcome"] for check in answered()["wording-01"]["checks"]}
    assert found == {"code-runnable": "passed", "response-length": "passed"}
    assert not any("checks_due" in record for record in answered().values())
    assert api.verify(board, None)[1] == []


def disk_of(process: subprocess.Popen[str], size: int) -> None:
    """From now on no file may be longer, as on a disk that is full."""
    _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, hard))


def heard(process: subprocess.Popen[str], words: str) -> str:
    """The next line that says so."""
    line = ""
    while words not in line and process.poll() is None:
        line = process.stderr.readline()
    return line


def fill_the_disk(server: FaultServer, process: subprocess.Popen[str]) -> None:
    """While all of the first calls are in flight."""
    until(lambda: server.in_flight == CONCURRENCY, process)
    disk_of(process, 100)
    server.hold.set()
    told = heard(process, "The build waits")
    assert "File too large; raise the limit on file sizes. The build waits for 10 minutes at most" in told
    until(lambda: not server.in_flight, process)


def test_what_a_full_disk_refuses_is_held_and_no_call_is_put_until_it_is_written(
    steady: FaultServer, tmp_path: Path
) -> None:
    board = live_repository(tmp_path / "board", steady.url, limits={"concurrency": CONCURRENCY})
    with start(board.root, "build", "--no-render", "--strict") as process:
        fill_the_disk(steady, process)
        time.sleep(0.5)
        assert (len(steady.seen), steady.answers, recorded(board)) == (CONCURRENCY, CONCURRENCY, 0)
        disk_of(process, resource.RLIM_INFINITY)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert "The disk accepts records again: the answers are written and the build continues" in err
    assert (steady.answers, steady.repeated) == (CALLS, 0)
    assert api.verify(board, None)[1] == []


def test_a_build_that_is_interrupted_before_a_full_disk_says_how_many_answers_are_gone(
    steady: FaultServer, tmp_path: Path
) -> None:
    board = live_repository(tmp_path / "board", steady.url, limits={"concurrency": CONCURRENCY})
    with start(board.root, "build", "--no-render", "--strict") as process:
        fill_the_disk(steady, process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert f"{CONCURRENCY} answers could not be written; the next build requests them again" in err
    assert "Traceback" not in err
    assert nullbench(board.root, "build", "--no-render", "--strict").code == 0
    assert (steady.answers, steady.repeated) == (CALLS + CONCURRENCY, CONCURRENCY)

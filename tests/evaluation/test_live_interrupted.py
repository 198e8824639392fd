"""Builds against an endpoint that end in the middle. What was answered and recorded is never asked again."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.commands import nullbench, start
from support.evidence import lines, without_clock
from support.fault_server import Canned, FaultServer, completion
from support.live import CALLS, CONTESTANTS, JUDGES, PRICES, live_repository
from support.repositories import copy_of, run_dir

from nullbench_site.api import Repository
from nullbench_site.runs.catalog import list_runs

CONCURRENCY = 8
PATIENCE_S = 60.0


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(faults=0.2, latency=0.005, stall=0.1) as server:
        yield server


@pytest.fixture
def board(server: FaultServer, tmp_path: Path) -> Repository:
    return live_repository(tmp_path / "board", server.url, limits={"concurrency": CONCURRENCY}, prices=PRICES)


def until(moment: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for a moment, or for the end of the process before it."""
    end = time.monotonic() + PATIENCE_S
    while not moment() and (process is None or process.poll() is None):
        assert time.monotonic() < end, "the moment never came"
        time.sleep(0.001)


def recorded(repository: Repository) -> int:
    return sum(1 for run in repository.runs.glob("[!.]*/") for _ in lines(run))


@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.sweep)])
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
        target = answered + draw.randint(0, CALLS // kills + 3)
        with start(board.root, "build", "--no-render") as process:
            until(lambda target=target: server.answers > target, process)  # type: ignore[misc]
            process.kill()
            process.communicate(timeout=PATIENCE_S)
        until(lambda: not server.in_flight)
        assert process.returncode == -signal.SIGKILL, "the build was done before it could be killed"
        lost.append(server.answers - answered - (recorded(board) - held))
        assert 0 <= lost[-1] <= CONCURRENCY

    done = nullbench(board.root, "build", "--no-render", "--strict", "--json")
    assert done.code == 0, done.err
    calls = json.loads(done.out)["calls"]
    assert (calls["planned"], calls["failed"]) == (CALLS, 0)
    assert server.repeated == sum(lost)
    assert server.answers == CALLS + sum(lost)
    assert [entry.path.name for entry in list_runs(board.runs)] == [run_dir(undisturbed).name]
    assert without_clock(run_dir(board)) == without_clock(run_dir(undisturbed))


@pytest.mark.parametrize("by", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.sweep)])
def test_an_interrupted_build_finishes_what_is_in_flight_and_puts_nothing_new(
    server: FaultServer, board: Repository, by: signal.Signals
) -> None:
    server.hold = threading.Event()
    with start(board.root, "build", "--no-render") as process:
        until(lambda: server.in_flight == CONCURRENCY, process)
        process.send_signal(by)
        assert process.stderr is not None
        told = ""
        while "Stopping" not in told and process.poll() is None:
            told = process.stderr.readline()
        assert "calls in flight are finished first" in told
        server.hold.set()
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err.count("Interrupted. What was recorded is kept") == 1
    assert "Traceback" not in err
    assert len(server.seen) == CONCURRENCY
    assert recorded(board) == server.answers > 0

    done = nullbench(board.root, "build", "--no-render", "--strict", "--json")
    assert done.code == 0, done.err
    assert server.repeated == 0


def test_a_second_interrupt_stops_at_once(server: FaultServer, board: Repository) -> None:
    server.hold = threading.Event()
    with start(board.root, "build", "--no-render") as process:
        until(lambda: server.in_flight == CONCURRENCY, process)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "Stopping" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err.count("Interrupted. What was recorded is kept") == 1
    assert "Traceback" not in err
    assert recorded(board) == server.answers == 0


def test_a_second_interrupt_stops_those_too_who_wait_for_the_same_call(server: FaultServer, board: Repository) -> None:
    """Three contestants say the same, so that two of them wait for what the judges say of the first."""
    for name in CONTESTANTS:
        server.always[f"model-{name}"] = Canned(completion({"model": f"model-{name}"}, "The very same answer."))
    for name in JUDGES:
        server.always[f"model-{name}"] = "slow-body"
    with start(board.root, "build", "--no-render") as process:
        until(lambda: server.in_flight == CONCURRENCY and recorded(board) >= 2 * CONCURRENCY, process)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "Stopping" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "Traceback" not in err

"""Builds whose model answers at a server on this machine that is not running, or stops in the middle."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import edit
from support.commands import nullbench
from support.evidence import records
from support.fault_server import Canned, FaultServer, completion
from support.live import keyed_repository, live_repository
from support.oracle_sites import BOARD
from support.repositories import build, run_dir

from nullbench_site.evaluation.endpoints.local_server import is_loopback
from nullbench_site.repository import Repository

ITEMS = 5
REMEDY = "start it (the local model: nullbench-site model)"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        server.always["far"] = says("Answer: A")
        yield server


@pytest.fixture
def board(server: FaultServer, tmp_path: Path) -> Repository:
    return keyed_repository(tmp_path, server.url, concurrency=1)


def says(text: str) -> Canned:
    return Canned(completion({"model": "far"}, text))


def answers(run: Path, model: str = "far") -> dict[str, dict[str, Any]]:
    """The records of a contestant by item."""
    return {record["item"]: record for record in records(run, "responses") if record["model"] == model}


def test_answers_to_an_edited_item_stay_open_with_the_remedy_and_everything_else_goes_on(
    server: FaultServer, board: Repository
) -> None:
    assert nullbench(board.root, "build", "--no-render").code == 0
    server.go_away()
    edit(board.specs, "domains/letters.yaml", "Question 3.", "Question three.")
    done = nullbench(board.root, "build", "--no-render", "--json")
    assert done.code == 3
    assert json.loads(done.out)["calls"] == {"planned": 10, "made": 1, "reused": 8, "failed": 0, "left": 1}
    place = server.url.removeprefix("http://").removesuffix("/v1")
    assert f"endpoint 'local' stopped: no server is running at {place}; {REMEDY}, then build again" in done.err
    assert "far has no answer yet to 'letters-3'; the next build requests what is missing" in done.err
    table = (run_dir(board) / f"results/{BOARD}/leaderboard.csv").read_text("utf-8")
    (row,) = (row for row in csv.DictReader(table.splitlines()) if row["model"] == "far")
    assert (row["rank"], row["n_items"], row["overall"]) == ("", "4", "100.0")
    server.come_back()
    done = nullbench(board.root, "build", "--no-render", "--json")
    assert (done.code, json.loads(done.out)["calls"]["made"]) == (0, 1)


def test_a_server_that_dies_in_the_middle_loses_no_answer_and_the_next_build_goes_on(
    server: FaultServer, board: Repository
) -> None:
    del server.always["far"]
    server.stops_after = 2

    def die() -> None:
        while server.in_flight == 0 or server.answers < 2:
            died.wait(0.01)
        server.go_away()

    died, dying = threading.Event(), threading.Thread(target=die)
    dying.start()
    done = nullbench(board.root, "build", "--no-render", "--json")
    dying.join()
    assert done.code == 3
    assert json.loads(done.out)["calls"] == {"planned": 10, "made": 7, "reused": 0, "failed": 0, "left": 3}
    assert REMEDY in done.err
    kept = answers(run_dir(board))
    assert len(kept) == 2
    server.stops_after = None
    server.come_back()
    done = nullbench(board.root, "build", "--no-render", "--json")
    assert (done.code, json.loads(done.out)["calls"]["made"]) == (0, 3)
    assert {item: answers(run_dir(board))[item] for item in kept} == kept


def test_a_fresh_build_without_the_server_keeps_the_answers_of_its_model_and_makes_the_others_again(
    server: FaultServer, board: Repository
) -> None:
    first = json.loads(nullbench(board.root, "build", "--no-render", "--json").out)
    server.go_away()
    done = nullbench(board.root, "build", "--fresh", "--no-render", "--json")
    report = json.loads(done.out)
    assert (done.code, report["calls"]) == (0, {"planned": 10, "made": 5, "reused": 5, "failed": 0})
    assert ("repeated" in report, report["kept"]) == (False, ["far"])
    said = "endpoint 'local' is not running: recorded answers of far are kept; for new ones, start it"
    assert said in done.err
    assert f"equals run {first['run']}; the answers of far were kept, not made again" in done.err
    before, after = (board.root / each["run_dir"] for each in (first, report))
    assert answers(after) == answers(before)
    assert answers(after, "first-option") != answers(before, "first-option"), "their times differ"
    assert nullbench(board.root, "verify").code == 0


def test_a_fresh_build_without_the_server_keeps_the_verdicts_of_its_judges_too(
    server: FaultServer, tmp_path: Path
) -> None:
    board = live_repository(tmp_path, server.url, contestants=["alpha"], judges=["judge-one", "judge-two"])
    assert build(board).calls.made
    server.go_away()
    calls = build(board, fresh=True).calls
    assert (calls.made, calls.reused, calls.left) == (0, calls.planned, 0)


def test_a_fresh_build_says_how_many_answers_of_a_model_are_the_same(server: FaultServer, board: Repository) -> None:
    first = json.loads(nullbench(board.root, "build", "--no-render", "--json").out)["run"]
    server.next(says("Answer: B"))
    done = nullbench(board.root, "build", "--fresh", "--no-render")
    assert f"far: 4 of 5 answers are the same as in run {first}" in done.out + done.err
    done = nullbench(board.root, "build", "--fresh", "--no-render", "--json")
    (told,) = json.loads(done.out)["repeated"]
    assert told == {"model": "far", "run": f"{first}.r2", "answers": 5, "same": 4}


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.8.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),  # noqa: S104
     ("example.org", False), ("192.168.1.5", False), ("", False)],
)  # fmt: skip
def test_loopback_is_this_machine_alone(host: str, local: bool) -> None:
    assert is_loopback(host) is local

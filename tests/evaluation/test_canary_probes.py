"""Builds of a board that asks its models to complete the canaries of its files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import CANARY, edit
from support.commands import nullbench
from support.evidence import files, records
from support.fault_server import Canned, Fault, FaultServer, completion
from support.live import keyed_repository
from support.oracle_sites import BOARD
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.evaluation.meters import Progress
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository

ITEMS, FILES = 5, (f"boards/{BOARD}.yaml", "domains/letters.yaml")
SHOWN, REST = 36, 17
"""Characters of a canary that a question shows, and the others."""


class Trained(FaultServer):
    """A server of a model that completes the canaries it knows, and answers A to everything else."""

    known: tuple[str, ...] = ()
    broken = "nothing"

    def _fault(self, body: Mapping[str, Any]) -> Fault:
        asked = body["messages"][-1]["content"]
        if self.broken in asked.rpartition("\n")[2]:
            return "too-long"
        whole = next((each for each in self.known if asked.endswith(each[:SHOWN])), "")
        return Canned(completion({"model": "far"}, f"`{whole[SHOWN:].upper()}`" if whole else "Answer: A"))


@pytest.fixture
def server() -> Iterator[Trained]:
    with Trained() as server:
        yield server


@pytest.fixture
def board(server: Trained, tmp_path: Path) -> Repository:
    return keyed_repository(tmp_path, server.url, concurrency=1)


def ask(board: Repository) -> None:
    """Turn the question on."""
    path = board.specs / f"boards/{BOARD}.yaml"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"ask_canaries": True}), "utf-8")


def canary(board: Repository, file: str) -> str:
    (found,) = CANARY.findall((board.specs / file).read_text("utf-8"))
    return str(found)


def rows(board: Repository) -> dict[str, dict[str, Any]]:
    results = json.loads((run_dir(board) / f"results/{BOARD}/results.json").read_text("utf-8"))
    return {row["model"]: row for row in results["canaries"]}


def test_a_model_that_completes_a_canary_is_found_and_one_that_does_not_is_not(
    server: Trained, board: Repository
) -> None:
    ask(board)
    server.known = (canary(board, FILES[1]),)
    report = api.build(board)
    assert (report.calls.planned, report.calls.made) == (2 * ITEMS + 2, 2 * ITEMS + 2)
    assert rows(board)["far"] == {
        "model": "far", "n_canaries": 2, "n_answered": 2, "n_errored": 0, "n_completed": 1, "completed": [FILES[1]],
        "absent": None,
    }  # fmt: skip
    assert rows(board)["first-option"]["absent"] == "does not apply: a program is not trained"
    asked = [seen.body for seen in server.seen if "nullbench-canary" in seen.body["messages"][-1]["content"]]
    assert sorted(body["messages"][-1]["content"].splitlines()[-1] for body in asked) == sorted(
        canary(board, file)[:SHOWN] for file in FILES
    )
    assert api.verify(board, None).problems == []
    page = (board.site / f"boards/{BOARD}/trust/index.html").read_text("utf-8")
    assert "<b>1</b> of 2" in page
    assert f"<code>{FILES[1]}</code>" in page
    assert "right once in 2<sup>62</sup> attempts" in page


def test_canaries_are_asked_once_and_answers_to_items_stay_as_they_are(server: Trained, board: Repository) -> None:
    api.build(board, render_site=False)
    before = run_dir(board)
    assert not (before / "probes").exists()
    ask(board)
    assert api.plan(board, Selection()).planned == 2 * ITEMS + 2
    report = api.build(board, render_site=False)
    assert (report.calls.made, report.calls.reused) == (2, 2 * ITEMS)
    after = run_dir(board)
    same = ("responses/", f"results/{BOARD}/leaderboard.csv", f"results/{BOARD}/items.csv")
    kept = {name: data for name, data in files(before).items() if name.startswith(same)}
    assert kept == {name: data for name, data in files(after).items() if name.startswith(same)}
    assert [record["item"] for record in sorted(records(after, "probes"), key=lambda each: each["item"])] == [*FILES]
    again = api.build(board, render_site=False).calls
    assert (again.planned, again.made, again.reused) == (12, 0, 12)
    edit(board.specs, "domains/letters.yaml", "Question 3.", "Question three.")
    assert api.build(board, render_site=False).calls.made == 2, "the item is asked of both contestants, no canary"


def test_a_run_does_not_wait_for_the_canaries_of_a_local_server_that_is_not_running(
    server: Trained, board: Repository
) -> None:
    api.build(board, render_site=False)
    ask(board)
    server.go_away()
    said: list[str] = []
    calls = api.build(board, render_site=False, progress=Progress(on_note=said.append)).calls
    assert (calls.planned, calls.made, calls.reused, calls.left) == (10, 0, 10, 0)
    assert said[0].startswith("canaries were not asked of far, because no server is running on this machine; to ask,")
    assert rows(board)["far"]["absent"] == "not asked in this run"
    assert api.verify(board, None).problems == []
    server.come_back()
    assert api.build(board, render_site=False).calls.made == 0, "the run is sealed"


def test_a_canary_call_that_fails_is_recorded_and_asked_again_on_request(server: Trained, board: Repository) -> None:
    api.build(board, render_site=False)
    ask(board)
    server.known = (canary(board, FILES[1]),)
    server.broken = canary(board, FILES[1])[:SHOWN]
    assert api.build(board, render_site=False).calls.failed == 1
    assert rows(board)["far"] | {"n_answered": 1, "n_errored": 1, "n_completed": 0} == rows(board)["far"]
    server.broken = "nothing"
    again = api.build(board, BuildOptions(retry_failed=True), render_site=False)
    assert again.calls.made == 1
    assert rows(board)["far"]["completed"] == [FILES[1]]


def test_a_canary_call_that_fails_is_in_no_score_and_has_its_own_warning(server: Trained, board: Repository) -> None:
    api.build(board, render_site=False)
    ask(board)
    server.broken = canary(board, FILES[1])[:SHOWN]
    done = nullbench(board.root, "build", "--no-render")
    assert f"Calls: {2 * ITEMS + 2} planned, 1 made, {2 * ITEMS} reused, 1 failed" in done.err
    (warning,) = (line for line in done.err.splitlines() if line.startswith("Warning:"))
    said = "1 canary call failed; it is in no score. Repeat them with --retry-failed. The records have the errors"
    assert (done.code, warning) == (0, f"Warning: {said}")


def test_a_call_of_an_item_that_fails_is_no_canary_call(server: Trained, board: Repository) -> None:
    ask(board)
    server.broken = "B) second"
    calls = json.loads(nullbench(board.root, "build", "--no-render", "--json").out)["calls"]
    assert (calls["failed"], "failed_probes" in calls) == (ITEMS, False)


def test_an_edited_answer_to_a_canary_does_not_verify(server: Trained, board: Repository) -> None:
    ask(board)
    api.build(board, render_site=False)
    shard = run_dir(board) / "probes/far.jsonl"
    shard.write_text(shard.read_text("utf-8").replace("Answer: A", "Answer: B"), "utf-8")
    assert any("probes/far.jsonl" in problem for problem in api.verify(board, None).problems)

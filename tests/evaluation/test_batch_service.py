"""Endpoints with `batch: true`: their calls are submitted, waited for and recorded by a build."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.batch_server import BatchServer
from support.evidence import records, without_times
from support.live import CALLS, CONTESTANTS, JUDGES, PRICES, live_repository
from support.repositories import ITEMS, build, run_dir

from nullbench_site import api
from nullbench_site.errors import StoppedEarly
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.meters import Progress
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository

FIRST = ITEMS * len(CONTESTANTS)


@pytest.fixture
def service() -> Iterator[BatchServer]:
    with BatchServer() as running:
        yield running


@pytest.fixture
def board(service: BatchServer, tmp_path: Path) -> Repository:
    return repository(tmp_path / "board", service)


def repository(folder: Path, service: BatchServer, **more: Any) -> Repository:
    return live_repository(folder, service.url, endpoint={"batch": True}, **more)


def out_of(repository: Repository) -> list[Path]:
    return [path for path in (repository.runs / ".batches").rglob("*") if path.is_file()]


def test_a_build_of_batches_has_the_records_of_one_at_the_endpoint(
    service: BatchServer, board: Repository, tmp_path: Path
) -> None:
    report = build(board)
    assert (report.partial, report.calls.made, report.calls.reused) == (False, CALLS, 0)
    assert service.seen == [], "every call was in a batch"
    assert len(service.requests) == CALLS
    assert out_of(board) == [], "nothing is left of batches that are recorded"
    online = live_repository(tmp_path / "online", service.url)
    build(online)
    assert without_times(run_dir(board)) == without_times(run_dir(online))
    assert {record["seconds"] for record in records(run_dir(board), "judgments")} == {None}, "not measured"
    assert api.verify(board, None)[1] == []


def test_a_batch_whose_id_was_not_written_is_found_by_the_next_build(service: BatchServer, board: Repository) -> None:
    service.holds_reply = threading.Event()
    command = [sys.executable, "-m", "nullbench_site", "-C", str(board.root), "build", "--no-render"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as killed:
        assert service.made.wait(120), "a batch was made"
        killed.send_signal(signal.SIGKILL)
    service.holds_reply.set()
    assert not list((board.runs / ".batches").rglob("*.json")), "its id was not written"
    assert build(board).partial is False
    assert len(service.requests) == CALLS, "nothing is paid twice"


@pytest.mark.parametrize(
    ("ends", "lines", "why"),
    [
        ("expired", True, "the batch has no answer: It expired"),
        ("cancelled", True, "the batch has no answer: It cancelled"),
        ("completed", False, "calls have no answer from a batch;"),
        ("failed", False, "calls have no answer from a batch;"),
    ],
)
def test_calls_that_a_batch_did_not_answer_go_out_in_the_next_build(
    service: BatchServer, board: Repository, ends: str, lines: bool, why: str
) -> None:
    service.ends, service.lines, service.answers_of_batch = ends, lines, 2
    options = BuildOptions(Selection(models=["alpha"]))
    if ends == "failed":
        with pytest.raises(StoppedEarly, match=why):
            api.build(board, options, render_site=False)
        answered = 0
    else:
        report = api.build(board, options, render_site=False)
        assert any(why in each for each in report.stopped), report.stopped
        answered = sum(1 for _ in records(run_dir(board), "responses"))
        assert answered == 2
    service.ends, service.answers_of_batch = "completed", None
    assert api.build(board, options, render_site=False).calls.left == 0
    asked = [call["custom_id"] for call in service.requests]
    assert len(asked) - len(set(asked)) == ITEMS - answered, "only these were sent again"
    assert out_of(board) == []


def test_a_budget_holds_the_most_that_batches_can_cost_until_they_end(service: BatchServer, tmp_path: Path) -> None:
    decoding = {"temperature": 0.0, "max_tokens": 50_000}
    board = repository(tmp_path / "board", service, prices=PRICES, decoding=decoding, contestants=["alpha"])
    # Two calls have room for the most they can cost; what they do cost leaves room for two more.
    budget = Budget(max_usd=0.25)
    report = api.build(board, BuildOptions(budget=budget), render_site=False)
    sizes = [len(service._calls(batch)) for batch in service.batches.values()]
    assert report.partial is False
    assert max(sizes) <= 2
    assert budget.in_batches_usd == pytest.approx(0)
    assert budget.spent_usd == pytest.approx(sum(record["cost_usd"] for record in every_record(board)))


def every_record(board: Repository) -> list[dict[str, Any]]:
    return [record for kind in ("responses", "judgments") for record in records(run_dir(board), kind)]


def test_another_form_of_the_request_goes_out_in_the_same_build(service: BatchServer, board: Repository) -> None:
    service.refuses.add("json_schema")
    assert build(board).partial is False
    forms = [call["body"].get("response_format", {}).get("type") for call in service.requests]
    assert forms.count("json_object") == CALLS - FIRST


def test_an_interrupted_build_leaves_its_batches_out_and_later_builds_record_what_they_want(
    service: BatchServer, board: Repository
) -> None:
    def interrupt(note: str) -> None:
        if len(service.batches) == len(CONTESTANTS) and "the build waits" in note:
            signal.raise_signal(signal.SIGINT)

    service.polls = 10**9
    with pytest.raises(KeyboardInterrupt):
        api.build(board, render_site=False, progress=Progress(on_note=interrupt))
    service.polls = 0
    one = api.build(board, BuildOptions(Selection(models=["alpha"])), render_site=False)
    assert one.calls.made == ITEMS * (1 + len(JUDGES))
    assert any("contestant-beta" in path.name for path in out_of(board)), "its answers are kept"
    assert build(board).partial is False
    assert (len(service.requests), out_of(board)) == (CALLS, []), "nothing is paid twice"


def test_damaged_results_stop_the_endpoint_and_are_kept(service: BatchServer, board: Repository) -> None:
    service.damage = b"<html>"
    options = BuildOptions(Selection(models=["alpha"]))
    report = api.build(board, options, render_site=False)
    damaged = next(path for path in out_of(board) if path.suffix == ".output")
    problem = f"{damaged}:([0-9]+): not a line of batch results.*; or remove {damaged.parent} "
    line = re.search(problem, report.stopped[0])
    assert line, report.stopped
    assert report.calls.made == int(line[1]) - 1 > 0, "the lines before are recorded"
    assert len(service.requests) == ITEMS
    again = api.build(board, options, render_site=False)
    assert (again.calls.made, len(service.requests)) == (0, ITEMS), "nothing is sent while the file is there"

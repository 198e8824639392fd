"""Builds of a board of prompts: marks, checks and G-Eval, at an endpoint and by programs."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.benchmarks import edit, write_benchmark
from support.evidence import records
from support.fault_server import Canned, FaultServer, completion
from support.repositories import adds_up, run_dir

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.errors import UsageError
from nullbench_site.evaluation import evaluate as evaluation
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.plan_report import report as report_of
from nullbench_site.evaluation.targets import Scope, Selection
from nullbench_site.judging import geval
from nullbench_site.judging.geval import METRICS
from nullbench_site.repository import Repository

ITEMS, JUDGES = 4, 2
CALLS = 2 * ITEMS * (1 + JUDGES + len(METRICS))
PROGRAM = ITEMS


@pytest.fixture
def board(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    write_benchmark(tmp_path, "rubric", live=True)
    return Repository(tmp_path)


def build(repository: Repository, **order: Any) -> BuildReport:
    return api.build(repository, BuildOptions(**order), profile="live", render_site=False)


def judgments(repository: Repository) -> list[dict[str, Any]]:
    return list(records(run_dir(repository), "judgments"))


def test_every_answer_gets_a_mark_of_each_judge_and_each_metric_of_geval(
    server: FaultServer, board: Repository
) -> None:
    assert adds_up(report_of(api.plan(board, Selection(), profile="live")))
    report = build(board)
    assert (report.calls.planned, report.calls.made, report.calls.failed) == (CALLS, CALLS, 0)
    assert len(server.seen) == CALLS - PROGRAM
    told = judgments(board)
    tasks = Counter((record["judge"], record["judge_template"]) for record in told)
    assert tasks == dict.fromkeys(
        [("anna", None), ("ben", None), *(("anna", f"geval.{metric}") for metric in METRICS)], 2 * ITEMS
    )
    for record in told:
        assert record["state"] == "scored"
        ((name, value),) = record["scores"].items()
        if record["judge_template"] is None:
            assert (name, value in range(1, 6)) == ("score", True)
        else:
            assert record["judge_template"] == f"geval.{name}"
            assert 0 <= value <= 1
        assert record["rationale"]


def test_the_next_build_asks_nobody(server: FaultServer, board: Repository) -> None:
    build(board)
    asked = len(server.seen)
    assert build(board).calls.reused == CALLS
    assert len(server.seen) == asked
    assert api.verify(board, None)[1] == []


def test_a_new_wording_of_an_ideal_asks_judges_again_and_geval_only_where_it_looks_at_it(
    server: FaultServer, board: Repository
) -> None:
    build(board)
    before = len(server.seen)
    edit(board.specs, "domains/wording.yaml", "Three tools such as diff,", "Any three tools such as diff,")
    report = build(board)
    assert report.calls.made == 2 * (JUDGES + 1)
    assert len(server.seen) == before + report.calls.made


def test_a_judge_sees_the_prompt_the_ideal_the_criteria_and_the_flags_and_the_response_last(
    server: FaultServer, board: Repository
) -> None:
    build(board)
    shown = [
        seen.body["messages"][-1]["content"]
        for seen in server.seen
        if "# What a good answer is" in seen.body["messages"][-1]["content"]
    ]
    assert len(shown) == 2 * ITEMS * JUDGES
    empty = [text for text in shown if "empty: the response holds no text" in text]
    assert len(empty) == JUDGES * (ITEMS)
    for text in shown:
        places = [text.index(part) for part in ("# The prompt", "# What a good answer is", "# Criteria", "noticed")]
        assert places == sorted(places)
        assert text.index("# The response under judgment") > places[-1]


def test_a_contestant_sees_the_prompt_and_nothing_else(server: FaultServer, board: Repository) -> None:
    build(board)
    asked = [seen.body["messages"] for seen in server.seen if seen.body["model"] == "talker-1"]
    assert {messages[0]["content"] for messages in asked} == {
        placed.prompt for placed in api.validate(board).items(api.validate(board).boards["questions"])
    }
    assert all(len(messages) == 1 for messages in asked)


def test_checks_of_a_known_answer_are_made_again_when_they_change_and_the_judges_are_asked(
    server: FaultServer, board: Repository
) -> None:
    build(board)
    edit(
        board.specs,
        "domains/storage.yaml",
        "{type: response-length, max_words: 30}",
        "{type: response-length, max_words: 1}",
    )
    before = len(server.seen)
    build(board)
    responses = [
        record
        for record in records(run_dir(board), "responses")
        if (record["model"], record["item"]) == ("talker", "storage-01")
    ]
    (found,) = responses
    assert found["checks"][0]["outcome"] == "failed"
    # The answers are known; flags are new for the talker, and the empty answer has the flag it had.
    assert len(server.seen) - before == JUDGES


def test_a_reply_to_geval_that_is_no_score_is_asked_for_once_more_and_makes_no_number(
    server: FaultServer, board: Repository
) -> None:
    said = completion({"model": "anna-1"}, json.dumps({"score": "eleven", "reason": "because", "rationale": "so"}))
    server.always["anna-1"] = Canned(json.dumps(said).encode())
    build(board)
    of_anna = [record for record in judgments(board) if record["judge"] == "anna"]
    assert len(of_anna) == 2 * ITEMS * (1 + len(METRICS))
    assert sum(seen.body["model"] == "anna-1" for seen in server.seen) == 2 * len(of_anna)
    for record in of_anna:
        assert (record["state"], record["scores"]) == ("unparsed", {})
        (why,) = record["invalid"].values()
        assert "'eleven' is not" in why

    del server.always["anna-1"]
    server.forget()
    report = build(board, retry_failed=True)
    assert (report.calls.made, len(server.seen)) == (len(of_anna), len(of_anna))
    assert {record["state"] for record in judgments(board)} == {"scored"}


def test_a_budget_counts_what_geval_asks(server: FaultServer, board: Repository) -> None:
    report = build(board, budget=Budget(max_calls=7))
    assert len(server.seen) == 7
    assert report.stopped
    rest = build(board)
    assert rest.calls.made == CALLS - report.calls.made
    assert len(server.seen) == CALLS - PROGRAM


def test_without_deepeval_a_board_with_geval_says_what_to_install_before_anything_is_asked(
    server: FaultServer, board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(geval, "missing", lambda: "G-Eval needs the package deepeval. Run: pip install")
    with pytest.raises(UsageError, match="G-Eval needs the package deepeval"):
        build(board)
    assert server.seen == []
    assert not list(board.runs.glob("*/manifest.json"))


def test_without_a_sandbox_code_is_not_asked_for_that_would_have_to_run(
    server: FaultServer, board: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(board.specs, "domains/wording.yaml", "{type: reasoning}", "{type: code-runnable, run: true}")
    monkeypatch.setattr(evaluation, "sandbox_problem", lambda: "found no bwrap")
    with pytest.raises(UsageError, match="found no bwrap; or remove `run` from the checks"):
        build(board)
    assert server.seen == []


def test_the_programs_build_the_board_without_a_call_to_any_endpoint(tmp_path: Path) -> None:
    write_benchmark(tmp_path, "rubric")
    repository = Repository(tmp_path)
    report = api.build(repository, render_site=False)
    assert report.calls.made == report.calls.planned == 4 * ITEMS * (1 + 3)
    assert api.verify(repository, None)[1] == []
    again = api.build(repository, BuildOptions(fresh=True), render_site=False)
    assert again.calls.made == report.calls.made
    assert api.reproduction(repository, again.run)[1] == []  # type: ignore[index]


def test_an_estimate_covers_the_tokens_that_geval_puts_around_the_texts(server: FaultServer, board: Repository) -> None:
    build(board, scope=Scope(judges=[]))
    planned = api.plan(board, Selection(), profile="live").estimates["judge", "anna"]
    build(board)
    used = sum(record["input_tokens"] for record in judgments(board) if record["judge"] == "anna")
    assert planned.input_tokens.low <= used
    # The server counts four characters of the whole body a token, its JSON included.
    assert used <= 1.5 * planned.input_tokens.high


def test_items_without_checks_are_asked_judged_scored_and_shown(tmp_path: Path) -> None:
    """No program looks at their answers; all that follows does without."""
    specs = write_benchmark(tmp_path, "rubric")
    for path in (specs / "domains").glob("*.yaml"):
        domain = yaml.safe_load(path.read_text("utf-8"))
        for category in domain["categories"]:
            for item in category["items"]:
                del item["checks"]
        path.write_text(yaml.safe_dump(domain, sort_keys=False), "utf-8")
    repository = Repository(tmp_path)
    report = api.build(repository)
    assert (report.calls.failed, report.calls.left) == (0, 0)
    assert all("checks" not in record for record in records(run_dir(repository), "responses"))
    assert api.verify(repository, None).problems == []
    item = domain["categories"][0]["items"][0]["id"]
    hidden = api.hide(repository, domain["id"], [item])
    assert '"checks"' not in hidden.file.read_text("utf-8")
    api.validate(repository)
    api.reveal(repository, domain["id"], [item])
    api.validate(repository)

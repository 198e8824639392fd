"""Items of several turns: each turn is a call, asked with the contestant's own answers in context."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.benchmarks import edit, write_benchmark
from support.commands import start
from support.evidence import files, lines, records
from support.fault_server import FaultServer
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import list_runs
from nullbench_site.scoring.tables import read_results
from nullbench_site.site.evidence.explorer_files import evidence_files
from nullbench_site.site.gather import gather
from nullbench_site.specs.load import load_benchmark
from nullbench_site.visibility import hide, reveal

ITEM = "storage-01"
ASKED = "Is a file of zero bytes stored in no blocks at all? Answer in at most 30 words."
THEN = "And a file of one byte? At most 30 words again."
TURNS = f"turns:\n          - {ASKED}\n          - {THEN}"
ITEMS, TASKS = 4, 5
CALLS = ITEMS * (1 + TASKS) + 1


def with_turns(specs: Path) -> None:
    edit(specs, "domains/storage.yaml", f"prompt: {ASKED}", TURNS)


@pytest.fixture
def board(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with_turns(write_benchmark(tmp_path, "rubric", live=True))
    return Repository(tmp_path)


def build(repository: Repository, **order: Any) -> BuildReport:
    order.setdefault("selection", Selection(models=["talker"]))
    return api.build(repository, BuildOptions(**order), profile="live", render_site=False)


def asked(server: FaultServer, model: str = "talker-1") -> list[list[dict[str, str]]]:
    """The messages of each request for a model about the item, in the order they came."""
    every = [seen.body["messages"] for seen in server.seen if seen.body["model"] == model]
    return [messages for messages in every if ASKED in json.dumps(messages)]


def answers(repository: Repository) -> list[dict[str, Any]]:
    found = [each for each in records(run_dir(repository), "responses") if each["item"] == ITEM]
    return sorted(found, key=lambda each: each.get("turn", 1))


def test_the_second_turn_is_asked_with_the_first_answer_in_context_and_judges_see_the_conversation(
    server: FaultServer, board: Repository
) -> None:
    planned = api.plan(board, Selection(models=["talker"]), profile="live")
    report = build(board)
    assert planned.planned == report.calls.planned == report.calls.made == CALLS
    first, second = answers(board)
    assert ("turn" in first, second["turn"]) == (False, 2), "a record of one turn is as it always was"
    opening = {"role": "user", "content": ASKED}
    assert asked(server) == [
        [opening], [opening, {"role": "assistant", "content": first["text"]}, {"role": "user", "content": THEN}],
    ]  # fmt: skip
    assert (first.get("checks", []), len(second["checks"])) == ([], 1)
    judged = [each for each in records(run_dir(board), "judgments") if each["item"] == ITEM]
    assert {each["turn"] for each in judged} == {2}
    shown = json.dumps(asked(server, "ben-1"))
    assert len(asked(server, "ben-1")) == 1
    assert first["text"] in shown
    assert shown.index(first["text"]) < shown.index(THEN) < shown.index(second["text"])
    server.forget()
    assert (build(board).calls.made, server.seen) == (0, [])


def test_another_answer_to_the_first_turn_is_another_call_for_the_second(board: Repository) -> None:
    benchmark = load_benchmark(board.specs, profile="live")
    builder = RequestBuilder(benchmark, backends())
    target = next(each for each in builder.targets(Selection(models=["talker"])) if each.placed.id == ITEM)
    later = [replace(target, placed=target.placed.at(said)) for said in ("Yes.", "No.")]
    keys = {builder.response_request(each).key() for each in (target, *later)}
    assert len(keys) == 3
    assert [builder.response_request(each).messages[1].content for each in later] == ["Yes.", "No."]


def test_a_program_is_given_what_was_said_before_as_a_field(board: Repository) -> None:
    builder = RequestBuilder(load_benchmark(board.specs, profile="live"), backends())
    target = next(each for each in builder.targets(Selection(models=["null-empty"])) if each.placed.id == ITEM)
    assert builder.response_request(target).fields == {"prompt": ASKED}
    assert builder.response_request(replace(target, placed=target.placed.at("Yes."))).fields == {
        "prompt": THEN, "before": [{"prompt": ASKED, "response": "Yes."}],
    }  # fmt: skip


def test_a_build_that_stops_between_the_turns_goes_on_with_the_second(server: FaultServer, board: Repository) -> None:
    build(board, budget=Budget(max_calls=1))
    assert [len(answers(board)), len(asked(server))] == [1, 1]
    build(board)
    assert len(answers(board)) == 2
    assert server.repeated == 0


def test_a_build_that_is_killed_between_the_turns_asks_nothing_twice(server: FaultServer, board: Repository) -> None:
    server.always["anna-1"] = server.always["ben-1"] = "stall"
    server.longest["talker-1"] = (len(ASKED), "stall")  # the second turn, which has more in context
    with start(board.root, "build", "--no-render", "--profile", "live", "--model", "talker") as process:
        while not any(b'"item":"storage-01"' in line for run in board.runs.glob("[!.]*/") for line in lines(run)):
            assert process.poll() is None
        process.kill()
        process.wait()
    assert [each.get("turn", 1) for each in answers(board)] == [1]
    server.always.clear()
    server.longest.clear()
    build(board)
    assert [each.get("turn", 1) for each in answers(board)] == [1, 2]
    assert [len(messages) for messages in asked(server)] in ([1, 3], [1, 3, 3]), "the second was in flight, or not yet"


def test_a_turn_that_fails_ends_the_conversation_and_the_answer_counts_as_failed(
    server: FaultServer, board: Repository
) -> None:
    server.longest["talker-1"] = (len(ASKED) - 1, "too-long")
    build(board)
    (failed,) = answers(board)
    assert (failed["state"], failed.get("turn", 1), len(asked(server))) == ("errored", 1, 1)
    assert [each for each in records(run_dir(board), "judgments") if each["item"] == ITEM] == []
    results = read_results(run_dir(board), "questions")
    (row,) = [row for row in results.items if row.model == "talker" and row.item == ITEM]
    assert (row.ended, row.score) == ("errored", 0.0)
    server.longest.clear()
    build(board, retry_failed=True)
    assert len(answers(board)) == 2


def oracle(folder: Path) -> Repository:
    """Programs alone: a prompt and its key, the key of the second turn."""
    specs = write_benchmark(folder, "oracle")
    edit(
        specs, "domains/counting.yaml", "prompt: How many are 3 dozen?",
        "turns:\n          - How many are 3 dozen?\n          - The first number once more?",
    )  # fmt: skip
    return Repository(folder)


def test_a_conversation_is_shown_turn_by_turn_in_the_evidence(tmp_path: Path) -> None:
    repository = oracle(tmp_path)
    api.build(repository, render_site=False)
    runs = list_runs(repository.runs)
    published = dict(evidence_files(gather(load_benchmark(repository.specs), runs[-1], runs)))
    item = json.loads(published["data/v1/evidence/keys/items/0.json"])["counting-05"]
    assert item["turns"] == ["How many are 3 dozen?", "The first number once more?"]
    answers = json.loads(published["data/v1/evidence/keys/answers/copy/0.json"])
    (sample,), (other,) = (answers[name]["samples"] for name in ("counting-05", "counting-06"))
    assert [said["text"] for said in (*sample["before"], sample)] == item["turns"]
    assert "before" not in other


def test_a_private_conversation_is_scored_alike_by_whoever_has_not_its_text(tmp_path: Path) -> None:
    repository = oracle(tmp_path / "ours")
    hide(repository.specs, repository.private, "counting", ["counting-05"])
    assert "turns: 2" in (repository.specs / "domains/counting.yaml").read_text("utf-8")
    api.build(repository, render_site=False)
    assert api.verify(repository, None)[1] == []
    clone = Repository(tmp_path / "theirs")
    shutil.copytree(repository.root, clone.root, ignore=shutil.ignore_patterns("private"))
    assert [name for name, data in files(clone.root).items() if b"once more" in data] == []
    assert api.verify(clone, None)[1] == []
    assert api.build(clone, render_site=False).calls.made == 0
    reveal(repository.specs, repository.private, "counting", ["counting-05"])
    assert "once more" in (repository.specs / "domains/counting.yaml").read_text("utf-8")

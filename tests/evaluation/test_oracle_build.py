"""Builds of a board of answer keys whose contestant answers at an endpoint that fails at times."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.benchmarks import write_model
from support.commands import nullbench
from support.evidence import records
from support.fault_server import Canned, FaultServer, completion
from support.live import keyed_repository
from support.oracle_sites import BOARD
from support.repositories import run_dir

from nullbench_site import api
from nullbench_site.repository import Repository

ITEMS, CALLS = 5, 10
"""Prompts, and what two contestants are asked."""


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        server.always["far"] = Canned(completion({"model": "far"}, "Answer: A"))
        yield server


@pytest.fixture
def board(server: FaultServer, tmp_path: Path) -> Repository:
    return keyed_repository(tmp_path, server.url)


def leaderboard(repository: Repository) -> dict[str, dict[str, str]]:
    with (run_dir(repository) / f"results/{BOARD}/leaderboard.csv").open(encoding="utf-8") as file:
        return {row["model"]: row for row in csv.DictReader(file)}


def test_an_answer_that_failed_is_not_correct_and_is_asked_for_again(server: FaultServer, board: Repository) -> None:
    """One of five fails and four are right: overall 80, accuracy 1 over the valid ones."""
    server.next("too-long")
    done = nullbench(board.root, "build", "--no-render", "--json")
    assert done.code == 0
    assert json.loads(done.out)["calls"] == {"planned": CALLS, "made": CALLS - 1, "reused": 0, "failed": 1}
    assert "1 call failed; its item counts as 0" in done.err
    (failed,) = (record for record in records(run_dir(board), "responses") if record["state"] == "errored")
    assert (failed["model"], failed["text"], failed.get("checks", [])) == ("far", "", [])
    row = leaderboard(board)["far"]
    assert (row["rank"], row["n_correct"], row["n_invalid"], row["n_errored"]) == ("2", "4", "0", "1")
    assert (row["overall"], row["accuracy"], row["valid_share"], row["error_rate"]) == ("80.0", "1.0", "0.8", "0.2")
    assert nullbench(board.root, "verify").code == 0

    again = json.loads(nullbench(board.root, "build", "--no-render", "--json", "--retry-failed").out)
    assert again["calls"] == {"planned": CALLS, "made": 1, "reused": CALLS - 1, "failed": 0}
    row = leaderboard(board)["far"]
    assert (row["rank"], row["overall"], row["error_rate"]) == ("1", "100.0", "0.0")


def test_a_contestant_all_of_whose_answers_failed_has_0_and_no_accuracy(server: FaultServer, board: Repository) -> None:
    server.longest["far"] = (25, "too-long")
    assert nullbench(board.root, "build", "--no-render", "--strict").code == 1
    row = leaderboard(board)["far"]
    assert (row["rank"], row["overall"], row["accuracy"], row["error_rate"]) == ("2", "0.0", "", "1.0")
    results = json.loads((run_dir(board) / f"results/{BOARD}/results.json").read_text("utf-8"))
    (told,) = (each["absent"] for each in results["leaderboard"] if each["model"] == "far")
    assert told["accuracy"] == "no valid answer"


def test_faults_that_another_attempt_gets_over_cost_nothing(server: FaultServer, board: Repository) -> None:
    server.next("429", "cut", "500")
    assert nullbench(board.root, "build", "--no-render", "--strict").code == 0
    row = leaderboard(board)["far"]
    assert (row["overall"], row["error_rate"]) == ("100.0", "0.0")
    assert len(server.seen) == ITEMS + 3


TOO_LONG = {
    "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 8311, "n_ctx": 8192,
    "message": "request (8311 tokens) exceeds the available context size (8192 tokens), try increasing it",
}  # fmt: skip
"""The error object of llama.cpp's server."""
ODD_ANSWERS = {
    "loops": ("The answer is B, or the answer is A. " * 2000, "length", "correct"),
    "other language": ("La respuesta correcta es la primera, porque así consta en el texto.", "stop", "invalid"),
    "8,000 tokens": ("mood " * 8000 + "\n\nAnswer: A", "stop", "correct"),
    "control characters": ("\x00\x1b[2J\x07Answer:\u202e\x85 A\x00", "stop", "correct"),
}
"""Name -> text, why it ended, and its mark."""


def test_odd_answers_are_recorded_whole_and_marked_and_one_beyond_the_context_fails_alone(
    server: FaultServer, board: Repository
) -> None:
    said = [Canned(completion({"model": "far"}, text, finish_reason=ended)) for text, ended, _ in ODD_ANSWERS.values()]
    server.next(*said, Canned({"error": TOO_LONG}, 400))
    done = nullbench(board.root, "build", "--no-render")
    assert done.code == 0
    assert not any(c in done.err + done.out for c in "\x00\x1b\x07")
    far = {record["text"]: record for record in records(run_dir(board), "responses") if record["model"] == "far"}
    failed = far.pop("")
    assert (failed["state"], "exceeds the available context size" in failed["error"]) == ("errored", True)
    found = {text: (record.get("ended", "stop"), record["checks"][0]["outcome"]) for text, record in far.items()}
    assert found == {text: (ended, mark) for text, ended, mark in ODD_ANSWERS.values()}
    row = leaderboard(board)["far"]
    counts = [row[name] for name in ("n_correct", "n_wrong", "n_invalid", "n_errored", "ended_length")]
    assert counts == ["3", "0", "1", "1", "1"]
    assert nullbench(board.root, "verify").code == 0


def test_both_confidences_of_an_answer_are_recorded_and_never_mixed(server: FaultServer, board: Repository) -> None:
    """exp((ln 0.9 + ln 0.4) / 2) = 0.6; one of five answers states nothing readable."""
    write_model(board.specs, "far", model="far", endpoint="local", decoding={"temperature": 0, "logprobs": True})
    server.always["far"] = _confident("Answer: A\nConfidence: 80%", 0.9, 0.4)
    server.next(_confident("Answer: A\nConfidence: high"))
    assert nullbench(board.root, "build", "--no-render").code == 0
    far = [record for record in records(run_dir(board), "responses") if record["model"] == "far"]
    (odd,) = (record for record in far if "high" in record["text"])
    others = [record for record in far if record is not odd]
    assert [(record["confidence"], record["stated_confidence"]) for record in others] == [(0.6, 0.8)] * 4
    assert "confidence" not in odd
    assert "stated_confidence" not in odd
    assert odd["checks"][0]["flags"] == ["chooses A", "the stated confidence is not a number between 0 and 100 %"]
    rows = leaderboard(board)
    columns = ["confidence", "n_confidence", "stated_confidence", "n_stated_confidence"]
    assert [name for name in rows["far"] if "confidence" in name] == columns
    assert [rows["far"][name] for name in columns] == ["0.6", "4", "0.8", "4"]
    assert [rows["first-option"][name] for name in columns] == ["", "0", "", "0"]
    assert rows["far"]["n_correct"] == "5"
    assert nullbench(board.root, "verify").code == 0


def test_of_an_answer_to_a_private_item_only_the_numbers_are_published(
    server: FaultServer, board: Repository, tmp_path: Path
) -> None:
    (tmp_path / ".gitignore").write_text("/private/\n/runs/*/private/\n", "utf-8")
    api.hide(board, "letters", ["letters-2"])
    write_model(board.specs, "far", model="far", endpoint="local", decoding={"temperature": 0, "logprobs": True})
    server.always["far"] = _confident("Answer: A\nConfidence: my favourite number", 0.123456789)
    done = nullbench(board.root, "build", "--no-render")
    assert done.code == 0, done.err
    told = {record["item"]: record for record in records(run_dir(board), "responses") if record["model"] == "far"}
    hidden, public = told["letters-2"], told["letters-3"]
    assert public["checks"][0]["flags"][1] == "the stated confidence is not a number between 0 and 100 %"
    assert (hidden["confidence"], hidden["checks"]) == (
        0.1235, [{"type": "hidden", "params": "", "outcome": "correct"}]
    )  # fmt: skip
    assert not {"favourite", "stated"} & set(json.dumps(hidden).replace('"', " ").split())


def _confident(text: str, *probabilities: float) -> Canned:
    body = completion({"model": "far"}, text)
    tokens = [{"token": "t", "logprob": math.log(each)} for each in probabilities]
    body["choices"][0]["logprobs"] = {"content": tokens}
    return Canned(body)

"""Batch files that go out and come back."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from support.commands import nullbench
from support.evidence import without_times
from support.fault_server import FaultServer
from support.live import CALLS, CONTESTANTS, live_repository
from support.repositories import ITEMS, build, copy_of, run_dir

from nullbench_site import api, batches
from nullbench_site.errors import StorageError, UsageError
from nullbench_site.evaluation.endpoints import batch_files
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository


@pytest.fixture
def board(server: FaultServer, tmp_path: Path) -> Repository:
    return live_repository(tmp_path / "board", server.url)


def requests_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_bytes().splitlines()]


def answered(server: FaultServer, requests: Iterable[dict[str, Any]], file: Path) -> Path:
    """Answer requests as a batch service does: each with the reply of the server, in another order."""
    lines = []
    for request in requests:
        asked = urllib.request.Request(  # noqa: S310 - loopback
            server.url.removesuffix("/v1") + request["url"],
            json.dumps(request["body"]).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(asked) as reply:  # noqa: S310
            response = {"status_code": reply.status, "request_id": "r", "body": json.load(reply)}
        lines.append(json.dumps({"id": "b", "custom_id": request["custom_id"], "response": response, "error": None}))
    file.write_text("\n".join(reversed(lines)) + "\n", "utf-8")
    return file


def test_a_benchmark_is_answered_by_batches_alone(server: FaultServer, board: Repository, tmp_path: Path) -> None:
    first = batches.export_batch(board, Selection(), tmp_path / "first")
    assert first.files == {f"local-contestant-{name}-1.jsonl": ITEMS for name in CONTESTANTS}
    assert server.seen == [], "an export sends nothing"
    back = answered(server, requests_in(tmp_path / "first"), tmp_path / "back.jsonl")
    ingested = batches.ingest(board, [back])
    assert (ingested.report.calls.made, ingested.problems, ingested.report.partial) == (first.files.total(), (), True)
    second = batches.export_batch(board, Selection(), tmp_path / "second")
    assert sum(second.files.values()) == ingested.report.calls.left == CALLS - sum(first.files.values())
    assert ingested.missing == (), "the judges' calls were in no file"
    judged = answered(server, requests_in(tmp_path / "second"), tmp_path / "back-2.jsonl")
    assert batches.ingest(board, [judged]).report.partial is False
    assert batches.ingest(board, [back]).problems == (), "these answers are recorded"
    assert len(server.seen) == CALLS
    together = copy_of(board, tmp_path / "together")
    shutil.rmtree(together.runs)
    assert batches.ingest(together, [judged, back]).report.calls.made == CALLS, "files of both waves at once"
    assert without_times(run_dir(together)) == without_times(run_dir(board))
    assert api.verify(board, None)[1] == []
    online = copy_of(board, tmp_path / "online")
    shutil.rmtree(online.runs)
    build(online)
    assert without_times(run_dir(online)) == without_times(run_dir(board))


def test_what_a_batch_did_not_answer_goes_out_again(server: FaultServer, board: Repository, tmp_path: Path) -> None:
    batches.export_batch(board, Selection(), tmp_path / "first")
    asked = requests_in(tmp_path / "first")
    back = answered(server, asked[2:], tmp_path / "back.jsonl")
    failed = tmp_path / "errors.jsonl"
    expired = {"code": "batch_expired", "message": "This request could not be executed in time."}
    refused = {"status_code": 429, "body": {"error": {"message": "Too many requests"}}}
    failed.write_text(
        json.dumps({"custom_id": asked[0]["custom_id"], "response": None, "error": expired})
        + "\n"
        + json.dumps({"custom_id": asked[1]["custom_id"], "response": refused, "error": None})
        + "\n",
        "utf-8",
    )
    ingested = batches.ingest(board, [back, failed])
    assert ingested.report.calls.failed == 0, "a failed call stays missing"
    assert set(ingested.missing) == {asked[0]["custom_id"], asked[1]["custom_id"]}
    assert sorted(ingested.problems) == [
        "1 call failed: it answered 429: Too many requests",
        "1 call failed: the batch has no answer: This request could not be executed in time",
    ]
    batches.export_batch(board, Selection(), tmp_path / "second")
    again = {request["custom_id"] for request in requests_in(tmp_path / "second")}
    assert {asked[0]["custom_id"], asked[1]["custom_id"]} <= again
    assert not again & {request["custom_id"] for request in asked[2:]}


def test_bad_batch_files_are_refused_with_their_place(server: FaultServer, board: Repository, tmp_path: Path) -> None:
    batches.export_batch(board, Selection(), tmp_path / "first")
    asked = requests_in(tmp_path / "first")
    back = answered(server, asked[:2], tmp_path / "back.jsonl")
    lines = back.read_text("utf-8").splitlines()
    two = tmp_path / "two.jsonl"
    two.write_text(lines[0].replace('"usage"', '"Usage"') + "\n", "utf-8")
    with pytest.raises(UsageError, match=r"two.jsonl:1: a second, different answer to call"):
        batches.ingest(board, [back, two])
    two.write_text("<html>\n", "utf-8")
    with pytest.raises(UsageError, match=r"two.jsonl:1: not a line of batch results"):
        batches.ingest(board, [back, two])
    with pytest.raises(StorageError, match="is not empty"):
        batches.export_batch(board, Selection(), tmp_path / "first")
    assert not board.runs.exists() or not list(board.runs.glob("*/responses")), "nothing was recorded"
    two.write_text(lines[0].replace(json.loads(lines[0])["custom_id"], "0" * 64) + "\n", "utf-8")
    result = nullbench(board.root, "ingest", str(back), str(two), "--json")
    told = json.loads(result.out)
    assert result.code == 1
    assert told["problems"] == [f"1 answer to calls that these specs do not make now: {'0' * 64}"]
    assert {request["custom_id"] for request in asked[2:]} <= set(told["missing"]), "each is named"


def test_a_file_is_split_at_the_limits_of_the_service(
    board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_files, "MOST_REQUESTS", 2)
    files = batches.export_batch(board, Selection(models=["alpha"]), tmp_path / "first").files
    assert list(files.values()) == [2] * (ITEMS // 2) + [1] * (ITEMS % 2)

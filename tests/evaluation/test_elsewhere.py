"""Calls that are made elsewhere: batch files that go out and come back, and shards that are put together."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.evidence import records
from support.fault_server import FaultServer
from support.live import CALLS, CONTESTANTS, live_repository
from support.repositories import ITEMS, build, copy_of, run_dir

from nullbench_site import api, elsewhere
from nullbench_site.errors import RunError, StorageError, UsageError
from nullbench_site.evaluation import batches
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository

OF_ONE_BUILD = {"started_at", "seconds"}


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


def told(run: Path) -> list[dict[str, Any]]:
    """Return all records of a run without their times, in one order."""
    every = [record for kind in ("responses", "judgments") for record in records(run, kind)]
    plain = ({key: value for key, value in record.items() if key not in OF_ONE_BUILD} for record in every)
    return sorted(plain, key=lambda record: (record["key"], record["model"], record["item"]))


def test_a_benchmark_is_answered_by_batches_alone(server: FaultServer, board: Repository, tmp_path: Path) -> None:
    first = elsewhere.export_batch(board, Selection(), tmp_path / "first")
    assert first.files == {f"local-contestant-{name}-1.jsonl": ITEMS for name in CONTESTANTS}
    assert server.seen == [], "an export sends nothing"
    back = answered(server, requests_in(tmp_path / "first"), tmp_path / "back.jsonl")
    ingested = elsewhere.ingest(board, [back])
    assert (ingested.report.calls.made, ingested.problems, ingested.report.partial) == (first.files.total(), (), True)
    second = elsewhere.export_batch(board, Selection(), tmp_path / "second")
    assert sum(second.files.values()) == len(ingested.missing) == CALLS - sum(first.files.values())
    back = answered(server, requests_in(tmp_path / "second"), tmp_path / "back-2.jsonl")
    assert elsewhere.ingest(board, [back]).report.partial is False
    assert len(server.seen) == CALLS
    assert api.verify(board, None)[1] == []
    online = copy_of(board, tmp_path / "online")
    shutil.rmtree(online.runs)
    build(online)
    assert told(run_dir(online)) == told(run_dir(board))


def test_what_a_batch_did_not_answer_goes_out_again(server: FaultServer, board: Repository, tmp_path: Path) -> None:
    elsewhere.export_batch(board, Selection(), tmp_path / "first")
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
    ingested = elsewhere.ingest(board, [back, failed])
    assert ingested.report.calls.failed == 0, "a failed call stays missing"
    assert {asked[0]["custom_id"], asked[1]["custom_id"]} <= set(ingested.missing)
    assert sorted(ingested.problems) == [
        "1 call failed: it answered 429: Too many requests",
        "1 call failed: the batch has no answer: This request could not be executed in time",
    ]
    elsewhere.export_batch(board, Selection(), tmp_path / "second")
    again = {request["custom_id"] for request in requests_in(tmp_path / "second")}
    assert {asked[0]["custom_id"], asked[1]["custom_id"]} <= again
    assert not again & {request["custom_id"] for request in asked[2:]}


def test_bad_batch_files_are_refused_with_their_place(server: FaultServer, board: Repository, tmp_path: Path) -> None:
    elsewhere.export_batch(board, Selection(), tmp_path / "first")
    back = answered(server, requests_in(tmp_path / "first")[:2], tmp_path / "back.jsonl")
    lines = back.read_text("utf-8").splitlines()
    two = tmp_path / "two.jsonl"
    two.write_text(lines[0].replace('"usage"', '"Usage"') + "\n", "utf-8")
    with pytest.raises(UsageError, match=r"two.jsonl:1: a second, different answer to call"):
        elsewhere.ingest(board, [back, two])
    two.write_text("<html>\n", "utf-8")
    with pytest.raises(UsageError, match=r"two.jsonl:1: not a line of batch results"):
        elsewhere.ingest(board, [back, two])
    with pytest.raises(StorageError, match="is not empty"):
        elsewhere.export_batch(board, Selection(), tmp_path / "first")
    assert not board.runs.exists() or not list(board.runs.glob("*/responses")), "nothing was recorded"
    two.write_text(lines[0].replace(json.loads(lines[0])["custom_id"], "0" * 64) + "\n", "utf-8")
    result = nullbench(board.root, "ingest", str(back), str(two))
    assert result.code == 1
    assert f"1 answer to calls that these specs do not make now: {'0' * 64}" in result.err


def test_a_file_is_split_at_the_limits_of_the_service(
    board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_REQUESTS", 2)
    files = elsewhere.export_batch(board, Selection(models=["alpha"]), tmp_path / "first").files
    assert list(files.values()) == [2] * (ITEMS // 2) + [1] * (ITEMS % 2)


def in_shards(server: FaultServer, board: Repository, folder: Path, n: int) -> list[Repository]:
    """Build each shard in a clone of its own."""
    clones = [copy_of(board, folder / f"clone-{number}") for number in range(1, n + 1)]
    for number, clone in enumerate(clones, start=1):
        api.build(clone, BuildOptions(Selection(shard=(number, n))), render_site=False)
    return clones


def test_shards_make_the_calls_of_one_build_and_merge_to_its_run(
    server: FaultServer, board: Repository, tmp_path: Path
) -> None:
    online = copy_of(board, tmp_path / "online")
    build(online)
    in_one = len(server.seen)
    server.forget()
    clones = in_shards(server, board, tmp_path, 3)
    made = [sum(1 for _ in records(run_dir(clone), "responses")) for clone in clones]
    assert sum(made) == ITEMS * len(CONTESTANTS)
    assert all(made), "each shard has a part"
    assert len(server.seen) == in_one
    report = elsewhere.merge(board, [run_dir(clone) for clone in clones])
    assert (report.partial, report.calls.left, len(server.seen)) == (False, 0, in_one)
    assert told(run_dir(board)) == told(run_dir(online))
    assert api.verify(board, None)[1] == []
    assert elsewhere.merge(board, [run_dir(clones[0])]).calls.made == 0, "a sealed run stays as it is"


def test_comparisons_of_answers_in_two_shards_are_made_after_the_merge(tmp_path: Path) -> None:
    board = Repository(write_benchmark(tmp_path / "board", "pairwise").parent)
    online = copy_of(board, tmp_path / "online")
    build(online)
    clones = [copy_of(board, tmp_path / f"clone-{number}") for number in (1, 2)]
    left = [
        api.build(clone, BuildOptions(Selection(shard=(number, 2))), render_site=False).calls.left
        for number, clone in enumerate(clones, start=1)
    ]
    assert sum(left) > 0, "some opponents are in the other shard"
    assert elsewhere.merge(board, [run_dir(clone) for clone in clones]).partial is False
    assert told(run_dir(board)) == told(run_dir(online))


def test_a_merge_without_a_killed_shard_is_completed_by_a_build(
    server: FaultServer, board: Repository, tmp_path: Path
) -> None:
    clones = in_shards(server, board, tmp_path, 2)
    killed = run_dir(clones[1])
    shard = max((killed / "judgments").glob("*.jsonl"), key=lambda path: path.stat().st_size)
    content = shard.read_bytes()
    shard.write_bytes(content[: len(content) // 2])
    lost = content.count(b"\n") - shard.read_bytes().count(b"\n")
    server.forget()
    report = elsewhere.merge(board, [run_dir(clone) for clone in clones])
    assert (report.partial, report.calls.left) == (True, lost)
    assert build(board).partial is False
    assert len(server.seen) == lost, "nothing is paid twice"


def test_a_run_of_other_specs_a_run_twice_and_a_changed_record_are_refused(
    server: FaultServer, board: Repository, tmp_path: Path
) -> None:
    other = live_repository(tmp_path / "other", server.url, contestants=["alpha"])
    build(other)
    with pytest.raises(UsageError, match="its calls are those of other specs or of another version"):
        elsewhere.merge(board, [run_dir(other)])
    with pytest.raises(UsageError, match="is named twice"):
        elsewhere.merge(other, [run_dir(other)] * 2)
    clone = copy_of(other, tmp_path / "clone")
    shutil.rmtree(other.runs)
    shard = run_dir(clone) / "responses" / "alpha.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b'"model":"alpha"', b'"model":"../al"'))
    with pytest.raises(RunError, match="the file was changed after the run was sealed"):
        elsewhere.merge(other, [run_dir(clone)])


def test_a_shard_is_named_as_one_of_several(board: Repository) -> None:
    result = nullbench(board.root, "build", "--shard", "3/2")
    assert (result.code, "'3/2' is not K/N, such as 1/4" in result.err) == (2, True)

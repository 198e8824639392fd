"""Costs that outlast a failed attempt, a kill and a merge; folders of batches; shards that disagree or are broken."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.fault_server import FaultServer
from support.live import live_repository
from support.repositories import build, copy_of, run_dir
from support.runs import RESPONSE, open_run

from nullbench_site import batches
from nullbench_site.errors import RunError, StorageError, UsageError
from nullbench_site.runs.known import Journal, KnownCalls
from nullbench_site.runs.manifest import read_manifest, write_manifest
from nullbench_site.runs.records import Response
from nullbench_site.runs.storage import make_private

FAILED = replace(RESPONSE, state="errored", text="", error="busy", failed_usd=0.1, uncounted=1)


def kept(folder: Path, *records: Response, reopened: bool, is_copy: bool = False) -> Response:
    """The last record on disk after these were kept, each by a build of its own if reopened."""
    run = open_run(folder)
    journal = Journal(run, KnownCalls([]), {})
    for record in records:
        journal.keep(record, is_copy=is_copy)
        if reopened:
            journal.close()
            journal = Journal(run, KnownCalls([]), {})
    journal.close()
    return [*run.records(Response, RESPONSE.model)][-1]


BILLED = replace(FAILED, billed=("ab",))


@pytest.mark.parametrize("reopened", [False, True])
@pytest.mark.parametrize(
    ("records", "failed_usd", "uncounted"),
    [
        ([FAILED], 0.1, 1),
        ([FAILED, FAILED], 0.2, 2),
        ([FAILED, RESPONSE], 0.1, 1),
        ([FAILED, FAILED, replace(RESPONSE, failed_usd=0.05)], 0.25, 2),
        ([BILLED, BILLED, RESPONSE], 0.1, 1),
        ([BILLED, replace(FAILED, billed=("cd",)), BILLED, RESPONSE], 0.2, 2),
        ([BILLED, FAILED, BILLED], 0.2, 2),
        ([replace(FAILED, failed_usd=None, uncounted=2), RESPONSE], None, 2),
    ],
)
def test_the_cost_of_failed_attempts_stays_with_their_call_and_counts_once(
    records: list[Response], failed_usd: float | None, uncounted: int, tmp_path: Path, *, reopened: bool
) -> None:
    last = kept(tmp_path / "run", *records, reopened=reopened)
    assert last.failed_usd == (None if failed_usd is None else pytest.approx(failed_usd))
    assert last.uncounted == uncounted


def test_a_copy_of_a_shard_adds_no_cost_twice(tmp_path: Path) -> None:
    """The errored records of a shard each include the cost of those before."""
    both = replace(FAILED, failed_usd=0.2, uncounted=2)
    last = kept(tmp_path / "run", FAILED, both, FAILED, both, reopened=True, is_copy=True)
    assert (last.failed_usd, last.uncounted) == (0.2, 2)


def mode(path: Path) -> int:
    return path.lstat().st_mode & 0o777


@pytest.mark.parametrize("before", [None, 0o755, 0o777, 0o700, 0o750])
def test_the_folder_of_batches_is_private_to_its_owner(before: int | None, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / ".batches"
    if before is not None:
        (folder / "local").mkdir(parents=True)
        (folder / "local" / "a.jsonl").write_text("{}")
        for path in (folder, folder / "local", folder / "local" / "a.jsonl"):
            path.chmod(before)
    make_private(folder)
    assert mode(folder) == 0o700
    for path in folder.rglob("*"):
        assert mode(path) & 0o077 == 0


@pytest.mark.parametrize("name", ["", "local", "local/a.jsonl"])
def test_a_symlink_among_batches_is_refused(name: str, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / ".batches", tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = folder / name if name else folder
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(elsewhere)
    with pytest.raises(StorageError, match="this is a symlink; remove it"):
        make_private(folder)


def test_batches_of_another_user_and_a_file_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="this is a file; move it away"):
        make_private(tmp_path / "file")
    (tmp_path / ".batches").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(StorageError, match="belongs to another user"):
        make_private(tmp_path / ".batches")


def test_shards_that_disagree_on_a_call_are_refused(server: FaultServer, tmp_path: Path) -> None:
    board = live_repository(tmp_path / "board", server.url, contestants=("alpha",), judges=("judge-one",))
    one, two = (copy_of(board, tmp_path / name) for name in ("one", "two"))
    build(one)
    build(two)
    assert batches.merge(copy_of(board, tmp_path / "agree"), [run_dir(one), run_dir(two)]).partial is False
    other = copy_of(board, tmp_path / "other")

    build(other)
    shard = run_dir(other) / "responses" / "alpha.jsonl"
    lines = [json.loads(line) for line in shard.read_text("utf-8").splitlines()]
    changed = "".join(json.dumps({**line, "text": "Something else."}) + "\n" for line in lines)
    opened = run_dir(other)
    unsealed(opened)
    shard.write_text(changed, "utf-8")
    with pytest.raises(UsageError, match="a second, different answer to call"):
        batches.merge(board, [run_dir(one), opened])
    assert not list(board.runs.glob("[!.]*"))


def unsealed(run: Path) -> None:
    """Make a run open again, as one whose build was killed before its end."""
    write_manifest(run, replace(read_manifest(run), state="open", files={}, sealed_at=None))


def test_a_broken_line_is_named_with_a_way_on_that_keeps_the_other_answers(server: FaultServer, tmp_path: Path) -> None:
    board = live_repository(tmp_path / "board", server.url, contestants=("alpha",), judges=("judge-one",))
    build(board)
    unsealed(run_dir(board))
    shard = run_dir(board) / "responses" / "alpha.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join([*lines[:2], b'{"key": broken\n', *lines[3:]]))
    with pytest.raises(RunError) as broken:
        build(board)
    assert str(broken.value).startswith(f"{shard}:3: invalid response record")
    assert f"sed -i '3d' {shard}" in str(broken.value)
    assert "delete the run" not in str(broken.value)
    before = len(server.seen)
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join(lines[:2] + lines[3:]))
    assert build(board).partial is False
    assert len(server.seen) == before + 1

"""Shards that are built in clones and merged."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.evidence import records, without_clock, without_times
from support.fault_server import FaultServer
from support.live import CALLS, CONTESTANTS, live_repository
from support.moments import at_moment
from support.repositories import ITEMS, build, copy_of, run_dir

from nullbench_site import api, shards
from nullbench_site.errors import RunError, UsageError
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.specs.types import Limits

SHARE_OF_CONCURRENCY = Limits().concurrency // 2


@pytest.fixture
def board(server: FaultServer, tmp_path: Path) -> Repository:
    return live_repository(tmp_path / "board", server.url)


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
    report = shards.merge(board, [run_dir(clone) for clone in clones])
    assert (report.partial, report.calls.left, len(server.seen)) == (False, 0, in_one)
    assert without_times(run_dir(board)) == without_times(run_dir(online))
    merged, whole = (without_clock(run_dir(each)) for each in (board, online))
    results = [name for name in whole if name.startswith("results/")]
    assert results
    assert [merged[name] for name in results] == [whole[name] for name in results]
    assert api.verify(board, None)[1] == []
    assert shards.merge(board, [run_dir(clones[0])]).calls.made == 0, "a sealed run stays as it is"


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
    assert shards.merge(board, [run_dir(clone) for clone in clones]).partial is False
    assert without_times(run_dir(board)) == without_times(run_dir(online))


def test_a_merge_with_a_killed_shard_is_completed_by_a_build(
    server: FaultServer, board: Repository, tmp_path: Path
) -> None:
    whole, killed = (copy_of(board, tmp_path / name) for name in ("whole", "killed"))
    api.build(whole, BuildOptions(Selection(shard=(1, 2))), render_site=False)
    at = at_moment(tmp_path / "at", signal.SIGKILL, "open", "judgments/beta.jsonl")
    assert nullbench(killed.root, "build", "--shard", "2/2", "--no-render", **at).code == -signal.SIGKILL
    report = shards.merge(board, [run_dir(whole), run_dir(killed)])
    assert report.partial
    recorded, before = CALLS - report.calls.left, len(server.seen)
    assert before - recorded <= SHARE_OF_CONCURRENCY, "only calls in flight were lost"
    assert build(board).partial is False
    assert len(server.seen) - before == report.calls.left, "nothing that was recorded is paid twice"


def test_a_run_of_other_specs_a_run_twice_and_a_changed_record_are_refused(
    server: FaultServer, board: Repository, tmp_path: Path
) -> None:
    other = live_repository(tmp_path / "other", server.url, contestants=["alpha"])
    build(other)
    with pytest.raises(UsageError, match="its calls are those of other specs or of another version"):
        shards.merge(board, [run_dir(other)])
    with pytest.raises(UsageError, match="is named twice"):
        shards.merge(other, [run_dir(other)] * 2)
    clone = copy_of(other, tmp_path / "clone")
    shutil.rmtree(other.runs)
    shard = run_dir(clone) / "responses" / "alpha.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b'"model":"alpha"', b'"model":"../al"'))
    with pytest.raises(RunError, match="the file was changed after the run was sealed"):
        shards.merge(other, [run_dir(clone)])


def test_a_shard_is_named_as_one_of_several(board: Repository) -> None:
    result = nullbench(board.root, "build", "--shard", "3/2")
    assert (result.code, "'3/2' is not K/N, such as 1/4" in result.err) == (2, True)
    result = nullbench(board.root, "build", "--shard", "1/2", "--no-render")
    assert "The other shards make the remaining calls" in result.err

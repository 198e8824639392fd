"""Shards that are built in clones and merged."""

from __future__ import annotations

import re
import shutil
import signal
import time
from collections import defaultdict
from pathlib import Path
from uuid import uuid4

import pytest
from support.benchmarks import write_benchmark
from support.commands import nullbench
from support.evidence import records, without_clock, without_times
from support.fault_server import FaultServer
from support.live import CALLS, CONTESTANTS, live_repository
from support.moments import at_moment
from support.private import DOMAIN, HIDDEN, vault_repository
from support.repositories import ITEMS, build, copy_of, run_dir

from nullbench_site import api, batches
from nullbench_site.errors import RunError, UsageError
from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.specs.types import Endpoint, Limits

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
    report = batches.merge(board, [run_dir(clone) for clone in clones])
    assert (report.partial, report.calls.left, len(server.seen)) == (False, 0, in_one)
    assert without_times(run_dir(board)) == without_times(run_dir(online))
    merged, whole = (without_clock(run_dir(each)) for each in (board, online))
    results = [name for name in whole if name.startswith("results/")]
    assert results
    assert [merged[name] for name in results] == [whole[name] for name in results]
    assert api.verify(board, None)[1] == []
    assert batches.merge(board, [run_dir(clones[0])]).calls.made == 0, "a sealed run stays as it is"


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
    assert batches.merge(board, [run_dir(clone) for clone in clones]).partial is False
    assert without_times(run_dir(board)) == without_times(run_dir(online))


def test_a_merge_with_a_killed_shard_is_completed_by_a_build(
    server: FaultServer, board: Repository, tmp_path: Path
) -> None:
    whole, killed = (copy_of(board, tmp_path / name) for name in ("whole", "killed"))
    api.build(whole, BuildOptions(Selection(shard=(1, 2))), render_site=False)
    at = at_moment(tmp_path / "at", signal.SIGKILL, "open", "judgments/beta.jsonl")
    assert nullbench(killed.root, "build", "--shard", "2/2", "--no-render", **at).code == -signal.SIGKILL
    while server.connections:
        time.sleep(0.001)
    report = batches.merge(board, [run_dir(whole), run_dir(killed)])
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
        batches.merge(board, [run_dir(other)])
    with pytest.raises(UsageError, match="is named twice"):
        batches.merge(other, [run_dir(other)] * 2)
    clone = copy_of(other, tmp_path / "clone")
    shutil.rmtree(other.runs)
    shard = run_dir(clone) / "responses" / "alpha.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b'"model":"alpha"', b'"model":"../al"'))
    with pytest.raises(RunError, match="the file was changed after the run was sealed"):
        batches.merge(other, [run_dir(clone)])


def test_items_that_share_a_first_call_are_in_one_shard(board: Repository) -> None:
    main = (board.specs / "boards" / "main.yaml").read_text("utf-8")
    twin = re.sub("nullbench-canary:[0-9a-f-]+", f"nullbench-canary:{uuid4()}", main).replace("id: main", "id: twin")
    (board.specs / "boards" / "twin.yaml").write_text(twin, "utf-8")
    builder = RequestBuilder(api.validate(board), backends())
    shards_of = defaultdict[str, list[int]](list)
    for number in (1, 2, 3):
        for target in builder.targets(Selection(shard=(number, 3))):
            shards_of[builder.response_request(target).key()].append(number)
    assert {len(numbers) for numbers in shards_of.values()} == {2}, "of each board one"
    assert all(len(set(numbers)) == 1 for numbers in shards_of.values())
    assert {number for numbers in shards_of.values() for number in numbers} == {1, 2, 3}


def test_shards_together_keep_to_the_limits_and_the_budget_of_one_build() -> None:
    parts = [Budget(max_usd=1.0, max_calls=10).of_shard(number, 4) for number in (1, 2, 3, 4)]
    assert [part.max_calls for part in parts] == [3, 3, 2, 2]
    assert sum(part.max_usd or 0.0 for part in parts) == 1.0
    limits = Limits(concurrency=8, requests_per_minute=60, tokens_per_minute=4000)
    shared = Endpoint(id="local", base_url="http://localhost/v1", limits=limits).shared_by(4).limits
    assert (shared.concurrency, shared.requests_per_minute, shared.tokens_per_minute) == (2, 15, 1000)


def test_private_texts_are_merged_only_where_their_items_are(tmp_path: Path) -> None:
    vault = vault_repository(tmp_path / "vault")
    api.hide(vault, DOMAIN, HIDDEN)
    stranger, clone = (copy_of(vault, tmp_path / name) for name in ("stranger", "clone"))
    shutil.rmtree(stranger.private)
    build(clone)
    assert batches.merge(stranger, [run_dir(clone)]).partial is False, "published records make a whole run"
    assert not list((run_dir(stranger) / "private").rglob("*.jsonl"))
    assert batches.merge(vault, [run_dir(clone)]).partial is False
    assert list((run_dir(vault) / "private").rglob("*.jsonl"))
    assert without_times(run_dir(vault)) == without_times(run_dir(clone))


def test_a_shard_is_named_as_one_of_several(board: Repository) -> None:
    result = nullbench(board.root, "build", "--shard", "3/2")
    assert (result.code, "'3/2' is not K/N, such as 1/4" in result.err) == (2, True)
    result = nullbench(board.root, "build", "--shard", "1/2", "--no-render")
    assert "The other shards make the remaining calls" in result.err

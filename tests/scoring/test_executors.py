"""Scoring on executors gives the files of one process, whatever happens to workers, or one message."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from support.boards import JUDGES, benchmark, judgment, model, response, write_shards
from support.commands import nullbench

from nullbench_site.errors import RunError, StoppedEarly, UsageError
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment
from nullbench_site.scoring import executors
from nullbench_site.scoring.board import score_board
from nullbench_site.scoring.executors import Observer, executor_of, mapped, on_all_cores
from nullbench_site.scoring.observations import ShardReader
from nullbench_site.scoring.scorer import scorer_of
from nullbench_site.scoring.tables import result_files

distributed: Any = pytest.importorskip("distributed")
MODELS = [f"m{number:02}" for number in range(20)]
BOARD = benchmark(models=[model(name) for name in MODELS])
PLACES = [placed.id for placed in BOARD.items(BOARD.boards["main"])]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    chance = random.Random(7)  # noqa: S311 - made-up scores
    answers = [response(place, name) for name in MODELS for place in PLACES]
    verdicts = [
        judgment(judge, each.item, each.model, axes=chance.randint(1, 5), alignment=chance.randint(0, 100))
        for each in answers
        for judge in JUDGES
    ]
    return write_shards(tmp_path_factory.mktemp("run"), [*answers, *verdicts])


def files(run: RunFolder, executor: Executor | None = None, cache: Path | None = None) -> dict[str, bytes]:
    return result_files(score_board(BOARD, BOARD.boards["main"], run, cache, executor))


class Disturbed(Executor):
    """An executor to which something happens before a task is sent, counted from 1."""

    def __init__(self, executor: Executor, before: int, happens: Callable[[], object]) -> None:
        self.executor, self.left, self.happens = executor, before, happens

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.left -= 1
        if not self.left:
            self.happens()
        return self.executor.submit(fn, *args, **kwargs)


def processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


def test_any_executor_gives_the_files_of_one_process(recorded: RunFolder, tmp_path: Path) -> None:
    alone = files(recorded)
    with ThreadPoolExecutor(2) as threads:
        assert files(recorded, threads, tmp_path) == alone
    assert len(list(tmp_path.iterdir())) == len(MODELS)
    assert files(recorded, None, tmp_path) == alone


def test_a_killed_dask_worker_changes_no_byte(recorded: RunFolder) -> None:
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed = list(client.run(os.getpid).values())
        assert len(killed) == 2
        disturbed = Disturbed(client.get_executor(pure=False), 10, lambda: os.kill(killed[0], signal.SIGKILL))
        assert files(recorded, disturbed) == files(recorded)
        assert disturbed.left < 0
        client.wait_for_workers(2)
        assert killed[0] not in client.run(os.getpid).values()


@contextmanager
def scheduler() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A scheduler without workers, in a process of its own."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen([*command, "--no-dashboard"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process, next(found[0] for line in process.stderr if (found := re.search(r"tcp://127\S+:\d+", line)))
        finally:
            process.kill()


def test_a_scheduler_that_goes_away_is_one_message(recorded: RunFolder) -> None:
    with scheduler() as (process, address), executor_of("dask", address) as executor:
        disturbed = Disturbed(executor, 10, process.kill)
        with pytest.raises(StoppedEarly, match=r"the connection to the scheduler is lost .*; run the command again"):
            files(recorded, disturbed)


def test_a_killed_process_is_one_message_and_what_was_read_is_not_read_again(
    recorded: RunFolder, tmp_path: Path
) -> None:
    with processes() as pool:
        kill = Disturbed(pool, 18, lambda: [os.kill(process, signal.SIGKILL) for process in pool._processes])
        with pytest.raises(StoppedEarly, match="a worker or the connection to the scheduler is lost"):
            files(recorded, kill, tmp_path)
    assert 0 < len(list(tmp_path.iterdir())) < len(MODELS)
    assert files(recorded, None, tmp_path) == files(recorded)


def test_a_worker_of_another_version_is_one_message(recorded: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    here = executors.versions()
    monkeypatch.setattr(executors, "versions", lambda: here.replace("numpy", "numpy 0.1, not"))
    with (
        processes() as pool,
        pytest.raises(UsageError, match=f"a worker has {re.escape(here)}, this process .*install the same versions"),
    ):
        files(recorded, pool)


def test_a_damaged_line_is_named_by_its_file_as_in_one_process(recorded: RunFolder, tmp_path: Path) -> None:
    damaged = write_shards(tmp_path, [response(PLACES[0], MODELS[0])])
    shard = damaged.shard(Judgment, MODELS[0])
    shard.parent.mkdir()
    shard.write_bytes(b"{\n")
    with processes() as pool, pytest.raises(RunError, match=re.escape(f"{shard}:1")):
        files(damaged, pool)


def test_a_worker_that_does_not_see_the_files_is_one_message(recorded: RunFolder, tmp_path: Path) -> None:
    scorer = scorer_of(BOARD, BOARD.boards["main"])
    shards = MODELS[0], tmp_path / "run" / "responses" / "a.jsonl", tmp_path / "run" / "judgments" / "a.jsonl"
    with pytest.raises(UsageError, match="run: a worker does not see the files of this run, or sees others"):
        Observer(ShardReader(scorer))((shards, [10, -1]))


def test_results_come_in_order_and_only_some_tasks_are_sent_ahead() -> None:
    taken: list[int] = []
    with ThreadPoolExecutor(4) as threads:
        results = mapped(threads, 16)(abs, (taken.append(n) or -n for n in range(100)))
        assert len(taken) == 16
        assert list(results) == list(range(100))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], "--scheduler needs --executor dask"),
        (["--executor", "dask", "--scheduler", "nowhere"], "the scheduler 'nowhere' does not answer"),
    ],
)
def test_wrong_options_are_one_message(tmp_path: Path, options: list[str], message: str) -> None:
    finished = nullbench(tmp_path, "score", *options)
    assert finished.code == 2
    assert message in finished.message


def test_copies_of_a_process_do_its_work_in_order_and_know_what_it_knows() -> None:
    known = threading.Lock()  # which cannot be sent

    def work(of: int) -> tuple[int, bool, int]:
        return of, known.locked(), os.getpid()

    with known, on_all_cores(work) as each:
        done = list(each(range(100)))
    assert [(of, locked) for of, locked, _ in done] == [(of, True) for of in range(100)]
    assert os.getpid() not in {process for *_, process in done}
    with on_all_cores(work, alone=True) as each:
        assert list(each([1])) == [(1, False, os.getpid())]


_LEADER = """
import os, time
from nullbench_site.scoring.executors import on_all_cores
def work(of):
    print(os.getpid(), flush=True)
    time.sleep(60)
with on_all_cores(work) as each:
    list(each(range(1)))
"""


def test_workers_end_when_the_process_that_leads_them_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", _LEADER], stdout=subprocess.PIPE) as leader:
        assert leader.stdout is not None
        assert leader.stdout.readline()
        leader.kill()
        assert leader.stdout.read() == b""  # which ends when no process can write to it any more

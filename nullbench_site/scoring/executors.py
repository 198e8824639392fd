"""Score on any `concurrent.futures.Executor`: in other processes or on other machines, with the same results.

The workers read the records, so they need the run's folder under the same path. Private texts are not sent.
"""

from __future__ import annotations

import logging
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, lru_cache, partial
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from signal import SIG_DFL, SIG_IGN, SIGINT, SIGTERM, signal
from threading import Thread
from typing import Any, Literal, TypeAlias, TypeVar

from nullbench_site.errors import StoppedEarly, UsageError
from nullbench_site.runs.manifest import TOOL
from nullbench_site.scoring.observations import Observations, ShardReader, Shards
from nullbench_site.scoring.scorer import scorer_of

T = TypeVar("T")
R = TypeVar("R")
Map: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""What `map` does: the results of a function in the order of its arguments."""
Kind = Literal["processes", "dask"]
START: Literal["fork", "spawn"] = "fork" if sys.platform == "linux" else "spawn"
"""How workers begin: on Linux as copies of this process, so that they import nothing; elsewhere that is not safe."""
_AHEAD = 16
"""How many contestants are sent before the first is used. It bounds the memory of those that wait."""


def mapped(executor: Executor | None, ahead: int = 32) -> Map:
    """Return a `map` on the workers of an executor; the usual one without an executor.

    ahead: how many tasks are sent before the first result is used. It bounds the memory of what waits.

    The results raise StoppedEarly if a worker or the connection is lost, UsageError if a worker has other versions than
    this process, and what the function raises.
    """
    if executor is None:
        return map

    def send(work: Callable[[T], R], some: Iterable[T]) -> list[Future[R]]:
        with _one_message():
            return [executor.submit(_checked, versions(), work, each) for each in some]

    def on_workers(work: Callable[[T], R], of: Iterable[T]) -> Iterator[R]:
        left = iter(of)
        return in_order(work, left, deque(send(work, islice(left, ahead))))

    def in_order(work: Callable[[T], R], left: Iterator[T], sent: deque[Future[R]]) -> Iterator[R]:
        while sent:
            with _one_message():
                result = sent.popleft().result()
            yield result
            sent.extend(send(work, islice(left, 1)))

    return on_workers


@cache
def versions() -> str:
    """Return the versions that can change the last digit of a result."""
    parts = [f"{name} {version(name)}" for name in ("numpy", "scipy")]
    return ", ".join([TOOL, f"Python {sys.version_info.major}.{sys.version_info.minor}", *parts])


def _checked(expected: str, work: Callable[[T], R], of: T) -> R:
    if versions() != expected:
        raise UsageError(
            f"a worker has {versions()}, this process {expected}; install the same versions on each worker"
        )
    return work(of)


@contextmanager
def _one_message() -> Iterator[None]:
    """Raise StoppedEarly for lost workers and connections, UsageError for workers without this code."""
    lost: tuple[type[BaseException], ...] = BrokenExecutor, CancelledError, OSError
    if dask := sys.modules.get("distributed"):
        lost += (dask.KilledWorker,)
    try:
        yield
    except lost as error:
        why = str(error) or type(error).__name__
        advice = "run the command again: contestants that were read are not read again"
        raise StoppedEarly(f"a worker or the connection to the scheduler is lost ({why}); {advice}") from error
    except (ImportError, AttributeError) as error:
        raise UsageError(f"a worker cannot load this version of the program ({error}); install {TOOL} there") from error


class Observer:
    """Observes contestants from the paths of their shards, here or on a worker."""

    def __init__(self, reader: ShardReader) -> None:
        self.reader, self.packed = reader, b""

    def __call__(self, of: tuple[Shards, list[int]]) -> Observations:
        """Return the observations of a contestant. of: its shards, with their sizes where they were sent from."""
        (model, *paths), sizes = of
        if _sizes(paths) != sizes:
            raise UsageError(f"{paths[0].parents[1]}: a worker does not see the files of this run, or sees others")
        return self.reader.observe(model, *paths)

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.packed:
            benchmark = self.reader.benchmark.without_texts
            whole = benchmark.whole and benchmark.whole.without_texts
            self.packed = pickle.dumps((replace(benchmark, whole=whole), self.reader.board))
        return _observer, (self.packed,)


def _sizes(paths: Iterable[Path]) -> list[int]:
    return [path.stat().st_size if path.is_file() else -1 for path in paths]


@lru_cache(maxsize=2)
def _observer(packed: bytes) -> Observer:
    return Observer(ShardReader(scorer_of(*pickle.loads(packed))))  # noqa: S301 - sent by the process that scores


def reading(
    reader: ShardReader, executor: Executor | None
) -> Callable[[Iterable[Shards]], Iterator[Observations]] | None:
    """Return what `observe` reads shards with on the workers of an executor; None without one."""
    if executor is None:
        return None

    def read(shards: Iterable[Shards]) -> Iterator[Observations]:
        whole = ((model, answers.absolute(), verdicts.absolute()) for model, answers, verdicts in shards)
        return mapped(executor, _AHEAD)(Observer(reader), ((each, _sizes(each[1:])) for each in whole))

    return read


@contextmanager
def executor_of(kind: Kind, scheduler: str | None = None) -> Iterator[Executor]:
    """Yield an executor with a worker for each core. scheduler: the address of a Dask scheduler; None starts one here.

    Raises UsageError if Dask is not installed or the scheduler does not answer.
    """
    if kind == "processes":
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process for each core: more threads would wait
        with _pool() as pool:
            yield pool
        return
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise UsageError("--executor dask needs Dask; pip install 'nullbench-site[cluster]'") from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it warns of is handled, or becomes our error
    try:
        start = scheduler or distributed.LocalCluster(
            threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        )
        client = distributed.Client(start, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"the scheduler {scheduler!r} does not answer ({error}); check its address") from error
    with client:
        yield client.get_executor(pure=False)


@contextmanager
def on_all_cores(work: Callable[[T], R], *, alone: bool = False) -> Iterator[Callable[[Iterable[T]], Iterator[R]]]:
    """Yield a `map` of `work` on copies of this process, one for each core, to which only arguments are sent.

    alone: whether this process does the work itself, as it does where a process cannot be copied.
    """
    if alone or START != "fork":
        yield partial(map, work)
        return
    with _pool(work) as pool:
        yield partial(mapped(pool), _taken)


def _pool(work: Callable[[Any], Any] | None = None) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(mp_context=get_context(START), initializer=_begin, initargs=(work,))


_work: list[Any] = []
"""What a copy of a process does with each argument, a function."""


def _begin(work: Callable[[Any], Any] | None) -> None:
    _work.append(work)
    signal(SIGINT, SIG_IGN)  # the process that leads says it and stops this one
    signal(SIGTERM, SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def _taken(of: Any) -> Any:
    return _work[-1](of)

"""The part of an evaluation that waits: from open connections to the last record, or to a Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager

from nullbench_site.evaluation.askers import Askers, expect
from nullbench_site.evaluation.backends.base import BuildContext
from nullbench_site.evaluation.meters import Progress
from nullbench_site.evaluation.order import BuildOptions
from nullbench_site.evaluation.recording import MOST_WAIT, Recorder
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.requirements import has_geval
from nullbench_site.evaluation.runner import Runner
from nullbench_site.judging import deepeval
from nullbench_site.runs.known import Journal, KnownCalls

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_session(
    builder: RequestBuilder,
    order: BuildOptions,
    progress: Progress,
    controls: BuildContext,
    *,
    journal: Journal,
    known: KnownCalls,
    retry: int,
) -> Runner:
    """Make the calls of the order. Raises KeyboardInterrupt after a Ctrl-C, once what was in flight is recorded."""
    if has_geval(builder, order.selection):
        deepeval.prepare()  # some seconds, in which the loop would stand still

    async def run() -> Runner:
        async with AsyncExitStack() as stack:
            stack.enter_context(interrupts(controls))
            connections = {
                name: await stack.enter_async_context(builder.backends[name].connect(builder.benchmark, controls))
                for name in sorted(builder.backends_in_use)
            }
            at_endpoints = {name for name in connections if builder.backends[name].chats}
            askers = Askers(connections, at_endpoints, order.budget)
            expect(builder, askers, order.selection)
            progress.on_meters(askers.meters)
            most_wait = None if _has_terminal() else MOST_WAIT
            recorder = Recorder(journal, controls, waits=bool(at_endpoints), most_wait=most_wait)
            runner = Runner(builder, recorder, known, askers, controls, order.scope, retry, progress.on_call)
            await runner.run(order.selection)
            return runner

    try:
        runner = asyncio.run(run())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    if controls.draining.is_set():
        raise KeyboardInterrupt
    return runner


def _has_terminal() -> bool:
    """Whether somebody may see what a build says, and end it."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


@contextmanager
def interrupts(controls: BuildContext) -> Iterator[None]:
    """Listen for SIGINT and SIGTERM while the block runs: the first sets `draining`, the next cancels this task.

    Signals reach the main thread alone; in another one the block runs without.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def hear() -> None:
        if not controls.draining.is_set():
            controls.draining.set()
            controls.on_note("Stopping: calls in flight are finished first; press Ctrl-C again to stop at once")
        elif task is not None:
            task.cancel()

    before = {number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(hear)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)

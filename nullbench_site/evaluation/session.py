"""The part of an evaluation that waits: from open connections to the last record, or to a Ctrl-C."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack

from nullbench_site.evaluation.asking import Askers, expect
from nullbench_site.evaluation.backends.base import Controls
from nullbench_site.evaluation.interrupts import interrupts
from nullbench_site.evaluation.listener import Listener
from nullbench_site.evaluation.needs import has_geval
from nullbench_site.evaluation.order import Order
from nullbench_site.evaluation.plan import Caller
from nullbench_site.evaluation.recording import MOST_WAIT, Recorder
from nullbench_site.evaluation.runner import Runner
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.journal import Journal
from nullbench_site.runs.known import KnownCalls


def run_session(
    caller: Caller, order: Order, listener: Listener, controls: Controls, *, folder: RunFolder, known: KnownCalls
) -> Runner:
    """Make the calls of the order. Raises KeyboardInterrupt after a Ctrl-C, once what was in flight is recorded."""
    if has_geval(caller, order.selection):
        from nullbench_site.evaluation.geval import prepare

        prepare()  # some seconds, in which the loop would stand still
    try:
        runner = asyncio.run(_run(caller, order, listener, controls, folder=folder, known=known))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    if controls.draining.is_set():
        raise KeyboardInterrupt
    return runner


async def _run(
    caller: Caller, order: Order, listener: Listener, controls: Controls, *, folder: RunFolder, known: KnownCalls
) -> Runner:
    async with AsyncExitStack() as stack:
        stack.enter_context(interrupts(controls))
        connections = {
            name: await stack.enter_async_context(caller.backends[name].connect(caller.benchmark, controls))
            for name in sorted(caller.backends_in_use)
        }
        at_endpoints = {name for name in connections if caller.backends[name].chats}
        askers = Askers(connections, at_endpoints, order.budget)
        expect(caller, askers, order.selection)
        listener.on_meters(askers.meters)
        salts = {name: text.salt for name, text in caller.benchmark.private.items()}
        recorder = Recorder(
            Journal(folder, known, salts),
            controls,
            waits=bool(at_endpoints),
            most_wait=None if _has_terminal() else MOST_WAIT,
        )
        retry, scope = folder.manifest.retry, order.scope
        runner = Runner(caller, recorder, known, askers, controls, scope, retry, on_call=listener.on_call)
        await runner.run(order.selection)
        return runner


def _has_terminal() -> bool:
    """Whether somebody may see what a build says, and end it."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))

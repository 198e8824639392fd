"""Ctrl-C: once, and what is in flight is finished and recorded; twice, and the build stops at once."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from nullbench_site.evaluation.backends.base import Controls

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts(controls: Controls) -> Iterator[None]:
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

    # The loop's own way to listen is not there on Windows.
    before = {number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(hear)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)

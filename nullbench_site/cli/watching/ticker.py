"""Does something every few seconds, whatever the rest of the program does or waits for."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Ticker:
    """A thread that calls `tick` every `seconds` from `start` to `stop`; both may be called more than once."""

    def __init__(self, seconds: float, tick: Callable[[], None]) -> None:
        self._seconds = seconds
        self._tick = tick
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """After it there are no more ticks; one that has begun is waited for."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stopping.wait(self._seconds):
            self._tick()

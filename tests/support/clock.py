"""An event loop on which minutes take no time: when all wait, the clock jumps to the next timer."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
EARLY = 5e-10
"""Seconds by which timers ring too early, as those of real loops may."""


class _JumpingSelector(selectors.DefaultSelector):
    """Instead of waiting for a time it lets that time pass. AssertionError where there is nothing to wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events:
            assert timeout is not None, f"after {self.now:.6f} s all wait for one another, and no timer is set"
            self.now += timeout - EARLY if timeout > 2 * EARLY else timeout
        return events


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _JumpingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now


def run(main: Coroutine[Any, Any, T]) -> T:
    """As asyncio.run, from second 0 of a clock of its own."""
    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        return runner.run(main)


def on_clock(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """A test that runs on the jumping clock."""

    def synchronous() -> None:
        run(test())

    synchronous.__name__ = test.__name__
    synchronous.__doc__ = test.__doc__
    return synchronous

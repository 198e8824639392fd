"""How many requests a model at an endpoint has in flight, and when its next may start."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from typing import Literal

from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.backends.openai.backoff import MAX_RETRY_AFTER
from nullbench_site.evaluation.backends.openai.pool import Pool
from nullbench_site.specs.types import Limits

Outcome = Literal["answered", "limited", "failed"]
"""How a request ended: with an answer, with a 429, or in another way, which says nothing about limits."""

_SLOT = 50
"""Concurrency is counted in fiftieths of a slot, so that what is added and taken away adds up exactly."""
_GIVEN = 1
_TAKEN = 25


class Limiter:
    """Lets requests to one model start, first come, first served, as far as the pool of its endpoint has room.

    `await acquire(tokens)` before each attempt; then, whatever came of it, `correct` and `pause` where there is
    reason, and last `release`.

    Concurrency adapts: it starts at the limit, each answer adds 1/50 of a slot, each 429 takes half a slot, and
    it stays between 1 and the limit. If all that are in flight are refused, it halves. It falls while more
    than 1 in 26 requests is refused (3.8 %: there 25/26 x 1/50 = 1/26 x 1/2), climbs while fewer are, and so
    comes to rest at what the model can take. It is the model's own, as are its pauses: most limits are, and where one
    is of the whole endpoint every model meets it.
    """

    def __init__(self, limits: Limits, pool: Pool | None = None) -> None:
        """pool: of an endpoint with other models."""
        self.in_flight = 0
        self.resume_at = -math.inf
        self._loop = asyncio.get_running_loop()
        self._most = limits.concurrency * _SLOT
        self._allowed = self._most
        self._waiting: OrderedDict[asyncio.Future[None], tuple[int, int]] = OrderedDict()
        self._closed: str | None = None
        self._closing = asyncio.Event()
        self._pool = pool or Pool(limits)
        self._pool.join(self)

    @property
    def slots(self) -> int:
        """How many may be in flight now."""
        return self._allowed // _SLOT

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._waiting)

    async def acquire(self, tokens: int, *, first: bool = False) -> None:
        """Wait for the turn of a request that will use about `tokens`, before all others if it is to be the first.

        Raises UnavailableError once closed. Estimate what it will use, not what it may: until it is corrected, nobody
        else can have it.
        """
        self.check()
        turn = self._loop.create_future()
        self._waiting[turn] = (self._pool.number(), tokens)
        if first:
            self._waiting.move_to_end(turn, last=False)
        self._pool.admit()
        try:
            await turn
        except asyncio.CancelledError:
            if self._waiting.pop(turn, None) is None and not turn.cancelled() and turn.exception() is None:
                # Its turn came and it was cancelled before it could run: the turn goes to the next.
                self._pool.start(self, -tokens, requests=-1)
            self._pool.admit()
            raise

    def release(self, outcome: Outcome) -> None:
        """A request has ended. Call `pause` before, if at all: this starts the next."""
        self.in_flight -= 1
        self._pool.in_flight -= 1
        if outcome == "answered":
            self._allowed = min(self._most, self._allowed + _GIVEN)
        elif outcome == "limited":
            self._allowed = max(_SLOT, self._allowed - _TAKEN)
        self._pool.admit()

    def correct(self, tokens: int) -> None:
        """A request used so many tokens more than estimated; fewer, if negative, such as all of them if refused."""
        self._pool.correct(tokens)

    def pause(self, seconds: float) -> None:
        """Start nothing for so long, MAX_RETRY_AFTER at most. The longest of several pauses holds."""
        self.resume_at = max(self.resume_at, self._loop.time() + min(seconds, MAX_RETRY_AFTER))

    async def sleep(self, seconds: float) -> None:
        """Wait so long, without a slot. Raises UnavailableError once closed."""
        self.check()
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return
        self.check()

    def check(self) -> None:
        """Raises UnavailableError once closed."""
        if self._closed is not None:
            raise UnavailableError(self._closed)

    def close(self, reason: str) -> None:
        """Start nothing more: all who wait or come get UnavailableError(reason) at once. The first reason holds."""
        if self._closed is not None:
            return
        self._closed = reason
        self._closing.set()
        for turn in self._waiting:
            if not turn.done():
                turn.set_exception(UnavailableError(reason))
        self._waiting.clear()
        self._pool.admit()

    def ready(self) -> bool:
        """Whether somebody waits for nothing but the pool, or the end of a pause."""
        while self._waiting and next(iter(self._waiting)).cancelled():
            self._waiting.popitem(last=False)
        return bool(self._waiting) and self.in_flight < self.slots

    @property
    def tokens_of_next(self) -> int:
        """Of the next in line; there must be one."""
        return next(iter(self._waiting.values()))[1]

    @property
    def rank(self) -> tuple[int, int]:
        """The lowest of all models at an endpoint is the next."""
        return self.in_flight, next(iter(self._waiting.values()))[0]

    def start_next(self) -> None:
        """Let the next in line go."""
        self._waiting.popitem(last=False)[0].set_result(None)

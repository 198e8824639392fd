"""How many requests an endpoint has in flight, and when the next may start."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from typing import Literal

from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.backends.openai.backoff import MAX_RETRY_AFTER
from nullbench_site.specs.types import Limits

Outcome = Literal["answered", "limited", "failed"]
"""How a request ended: with an answer, with a 429, or in another way, which says nothing about limits."""

_SLOT = 50
"""Concurrency is counted in fiftieths of a slot, so that what is added and taken away adds up exactly."""
_GIVEN = 1
_TAKEN = 25


class Limiter:
    """Lets requests to one endpoint start, first come, first served. For one event loop: make it while that runs.

    `await acquire(tokens)` before each attempt; then, whatever came of it, `correct` and `pause` where there is
    reason, and last `release`.

    Concurrency adapts: it starts at the limit, each answer adds 1/50 of a slot, each 429 takes half a slot, and
    it stays between 1 and the limit. If all that are in flight are refused, it halves. It falls while more
    than 1 in 26 requests is refused (3.8 %: there 25/26 x 1/50 = 1/26 x 1/2), climbs while fewer are, and so
    comes to rest at what the endpoint can take.
    """

    def __init__(self, limits: Limits) -> None:
        self.in_flight = 0
        self._loop = asyncio.get_running_loop()
        self._most = limits.concurrency * _SLOT
        self._allowed = self._most
        self._requests = _request_bucket(limits.requests_per_minute)
        self._tokens = _token_bucket(limits.tokens_per_minute)
        self._resume_at = -math.inf
        self._waiting: OrderedDict[asyncio.Future[None], int] = OrderedDict()
        self._timer: asyncio.TimerHandle | None = None
        self._closed: str | None = None

    @property
    def slots(self) -> int:
        """How many may be in flight now."""
        return self._allowed // _SLOT

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return len(self._waiting)

    async def acquire(self, tokens: int) -> None:
        """Wait for the turn of a request that will use about `tokens`. Raises UnavailableError once closed.

        Estimate what it will use, not what it may: until it is corrected, nobody else can have it.
        """
        if self._closed is not None:
            raise UnavailableError(self._closed)
        if not self._waiting and self.in_flight < self.slots and self._loop.time() >= self._start_at(tokens):
            self._start(tokens)
            return
        turn = self._loop.create_future()
        self._waiting[turn] = tokens
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if self._waiting.pop(turn, None) is None and not turn.cancelled() and turn.exception() is None:
                # Its turn came and it was cancelled before it could run: the turn goes to the next.
                self._start(-tokens, requests=-1)
            self._admit()
            raise

    def release(self, outcome: Outcome) -> None:
        """A request has ended. Call `pause` before, if at all: this starts the next."""
        self.in_flight -= 1
        if outcome == "answered":
            self._allowed = min(self._most, self._allowed + _GIVEN)
        elif outcome == "limited":
            self._allowed = max(_SLOT, self._allowed - _TAKEN)
        self._admit()

    def correct(self, tokens: int) -> None:
        """A request used so many tokens more than estimated; fewer, if negative, such as all of them if refused."""
        if self._tokens is not None:
            self._tokens.take(tokens, self._loop.time())
            self._admit()

    def pause(self, seconds: float) -> None:
        """Start nothing for so long, MAX_RETRY_AFTER at most. The longest of several pauses holds."""
        self._resume_at = max(self._resume_at, self._loop.time() + min(seconds, MAX_RETRY_AFTER))

    def close(self, reason: str) -> None:
        """Start nothing more: all who wait or come get UnavailableError(reason) at once. The first reason holds."""
        if self._closed is not None:
            return
        self._closed = reason
        for turn in self._waiting:
            if not turn.done():
                turn.set_exception(UnavailableError(reason))
        self._waiting.clear()
        self._set_timer(None)

    def _start_at(self, tokens: int) -> float:
        """When a request may start, if there is a slot: after the pause, once both buckets have enough."""
        at = self._resume_at
        if self._requests is not None:
            at = max(at, self._requests.ready_at(1))
        if self._tokens is not None:
            at = max(at, self._tokens.ready_at(tokens))
        return at

    def _start(self, tokens: int, requests: int = 1) -> None:
        """Count a request in; with negative numbers, count it out as if it had never been."""
        self.in_flight += requests
        if self._requests is not None:
            self._requests.take(requests, self._loop.time())
        if self._tokens is not None:
            self._tokens.take(tokens, self._loop.time())

    def _admit(self) -> None:
        """Start those whose turn it is. The timer is set if only time stands between the next and its start."""
        while self._waiting and self.in_flight < self.slots:
            turn, tokens = next(iter(self._waiting.items()))
            if not turn.cancelled():
                start_at = self._start_at(tokens)
                if self._loop.time() < start_at:
                    self._set_timer(start_at)
                    return
                self._start(tokens)
                turn.set_result(None)
            del self._waiting[turn]
        self._set_timer(None)

    def _set_timer(self, at: float | None) -> None:
        if self._timer is not None:
            if self._timer.when() == at:
                return
            self._timer.cancel()
        self._timer = None if at is None else self._loop.call_at(at, self._on_timer)

    def _on_timer(self) -> None:
        # Forgotten before anything else: a timer may ring a little early, and is then set to the same time again.
        self._timer = None
        self._admit()


class _Bucket:
    """Fills by `rate` a second up to `capacity`. Its level is kept as the time at which it is full."""

    def __init__(self, rate: float, capacity: float) -> None:
        self._rate = rate
        self._capacity = capacity
        self._full_at = -math.inf

    def ready_at(self, amount: float) -> float:
        """When it holds `amount`; when it is full, for an amount that it can never hold."""
        return self._full_at - max(0.0, self._capacity - amount) / self._rate

    def take(self, amount: float, now: float) -> None:
        """Take out an amount, or with a negative one put it back. What it does not hold it owes."""
        self._full_at = max(self._full_at, now) + amount / self._rate


def _request_bucket(per_minute: int | None) -> _Bucket | None:
    """Evenly paced, after a second's worth at once, and so much slower that no minute sees more than its number."""
    if per_minute is None:
        return None
    burst = max(1.0, per_minute / 60)
    return _Bucket((per_minute - (burst - 1)) / 60, burst)


def _token_bucket(per_minute: int | None) -> _Bucket | None:
    """A tenth at once, as tokens are reserved before they are known; what is larger waits until the bucket is full.

    No minute sees more than eleven tenths of its number and one request.
    """
    return None if per_minute is None else _Bucket(per_minute / 60, per_minute / 10)

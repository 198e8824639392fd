"""The slots, requests and tokens a minute of one endpoint, and whose turn it is."""

from __future__ import annotations

import asyncio
import itertools
import math
from typing import TYPE_CHECKING

from nullbench_site.specs.types import Limits

if TYPE_CHECKING:
    from nullbench_site.evaluation.backends.openai.limiter import Limiter


class Pool:
    """What all models of one endpoint share: its slots, its requests and tokens a minute. For one event loop.

    A slot goes to the model with the fewest requests in flight, so that one whose requests hang does not hold them all;
    among equals, first come, first served.
    """

    def __init__(self, limits: Limits) -> None:
        self.in_flight = 0
        self._loop = asyncio.get_running_loop()
        self._most = limits.concurrency
        self._requests = _request_bucket(limits.requests_per_minute)
        self._tokens = _token_bucket(limits.tokens_per_minute)
        self._limiters: list[Limiter] = []
        self._came = itertools.count()
        self._timer: asyncio.TimerHandle | None = None
        self._closed: str | None = None

    def join(self, limiter: Limiter) -> None:
        """One more model."""
        self._limiters.append(limiter)
        if self._closed is not None:
            limiter.close(self._closed)

    def number(self) -> int:
        """What tells who came first."""
        return next(self._came)

    def start(self, limiter: Limiter, tokens: int, requests: int = 1) -> None:
        """Count a request in; with negative numbers, count it out as if it had never been."""
        self.in_flight += requests
        limiter.in_flight += requests
        now = self._loop.time()
        if self._requests is not None:
            self._requests.take(requests, now)
        if self._tokens is not None:
            self._tokens.take(tokens, now)

    def correct(self, tokens: int) -> None:
        """A request used so many tokens more than estimated."""
        if self._tokens is not None:
            self._tokens.take(tokens, self._loop.time())
            self.admit()

    def admit(self) -> None:
        """Start those whose turn it is. The timer is set if only time stands between the next and its start."""
        start_at = None
        while self.in_flight < self._most:
            now = self._loop.time()
            ready = [limiter for limiter in self._limiters if limiter.ready()]
            awake = [limiter for limiter in ready if limiter.resume_at <= now]
            if not awake:
                start_at = min((limiter.resume_at for limiter in ready), default=None)
                break
            limiter = min(awake, key=lambda limiter: limiter.rank)
            tokens = limiter.tokens_of_next
            start_at = self._start_at(tokens)
            if now < start_at:
                break
            self.start(limiter, tokens)
            limiter.start_next()
            start_at = None
        self._set_timer(start_at)

    def close(self, reason: str) -> None:
        """Close every model; see there."""
        self._closed = self._closed or reason
        for limiter in self._limiters:
            limiter.close(reason)

    def _start_at(self, tokens: int) -> float:
        """When both buckets have enough for a request."""
        at = -math.inf
        if self._requests is not None:
            at = max(at, self._requests.ready_at(1))
        if self._tokens is not None:
            at = max(at, self._tokens.ready_at(tokens))
        return at

    def _set_timer(self, at: float | None) -> None:
        if self._timer is not None:
            if self._timer.when() == at:
                return
            self._timer.cancel()
        self._timer = None if at is None else self._loop.call_at(at, self._on_timer)

    def _on_timer(self) -> None:
        # Forgotten before anything else: a timer may ring a little early, and is then set to the same time again.
        self._timer = None
        self.admit()


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

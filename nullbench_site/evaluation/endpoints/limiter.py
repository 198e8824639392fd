"""Limit the requests to an endpoint and to each model there: the number at once, and the time of the next.

The limits depend on the spec, on failed attempts, and on response headers.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import re
from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random
from typing import Literal

import msgspec

from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.specs.types import Limits

Ending = Literal["answered", "limited", "failed"]
"""How a request ended: with an answer, with a 429, or otherwise, which is not about limits."""

_SLOT = 50
"""Concurrency is counted in fiftieths of a slot, so that sums are exact."""
_GIVEN = 1
_TAKEN = 25

LONGEST_WAIT = 60.0
"""In seconds. The waits grow up to this, unless the server asks for more."""
MAX_RETRY_AFTER = 600.0
"""In seconds. If a server asks for more, its quota is used up or it is down."""

_LATEST = 32 * 86_400.0
"""In seconds. Quotas are renewed within a month; a longer wait is a mistake."""
_UNITS = {"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_NUMBER = r"[0-9]+(?:\.[0-9]*)?"
_UNIT = "(?:d|h|ms|m|s|us|µs|ns)"
_PLAIN = re.compile(_NUMBER)
_DURATION = re.compile(f"(?:{_NUMBER}{_UNIT})+")
_PART = re.compile(f"({_NUMBER})({_UNIT})")
# Headers with the rest of a limit and its reset: OpenAI and similar, Anthropic, OpenRouter, the IETF draft.
_ALLOWANCES = (
    *((f"x-ratelimit-remaining-{what}", f"x-ratelimit-reset-{what}") for what in ("requests", "tokens")),
    *(
        (f"anthropic-ratelimit-{what}-remaining", f"anthropic-ratelimit-{what}-reset")
        for what in ("requests", "tokens", "input-tokens", "output-tokens")
    ),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)


class Limiter:
    """Starts requests to one model, first come, first served, while the pool of its endpoint has room.

    `await acquire(tokens)` before each attempt; after it `correct` and `pause` if needed, and always `release` last.

    Concurrency adapts: it starts at the limit, each answer adds 1/50 of a slot, each 429 takes half a slot, and it
    stays between 1 and the limit. It falls while more than 1 in 26 requests is refused (25/26 x 1/50 = 1/26 x 1/2), and
    rises while fewer are. Each model has its own concurrency and its own pauses, because most limits are per model.
    """

    def __init__(self, limits: Limits, pool: Pool | None = None, *, gathers: bool = False) -> None:
        """pool: of an endpoint with several models.

        gathers: start next the request whose text shares the longest beginning with the one before. A server with a
        prompt cache then reads the beginning once. All waiting requests are started in the end.
        """
        self.in_flight = 0
        self.resume_at = -math.inf
        self._loop = asyncio.get_running_loop()
        self._most = limits.concurrency * _SLOT
        self._allowed = self._most
        self._waiting: OrderedDict[asyncio.Future[None], _Waiting] = OrderedDict()
        self._gathers = gathers
        self._ordered_after: str | None = ""
        """The text of the request after which the next one is in front; None if none was chosen since."""
        self._closed: str | None = None
        self._closing = asyncio.Event()
        self._pool = pool or Pool(limits)
        self._pool.join(self)

    @property
    def slots(self) -> int:
        """Return the number of requests that may be in flight now."""
        return self._allowed // _SLOT

    @property
    def waiting(self) -> int:
        """Return the number of waiting requests."""
        return len(self._waiting)

    async def acquire(self, tokens: int, *, first: bool = False, text: str = "") -> None:
        """Wait for the turn of a request that will use about `tokens`. first: before all others. text: of its messages.

        Raises UnavailableError once closed. Estimate the expected tokens, not the most: until corrected, they are
        taken from the others.
        """
        self.check()
        turn = self._loop.create_future()
        self._waiting[turn] = _Waiting(self._pool.number(), tokens, text, first=first)
        self._ordered_after = None
        if first:
            self._waiting.move_to_end(turn, last=False)
        self._pool.admit()
        try:
            await turn
        except asyncio.CancelledError:
            if self._waiting.pop(turn, None) is None and not turn.cancelled() and turn.exception() is None:
                # It was cancelled after its turn came: start the next one.
                self._pool.start(self, -tokens, requests=-1)
            self._pool.admit()
            raise

    def release(self, ending: Ending) -> None:
        """End a request and start the next. Call `pause` before, if needed."""
        self.in_flight -= 1
        self._pool.in_flight -= 1
        if ending == "answered":
            self._allowed = min(self._most, self._allowed + _GIVEN)
        elif ending == "limited":
            self._allowed = max(_SLOT, self._allowed - _TAKEN)
        self._pool.admit()

    def correct(self, tokens: int) -> None:
        """Count that a request used so many more tokens than estimated; fewer if negative."""
        self._pool.correct(tokens)

    def pause(self, seconds: float) -> None:
        """Start nothing for so many seconds, MAX_RETRY_AFTER at most. Of several pauses, the longest counts."""
        self.resume_at = max(self.resume_at, self._loop.time() + min(seconds, MAX_RETRY_AFTER))

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds, without a slot. Raises UnavailableError once closed."""
        self.check()
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return
        self.check()

    @property
    def is_open(self) -> bool:
        """Return True until it is closed."""
        return self._closed is None

    def check(self) -> None:
        """Raises UnavailableError once closed."""
        if self._closed is not None:
            raise UnavailableError(self._closed)

    def close(self, reason: str) -> None:
        """Start nothing more: all waiting and later requests get UnavailableError(reason). The first reason counts."""
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
        """Return True if a request waits only for the pool or the end of a pause."""
        while self._waiting and next(iter(self._waiting)).cancelled():
            self._waiting.popitem(last=False)
            self._ordered_after = None
        if self._gathers and self._waiting and self._ordered_after is not self._pool.last:
            self._ordered_after = self._pool.last
            open_turns = [turn for turn in self._waiting if not turn.cancelled()]
            self._waiting.move_to_end(max(open_turns, key=self._nearness), last=False)
        return bool(self._waiting) and self.in_flight < self.slots

    @property
    def tokens_of_next(self) -> int:
        """Return the tokens of the next request in line; there must be one."""
        return next(iter(self._waiting.values())).tokens

    @property
    def rank(self) -> tuple[int, int, int]:
        """Return the rank: the model with the lowest rank at an endpoint is next."""
        request = next(iter(self._waiting.values()))
        near = shared_beginning(self._pool.last, request.text) if self._gathers else 0
        return self.in_flight, -near, request.number

    def start_next(self) -> None:
        """Start the next in line."""
        turn, request = self._waiting.popitem(last=False)
        self._pool.last, self._ordered_after = request.text, None
        turn.set_result(None)

    def _nearness(self, turn: asyncio.Future[None]) -> tuple[bool, int, int]:
        """Return what the next request has most of: being first, the shared beginning, an early number."""
        request = self._waiting[turn]
        return request.first, shared_beginning(self._pool.last, request.text), -request.number


class _Waiting(msgspec.Struct, frozen=True):
    """A waiting request. number: in the order of requests. text: of its messages."""

    number: int
    tokens: int
    text: str
    first: bool


def shared_beginning(one: str, other: str) -> int:
    """Return the number of characters at the beginning that two texts share."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class Pool:
    """The shared limits of all models of one endpoint: slots, requests and tokens per minute. For one event loop.

    A slot goes to the model with the fewest requests in flight, so that a model that hangs does not take them all.
    Among equals, the one whose next request shares the longest beginning with the last one, if they gather; then first
    come, first served.
    """

    def __init__(self, limits: Limits) -> None:
        self.in_flight = 0
        self._loop = asyncio.get_running_loop()
        self._most = limits.concurrency
        self.last = ""
        """The text of the last request of any model that gathers."""
        self._requests = _request_bucket(limits.requests_per_minute)
        self._tokens = _token_bucket(limits.tokens_per_minute)
        self._limiters: list[Limiter] = []
        self._came = itertools.count()
        self._timer: asyncio.TimerHandle | None = None
        self._closed: str | None = None

    def join(self, limiter: Limiter) -> None:
        """Add a model."""
        self._limiters.append(limiter)
        if self._closed is not None:
            limiter.close(self._closed)

    def number(self) -> int:
        """Return the next number in the order of requests."""
        return next(self._came)

    def start(self, limiter: Limiter, tokens: int, requests: int = 1) -> None:
        """Count a request; negative numbers undo that."""
        self.in_flight += requests
        limiter.in_flight += requests
        now = self._loop.time()
        self._requests.take(requests, now)
        self._tokens.take(tokens, now)

    def correct(self, tokens: int) -> None:
        """Count that a request used so many more tokens than estimated."""
        self._tokens.take(tokens, self._loop.time())
        self.admit()

    def admit(self) -> None:
        """Start the requests whose turn it is. Set the timer if the next one only has to wait."""
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
            start_at = max(self._requests.ready_at(1), self._tokens.ready_at(tokens))
            if now < start_at:
                break
            self.start(limiter, tokens)
            limiter.start_next()
            start_at = None
        self._set_timer(start_at)

    def close(self, reason: str) -> None:
        """Close every model, and those that join later."""
        self._closed = self._closed or reason
        for limiter in self._limiters:
            limiter.close(reason)

    def _set_timer(self, at: float | None) -> None:
        if self._timer is not None:
            if self._timer.when() == at:
                return
            self._timer.cancel()
        self._timer = None if at is None else self._loop.call_at(at, self._on_timer)

    def _on_timer(self) -> None:
        # Cleared first, because a timer may fire a little early and is then set to the same time again.
        self._timer = None
        self.admit()


class _Bucket:
    """A token bucket, filled by `rate` per second up to `capacity`. Its level is stored as the time when it is full."""

    def __init__(self, rate: float, capacity: float) -> None:
        self._rate = rate
        self._capacity = capacity
        self._full_at = -math.inf

    def ready_at(self, amount: float) -> float:
        """Return when it has `amount`, or when it is full if `amount` is above its capacity."""
        return self._full_at - max(0.0, self._capacity - amount) / self._rate

    def take(self, amount: float, now: float) -> None:
        """Take out an amount, or put it back if negative. The level may become negative."""
        self._full_at = max(self._full_at, now) + amount / self._rate


_UNLIMITED = math.inf, 0.0
"""Rate and capacity of a bucket that always has enough."""


def _request_bucket(per_minute: int | None) -> _Bucket:
    """Return a bucket that allows one second's worth at once, then an even pace; no minute exceeds the limit."""
    if per_minute is None:
        return _Bucket(*_UNLIMITED)
    burst = max(1.0, per_minute / 60)
    return _Bucket((per_minute - (burst - 1)) / 60, burst)


def _token_bucket(per_minute: int | None) -> _Bucket:
    """Return a bucket that allows a tenth at once; a larger request waits until it is full.

    No minute exceeds eleven tenths of the limit plus one request.
    """
    return _Bucket(*_UNLIMITED) if per_minute is None else _Bucket(per_minute / 60, per_minute / 10)


def wait_before(attempt: int, first_wait: float, retry_after: float | None, rng: Random) -> float:
    """Return the seconds to wait after failed attempt number `attempt`, 1 for the first.

    This is a random part of `first_wait`, doubled with each further attempt up to LONGEST_WAIT, so that calls that
    failed together are not retried together. It is at least `retry_after`, however long; check `too_long` first.
    Source of the random part: Brooker (2015), Exponential Backoff And Jitter, "full jitter".
    """
    ceiling = min(LONGEST_WAIT, first_wait * 2 ** (attempt - 1))
    wait = rng.uniform(0, ceiling)
    if retry_after is None:
        return wait
    return max(wait, retry_after + rng.uniform(0, min(1.0, ceiling)))


def too_long(retry_after: float | None) -> bool:
    """Return True if the server asks for a longer wait than a build should make."""
    return retry_after is not None and retry_after > MAX_RETRY_AFTER


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds a refusal asks to wait: retry-after-ms, else Retry-After as seconds or as a date.

    now: seconds since 1970, for a date. Names may be in any case. An invalid value is ignored.
    """
    named = _named(headers, "retry-after")
    milliseconds = _number(named.get("retry-after-ms", ""))
    if milliseconds is not None and milliseconds <= _LATEST * 1000:
        return milliseconds / 1000
    return _seconds_until(named.get("retry-after", ""), now)


def exhausted_for(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds until all limits that are used up are reset; None if none is used up.

    This is a reason to pause, not to stop: most servers refill gradually and accept requests long before.
    """
    named = _named(headers, "ratelimit-")
    if not named:
        return None
    waits = [
        _seconds_until(named.get(reset, ""), now)
        for remaining, reset in _ALLOWANCES
        if _number(named.get(remaining, "")) == 0
    ]
    return max((wait for wait in waits if wait), default=None)


def _named(headers: Mapping[str, str], part: str) -> dict[str, str]:
    """Return the headers with `part` in their name, in lower case."""
    return {name.lower(): value for name, value in headers.items() if part in name.lower()}


def _seconds_until(value: str, now: float) -> float | None:
    """Return the seconds from `now` to a header's value: a wait, seconds or milliseconds since 1970, or a date."""
    text = value.strip()
    number = _number(text)
    if number is not None:
        # Values between a month and 1e9 are invalid: 1e9 seconds after 1970 is 2001.
        wait = number if number < 1e9 else number - now if number < 1e11 else number / 1000 - now
    elif _DURATION.fullmatch(text):
        wait = sum(float(amount) * _UNITS[unit] for amount, unit in _PART.findall(text))
    else:
        date = _date(text)
        if date is None:
            return None
        wait = date - now
    return wait if 0 <= wait <= _LATEST else None


def _number(text: str) -> float | None:
    """Parse digits with or without decimals; float() would accept inf, nan, 1e400 and underscores."""
    return float(text) if _PLAIN.fullmatch(text.strip()) else None


def _date(text: str) -> float | None:
    """Parse an ISO or HTTP date as seconds since 1970. Without an offset it is UTC (RFC 9110)."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            date = read(text)
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
        # email.utils documents ValueError, but some invalid dates overflow.
        except (ValueError, OverflowError):
            continue
    return None

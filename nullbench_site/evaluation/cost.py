"""US dollars: the cost of a call, the most a call can cost, and the budget of a build."""

from __future__ import annotations

import asyncio

import msgspec

from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.specs.types import Prices

_MILLION = 1_000_000
_FRAME_TOKENS = 16
"""The most tokens that a chat template adds to a message, and to a conversation."""


def cost_usd(prices: Prices | None, used: Answer) -> float | None:
    """Return the cost of a call; None without a price or without counted tokens."""
    if prices is None or used.input_tokens is None or used.output_tokens is None:
        return None
    # The input tokens include the cached ones.
    cached = min(used.cached_input_tokens or 0, used.input_tokens)
    price_of_cached = prices.input if prices.cached_input is None else prices.cached_input
    fresh = (used.input_tokens - cached) * prices.input
    return (fresh + cached * price_of_cached + used.output_tokens * prices.output) / _MILLION


def most_usd(prices: Prices | None, request: Request) -> float | None:
    """Return the most a call can cost; None without a price or a limit on its output.

    A token is at least one byte of the text, so the bytes bound the input.
    """
    if prices is None or request.decoding.max_tokens is None:
        return None
    dearest = max(prices.input, prices.cached_input or 0.0)
    return (most_input_tokens(request) * dearest + request.decoding.max_tokens * prices.output) / _MILLION


def most_input_tokens(request: Request) -> int:
    """Return a bound on the input of a chat request: one token per byte, schema included."""
    texts = sum(len(message.content.encode("utf-8", "replace")) + _FRAME_TOKENS for message in request.messages)
    schema = len(msgspec.json.encode(request.reply_schema)) if request.reply_schema else 0
    return texts + schema + _FRAME_TOKENS


class Budget(msgspec.Struct):
    """Limits on the cost of the calls of one build, in US dollars, and on its requests; None: no limit.

    A call takes one request, and one more for each retry, each other form, and each probe. It reserves the most that
    one attempt can cost. It waits for that room while calls in flight may turn out cheaper, and is refused if none is
    in flight. A call in a batch keeps its reservation until the batch ends.
    """

    max_usd: float | None = None
    max_calls: int | None = None
    requests: int = 0
    spent_usd: float = 0.0
    refusal: str | None = None
    """Why calls were refused; None if none was."""
    in_batches_usd: float = 0.0
    """Reserved for the calls of batches that are out."""
    _reserved_usd: float = 0.0
    _in_flight: int = 0
    _waiting: list[asyncio.Future[None]] = []

    def of_shard(self, number: int, n: int) -> Budget:
        """Return the budget of one of n builds, numbered from 1, that together keep to this one."""
        usd = None if self.max_usd is None else self.max_usd / n
        return Budget(usd, None if self.max_calls is None else (self.max_calls + n - number) // n)

    def most_usd(self, prices: Prices | None, request: Request) -> float:
        """Return the amount to reserve for an attempt; 0 without a limit on cost."""
        return 0.0 if self.max_usd is None else most_usd(prices, request) or 0.0

    async def reserve(self, most_usd: float) -> None:
        """Reserve room for one attempt of at most this cost. Raises UnavailableError if there is none."""
        self._check_requests()
        while not self._has_room_for(most_usd):
            if not self._in_flight:
                raise self._no_room(most_usd)
            settled = asyncio.get_running_loop().create_future()
            self._waiting.append(settled)
            await settled
            self._check_requests()
        self.hold(most_usd)

    def reserve_in_batch(self, most_usd: float) -> None:
        """Reserve room for a call of a batch, and count it. Raises UnavailableError if there is none."""
        self._check_requests()
        if not self._has_room_for(most_usd):
            raise self._no_room(most_usd)
        self.in_batches_usd += most_usd
        self.requests += 1

    async def renew(self, most_usd: float) -> None:
        """Reserve room for the next attempt of a call whose last attempt was charged.

        Raises UnavailableError if there is none. Settle the call in either case.
        """
        self.settle(most_usd, 0.0)
        try:
            await self.reserve(most_usd)
        except BaseException:
            self.hold(most_usd)
            raise

    def charge(self, cost_usd: float) -> None:
        """Count the cost of an attempt without an answer."""
        self.spent_usd += cost_usd

    def count(self) -> None:
        """Count a request that is about to be sent. Raises UnavailableError if no more are allowed."""
        self._check_requests()
        self.requests += 1

    def settle(self, most_usd: float, cost_usd: float | None) -> None:
        """Replace the reservation of a call by its cost. cost_usd: None if unknown; then the reservation counts."""
        self._in_flight -= 1
        self._reserved_usd -= most_usd
        self.spent_usd += most_usd if cost_usd is None else cost_usd
        for settled in self._waiting:
            if not settled.done():
                settled.set_result(None)
        self._waiting.clear()

    def hold(self, most_usd: float) -> None:
        """Take room for an attempt without looking whether there is any: `renew` it before the attempt."""
        self._in_flight += 1
        self._reserved_usd += most_usd

    def _has_room_for(self, most_usd: float) -> bool:
        if self.max_usd is None:
            return True
        # Sums of floats may be off by a billionth of a dollar.
        return self.spent_usd + self._reserved_usd + self.in_batches_usd + most_usd <= self.max_usd + 1e-9

    def _no_room(self, most_usd: float) -> UnavailableError:
        left = f"a call may cost up to {most_usd:.4f} USD, more than is left of {self.max_usd or 0:g} USD of --max-cost"
        if self.in_batches_usd:
            return UnavailableError(f"{left} while batches are out; build again when they have ended")
        # Smaller calls may continue, so the summary has the amount spent.
        return self._refused(f"stopped: {left}; {'build again to continue' if self.spent_usd else 'raise it'}")

    def _check_requests(self) -> None:
        if self.max_calls is not None and self.requests >= self.max_calls:
            raise self._refused(
                f"stopped after {self.requests} requests, the limit of --max-calls; build again to continue"
            )

    def _refused(self, why: str) -> UnavailableError:
        """Return the error with the message of the first refusal, so that all later calls give the same message."""
        self.refusal = self.refusal or why
        return UnavailableError(self.refusal)

"""Call a model at an endpoint, with retries, other forms of the request, and probes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, NoReturn

import msgspec

from nullbench_site.evaluation.backends.base import DRAINING, BackendError, BuildContext, UnavailableError
from nullbench_site.evaluation.cost import cost_usd, most_usd
from nullbench_site.evaluation.endpoints.completion import Dialect
from nullbench_site.evaluation.endpoints.endpoint import OpenEndpoint
from nullbench_site.evaluation.endpoints.faults import Fault, read_error, refused
from nullbench_site.evaluation.endpoints.limiter import (
    MAX_RETRY_AFTER,
    Ending,
    Limiter,
    exhausted_for,
    retry_after,
    too_long,
    wait_before,
)
from nullbench_site.evaluation.endpoints.local_server import is_local
from nullbench_site.judging.calls import Answer, Message, Request
from nullbench_site.runs.in_flight import CALL, CallInFlight, Unfollowed
from nullbench_site.specs.listing import place_of
from nullbench_site.specs.types import Judge, ModelFile

if TYPE_CHECKING:
    import httpx2

_FIRST_GUESS = 500.0
"""The expected output tokens of a call before any answer."""
_MEMORY = 1 / 16
"""The weight of the newest call in the running mean of output tokens."""
_BYTES_PER_TOKEN = 4
_LONG_PAUSE = 30.0
"""In seconds. The user is told about a longer pause."""
_MOST_BROKEN_OFF = 8
"""Calls in a row whose answers the server broke off. Each fails alone; further ones may stop the model."""
_MOST_ENDINGS = 3
"""Unknown reasons that the user is told."""
_PROBE = (Message("user", "Say hello, as JSON."),)
"""A small request. Servers refuse `json_object` if no message contains the word JSON."""


class _Failed(msgspec.Struct):
    """The attempts of one call without an answer.

    most_usd: reserved for the call. usd: their cost, as far as known. uncounted: those of unknown cost. charged: True
    if the last one cost something, so that the next attempt needs room in the budget.
    """

    most_usd: float
    usd: float = 0.0
    uncounted: int = 0
    charged: bool = False


class EndpointAsker:
    """The `Asker` of one contestant or judge. A call without an answer fails alone if the model answers other calls.

    A small request (probe) tests that: before the first answer, and after several calls in a row without an answer, or
    after twice as many attempts that may be charged. If the probe fails too, the model stops, and its calls are left
    for the next build.
    """

    def __init__(self, endpoint: OpenEndpoint, who: ModelFile | Judge, context: BuildContext, dialect: Dialect) -> None:
        self.meter = endpoint.meter
        self.concurrency = endpoint.spec.limits.concurrency
        self._endpoint = endpoint
        self._who = who
        self._context = context
        self._is_local = is_local(endpoint.spec)
        self._limiter = Limiter(endpoint.spec.limits, endpoint.pool, gathers=self._is_local)
        self._rng = Random()  # noqa: S311 - it spreads waits
        self._dialect = dialect
        self._has_answered = False
        self._unanswered_in_a_row = 0
        self._wasted_in_a_row = 0
        """Attempts of any call without an answer that the server may charge for."""
        self._broken_off_in_a_row = 0
        self._probing = asyncio.Lock()
        self._output_tokens = _FIRST_GUESS
        self._noted_served: set[bool] = set()
        self._noted_endings: set[str] = set()
        self._noted_until = 0.0

    async def ask(self, request: Request) -> Answer:
        """Return the answer to one request. Raises BackendError, UnavailableError."""
        failed = _Failed(self._context.budget.most_usd(self._who.prices, request))
        try:
            answer = await self._answer_or_error(request, failed)
        except (BackendError, UnavailableError) as error:
            error.failed_usd, error.uncounted = failed.usd, failed.uncounted
            raise
        return msgspec.structs.replace(answer, failed_usd=failed.usd, uncounted=failed.uncounted)

    async def _answer_or_error(self, request: Request, failed: _Failed) -> Answer:
        """Raises BackendError, UnavailableError."""
        attempts = self._endpoint.spec.limits.attempts
        try:
            return await self._answer(request, attempts, failed)
        except Fault as fault:
            await self._probe_after(fault, request, failed)
            if fault.reach != "attempt":
                raise BackendError(fault.text) from None
            times = f"{attempts} attempts" if attempts > 1 else "1 attempt"
            raise BackendError(f"no answer after {times}; the last time, {fault.text}") from None

    async def _answer(self, request: Request, attempts: int, failed: _Failed) -> Answer:
        """Return the answer. Raises UnavailableError, and Fault if the request is refused or all attempts fail."""
        dialect, attempt = self._dialect, 1
        while True:
            try:
                answer = await self._attempt(request, dialect, failed)
            except Fault as fault:
                if fault.kind == "filtered":
                    return self._counted(fault.filtered)
                other = dialect.after(fault, request)
                if other is not None:
                    dialect = other
                    # A form is kept only after an answer: the server may have refused the request, not the form.
                    limit = other.limit_field
                    self._dialect = self._dialect.joined(msgspec.structs.replace(self._dialect, limit_field=limit))
                    continue
                # Only the private record of a call may contain the server's words, which may repeat the item.
                shown = fault.redacted if request.private else fault
                if fault.reach == "endpoint":
                    self._endpoint.stop(shown)
                if fault.reach == "model":
                    self._stop(shown)
                if fault.reach != "attempt" or attempt >= attempts:
                    raise
                if self._many_wasted and request.messages is not _PROBE:
                    await self._probe(fault, request, failed)
                await self._limiter.sleep(
                    wait_before(attempt, self._endpoint.spec.limits.first_wait, fault.retry_after, self._rng)
                )
                self.meter.retries += 1
                attempt += 1
                dialect = dialect.joined(self._dialect)
            else:
                self._learn(answer, dialect, private=request.private)
                return self._counted(answer)

    async def _attempt(self, request: Request, dialect: Dialect, failed: _Failed) -> Answer:
        """Make one attempt when its turn comes. Raises Fault, UnavailableError."""
        self._check()
        if failed.charged:
            failed.charged = False
            await self._context.budget.renew(failed.most_usd)
        body = dialect.body(request)
        tokens = self._estimate(body, request)
        text = "\n".join(message.content for message in request.messages) if self._is_local else ""
        await self._limiter.acquire(tokens, first=request.messages is _PROBE, text=text)
        ending: Ending = "failed"
        status = None
        call = self._call
        try:
            await self._context.writable.wait()
            self._check()
            start = time.perf_counter()
            call.sent(most_usd(self._who.prices, request))
            reply = await self._endpoint.put(body, dialect)
            status = reply.status_code
            answer = self._parse(reply, request.model, time.perf_counter() - start, dialect)
            call.cost(cost_usd(self._who.prices, answer))
            ending = "answered"
            if answer.input_tokens is not None and self._endpoint.spec.limits.tokens_per_minute is not None:
                self._limiter.correct(answer.input_tokens + (answer.output_tokens or 0) - tokens)
            return answer
        except Fault as fault:
            if fault.limited:
                ending = "limited"
                self.meter.rate_limited += 1
            cost: float | None = 0.0
            if fault.kind == "filtered":
                cost = cost_usd(self._who.prices, fault.filtered)
            elif fault.may_cost(status):
                # The model works if it begins answers; calls in a row without an answer count in `_probe_after`.
                self._wasted_in_a_row += fault.kind != "broken-off"
                cost = self._charge(fault.used or Answer(""), request, failed)
            call.cost(cost)
            raise
        except UnavailableError:  # nothing was sent
            call.cost(0.0)
            raise
        finally:
            self._limiter.release(ending)

    def _parse(self, reply: httpx2.Response, model: str, seconds: float, dialect: Dialect) -> Answer:
        """Return the answer in a reply, and pause as long as its headers demand. Raises Fault."""
        now = time.time()
        used_up = exhausted_for(reply.headers, now)
        secrets = self._endpoint.secrets
        try:
            if 200 <= reply.status_code < 300:
                answer = dialect.read(reply.content, model, seconds, secrets)
            else:
                fault = refused(reply.status_code, read_error(reply.content), secrets)
                fault.used = dialect.used(reply.content)
                raise fault
        except Fault as fault:
            wait = retry_after(reply.headers, now)
            if wait is None and fault.limited:
                wait = used_up
            if fault.reach == "attempt" and wait is not None:
                if too_long(wait):
                    text, advice = f"it asks to wait {wait:.0f} s ({fault.text})", "build again after that"
                    raise replace(fault, reach="model", text=text, advice=advice, status=None, kind=None) from None
                self._pause(wait)
            fault.retry_after = wait
            raise
        if used_up is not None:
            self._pause(min(used_up, MAX_RETRY_AFTER))
        return answer

    async def _probe_after(self, fault: Fault, request: Request, failed: _Failed) -> None:
        """After a call without an answer, test whether the model answers others. Raises UnavailableError if not."""
        if fault.kind == "unreached":
            self._endpoint.unreached(fault)
            return
        if fault.kind == "broken-off":
            self._broken_off_in_a_row += 1
            if self._broken_off_in_a_row <= _MOST_BROKEN_OFF:
                return
        self._unanswered_in_a_row += fault.reach != "call"
        if fault.reach != "call" or self._many_wasted:
            await self._probe(fault, request, failed)

    @property
    def _many_wasted(self) -> bool:
        return self._wasted_in_a_row >= 2 * self._endpoint.patience

    async def _probe(self, fault: Fault, request: Request, failed: _Failed) -> None:
        # One call probes; others that end at the same time wait for the result.
        async with self._turn_to_probe(failed):
            self._check()
            many = self._unanswered_in_a_row >= self._endpoint.patience or self._many_wasted
            if not many and (self._has_answered or fault.reach != "refusal"):
                return
            # As private as the request, because a server may repeat an earlier request in its answer.
            probe = msgspec.structs.replace(request, messages=_PROBE, fields={})
            calls, wasted = self._unanswered_in_a_row, self._wasted_in_a_row
            in_a_row = f"{wasted} attempts" if self._many_wasted else f"{calls} calls"
            try:
                answer = await self._answer(probe, 1 if many else self._endpoint.spec.limits.attempts, failed)
                self._charge(answer, probe, failed)
            except Fault as fault_of_probe:
                met = fault_of_probe.redacted if request.private else fault_of_probe
                if met.reach == "refusal":
                    self._stop(met)
                if many:
                    text = f"{in_a_row} in a row got no answer, the last because {met.text}"
                    self._stop(Fault("model", text, advice="build again when it answers", kind=met.kind))

    @asynccontextmanager
    async def _turn_to_probe(self, failed: _Failed) -> AsyncIterator[None]:
        """Wait for the probe of another call without holding room in the budget, which that probe may wait for."""
        if self._probing.locked():
            self._context.budget.settle(failed.most_usd, 0.0)
            failed.charged = True  # the next attempt has to find room again
            try:
                await self._probing.acquire()
            finally:
                self._context.budget.hold(failed.most_usd)
        else:
            await self._probing.acquire()
        try:
            yield
        finally:
            self._probing.release()

    def _charge(self, used: Answer, request: Request, failed: _Failed) -> float | None:
        """Count the cost of an attempt without an answer: the most it can cost if the server counted no tokens.

        Returns the cost; None if it is unknown.
        """
        prices = self._who.prices
        if prices is None:
            return None
        cost, most = cost_usd(prices, used), most_usd(prices, request)
        self.meter.spend(cost, most)
        failed.usd += cost or 0.0
        failed.uncounted += cost is None
        failed.charged = True
        self._context.budget.charge((most or 0.0) if cost is None else cost)
        return cost

    @property
    def _call(self) -> CallInFlight | Unfollowed:
        """Return the call of this task, whose requests are written to disk if they have a price."""
        return Unfollowed() if self._who.prices is None else CALL.get() or Unfollowed()

    def _counted(self, answer: Answer) -> Answer:
        self._has_answered = True
        self._unanswered_in_a_row = self._wasted_in_a_row = self._broken_off_in_a_row = 0
        return answer

    def _check(self) -> None:
        """Raises UnavailableError if no new request may be sent."""
        self._limiter.check()
        if self._context.draining.is_set():
            raise UnavailableError(DRAINING)

    def _pause(self, seconds: float) -> None:
        """Send nothing for this time, and tell the user about a long pause."""
        self._limiter.pause(seconds)
        now = time.monotonic()
        if seconds >= _LONG_PAUSE and now >= self._noted_until:
            self._noted_until = now + seconds
            asks = f"endpoint {self._endpoint.spec.id!r} asks to wait {seconds:.0f} s"
            self._context.on_note(f"{asks} before the next request to {self._who.model!r}")

    def stop(self, why: str) -> None:
        """Send no more requests, and tell the user why, once. Calls in flight are finished."""
        if self._limiter.is_open:
            self._limiter.close(why)
            self._context.on_note(why)

    def _stop(self, fault: Fault) -> NoReturn:
        """Stop sending requests. Raises UnavailableError with one message for all its calls."""
        self._limiter.check()
        fault = self._endpoint.with_key(self._with_path(fault))
        place = self._endpoint.place(fault.field) if fault.field else place_of(self._context.specs, self._who, "model")
        stopped = fault.stops(f"{place}: model {self._who.model!r} at endpoint {self._endpoint.spec.id!r}")
        self.meter.stopped = self.meter.stopped or stopped
        self.meter.models_stopped += 1
        self._limiter.close(stopped)
        self._context.on_note(stopped)
        raise UnavailableError(stopped)

    def _with_path(self, fault: Fault) -> Fault:
        """Return the fault with advice about /v1, if the server does not know the path."""
        if fault.kind == "path" and not self._endpoint.versioned:
            return Fault(fault.reach, fault.text, advice="its base URL does not end in /v1, as most servers expect")
        return fault

    def _estimate(self, body: bytes, request: Request) -> int:
        most = request.decoding.max_tokens
        output = self._output_tokens if most is None else min(most, self._output_tokens)
        return len(body) // _BYTES_PER_TOKEN + round(output)

    def _note_ending(self, reason: str) -> None:
        """Tell the user once about each unknown reason for the end of an answer; an endpoint has few."""
        if reason not in self._noted_endings and len(self._noted_endings) < _MOST_ENDINGS:
            self._noted_endings.add(reason)
            ended = f"endpoint {self._endpoint.spec.id!r} ended answers of {self._who.model!r} for an unknown reason"
            self._context.on_note(f"{ended} ({reason}); they count as finished, and the records name it")

    def _learn(self, answer: Answer, dialect: Dialect, *, private: bool) -> None:
        if dialect is not self._dialect:
            self._dialect = self._dialect.joined(dialect)
        if answer.output_tokens is not None:
            self._output_tokens += (answer.output_tokens - self._output_tokens) * _MEMORY
        if answer.finish_reason:
            self._note_ending("withheld: the item is private" if private else repr(answer.finish_reason))
        if answer.served_model is not None and private not in self._noted_served:
            self._noted_served.add(private)
            # The answer to a private request may repeat it.
            served = repr(answer.served_model)
            if private:
                served = "another model (name withheld: the item is private)"
            place = place_of(self._context.specs, self._who, "model")
            asked = f"endpoint {self._endpoint.spec.id!r} was asked for {self._who.model!r}"
            self._context.on_note(f"{place}: {asked} but answered as {served}; the records name it")

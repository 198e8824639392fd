"""One endpoint in one build: its connections, its limits, and whether it goes on."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, NoReturn

from nullbench_site.evaluation.backends.base import Answer, Controls, Meter, UnavailableError
from nullbench_site.evaluation.backends.openai.address import Address, resolve
from nullbench_site.evaluation.backends.openai.backoff import MAX_RETRY_AFTER, too_long, wait_before
from nullbench_site.evaluation.backends.openai.completion import read_completion
from nullbench_site.evaluation.backends.openai.fault import Fault
from nullbench_site.evaluation.backends.openai.headers import exhausted_for, retry_after
from nullbench_site.evaluation.backends.openai.limiter import Limiter, Outcome
from nullbench_site.evaluation.backends.openai.refusals import read_error, refused
from nullbench_site.specs.places import place_of
from nullbench_site.specs.types import Endpoint

if TYPE_CHECKING:
    from nullbench_site.evaluation.backends.openai.client import Client, Reply

_DRAINING = "the build is being stopped"
_LONG_PAUSE = 30.0
"""Seconds."""


class LiveEndpoint:
    """See the module. For one event loop: make it while that runs."""

    def __init__(self, spec: Endpoint, controls: Controls) -> None:
        self.spec = spec
        self.meter = Meter(spec.id)
        self._controls = controls
        self._limiter = Limiter(spec.limits)
        self._rng = Random()  # noqa: S311 - it spreads waits
        self._halted = asyncio.Event()
        self._stopped: str | None = None
        self._address: Address | None = None
        self._client: Client | None = None
        self._told_until = 0.0
        self._lost_in_a_row = 0
        # As many calls may be lost to bad luck, one after the other, before the endpoint counts as down.
        self._patience = max(3, min(10, spec.limits.concurrency))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no message may hold."""
        return self._address.secrets if self._address else ()

    @property
    def versioned(self) -> bool:
        """Whether its base URL names a version, as /v1 does."""
        return self._address is not None and self._address.versioned

    def check(self) -> None:
        """Raises UnavailableError where no new request may be put."""
        if self._stopped is not None or self._controls.draining.is_set():
            raise UnavailableError(self._stopped or _DRAINING)

    async def attempt(self, body: bytes, model: str, tokens: int, check: Callable[[], None]) -> Answer:
        """Put one request, which will use about so many tokens, when its turn comes and if `check` still passes.

        Raises Fault, UnavailableError.
        """
        client = self._open()
        await self._limiter.acquire(tokens)
        self.meter.in_flight += 1
        outcome: Outcome = "failed"
        try:
            await self._controls.writable.wait()
            check()
            start = time.perf_counter()
            reply = await self._post(client, body)
            answer = self._read(reply, model, time.perf_counter() - start)
            outcome = "answered"
            if answer.input_tokens is not None and self.spec.limits.tokens_per_minute is not None:
                self._limiter.correct(answer.input_tokens + (answer.output_tokens or 0) - tokens)
            self._lost_in_a_row = 0
            return answer
        except Fault as fault:
            if fault.limited:
                outcome = "limited"
                self.meter.rate_limited += 1
            if fault.reach != "attempt":
                self._lost_in_a_row = 0
            elif fault.retry_after is not None:
                self._pause(fault.retry_after)
            raise
        finally:
            self.meter.in_flight -= 1
            self._limiter.release(outcome)

    async def wait(self, fault: Fault, attempt: int) -> None:
        """Wait before the attempt after number `attempt`, which met `fault`. Raises UnavailableError if that ends."""
        seconds = wait_before(attempt, self.spec.limits.first_wait, fault.retry_after, self._rng)
        self.check()
        try:
            async with asyncio.timeout(seconds):
                await self._halted.wait()
        except TimeoutError:
            self.meter.retries += 1
            return
        self.check()

    def lost(self, fault: Fault) -> None:
        """A call got no answer after all its attempts; too many in a row, and the endpoint counts as down."""
        self._lost_in_a_row += 1
        if self._lost_in_a_row >= self._patience and self._stopped is None:
            text = f"{self._lost_in_a_row} calls in a row got no answer, the last because {fault.text}"
            self._stop(Fault("endpoint", text, advice=fault.advice or "build again when it is back"))

    def stop(self, fault: Fault) -> NoReturn:
        """Put no further request. Raises UnavailableError with the one message that all its calls get."""
        if self._stopped is None:
            self._stop(fault)
        raise UnavailableError(self._stopped)

    def drain(self) -> None:
        """Let what is in flight finish, and end all waits."""
        self._limiter.close(_DRAINING)
        self._halted.set()

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def _open(self) -> Client:
        """The client, made when first needed, as are the variables read. Raises UnavailableError."""
        if self._client is None:
            try:
                self._address = resolve(self.spec, os.environ)
                from nullbench_site.evaluation.backends.openai.client import Client

                self._client = Client(self._address, self.spec)
            except Fault as fault:
                self.stop(fault)
        return self._client

    async def _post(self, client: Client, body: bytes) -> Reply:
        total = self.spec.timeouts.total
        try:
            async with asyncio.timeout(total):
                return await client.post(body)
        except TimeoutError:
            raise Fault("attempt", f"it gave no whole answer within {total:g} s") from None

    def _read(self, reply: Reply, model: str, seconds: float) -> Answer:
        now = time.time()
        used_up = exhausted_for(reply.headers, now)
        try:
            if 200 <= reply.status < 300:
                answer = read_completion(reply.body, model, seconds, self.secrets)
            else:
                raise refused(reply.status, read_error(reply.body), self.secrets)
        except Fault as fault:
            wait = retry_after(reply.headers, now)
            if wait is None and fault.limited:
                wait = used_up
            if fault.reach == "attempt" and too_long(wait):
                text, advice = f"it asks to wait {wait:.0f} s ({fault.text})", "build again after that"
                raise Fault("endpoint", text, advice=advice, limited=fault.limited, said=fault.said) from None
            fault.retry_after = wait
            raise
        if used_up is not None:
            self._pause(min(used_up, MAX_RETRY_AFTER))
        return answer

    def _pause(self, seconds: float) -> None:
        """Put nothing for so long, and tell the user where that is long enough to wonder."""
        self._limiter.pause(seconds)
        now = time.monotonic()
        if seconds >= _LONG_PAUSE and now >= self._told_until:
            self._told_until = now + seconds
            self._controls.on_note(f"endpoint {self.spec.id!r} asks for a pause of {seconds:.0f} s")

    def _stop(self, fault: Fault) -> None:
        text, advice = fault.text, fault.advice
        if fault.status == 401:
            variable = self.spec.key_env
            text = f"the key in {variable} was refused (401)" if variable else "it asks for a key (401)"
            advice = (
                "set a key it takes, then build again" if variable else "name the variable that holds it in key_env"
            )
        place = place_of(self._controls.specs, self.spec, *self._steps(fault.field))
        told = f"{place}: endpoint {self.spec.id!r} stopped: {text}"
        self._stopped = self.meter.stopped = f"{told}; {advice}" if advice else told
        self._limiter.close(self._stopped)
        self._halted.set()
        self._controls.on_note(self._stopped)

    def _steps(self, field: str | None) -> tuple[str, ...]:
        """The way to a field in the spec of the endpoint, as far as it stands there."""
        if field == "base_url" and self.spec.base_url is None:
            field = "base_url_env"
        return (field,) if field and getattr(self.spec, field) else ()

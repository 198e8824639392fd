"""One model at one endpoint: asks until there is an answer, or a reason why there is none."""

from __future__ import annotations

from nullbench_site.evaluation.backends.base import Answer, BackendError, Controls, UnavailableError
from nullbench_site.evaluation.backends.openai.dialect import Dialect
from nullbench_site.evaluation.backends.openai.fault import Fault
from nullbench_site.evaluation.backends.openai.live import LiveEndpoint
from nullbench_site.protocols.request import Request
from nullbench_site.specs.places import place_of
from nullbench_site.specs.types import Judge, ModelFile

_FIRST_GUESS = 500.0
"""Output tokens a call is thought to use before any has been seen."""
_MEMORY = 1 / 16
"""How much the newest call weighs in the running mean of output tokens."""
_BYTES_PER_TOKEN = 4


class Lane:
    """See the module; an `Asker`. who: one of those that ask it, to name a place in the specs."""

    def __init__(self, endpoint: LiveEndpoint, who: ModelFile | Judge, controls: Controls) -> None:
        self.meter = endpoint.meter
        self.concurrency = endpoint.spec.limits.concurrency
        self._endpoint = endpoint
        self._who = who
        self._controls = controls
        self._dialect = Dialect()
        self._stopped: str | None = None
        self._output_tokens = _FIRST_GUESS
        self._told_served: set[bool] = set()

    async def ask(self, request: Request) -> Answer:
        """The answer to one request. Raises BackendError, UnavailableError."""
        dialect = self._dialect
        attempt = 1
        while True:
            self._check()
            try:
                body = dialect.body(request)
                answer = await self._endpoint.attempt(body, request.model, self._estimate(body, request), self._check)
            except Fault as fault:
                if fault.kind == "filtered":
                    return Answer(text="", ended="content_filter")
                other = dialect.after(fault, request)
                if other is not None:
                    dialect = other
                    # A form is remembered once it has been answered: what was refused may have been the request.
                    self._dialect = self._dialect.joined(Dialect(limit_field=other.limit_field))
                    continue
                await self._go_on(fault, attempt, private=request.private)
                attempt += 1
                dialect = dialect.joined(self._dialect)
                continue
            self._learn(answer, dialect, private=request.private)
            return answer

    async def _go_on(self, fault: Fault, attempt: int, *, private: bool) -> None:
        """Wait for another attempt than number `attempt`, if there is to be one; raises what `ask` does otherwise.

        private: only the call's own record, which is kept apart, may have the server's words.
        """
        shown = fault.quiet if private else fault
        match fault.reach:
            case "endpoint":
                self._endpoint.stop(shown)
            case "lane":
                self._stop(shown)
                self._check()
            case "call":
                raise BackendError(fault.text) from None
            case "attempt" if attempt >= self._endpoint.spec.limits.attempts:
                self._endpoint.lost(self._with_path(shown))
                times = f"{attempt} attempts" if attempt > 1 else "1 attempt"
                raise BackendError(f"no answer after {times}; the last time, {fault.text}") from None
            case "attempt":
                await self._endpoint.wait(fault, attempt)

    def _check(self) -> None:
        if self._stopped is not None:
            raise UnavailableError(self._stopped)
        self._endpoint.check()

    def _stop(self, fault: Fault) -> None:
        if self._stopped is not None:
            return
        fault = self._with_path(fault)
        place = place_of(self._controls.specs, self._who, "model")
        told = f"{place}: model {self._who.model!r} at endpoint {self._endpoint.spec.id!r} stopped: {fault.text}"
        self._stopped = f"{told}; {fault.advice}" if fault.advice else told
        self.meter.stopped = self.meter.stopped or self._stopped
        self._controls.on_note(self._stopped)

    def _with_path(self, fault: Fault) -> Fault:
        """With the advice that helps most often where the server does not know the path."""
        if fault.kind == "path" and not self._endpoint.versioned:
            return Fault(fault.reach, fault.text, advice="its base URL has no /v1, which most servers want at its end")
        return fault

    def _estimate(self, body: bytes, request: Request) -> int:
        most = request.decoding.max_tokens
        output = self._output_tokens if most is None else min(most, self._output_tokens)
        return len(body) // _BYTES_PER_TOKEN + round(output)

    def _learn(self, answer: Answer, dialect: Dialect, *, private: bool) -> None:
        if dialect is not self._dialect:
            self._dialect = self._dialect.joined(dialect)
        if answer.output_tokens is not None:
            self._output_tokens += (answer.output_tokens - self._output_tokens) * _MEMORY
        if answer.served_model is not None and private not in self._told_served:
            self._told_served.add(private)
            # What is said of a private request may repeat it.
            served = repr(answer.served_model)
            if private:
                served = "another model (its name is withheld, as the item is private)"
            place = place_of(self._controls.specs, self._who, "model")
            asked = f"endpoint {self._endpoint.spec.id!r} was asked for {self._who.model!r}"
            self._controls.on_note(f"{place}: {asked} and answered as {served}; the records say so")

"""Makes the calls of a plan: a window of workers, each answer on disk before it counts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from nullbench_site.errors import NullbenchError
from nullbench_site.evaluation.backends.base import Answer, Backend, BackendError
from nullbench_site.evaluation.plan import Caller, JudgeCall, Target
from nullbench_site.protocols import PROTOCOLS
from nullbench_site.protocols.base import category_axes
from nullbench_site.protocols.request import Request
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Record, RecordT, Response

Outcome = Literal["made", "reused", "failed"]
WORKERS = 16
"""Targets in flight. A window, not a task a call, so memory does not grow with the plan."""


@dataclass
class Tally:
    """How the calls of this build ended."""

    made: int = 0
    reused: int = 0
    failed: int = 0

    def add(self, outcome: Outcome) -> None:
        setattr(self, outcome, getattr(self, outcome) + 1)


@dataclass
class Runner:
    """Runs targets into a folder. What the folder holds already is left alone; what is known is copied."""

    caller: Caller
    folder: RunFolder
    known: KnownCalls
    on_call: Callable[[Outcome], None] = lambda outcome: None
    tally: Tally = field(default_factory=Tally)
    _present: set[tuple[tuple[str, ...], str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        for model in self.folder.models():
            for response in self.folder.records(Response, model):
                self._note(response)
            for judgment in self.folder.records(Judgment, model):
                self._note(judgment)

    def _note(self, record: Record) -> None:
        if record.state != "errored":
            self._present.add((record.place, record.key))

    @property
    def answered(self) -> int:
        """How many calls have their answer in the folder, whenever it was given."""
        return len({place for place, _ in self._present})

    async def run(self, targets: Iterator[Target]) -> Tally:
        """Make every call of `targets`. Cancelling loses the calls in flight and nothing else.

        Raises StorageError where the disk refuses, RunError where a known answer cannot be read.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(WORKERS):
                    group.create_task(self._work(targets))
        except ExceptionGroup as failures:
            known, bugs = failures.split(NullbenchError)
            if known is None or bugs is not None:
                raise
            # A full disk stops several workers at once; one message of it is enough.
            raise known.exceptions[0] from None
        finally:
            self.folder.close()
        return self.tally

    async def _work(self, targets: Iterator[Target]) -> None:
        for target in targets:
            # Programs answer without waiting; without this a Ctrl-C would wait for the whole plan.
            await asyncio.sleep(0)
            response = await self._respond(target)
            for call in self.caller.judge_calls(target, response):
                await self._judge(target, call)

    async def _respond(self, target: Target) -> Response:
        request = self.caller.response_request(target)
        key = request.key()
        known = self.known.find(Response, key)
        if known is not None:
            return self._keep(msgspec.structs.replace(known, **_dimensions(target)), "reused")
        asked = await _ask(request, self.caller.backends[target.model.backend])
        response = Response(
            key=key,
            **_dimensions(target),
            state="errored" if asked.answer is None else "answered",
            text=asked.answer.text if asked.answer else "",
            error=asked.error,
            started_at=asked.started_at,
            seconds=asked.seconds,
            input_tokens=asked.answer.input_tokens if asked.answer else None,
            output_tokens=asked.answer.output_tokens if asked.answer else None,
        )
        return self._keep(response, "made")

    async def _judge(self, target: Target, call: JudgeCall) -> Judgment:
        key = call.request.key()
        known = self.known.find(Judgment, key)
        if known is not None:
            return self._keep(msgspec.structs.replace(known, **_dimensions(target), judge=call.judge.id), "reused")
        asked = await _ask(call.request, self.caller.backends[call.judge.backend])
        text = asked.answer.text if asked.answer else ""
        axes = category_axes(self.caller.benchmark, target.placed)
        reply = PROTOCOLS[target.board.protocol].read_reply(text, axes, gates=call.gates)
        judgment = Judgment(
            key=key,
            **_dimensions(target),
            judge=call.judge.id,
            judge_template=None,
            position=None,
            state="errored" if asked.answer is None else "scored" if reply.parsed else "unparsed",
            scores=dict(reply.scores),
            invalid=dict(reply.invalid) if asked.answer else {},
            rationale=reply.rationale,
            raw=text if reply.invalid and asked.answer else None,
            error=asked.error,
            started_at=asked.started_at,
            seconds=asked.seconds,
            input_tokens=asked.answer.input_tokens if asked.answer else None,
            output_tokens=asked.answer.output_tokens if asked.answer else None,
        )
        return self._keep(judgment, "made")

    def _keep(self, record: RecordT, outcome: Outcome) -> RecordT:
        """Put the record on disk unless it is there, and count the call."""
        if (record.place, record.key) not in self._present:
            self.folder.append(record)
            self._note(record)
        outcome = "failed" if record.state == "errored" else outcome
        self.tally.add(outcome)
        self.on_call(outcome)
        return record


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one call came to: an answer or an error, when, and after how many seconds."""

    answer: Answer | None
    error: str | None
    started_at: str
    seconds: float


async def _ask(request: Request, backend: Backend) -> _Asked:
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    start = time.perf_counter()
    answer, error = None, None
    try:
        answer = await backend.ask(request)
    except BackendError as failure:
        error = str(failure)
    return _Asked(answer, error, started_at, round(time.perf_counter() - start, 6))


def _dimensions(target: Target) -> dict[str, Any]:
    return {
        "board": target.board.id,
        "model": target.model.id,
        "item": target.placed.id,
        "template": target.template,
        "sample": target.sample,
    }

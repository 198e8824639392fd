"""Asking endpoints in tests: specs in a folder, so that messages can name places in them, and requests to put."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import yaml
from msgspec import to_builtins
from support import boards

from nullbench_site.evaluation.backends.base import BuildContext, Connection
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.endpoints.backend import OpenAIBackend
from nullbench_site.evaluation.meters import Meter
from nullbench_site.judging.calls import Answer, Message, Request
from nullbench_site.specs.types import Decoding, Endpoint, Judge, Limits, Parameter, Timeouts

T = TypeVar("T")
KEY = "sk-very-secret-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}},
    "required": ["score"],
    "additionalProperties": False,
}
Outcome = Answer | BaseException


def endpoint(
    url: str | None,
    id: str = "local",
    *,
    attempts: int = 4,
    concurrency: int = 8,
    total: float = 30.0,
    connect: float = 10.0,
    **more: Any,
) -> Endpoint:
    limits = Limits(attempts=attempts, concurrency=concurrency, first_wait=0.001)
    return Endpoint(
        id=id, base_url=url, limits=more.pop("limits", limits), timeouts=Timeouts(connect=connect, total=total), **more
    )


def judge(model: str = "m", at: str = "local") -> Judge:
    return Judge(
        id=f"{at}-{model}".replace("/", "-"), title="", description="", backend="openai", model=model, family="f",
        endpoint=at,
    )  # fmt: skip


def request(
    text: str = "Say something.",
    model: str = "m",
    *,
    schema: dict[str, Any] | None = None,
    params: Mapping[str, Parameter] | None = None,
    temperature: float | None = 0.0,
    max_tokens: int | None = None,
    logprobs: bool = False,
) -> Request:
    return Request(
        backend="openai@1", model=model, params=dict(params or {}), messages=(Message("user", text),), fields={},
        decoding=Decoding(temperature=temperature, max_tokens=max_tokens, logprobs=logprobs), sample=0,
        reply_schema=schema,
    )  # fmt: skip


def judging(text: str = "Judge this in JSON.", model: str = "m") -> Request:
    return request(text, model, schema=SCHEMA)


@dataclass
class Endpoints:
    """Endpoints as a build has them. notes: what the user was told."""

    folder: Path
    specs: tuple[Endpoint, ...]
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.joinpath("specs").mkdir(exist_ok=True)
        written = [to_builtins(spec) for spec in self.specs]
        path = self.folder / "specs" / "endpoints.yaml"
        path.write_text(yaml.safe_dump({"canary": "c", "endpoints": written}, sort_keys=False), "utf-8")
        self.context = BuildContext(self.folder / "specs", Budget(), on_note=self.notes.append)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Connection]:
        """To be used inside an event loop, once."""
        benchmark = replace(boards.benchmark(), endpoints={spec.id: spec for spec in self.specs})
        async with OpenAIBackend().connect(benchmark, self.context) as connection:
            yield connection

    def run(self, use: Callable[[Connection], Coroutine[Any, Any, T]]) -> T:
        """What `use` returns with an open connection, in an event loop of its own."""

        async def connected() -> T:
            async with self.connect() as connection:
                return await use(connection)

        return asyncio.run(connected())

    def line_of(self, text: str) -> int:
        """The line of endpoints.yaml with this text, from 1."""
        lines = (self.folder / "specs" / "endpoints.yaml").read_text("utf-8").splitlines()
        return next(number for number, line in enumerate(lines, start=1) if text in line)


@dataclass
class CallResult:
    """What came of requests to one endpoint."""

    outcomes: list[Outcome]
    notes: list[str]
    meter: Meter

    @property
    def answer(self) -> Answer:
        """Of the last request, which was answered."""
        outcome = self.outcomes[-1]
        assert isinstance(outcome, Answer), repr(outcome)
        return outcome

    @property
    def error(self) -> BaseException:
        """Of the last request, which was not."""
        outcome = self.outcomes[-1]
        assert isinstance(outcome, BaseException), repr(outcome)
        return outcome


async def outcomes_of(connection: Connection, requests: Iterable[Request], at: str = "local") -> list[Outcome]:
    """All at once."""
    asks = (connection.asker(judge(wanted.model, at)).ask(wanted) for wanted in requests)
    return list(await asyncio.gather(*asks, return_exceptions=True))


def ask(folder: Path, spec: Endpoint, *requests: Request, together: bool = False) -> CallResult:
    """Put the requests, one after the other or all at once, in a build of their own."""
    endpoints = Endpoints(folder, (spec,))

    async def put(connection: Connection) -> CallResult:
        groups = [requests] if together else [(one,) for one in requests]
        outcomes = [outcome for group in groups for outcome in await outcomes_of(connection, group, spec.id)]
        return CallResult(outcomes, endpoints.notes, connection.asker(judge("m", spec.id)).meter)

    return endpoints.run(put)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that happens elsewhere."""
    while not holds():
        await asyncio.sleep(0.001)

"""Backends for tests. They stand where the offline one does, behind the same name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.backends.base import BackendError, BuildContext
from nullbench_site.evaluation.backends.programs import Programs, ProgramsBackend
from nullbench_site.evaluation.meters import Meter
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile, Parameter


def is_judging(request: Request) -> bool:
    return request.reply_schema is not None


@dataclass
class FakeBackend:
    """The offline programs, with every request written down, and failing or answering otherwise where told to."""

    identity: str = ProgramsBackend.identity
    fails: Callable[[Request], bool] = lambda request: False
    reply: Callable[[Request, str], str] = lambda request, text: text
    asked: list[Request] = field(default_factory=list)
    chats: bool = False
    meter: Meter = field(default_factory=lambda: Meter("fake"))
    concurrency: int = 1
    contestants: frozenset[str] | None = field(default_factory=lambda: ProgramsBackend().contestants)
    judges: frozenset[str] | None = field(default_factory=lambda: ProgramsBackend().judges)

    def contestants_for(self, protocol: str) -> frozenset[str] | None:
        return None if self.contestants is None else ProgramsBackend().contestants_for(protocol)

    def judges_for(self, protocol: str) -> frozenset[str] | None:
        return None if self.judges is None else ProgramsBackend().judges_for(protocol)

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        return None if self.contestants is None else ProgramsBackend().params_problem(model, params)

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, context: BuildContext) -> AsyncIterator[FakeBackend]:
        yield self

    def asker(self, who: ModelFile | Judge) -> FakeBackend:
        return self

    async def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        if self.fails(request):
            raise BackendError(f"no answer from {request.model}: the line is dead")
        return Answer(self.reply(request, (await Programs().ask(request)).text))

    @property
    def keys(self) -> list[str]:
        return [request.key() for request in self.asked]


def use(monkeypatch: pytest.MonkeyPatch, backend: FakeBackend) -> FakeBackend:
    """Let builds of this process ask `backend`."""
    monkeypatch.setattr("nullbench_site.api.backends", lambda: {**backends(), "offline": backend})
    return backend

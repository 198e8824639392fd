"""The backend `offline`: contestants and judges that are programs. No model, no key, no network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import ModuleType

from nullbench_site.evaluation.backends.base import Answer, Backend, BackendError, Controls
from nullbench_site.evaluation.progress import Meter
from nullbench_site.protocols.request import Request
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile, Parameter

NAME = "offline"
REVISION = 1
"""Raised whenever an answer or a verdict may come out differently; part of every call key."""


class ProgramsBackend(Backend):
    """See the module."""

    identity = f"{NAME}@{REVISION}"
    chats = False

    @property
    def contestants(self) -> frozenset[str]:
        return frozenset[str]().union(*_registry().CONTESTANTS_OF.values())

    @property
    def judges(self) -> frozenset[str]:
        return frozenset[str]().union(*_registry().JUDGES_OF.values())

    def contestants_for(self, protocol: str) -> frozenset[str]:
        return frozenset(_registry().CONTESTANTS_OF.get(protocol, ()))

    def judges_for(self, protocol: str) -> frozenset[str]:
        return frozenset(_registry().JUDGES_OF.get(protocol, ()))

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Programs read their parameters before anything else, so a try on no text at all tells."""
        if model in self.judges:
            return f"unknown param {', '.join(map(repr, sorted(params)))}; judges take none" if params else None
        fields = {"task": "", "source": ""} if model in self.contestants_for("axes") else {"prompt": ""}
        try:
            _registry().answer(model, params, fields)
        except ValueError as error:
            return str(error)
        return None

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, controls: Controls) -> AsyncIterator[Programs]:
        """Programs are there at once."""
        yield Programs()


@dataclass
class Programs:
    """Every program, behind one asker: it knows from the request which of them is meant."""

    meter: Meter = field(default_factory=lambda: Meter(NAME))
    concurrency: int = 1

    def asker(self, who: ModelFile | Judge) -> Programs:
        return self

    async def ask(self, request: Request) -> Answer:
        """The program's answer. Raises BackendError where its parameters are wrong."""
        registry = _registry()
        program = registry.judge if request.model in registry.JUDGES else registry.answer
        try:
            return Answer(program(request.model, request.params, request.fields))
        except ValueError as error:
            raise BackendError(str(error)) from error


def _registry() -> ModuleType:
    """The programs, imported when first needed: their patterns take 0.1 s to compile, and most commands need none."""
    from nullbench_site.programs import registry

    return registry

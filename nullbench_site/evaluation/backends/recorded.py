"""The backend `recorded`: answers that came with an import. They are in a run; nobody can be asked for others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from nullbench_site.evaluation.backends.base import Answer, Backend, Controls, UnavailableError
from nullbench_site.evaluation.progress import Meter
from nullbench_site.protocols.request import Request
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile, Parameter

NAME = "recorded"


class RecordedBackend(Backend):
    """See the module. It has any name, for every name was somebody's."""

    identity = f"{NAME}@1"
    chats = False

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """A record is as it is."""
        return f"unknown param {', '.join(map(repr, sorted(params)))}; recorded answers take none" if params else None

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, controls: Controls) -> AsyncIterator[Records]:
        """There is nothing to open."""
        yield Records()


@dataclass
class Records:
    """The asker of everybody whose answers were imported."""

    meter: Meter = field(default_factory=lambda: Meter(NAME))
    concurrency: int = 1

    def asker(self, who: ModelFile | Judge) -> Records:
        return self

    async def ask(self, request: Request) -> Answer:
        """Raises UnavailableError, always."""
        raise UnavailableError(
            "the specs ask for answers that were not imported, and the backend 'recorded' can ask nobody; put the "
            "specs back as they were imported, import again with this version, or give those models and judges "
            "another backend"
        )

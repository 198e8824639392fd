"""The offline backend: contestants and judges that are programs. No model, no key, no network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from nullbench_site.evaluation.backends.base import Answer, BackendError, Controls, Meter
from nullbench_site.protocols.request import Request
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile, Parameter

NAME = "offline"
REVISION = 1
"""Raised whenever an answer or a verdict may come out differently; part of every call key."""


class OfflineBackend:
    """See the module."""

    identity = f"{NAME}@{REVISION}"
    chats = False

    # The programs are imported where they are needed: most commands need none.

    @property
    def contestants(self) -> frozenset[str]:
        from nullbench_site.evaluation.backends.offline.programs import CONTESTANTS_OF

        return frozenset().union(*CONTESTANTS_OF.values())

    @property
    def judges(self) -> frozenset[str]:
        from nullbench_site.evaluation.backends.offline.programs import JUDGES_OF

        return frozenset().union(*JUDGES_OF.values())

    def contestants_for(self, protocol: str) -> frozenset[str]:
        from nullbench_site.evaluation.backends.offline.programs import CONTESTANTS_OF

        return CONTESTANTS_OF.get(protocol, frozenset())

    def judges_for(self, protocol: str) -> frozenset[str]:
        from nullbench_site.evaluation.backends.offline.programs import JUDGES_OF

        return JUDGES_OF.get(protocol, frozenset())

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Programs read their parameters before anything else, so a try on no text at all tells."""
        from nullbench_site.evaluation.backends.offline.programs import answer

        if model in self.judges:
            return f"unknown param {', '.join(map(repr, sorted(params)))}; judges take none" if params else None
        try:
            answer(
                model, params, {"task": "", "source": ""} if model in self.contestants_for("axes") else {"prompt": ""}
            )
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
        from nullbench_site.evaluation.backends.offline.programs import JUDGES, RUBRIC_JUDGES, answer, judge

        program = judge if request.model in JUDGES or request.model in RUBRIC_JUDGES else answer
        try:
            return Answer(program(request.model, request.params, request.fields))
        except ValueError as error:
            raise BackendError(str(error)) from error

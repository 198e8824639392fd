"""The backend `offline`: contestants and judges that are programs. It needs no model, key or network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec

from nullbench_site import programs
from nullbench_site.evaluation.backends.base import Backend, BackendError, BuildContext
from nullbench_site.evaluation.meters import Meter
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.judging.protocol import judging
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import PROGRAMS, Judge, ModelFile, Parameter

REVISION = 4
"""Increased whenever an answer or a verdict may change; part of every call key."""


class ProgramsBackend(Backend):
    """Runs the programs of this package and of others."""

    identity = f"{PROGRAMS}@{REVISION}"
    chats = False

    @property
    def contestants(self) -> frozenset[str]:
        return programs.names("contestant")

    @property
    def judges(self) -> frozenset[str]:
        return programs.names("judge")

    def contestants_for(self, protocol: str) -> frozenset[str]:
        return programs.reading("contestant", judging(protocol).asks)

    def judges_for(self, protocol: str | None) -> frozenset[str]:
        return programs.reading("judge", () if protocol is None else judging(protocol).shows)

    def completes(self, model: str) -> bool:
        """Return True if a program reads canaries: it declares that it has seen items."""
        return programs.all_programs()[model].reads_from(("canary", "rest", "file"))

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Return the problem with the parameters of one of its programs, or None."""
        try:
            programs.all_programs()[model].read_params(params)
        except ValueError as error:
            return str(error)
        return None

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, context: BuildContext) -> AsyncIterator[Programs]:
        yield Programs()


class Programs(msgspec.Struct):
    """The single asker of all programs. The request names the program."""

    meter: Meter = msgspec.field(default_factory=lambda: Meter(PROGRAMS))
    concurrency: int = 1

    def asker(self, who: ModelFile | Judge) -> Programs:
        return self

    async def ask(self, request: Request) -> Answer:
        """Return the program's answer. Raises BackendError if its parameters are wrong."""
        try:
            return Answer(programs.reply(request.model, request.params, request.fields))
        except ValueError as error:
            raise BackendError(str(error)) from error

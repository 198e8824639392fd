"""The backends of models at endpoints: one for each API. Nothing of HTTP is imported before the first request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

import msgspec

from nullbench_site.evaluation.backends.base import DRAINING, Asker, Backend, BuildContext
from nullbench_site.evaluation.endpoints.asker import EndpointAsker
from nullbench_site.evaluation.endpoints.batch_files import BatchAsker
from nullbench_site.evaluation.endpoints.batch_service import BatchService
from nullbench_site.evaluation.endpoints.completion import Dialect
from nullbench_site.evaluation.endpoints.dialects import MessagesDialect, ResponsesDialect
from nullbench_site.evaluation.endpoints.endpoint import MOST_LARGE, OpenEndpoint
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Endpoint, Judge, ModelFile, Parameter

REVISION = 1
"""Increased whenever requests or the reading of replies change answers; part of every call key."""
_ELSEWHERE = {
    "model": "set `model` of the spec",
    "messages": "the board's template sets it",
    "temperature": "set it in `decoding`",
    "max_tokens": "set it in `decoding`",
    "max_completion_tokens": "set max_tokens in `decoding`",
    "max_output_tokens": "set max_tokens in `decoding`",
    "input": "the board's template sets it",
    "n": "set `samples` of the board",
    "response_format": "the reply schema is set automatically for judges",
    "stream": "a build reads whole answers",
    "stream_options": "a build reads whole answers",
    "tools": "a build runs no tools",
    "tool_choice": "a build runs no tools",
    "functions": "a build runs no functions",
    "function_call": "a build runs no functions",
}


class OpenAIBackend(Backend):
    """Chat completions of OpenAI, which most servers support."""

    identity = f"openai@{REVISION}"
    chats = True
    dialect = Dialect()

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Return the params that must be set elsewhere. All others are sent as fields of the request."""
        wrong = [f"param {name!r} cannot be set here; {_ELSEWHERE[name]}" for name in params if name in _ELSEWHERE]
        return "; ".join(wrong) or None

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, context: BuildContext) -> AsyncIterator[_Connection]:
        if context.endpoints is not None:  # those of another API, which share the limits
            yield _Connection(context.endpoints, self.dialect)
            return
        endpoints = context.endpoints = Endpoints(benchmark, context)
        await endpoints.start()
        draining = asyncio.create_task(endpoints.drain())
        try:
            yield _Connection(endpoints, self.dialect)
        finally:
            draining.cancel()
            await endpoints.close()


class ResponsesBackend(OpenAIBackend):
    """Responses of OpenAI, for models that have no chat completions."""

    identity = "openai-responses@1"
    dialect = ResponsesDialect()


class AnthropicBackend(OpenAIBackend):
    """Messages of Anthropic."""

    identity = "anthropic@1"
    dialect = MessagesDialect()


class _Connection(msgspec.Struct):
    """The askers of one backend."""

    endpoints: Endpoints
    dialect: Dialect

    def asker(self, who: ModelFile | Judge) -> Asker:
        return self.endpoints.asker(who, self.dialect)


class Endpoints:
    """The endpoints of one build and their askers, each made when first needed."""

    def __init__(self, benchmark: Benchmark, context: BuildContext) -> None:
        self._benchmark = benchmark
        self._context = context
        self._large = asyncio.Semaphore(MOST_LARGE)
        self._endpoints: dict[str, OpenEndpoint] = {}
        self._services: dict[str, BatchService] = {}
        self._askers: dict[tuple[type, str], Asker] = {}

    async def start(self) -> None:
        """Take up the batches that are out."""
        for spec in self._benchmark.endpoints.values():
            if spec.batch and self._context.batch is None:
                self._services[spec.id] = BatchService(self._open(spec), self._context)
                await self._services[spec.id].start()

    async def advance(self, is_known: Callable[[str], bool]) -> bool:
        """Submit the calls that were left to batches and wait until these end; see `BatchService.advance`."""
        return any(await asyncio.gather(*(each.advance(is_known) for each in self._services.values())))

    def asker(self, who: ModelFile | Judge, dialect: Dialect) -> Asker:
        """Return the asker of a contestant or judge. Each has its own: two of one model may have different params."""
        name = (type(who), who.id)
        if name not in self._askers:
            endpoint = self._open(self._benchmark.endpoint_of(who))
            calls = self._context.batch or self._services.get(endpoint.spec.id)
            self._askers[name] = (
                EndpointAsker(endpoint, who, self._context, dialect)
                if calls is None
                else BatchAsker(calls, who, endpoint.meter, dialect)
            )
        return self._askers[name]

    def _open(self, spec: Endpoint) -> OpenEndpoint:
        if spec.id not in self._endpoints:
            shared = spec.shared_by(self._context.builds)
            self._endpoints[spec.id] = OpenEndpoint(shared, self._context, self._large)
        return self._endpoints[spec.id]

    async def drain(self) -> None:
        """When the build drains, end every wait at once; calls in flight are finished."""
        await self._context.draining.wait()
        for endpoint in self._endpoints.values():
            endpoint.pool.close(DRAINING)

    async def close(self) -> None:
        for endpoint in self._endpoints.values():
            await endpoint.close()
        for calls in (self._context.batch, *self._services.values()):
            if calls is not None:
                calls.answers.close()

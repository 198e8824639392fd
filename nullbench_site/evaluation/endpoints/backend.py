"""The backend `openai`: models at servers. Nothing of HTTP is imported or opened before the first request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from nullbench_site.evaluation.backends.base import DRAINING, Backend, BuildContext
from nullbench_site.evaluation.endpoints.asker import EndpointAsker
from nullbench_site.evaluation.endpoints.endpoint import MOST_LARGE, OpenEndpoint
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile, Parameter

REVISION = 1
"""Raised whenever requests are made or replies read in another way that may change answers; part of every call key."""
_ELSEWHERE = {
    "model": "it is the spec's own `model`",
    "messages": "they come from the board's template",
    "temperature": "it belongs into `decoding`",
    "max_tokens": "it belongs into `decoding`",
    "max_completion_tokens": "it belongs into `decoding` as max_tokens",
    "n": "a board's `samples` says how often a model is asked",
    "response_format": "judges are asked with the schema of their reply",
    "stream": "answers are read as a whole",
    "stream_options": "answers are read as a whole",
    "tools": "a build runs no tools",
    "tool_choice": "no tools are offered",
    "functions": "a build runs no functions",
    "function_call": "no functions are offered",
}


class OpenAIBackend(Backend):
    """Chat completions of OpenAI, which most servers understand."""

    identity = f"openai@{REVISION}"
    chats = True

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Return which params belong elsewhere. All others are sent as fields of the request."""
        wrong = [f"param {name!r} cannot be set here; {_ELSEWHERE[name]}" for name in params if name in _ELSEWHERE]
        return "; ".join(wrong) or None

    @asynccontextmanager
    async def connect(self, benchmark: Benchmark, context: BuildContext) -> AsyncIterator[Endpoints]:
        endpoints = Endpoints(benchmark, context)
        draining = asyncio.create_task(endpoints.drain())
        try:
            yield endpoints
        finally:
            draining.cancel()
            await endpoints.close()


class Endpoints:
    """The endpoints of one build and their askers, each made when first needed; a `Connection`."""

    def __init__(self, benchmark: Benchmark, context: BuildContext) -> None:
        self._benchmark = benchmark
        self._context = context
        self._large = asyncio.Semaphore(MOST_LARGE)
        self._endpoints: dict[str, OpenEndpoint] = {}
        self._askers: dict[tuple[type, str], EndpointAsker] = {}

    def asker(self, who: ModelFile | Judge) -> EndpointAsker:
        """Return the asker of a contestant or judge. Each has its own: two of one model may have different params."""
        spec, name = self._benchmark.endpoint_of(who), (type(who), who.id)
        if spec.id not in self._endpoints:
            self._endpoints[spec.id] = OpenEndpoint(spec, self._context, self._large)
        if name not in self._askers:
            self._askers[name] = EndpointAsker(self._endpoints[spec.id], who, self._context)
        return self._askers[name]

    async def drain(self) -> None:
        """When the build drains, end every wait at once; what is in flight is finished."""
        await self._context.draining.wait()
        for endpoint in self._endpoints.values():
            endpoint.pool.close(DRAINING)

    async def close(self) -> None:
        for endpoint in self._endpoints.values():
            await endpoint.close()

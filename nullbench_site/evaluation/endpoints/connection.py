"""The endpoints of one build, and the askers of those who answer there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from nullbench_site.evaluation.backends.base import DRAINING, Connection, Controls
from nullbench_site.evaluation.endpoints.asker import EndpointAsker
from nullbench_site.evaluation.endpoints.endpoint import OpenEndpoint
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile


class Endpoints:
    """The endpoints of one build and those who ask there, each made when first asked for."""

    def __init__(self, benchmark: Benchmark, controls: Controls) -> None:
        self._benchmark = benchmark
        self._controls = controls
        self._endpoints: dict[str, OpenEndpoint] = {}
        self._askers: dict[tuple[type, str], EndpointAsker] = {}

    def asker(self, who: ModelFile | Judge) -> EndpointAsker:
        """That of a contestant or judge. Each has its own: two of one model may be asked with other params."""
        spec, name = self._benchmark.endpoint_of(who), (type(who), who.id)
        if spec.id not in self._endpoints:
            self._endpoints[spec.id] = OpenEndpoint(spec, self._controls)
        if name not in self._askers:
            self._askers[name] = EndpointAsker(self._endpoints[spec.id], who, self._controls)
        return self._askers[name]

    @property
    def opened(self) -> Collection[OpenEndpoint]:
        return self._endpoints.values()

    async def drain(self) -> None:
        """When the build drains, end every wait at once; what is in flight is finished."""
        await self._controls.draining.wait()
        for endpoint in self.opened:
            endpoint.pool.close(DRAINING)


@asynccontextmanager
async def connect(benchmark: Benchmark, controls: Controls) -> AsyncIterator[Connection]:
    """See `Backend.connect`."""
    endpoints = Endpoints(benchmark, controls)
    draining = asyncio.create_task(endpoints.drain())
    try:
        yield endpoints
    finally:
        draining.cancel()
        for endpoint in endpoints.opened:
            await endpoint.close()

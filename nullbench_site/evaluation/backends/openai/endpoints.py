"""The endpoints of one build, and the lanes of those who answer there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nullbench_site.evaluation.backends.base import Connection, Controls
from nullbench_site.evaluation.backends.openai.lane import Lane
from nullbench_site.evaluation.backends.openai.live import LiveEndpoint
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile


class Endpoints:
    """The endpoints of one build, each with its lanes, made when first asked for."""

    def __init__(self, benchmark: Benchmark, controls: Controls) -> None:
        self._benchmark = benchmark
        self._controls = controls
        self._live: dict[str, LiveEndpoint] = {}
        self._lanes: dict[tuple[type, str], Lane] = {}

    def asker(self, who: ModelFile | Judge) -> Lane:
        """That of a contestant or judge. Each has its own: two of one model may be asked with other params."""
        spec = self._benchmark.endpoint_of(who)
        live = self._live.get(spec.id)
        if live is None:
            live = self._live[spec.id] = LiveEndpoint(spec, self._controls)
        name = (type(who), who.id)
        lane = self._lanes.get(name)
        if lane is None:
            lane = self._lanes[name] = Lane(live, who, self._controls)
        return lane

    async def drain(self) -> None:
        """When the build drains, end every wait at once."""
        await self._controls.draining.wait()
        for live in self._live.values():
            live.drain()

    async def close(self) -> None:
        for live in self._live.values():
            await live.close()


@asynccontextmanager
async def connect(benchmark: Benchmark, controls: Controls) -> AsyncIterator[Connection]:
    """See `Backend.connect`."""
    endpoints = Endpoints(benchmark, controls)
    draining = asyncio.create_task(endpoints.drain())
    try:
        yield endpoints
    finally:
        draining.cancel()
        await endpoints.close()

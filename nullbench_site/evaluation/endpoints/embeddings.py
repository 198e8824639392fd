"""Embeddings of texts by a model at an endpoint that speaks /v1/embeddings."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import numpy as np

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.endpoints.endpoint import resolve
from nullbench_site.evaluation.endpoints.faults import Fault, read_error, refused
from nullbench_site.evaluation.endpoints.limiter import retry_after, wait_before
from nullbench_site.specs.types import Endpoint
from nullbench_site.stats.arrays import Floats

_PATH = "/embeddings"


class _Vector(msgspec.Struct):
    index: int
    embedding: list[float]


class _Reply(msgspec.Struct):
    data: list[_Vector]


class Embedder:
    """A model of embeddings. Use it as a context manager, which closes the connection."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint, self._model = endpoint, model
        self._runner = asyncio.Runner()
        self._client: Any = None
        self._rng = Random()  # noqa: S311 - it spreads waits

    def __enter__(self) -> Embedder:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            self._runner.run(self._client.close())
        self._runner.close()

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return (texts, dimensions) the embeddings, each of length 1. Raise UsageError if the endpoint gives none."""
        try:
            return self._runner.run(self._vectors(texts))
        except Fault as fault:
            text = f"endpoint {self._endpoint.id!r}: no embeddings of {self._model!r}: {fault.text}"
            raise UsageError(f"{text}; {fault.advice or 'run the command again'}") from None

    async def _vectors(self, texts: Sequence[str]) -> Floats:
        if self._client is None:
            address = resolve(self._endpoint, os.environ)
            from nullbench_site.evaluation.endpoints.client import Client  # noqa: PLC0415 - it imports openai, which takes most of a second

            self._client = Client(address, self._endpoint, asyncio.Semaphore())
            self._secrets = address.secrets
        body = msgspec.json.encode({"model": self._model, "input": texts})
        attempt = 1
        while True:
            try:
                return await self._attempt(body, len(texts))
            except Fault as fault:
                if fault.reach != "attempt" or attempt >= self._endpoint.limits.attempts:
                    raise
                wait = wait_before(attempt, self._endpoint.limits.first_wait, fault.retry_after, self._rng)
                await asyncio.sleep(wait)
                attempt += 1

    async def _attempt(self, body: bytes, n: int) -> Floats:
        """Make one request. Raise Fault."""
        try:
            async with asyncio.timeout(self._endpoint.timeouts.total):
                reply = await self._client.post(body, _PATH)
        except TimeoutError:
            raise Fault("attempt", f"it gave no complete answer within {self._endpoint.timeouts.total:g} s") from None
        if not 200 <= reply.status_code < 300:
            fault = refused(reply.status_code, read_error(reply.content), self._secrets)
            fault.retry_after = retry_after(reply.headers, time.time())
            raise fault
        try:
            data = sorted(msgspec.json.decode(reply.content, type=_Reply).data, key=lambda vector: vector.index)
            vectors = np.array([vector.embedding for vector in data], dtype=np.float64)
            lengths = np.sqrt(np.square(vectors).sum(axis=-1, keepdims=True))
        except (msgspec.DecodeError, ValueError):
            raise Fault("attempt", "its answer has no embeddings") from None
        if vectors.ndim != 2 or len(vectors) != n or not np.isfinite(vectors).all() or not lengths.all():
            raise Fault("attempt", f"its answer has no embedding of each of the {n} texts")
        return np.asarray(vectors / lengths)

"""The backend `openai`. Nothing of HTTP is imported or opened before the first request."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

from nullbench_site.evaluation.backends.base import Connection, Controls
from nullbench_site.evaluation.backends.openai import params as body_fields
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Parameter

REVISION = 1
"""Raised whenever requests are put or answers read in another way that may change them; part of every call key."""


class OpenAIBackend:
    """See the module."""

    identity = f"openai@{REVISION}"
    chats = True
    contestants: frozenset[str] | None = None
    judges: frozenset[str] | None = None

    def contestants_for(self, protocol: str) -> frozenset[str] | None:
        return None

    def judges_for(self, protocol: str) -> frozenset[str] | None:
        return None

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Params are further fields of the request's body; those that come from elsewhere are refused."""
        return body_fields.params_problem(params)

    def connect(self, benchmark: Benchmark, controls: Controls) -> AbstractAsyncContextManager[Connection]:
        """Everything that waits is imported here: to plan calls takes none of it."""
        from nullbench_site.evaluation.backends.openai.endpoints import connect

        return connect(benchmark, controls)

"""The backend `openai`. Nothing of HTTP is imported or opened before the first request."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

from nullbench_site.evaluation.backends.base import Backend, BuildContext, Connection
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Parameter

REVISION = 1
"""Raised whenever requests are put or answers read in another way that may change them; part of every call key."""
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
    "tools": "nobody would run them",
    "tool_choice": "no tools are offered",
    "functions": "nobody would run them",
    "function_call": "no functions are offered",
}


class OpenAIBackend(Backend):
    """See the module."""

    identity = f"openai@{REVISION}"
    chats = True

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Params are further fields of the request's body. Those that come from elsewhere are refused, any that is set
        nowhere else is the server's affair."""
        wrong = [f"param {name!r} cannot be set here; {_ELSEWHERE[name]}" for name in params if name in _ELSEWHERE]
        return "; ".join(wrong) or None

    def connect(self, benchmark: Benchmark, controls: BuildContext) -> AbstractAsyncContextManager[Connection]:
        """Everything that waits is imported here: to plan calls takes none of it."""
        from nullbench_site.evaluation.endpoints.asker import connect  # noqa: PLC0415 - to plan calls takes nothing that waits

        return connect(benchmark, controls)

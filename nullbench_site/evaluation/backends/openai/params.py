"""The params of a model or judge of this backend: further fields of the request's body."""

from __future__ import annotations

from collections.abc import Mapping

from nullbench_site.specs.types import Parameter

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


def params_problem(params: Mapping[str, Parameter]) -> str | None:
    """What is wrong with params; None where nothing is. Anything that is set nowhere else is the server's affair."""
    wrong = [f"param {name!r} cannot be set here; {_ELSEWHERE[name]}" for name in params if name in _ELSEWHERE]
    return "; ".join(wrong) or None

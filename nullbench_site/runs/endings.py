"""Why an answer ended, in the words of servers and logs, and what that means here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from nullbench_site.runs.records import Ended

_LONGEST = 100
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER = re.compile(r"[^a-z0-9]+")
_PREFIXES = ("finish_reason_", "stop_reason_", "finishreason_", "stopreason_")

_FINISHED = (
    "stop", "eos", "eos_token", "eos_token_id", "end", "end_turn", "end_of_turn", "end_of_text", "stop_sequence",
    "stop_word", "stop_words", "stop_str", "stop_token", "stop_token_id", "stopped", "complete", "completed",
    "finish", "finished", "done", "success", "endoftext", "im_end",
)  # fmt: skip
_CUT = (
    "length", "max_tokens", "max_token", "max_new_tokens", "max_output_tokens", "max_completion_tokens", "max_length",
    "model_length", "model_context_window_exceeded", "context_length", "context_length_exceeded", "context_window",
    "token_limit", "token_limit_reached", "limit", "length_capped", "error_limit", "max_tokens_reached",
    "max_context_length", "max_tokens_exceeded", "output_limit", "truncated",
)  # fmt: skip
_WITHHELD = (
    "content_filter", "content_filtered", "contentfilter", "safety", "recitation", "blocklist", "prohibited_content",
    "spii", "language", "image_safety", "image_prohibited_content", "model_armor", "sensitive", "moderation",
    "content_moderation", "guardrail_intervened", "guardrail", "guardrails", "blocked", "policy_violation",
    "content_policy_violation", "error_toxic", "flagged", "filtered", "filter", "risk_control",
)  # fmt: skip
_CALLS = ("tool_calls", "tool_call", "tool_use", "function_call", "function_calls")
_BROKEN_OFF = (
    "error", "abort", "aborted", "insufficient_system_resource", "cancelled", "canceled", "cancel", "user_cancel",
    "timeout", "network_error", "engine_overloaded", "overloaded", "internal_error", "server_error", "failed",
    "malformed_function_call", "unexpected_tool_call", "malformed_response", "too_many_tool_calls",
    "missing_thought_signature", "no_image", "pause_turn", "incomplete", "in_progress", "queued", "rate_limit",
    "deadline_exceeded", "resource_exhausted", "evicted", "preempted", "oom", "out_of_memory", "shutdown",
)  # fmt: skip
_TABLE: Mapping[str, Ended | None] = MappingProxyType({
    **dict.fromkeys(_FINISHED, "stop"), **dict.fromkeys(_CUT, "length"), **dict.fromkeys(_WITHHELD, "content_filter"),
    **dict.fromkeys(_CALLS, "tool_calls"), **dict.fromkeys(_BROKEN_OFF), "refusal": "refusal", "refused": "refusal",
})  # fmt: skip
_BROKEN_WORDS = frozenset({
    "error", "errored", "abort", "aborted", "cancel", "cancelled", "canceled", "cancellation", "timeout", "overload",
    "overloaded", "insufficient", "unavailable", "failed", "failure", "fail", "interrupted", "interrupt", "network",
    "disconnect", "disconnected", "connection", "preempted", "killed", "crash", "crashed", "exception", "exhausted",
    "malformed", "throttled", "shutdown", "deadline", "incomplete", "oom", "evicted", "terminated", "unfinished", "not",
})  # fmt: skip
_BROKEN_PAIRS = (
    frozenset({"timed", "out"}),
    frozenset({"rate", "limit"}),
    frozenset({"rate", "limited"}),
    frozenset({"time", "limit"}),
)
_WITHHELD_WORDS = frozenset(
    {"safety", "filter", "filtered", "moderation", "prohibited", "blocklist", "recitation", "guardrail", "blocked"}
)
_CUT_WORDS = (frozenset({"max", "tokens"}), frozenset({"max", "length"}), frozenset({"token", "limit"}))


class Ending(NamedTuple):
    """Why an answer ended. ended: None if the server broke it off. reason: its word, if the meaning is not known."""

    ended: Ended | None
    reason: str = ""


def ending_of(told: Any) -> Ending:
    """Return the meaning of a reason: capitals, hyphens and spaces do not matter. Without a reason it is `stop`.

    Sources of the words: the references of OpenAI, Anthropic, Gemini, Cohere, Mistral, DeepSeek, Moonshot and Bedrock,
    and the code of vLLM, SGLang, llama.cpp, Ollama and text-generation-inference.
    """
    if isinstance(told, dict):  # SGLang: {"type": "length", "length": 100}
        told = told.get("type")
    if told is None or (isinstance(told, str) and told.strip().lower() in {"", "null", "none"}):
        return Ending("stop")
    if not isinstance(told, str):
        return Ending("stop", _as_text(told))
    for name in (_name(told[: 4 * _LONGEST]), _name(told.partition(":")[0][:_LONGEST])):
        if name in _TABLE:
            return Ending(_TABLE[name])
    words = frozenset(_name(told[: 4 * _LONGEST]).split("_"))
    if words & _BROKEN_WORDS or any(each <= words for each in _BROKEN_PAIRS):
        return Ending(None)
    if words & _WITHHELD_WORDS:
        return Ending("content_filter")
    return Ending("length") if any(each <= words for each in _CUT_WORDS) else Ending("stop", told)


def _name(told: str) -> str:
    name = _OTHER.sub("_", _CAMEL.sub("_", told.strip()).lower()).strip("_")
    return next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), name)


def _as_text(told: Any) -> str:
    try:
        return json.dumps(told)
    except (RecursionError, ValueError):
        return "?"

"""Why an answer ended, in the words of servers: from their references and from reports of their users."""

from __future__ import annotations

from typing import Any

import pytest

from nullbench_site.runs.endings import Ending, ending_of

WORDS: dict[Any, list[Any]] = {
    "stop": [
        None, "", "null", "stop", "STOP", "Stop", "end_turn", "END_TURN", "EndTurn", "stop_sequence", "STOP_SEQUENCE",
        "eos", "eos_token", "COMPLETE", "completed", "FINISH_REASON_STOP", "finished", "<|im_end|>", {"type": "stop"},
    ],
    "length": [
        "length", "LENGTH", "max_tokens", "MAX_TOKENS", "MaxTokens", "max-tokens", "max_output_tokens", "model_length",
        "model_context_window_exceeded", "ERROR_LIMIT", "max_new_tokens",
        "token limit", {"type": "length", "length": 9},
    ],
    "content_filter": [
        "content_filter", "CONTENT_FILTER", "ContentFilter", "SAFETY", "RECITATION", "content_filter: RECITATION",
        "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "guardrail_intervened", "sensitive", "ERROR_TOXIC", "IMAGE_SAFETY",
    ],
    "tool_calls": ["tool_calls", "TOOL_CALLS", "function_call", "tool_use", "TOOL_CALL"],
    "refusal": ["refusal", "REFUSAL"],
    None: [
        "error", "ERROR", "abort", "aborted", "insufficient_system_resource", "cancelled", "Canceled", "USER_CANCEL",
        "timeout", "timed_out", "network_error", "engine_overloaded", "internal-error", "UPSTREAM_ERROR", "rate_limit",
        "MALFORMED_FUNCTION_CALL", "connection_closed", "resource_exhausted", "incomplete", "pause_turn",
        "not_finished",
        "failed", "the client disconnected", "server shutdown",
        "error: worker 3 died", {"type": "abort", "message": "x"},
    ],
}  # fmt: skip


@pytest.mark.parametrize(("ended", "told"), [(ended, told) for ended, words in WORDS.items() for told in words])
def test_a_reason_is_known_in_every_spelling(ended: Any, told: Any) -> None:
    assert ending_of(told) == Ending(ended)


@pytest.mark.parametrize(
    ("told", "kept"),
    [("OTHER", "OTHER"), ("repetition", "repetition"), ("FINISH_REASON_UNSPECIFIED",) * 2, (5, "5"), (True, "true"),
     ([1], "[1]"), ({"type": "moon"}, "moon"), ("\x1b[31m",) * 2, ("x" * 5_000,) * 2],
)  # fmt: skip
def test_an_unknown_reason_is_kept(told: Any, kept: str) -> None:
    assert ending_of(told) == Ending("stop", kept)

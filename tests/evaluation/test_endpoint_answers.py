"""How a chat completion is read: every way to end, to think and to count."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.endpoints import ask, endpoint, request
from support.fault_server import Canned, FaultServer, completion

from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.endpoints.completion import read_completion, same_model
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.judging.calls import Answer
from nullbench_site.runs.records import Response, encode

PARTS = [{"type": "text", "text": "One "}, {"type": "image"}, {"type": "text", "text": "text."}]
ABOUT_TAGS = "The tag <think> opens thoughts and </think> closes them."


def read(body: Any) -> Answer:
    return read_completion(body if isinstance(body, bytes) else json.dumps(body).encode(), "m", 1.0, ())


@pytest.mark.parametrize(
    ("content", "message", "read_as"),
    [
        *(("Text.", {"finish_reason": told}, ("Text.", ended, "")) for told, ended in [
            ("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("tool_calls", "tool_calls"),
            ("function_call", "tool_calls"), ("eos", "stop"), (None, "stop"), (7, "stop"),
        ]),
        (PARTS, {}, ("One text.", "stop", "")),
        ("", {}, ("", "stop", "")),
        ([], {}, ("", "stop", "")),
        ("", {"finish_reason": "length", "reasoning_content": "Let me see."}, ("", "length", "Let me see.")),
        (None, {"finish_reason": "length", "reasoning_content": "Let me see."}, ("", "length", "Let me see.")),
        ("Yes.", {"reasoning_content": "Let me see."}, ("Yes.", "stop", "Let me see.")),
        ("Yes.", {"reasoning": "Let me see."}, ("Yes.", "stop", "Let me see.")),
        ("\n<think>\nLet me see.\n</think>\n\nYes.", {}, ("Yes.", "stop", "Let me see.")),
        ("<think>Let me", {"finish_reason": "length"}, ("", "length", "Let me")),
        (ABOUT_TAGS, {}, (ABOUT_TAGS, "stop", "")),
        (None, {"refusal": "I cannot help with that."}, ("I cannot help with that.", "refusal", "")),
        (None, {"tool_calls": [{"id": "x"}]}, ("", "tool_calls", "")),
        (None, {"finish_reason": "content_filter"}, ("", "content_filter", "")),
    ],
)  # fmt: skip
def test_a_message_has_a_text_an_end_and_reasoning(
    content: Any, message: dict[str, Any], read_as: tuple[str, str, str]
) -> None:
    answer = read(completion({"model": "m"}, content, **message))
    assert (answer.text, answer.ended, answer.reasoning) == read_as


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}, (9, 4, 3)),
        *((usage, (None, None, None)) for usage in [
            None, [], "many", 7, {}, {"prompt_tokens": "9", "completion_tokens": -1, "prompt_tokens_details": 3},
            {"prompt_tokens": True, "completion_tokens": 1.5, "prompt_tokens_details": {"cached_tokens": None}},
            {"prompt_tokens": 10**30, "completion_tokens": None}, {"prompt_tokens": 10**9 + 1},
        ]),
    ],
)  # fmt: skip
def test_tokens_are_those_the_endpoint_counted_and_invalid_counts_are_none(
    usage: object, counts: tuple[int | None, int | None, int | None]
) -> None:
    answer = read({**completion({"model": "m"}, "x"), "usage": usage})
    assert (answer.input_tokens, answer.cached_input_tokens, answer.output_tokens) == counts


def test_half_a_surrogate_pair_is_replaced_so_that_it_can_be_recorded() -> None:
    answer = read(rb'{"choices": [{"message": {"content": "a\ud800b \ud83d\ude00", "reasoning": "\udfff"}}]}')
    assert (answer.text, answer.reasoning) == ("a\ufffdb \U0001f600", "\ufffd")
    encode(
        Response(
            key="k", board="b", model="m", item="i", template="t", sample=0, state="answered", text=answer.text,
            error=None, started_at="", seconds=0.0, reasoning=answer.reasoning,
        )
    )  # fmt: skip


def test_json_with_a_mark_before_it_or_nan_inside_is_read() -> None:
    assert read(b'\xef\xbb\xbf{"choices": [{"message": {"content": "x"}, "score": NaN}]}').text == "x"


def test_the_name_of_another_model_is_recorded_and_reported_once(server: FaultServer, tmp_path: Path) -> None:
    other = Canned({**completion({}, "x"), "model": "another-model"})
    server.next(other, other)
    told = ask(tmp_path, endpoint(server.url), request(), request("Another."))
    assert told.answer.served_model == "another-model"
    assert told.answer.seconds > 0
    (note,) = told.notes
    assert "endpoint 'local' was asked for 'm' but answered as 'another-model'" in note


def test_another_file_under_the_name_of_a_model_stops_the_model_and_none_of_its_answers_is_kept(
    server: FaultServer, tmp_path: Path
) -> None:
    for served in ("tiny@sha256-bbbb", "tiny@sha256-aaaa"):
        server.next(Canned({**completion({}, "x"), "model": served}))
    requests = [request(text, "tiny@sha256-aaaa") for text in ("One.", "Two.")]
    told = ask(tmp_path, endpoint(server.url), *requests)
    assert all(isinstance(outcome, UnavailableError) for outcome in told.outcomes)
    (note,) = told.notes
    assert "it serves 'tiny@sha256-bbbb', a model file with another digest; no answer of it was kept" in note


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("gpt-4.1", "gpt-4.1-2025-04-14", True), ("gpt-4", "gpt-4-0613", True), ("openai/gpt-4.1", "gpt-4.1", True),
        ("gpt-4.1", "openai/gpt-4.1-2025-04-14", True), ("claude-3-5-sonnet", "claude-3-5-sonnet-20241022", True),
        ("llama3.2", "llama3.2:latest", True), ("mistral-large-latest", "mistral-large-2411", True),
        ("Qwen/Qwen3-8B", "qwen3-8b", True), ("gemini-1.5-pro", "models/gemini-1.5-pro-002", True),
        ("gpt-4", "gpt-4.1", False), ("gpt-4.1", "gpt-4.1-mini", False), ("gpt-4", "gpt-4-turbo", False),
        ("llama3:8b", "llama3:70b", False), ("gpt-4.1-2025-04-14", "gpt-4.1-2025-08-01", False),
    ],
)  # fmt: skip
def test_snapshots_and_providers_are_the_same_model_and_other_sizes_are_not(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*"ab", "content", "refusal", "reasoning", "error", "code"]), inner, max_size=3
        )
    ),
)


@given(content=JSON, finish_reason=JSON, message=JSON, usage=JSON, error=st.none() | JSON, model=JSON)
def test_whatever_comes_is_an_answer_that_can_be_recorded_or_a_fault(**parts: Any) -> None:
    message = parts["message"] if isinstance(parts["message"], dict) else {"content": parts["content"]}
    choice = {"message": message, "finish_reason": parts["finish_reason"]}
    body = {"choices": [choice], "usage": parts["usage"], "error": parts["error"], "model": parts["model"]}
    with suppress(Fault):
        answer = read_completion(json.dumps(body).encode(), "m", 0.0, ())
        assert "".join((answer.text, answer.reasoning, str(answer.served_model))).encode() is not None


TOKEN = {"token": "m", "logprob": -0.5}


@pytest.mark.parametrize(
    ("told", "read"),
    [
        (None, None),
        ([], None),
        ({"content": None}, None),
        ({"content": []}, None),
        ({"content": ["m"]}, None),
        ({"content": [TOKEN]}, {"m": -0.5}),
        ({"content": [{"token": "M", "logprob": 0, "top_logprobs": [TOKEN, {"token": "M", "logprob": 0}]}]},
         {"M": 0.0, "m": -0.5}),
        ({"content": [{"top_logprobs": [TOKEN, {"token": 5, "logprob": -1}, {"token": "M", "logprob": "-1"}, None]}]},
         {"m": -0.5}),
        ({"content": [{**TOKEN, "top_logprobs": [{"token": "M", "logprob": 0.4}, {"bytes": [109]}]}]}, {"m": -0.5}),
        ({"content": [{"token": "x" * 500, "logprob": -1}]}, {"x" * 100: -1.0}),
    ],
)  # fmt: skip
def test_of_log_probabilities_nothing_is_read_that_is_none(told: Any, read: object) -> None:
    body = completion({"model": "m"}, "m")
    body["choices"][0]["logprobs"] = told
    assert read_completion(json.dumps(body).encode(), "m", 0.0, ()).logprobs == read


@pytest.mark.parametrize(
    ("logprobs", "confidence"),
    [
        (["-0.5"], 0.6065),
        (["-0.5", "-1.5"], 0.3679),
        (["0"], 1.0),
        (["1e-7"], 1.0),
        (["-9999.0"], 0.0),
        ([], None),
        (["-0.5", "0.4"], None),
        (["-0.5", "NaN"], None),
        (["-Infinity"], None),
        ([f"-{'9' * 400}"], None),
        (["-0.5", "true"], None),
        (["-0.5", '"-0.5"'], None),
        (["-0.5", "null"], None),
    ],
)
def test_the_confidence_is_the_geometric_mean_of_valid_token_probabilities(
    logprobs: list[str], confidence: float | None
) -> None:
    """exp(-0.5) = 0.6065, exp(-1) = 0.3679."""
    tokens = ", ".join(f'{{"token": "m", "logprob": {value}}}' for value in logprobs)
    assert confidence_in(f'{{"content": [{tokens}]}}') == confidence


@pytest.mark.parametrize("told", ["null", "[]", "5", '{"content": 5}', '{"content": [5]}', '{"content": [{}]}'])
def test_log_probabilities_in_another_form_give_no_confidence(told: str) -> None:
    assert confidence_in(told) is None


def test_an_answer_after_thoughts_or_without_a_text_has_no_confidence() -> None:
    told = '{"content": [{"token": "m", "logprob": -0.5}]}'
    assert confidence_in(told, "<think>Hm.</think>m") is None
    assert confidence_in(told, "m", reasoning="Hm.") is None
    assert confidence_in(told, "") is None


def confidence_in(logprobs: str, text: str = "m", **message: Any) -> float | None:
    body = json.dumps(completion({"model": "m"}, text, **message))
    raw = body.replace('"index": 0', f'"index": 0, "logprobs": {logprobs}').encode()
    return read_completion(raw, "m", 0.0, ()).confidence

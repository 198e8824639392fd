"""How a chat completion is read: each way to end, to think and to count, by name."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.endpoints import KEY, CallResult, ask, endpoint, request
from support.fault_server import Canned, FaultServer, completion

from nullbench_site.evaluation.endpoints.completion import read_completion, same_model
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.judging.calls import Answer
from nullbench_site.runs.records import Response, encode


def asked(server: FaultServer, folder: Path, body: Any) -> CallResult:
    """A request that gets this body."""
    server.next(Canned(body))
    return ask(folder, endpoint(server.url, attempts=1), request())


def answered(server: FaultServer, folder: Path, content: Any, **message: Any) -> Answer:
    return asked(server, folder, completion({"model": "m"}, content, **message)).answer


@pytest.mark.parametrize(
    ("told", "ended"),
    [
        ("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"), ("eos", "stop"), (None, "stop"), (7, "stop"),
    ],
)  # fmt: skip
def test_each_reason_to_end_has_its_name(told: object, ended: str, server: FaultServer, tmp_path: Path) -> None:
    answer = answered(server, tmp_path, "Some text.", finish_reason=told)
    assert (answer.text, answer.ended) == ("Some text.", ended)


def test_a_content_in_parts_is_joined(server: FaultServer, tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "One "}, {"type": "image"}, {"type": "text", "text": "text."}]
    assert answered(server, tmp_path, parts).text == "One text."


def test_an_empty_content_is_an_empty_answer(server: FaultServer, tmp_path: Path) -> None:
    for content in ("", []):
        answer = answered(server, tmp_path, content)
        assert (answer.text, answer.ended) == ("", "stop")


@pytest.mark.parametrize("content", ["", None])
def test_nothing_but_thoughts_until_the_token_limit_is_an_empty_answer(
    content: str | None, server: FaultServer, tmp_path: Path
) -> None:
    answer = answered(server, tmp_path, content, finish_reason="length", reasoning_content="Let me see.")
    assert (answer.text, answer.ended, answer.reasoning) == ("", "length", "Let me see.")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart(field: str, server: FaultServer, tmp_path: Path) -> None:
    answer = answered(server, tmp_path, "Yes.", **{field: "Let me see."})
    assert (answer.text, answer.reasoning) == ("Yes.", "Let me see.")


def test_a_think_block_is_reasoning(server: FaultServer, tmp_path: Path) -> None:
    answer = answered(server, tmp_path, "\n<think>\nLet me see.\n</think>\n\nYes.")
    assert (answer.text, answer.reasoning) == ("Yes.", "Let me see.")


def test_a_think_block_that_the_limit_cut_is_all_there_is(server: FaultServer, tmp_path: Path) -> None:
    answer = answered(server, tmp_path, "<think>Let me", finish_reason="length")
    assert (answer.text, answer.reasoning, answer.ended) == ("", "Let me", "length")


def test_a_text_about_think_blocks_is_left_alone(server: FaultServer, tmp_path: Path) -> None:
    text = "The tag <think> opens thoughts and </think> closes them."
    assert answered(server, tmp_path, text).text == text


def test_a_refusal_the_endpoint_marks_is_a_refusal(server: FaultServer, tmp_path: Path) -> None:
    answer = answered(server, tmp_path, None, refusal="I cannot help with that.")
    assert (answer.text, answer.ended) == ("I cannot help with that.", "refusal")


def test_a_tool_call_nobody_offered_has_no_text(server: FaultServer, tmp_path: Path) -> None:
    answer = answered(server, tmp_path, None, tool_calls=[{"id": "x"}])
    assert (answer.text, answer.ended) == ("", "tool_calls")


def test_null_under_a_content_filter_is_an_answer(server: FaultServer, tmp_path: Path) -> None:
    answer = answered(server, tmp_path, None, finish_reason="content_filter")
    assert (answer.text, answer.ended) == ("", "content_filter")


def test_tokens_are_those_the_endpoint_counted(server: FaultServer, tmp_path: Path) -> None:
    made = completion({"model": "m"}, "x")
    made["usage"] = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
    answer = asked(server, tmp_path, made).answer
    assert (answer.input_tokens, answer.cached_input_tokens, answer.output_tokens) == (9, 4, 3)


@pytest.mark.parametrize(
    "usage",
    [
        None, [], "many", 7, {}, {"prompt_tokens": "9", "completion_tokens": -1, "prompt_tokens_details": 3},
        {"prompt_tokens": True, "completion_tokens": 1.5, "prompt_tokens_details": {"cached_tokens": None}},
        {"prompt_tokens": 10**30, "completion_tokens": None}, {"prompt_tokens": 10**9 + 1},
    ],
)  # fmt: skip
def test_a_usage_that_makes_no_sense_counts_nothing(usage: object, server: FaultServer, tmp_path: Path) -> None:
    answer = asked(server, tmp_path, {**completion({"model": "m"}, "x"), "usage": usage}).answer
    assert (answer.input_tokens, answer.cached_input_tokens, answer.output_tokens) == (None, None, None)


def test_half_a_surrogate_pair_is_replaced_so_that_it_can_be_recorded(server: FaultServer, tmp_path: Path) -> None:
    body = rb'{"choices": [{"message": {"content": "a\ud800b \ud83d\ude00", "reasoning": "\udfff"}}]}'
    answer = asked(server, tmp_path, body).answer
    assert (answer.text, answer.reasoning) == ("a\ufffdb \U0001f600", "\ufffd")
    encode(
        Response(
            key="k", board="b", model="m", item="i", template="t", sample=0, state="answered", text=answer.text,
            error=None, started_at="", seconds=0.0, reasoning=answer.reasoning,
        )
    )  # fmt: skip


def test_a_key_that_the_server_repeats_in_its_answer_is_left_out() -> None:
    body = completion({"model": f"m{KEY}"}, f"You sent Bearer {KEY}.", reasoning=f"The key is {KEY}.")
    answer = read_completion(json.dumps(body).encode(), "m", 1.0, (KEY,))
    assert (answer.text, answer.reasoning) == ("You sent Bearer [key].", "The key is [key].")
    assert answer.served_model == "m[key]"


def test_json_with_a_mark_before_it_or_nan_inside_is_read(server: FaultServer, tmp_path: Path) -> None:
    body = b'\xef\xbb\xbf{"choices": [{"message": {"content": "x"}, "score": NaN}]}'
    assert asked(server, tmp_path, body).answer.text == "x"


def test_seconds_are_those_of_the_attempt_that_was_answered(server: FaultServer, tmp_path: Path) -> None:
    seconds = answered(server, tmp_path, "x").seconds
    assert seconds is not None
    assert seconds > 0


def test_the_name_of_another_model_is_recorded_and_told_once(server: FaultServer, tmp_path: Path) -> None:
    other = Canned({**completion({}, "x"), "model": "another-model"})
    server.next(other, other)
    told = ask(tmp_path, endpoint(server.url), request(), request("Another."))
    assert told.answer.served_model == "another-model"
    (note,) = told.notes
    assert "endpoint 'local' was asked for 'm' but answered as 'another-model'" in note


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4.1", "gpt-4.1-2025-04-14"), ("gpt-4", "gpt-4-0613"), ("openai/gpt-4.1", "gpt-4.1"),
        ("gpt-4.1", "openai/gpt-4.1-2025-04-14"), ("claude-3-5-sonnet", "claude-3-5-sonnet-20241022"),
        ("llama3.2", "llama3.2:latest"), ("mistral-large-latest", "mistral-large-2411"), ("Qwen/Qwen3-8B", "qwen3-8b"),
        ("gemini-1.5-pro", "models/gemini-1.5-pro-002"),
    ],
)  # fmt: skip
def test_snapshots_and_providers_are_the_same_model(one: str, other: str) -> None:
    assert same_model(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4", "gpt-4.1"), ("gpt-4.1", "gpt-4.1-mini"), ("gpt-4", "gpt-4-turbo"), ("llama3:8b", "llama3:70b"),
        ("gpt-4.1-2025-04-14", "gpt-4.1-2025-08-01"),
    ],
)  # fmt: skip
def test_other_sizes_and_other_snapshots_are_other_models(one: str, other: str) -> None:
    assert not same_model(one, other)


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

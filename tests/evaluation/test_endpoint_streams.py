"""Bodies with status 200 that are not one JSON object, and answers that servers broke off, in three dialects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.endpoints import ask, endpoint, request
from support.fault_server import Canned, FaultServer, completion

from nullbench_site.evaluation.backends.base import BackendError, UnavailableError
from nullbench_site.evaluation.endpoints.batch_files import BatchAnswers
from nullbench_site.evaluation.endpoints.completion import Dialect
from nullbench_site.evaluation.endpoints.dialects import MessagesDialect, ResponsesDialect
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.judging.calls import Answer

CHAT, MESSAGES, RESPONSES = Dialect(), MessagesDialect(), ResponsesDialect()
USAGE = {"prompt_tokens": 3, "completion_tokens": 2}


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def stream(*events: dict[str, Any], end: str = "\n\n", done: bool = True, before: str = "") -> str:
    lines = [f"data: {json.dumps(event)}{end}" for event in events]
    return "".join([before, *lines, f"data: [DONE]{end}" if done else ""])


def named(*events: dict[str, Any]) -> str:
    """Events with a name, as Anthropic and OpenAI's responses send them."""
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def read(body: str | bytes, dialect: Dialect = CHAT) -> Answer:
    return dialect.read(body if isinstance(body, bytes) else body.encode(), "m", 1.0, ())


ROME = (chunk(role="assistant", content=""), chunk(content="Ro"), chunk(content="me"))
WHOLE = completion({"model": "m"}, "Rome")
BODIES = {
    "stream": stream(*ROME, chunk("stop")),
    "end in the last text": stream(chunk(content="Ro"), chunk("stop", content="me")),
    "line ends of Windows": stream(*ROME, chunk("stop"), end="\r\n\r\n"),
    "no blank lines": stream(*ROME, chunk("stop"), end="\n"),
    "no space": stream(*ROME, chunk("stop")).replace("data: ", "data:"),
    "comments": stream(*ROME, chunk("stop"), before=": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n"),
    "comments between": stream(*ROME, chunk("stop")).replace("\n\n", "\n\n: ping\n\n"),
    "names and numbers": stream(*ROME, chunk("stop")).replace("data:", "event: message\nid: 1\nretry: 9\ndata:"),
    "two choices": stream(*ROME, {"choices": [{"index": 1, "delta": {"content": "Oslo"}}]}, chunk("stop")),
    "capitals": stream(*ROME, chunk("STOP")),
    "empty reasons until the end": stream(chunk("", content="Ro"), chunk("", content="me"), chunk("stop")),
    "the whole in one event": stream(WHOLE),
    "the whole so far": stream(completion({"model": "m"}, "Ro", finish_reason=None), WHOLE),
    "JSON lines": "\n".join(map(json.dumps, (*ROME, chunk("stop")))),
    "one chunk": json.dumps(chunk("stop", content="Rome")),
    "comments before JSON": ": keep-alive\n\n: keep-alive\r\n\n" + json.dumps(WHOLE, indent=2),
    "blank lines before JSON": " \n\n\t\n" + json.dumps(WHOLE),
    "an end of a stream after JSON": json.dumps(WHOLE) + "\n\ndata: [DONE]\n\n",
    "byte order mark": b"\xef\xbb\xbf" + json.dumps(WHOLE).encode(),
    "byte order mark and comments": b"\xef\xbb\xbf: hi\n\n" + json.dumps(WHOLE).encode(),
    "thinking over chunks": stream(chunk(content="<thi"), chunk(content="nk>Oslo?</th"), chunk(content="ink>Rome"),
                                   chunk("stop")),
    "thinking apart": stream(chunk(reasoning_content="Os"), chunk(reasoning_content="lo?"),
                             chunk(content="Rome", reasoning_content=None), chunk("stop")),
    "thinking in parts": stream(*(chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": said}]}])
                                  for said in ("Os", "lo?")), chunk(content="Rome"), chunk("stop")),
    "thinking in details": stream(chunk(reasoning="Oslo?", reasoning_details=[{"type": "reasoning.text", "text":
                                  "Oslo?"}]), chunk("stop", content="Rome")),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_stream_or_comments_are_read_as_the_same_answer(name: str) -> None:
    answer = read(BODIES[name])
    assert (answer.text, answer.ended) == ("Rome", "stop")
    assert answer.reasoning == ("Oslo?" if name.startswith("thinking") else "")


@pytest.mark.parametrize(
    "last",
    [
        {"choices": [], "usage": USAGE},
        {"choices": [], "x_groq": {"usage": USAGE}},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": USAGE}]},
    ],
)
def test_the_tokens_of_a_stream_are_those_that_its_end_counts(last: dict[str, Any]) -> None:
    answer = read(stream(*ROME, chunk("stop"), last))
    assert (answer.input_tokens, answer.output_tokens) == (3, 2)


MESSAGE = (
    {"type": "message_start", "message": {"model": "m", "content": [], "usage": {"input_tokens": 7}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Oslo?"}},
    {"type": "ping"},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Rome"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
)
ITEM = {"type": "message", "content": [{"type": "output_text", "text": "Rome"}]}
THOUGHT = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Oslo?"}]}
RESPONSE = {"model": "m", "status": "completed", "output": [THOUGHT, ITEM], "usage": {"input_tokens": 7,
            "output_tokens": 9}}  # fmt: skip
BEGUN = {"type": "response.created", "response": {"model": "m", "status": "in_progress", "output": []}}


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        (MESSAGES, named(*MESSAGE)),
        (MESSAGES, named(*MESSAGE[:-1])),
        (RESPONSES, named(BEGUN, {"type": "response.output_text.delta", "delta": "Ro"},
                          {"type": "response.completed", "response": RESPONSE})),
        (RESPONSES, named(BEGUN, *({"type": "response.output_item.done", "item": each} for each in (THOUGHT, ITEM)),
                          {"type": "response.completed", "response": {**RESPONSE, "output": []}})),
    ],
)  # fmt: skip
def test_streams_of_other_dialects_are_read(dialect: Dialect, body: str) -> None:
    answer = read(body, dialect)
    assert (answer.text, answer.reasoning, answer.ended) == ("Rome", "Oslo?", "stop")
    assert (answer.input_tokens, answer.output_tokens) == (7, 9)


def of_anthropic(stop: str | None) -> str:
    content = [{"type": "text", "text": "Ro"}]
    return json.dumps({"content": content, "stop_reason": stop, "model": "m", "usage": {"output_tokens": 2}})


def of_responses(status: str, reason: str | None = None) -> str:
    details = None if reason is None else {"reason": reason}
    return json.dumps({**RESPONSE, "status": status, "incomplete_details": details})


CUT = "stream interrupted before its finish reason"


@pytest.mark.parametrize(
    ("dialect", "body", "why"),
    [
        *((CHAT, json.dumps(completion({"model": "m"}, "Ro", finish_reason=told)), told) for told in (
            "error", "abort", "insufficient_system_resource", "network_error", "ABORT",
        )),
        (CHAT, stream(*ROME), CUT),
        (CHAT, stream(*ROME, done=False), CUT),
        (CHAT, stream(*ROME, done=False) + 'data: {"id": "c", "choi', CUT),
        (CHAT, json.dumps(chunk(content="Rome")), CUT),
        (CHAT, stream(*ROME, chunk("abort")), "abort"),
        *((MESSAGES, of_anthropic(told), told) for told in ("error", "cancelled", "pause_turn", "timeout")),
        (MESSAGES, named(*MESSAGE[:-2]), CUT),
        *((RESPONSES, of_responses(told), told) for told in (
            "failed", "cancelled", "in_progress", "queued", "incomplete",
        )),
        (RESPONSES, of_responses("incomplete", "server_error"), "server_error"),
        (RESPONSES, named({**BEGUN, "response": {**RESPONSE, "status": "in_progress"}}), CUT),
    ],
)  # fmt: skip
def test_an_answer_that_the_server_broke_off_is_not_finished(dialect: Dialect, body: str, why: str) -> None:
    with pytest.raises(Fault) as caught:
        read(body, dialect)
    assert (caught.value.reach, caught.value.text) == ("attempt", f"it broke its answer off: {why}")
    assert caught.value.may_cost(200)


@pytest.mark.parametrize(
    ("dialect", "body", "why"),
    [
        (CHAT, stream(*ROME, {"error": {"code": 502, "message": "It is gone"}}), "it answered 502: It is gone"),
        (CHAT, stream({"object": "error", "message": "No memory", "code": 500}), "it answered 500: No memory"),
        (MESSAGES, named(*MESSAGE[:3], {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}),
         "it answered 500: Busy"),
        (RESPONSES, named({"type": "error", "code": "server_error", "message": "Boom"}), "it answered 500: Boom"),
        (CHAT, "data: [DONE]\n\n", "it answered 200 without a choice"),
        (CHAT, ": ping\n\n: ping\n\n", "it answered 200 without JSON, or with truncated JSON"),
        (CHAT, json.dumps(WHOLE)[:80], "it answered 200 without JSON, or with truncated JSON"),
        (CHAT, json.dumps(completion({"model": "m"}, "", finish_reason="OTHER")),
         "it answered without text, for an unknown reason: OTHER"),
    ],
)  # fmt: skip
def test_errors_within_a_stream_are_those_of_the_server(dialect: Dialect, body: str, why: str) -> None:
    with pytest.raises(Fault) as caught:
        read(body, dialect)
    assert (caught.value.reach, caught.value.text) == ("attempt", why)


@pytest.mark.parametrize(
    ("dialect", "body", "ended", "reason"),
    [
        (CHAT, json.dumps(completion({"model": "m"}, "Rome", finish_reason="MAX_TOKENS")), "length", ""),
        (CHAT, json.dumps(completion({"model": "m"}, None, finish_reason="SAFETY")), "content_filter", ""),
        (CHAT, json.dumps(completion({"model": "m"}, "Rome", finish_reason="END_TURN")), "stop", ""),
        (CHAT, json.dumps(completion({"model": "m"}, "Rome", finish_reason="OTHER")), "stop", "OTHER"),
        (MESSAGES, of_anthropic("MAX_TOKENS"), "length", ""),
        (MESSAGES, of_anthropic("tired"), "stop", "tired"),
        (MESSAGES, of_anthropic(None), "stop", ""),
        (RESPONSES, of_responses("incomplete", "MAX_OUTPUT_TOKENS"), "length", ""),
        (RESPONSES, of_responses("resting"), "stop", "resting"),
    ],
)
def test_capitals_mean_the_same_and_an_unknown_reason_is_kept(
    dialect: Dialect, body: str, ended: str, reason: str
) -> None:
    answer = read(body, dialect)
    assert (answer.ended, answer.finish_reason) == (ended, reason)


@pytest.mark.parametrize(
    "message",
    [
        {"content": "<think>Oslo?</think>Rome"}, {"content": "Rome", "reasoning_content": "Oslo?"},
        {"content": "<think>Oslo?</think>Rome", "reasoning_content": "Oslo?"},
        {"content": None, "reasoning_content": "Oslo?\n</think>\n\nRome"},
        {"content": "", "reasoning": "Oslo?</think>Rome"}, {"content": "\n\nRome", "reasoning_content": "\nOslo?\n"},
        {"content": "Rome", "reasoning_content": "<think>\nOslo?"},
        {"content": "Rome", "reasoning": "<think>Oslo?</think>"},
        {"content": [{"type": "reasoning", "text": "Oslo?"}, {"type": "text", "text": "Rome"}]},
        {"content": "[THINK]Oslo?[/THINK]Rome"}, {"content": "Rome", "reasoning_details": [{"summary": "Oslo?"}]},
    ],
)  # fmt: skip
def test_a_record_keeps_the_thinking_apart_whatever_its_form(message: dict[str, Any]) -> None:
    answer = read(json.dumps(completion({"model": "m"}, message.pop("content"), **message)))
    assert (answer.text, answer.reasoning) == ("Rome", "Oslo?")


def test_a_batch_reads_answers_as_a_server_does(tmp_path: Path) -> None:
    asked = {name: request(name) for name in ("think", "abort")}
    said = {"think": completion({}, "Oslo?</think>Rome"), "abort": completion({}, "Ro", finish_reason="abort")}
    lines = [{"custom_id": asked[name].key(), "response": {"status_code": 200, "body": said[name]}} for name in asked]
    file = tmp_path / "results.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    answers = BatchAnswers([file])
    answer = answers.answer(asked["think"], CHAT)
    assert answer is not None
    assert (answer.text, answer.reasoning) == ("Rome", "Oslo?")
    with pytest.raises(Fault, match="broke its answer off: abort"):
        answers.answer(asked["abort"], CHAT)
    answers.close()


def test_a_broken_answer_is_requested_again_and_fails_alone_after_all_attempts(
    server: FaultServer, tmp_path: Path
) -> None:
    cut = Canned(completion({"model": "m"}, "Ro", finish_reason="abort"))
    server.next(cut, cut, "ok")
    spec = endpoint(server.url, attempts=3, concurrency=1)
    assert ask(tmp_path, spec, request()).meter.retries == 2
    server.always["m"] = cut
    asked = [request(f"Question {number}?") for number in range(4)]
    outcomes = ask(tmp_path, spec, *asked).outcomes
    assert [type(outcome) for outcome in outcomes] == [BackendError] * 4
    assert str(outcomes[0]) == "no answer after 3 attempts; the last time, it broke its answer off: abort"


def test_a_model_that_breaks_off_every_answer_is_stopped_in_the_end(server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = Canned(completion({"model": "m"}, "Ro", finish_reason="error"))
    spec = endpoint(server.url, attempts=1, concurrency=1)
    outcomes = ask(tmp_path, spec, *(request(f"Question {number}?") for number in range(20))).outcomes
    assert isinstance(outcomes[-1], UnavailableError)
    assert len(server.seen) < 15


def test_the_user_is_told_once_of_an_unknown_reason(server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = Canned(completion({"model": "m"}, "Rome", finish_reason="moonrise"))
    made = ask(tmp_path, endpoint(server.url), request("One?"), request("Two?"))
    assert made.answer.finish_reason == "moonrise"
    (note,) = made.notes
    assert "for an unknown reason ('moonrise')" in note

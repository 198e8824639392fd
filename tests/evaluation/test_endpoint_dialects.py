"""Conversations with vendors, scripted from the pages of their documentation. No vendor was called.

Anthropic: platform.claude.com/docs/en/api/messages/create, .../build-with-claude/structured-outputs, .../api/errors,
.../api/versioning.
OpenAI: developers.openai.com/api/reference/resources/responses/methods/create, .../api/docs/guides/structured-outputs.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support import boards
from support.endpoints import SCHEMA, Endpoints, endpoint, judging, outcomes_of, request
from support.fault_server import Canned, FaultServer

from nullbench_site.evaluation.backends.base import BackendError, UnavailableError
from nullbench_site.evaluation.endpoints.backend import AnthropicBackend, OpenAIBackend, ResponsesBackend
from nullbench_site.judging.calls import Answer, Message, Request

KEY = "sk-of-this-test-only"


def message(text: str | None = "Yes.", stop: str = "end_turn", **more: Any) -> Canned:
    """A reply of Anthropic."""
    content = [] if text is None else [{"type": "text", "text": text}]
    used = {"input_tokens": 10, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 4}
    return Canned(
        {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": stop, "stop_sequence": None, "usage": used, **more,
        }
    )  # fmt: skip


def response(*parts: dict[str, Any], status: str = "completed", **more: Any) -> Canned:
    """A reply of OpenAI's responses."""
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": status, "content": list(parts)}
    used = {"input_tokens": 15, "input_tokens_details": {"cached_tokens": 3}, "output_tokens": 4}
    made = {"id": "resp_1", "object": "response", "model": "m", "status": status, "output": [said], "usage": used}
    return Canned({**made, **more})


def text(said: str = "Yes.", **more: Any) -> dict[str, Any]:
    return {"type": "output_text", "text": said, "annotations": [], **more}


def conversation(
    backend: OpenAIBackend, server: FaultServer, folder: Path, wanted: Request, *replies: Any, **spec: Any
) -> Any:
    """The answer to a request, or why there is none, when the server replies so."""
    server.next(*replies)
    endpoints = Endpoints(folder, (endpoint(server.url, **spec),))

    async def run() -> Any:
        benchmark = replaced(boards.benchmark(), endpoints={spec.id: spec for spec in endpoints.specs})
        async with backend.connect(benchmark, endpoints.context) as connection:
            return (await outcomes_of(connection, [wanted]))[0]

    return asyncio.run(run())


ANTHROPIC, RESPONSES = AnthropicBackend(), ResponsesBackend()
ASKED = request(max_tokens=50, params={"top_p": 0.5})


def test_a_message_is_sent_with_anthropics_headers_and_fields(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY_OF_TEST", KEY)
    wanted = replace(ASKED, messages=(Message("system", "Be brief."), *ASKED.messages), reply_schema=SCHEMA)
    older = {"key_env": "KEY_OF_TEST", "headers": {"anthropic-version": "2023-06-01"}}
    answer = conversation(ANTHROPIC, server, tmp_path, wanted, message(f"{KEY}."), **older)
    seen = server.seen[0]
    assert seen.path == "/v1/messages"
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert seen.headers["anthropic-version"] == "2023-06-01"
    assert not [name for name in seen.headers if name.lower().startswith(("x-stainless", "x-api-key"))]
    assert seen.body == {
        "model": "m", "max_tokens": 50, "temperature": 0.0, "top_p": 0.5, "system": "Be brief.",
        "messages": [{"role": "user", "content": "Say something."}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }  # fmt: skip
    assert answer.text == "[key].", "no answer contains the key"
    assert (answer.input_tokens, answer.cached_input_tokens, answer.output_tokens) == (15, 3, 4)


def test_a_response_is_asked_for_with_openais_fields(server: FaultServer, tmp_path: Path) -> None:
    wanted = replace(ASKED, reply_schema=SCHEMA, top_logprobs=5)
    top = {"token": "Y", "logprob": -0.1, "bytes": [89], "top_logprobs": [{"token": "N", "logprob": -2.5}]}
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Think."}]}
    reply = response(text(logprobs=[top]))
    reply.body["output"].insert(0, thought)
    answer = conversation(RESPONSES, server, tmp_path, wanted, reply)
    assert server.seen[0].path == "/v1/responses"
    assert server.seen[0].body == {
        "model": "m", "max_output_tokens": 50, "temperature": 0.0, "top_p": 0.5, "store": False,
        "input": [{"role": "user", "content": "Say something."}],
        "text": {"format": {"type": "json_schema", "name": "reply", "strict": True, "schema": SCHEMA}},
        "include": ["message.output_text.logprobs"], "top_logprobs": 5,
    }  # fmt: skip
    assert (answer.text, answer.reasoning, answer.logprobs) == ("Yes.", "Think.", {"Y": -0.1, "N": -2.5})
    assert (answer.input_tokens, answer.cached_input_tokens, answer.output_tokens) == (15, 3, 4)


@pytest.mark.parametrize(
    ("backend", "reply", "expected"),
    [
        (ANTHROPIC, message("Cut", "max_tokens"), ("Cut", "length")),
        (ANTHROPIC, message("I cannot.", "refusal"), ("I cannot.", "refusal")),
        (ANTHROPIC, message(None, "refusal"), ("", "content_filter")),
        (RESPONSES, response(text("Cut"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
         ("Cut", "length")),
        (RESPONSES, response(text(""), status="incomplete", incomplete_details={"reason": "content_filter"}),
         ("", "content_filter")),
        (RESPONSES, response({"type": "refusal", "refusal": "I cannot."}), ("I cannot.", "refusal")),
    ],
)  # fmt: skip
def test_how_an_answer_ended_is_read(
    backend: OpenAIBackend, reply: Canned, expected: tuple[str, str], server: FaultServer, tmp_path: Path
) -> None:
    answer = conversation(backend, server, tmp_path, ASKED, reply)
    assert (answer.text, answer.ended) == expected


def refusal(status: int, kind: str, said: str) -> Canned:
    """An error of Anthropic, in its form."""
    return Canned({"type": "error", "error": {"type": kind, "message": said}, "request_id": "req_1"}, status)


@pytest.mark.parametrize(
    ("backend", "wanted", "replies", "kind", "why"),
    [
        (ANTHROPIC, ASKED, [refusal(529, "overloaded_error", "Overloaded"), message()], Answer, "Yes."),
        (ANTHROPIC, ASKED, [refusal(429, "rate_limit_error", "slow down"), message()], Answer, "Yes."),
        (ANTHROPIC, ASKED, [message(None), message()], Answer, "Yes."),
        (ANTHROPIC, replace(judging(), decoding=ASKED.decoding),
         [refusal(400, "invalid_request_error", "output_config.format is not supported"), message('{"score": 3}')],
         Answer, '{"score": 3}'),
        (ANTHROPIC, ASKED, [refusal(400, "invalid_request_error", "prompt is too long"), message()], BackendError,
         "the request is too long for the model"),
        (ANTHROPIC, ASKED, [refusal(401, "authentication_error", "invalid x-api-key")], UnavailableError,
         "it requires a key (401)"),
        (ANTHROPIC, ASKED, [refusal(404, "not_found_error", "model: m")] * 2, UnavailableError, "model: m"),
        (ANTHROPIC, ASKED, [refusal(400, "invalid_request_error", "temperature: Extra inputs are not permitted")] * 2,
         UnavailableError, "set `temperature: null` in its decoding"),
        (ANTHROPIC, request(), [], UnavailableError, "add max_tokens to its decoding"),
        (RESPONSES, ASKED, [Canned({"error": {"message": "x", "code": "server_error"}}, 500), response(text())], Answer,
         "Yes."),
        (RESPONSES, ASKED, [response(status="failed", output=[], error={"code": "server_error", "message": "failed"}),
                            response(text())], Answer, "Yes."),
        (RESPONSES, ASKED, [Canned([]), response(text())], Answer, "Yes."),
    ],
)  # fmt: skip
def test_faults_of_vendors_are_handled_as_those_of_other_endpoints(  # noqa: PLR0917 - the columns of the table
    backend: OpenAIBackend,
    wanted: Request,
    replies: list[Canned],
    kind: type,
    why: str,
    server: FaultServer,
    tmp_path: Path,
) -> None:
    outcome = conversation(backend, server, tmp_path, wanted, *replies, "401")
    assert isinstance(outcome, kind), repr(outcome)
    assert why in (outcome.text if isinstance(outcome, Answer) else str(outcome))

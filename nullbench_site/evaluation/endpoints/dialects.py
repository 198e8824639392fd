"""The forms of requests and replies of APIs other than chat completions: OpenAI's responses, Anthropic's messages.

A reply is read as the chat completion that says the same.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec
from msgspec.structs import replace

from nullbench_site.evaluation.endpoints.completion import (
    NO_FORMAT,
    SCHEMA,
    Choice,
    Completion,
    Dialect,
    as_count,
    decoded,
    read,
)
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.evaluation.endpoints.streams import message_of, response_of
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.thinking import Content, content_of


class _Output(msgspec.Struct):
    """A part of the output of a response."""

    type: Any = None
    content: Any = None
    summary: Any = None


class _Response(msgspec.Struct):
    output: list[_Output] | None = None
    status: Any = None
    incomplete_details: Any = None
    usage: Any = None
    model: Any = None
    error: Any = None


class ResponsesDialect(Dialect, frozen=True):
    """OpenAI's responses (developers.openai.com/api/reference/resources/responses/methods/create)."""

    url: ClassVar[Literal["/v1/responses"]] = "/v1/responses"

    def body(self, request: Request) -> bytes:
        """Return the JSON to send. The vendor is asked not to store the response."""
        body: dict[str, Any] = {**request.params, "model": request.model, "input": request.messages, "store": False}
        if request.decoding.temperature is not None:
            body["temperature"] = request.decoding.temperature
        if request.decoding.max_tokens is not None:
            body["max_output_tokens"] = request.decoding.max_tokens
        if request.reply_schema is not None and self.form != NO_FORMAT:
            schema = {"type": "json_schema", "name": "reply", "strict": True, "schema": request.reply_schema}
            body["text"] = {"format": schema if self.form == SCHEMA else {"type": "json_object"}}
        if self.logprobs and (request.decoding.logprobs or request.top_logprobs is not msgspec.UNSET):
            body["include"] = ["message.output_text.logprobs"]
            if request.top_logprobs is not msgspec.UNSET:
                body["top_logprobs"] = request.top_logprobs
        return msgspec.json.encode(body)

    def read(self, body: bytes, asked_model: str, seconds: float, secrets: tuple[str, ...]) -> Answer:
        """Return the answer in a reply. Raises Fault."""
        response = decoded(body, _Response, "a response", join=response_of)
        outputs = response.output or []
        parts = [part for output in outputs if output.type == "message" for part in _parts(output.content)]
        thoughts = [output for output in outputs if output.type == "reasoning"]
        details = response.incomplete_details
        why = details.get("reason") if isinstance(details, dict) and response.status == "incomplete" else None
        message = {
            "content": parts or None,
            "reasoning": [_parts(output.summary) or _parts(output.content) for output in thoughts],
            "tool_calls": any(output.type == "function_call" for output in outputs),
        }
        logprobs = {"content": [each for part in parts for each in _parts(_mapping(part).get("logprobs"))]}
        choice = Choice(message, why or response.status, logprobs)
        usage = response.usage if isinstance(response.usage, dict) else {}
        used = {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details"),
        }
        return read(
            Completion([choice] if outputs else None, used, response.model, response.error),
            asked_model,
            seconds,
            secrets,
        )


class _Message(msgspec.Struct):
    content: Any = None
    stop_reason: Any = None
    usage: Any = None
    model: Any = None
    error: Any = None


class MessagesDialect(Dialect, frozen=True):
    """Anthropic's messages (platform.claude.com/docs/en/api/messages/create).

    The form of a reply follows platform.claude.com/docs/en/build-with-claude/structured-outputs. The API returns no log
    probabilities, and from version 2026-10-21 it takes no temperature (platform.claude.com/docs/en/api/versioning).
    """

    sdk: ClassVar[Literal["anthropic"]] = "anthropic"
    path: ClassVar[str] = "/messages"
    logprobs: bool = False

    def body(self, request: Request) -> bytes:
        """Return the JSON to send. Raises Fault if the limit on the output is missing, which the API requires."""
        if request.decoding.max_tokens is None:
            raise Fault("model", "it requires a limit on the output", advice="add max_tokens to its decoding")
        system = "\n\n".join(message.content for message in request.messages if message.role == "system")
        body: dict[str, Any] = {
            **request.params,
            "model": request.model,
            "messages": [message for message in request.messages if message.role != "system"],
            "max_tokens": request.decoding.max_tokens,
            **({"system": system} if system else {}),
        }
        if request.decoding.temperature is not None:
            body["temperature"] = request.decoding.temperature
        if request.reply_schema is not None and self.form == SCHEMA:
            format_ = {"type": "json_schema", "schema": request.reply_schema}
            body["output_config"] = {**_mapping(body.get("output_config")), "format": format_}
        return msgspec.json.encode(body)

    def after(self, fault: Fault, request: Request) -> Dialect | None:
        """Return the dialect without a schema, which it has in common with models that support none."""
        other = super().after(fault, request)
        return None if other is None else replace(other, form=NO_FORMAT)

    def read(self, body: bytes, asked_model: str, seconds: float, secrets: tuple[str, ...]) -> Answer:
        """Return the answer in a reply. Raises Fault."""
        reply = decoded(body, _Message, "a message", join=message_of)
        said = content_of(reply.content) or Content(None)
        text = said.text or (None if reply.stop_reason in (None, "end_turn") else "")
        message = {"content": text, "reasoning": said.thinking, "tool_calls": reply.stop_reason == "tool_use"}
        usage = _mapping(reply.usage)
        # Input tokens are those after the last breakpoint of the cache.
        cached = as_count(usage.get("cache_read_input_tokens")) or 0
        fresh, written = as_count(usage.get("input_tokens")), as_count(usage.get("cache_creation_input_tokens")) or 0
        used = {
            "prompt_tokens": None if fresh is None else fresh + written + cached,
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        choices = None if reply.content is None else [Choice(message, reply.stop_reason)]
        return read(Completion(choices, used, reply.model, reply.error), asked_model, seconds, secrets)


def _parts(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

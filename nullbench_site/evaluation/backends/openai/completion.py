"""Reading a chat completion: nothing in it is trusted to be what it should be."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from nullbench_site.evaluation.backends.base import Answer
from nullbench_site.evaluation.backends.openai.fault import Fault
from nullbench_site.evaluation.backends.openai.refusals import error_object, refused
from nullbench_site.evaluation.backends.openai.served import same_model
from nullbench_site.evaluation.backends.openai.texts import received, received_line
from nullbench_site.runs.records import Ended

_ENDED: dict[str, Ended] = {
    "stop": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
}
_MOST_TOKENS = 10**9
"""A thousand times what models take. What is larger is a mistake; a thousand of 2**53 are more than 64 bits hold."""
_OPEN, _CLOSE = "<think>", "</think>"


class _Message(msgspec.Struct):
    content: Any = None
    refusal: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: Any = None
    function_call: Any = None


class _Choice(msgspec.Struct):
    message: _Message | None = None
    finish_reason: Any = None
    error: Any = None


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: Any = None
    model: Any = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Completion)


def read_completion(body: bytes, asked_model: str, seconds: float, secrets: tuple[str, ...]) -> Answer:
    """The answer in a body that came with status 200 after so many seconds, without the secrets that it repeats.

    Raises Fault where there is none.
    """
    completion = _decoded(body)
    choice = completion.choices[0] if completion.choices else None
    error = completion.error or (choice.error if choice else None)
    if error:
        told = error_object(error)
        raise refused(told.status, told, secrets)
    if choice is None or choice.message is None:
        raise Fault("attempt", "it answered 200 without a choice")
    message = choice.message
    text, reasoning, ended = _read(message, choice.finish_reason)
    usage = completion.usage if isinstance(completion.usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    return Answer(
        text=received(text, secrets),
        input_tokens=_count(usage.get("prompt_tokens")),
        cached_input_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else None,
        output_tokens=_count(usage.get("completion_tokens")),
        seconds=seconds,
        ended=ended,
        reasoning=received(reasoning, secrets),
        served_model=_another(completion.model, asked_model, secrets),
    )


def _another(served: Any, asked: str, secrets: tuple[str, ...]) -> str | None:
    """The name of the model that answered, where it is not the one that was asked."""
    if not isinstance(served, str) or served == asked:
        return None
    name = received_line(served, secrets)
    return name if name and not same_model(asked, name) else None


def _decoded(body: bytes) -> _Completion:
    try:
        return _decoder.decode(body)
    except (ValueError, RecursionError):
        pass
    # Python's reader takes halves of surrogate pairs, byte order marks and NaN, which msgspec refuses.
    try:
        return msgspec.convert(json.loads(body), _Completion)
    except UnicodeDecodeError:
        raise Fault("attempt", "it answered 200 with bytes that are not UTF-8") from None
    except msgspec.ValidationError:
        raise Fault("attempt", "it answered 200 with JSON that is no chat completion") from None
    except (ValueError, RecursionError):
        if body.lstrip()[:1] == b"<":
            raise Fault("attempt", "it answered 200 with a web page", kind="path") from None
        raise Fault("attempt", "it answered 200 with no JSON, or JSON cut short") from None


def _read(message: _Message, finish_reason: Any) -> tuple[str, str, Ended]:
    """Text, reasoning and end of a message."""
    ended = _ENDED.get(finish_reason, "stop") if isinstance(finish_reason, str) else "stop"
    reasoning = next((told for told in (message.reasoning_content, message.reasoning) if _told(told)), "")
    if _told(message.refusal):
        return message.refusal, reasoning, "refusal"
    text = _content(message.content)
    if text is None:
        if message.tool_calls or message.function_call:
            ended = "tool_calls"
        if ended == "stop" and not reasoning:
            raise Fault("attempt", "it answered 200 without content, and without a reason for that")
        return "", reasoning, ended
    if _OPEN in text[:200]:
        text, thought = _without_thinking(text, ended)
        reasoning = "\n\n".join(part for part in (reasoning, thought) if part)
    return text, reasoning, ended


def _told(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _content(content: Any) -> str | None:
    """The text of a content: a string, or a list of parts of which the texts are joined. None: null."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [
            part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)
        ]
        texts = [part for part in parts if isinstance(part, str)]
        if texts or not content:
            return "".join(texts)
    raise Fault("attempt", "it answered 200 with a content that is no text")


def _without_thinking(text: str, ended: Ended) -> tuple[str, str]:
    """The text without the block of thoughts at its start, and these. One that the token limit cut is all thoughts."""
    start = text.lstrip()
    if not start.startswith(_OPEN):
        return text, ""
    thought, closed, rest = start[len(_OPEN) :].partition(_CLOSE)
    if closed:
        return rest.lstrip(), thought.strip()
    return ("", thought.strip()) if ended == "length" else (text, "")


def _count(value: Any) -> int | None:
    """A number of tokens; None where it cannot be one."""
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None

"""Bodies that are not one JSON object: streams that were not requested, and comments before JSON.

Servers and gateways send comments (`: keep-alive`) and blank lines while a model works, and some stream although the
request does not ask for it (html.spec.whatwg.org/multipage/server-sent-events.html). A stream is read as the reply that
says the same. If it ends without a finish reason, it broke off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Event: TypeAlias = Mapping[str, Any]
BROKE_OFF = "stream interrupted before its finish reason"
"""The finish reason of a stream without one."""
_BOM = b"\xef\xbb\xbf"
_COMMENTS = re.compile(rb"(?:[ \t]*(?::[^\r\n]*)?(?:\r\n|\r|\n))*")
_LINE = re.compile(rb"\r\n|\r|\n")
_FIELD = re.compile(rb"(data|event|id|retry):[ ]?(.*)", re.DOTALL)
_DONE = b"[DONE]"
_TEXTS = ("content", "reasoning_content", "reasoning", "reasoning_text", "thinking", "refusal")


def uncommented(body: bytes) -> bytes:
    """Return the body without a byte order mark, and without comments and blank lines before its first other line."""
    body = body.removeprefix(_BOM)
    start = _COMMENTS.match(body)
    return body[start.end() :].removeprefix(_BOM) if start else body


def events_of(body: bytes) -> list[Event] | None:
    """Return the objects of a stream of events, or of JSON lines; None if the body is neither.

    An event that is cut ends the stream. Several lines of data without a blank line between them are an event each,
    unless they only make sense together.
    """
    events, data = list[Event](), list[bytes]()
    is_stream = False
    for line in [*_LINE.split(body), b""]:
        bare = line.strip()
        if not bare:
            if not _take(data, events):
                return events if is_stream else None
            data = []
        elif bare.startswith(b"{"):
            data.append(bare)
        elif (field := _FIELD.match(line)) is not None:
            is_stream = True
            if field[1] == b"data":
                data.append(field[2].strip())
        elif not bare.startswith(b":"):
            return events if is_stream else None
    return events if is_stream or len(events) > 1 else None


def _take(data: Sequence[bytes], events: list[Event]) -> bool:
    """Add the event of these lines; return False if it is cut."""
    lines = [line for line in data if line and line != _DONE]
    if not lines:
        return True
    whole = _object(b"\n".join(lines))
    found = [whole] if whole is not None else [_object(line) for line in lines]
    events += [each for each in found if each is not None]
    return None not in found


def _object(raw: bytes) -> Event | None:
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else {}


def chat_of(events: Sequence[Event]) -> dict[str, Any]:
    """Return the chat completion that chunks say together: those of the first choice."""
    whole: dict[str, Any] = {}
    message: dict[str, Any] = {}
    choice: dict[str, Any] = {"message": message, "finish_reason": BROKE_OFF}
    tokens: list[Any] = []
    for event in events:
        whole |= {name: event[name] for name in ("model", "usage", "error") if event.get(name)}
        if "error" not in whole and event.get("object") == "error":
            whole["error"] = event
        groq = _mapping(event.get("x_groq"))
        whole |= {name: groq[name] for name in ("usage", "error") if groq.get(name)}
        for part in _first(event.get("choices")):
            _add(message, _mapping(part.get("delta")) or _mapping(part.get("message")), anew="message" in part)
            choice |= {name: part[name] for name in ("finish_reason", "error") if part.get(name)}
            if usage := part.get("usage"):
                whole["usage"] = usage
            told = _mapping(part.get("logprobs")).get("content")
            tokens += told if isinstance(told, list) else []
    return {**whole, "choices": [{**choice, "logprobs": {"content": tokens}}]}


def _first(choices: Any) -> list[Event]:
    listed = choices if isinstance(choices, list) else []
    return [each for each in listed if isinstance(each, dict) and each.get("index") in (0, None)]


def _add(message: dict[str, Any], delta: Event, *, anew: bool) -> None:
    """Add a delta to a message. anew: it has the message so far."""
    for name, value in delta.items():
        before = message.get(name)
        if not value and before is not None:
            continue
        if anew or before is None:
            message[name] = value
        elif name == "content" and (isinstance(before, list) or isinstance(value, list)):
            message[name] = _parts(before) + _parts(value)
        elif type(before) is type(value) and (isinstance(value, list) or name in _TEXTS):
            message[name] = before + value
        else:
            message[name] = value


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def message_of(events: Sequence[Event]) -> dict[str, Any]:
    """Return Anthropic's message that events say together."""
    message: dict[str, Any] = {"content": None, "stop_reason": BROKE_OFF}
    parts: dict[Any, dict[str, Any]] = {}
    usage: dict[str, Any] = {}
    for event in events:
        if event.get("error"):
            return {**message, "usage": usage, "error": event["error"]}
        begun, delta = _mapping(event.get("message")), _mapping(event.get("delta"))
        usage |= {
            name: n for each in (begun, event) for name, n in _mapping(each.get("usage")).items() if n is not None
        }
        if begun.get("model"):
            message["model"] = begun["model"]
        if event.get("type") == "content_block_start":
            parts[event.get("index")] = dict(_mapping(event.get("content_block")))
        if event.get("type") == "content_block_delta":
            part = parts.setdefault(event.get("index"), {"type": "text"})
            for name in ("text", "thinking"):
                if isinstance(delta.get(name), str):
                    part[name] = str(part.get(name) or "") + delta[name]
        if delta.get("stop_reason"):
            message["stop_reason"] = delta["stop_reason"]
    return {**message, "content": list(parts.values()), "usage": usage}


def response_of(events: Sequence[Event]) -> dict[str, Any]:
    """Return OpenAI's response in the last event of a stream, or a broken one."""
    items = list[Any]()
    last: dict[str, Any] = {}
    for event in events:
        if event.get("type") == "error" or event.get("error"):
            return {**last, "error": event.get("error") or event}
        if event.get("type") == "response.output_item.done":
            items.append(event.get("item"))
        last = {**last, **_mapping(event.get("response"))}
    if last.get("status") not in ("completed", "incomplete", "failed", "cancelled"):
        last |= {"status": "incomplete", "incomplete_details": {"reason": BROKE_OFF}}
    return {**last, "output": last.get("output") or items}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

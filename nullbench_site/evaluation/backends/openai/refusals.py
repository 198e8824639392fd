"""What a server's error means: from its status, and the code and words of its error object."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from nullbench_site.evaluation.backends.openai.fault import Fault, Kind
from nullbench_site.evaluation.backends.openai.texts import received_line

_STATUS = re.compile("[4-9][0-9]{2}")
_AGAIN = frozenset({408, 409, 425, 429})
# Not implemented, and the versions of HTTP: these will be the same tomorrow.
_NEVER = frozenset({501, 505})
_TOO_LARGE = 413

_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_credits"})
_FILTERED = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_TOO_LONG = frozenset({"context_length_exceeded", "string_above_max_length", "exceed_context_size_error"})
_TOO_LONG_WORDS = (
    "maximum context length",  # OpenAI, vLLM, Mistral
    "context length exceeded",
    "exceeds the context",
    "context window",
    "exceed context limit",  # Anthropic
    "prompt is too long",
    "input is too long",  # Bedrock
    "exceeds the maximum number of tokens",  # Gemini
    "available context size",  # llama.cpp
    "maximum model length",  # vLLM
    "maximum prompt length",  # xAI
    "model's context length",  # SGLang
)
_UNKNOWN_MODEL = frozenset({"model_not_found", "unknown_model", "deploymentnotfound"})
_BUSY = frozenset({"rate_limit_exceeded", "rate_limit_error", "too_many_requests"})
_STATUS_OF = {
    **dict.fromkeys(_BUSY, 429),
    **dict.fromkeys(_QUOTA, 429),
    **dict.fromkeys(_FILTERED, 400),
    **dict.fromkeys(_TOO_LONG, 400),
    **dict.fromkeys(_UNKNOWN_MODEL, 404),
    "invalid_api_key": 401,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "invalid_request_error": 400,
}


@dataclass(frozen=True, slots=True)
class ErrorObject:
    """What a server says of an error; servers agree on little, so each part may be empty. `words` in lower case."""

    message: str = ""
    code: str = ""
    words: frozenset[str] = frozenset()
    param: str = ""

    @property
    def status(self) -> int:
        """The HTTP status it stands for where it comes with status 200; 500 where it does not tell."""
        if _STATUS.fullmatch(self.code):
            return int(self.code)
        return next((status for word, status in _STATUS_OF.items() if word in self.words), 500)


def error_object(found: Any) -> ErrorObject:
    """Reads {"error": {...}}, {"error": "..."}, {"message": ...}, {"detail": ...} and a list of such."""
    if isinstance(found, list) and found:
        found = found[0]
    if isinstance(found, dict):
        found = found.get("error") or found
    if isinstance(found, str):
        return ErrorObject(message=found)
    if not isinstance(found, dict):
        return ErrorObject()
    inner = found.get("innererror")
    message = next((found[key] for key in ("message", "detail", "error") if found.get(key)), "")
    code = found.get("code")
    marks = (code, found.get("type"), inner.get("code") if isinstance(inner, dict) else None)
    words = {mark.lower() for mark in marks if isinstance(mark, str)}
    metadata = found.get("metadata")
    if isinstance(metadata, dict) and metadata.get("flagged_input") is not None:
        words.add("content_filter")
    return ErrorObject(
        message=message if isinstance(message, str) else _as_text(message),
        code=str(code) if isinstance(code, str | int) else "",
        words=frozenset(words),
        param=str(found.get("param") or ""),
    )


def _as_text(told: Any) -> str:
    try:
        return json.dumps(told)
    except RecursionError:
        return ""


def read_error(body: bytes) -> ErrorObject:
    """The error object of a body, whatever that is; the body's own words where it is no JSON."""
    try:
        return error_object(json.loads(body))
    except (ValueError, RecursionError):
        text = body.decode(errors="replace").strip()
        return ErrorObject() if text.startswith("<") else ErrorObject(message=text)


def refused(status: int, error: ErrorObject, secrets: tuple[str, ...]) -> Fault:
    """The fault that an error stands for."""
    said = received_line(error.message, secrets).rstrip(".").removeprefix(f"{status}: ")
    text = f"it answered {status}: {said}" if said else f"it answered {status}"
    lower = error.message.lower()
    quota = _QUOTA & error.words or error.code.lower() in _QUOTA
    if quota or status == 402:
        text = f"its quota is used up ({text})" if quota else f"it asks for payment ({text})"
        return Fault("lane", text, advice="top up the account, then build again", status=status, said=said)
    if _FILTERED & error.words:
        return Fault("call", text, status=status, kind="filtered", said=said)
    if _TOO_LONG & error.words or (status != 429 and any(words in lower for words in _TOO_LONG_WORDS)):
        return _too_long(f"the request is longer than the model takes ({text})", status, said)
    if status == _TOO_LARGE:
        return _too_long(f"the request is too large ({text})", status, said)
    if status in _AGAIN or (status >= 500 and status not in _NEVER):
        return Fault("attempt", text, status=status, limited=status == 429, said=said)
    if _UNKNOWN_MODEL & error.words:
        advice = "put a model it has into `model`"
        text = f"it has no such model ({text})"
        return Fault("lane", text, advice=advice, status=status, kind="unknown-model", said=said)
    if status == 407:
        advice = "check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY"
        return Fault("endpoint", "the proxy of the environment refused to let us through (407)", advice=advice)
    if status == 401:
        # What servers say of a wrong key often repeats most of it. A gateway says it of the key that it uses for one
        # model, too.
        return Fault("lane", "", status=status, field="key_env", said=said)
    if 300 <= status < 400:
        advice = "put the address it leads to into its base URL"
        return Fault("endpoint", f"it redirects elsewhere ({status})", advice=advice, status=status, field="base_url")
    advice, kind = _advice(status, error, lower), _kind(status, error, lower)
    return Fault("refusal", text, advice=advice, status=status, kind=kind, said=said)


def _too_long(text: str, status: int, said: str) -> Fault:
    # A small request can be too long only by the output that it leaves room for.
    advice = "lower max_tokens in its decoding, then build again"
    return Fault("refusal", text, advice=advice, status=status, kind="too-long", said=said)


def _kind(status: int, error: ErrorObject, lower: str) -> Kind | None:
    if "max_completion_tokens" in lower or (error.param == "max_tokens" and "unsupported_parameter" in error.words):
        return "limit-field"
    if status == 404 and "model" in lower:
        return "unknown-model"
    return "path" if status in {404, 405} else None


def _advice(status: int, error: ErrorObject, lower: str) -> str:
    if status == 403:
        return "check what its key may do"
    if error.param == "temperature" or "temperature" in lower:
        return "write `temperature: null` into its decoding if the model takes none"
    return "correct its spec, then build again"

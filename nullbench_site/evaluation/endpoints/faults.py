"""Why an attempt got no answer, and which calls that concerns, from a status and an error object."""

from __future__ import annotations

import json
import re
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal

import msgspec

from nullbench_site.evaluation.endpoints.redaction import received_line
from nullbench_site.judging.calls import Answer

Reach = Literal["attempt", "call", "refusal", "model", "endpoint"]
"""The extent of a failure.

attempt: try again. call. refusal: the call, and its model too if a probe is refused as well. model: the model at this
endpoint. endpoint: all of it.
"""

Kind = Literal["filtered", "too-long", "unknown-model", "limit-field", "path", "unreached", "broken-off"]
"""The causes to which an asker reacts.

filtered: withheld by a content filter. too-long: for the model. limit-field: max_tokens instead of
max_completion_tokens. The others: an unknown model, not a path of the API, no connection, an answer that the server
began and broke off.
"""

_WITHHELD = "(message withheld: the item is private)"

_STATUS = re.compile("[4-9][0-9]{2}")
_AGAIN = frozenset({408, 409, 425, 429})
# Not Implemented, and HTTP Version Not Supported: a retry does not help.
_NEVER = frozenset({501, 505})
_TOO_LARGE = 413
_GATEWAY_TIMEOUTS = frozenset({504, 524})
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


@dataclass(eq=False)
class Fault(Exception):
    """An attempt without an answer.

    text: the end of a sentence about the endpoint. advice: how the user can fix it. status: of HTTP, or given in a body
    with status 200. field: the field of the endpoint's spec that is the cause, if any. limited: rate limit.
    retry_after: seconds that the server asks to wait. kind: for the asker's reaction. quoted: the server's words in
    `text`. used: an answer without a text, with the tokens that the server counted.
    """

    reach: Reach
    text: str
    _: KW_ONLY
    advice: str = ""
    status: int | None = None
    field: str | None = None
    limited: bool = False
    retry_after: float | None = None
    kind: Kind | None = None
    quoted: str = ""
    used: Answer | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def redacted(self) -> Fault:
        """Return the fault without the server's words, which may repeat a private item."""
        text = self.text.replace(f": {self.quoted}", f" {_WITHHELD}") if self.quoted else self.text
        return replace(self, text=text, quoted="")

    @property
    def filtered(self) -> Answer:
        """Return the answer that a content filter withheld, with the tokens that the server counted."""
        return msgspec.structs.replace(self.used or Answer(""), text="", ended="content_filter")

    def may_cost(self, status: int | None) -> bool:
        """Return True if the server may charge for the attempt: it may have made an answer.

        status: of the HTTP response; None without one. A refusal (4xx, also in a body with status 200) costs nothing
        unless the server counted tokens. A request that never reached the server costs nothing.
        """
        if self.used is not None and (self.used.input_tokens is not None or self.used.output_tokens is not None):
            return True
        if status is None:
            return self.kind != "unreached" and self.reach != "endpoint"
        refusal = self.status is not None and 400 <= self.status < 500
        return (200 <= status < 300 and not refusal) or status in _GATEWAY_TIMEOUTS

    def stops(self, who: str) -> str:
        """Return the message to the user that `who` stopped."""
        stopped = f"{who} stopped: {self.text}"
        return f"{stopped}; {self.advice}" if self.advice else stopped


class ErrorObject(msgspec.Struct, frozen=True):
    """A server's error. Servers agree on little, so each part may be empty. words: code and types, in lower case."""

    message: str = ""
    code: str = ""
    words: frozenset[str] = frozenset()
    param: str = ""

    @property
    def status(self) -> int:
        """Return the HTTP status of an error that came with status 200; 500 if unknown."""
        if _STATUS.fullmatch(self.code):
            return int(self.code)
        return next((status for word, status in _STATUS_OF.items() if word in self.words), 500)


def error_object(error: Any) -> ErrorObject:
    """Parse {"error": {...}}, {"error": "..."}, {"message": ...}, {"detail": ...} and a list of such."""
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, dict):
        error = error.get("error") or error
    if isinstance(error, str):
        return ErrorObject(message=error)
    if not isinstance(error, dict):
        return ErrorObject()
    inner = error.get("innererror")
    message = next((error[key] for key in ("message", "detail", "error") if error.get(key)), "")
    code = error.get("code")
    marks = (code, error.get("type"), inner.get("code") if isinstance(inner, dict) else None)
    words = {mark.lower() for mark in marks if isinstance(mark, str)}
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and metadata.get("flagged_input") is not None:
        words.add("content_filter")
    return ErrorObject(
        message=message if isinstance(message, str) else _as_text(message),
        code=str(code) if isinstance(code, str | int) else "",
        words=frozenset(words),
        param=str(error.get("param") or ""),
    )


def _as_text(message: Any) -> str:
    try:
        return json.dumps(message)
    except RecursionError:
        return ""


def read_error(body: bytes) -> ErrorObject:
    """Return the error object of a body; its text if it is not JSON."""
    try:
        return error_object(json.loads(body))
    except (ValueError, RecursionError):
        text = body.decode(errors="replace").strip()
        return ErrorObject() if text.startswith("<") else ErrorObject(message=text)


def refused(status: int, error: ErrorObject, secrets: tuple[str, ...]) -> Fault:
    """Return the fault for an error."""
    quoted = received_line(error.message, secrets).rstrip(".").removeprefix(f"{status}: ")
    text = f"it answered {status}: {quoted}" if quoted else f"it answered {status}"
    lower = error.message.lower()
    quota = _QUOTA & error.words or error.code.lower() in _QUOTA
    if quota or status == 402:
        text = f"its quota is used up ({text})" if quota else f"it asks for payment ({text})"
        return Fault("model", text, advice="top up the account, then build again", status=status, quoted=quoted)
    if _FILTERED & error.words:
        return Fault("call", text, status=status, kind="filtered", quoted=quoted)
    if _TOO_LONG & error.words or (status != 429 and any(words in lower for words in _TOO_LONG_WORDS)):
        return _too_long(f"the request is too long for the model ({text})", status, quoted)
    if status == _TOO_LARGE:
        return _too_long(f"the request is too large ({text})", status, quoted)
    if status in _AGAIN or (status >= 500 and status not in _NEVER):
        return Fault("attempt", text, status=status, limited=status == 429, quoted=quoted)
    if _UNKNOWN_MODEL & error.words:
        advice = "set `model` to one that it has"
        text = f"it has no such model ({text})"
        return Fault("model", text, advice=advice, status=status, kind="unknown-model", quoted=quoted)
    if status == 407:
        advice = "check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY"
        return Fault("endpoint", "the proxy requires a login (407)", advice=advice)
    if status == 401:
        # Servers often repeat most of a wrong key. The error of a gateway may be about its own key for one model.
        return Fault("model", "", status=status, field="key_env", quoted=quoted)
    if 300 <= status < 400:
        advice = "set its base URL to the new address"
        return Fault("endpoint", f"it redirects elsewhere ({status})", advice=advice, status=status, field="base_url")
    advice, kind = _advice(status, error, lower), _kind(status, error, lower)
    return Fault("refusal", text, advice=advice, status=status, kind=kind, quoted=quoted)


def _too_long(text: str, status: int, quoted: str) -> Fault:
    # A probe can only be too long because of the output that it allows.
    advice = "lower max_tokens in its decoding, then build again"
    return Fault("refusal", text, advice=advice, status=status, kind="too-long", quoted=quoted)


def _kind(status: int, error: ErrorObject, lower: str) -> Kind | None:
    if "max_completion_tokens" in lower or (error.param == "max_tokens" and "unsupported_parameter" in error.words):
        return "limit-field"
    if status == 404 and "model" in lower:
        return "unknown-model"
    return "path" if status in {404, 405} else None


def _advice(status: int, error: ErrorObject, lower: str) -> str:
    if status == 403:
        return "check the permissions of its key"
    if error.param == "temperature" or "temperature" in lower:
        return "set `temperature: null` in its decoding if the model accepts none"
    return "correct its spec, then build again"

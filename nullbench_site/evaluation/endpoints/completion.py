"""Chat completions: make the body of a request, and parse an untrusted reply."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from math import exp, fsum, nan
from typing import Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from nullbench_site.evaluation.endpoints.faults import Fault, error_object, refused
from nullbench_site.evaluation.endpoints.redaction import received, received_line
from nullbench_site.evaluation.endpoints.streams import BROKE_OFF, Event, chat_of, events_of, uncommented
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.runs.endings import ending_of
from nullbench_site.thinking import BLANKS, bare_thinking, content_of, joined, split_thinking, thinking_fields

LimitField = Literal["max_tokens", "max_completion_tokens"]
Sdk = Literal["openai", "anthropic"]
BatchUrl = Literal["/v1/chat/completions", "/v1/responses"]
SCHEMA, _JSON, NO_FORMAT = 0, 1, 2
_FORMAT_REFUSED = frozenset({400, 404, 422, 501})
_FIELD_REFUSED = frozenset({400, 422})
_OTHER_CAUSES = frozenset({"unknown-model", "too-long"})

_T = TypeVar("_T")
_encoder = msgspec.json.Encoder()

_MOST_TOKENS = 10**9
"""A thousand times what models accept. A larger number is a mistake, and sums might not fit in 64 bits."""
_LONGEST_INT = 20
"""In digits. Python refuses to parse integers of more than 4,300 digits."""
_LONGEST_TOKEN = 100
_ROUNDING = 1e-6
"""The largest log of a probability that counts as 0."""
_LEAST_LOG = -1e9
_CONFIDENCE_DIGITS = 4
_DIGEST = re.compile("@sha256-[0-9a-f]+$", re.IGNORECASE)
"""The end of the name of a model that identifies one file."""
# The date or number of a snapshot, or the tag of the newest.
_SNAPSHOT = re.compile(r"(?:-\d{4}-\d{2}-\d{2}|-\d{8}|-\d{4}|-\d{3}|@\d{8}|[-:]latest)$")


class Dialect(msgspec.Struct, frozen=True):
    """The form of requests that a server accepts.

    form: 0 with a JSON Schema for the reply, 1 any JSON object, 2 text. logprobs: True if a request may ask for log
    probabilities.
    """

    sdk: ClassVar[Sdk] = "openai"
    """The client that sends it."""
    url: ClassVar[BatchUrl] = "/v1/chat/completions"
    form: int = SCHEMA
    limit_field: LimitField = "max_tokens"
    logprobs: bool = True

    @property
    def path(self) -> str:
        """Return the path after the base URL."""
        return self.url.removeprefix("/v1")

    def read(self, body: bytes, asked_model: str, seconds: float, secrets: tuple[str, ...]) -> Answer:
        """Return the answer in a reply; see `read_completion`."""
        return read_completion(body, asked_model, seconds, secrets)

    def used(self, body: bytes) -> Answer | None:
        """Return the tokens that an error counts, as an answer without a text; None if it counts none."""
        try:
            return self.read(body, "", nan, ())
        except Fault as fault:
            return fault.used

    def body(self, request: Request) -> bytes:
        """Return the JSON to send. It omits the sample index, which only we use."""
        body: dict[str, Any] = {**request.params, "model": request.model, "messages": request.messages}
        if request.decoding.temperature is not None:
            body["temperature"] = request.decoding.temperature
        if request.decoding.max_tokens is not None:
            body[self.limit_field] = request.decoding.max_tokens
        if request.reply_schema is not None and self.form == SCHEMA:
            schema = {"name": "reply", "strict": True, "schema": request.reply_schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.reply_schema is not None and self.form == _JSON:
            body["response_format"] = {"type": "json_object"}
        if self.logprobs and request.decoding.logprobs:
            body["logprobs"] = True
        if self.logprobs and request.top_logprobs is not msgspec.UNSET:
            body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
        return _encoder.encode(body)

    def after(self, fault: Fault, request: Request) -> Dialect | None:
        """Return the dialect to try after a refusal, or None if no other dialect can help."""
        asked_limit = request.decoding.max_tokens is not None and self.limit_field == "max_tokens"
        if fault.kind == "limit-field" and asked_limit and fault.status in _FIELD_REFUSED:
            return replace(self, limit_field="max_completion_tokens")
        if fault.status not in _FORMAT_REFUSED or fault.reach != "refusal" or fault.kind in _OTHER_CAUSES:
            return None
        if self.logprobs and (request.decoding.logprobs or request.top_logprobs is not msgspec.UNSET):
            return replace(self, logprobs=False)
        return replace(self, form=self.form + 1) if request.reply_schema is not None and self.form < NO_FORMAT else None

    def joined(self, other: Dialect) -> Dialect:
        """Return the dialect that follows from two calls together."""
        newer = "max_completion_tokens" in {self.limit_field, other.limit_field}
        limit: LimitField = "max_completion_tokens" if newer else "max_tokens"
        logprobs = self.logprobs and other.logprobs
        return replace(self, form=max(self.form, other.form), limit_field=limit, logprobs=logprobs)


class Choice(msgspec.Struct):
    """One of the answers of a chat completion. Each field of its message is untrusted. delta: of a single chunk."""

    message: dict[str, Any] | None = None
    finish_reason: Any = None
    logprobs: Any = None
    error: Any = None
    delta: Any = None


class Completion(msgspec.Struct):
    """A chat completion."""

    choices: list[Choice] | None = None
    usage: Any = None
    model: Any = None
    error: Any = None


def read_completion(body: bytes, asked_model: str, seconds: float, secrets: tuple[str, ...]) -> Answer:
    """Return the answer in a body with status 200, without the secrets that it repeats. seconds: the time it took.

    Raises Fault if there is no answer, with the tokens that the server counted.
    """
    return read(decoded(body, Completion, join=chat_of), asked_model, seconds, secrets)


def read(completion: Completion, asked_model: str, seconds: float, secrets: tuple[str, ...]) -> Answer:
    """Return the answer in a chat completion; as `read_completion`."""
    usage = completion.usage if isinstance(completion.usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    used = Answer(
        "",
        input_tokens=as_count(usage.get("prompt_tokens")),
        cached_input_tokens=as_count(details.get("cached_tokens")) if isinstance(details, dict) else None,
        output_tokens=as_count(usage.get("completion_tokens")),
        seconds=seconds,
    )
    try:
        return _answer(completion, used, asked_model, secrets)
    except Fault as fault:
        fault.used = used
        raise


def _answer(completion: Completion, used: Answer, asked_model: str, secrets: tuple[str, ...]) -> Answer:
    choice = completion.choices[0] if completion.choices else None
    error = completion.error or (choice.error if choice else None)
    if error:
        reported = error_object(error)
        raise refused(reported.status, reported, secrets)
    message = None if choice is None else choice.message or choice.delta
    if choice is None or not isinstance(message, dict):
        raise Fault("attempt", "it answered 200 without a choice")
    if choice.message is None and not choice.finish_reason:
        choice.finish_reason = BROKE_OFF
    if (served := _other_file(completion.model, asked_model, secrets)) is not None:
        text = f"it serves {served!r}, a model file with another digest; no answer of it was kept"
        raise Fault("model", text, advice="serve the file that the spec names, or name this one in the spec")
    said = _read(message, choice.finish_reason, secrets)
    return replace(
        said,
        input_tokens=used.input_tokens,
        cached_input_tokens=used.cached_input_tokens,
        output_tokens=used.output_tokens,
        seconds=used.seconds,
        text=received(said.text, secrets),
        reasoning=received(said.reasoning, secrets),
        served_model=_another(completion.model, asked_model, secrets),
        logprobs=_first_token(choice.logprobs),
        confidence=_confidence(choice.logprobs) if said.text and not said.reasoning else None,
    )


def _first_token(logprobs: Any) -> dict[str, float] | None:
    """Return token -> log probability for the first token and its alternatives, or None if there are none.

    Entries without a text or with an invalid log probability are skipped.
    """
    content = _tokens(logprobs)
    first = content[0] if content else None
    if not isinstance(first, dict):
        return None
    top = first.get("top_logprobs")
    by_token: dict[str, float] = {}
    for each in (first, *(top if isinstance(top, list) else ())):
        token, value = each.get("token") if isinstance(each, dict) else None, _logprob(each)
        if isinstance(token, str) and value is not None:
            by_token.setdefault(token[:_LONGEST_TOKEN], value)
    return by_token


def _tokens(logprobs: Any) -> list[Any]:
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    return content if isinstance(content, list) else []


def _confidence(logprobs: Any) -> float | None:
    """Return the geometric mean of the probabilities of all tokens, or None if there are none or one is invalid.

    Rounded, so that the published number of a private answer does not identify its prompt.
    """
    logs = [_logprob(token) for token in _tokens(logprobs)]
    valid = [log for log in logs if log is not None]
    if not logs or len(valid) < len(logs):
        return None
    return round(min(1.0, exp(fsum(valid) / len(valid))), _CONFIDENCE_DIGITS)


def _logprob(token: Any) -> float | None:
    """Return the log probability of a token, or None if it is absent or invalid."""
    value = token.get("logprob") if isinstance(token, dict) else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if _LEAST_LOG <= value <= _ROUNDING else None


def _another(served: Any, asked: str, secrets: tuple[str, ...]) -> str | None:
    """Return the name of the model that answered, if it is not the requested one."""
    if not isinstance(served, str) or served == asked:
        return None
    name = received_line(served, secrets)
    return name if name and not same_model(asked, name) else None


def _other_file(served: Any, asked: str, secrets: tuple[str, ...]) -> str | None:
    """Return the name of the served model if it differs from a requested one that ends in the digest of its file."""
    if not isinstance(served, str) or _DIGEST.search(asked) is None or _bare(served) == _bare(asked):
        return None
    return received_line(served, secrets)


def decoded(
    body: bytes,
    kind: type[_T],
    what: str = "a chat completion",
    *,
    join: Callable[[Sequence[Event]], Any],
) -> _T:
    """Return a reply in a body with status 200. Raises Fault if it is none.

    join: makes the reply of the events of a stream.
    """
    body = uncommented(body)
    try:
        return msgspec.json.decode(body, type=kind)
    except (ValueError, RecursionError):
        pass
    # Python's parser accepts halves of surrogate pairs, byte order marks and NaN, which msgspec refuses. Very long
    # integers are read as floats, so they are not used as counts.
    try:
        return msgspec.convert(json.loads(body, parse_int=_whole), kind)
    except msgspec.ValidationError:
        raise Fault("attempt", f"it answered 200 with JSON that is not {what}") from None
    except (ValueError, RecursionError) as error:
        events = events_of(body)
        if events is None:
            raise _not_json(body, error) from None
    try:
        return msgspec.convert(join(events), kind)
    except msgspec.ValidationError:
        raise Fault("attempt", f"it answered 200 with a stream that is not {what}") from None


def _not_json(body: bytes, error: Exception) -> Fault:
    if isinstance(error, UnicodeDecodeError):
        return Fault("attempt", "it answered 200 with bytes that are not UTF-8")
    if body.lstrip()[:1] == b"<":
        return Fault("attempt", "it answered 200 with a web page", kind="path")
    return Fault("attempt", "it answered 200 without JSON, or with truncated JSON")


def _read(message: dict[str, Any], finish_reason: Any, secrets: tuple[str, ...]) -> Answer:
    """Return text, reasoning and end of a message. Raises Fault if the server broke the answer off."""
    ended, reason = ending_of(finish_reason)
    content = content_of(message.get("content"))
    if content is None:
        raise Fault("attempt", "it answered 200 with content that is not text")
    if ended is None:
        told = received_line(finish_reason if isinstance(finish_reason, str) else "error", secrets)
        raise Fault("attempt", f"it broke its answer off: {told}", kind="broken-off", quoted=told)
    reasoning = joined(thinking_fields(message), content.thinking)
    refusal = message.get("refusal")
    refusal = refusal if _is_text(refusal) else content.refusal
    if refusal:
        return Answer(refusal, ended="refusal", reasoning=reasoning)
    split = split_thinking(content.text or "")
    if not split.answer and not split.found and (late := split_thinking(reasoning)).found:
        # The server's parser took the whole answer for thinking, but the thinking ends within it.
        split, reasoning = late, ""
    reasoning = joined(bare_thinking(reasoning), split.thinking)
    text = split.answer.strip(BLANKS) if reasoning else split.answer
    if content.text is None and not text:
        if message.get("tool_calls") or message.get("function_call"):
            ended = "tool_calls"
        if ended == "stop" and not reasoning:
            raise Fault("attempt", "it answered 200 without content or a reason")
    if reason and ended == "stop" and not text:
        told = received_line(reason, secrets)
        raise Fault("attempt", f"it answered without text, for an unknown reason: {told}", quoted=told)
    if ended == "refusal" and not text:
        ended = "content_filter"
    return Answer(text, ended=ended, finish_reason=received_line(reason, secrets), reasoning=reasoning)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < _LONGEST_INT else float(digits)


def as_count(value: Any) -> int | None:
    """Return a number of tokens, or None if it cannot be one."""
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def same_model(asked: str, served: str) -> bool:
    """Return True if two names differ only in a provider before and a snapshot after the model's name.

    Two different snapshots are two models.
    """
    if asked == served:
        return True
    asked, served = _bare(asked), _bare(served)
    return served in {asked, _SNAPSHOT.sub("", asked)} or _SNAPSHOT.sub("", served) == re.sub("[-:]latest$", "", asked)


def _bare(name: str) -> str:
    return name.rsplit("/", 1)[-1].lower()

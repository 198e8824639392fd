"""How one model at one endpoint wants to be asked, as far as its refusals have told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from nullbench_site.evaluation.backends.openai.fault import Fault
from nullbench_site.protocols.request import Request

LimitField = Literal["max_tokens", "max_completion_tokens"]
_SCHEMA, _JSON, _TEXT = 0, 1, 2
_FORMAT_REFUSED = frozenset({400, 404, 422, 501})
_FIELD_REFUSED = frozenset({400, 422})
_OTHER_CAUSES = frozenset({"unknown-model", "too-long"})

_encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Dialect:
    """form: how a reply schema is asked for: 0 as a JSON Schema, 1 as any JSON object, 2 not at all."""

    form: int = _SCHEMA
    limit_field: LimitField = "max_tokens"

    def body(self, request: Request) -> bytes:
        """The JSON to send. The sample is not in it: it is what makes two calls of one request differ for us alone."""
        body: dict[str, Any] = {**request.params, "model": request.model, "messages": request.messages}
        if request.decoding.temperature is not None:
            body["temperature"] = request.decoding.temperature
        if request.decoding.max_tokens is not None:
            body[self.limit_field] = request.decoding.max_tokens
        if request.reply_schema is not None and self.form == _SCHEMA:
            schema = {"name": "reply", "strict": True, "schema": request.reply_schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.reply_schema is not None and self.form == _JSON:
            body["response_format"] = {"type": "json_object"}
        return _encoder.encode(body)

    def after(self, fault: Fault, request: Request) -> Dialect | None:
        """How to ask once more after a refusal that may be of the dialect; None where it cannot be."""
        asked_limit = request.decoding.max_tokens is not None and self.limit_field == "max_tokens"
        if fault.kind == "limit-field" and asked_limit and fault.status in _FIELD_REFUSED:
            return Dialect(self.form, "max_completion_tokens")
        asked_form = request.reply_schema is not None and self.form < _TEXT
        if (
            asked_form
            and fault.status in _FORMAT_REFUSED
            and fault.reach == "refusal"
            and fault.kind not in _OTHER_CAUSES
        ):
            return Dialect(self.form + 1, self.limit_field)
        return None

    def joined(self, other: Dialect) -> Dialect:
        """What two calls have found out together."""
        newer = "max_completion_tokens" in {self.limit_field, other.limit_field}
        return Dialect(max(self.form, other.form), "max_completion_tokens" if newer else "max_tokens")

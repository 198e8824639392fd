"""What a judge's reply says: a score from 0 to 10 and its reason, or why it says neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nullbench_site.protocols.replies import integer, json_object, prose, shown_value

LOWEST, HIGHEST = 0, 10
"""The range that deepeval asks for."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "score": {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST}},
    "required": ["reason", "score"],
    "additionalProperties": False,
}
"""The JSON Schema of a reply, as deepeval's prompt words it: the reason before the score."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A valid reply."""

    score: float
    reason: str


def read(text: str) -> Verdict | str:
    """The verdict of a reply, or what is wrong with it. deepeval takes fractions of points, and so do we."""
    reply = json_object(text)
    if isinstance(reply, str):
        return reply
    score, reason = integer(reply.get("score")), prose(reply.get("reason"))
    if score is None:
        return "score: missing"
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not LOWEST <= score <= HIGHEST:
        return f"score: {shown_value(score)} is not a number from {LOWEST} to {HIGHEST}"
    if not reason.strip():
        return "reason: missing"
    return Verdict(score, reason)

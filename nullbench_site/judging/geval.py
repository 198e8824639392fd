"""G-Eval as far as it is ours: what is measured, by which steps, and what a judge's reply says."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import msgspec

from nullbench_site.judging.replies import closed_object, integer, json_object, parts_beside, prose, shown_value

Field: TypeAlias = Literal["input", "expected_output", "actual_output"]

VERSION = "4.3.1"
"""The deepeval that the scores are defined by; part of the key of every call."""
REVISION = 1
"""Raised when a step, a title or what a metric looks at changes."""

FIELDS: Mapping[Field, str] = MappingProxyType(
    {"input": "Input", "expected_output": "Expected Output", "actual_output": "Actual Output"}
)
"""The texts that a metric may look at, in the order in which they are shown, with deepeval's names for them."""


class Metric(msgspec.Struct, frozen=True):
    """One metric: the steps a judge follows, numbered from 2 on behind QUOTED."""

    id: str
    title: str
    looks_at: tuple[Field, ...]
    steps: tuple[str, ...]


_TEXTS = parts_beside(__file__, "geval.txt")
QUOTED = _TEXTS["quoted"]
"""The first step of every metric."""
_LOOKS_AT: Mapping[str, tuple[Field, ...]] = {
    "correctness": ("input", "expected_output", "actual_output"),
    "coherence": ("input", "actual_output"),
    "instruction-following": ("input", "actual_output"),
}
METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        name: Metric(name, name.replace("-", " ").capitalize(), looks_at, tuple(_TEXTS[name].splitlines()))
        for name, looks_at in _LOOKS_AT.items()
    }
)
"""Id -> metric."""

_NAMES: Mapping[Field, str] = {"input": "prompt", "expected_output": "ideal", "actual_output": "response"}


def texts_of(metric: str) -> tuple[str, ...]:
    """The names of the texts that a metric looks at: prompt, ideal, response."""
    return tuple(_NAMES[field] for field in METRICS[metric].looks_at)


LOWEST, HIGHEST = 0, 10
"""The range that deepeval asks for."""

SCHEMA: dict[str, Any] = closed_object(
    {"reason": {"type": "string"}, "score": {"type": "integer", "minimum": LOWEST, "maximum": HIGHEST}}
)
"""The JSON Schema of a reply, as deepeval's prompt words it: the reason before the score."""


class GEvalScore(msgspec.Struct, frozen=True):
    """A valid reply."""

    score: float
    reason: str


def read(text: str) -> GEvalScore | str:
    """The score in a reply, or what is wrong with it. deepeval takes fractions of points, and so do we."""
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
    return GEvalScore(score, reason)

"""Scope: who, how many, where and when are told."""

from ..evidence import Evidence
from ..keys import attained
from ..measure import Measure


def scope(evidence: Evidence) -> Measure:
    """Scope facts in the room, as a share of what source sentences could support there."""
    value = attained(evidence.facts("scope"), evidence.answer, evidence.source, evidence.case.constraints)
    return Measure(value, "" if value is None else f"scope {_word(value)}")


def _word(value: float) -> str:
    return "kept" if value > 0.99 else "lost" if value < 0.01 else "partly kept"

"""What is published of a call to a contestant or a judge."""

from __future__ import annotations

from typing import Any

from nullbench_site.runs.records import Judgment, Record, Response

MOST_REASONING = 2_000
"""Characters of what a model thought that are published; the record has all. Thoughts can be longer than the rest."""


def sample(response: Response) -> dict[str, Any]:
    """One answer of a contestant."""
    return {
        "sample": response.sample,
        "state": response.state,
        "text": response.text,
        "error": response.error,
        "seconds": response.seconds,
        "started_at": response.started_at,
        "key": response.key,
        **_of_the_endpoint(response),
    }


def verdict(judgment: Judgment) -> dict[str, Any]:
    """What one judge said of an answer."""
    return {
        "judge": judgment.judge,
        "state": judgment.state,
        "scores": judgment.scores,
        "invalid": judgment.invalid,
        "rationale": judgment.rationale,
        "raw": judgment.raw,
        "error": judgment.error,
        "seconds": judgment.seconds,
        "key": judgment.key,
        **({"repaired": judgment.repaired} if judgment.repaired else {}),
        **_of_the_endpoint(judgment),
    }


def _of_the_endpoint(record: Record) -> dict[str, Any]:
    """What endpoints tell of a call, where it is told: programs tell nothing, and their shards stay small."""
    told: dict[str, Any] = {
        name: value
        for name in ("input_tokens", "cached_input_tokens", "output_tokens", "cost_usd", "served_model")
        if (value := getattr(record, name)) is not None
    }
    if record.ended != "stop":
        told["ended"] = record.ended
    if record.reasoning:
        told["reasoning"] = record.reasoning[:MOST_REASONING]
        if len(record.reasoning) > MOST_REASONING:
            told["reasoning_length"] = len(record.reasoning)
    return told

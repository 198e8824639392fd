"""What is published of a call to a contestant or a judge."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.runs.records import Judgment, Response, Score

MOST_REASONING = 2_000
"""Characters of what a model thought that are published; the record has all. Thoughts can be longer than the rest."""


class Call(msgspec.Struct, kw_only=True, omit_defaults=True, gc=False):
    """What endpoints tell of a call, where it is told: programs tell nothing, and their shards stay small.

    reasoning: its beginning; reasoning_length: of all of it, where that is more. The rest as in a record.
    """

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    served_model: str | None = None
    ended: str = "stop"
    reasoning: str = ""
    reasoning_length: int | None = None


class Sample(Call, kw_only=True, omit_defaults=True):
    """One answer of a contestant. hidden: it is private, and what could tell of its text is not there."""

    sample: int
    state: str
    hidden: bool = False
    text: str | UnsetType = UNSET
    error: str | UnsetType | None = UNSET
    seconds: float | UnsetType = UNSET
    started_at: str | UnsetType = UNSET
    key: str | UnsetType = UNSET


class Verdict(Call, kw_only=True, omit_defaults=True):
    """What one judge said of an answer; of a private one its scores alone."""

    judge: str
    state: str
    scores: dict[str, Score]
    invalid: dict[str, str] | UnsetType = UNSET
    rationale: str | UnsetType = UNSET
    raw: str | UnsetType | None = UNSET
    error: str | UnsetType | None = UNSET
    seconds: float | UnsetType = UNSET
    key: str | UnsetType = UNSET
    repaired: str | None = None


def sample(response: Response) -> dict[str, Any]:
    """The fields of a Sample."""
    return {
        "sample": response.sample,
        "state": response.state,
        "text": response.text,
        "error": response.error,
        "seconds": response.seconds,
        "started_at": response.started_at,
        "key": response.key,
        "input_tokens": response.input_tokens,
        "cached_input_tokens": response.cached_input_tokens,
        "output_tokens": response.output_tokens,
        "cost_usd": response.cost_usd,
        "served_model": response.served_model,
        "ended": response.ended,
        "reasoning": response.reasoning[:MOST_REASONING],
        "reasoning_length": _length_if_cut(response.reasoning),
    }


def verdict(judgment: Judgment) -> Verdict:
    """What one judge said of an answer that is public."""
    return Verdict(
        judge=judgment.judge,
        state=judgment.state,
        scores=judgment.scores,
        invalid=judgment.invalid,
        rationale=judgment.rationale,
        raw=judgment.raw,
        error=judgment.error,
        seconds=judgment.seconds,
        key=judgment.key,
        repaired=judgment.repaired or None,
        input_tokens=judgment.input_tokens,
        cached_input_tokens=judgment.cached_input_tokens,
        output_tokens=judgment.output_tokens,
        cost_usd=judgment.cost_usd,
        served_model=judgment.served_model,
        ended=judgment.ended,
        reasoning=judgment.reasoning[:MOST_REASONING],
        reasoning_length=_length_if_cut(judgment.reasoning),
    )


def score_alone(judgment: Judgment) -> Verdict:
    """The same of one that is private."""
    return Verdict(judge=judgment.judge, state=judgment.state, scores=judgment.scores)


def _length_if_cut(reasoning: str) -> int | None:
    return len(reasoning) if len(reasoning) > MOST_REASONING else None

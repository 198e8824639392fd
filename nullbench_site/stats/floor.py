"""The best null model (one that does not read the question), and who is above it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True, slots=True)
class NullFloor:
    """The null model with the highest overall score, and that score."""

    id: str
    score: float


def null_floor(scores: Mapping[str, float]) -> NullFloor | None:
    """The best of the null models: what a contestant must exceed to have shown anything.

    scores: id -> overall score (0..100, higher is better) of the null models alone. Ties go to the id that
    sorts first. None without null models. ValueError for a NaN or an infinity.
    Source: a decision of ours, after Zheng et al. (2024), Cheating automatic LLM benchmarks: null models
    achieve high win rates.
    """
    if not all(isfinite(score) for score in scores.values()):
        raise ValueError(f"the score of a null model is finite, got {dict(scores)}")
    if not scores:
        return None
    best = min(scores, key=lambda model: (-scores[model], model))
    return NullFloor(id=best, score=scores[best])


def above_floor(ci_low: float | None, floor: NullFloor | None) -> bool | None:
    """Whether a contestant is above the floor: the lower end of its 95 % interval exceeds the floor's score.

    ci_low: that lower end, in the unit of the scores. Equal is not above, and a score above with an interval
    that reaches down to the floor is not above either. The floor's own uncertainty
    is not counted.
    None (cannot be said) when there is no interval or no null model.
    Source: a decision of ours (column above_null_floor of the leaderboard).
    """
    if ci_low is None or floor is None:
        return None
    return ci_low > floor.score

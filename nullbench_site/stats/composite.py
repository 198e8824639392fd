"""Judges' marks of 1-5 and G-Eval scores of 0-1 -> one number of 0-1, and what it cost in tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum, isfinite, log2
from typing import TYPE_CHECKING, TypeVar

from nullbench_site.stats.measure import Measure

if TYPE_CHECKING:
    from nullbench_site.stats.arrays import Floats

MARK_MIN, MARK_MAX = 1, 5
PERCENT = 100

Number = TypeVar("Number", float, "Floats")


def judge_mean(means: Iterable[float], decimals: int | None = None) -> float | None:
    """The judges' score of a contestant, 1..5, higher is better: the mean over judges of each one's mean mark.

    means: of the judges with complete coverage, in any order. decimals: round each mean to so many decimals first, as
    some published boards do; by `round` on the float, so 4.675, a float just below, becomes 4.67.
    None without a judge. ValueError for a NaN or an infinity.
    Source: the practical 80-prompt evaluation, Composite score ("mean of qualifying judges' averages").
    """
    # numpy's own floats round in another way.
    taken = list(means) if decimals is None else [round(float(mean), decimals) for mean in means]
    if not taken:
        return None
    total = fsum(taken)
    if not isfinite(total):
        raise ValueError(f"the mean of a judge is finite, got {taken}")
    return total / len(taken)


def unit_mark(mark: Number) -> Number:
    """A mark of 1..5, or a mean of marks, on 0..1: (mark - 1) / 4.

    Source: the practical 80-prompt evaluation, Composite score.
    """
    return (mark - MARK_MIN) / (MARK_MAX - MARK_MIN)


@dataclass(frozen=True, slots=True)
class Shares:
    """How much of a composite each part is; they sum to 1, and an absent part has 0."""

    judge: float
    geval: float


def composite_shares(judge: float | None, geval: float | None) -> Shares | None:
    """The shares of the two parts from their weights >= 0, None for a part that is absent.

    The weights are scaled to sum to 1 over the parts that are there. None where none is, or all that are weigh 0.
    ValueError for other weights.
    Source: the practical 80-prompt evaluation, Composite score ("configurable weighted average"); the scaling where a
    part is absent is a decision of ours.
    """
    weights = judge or 0.0, geval or 0.0
    if not all(isfinite(weight) and weight >= 0 for weight in weights):
        raise ValueError(f"a weight is a finite number >= 0, got {judge!r} and {geval!r}")
    total = sum(weights)
    return Shares(weights[0] / total, weights[1] / total) if total else None


def composite(judge: Number | None, geval: Number | None, shares: Shares) -> Number:
    """The composite, 0..1, higher is better: the weighted mean of (judge - 1) / 4 and the G-Eval mean.

    judge: a judge mean, 1..5; geval: a G-Eval mean, 0..1; numbers, or arrays of one shape. What has no share is not
    looked at. ValueError where a part is None that has a share.
    Source: the practical 80-prompt evaluation, Composite score.
    """
    parts = []
    if shares.judge and judge is not None:
        parts.append(shares.judge * unit_mark(judge))
    if shares.geval and geval is not None:
        parts.append(shares.geval * geval)
    if len(parts) != (shares.judge > 0) + (shares.geval > 0):
        raise ValueError(f"a part of the composite is absent that has a share: {shares}")
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def overall_of_composite(composite: float, answered: int, failed: int) -> float:
    """The overall score, 0..100, of a composite over `answered` answers, where `failed` more count as 0.

    100 * composite * answered / (answered + failed). It is the mean over all answers of each one's composite, also
    where the composite is made of rounded means. ValueError for no answer.
    Source: a decision of ours, so that a composite and the score made of it cannot disagree.
    """
    if answered < 0 or failed < 0 or answered + failed == 0:
        raise ValueError(f"an overall score needs an answer, got {answered} and {failed} failed")
    return PERCENT * composite * answered / (answered + failed)


def efficiency(judge_mean: float, mean_tokens: float) -> Measure:
    """Quality for its length, higher is better: judge mean / log2(mean output tokens), unitless.

    judge_mean: 1..5. mean_tokens: over the answers. Undefined for means of one token or fewer, where the logarithm is
    not positive. ValueError for a NaN or an infinity.
    Source: the practical 80-prompt evaluation, Efficiency score.
    """
    if not (isfinite(judge_mean) and isfinite(mean_tokens)):
        raise ValueError(f"efficiency is of finite numbers, got {judge_mean!r} and {mean_tokens!r}")
    if mean_tokens <= 1:
        return Measure.undefined("answers of one token or fewer on average")
    return Measure(judge_mean / log2(mean_tokens))

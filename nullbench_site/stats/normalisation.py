"""A judge's own mean and spread -> judge-normalised scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

CENTRE = 3.0


@dataclass(frozen=True, slots=True)
class JudgeSums:
    """What a shard must remember of one judge's scores: count, sum, sum of squares.

    `+` merges two shards. Integers, hence exact: the usual loss of digits in "mean of squares less square of
    mean" cannot happen.
    ValueError for sums that no integers can have.
    """

    n: int = 0
    total: int = 0
    total_sq: int = 0

    def __post_init__(self) -> None:
        if self.n < 0 or self.total_sq < 0 or self.n * self.total_sq < self.total**2:
            raise ValueError(f"no scores have these sums: {self}")

    def __add__(self, other: JudgeSums) -> JudgeSums:
        """The sums of both shards together."""
        return JudgeSums(self.n + other.n, self.total + other.total, self.total_sq + other.total_sq)


@dataclass(frozen=True, slots=True)
class JudgeMoments:
    """Count, mean and population standard deviation of all axis scores one judge gave on a board."""

    n: int
    mean: float
    sd: float


def judge_sums(scores: Iterable[int]) -> JudgeSums:
    """The sums of one judge's valid axis scores (1..5), to be merged with `+` over shards."""
    valid = list(scores)
    return JudgeSums(len(valid), sum(valid), sum(score * score for score in valid))


def judge_moments(sums: JudgeSums) -> JudgeMoments | None:
    """Mean and population standard deviation (divisor n) from sums; None for a judge without a score.

    Source: nullbench methodology, Reliability and Agreement ("per-judge normalization stats").
    """
    if sums.n == 0:
        return None
    spread = sums.n * sums.total_sq - sums.total**2
    return JudgeMoments(n=sums.n, mean=sums.total / sums.n, sd=sqrt(spread) / sums.n)


def judge_z(score: float, moments: JudgeMoments) -> float:
    """A judge's `score` in that judge's own standard deviations from its own mean, shown as 3 + z.

    Higher is better. A judge with no variance has no scale of its own: every score of it gives 3.
    Source: nullbench methodology, Reliability and Agreement ("z-scores re-centered to mu = 3, sigma = 1").
    """
    if moments.sd == 0:
        return CENTRE
    return CENTRE + (score - moments.mean) / moments.sd

"""The judges of a panel: one number from their marks, complete and lenient judges, and the agreement of pairs.

Marks of 1-5 are in arrays (answers, judges), NaN if a judge gave none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, log2, sqrt
from statistics import fmean
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.agreement import alpha_of_table, coincidences, pair_tables, places, spearman
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.scores import PERCENT_MAX, PERCENT_MIN

if TYPE_CHECKING:
    from nullbench_site.stats.arrays import Floats


MARK_MIN, MARK_MAX = 1, 5
PERCENT = 100

Number = TypeVar("Number", float, "Floats")


def judge_mean(means: Iterable[float], decimals: int | None = None) -> float | None:
    """Return the judges' score of a contestant, 1..5: the mean over judges of each judge's mean mark.

    Higher is better.
    means: of the judges with complete coverage, in any order.
    decimals: round each mean to so many decimals first, as some published boards do. `round` works on the float, so
    4.675, a float just below, becomes 4.67.
    None without a judge.
    Source: the practical 80-prompt evaluation, Composite score ("mean of qualifying judges' averages").
    """
    # numpy's floats round differently
    taken = list(means) if decimals is None else [round(float(mean), decimals) for mean in means]
    if not taken:
        return None
    total = fsum(taken)
    return total / len(taken)


def unit_mark(mark: Number) -> Number:
    """Return a mark of 1..5, or a mean of marks, on 0..1: (mark - 1) / 4.

    Source: the practical 80-prompt evaluation, Composite score.
    """
    return (mark - MARK_MIN) / (MARK_MAX - MARK_MIN)


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of each part in a composite. They sum to 1; an absent part has 0."""

    judge: float
    geval: float


def composite_shares(judge: float | None, geval: float | None) -> Shares | None:
    """Return the shares of the two parts from their weights >= 0, None for an absent part.

    The weights of the present parts are scaled to sum to 1. None if no part is present, or all present parts weigh 0.
    Source: the practical 80-prompt evaluation, Composite score ("configurable weighted average"); the scaling for an
    absent part is a decision of ours.
    """
    weights = judge or 0.0, geval or 0.0
    total = sum(weights)
    return Shares(weights[0] / total, weights[1] / total) if total else None


def composite(judge: Number | None, geval: Number | None, shares: Shares) -> Number:
    """Return the composite, 0..1, higher is better: the weighted mean of (judge - 1) / 4 and the G-Eval mean.

    judge: a judge mean, 1..5; geval: a G-Eval mean, 0..1; numbers, or arrays of one shape. A part with a share of 0 is
    not used.
    Source: the practical 80-prompt evaluation, Composite score.
    """
    parts = []
    if shares.judge and judge is not None:
        parts.append(shares.judge * unit_mark(judge))
    if shares.geval and geval is not None:
        parts.append(shares.geval * geval)
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def overall_of_composite(composite: float, answered: int, failed: int) -> float:
    """Return the overall score, 0..100, of a composite over `answered` answers and `failed` answers that count as 0.

    100 * composite * answered / (answered + failed). This is the mean over all answers of each answer's composite, even
    if the composite is made of rounded means.
    Source: a decision of ours, so that a composite and the score made of it cannot disagree.
    """
    return PERCENT * composite * answered / (answered + failed)


def efficiency(judge_mean: float, mean_tokens: float) -> Measure:
    """Return quality for its length, higher is better: judge mean / log2(mean output tokens), unitless.

    judge_mean: 1..5. mean_tokens: over the answers. Undefined for means of one token or fewer, whose logarithm is not
    positive.
    Source: the practical 80-prompt evaluation, Efficiency score.
    """
    if mean_tokens <= 1:
        return Measure.undefined("answers of one token or fewer on average")
    return Measure(judge_mean / log2(mean_tokens))


NO_ANSWER = "no answer was marked by both"
NO_PAIR = "no answer has both a mark and a G-Eval score"
_FEW = 8
"""numpy adds up to this many numbers one by one, much faster along the first dimension; it adds more numbers in parts.
"""


def complete_judges(marks: Floats, due: Bools) -> Bools:
    """Return which judges have complete coverage, (judges,): they marked every answer that was due, and at least one.

    marks: (answers, judges), of the answers that did not fail. due: the same shape, which judge is to mark which
    answer.
    Source: the practical 80-prompt evaluation, Composite score ("only judges with complete coverage").
    """
    given = ~np.isnan(marks)
    complete: Bools = np.logical_and(np.all(given | ~due, axis=0), np.any(given, axis=0))
    return complete


def mean_of_known(values: Floats, axis: int = 1) -> Floats:
    """Return the mean along one dimension of the values that are not NaN; NaN if all are.

    axis: the second dimension of (answers, ...) by default.
    For marks this is the panel's mean of each answer; for (answers, metrics), the G-Eval score of each, 0..1.
    Source: the practical 80-prompt evaluation, DeepEval scoring (the average of an answer's metrics).
    """
    if values.shape[axis] < _FEW:
        values, axis = np.moveaxis(values, axis, 0).copy(), 0
    known = ~np.isnan(values)
    n, total = known.sum(axis=axis), np.where(known, values, 0.0).sum(axis=axis)
    mean: Floats = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return mean


def clamped_mean(given: npt.ArrayLike) -> Floats:
    """Return goal alignment or quality of each item over its judges, (items,) 0..100, higher is better.

    The mean is clamped after averaging: a judge's 150 and another's 50 make 100, not 75.
    given: (items, judges) integers, NaN for an invalid or missing one, which is left out.
    NaN if no judge gave an integer: the caller counts such an item as 0 (methodology, Failure Handling).
    Source: nullbench methodology, Methodology ("we average and clamp to 0-100").
    """
    by_judge = np.asarray(given, dtype=np.float64).T.copy()
    known = ~np.isnan(by_judge)
    n, total = known.sum(axis=0), np.where(known, by_judge, 0.0).sum(axis=0)
    clamped = np.clip(total, PERCENT_MIN * n, PERCENT_MAX * n)
    mean: Floats = np.divide(clamped, n, out=np.full(n.shape, np.nan), where=n > 0)
    return mean


def overall(groups: Mapping[str, Sequence[float]], weights: Mapping[str, float] | None = None) -> float | None:
    """Return the overall score of one contestant on a board, in the unit of the scores (0..100), higher is better.

    groups: group (domain or category) -> the goal alignment of each of its items. The result is the unweighted mean of
    the group means, over the groups that have items. None if no group has an item.
    weights: group -> its weight > 0, if a board weighs its constructs; they are scaled to sum to 1.
    Sums are exactly rounded (fmean), so the order of items and of groups cannot change the last digit.
    Source: nullbench methodology, Interpretation, overall = (1/|G|) sum_g (1/n_g) sum_i GA_gi.
    """
    means = {group: fmean(scores) for group, scores in groups.items() if len(scores)}
    if not means:
        return None
    return fmean(means.values(), None if weights is None else [weights[group] for group in means])


def mean_filled(values: Floats, known: Bools, due: Bools) -> Floats:
    """Return the `known` values, and for other `due` answers the mean of the known ones; (answers,), NaN elsewhere.

    The mean over all due answers is then that of the known ones. All NaN if none is known.
    Source: the practical 80-prompt evaluation, DeepEval scoring (the mean over the answers that have a score).
    """
    mean = values[known].mean() if known.any() else np.nan
    return np.where(known, values, np.where(due, mean, np.nan))


def linearised_mean(values: Floats, known: Bools, due: Bools) -> Floats:
    """Return values with the mean of `mean_filled` and the spread for its standard error, (answers,).

    With the mean g of the m known of n due: g + n / m * (value - g) for known answers, g for the others. The standard
    error of their mean is that of a mean of m values; with filled-in means it would be about m / n of that.
    Source: Cochran (1977), Sampling Techniques, chapter 6 (ratio estimates): the linearised ratio of two sums.
    """
    filled = mean_filled(values, known, due)
    if not known.any():
        return filled
    mean = values[known].mean()
    return np.where(known, mean + due.sum() / known.sum() * (values - mean), filled)


def spread_of_each(marks: Floats) -> Floats:
    """Return the highest less the lowest mark of each answer, (answers,) in its unit; NaN for fewer than two marks."""
    by_judge = marks.T.copy()
    spread = np.fmax.reduce(by_judge) - np.fmin.reduce(by_judge)
    return np.where((~np.isnan(by_judge)).sum(axis=0) > 1, spread, np.nan)


def leniency(marks: Floats, judge: int) -> Measure:
    """Return how much higher a judge marks than the others, in marks; positive is lenient.

    It is the mean of its mark less the mean of the others' marks, over the answers that it and at least one other judge
    marked.
    judge: a column of `marks`. Undefined without such an answer.
    Source: a decision of ours (issue 4: judge leniency as a column).
    """
    own, others = marks[:, judge], mean_of_known(np.delete(marks, judge, axis=1))
    apart = (own - others)[~np.isnan(own) & ~np.isnan(others)]
    return Measure(float(apart.mean())) if apart.size else Measure.undefined("no answer was marked by another judge")


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two judges on the `n` answers that both marked.

    exact, adjacent: shares of 0..1. difference: in marks. correlation, alpha: at most 1.
    """

    n: int
    exact: Measure
    adjacent: Measure
    difference: Measure
    correlation: Measure
    alpha: Measure


def pair_agreement(one: Floats, other: Floats) -> PairAgreement:
    """Return how far two judges agree, from their marks of the same answers, (answers,) each.

    exact: the share of answers with the same mark. adjacent: with marks at most one apart. difference: the mean of the
    first's mark less the second's. correlation: `spearman`. alpha: the ordinal one of the two.
    Source: the shares are the plain ones of inter-rater agreement; the rest as named.
    """
    both = ~np.isnan(one) & ~np.isnan(other)
    a, b = one[both], other[both]
    if not a.size:
        nothing = Measure.undefined(NO_ANSWER)
        return PairAgreement(0, nothing, nothing, nothing, nothing, nothing)
    apart, (values, given) = a - b, places([a, b])
    tables = pair_tables(given, values.size, np.zeros(a.size, np.int64), 1)
    return PairAgreement(
        n=a.size,
        exact=Measure(float((apart == 0).mean())),
        adjacent=Measure(float((np.abs(apart) <= 1).mean())),
        difference=Measure(float(apart.mean())),
        correlation=spearman(a, b),
        alpha=alpha_of_table(coincidences(tables)[0]),
    )


@dataclass(frozen=True, slots=True)
class Distance:
    """Marks on 0..1 compared with G-Eval scores on the `n` answers that have both. correlation: at most 1."""

    n: int
    difference: Measure
    distance: Measure
    correlation: Measure


def distance_to_geval(marks: Floats, geval: Floats) -> Distance:
    """Return how far marks, 1..5, are from the G-Eval scores, 0..1, of the same answers.

    marks, geval: (answers,) each, NaN if missing.
    difference: the mean of (mark - 1) / 4 less G-Eval. distance: `mean_distance_to_geval`. correlation: `spearman`.
    Source: a decision of ours (issue 4: divergence between judges and G-Eval).
    """
    both = ~np.isnan(marks) & ~np.isnan(geval)
    if not both.any():
        nothing = Measure.undefined(NO_PAIR)
        return Distance(0, nothing, nothing, nothing)
    apart = unit_mark(marks[both]) - geval[both]
    return Distance(
        n=apart.size,
        difference=Measure(float(apart.mean())),
        distance=mean_distance_to_geval(marks, geval),
        correlation=spearman(marks[both], geval[both]),
    )


def mean_distance_to_geval(marks: Floats, geval: Floats) -> Measure:
    """Return the mean distance of marks from the G-Eval scores, 0..1, of the same answers; 0 is none.

    Marks of 1..5 are rescaled to 0..1.
    The mean of |(mark - 1) / 4 - G-Eval| over the answers that have both. marks, geval: (answers,) each, NaN if
    missing.
    Source: a decision of ours (issue 4: divergence between judges and G-Eval).
    """
    both = ~np.isnan(marks) & ~np.isnan(geval)
    if not both.any():
        return Measure.undefined(NO_PAIR)
    return Measure(float(np.abs(unit_mark(marks[both]) - geval[both]).mean()))


def nearest_mark(marks: Floats) -> Floats:
    """Return the nearest whole mark, a half upwards; NaN stays. Marks of short questions have fractions."""
    whole: Floats = np.floor(marks + 0.5)
    return whole


def mark_places(marks: Floats) -> Ints:
    """Return the place of each mark on the scale of 1-5, from 0, and -1 for none, as `pair_tables` takes it.

    A mark with a fraction counts as the nearest whole one.
    """
    return np.where(np.isnan(marks), MARK_MIN - 1, nearest_mark(marks)).astype(np.int64) - MARK_MIN


CENTRE = 3.0


@dataclass(frozen=True, slots=True)
class JudgeSums:
    """Count, sum and sum of squares of one judge's scores in a shard.

    `+` merges two shards. The sums are exact, so "mean of squares less square of mean" loses no digits.
    """

    n: int = 0
    total: int | Fraction = 0
    total_sq: int | Fraction = 0

    def __add__(self, other: JudgeSums) -> JudgeSums:
        """Return the sums of both shards together."""
        return JudgeSums(self.n + other.n, self.total + other.total, self.total_sq + other.total_sq)


@dataclass(frozen=True, slots=True)
class JudgeMoments:
    """Count, mean and population standard deviation of all axis scores that one judge gave on a board."""

    n: int
    mean: float
    sd: float


def judge_sums(scores: Iterable[int | Fraction]) -> JudgeSums:
    """Return the sums of one judge's valid axis scores (1..5), to be merged with `+` over shards."""
    valid = list(scores)
    return JudgeSums(len(valid), sum(valid), sum(score * score for score in valid))


def judge_moments(sums: JudgeSums) -> JudgeMoments | None:
    """Return the mean and population standard deviation (divisor n) from sums; None for a judge without a score.

    Source: nullbench methodology, Reliability and Agreement ("per-judge normalization stats").
    """
    if sums.n == 0:
        return None
    spread = sums.n * sums.total_sq - sums.total**2
    return JudgeMoments(n=sums.n, mean=float(sums.total / sums.n), sd=sqrt(spread) / sums.n)


def moments_of(marks: Floats) -> JudgeMoments | None:
    """Return the same of marks, (marks,) without NaN. Whole marks are summed as integers, so no digit is lost."""
    if np.array_equal(marks, nearest_mark(marks)):
        return judge_moments(judge_sums(marks.astype(np.int64).tolist()))
    return JudgeMoments(n=marks.size, mean=float(marks.mean()), sd=float(marks.std()))


def judge_z(score: float, moments: JudgeMoments) -> float:
    """Return a judge's `score` as 3 + z: z is its distance from that judge's mean in that judge's standard deviations.

    Higher is better. A judge with no variance has no scale of its own: each of its scores gives 3.
    Source: nullbench methodology, Reliability and Agreement ("z-scores re-centered to mu = 3, sigma = 1").
    """
    if moments.sd == 0:
        return CENTRE
    return CENTRE + (score - moments.mean) / moments.sd

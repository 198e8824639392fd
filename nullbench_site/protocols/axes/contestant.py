"""The answers of one contestant to an `axes` board, and the ratings of each judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import msgspec
import numpy as np

from nullbench_site.protocols.axes.judging import GATES, GOAL_ALIGNMENT, QUALITY
from nullbench_site.protocols.axes.metrics import AxesJudgeRow, JudgeModelRow
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.results import JudgeRow
from nullbench_site.scoring.scorer import Contestant
from nullbench_site.scoring.states import ERRORED, NO_ANSWER, REFUSED, SCORED, UNPARSED
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import (
    JudgeMoments,
    JudgeSums,
    clamped_mean,
    judge_moments,
    judge_sums,
    judge_z,
    mean_of_known,
    nearest_mark,
    spread_of_each,
)

NORMALISED_DECIMALS = 2
"""The decimals of normalised means, as pages show them.

One new answer moves every judge's scale; further decimals of every contestant would then change in each run.
"""


_UNIT = 10**6
"""Ratings with a fraction count with six digits, as records have them."""


@dataclass(frozen=True)
class JudgeTally:
    """The invalid fields in a judge's replies about one contestant, and the sums of its valid axis scores, by axis."""

    invalid_fields: int
    sums: Mapping[str, JudgeSums]

    @property
    def moments(self) -> JudgeMoments | None:
        return judge_moments(sum(self.sums.values(), JudgeSums()))


def judge_tallies(
    observations: Observations, judges: Sequence[str], ratings: Floats, slots: Ints, axes: Sequence[str]
) -> dict[str, JudgeTally]:
    """Return the tally of each judge.

    ratings: (units, judges, slots). slots: (units, slots) places in `axes`, -1 for none.
    """
    return {
        judge: JudgeTally(
            invalid_fields=int(observations.invalid[:, place].sum()),
            sums=_sums(ratings[:, place], slots, axes),
        )
        for place, judge in enumerate(judges)
    }


def _sums(ratings: Floats, slots: Ints, axes: Sequence[str]) -> dict[str, JudgeSums]:
    """Return the sums of one judge's ratings, (units, slots), by axis.

    Ratings are integers, so the sums are exact; those of short questions have fractions, and their sums have too.
    """
    known = ~np.isnan(ratings)
    axis, rating = slots[known], ratings[known]
    if not np.array_equal(rating, nearest_mark(rating)):
        exact = [judge_sums(map(_fraction, rating[axis == place].tolist())) for place in range(len(axes))]
        return {name: of_axis for name, of_axis in zip(axes, exact, strict=True) if of_axis.n}
    n, total, total_sq = (
        np.bincount(axis, weights, minlength=len(axes)).astype(np.int64).tolist()
        for weights in (None, rating, np.square(rating))
    )
    sums = {name: JudgeSums(*of_axis) for name, *of_axis in zip(axes, n, total, total_sq, strict=True)}
    return {name: of_axis for name, of_axis in sums.items() if of_axis.n}


def _fraction(rating: float) -> Fraction:
    return Fraction(round(rating * _UNIT), _UNIT)


def board_moments(tallies: Iterable[Mapping[str, JudgeTally]], judges: Sequence[str]) -> dict[str, JudgeMoments | None]:
    """Return each judge's mean and spread over the whole board, which give the scale of its z-scores."""
    totals = dict.fromkeys(judges, JudgeSums())
    for of_contestant in tallies:
        for judge in judges:
            totals[judge] = sum(of_contestant[judge].sums.values(), totals[judge])
    return {judge: judge_moments(total) for judge, total in totals.items()}


def axes_judge_rows(
    rows: Iterable[JudgeRow], tallies: Sequence[Mapping[str, JudgeTally]], moments: Mapping[str, JudgeMoments | None]
) -> list[AxesJudgeRow]:
    """Return a row for each judge, in the panel's order. rows: those that every protocol has."""
    ended = {row.judge: msgspec.structs.asdict(row) for row in rows}
    return [
        AxesJudgeRow(
            **ended[judge],
            invalid_fields=sum(own[judge].invalid_fields for own in tallies),
            n_scores=scale.n if scale else 0,
            mean=scale.mean if scale else None,
            sd=scale.sd if scale else None,
        )
        for judge, scale in moments.items()
    ]


def judge_model_rows(
    tallies: Mapping[str, Mapping[str, JudgeTally]], moments: Mapping[str, JudgeMoments | None]
) -> list[JudgeModelRow]:
    """Return each judge's mean score for each contestant, raw and on the judge's own scale."""
    rows = []
    for model, of_contestant in tallies.items():
        for judge, scale in moments.items():
            own = of_contestant[judge].moments
            normalised = round(judge_z(own.mean, scale), NORMALISED_DECIMALS) if own and scale else None
            rows.append(JudgeModelRow(judge=judge, model=model, mean=own.mean if own else None, normalised=normalised))
    return rows


def normalised_axes(
    tallies: Mapping[str, JudgeTally], axes: Sequence[str], moments: Mapping[str, JudgeMoments | None]
) -> dict[str, float | None]:
    """Return a contestant's normalised mean per axis: the mean of 3 + z over the scores of all its judges.

    3 + z is linear in the score, so the mean over a judge's scores is that of the judge's mean.
    """
    result: dict[str, float | None] = {}
    for axis in axes:
        weighted, n = 0.0, 0
        for judge, tally in sorted(tallies.items()):
            scale, own = moments[judge], judge_moments(tally.sums.get(axis, JudgeSums()))
            if own is not None and scale is not None:
                weighted += own.n * judge_z(own.mean, scale)
                n += own.n
        result[axis] = round(weighted / n, NORMALISED_DECIMALS) if n else None
    return result


SCORES = (GOAL_ALIGNMENT, QUALITY, *GATES.values())
"""The scores before the ratings on axes in the values of a judgment."""
REFUSED_AXIS, FAILED_AXIS = 1.0, 0.0


@dataclass(frozen=True, slots=True)
class UnitScores:
    """The scores of responses, as arrays whose first dimension is the responses.

    state: places in STATES. axes: (responses, axes of the category), NaN if no judge gave a valid score. spread: the
    highest minus the lowest goal alignment by a judge, NaN with fewer than two. refused_by: for each gate, "answer" and
    "prompt", where it fired.
    """

    state: Ints
    goal_alignment: Floats
    quality: Floats
    axes: Floats
    spread: Floats
    refused_by: Mapping[str, Bools]


@dataclass(frozen=True)
class Measurable:
    """What responses can have on a board of short questions. quality: (responses,). axes: (responses, axes)."""

    quality: Bools
    axes: Bools


def unit_scores(answered: Bools, values: Floats, votes: int, measurable: Measurable | None = None) -> UnitScores:
    """Return the scores of responses from those of the judges.

    answered: (responses,) False where the call failed. values: (responses, judges, SCORES and then axes), NaN for none.
    votes: how many make a refusal. measurable: what responses can have, if that is not all; the rest is NaN, never 0.
    """
    of = {name: values[:, :, place] for place, name in enumerate(SCORES)}
    refused_by = _refused_by(answered, values, votes)
    refused = np.any(list(refused_by.values()), axis=0)
    counts = answered & ~refused
    alignment, quality = (clamped_mean(of[name]) for name in (GOAL_ALIGNMENT, QUALITY))
    unparsed = counts & np.isnan(alignment)
    means = mean_of_known(values[:, :, len(SCORES) :])
    # If a judge rated other axes, an axis that no judge rated is not measured, not even for a refusal.
    measured = ~np.isnan(means) | np.isnan(means).all(axis=1, keepdims=True)
    means[refused[:, np.newaxis] & measured], means[~answered] = REFUSED_AXIS, FAILED_AXIS
    has_quality = np.ones_like(answered)
    if measurable is not None:
        means[~measurable.axes] = np.nan
        # A judge that cannot answer a question about a fact of the item gives no quality where it gives alignment.
        has_quality = measurable.quality & ~(counts & np.isnan(quality) & ~np.isnan(alignment))
    return UnitScores(
        state=np.select([~answered, refused, unparsed], [ERRORED, REFUSED, UNPARSED], SCORED),
        goal_alignment=np.where(counts, np.nan_to_num(alignment), 0.0),
        quality=np.where(has_quality, np.where(counts, np.nan_to_num(quality), 0.0), np.nan),
        axes=means,
        spread=spread_of_each(of[GOAL_ALIGNMENT]),
        refused_by=refused_by,
    )


def goal_alignments(answered: Bools, values: Floats, votes: int) -> Floats:
    """Return (responses,) the goal alignment only, as in `unit_scores`; NaN if no judge gave one."""
    refused = np.any(list(_refused_by(answered, values, votes).values()), axis=0)
    return np.where(answered & ~refused, clamped_mean(values[:, :, SCORES.index(GOAL_ALIGNMENT)]), 0.0)


def _refused_by(answered: Bools, values: Floats, votes: int) -> dict[str, Bools]:
    """Return for each gate (responses,) where it fired."""
    return {
        gate: answered & (np.count_nonzero(values[:, :, SCORES.index(name)] == 1, axis=1) >= votes)
        for gate, name in GATES.items()
    }


@dataclass(frozen=True)
class ItemColumns:
    """The scores of the items that have a response, in the order of their numbers.

    axes: (items, slots), as in `AxesScorer.slots`. Scores and seconds are means over draws; axes and spread are NaN
    without a score.
    """

    number: Ints
    goal_alignment: Floats
    quality: Floats
    spread: Floats
    seconds: Floats
    axes: Floats

    @classmethod
    def of(cls, scores: UnitScores, seconds: Floats, present: Bools, draws: int) -> ItemColumns:
        """Return the means over draws of responses. present: (units,) which responses count."""

        def mean(column: Floats) -> Floats:
            alive = np.where(present.reshape(-1, *(1,) * (column.ndim - 1)), column, np.nan)
            return mean_of_known(alive.reshape(-1, draws, *column.shape[1:]))

        columns = cls(
            number=np.arange(present.size // draws),
            goal_alignment=mean(scores.goal_alignment),
            quality=mean(scores.quality),
            spread=mean(scores.spread),
            seconds=mean(seconds),
            axes=mean(scores.axes),
        )
        there = np.any(present.reshape(-1, draws), axis=1)
        return cls(**{name: column[there] for name, column in vars(columns).items()})


@dataclass(kw_only=True)
class AxesContestant(Contestant):
    """One contestant on a whole board.

    state: (units,) places in STATES, or NO_ANSWER. refused_by: for each gate, how many responses it refused. ungated:
    for a null model, (items,) the goal alignment if no gate applied.
    """

    state: Ints
    items: ItemColumns
    refused_by: Mapping[str, int]
    tallies: Mapping[str, JudgeTally]
    ungated: Floats | None = None

    @property
    def counted(self) -> Bools:
        """(units,) the answers that count."""
        counted: Bools = self.state != NO_ANSWER
        return counted

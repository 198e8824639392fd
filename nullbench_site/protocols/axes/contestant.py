"""The answers of one contestant to an `axes` board, and the ratings of each judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from nullbench_site.protocols.axes.judging import GATES, GOAL_ALIGNMENT, QUALITY
from nullbench_site.protocols.axes.metrics import AxesJudgeRow, JudgeModelRow
from nullbench_site.scoring.agreement import Rated
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.results import JudgeRow
from nullbench_site.scoring.scorer import Contestant
from nullbench_site.scoring.states import ERRORED, REFUSED, SCORED, UNPARSED
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import (
    JudgeMoments,
    JudgeSums,
    clamped_mean,
    judge_moments,
    judge_z,
    mean_of_known,
    spread_of_each,
)

NORMALISED_DECIMALS = 2
"""Of normalised means, as pages show them. Any one answer moves every judge's scale, and with it the decimals behind
these of every contestant: in each run all would be new."""


@dataclass(frozen=True)
class JudgeTally:
    """What was invalid of a judge's replies about one contestant, and the sums of its valid axis scores, by axis."""

    invalid_fields: int
    sums: Mapping[str, JudgeSums]

    @property
    def moments(self) -> JudgeMoments | None:
        return judge_moments(sum(self.sums.values(), JudgeSums()))


def judge_tallies(
    observations: Observations, judges: Sequence[str], ratings: Floats, slots: Ints, axes: Sequence[str]
) -> dict[str, JudgeTally]:
    """The tally of each judge. ratings: (units, judges, slots). slots: (units, slots) places in `axes`, -1 for none."""
    return {
        judge: JudgeTally(
            invalid_fields=int(observations.invalid[:, place].sum()),
            sums=_sums(ratings[:, place], slots, axes),
        )
        for place, judge in enumerate(judges)
    }


def _sums(ratings: Floats, slots: Ints, axes: Sequence[str]) -> dict[str, JudgeSums]:
    """The sums of one judge's ratings, (units, slots), by axis; of whole numbers, so exact."""
    known = ~np.isnan(ratings)
    axis, rating = slots[known], ratings[known]
    n, total, total_sq = (
        np.bincount(axis, weights, minlength=len(axes)).astype(np.int64).tolist()
        for weights in (None, rating, np.square(rating))
    )
    sums = {name: JudgeSums(*of_axis) for name, *of_axis in zip(axes, n, total, total_sq, strict=True)}
    return {name: of_axis for name, of_axis in sums.items() if of_axis.n}


def board_moments(tallies: Iterable[Mapping[str, JudgeTally]], judges: Sequence[str]) -> dict[str, JudgeMoments | None]:
    """Each judge's mean and spread over the whole board: the scale its z-scores are on."""
    totals = dict.fromkeys(judges, JudgeSums())
    for of_contestant in tallies:
        for judge in judges:
            totals[judge] = sum(of_contestant[judge].sums.values(), totals[judge])
    return {judge: judge_moments(total) for judge, total in totals.items()}


def axes_judge_rows(
    rows: Iterable[JudgeRow], tallies: Sequence[Mapping[str, JudgeTally]], moments: Mapping[str, JudgeMoments | None]
) -> list[AxesJudgeRow]:
    """A row a judge, in the panel's order. rows: what every protocol tells of judges."""
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
    """What each judge gave each contestant on average, raw and on the judge's own scale."""
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
    """A contestant's judge-normalised average per axis: the mean of 3 + z over all its judges' scores.

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
"""What stands before the ratings on axes in what a judge gave."""
REFUSED_AXIS, FAILED_AXIS = 1.0, 0.0


@dataclass(frozen=True, slots=True)
class UnitScores:
    """The scores of responses: arrays whose first dimension is the responses.

    state: numbers of STATES. axes: (responses, axes of its category), NaN where no judge gave a valid score.
    spread: points between the judges' highest and lowest goal alignment, NaN with fewer than two. refused_by: gate,
    "answer" or "prompt" -> where it fired.
    """

    state: Ints
    goal_alignment: Floats
    quality: Floats
    axes: Floats
    spread: Floats
    refused_by: Mapping[str, Bools]


def unit_scores(answered: Bools, values: Floats, votes: int) -> UnitScores:
    """The scores of responses from what the judges gave them.

    answered: (responses,) False where the target failed. values: (responses, judges, SCORES and then axes), NaN for
    none. votes: how many make a refusal.
    """
    of = {name: values[:, :, place] for place, name in enumerate(SCORES)}
    refused_by = _refused_by(answered, values, votes)
    refused = np.any(list(refused_by.values()), axis=0)
    counts = answered & ~refused
    alignment, quality = (clamped_mean(of[name]) for name in (GOAL_ALIGNMENT, QUALITY))
    unparsed = counts & np.isnan(alignment)
    means = mean_of_known(values[:, :, len(SCORES) :])
    # Where a judge rated other axes, one that nobody rated is not measured, of a refusal either.
    measured = ~np.isnan(means) | np.isnan(means).all(axis=1, keepdims=True)
    means[refused[:, np.newaxis] & measured], means[~answered] = REFUSED_AXIS, FAILED_AXIS
    return UnitScores(
        state=np.select([~answered, refused, unparsed], [ERRORED, REFUSED, UNPARSED], SCORED),
        goal_alignment=np.where(counts, np.nan_to_num(alignment), 0.0),
        quality=np.where(counts, np.nan_to_num(quality), 0.0),
        axes=means,
        spread=spread_of_each(of[GOAL_ALIGNMENT]),
        refused_by=refused_by,
    )


def goal_alignments(answered: Bools, values: Floats, votes: int) -> Floats:
    """(responses,) the goal alignment of each alone, as `unit_scores`; NaN where no judge gave one."""
    refused = np.any(list(_refused_by(answered, values, votes).values()), axis=0)
    return np.where(answered & ~refused, clamped_mean(values[:, :, SCORES.index(GOAL_ALIGNMENT)]), 0.0)


def _refused_by(answered: Bools, values: Floats, votes: int) -> dict[str, Bools]:
    """Gate -> (responses,) where it fired."""
    return {
        gate: answered & (np.count_nonzero(values[:, :, SCORES.index(name)] == 1, axis=1) >= votes)
        for gate, name in GATES.items()
    }


@dataclass(frozen=True)
class ItemColumns:
    """A place a item that has a response, in the order of their numbers.

    axes: (items, slots), as `AxesScorer.slots`. The
    scores and seconds are means over samples; axes and spread are NaN where there is none.
    """

    number: Ints
    goal_alignment: Floats
    quality: Floats
    spread: Floats
    seconds: Floats
    axes: Floats

    @classmethod
    def of(cls, scores: UnitScores, seconds: Floats, present: Bools, samples: int) -> ItemColumns:
        """The means over samples of responses. present: (units,) which responses count."""

        def mean(column: Floats) -> Floats:
            alive = np.where(present.reshape(-1, *(1,) * (column.ndim - 1)), column, np.nan)
            return mean_of_known(alive.reshape(-1, samples, *column.shape[1:]))

        columns = cls(
            number=np.arange(present.size // samples),
            goal_alignment=mean(scores.goal_alignment),
            quality=mean(scores.quality),
            spread=mean(scores.spread),
            seconds=mean(seconds),
            axes=mean(scores.axes),
        )
        there = np.any(present.reshape(-1, samples), axis=1)
        return cls(**{name: column[there] for name, column in vars(columns).items()})


@dataclass(kw_only=True)
class AxesContestant(Contestant):
    """state: (units,) numbers of STATES, or NO_ANSWER. refused_by: gate -> how many responses it refused.

    rated: how the judges rated each axis of each response.
    ungated: of a null model, (items,) the goal alignment of each were no gate applied.
    """

    state: Ints
    items: ItemColumns
    refused_by: Mapping[str, int]
    tallies: Mapping[str, JudgeTally]
    rated: Rated
    ungated: Floats | None = None

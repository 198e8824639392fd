"""What the judges of an `axes` board did: agreement, each judge's scale, normalised averages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from nullbench_site.protocols.axes.results import AxesJudgeRow, JudgeModelRow
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.results import JudgeRow
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.judges import JudgeMoments, JudgeSums, judge_moments, judge_z

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

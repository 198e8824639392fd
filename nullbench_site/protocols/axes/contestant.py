"""What one contestant's answers come to on an `axes` board: a row an item, refusals, and how ratings fell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nullbench_site.protocols.axes.judging import GATES, GOAL_ALIGNMENT, QUALITY
from nullbench_site.protocols.axes.panel import JudgeTally
from nullbench_site.scoring.agreement import Rated
from nullbench_site.scoring.scorer import Contestant
from nullbench_site.scoring.states import ERRORED, REFUSED, SCORED, UNPARSED
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import clamped_mean, mean_of_known, spread_of_each

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

"""What one contestant's answers come to on an `axes` board: a row an item, refusals, and how ratings fell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nullbench_site.protocols.axes.judging import GATES, GOAL_ALIGNMENT, QUALITY
from nullbench_site.protocols.axes.panel import JudgeTally
from nullbench_site.scoring.scorer import Contestant
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import mean_of_known, spread_of_each
from nullbench_site.stats.scores import AXIS_MAX, axis_mean, clamped_mean

SCORES = (GOAL_ALIGNMENT, QUALITY, *GATES.values())
"""What stands before the ratings on axes in what a judge gave."""
STATES = ("scored", "refused", "errored", "unparsed")
"""How a response ended, by number."""
SCORED, REFUSED, ERRORED, UNPARSED = range(len(STATES))
REFUSED_AXIS, FAILED_AXIS = 1.0, 0.0


@dataclass(frozen=True, slots=True)
class RatingPatterns:
    """Ratings of 1-5 by how they fell, not by who gave them: of many responses few patterns come.

    counts: (patterns, 5), how many judges gave 1, 2, 3, 4, 5. which: (responses, axes), the pattern of each.
    """

    counts: Ints
    which: Ints

    def where(self, chosen: Bools) -> RatingPatterns:
        """The same where it is `chosen`, (responses, axes), and -1 elsewhere: kept for a whole board, and so small."""
        return RatingPatterns(self.counts, np.where(chosen, self.which, -1).astype(np.int32))

    @property
    def means(self) -> Floats:
        """(responses, axes) the mean of each; NaN where nobody gave a valid rating."""
        totals, numbers = self.counts @ np.arange(1, AXIS_MAX + 1), self.counts.sum(axis=1)
        values = map(axis_mean, totals.tolist(), numbers.tolist())
        return np.array(list(values), dtype=np.float64)[self.which]


@dataclass(frozen=True, slots=True)
class UnitScores:
    """The scores of responses: arrays whose first dimension is the responses.

    state: numbers of STATES. axes: (responses, axes of its category), NaN where no judge gave a valid score.
    spread: points between the judges' highest and lowest goal alignment, NaN with fewer than two. refused_by: gate,
    "answer" or "prompt" -> where it fired. ratings: how the judges' ratings fell on each axis.
    """

    state: Ints
    goal_alignment: Floats
    quality: Floats
    axes: Floats
    spread: Floats
    refused_by: Mapping[str, Bools]
    ratings: RatingPatterns


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
    ratings = rating_patterns(values[:, :, len(SCORES) :])
    means = ratings.means
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
        ratings=ratings,
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


def rating_patterns(given: Floats) -> RatingPatterns:
    """The patterns in `given`, (responses, judges, axes) of 1-5 or NaN."""
    base = given.shape[1] + 1
    # A pattern is the number whose digits, in this base, are its counts: no count reaches the base.
    digit = np.array([0, *(base**place for place in range(AXIS_MAX))])
    ratings = np.nan_to_num(given).astype(np.int64)
    numbers, which = np.unique(digit[ratings].sum(axis=1), return_inverse=True)
    counts = numbers[:, np.newaxis] // digit[1:] % base
    return RatingPatterns(counts, which.reshape(given.shape[0], given.shape[2]))


@dataclass(frozen=True)
class ItemColumns:
    """A place a item that has a response, in the order of their numbers.

    states: (items, states) how many samples ended in each of STATES. axes: (items, slots), as `AxesScorer.slots`. The
    scores and seconds are means over samples; axes and spread are NaN where there is none.
    """

    number: Ints
    states: Ints
    goal_alignment: Floats
    quality: Floats
    spread: Floats
    seconds: Floats
    axes: Floats

    @classmethod
    def of(cls, scores: UnitScores, seconds: Floats, present: Bools, samples: int) -> ItemColumns:
        """The means over samples of responses. present: (units,) which responses count."""
        states = np.zeros((present.size, len(STATES)), dtype=np.int64)
        states[present, scores.state[present]] = 1

        def mean(column: Floats) -> Floats:
            alive = np.where(present.reshape(-1, *(1,) * (column.ndim - 1)), column, np.nan)
            return mean_of_known(alive.reshape(-1, samples, *column.shape[1:]))

        columns = cls(
            number=np.arange(present.size // samples),
            states=states.reshape(-1, samples, len(STATES)).sum(axis=1),
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
    """refused_by: gate -> how many responses it refused. patterns: how ratings fell, as `panel` merges them.

    ratings: how they fell on each axis of each response that was scored, -1 elsewhere.
    ungated: of a null model, (items,) the goal alignment of each were no gate applied.
    """

    items: ItemColumns
    refused_by: Mapping[str, int]
    tallies: Mapping[str, JudgeTally]
    patterns: Ints
    ratings: RatingPatterns
    ungated: Floats | None = None

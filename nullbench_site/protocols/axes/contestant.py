"""What one contestant's answers come to on an `axes` board: a row an item, refusals, and how ratings fell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nullbench_site.protocols.axes.panel import JudgeTally
from nullbench_site.protocols.axes.units import STATES, RatingPatterns, UnitScores
from nullbench_site.scoring.board import Contestant
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import mean_of_known


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
        return columns.take(np.any(present.reshape(-1, samples), axis=1))

    def take(self, chosen: Bools) -> ItemColumns:
        """The items that are `chosen`, (items,), alone."""
        places = np.flatnonzero(chosen)
        return ItemColumns(**{name: column[places] for name, column in vars(self).items()})


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

"""One contestant's scores item by item, in columns."""

from __future__ import annotations

import msgspec
import numpy as np

from nullbench_site.protocols.axes.scores import STATES, UnitScores
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.marks import mean_of_known


class ItemColumns(msgspec.Struct, kw_only=True):
    """A place a item that has a response, in the order of their numbers in the board's Layout.

    states: (items, states) how many samples ended in each of STATES. axes: (items, slots), as Layout.slots. The scores
    and seconds are means over samples; axes and spread are NaN where there is none.
    """

    number: Ints
    states: Ints
    goal_alignment: Floats
    quality: Floats
    spread: Floats
    seconds: Floats
    axes: Floats

    def take(self, chosen: Bools) -> ItemColumns:
        """The items that are `chosen`, (items,), alone."""
        places = np.flatnonzero(chosen)
        return ItemColumns(**{name: getattr(self, name)[places] for name in self.__struct_fields__})

    def __len__(self) -> int:
        return self.number.size


def item_columns(scores: UnitScores, seconds: Floats, present: Bools, samples: int) -> ItemColumns:
    """The means over samples of responses, item by item.

    seconds, present: (items * samples,), as the scores; response `item * samples + sample` may be absent.
    """
    states = np.zeros((present.size, len(STATES)), dtype=np.int64)
    states[present, scores.state[present]] = 1

    def mean(column: Floats) -> Floats:
        alive = np.where(present.reshape(-1, *(1,) * (column.ndim - 1)), column, np.nan)
        return mean_of_known(alive.reshape(-1, samples, *column.shape[1:]))

    columns = ItemColumns(
        number=np.arange(present.size // samples),
        states=states.reshape(-1, samples, len(STATES)).sum(axis=1),
        goal_alignment=mean(scores.goal_alignment),
        quality=mean(scores.quality),
        spread=mean(scores.spread),
        seconds=mean(seconds),
        axes=mean(scores.axes),
    )
    return columns.take(np.any(present.reshape(-1, samples), axis=1))

"""How answers and replies end, in one order for every protocol."""

from __future__ import annotations

from functools import cached_property
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from nullbench_site.scoring.columns import ContestantT, Slice
from nullbench_site.scoring.observations import SCORED_VERDICT, UNPARSED_VERDICT
from nullbench_site.stats.arrays import Bools, Floats, Ints

STATES = ("errored", "unjudged", "unparsed", "refused", "unopposed", "scored")
"""How an answer ended, worst first; codes are places in this list.

unjudged: no judge replied. unparsed: no reply can be read. refused: by a gate. unopposed: it is in no game, because no
opponent has an answer or no opponent is to meet it.
"""
ERRORED, UNJUDGED, UNPARSED, REFUSED, UNOPPOSED, SCORED = range(len(STATES))
NO_ANSWER = len(STATES)
"""The code of an answer without a record."""


def answer_states(present: Bools, answered: Bools, scored: npt.ArrayLike, replied: npt.ArrayLike) -> Ints:
    """Return (units,) how each answer ended. replied: whether some judge replied, readable or not."""
    states: Ints = np.select(
        [~present, ~answered, np.asarray(scored), np.asarray(replied)],
        [NO_ANSWER, ERRORED, SCORED, UNPARSED],
        default=UNJUDGED,
    )
    return states


def of_items(states: Ints, draws: int) -> Ints:
    """Return the state of each item, (items,): that of its worst answer. NO_ANSWER if no draw has one."""
    worst: Ints = states.reshape(-1, draws).min(axis=1)
    return worst


def read_replies(values: Floats, verdicts: Ints) -> tuple[Floats, Ints]:
    """Return the valid scores, NaN for none, and how each verdict ended: without a valid score, it is unparsed."""
    given = np.where(verdicts == SCORED_VERDICT, values, nan)
    return given, np.where((verdicts == SCORED_VERDICT) & np.isnan(given), UNPARSED_VERDICT, verdicts)


class AnswerSlice(Slice[Any, ContestantT]):
    """The answers of a contestant to some items. `contestant.state`, (units,), says how each ended."""

    @cached_property
    def units(self) -> Bools:
        """(units,) the draws of these items."""
        return self.chosen.repeat(self.scorer.board.draws)

    def n(self, state: int) -> int:
        """Return how many answers ended in a state."""
        states: Ints = self.contestant.state  # type: ignore[attr-defined]
        return int((states[self.units] == state).sum())

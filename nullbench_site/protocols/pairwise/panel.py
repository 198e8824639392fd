"""The judges of a `pairwise` board: their seats, what they give to the answer shown first, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any

import numpy as np

from nullbench_site.protocols.pairwise.contestant import PairwiseContestant
from nullbench_site.protocols.pairwise.judging import ORDERS, template
from nullbench_site.protocols.pairwise.results import PairwiseJudgeRow
from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile
from nullbench_site.scoring.agreement import agreement_of_board
from nullbench_site.scoring.scorer import judge_rows
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import mark_counts, mean_of_known
from nullbench_site.stats.preferences import position_effect

MIDDLE = 3
"""The mark of a tie, where agreement is worked out on marks of 1-5."""


@dataclass(frozen=True)
class Seats:
    """The seats of a board: judge, opponent and order of each, the opponents by place in `names`."""

    names: tuple[str, ...]
    judges: tuple[str, ...]
    judge: Ints
    opponent: Ints
    order: Ints

    @cached_property
    def listed(self) -> list[tuple[str, str | None]]:
        each = zip(self.judge.tolist(), self.opponent.tolist(), self.order.tolist(), strict=True)
        return [
            (self.judges[judge], template(self.names[other], order if order >= 0 else None))
            for judge, other, order in each
        ]


@dataclass(frozen=True)
class PanelTables:
    """What the games of all contestants of a board tell of its judges."""

    board: PairwiseBoardFile
    seats: Seats
    contestants: Sequence[PairwiseContestant]

    def rows(self) -> Iterator[PairwiseJudgeRow]:
        """A row a judge, by id."""
        rows = {row.judge: row for row in judge_rows(self.seats.listed, self.contestants)}
        for number, judge in enumerate(self.seats.judges):
            first, flips, pairs = [], 0, 0
            for contestant in self.contestants:
                seats = self._once(contestant) & (self.seats.judge == number)
                at_first, at_second = by_order(self.board, contestant, seats)
                first += [at_first[~np.isnan(at_first)], 1 - at_second[~np.isnan(at_second)]]
                if seats.any():
                    effect = position_effect(at_first, at_second)
                    flips, pairs = flips + effect.flips, pairs + effect.pairs
            shares = np.concatenate([np.zeros(0), *first])
            plain = rows[judge]
            yield PairwiseJudgeRow(
                **{name: getattr(plain, name) for name in plain.__struct_fields__},
                n_placed=shares.size,
                first_share=100 * float(shares.mean()) if shares.size else None,
                pairs=pairs,
                flips=flips,
                absent={} if shares.size else {"first_share": "no game of which the order is known"},
            )

    def agreement(self, null_models: frozenset[str], n_items: int) -> dict[str, Any]:
        """Alpha of verdicts on the same two answers in the same order, and how sure it is."""
        counts = {each.model: self._counts(each) for each in self.contestants}
        return agreement_of_board(counts, null_models, n_items)

    def _once(self, contestant: PairwiseContestant) -> Bools:
        """(seats,) without those whose games stand in the records of the opponent too, and were taken from there."""
        if self.board.baselines and contestant.model not in self.board.baselines:
            return contestant.due_seats
        earlier = np.array([name < contestant.model for name in contestant.names])
        once: Bools = contestant.due_seats & ~earlier[contestant.opponent]
        return once

    def _counts(self, contestant: PairwiseContestant) -> tuple[Ints, Ints]:
        """(games, 5) how many judges gave each game 1 to 5, lost by far to won by far, 3 being a tie; (games,) items.

        A game is two answers in one order; games that stand in the records of both are counted once.
        """
        shares = np.where(self._once(contestant), contestant.shares, nan)
        marks = MIDDLE + np.sign(shares - 0.5) * np.where(contestant.weights > 1, 2, 1)
        n_units, n_judges = len(marks), len(self.seats.judges)
        by_game = marks.reshape(n_units, n_judges, -1).transpose(0, 2, 1)
        items = (np.arange(n_units) // self.board.samples).repeat(by_game.shape[1])
        counts = mark_counts(by_game.reshape(-1, n_judges))
        marked = counts.any(axis=1)
        return counts[marked], items[marked]


def by_order(
    board: PairwiseBoardFile, contestant: PairwiseContestant, seats: Bools | None = None
) -> tuple[Floats, Floats]:
    """(games,) the shares of games that show the contestant first, and of their mirrors, NaN where not played."""
    chosen = contestant.due_seats if seats is None else contestant.due_seats & seats
    shares, positions = contestant.shares[:, chosen], contestant.positions[:, chosen]
    by_place = [np.where(positions == place, shares, nan) for place in (0, 1)]
    if board.orders == "both":  # the seats of one judge and opponent stand side by side
        by_place = [mean_of_known(each.reshape(-1, len(ORDERS))) for each in by_place]
    return by_place[0].ravel(), by_place[1].ravel()

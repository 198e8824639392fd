"""What one contestant's games come to: its share of each, by opponent, and how each of its answers ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nullbench_site.scoring.scorer import Contestant
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import mean_of_known
from nullbench_site.stats.preferences import agreed_share
from nullbench_site.stats.verdicts import ratio_items

STATES = ("scored", "errored", "unparsed", "unopposed", "unjudged")
"""How an answer ended, by number; unopposed: it is in no game, as no opponent has an answer or none is to meet it."""
SCORED, ERRORED, UNPARSED, UNOPPOSED, UNJUDGED = range(len(STATES))
NO_ANSWER = -1
LOST = 0.0


@dataclass(kw_only=True)
class PairwiseContestant(Contestant):
    """One contestant on a whole board.

    names: whom a contestant may meet, in the order of columns. shares: (units, seats) its share of each game, 0..1, NaN
    for none; weights: what the game counts. positions: (units, seats) 0 shown first, 1 second, -1 not known. opponent:
    (seats,) the column of each seat's opponent. missing: (units, seats) verdicts that nobody was asked for yet. due:
    (units, seats) which are asked for where both have an answer. own: its own column, None where it is no baseline.
    state: (units,) numbers of STATES, or NO_ANSWER. answered, present: (units,). style: (units, 4) length, headers,
    list items, bold; NaN not known. token_alone: verdicts without log probabilities. verdicts_weigh: whether the board
    has verdicts with points. must_agree: whether a game is that of both orders, whose seats stand side by side.
    """

    n_items: int
    names: Sequence[str]
    shares: Floats
    weights: Floats
    positions: Ints
    opponent: Ints
    missing: Bools
    due: Bools
    own: int | None
    state: Ints
    answered: Bools
    present: Bools
    style: Floats
    token_alone: int
    verdicts_weigh: bool
    must_agree: bool

    @cached_property
    def counting(self) -> tuple[Floats, Floats]:
        """(units, seats) shares and weights as they count: where both orders have to agree, each has half of one game,
        which is none where a verdict of the two is lacking."""
        if not self.must_agree:
            return self.shares, self.weights
        agreed = agreed_share(self.shares[:, ::2], self.shares[:, 1::2]).repeat(2, axis=1)
        return agreed, np.full(agreed.shape, 0.5)

    @cached_property
    def of_pairs(self) -> tuple[Floats, Floats, Floats]:
        """(units, names) points, weights and mean share of the games with each; a baseline shares that with itself.

        The share is NaN where no game of the answer counts, and the weight 0.
        """
        points, weights, shares = (np.zeros((len(self.state), len(self.names))) for _ in range(3))
        share, weight = self.counting
        given = np.where(np.isnan(share), 0.0, weight)
        for column in np.unique(self.opponent).tolist():
            seats = self.opponent == column
            points[:, column] = (np.nan_to_num(share[:, seats]) * given[:, seats]).sum(axis=1)
            weights[:, column] = given[:, seats].sum(axis=1)
            shares[:, column] = mean_of_known(share[:, seats])
        if self.own is not None:
            points[:, self.own], weights[:, self.own] = np.where(self.answered, 0.5, 0.0), self.answered
            shares[:, self.own] = np.where(self.answered, 0.5, np.nan)
        return points, weights, shares

    @cached_property
    def lost(self) -> Floats:
        """(units, names) the weight of the games with each that it loses, as it has no answer."""
        lost = np.zeros((len(self.state), len(self.names)))
        of_seats = self.due & (self.state == ERRORED)[:, np.newaxis]
        np.add.at(lost.T, self.opponent, of_seats.T * (0.5 if self.must_agree else 1.0))
        return lost

    @cached_property
    def due_seats(self) -> Bools:
        """(seats,) which are asked for some answer."""
        due: Bools = np.any(self.due, axis=0)
        return due

    def judged_by(self, seats: Bools) -> PairwiseContestant:
        """The same as if these seats, (seats,), had been asked alone; how its answers ended is as by all."""
        return replace(self, shares=np.where(seats, self.shares, np.nan), due=self.due & seats)

    @cached_property
    def unit_shares(self) -> Floats:
        """(units,) the mean over opponents, each alike."""
        return mean_of_known(self.of_pairs[2])

    @cached_property
    def counted(self) -> Bools:
        """(units,) answers that judges replied about, and those that failed, which lose."""
        counted: Bools = np.isin(self.state, (SCORED, UNPARSED, ERRORED))
        return counted

    def overall(self, chosen: Bools) -> Floats:
        """(chosen items,) numbers whose mean is the overall score of these items, 0-100; NaN where none counts."""
        units = chosen.repeat(len(self.state) // self.n_items)
        failed = self.state[units] == ERRORED
        shape = (int(chosen.sum()), -1)
        if not self.verdicts_weigh:
            shares = np.where(failed, LOST, self.unit_shares[units])
            return mean_of_known(100 * shares.reshape(shape))
        points, weights, _ = (each[units] for each in self.of_pairs)
        weights = (
            np.where(failed[:, np.newaxis], self.lost[units], weights).reshape(*shape, len(self.names)).sum(axis=1)
        )
        points = points.reshape(*shape, len(self.names)).sum(axis=1)
        met = [column for column in range(len(self.names)) if weights[:, column].any()]
        if not met:
            return np.full(shape[0], np.nan)
        return mean_of_known(np.stack([ratio_items(points[:, each], weights[:, each]) for each in met], axis=1))

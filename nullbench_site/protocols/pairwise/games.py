"""The games of a contestant on a `pairwise` board and on its parts, and what they show about the judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

import numpy as np
from msgspec import UNSET, UnsetType

from nullbench_site.protocols.pairwise.judging import ORDERS, template
from nullbench_site.protocols.pairwise.results import BASELINE_ITSELF, NO_GAME, SCORE, PairwiseJudgeRow
from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile
from nullbench_site.scoring.agreement import Rated
from nullbench_site.scoring.biases import bias_row
from nullbench_site.scoring.board_tables import BiasKind, BiasRow
from nullbench_site.scoring.columns import Number, ends_of
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.scorer import Contestant, judge_rows
from nullbench_site.scoring.states import ERRORED, SCORED, UNPARSED, AnswerSlice
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.bias import flip_rate, none_of, within_slopes
from nullbench_site.stats.estimate import Estimate, estimate_of, means
from nullbench_site.stats.judges import mean_of_known
from nullbench_site.stats.preferences import (
    WinRate,
    agreed_share,
    position_effect,
    position_items,
    ratio_items,
    win_rate,
)

if TYPE_CHECKING:
    from nullbench_site.protocols.pairwise.scoring import PairwiseScorer

LOST = 0.0


@dataclass(kw_only=True)
class PairwiseContestant(Contestant):
    """One contestant on a whole board.

    names: whom a contestant may meet, in the order of columns. shares: (units, tasks) its share of each game, 0..1, NaN
    for none. On boards with both orders, a game without a verdict in the other order has none; `lone`, (tasks,), counts
    these. weights: how much each game counts. positions: (units, tasks) 0 shown first, 1 second, -1 not known. decided:
    (tasks, 2) how many games went to the answer shown first, and to the one shown second. opponent: (tasks,) the column
    of each task's opponent. missing: (units, tasks) verdicts not requested yet. due: (units, tasks) verdicts that are
    requested if both have an answer. failed: (units,) whether a call to a judge failed. own: its own column, None if it
    is not a baseline. state: (units,) places in STATES, or NO_ANSWER. answered, present: (units,). form: (units, 4)
    length, headers, list items, bold; NaN if not known. token_alone: how many verdicts have no log probabilities.
    missing_mass: (units, tasks) the probability of all other tokens than the two letters, NaN if not known.
    verdicts_weigh: whether verdicts have points. must_agree: whether both orders make one game; their tasks are
    neighbours. theirs: (names,) opponents whose records of common games count instead: those with more wordings, then
    those whose ids come first. shown: (units,) the unit whose answer is shown to judges of an opponent's answer there.
    """

    n_items: int
    names: Sequence[str]
    shares: Floats
    weights: Floats
    positions: Ints
    decided: Ints
    lone: Ints
    opponent: Ints
    missing: Bools
    failed: Bools
    due: Bools
    own: int | None
    state: Ints
    answered: Bools
    present: Bools
    form: Floats
    token_alone: int
    missing_mass: Floats
    verdicts_weigh: bool
    must_agree: bool
    theirs: Bools
    shown: Ints

    @cached_property
    def style(self) -> Floats:
        """(units, 4) `form` of the answer that is shown there."""
        return self.form[self.shown]

    @cached_property
    def counting(self) -> tuple[Floats, Floats]:
        """(units, tasks) shares and weights as they count.

        If both orders must agree, each order has half of one game; there is no game if one of the two verdicts is
        missing.
        """
        if not self.must_agree:
            return self.shares, self.weights
        agreed = agreed_share(self.shares[:, ::2], self.shares[:, 1::2]).repeat(2, axis=1)
        return agreed, np.full(agreed.shape, 0.5)

    @cached_property
    def of_pairs(self) -> tuple[Floats, Floats, Floats]:
        """(units, names) points, weights and mean share of the games with each; a baseline has half against itself.

        If no game of an answer counts, the share is NaN and the weight 0.
        """
        points, weights, shares = (np.zeros((len(self.state), len(self.names))) for _ in range(3))
        share, weight = self.counting
        given = np.where(np.isnan(share), 0.0, weight)
        for column in np.unique(self.opponent).tolist():
            tasks = self.opponent == column
            points[:, column] = (np.nan_to_num(share[:, tasks]) * given[:, tasks]).sum(axis=1)
            weights[:, column] = given[:, tasks].sum(axis=1)
            shares[:, column] = mean_of_known(share[:, tasks])
        if self.own is not None:
            points[:, self.own], weights[:, self.own] = np.where(self.answered, 0.5, 0.0), self.answered
            shares[:, self.own] = np.where(self.answered, 0.5, np.nan)
        return points, weights, shares

    @cached_property
    def lost(self) -> Floats:
        """(units, names) the weight of the games with each that it loses because it has no answer."""
        lost = np.zeros((len(self.state), len(self.names)))
        of_tasks = self.due & (self.state == ERRORED)[:, np.newaxis]
        np.add.at(lost.T, self.opponent, of_tasks.T * (0.5 if self.must_agree else 1.0))
        return lost

    @cached_property
    def due_tasks(self) -> Bools:
        """(tasks,) tasks that are due for some answer."""
        due: Bools = np.any(self.due, axis=0)
        return due

    def judged_by(self, tasks: Bools) -> PairwiseContestant:
        """Return the contestant with these tasks, (tasks,), only. How its answers ended stays as by all."""
        return replace(self, shares=np.where(tasks, self.shares, np.nan), due=self.due & tasks)

    @cached_property
    def unit_shares(self) -> Floats:
        """(units,) the mean share over opponents, each weighted alike."""
        return mean_of_known(self.of_pairs[2])

    @cached_property
    def counted(self) -> Bools:
        """(units,) answers that judges replied about, and those that failed, which lose."""
        counted: Bools = np.isin(self.state, (SCORED, UNPARSED, ERRORED))
        return counted

    def overall(self, chosen: Bools) -> Floats:
        """Return (chosen items,) numbers whose mean is the overall score of these items, 0-100; NaN if none counts."""
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


ORDER_KINDS: tuple[BiasKind, ...] = ("position", "flips")
NO_ORDER = "no game of which the order is known"
ONE_ORDER = "in one order it wins every game, or loses every game, which does not tell how sure that is"
MIDDLE = 3
"""The mark of a tie, on the marks of 1-5 that agreement is computed on."""


@dataclass(frozen=True)
class TaskTable:
    """The tasks of a board: the judge, opponent and order of each. Opponents are places in `names`."""

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
class PairwisePanel:
    """What the games of all contestants of a board show about its judges."""

    board: PairwiseBoardFile
    tasks: TaskTable
    contestants: Sequence[PairwiseContestant]

    def rows(self) -> Iterator[PairwiseJudgeRow]:
        """Yield a row for each judge, by id."""
        rows = {row.judge: row for row in judge_rows(self.tasks.listed, self.contestants)}
        for number, judge in enumerate(self.tasks.judges):
            first, flips, pairs, half, decided = [], 0, 0, 0, np.zeros(2, np.int64)
            for contestant in self.contestants:
                tasks = self._once(contestant) & (self.tasks.judge == number)
                at_first, at_second = by_order(self.board, contestant, tasks)
                half += int(contestant.lone[tasks].sum())
                decided += contestant.decided[tasks].sum(axis=0)
                first += [at_first[~np.isnan(at_first)], 1 - at_second[~np.isnan(at_second)]]
                if tasks.any():
                    effect = position_effect(at_first, at_second)
                    flips, pairs = flips + effect.flips, pairs + effect.pairs
            shares = np.concatenate([np.zeros(0), *first])
            mass, most = self._missing_mass(number)
            absent = {
                "first_share": "" if shares.size else NO_ORDER,
                "missing_mass": "no verdict with log probabilities" if mass is None else "",
            }
            plain = rows[judge]
            yield PairwiseJudgeRow(
                **{name: getattr(plain, name) for name in plain.__struct_fields__},
                n_placed=shares.size,
                first_share=100 * float(shares.mean()) if shares.size else None,
                decided=int(decided.sum()),
                decided_first=int(decided[0]),
                half=half,
                pairs=pairs,
                flips=flips,
                missing_mass=mass,
                missing_mass_most=most,
                absent={name: why for name, why in absent.items() if why},
            )

    def _missing_mass(self, judge: int) -> tuple[float | None, float | None] | tuple[UnsetType, UnsetType]:
        """Return the mean and the highest missing mass of a judge's verdicts; unset if no judge has any."""
        by_judge = self._masses
        if not any(masses.size for masses in by_judge):
            return UNSET, UNSET
        masses = by_judge[judge]
        return (float(masses.mean()), float(masses.max())) if masses.size else (None, None)

    @cached_property
    def _masses(self) -> list[Floats]:
        """The missing mass of each valid verdict with log probabilities, judge by judge."""
        by_judge: list[list[Floats]] = [[np.zeros(0)] for _ in self.tasks.judges]
        for contestant in self.contestants:
            once = self._once(contestant)
            for number, masses in enumerate(by_judge):
                masses.append(contestant.missing_mass[:, once & (self.tasks.judge == number)].ravel())
        whole = [np.concatenate(masses) for masses in by_judge]
        return [masses[~np.isnan(masses)] for masses in whole]

    def order_biases(self) -> Iterator[BiasRow]:
        """Yield, for each judge, what the first place adds to an answer's share of a game, and its flips."""
        for number, judge in enumerate(self.tasks.judges):
            shares, firsts, counts = [], [], []
            for contestant, tasks in self._meetings(number):
                places = contestant.positions[:, tasks]
                shares.append(contestant.shares[:, tasks].ravel())
                firsts.append(np.select([places == 0, places == 1], [1.0, 0.0], nan).ravel())
                counts.append(_flips(*by_order(self.board, contestant, tasks), contestant.n_items))
            if not shares:
                yield from (bias_row(kind, judge, none_of(NO_ORDER)) for kind in ORDER_KINDS)
                continue
            table = 100 * np.array(shares)
            n_items = self.contestants[0].n_items
            clusters = np.arange(n_items).repeat(table.shape[1] // n_items)
            slopes = within_slopes(table, np.array([firsts]), clusters, by_item=False)
            position = slopes.estimate(0, clusters) if slopes.n else none_of(NO_ORDER)
            yield bias_row("position", judge, position)
            flips, pairs = np.sum(counts, axis=0)
            yield bias_row("flips", judge, flip_rate(flips, pairs))

    def _meetings(self, judge: int) -> Iterator[tuple[PairwiseContestant, Bools]]:
        """Yield each contestant with its tasks, (tasks,), of a judge and one opponent; each game once."""
        for contestant in self.contestants:
            own = self._once(contestant) & (self.tasks.judge == judge)
            for opponent in np.unique(contestant.opponent[own]).tolist():
                yield contestant, own & (contestant.opponent == opponent)

    def tied_games(self) -> float | UnsetType:
        """Return the share of games without a winner, 0-1; unset without a game.

        A game that both contestants have a record of counts once.
        """
        shares = np.concatenate(
            [np.zeros(0), *(each.counting[0][:, self._once(each)].ravel() for each in self.contestants)]
        )
        known = shares[~np.isnan(shares)]
        return float((known == 0.5).mean()) if known.size else UNSET

    def _once(self, contestant: PairwiseContestant) -> Bools:
        """Return (tasks,) the tasks without those whose games were counted from the records of the opponent."""
        if self.board.baselines and contestant.model not in self.board.baselines:
            return contestant.due_tasks
        once: Bools = contestant.due_tasks & ~contestant.theirs[contestant.opponent]
        return once

    def rated(self, contestant: PairwiseContestant) -> Rated:
        """Return what judges gave each game: 0 for a loss, 0.5 for a tie, 1 for a win.

        Also on 1 to 5: a loss is 1 if it is decisive and 2 otherwise, a tie is 3, a win 4 or 5. A game is two answers
        in one order. A game that both contestants have a record of counts once.
        """
        shares = np.where(self._once(contestant), contestant.shares, nan)
        won = np.sign(shares - 0.5)
        marks = MIDDLE + won * np.where(contestant.weights > 1, 2, 1)
        n_units, n_judges = len(marks), len(self.tasks.judges)
        n_games = marks.shape[1] // n_judges
        by_game, points = (
            each.reshape(n_units, n_judges, n_games).transpose(0, 2, 1).reshape(-1, n_judges)
            for each in ((won + 1) / 2, marks)
        )
        items = (np.arange(n_units) // self.board.draws).repeat(n_games)
        return Rated.of_answers(by_game, items, points)


def by_order(
    board: PairwiseBoardFile, contestant: PairwiseContestant, tasks: Bools | None = None
) -> tuple[Floats, Floats]:
    """Return (games,) the shares of games that show the contestant first, and of their mirrors; NaN if not played."""
    chosen = contestant.due_tasks if tasks is None else contestant.due_tasks & tasks
    shares, positions = contestant.shares[:, chosen], contestant.positions[:, chosen]
    by_place = [np.where(positions == place, shares, nan) for place in (0, 1)]
    if board.orders == "both":  # the tasks of one judge and opponent stand side by side
        by_place = [mean_of_known(each.reshape(-1, len(ORDERS))) for each in by_place]
    return by_place[0].ravel(), by_place[1].ravel()


def _flips(first: Floats, second: Floats, n_items: int) -> Floats:
    """Return (2, items) how many games flip with the order, and how many were judged in both orders."""
    played = ~np.isnan(first) & ~np.isnan(second)
    flips = played & ((first - 0.5) * (second - 0.5) < 0)
    counts: Floats = np.array([flips, played], np.float64).reshape(2, n_items, -1).sum(axis=2)
    return counts


class PairwiseSlice(AnswerSlice[PairwiseContestant]):
    """The games of a contestant on some items."""

    scorer: PairwiseScorer

    @cached_property
    def rate(self) -> WinRate:
        """The win rate as published leaderboards define it."""
        return win_rate(self.contestant.unit_shares[self.units])

    @property
    def standard_error(self) -> Number:
        """The published standard error of the win rate."""
        if self.rate.se is None:
            return NO_GAME if self.rate.value is None else "one answer"
        return self.rate.se

    @cached_property
    def _item_shares(self) -> Floats:
        return self.contestant.overall(self.chosen)

    @property
    def overall(self) -> tuple[float | None, str | None]:
        """The overall score, and why there is none, or why its error is not known."""
        model, study = self.contestant.model, self.scorer.study
        if self.scorer.is_studied(self.contestant):
            score = study.score(model)
            if isinstance(score, str):
                return None, score
            own = self.scorer.item_scores(self.contestant)[self.chosen]
            return float(np.clip(own.mean(), *SCALE)), study.unsure(model)
        known_shares = self._item_shares[~np.isnan(self._item_shares)]
        return float(known_shares.mean()) if known_shares.size else None, NO_GAME

    @property
    def n_items(self) -> int:
        """How many of the items have a game that counts."""
        if not self.scorer.is_studied(self.contestant):
            return int((~np.isnan(self._item_shares)).sum())
        played = (self.contestant.of_pairs[1] + self.contestant.lost)[self.units]
        return int(np.any(played.reshape(int(self.chosen.sum()), -1), axis=1).sum())

    @property
    def verdicts(self) -> dict[str, float] | UnsetType:
        """The score of verdicts, on boards whose verdicts have points."""
        if not self.contestant.verdicts_weigh:
            return UNSET
        points, weights = (each[self.units].sum(axis=0) for each in self.contestant.of_pairs[:2])
        met = weights > 0
        return {SCORE: float(100 * (points[met] / weights[met]).mean())} if met.any() else {}

    @cached_property
    def length_controlled(self) -> Estimate | str:
        """The win rate controlled for the length of answers."""
        return self.scorer.study.length_controlled(self.contestant.model)

    @cached_property
    def style_controlled(self) -> Estimate | str:
        """The win rate controlled for length and Markdown."""
        return self.scorer.study.style_controlled(self.contestant.model)

    @cached_property
    def elo(self) -> Estimate | str:
        """The Bradley-Terry strength."""
        return self.scorer.study.elo(self.contestant.model)

    @property
    def by_place(self) -> dict[str, Number]:
        """The win rates shown first, shown second and without position bias, with their intervals."""
        size = self.chosen.size
        orders = by_order(self.scorer.board, self.contestant)
        effect = position_effect(*orders)
        of_items = position_items(*(each.reshape(size, -1) for each in orders))
        estimates = estimate_of(means(np.stack(of_items), None, None), SCALE)
        columns: dict[str, Number] = {}
        rates = (effect.first, effect.second, effect.debiased)
        for name, rate, sure in zip(("first", "second", "debiased"), rates, estimates, strict=True):
            columns[f"{name}_win_rate"] = rate
            ends = replace(sure, reason=ONE_ORDER) if sure.value is None else sure
            columns |= ends_of(name, ends if rate.reason is None else rate.reason)
        return columns

    @property
    def n_games(self) -> int:
        """How many verdicts count."""
        return int((~np.isnan(self.contestant.counting[0])).sum())

    @property
    def row_bootstrap(self) -> dict[str, Number]:
        """The interval that such leaderboards publish; for recorded verdicts with points only."""
        if not (self.contestant.verdicts_weigh and self.scorer.is_recorded):
            return {}
        ends = self.scorer.bootstrapped.get(self.contestant.model)
        none = NO_GAME if self.contestant.own is None else BASELINE_ITSELF
        low, high = ends or (none, None)
        return {"score_row_bootstrap_low": low, "score_row_bootstrap_high": high}

"""Numbers of a `pairwise` board that depend on all contestants: strengths, and win rates controlled for style."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan, log

import numpy as np

from nullbench_site.protocols.pairwise.games import PairwiseContestant
from nullbench_site.protocols.pairwise.results import BASELINE_ITSELF, NO_GAME
from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile, PairwisePlacedItem
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import Estimate, group_mean, interval
from nullbench_site.stats.measure import LEAST_CLUSTERS
from nullbench_site.stats.pairings import Triples, intransitive_triples
from nullbench_site.stats.strength import (
    APART,
    Games,
    Strengths,
    bradley_terry,
    mean_leverage,
    score_influence,
    strength_influence,
)
from nullbench_site.stats.style_control import (
    GamedRows,
    fitted_difficulty,
    length_controlled,
    length_feature,
    style_controlled,
)

ELO_ZERO, ELO_POINTS = 1000.0, 400 / log(10)
"""The mean of the scale of strengths, and the points of one unit of log odds."""
EVEN = 50.0
BASELINE_STRENGTH = f"it is the baseline: {ELO_ZERO:.0f} by definition"
NO_BASELINE = "the board has no baseline whose length it could be held against"
NO_LENGTH = "the lengths of its answers or of the baseline's are not known"
ONE_SIDED = "its answers are all shorter than the baseline's, or all longer"
NO_STYLE = "the style of its answers or of others' is not known"
ONE_OUTCOME = "it wins every game, or loses every game, which does not tell how sure that is"
NOTHING_LEFT = "cross-validation leaves no coefficient: of the games held out nothing foretold more than 50 does"
NO_FREEDOM = "each of its games alone joins two parts of the board, so that any outcome would fit"
LENGTH = 0
"""The column of `style` with the length."""


@dataclass(frozen=True)
class BoardStudy:
    """The contestants of a board together. placed: its items in the order of their numbers."""

    board: PairwiseBoardFile
    placed: Sequence[PairwisePlacedItem]
    contestants: Sequence[PairwiseContestant]
    _by_length: dict[str, Floats | str] = field(init=False, default_factory=dict)

    @cached_property
    def place(self) -> dict[str, int]:
        """The number of each contestant here."""
        return {contestant.model: number for number, contestant in enumerate(self.contestants)}

    @cached_property
    def _games(self) -> tuple[Games, Ints]:
        """One game for each answer and opponent, over all judges and orders, and the unit of each.

        If both contestants have a record of a game, one of the two is used.
        """
        first, second, units = [], [], []
        points: list[Floats] = []
        weights: list[Floats] = []
        for one, contestant in enumerate(self.contestants):
            scored, counted, _ = contestant.of_pairs
            for column, name in enumerate(contestant.names):
                other = self.place.get(name)
                mirrored = not self.board.baselines or contestant.model in self.board.baselines
                if other is None or other == one or (mirrored and contestant.theirs[column]):
                    continue
                won, of_all = scored[:, column], counted[:, column]
                if self.board.schedule is not None:
                    won, of_all = self._with_lost(won, of_all, contestant, self.contestants[other])
                played = np.flatnonzero(of_all)
                # The baseline comes first, as in the published regressions.
                first.append(np.full(played.size, other))
                second.append(np.full(played.size, one))
                points.append((of_all - won)[played])
                weights.append(of_all[played])
                units.append(played)
        if not first:
            none = np.zeros(0, np.int64)
            return Games(len(self.contestants), none, none, np.zeros(0), np.zeros(0)), none
        games = Games(
            len(self.contestants),
            np.concatenate(first),
            np.concatenate(second),
            np.concatenate(points, dtype=np.float64),
            np.concatenate(weights, dtype=np.float64),
        )
        return games, np.concatenate(units)

    @staticmethod
    def _with_lost(
        won: Floats, of_all: Floats, one: PairwiseContestant, other: PairwiseContestant
    ) -> tuple[Floats, Floats]:
        """Return (units,) the points of one from its games with another, and those of both.

        Games that one of them lost because its answer failed are included.
        """
        own, theirs = (one.names.index(each.model) for each in (one, other))
        given = np.where(other.answered[other.shown], one.lost[:, theirs], 0.0)
        taken = np.where(one.answered, other.lost[other.shown, own], 0.0)
        return won + taken, of_all + given + taken

    @cached_property
    def table(self) -> Floats:
        """(k, k) the points of each contestant from its games with each other one."""
        return self._games[0].table

    @cached_property
    def strengths(self) -> Strengths:
        return bradley_terry(self.table)

    @cached_property
    def apart(self) -> str | None:
        """Why contestants cannot be put in one order: no chain of games connects all that have games.

        None if one does, as on every board with a single baseline.
        """
        has_games = np.any(self.table + self.table.T, axis=1)
        return APART if np.unique(self.strengths.parts[has_games]).size > 1 else None

    @cached_property
    def triples(self) -> Triples:
        return intransitive_triples(self.table)

    @cached_property
    def _influence(self) -> Floats:
        """(k, items) what each item adds to the strength of each contestant."""
        games, units = self._games
        return strength_influence(games, units // self._draws, self.strengths, len(self.placed))

    @cached_property
    def _score_influence(self) -> Floats:
        """(k, items) what each item adds to the score of each contestant; NaN if there are too few games."""
        return score_influence(self._games[0], self.strengths, self._influence)

    def score(self, model: str) -> float | str:
        """Return the mean probability of winning against each of the others, 0-100; or why there is none."""
        place = self.place[model]
        if not self._plays(place):
            return NO_GAME
        score = float(self.strengths.scores[place])
        return str(self.strengths.reason(place)) if isnan(score) else score

    def _plays(self, place: int) -> bool:
        return bool(self.table[place].any() or self.table[:, place].any())

    def unsure(self, model: str) -> str | None:
        """Return why the error of that score is not known; None if it is."""
        place = self.place[model]
        others = np.delete(self.strengths.probability[place], place)
        if ((others == 0) | (others == 1)).all():
            return self.strengths.reason(place)
        return NO_FREEDOM if np.isnan(self._score_influence[place]).any() else None

    def ends(self, model: str) -> tuple[float, float] | None:
        """Return the interval of a score if all games with each opponent went one way.

        It is the interval of a rate without any other outcome on the prompts that were played. None for other scores,
        and for fewer than six prompts.
        """
        if self.unsure(model) in (None, NO_FREEDOM) or isinstance(score := self.score(model), str):
            return None
        n = self._n_played[[self.place[model]]]
        if n[0] < LEAST_CLUSTERS:
            return None
        none = np.zeros(1)
        low, high = interval(np.array([score]), none, none + n - 1, n, SCALE)
        return float(low[0]), float(high[0])

    @cached_property
    def _n_played(self) -> Ints:
        """(k,) on how many prompts each contestant has a game."""
        games, units = self._games
        played = np.zeros((len(self.contestants), len(self.placed)), np.bool_)
        for side in (games.first, games.second):
            played[side, units // self._draws] = True
        n_played: Ints = played.sum(axis=1, dtype=np.int64)
        return n_played

    def unplaced(self, model: str) -> str | None:
        """Return why a contestant has no place among the others, whatever its score; None if it has one.

        A contestant that wins or loses every game has, by its interval, a place above or below those whose scores have
        an error.
        """
        why = self._unsure[model]
        reasons = self._unsure.values()
        if why not in (None, NO_FREEDOM) and self.ends(model) is None and len(self.placed) >= LEAST_CLUSTERS:
            return f"{why}, on {int(self._n_played[self.place[model]])} prompts, which is too few to place it"
        return why if why == NO_FREEDOM or (NO_FREEDOM in reasons and None not in reasons) else None

    @cached_property
    def _unsure(self) -> dict[str, str | None]:
        return {name: self.unsure(name) for name in self.place}

    def item_scores(self, model: str) -> Floats:
        """Return (items,) numbers whose mean is the score and whose spread is what items add; NaN without a score.

        Source: the linearised estimate, Efron & Tibshirani (1993), An introduction to the bootstrap, 21.3.
        """
        score, n = self.score(model), len(self.placed)
        if isinstance(score, str):
            return np.full(n, np.nan)
        if self.unsure(model) is not None:
            return np.full(n, score)
        moved = self._score_influence[self.place[model]]
        items: Floats = score + n * (moved - moved.mean())
        return items

    def judged_by(self, tasks: Bools) -> BoardStudy:
        """Return the study with these tasks, (tasks,), only."""
        return BoardStudy(self.board, self.placed, [each.judged_by(tasks) for each in self.contestants])

    @property
    def _draws(self) -> int:
        return len(self.contestants[0].state) // len(self.placed)

    def elo(self, model: str) -> Estimate | str:
        """Return the strength on the Elo scale, where 400 points are odds of ten to one; or why there is none.

        Source: Elo (1978), The rating of chessplayers, for the scale; strengths and their errors as in
        `stats.strength`.
        """
        own, strengths = self.place[model], self.strengths
        if not self._plays(own):
            return NO_GAME
        same = strengths.sets == strengths.sets[own]
        anchors = [self.place[name] for name in self.board.baselines if name in self.place]
        # Points for and against the baselines place a contestant, even if others win or lose every game.
        if not (anchors and same[anchors].all()) and (why := strengths.reason(own)) is not None:
            return why
        anchors = anchors or np.flatnonzero(same).tolist()
        value = ELO_ZERO + ELO_POINTS * float(strengths.log_strength[own] - strengths.log_strength[anchors].mean())
        if anchors == [own]:
            return Estimate(value, None, None, None, None, 0, 0, BASELINE_STRENGTH)
        if self.board.schedule is not None and self.unsure(model) is not None:
            return Estimate(value, None, None, None, None, 0, 0, NO_FREEDOM)
        moved = self._influence[own] - self._influence[anchors].mean(axis=0)
        if self.board.schedule is not None:
            moved /= 1 - mean_leverage(self._games[0], strengths)
        return group_mean(value + ELO_POINTS * moved.size * (moved - moved.mean()), None, None)

    @cached_property
    def _difficulties(self) -> dict[str, Floats]:
        """(units,) the difficulty of each answer's item, by baseline: from the specs, or else fitted jointly."""
        given = [placed.lc_difficulty for placed in self.placed]
        if any(value is not None for value in given):
            fixed = np.array([value or 0.0 for value in given]).repeat(self._draws)
            return dict.fromkeys(self.board.baselines, fixed)
        difficulties = {}
        for baseline in self.board.baselines:
            rows = [rows for each in self.contestants if (rows := self._lengths(each, baseline)) is not None]
            shares, lengths = (np.array([row[part] for row in rows]) for part in (0, 1))
            n = len(self.contestants[0].state)
            difficulties[baseline] = fitted_difficulty(shares, lengths) if rows else np.zeros(n)
        return difficulties

    def _lengths(self, contestant: PairwiseContestant, baseline: str) -> tuple[Floats, Floats] | None:
        """Return (units,) shares of its games with a baseline, and the length feature, 0 without an answer.

        None for the baseline itself, and if a length is not known.
        """
        other = self.place.get(baseline)
        if other is None or contestant.model == baseline:
            return None
        own, theirs = contestant.style[:, LENGTH], self.contestants[other].style[:, LENGTH]
        there, known = contestant.answered, ~np.isnan(own) & ~np.isnan(theirs)
        shares = np.where(there, contestant.of_pairs[2][:, contestant.names.index(baseline)], np.nan)
        if np.isnan(shares).all() or not known[~np.isnan(shares)].all():
            return None
        feature = np.zeros(own.size)
        feature[there & known] = length_feature(theirs[there & known], own[there & known])
        return shares, feature

    def _straddles(self, contestant: PairwiseContestant, baseline: str) -> bool:
        """Return True if its answers are not all shorter than the baseline's, and not all longer.

        Otherwise the regression cannot separate length from the constant, and its value at equal length is a guess far
        from every answer. Rows of gamed baselines, if the board has any, are on both sides.
        """
        own, theirs = (each.style[:, LENGTH] for each in (contestant, self.contestants[self.place[baseline]]))
        played = contestant.answered & ~np.isnan(contestant.of_pairs[2][:, contestant.names.index(baseline)])
        apart = (theirs - own)[played]
        return bool(self.board.length_control.gamed_rows) or bool(apart.min() <= 0 <= apart.max())

    def length_controlled(self, model: str) -> Estimate | str:
        """Return the win rate controlled for length, 0-100, the mean over baselines; or why there is none."""
        of_units = self.by_length(model)
        if isinstance(of_units, str):
            return of_units
        if (model,) == self.board.baselines:
            return Estimate(EVEN, None, None, None, None, 0, 0, BASELINE_ITSELF)
        there = ~np.isnan(of_units)
        if self._has_one_outcome(model):  # the regression gives a number, but no item shows its error
            return Estimate(float(of_units[there].mean()), None, None, None, None, 0, 0, ONE_OUTCOME)
        clusters = np.arange(len(self.placed)).repeat(self._draws)[there]
        estimate = group_mean(of_units[there], None, clusters)
        return replace(estimate, low=None, high=None, reason=NOTHING_LEFT) if estimate.se == 0 else estimate

    def by_length(self, model: str) -> Floats | str:
        """Return (units,) numbers whose mean is that win rate, NaN without an answer; or why there are none."""
        if model not in self._by_length:
            self._by_length[model] = self._controlled_for_length(model)
        return self._by_length[model]

    def _controlled_for_length(self, model: str) -> Floats | str:
        contestant = self.contestants[self.place[model]]
        if not self.board.baselines:
            return NO_BASELINE
        items = []
        for baseline in self.board.baselines:
            if model == baseline:
                items.append(np.where(contestant.answered, EVEN, np.nan))
                continue
            rows = self._lengths(contestant, baseline)
            if rows is None:
                return NO_LENGTH if contestant.of_pairs[1].any() else NO_GAME
            if not self._straddles(contestant, baseline):
                return ONE_SIDED
            items.append(self._controlled(contestant, rows, self._difficulties[baseline]))
        of_units: Floats = np.mean(items, axis=0)
        return of_units

    def _controlled(self, contestant: PairwiseContestant, rows: tuple[Floats, Floats], difficulty: Floats) -> Floats:
        """Return (units,) numbers whose mean is the length-controlled win rate, NaN without an answer."""
        shares, lengths = rows
        there = np.flatnonzero(contestant.answered)
        control = self.board.length_control
        of_rows = difficulty[: there.size] if control.difficulty_by == "row" else difficulty[there]
        gamed = None
        if control.gamed_rows:
            apart, hard, won = np.array(control.gamed_rows, dtype=np.float64).T
            gamed = GamedRows(shares=won, lengths=np.tanh(apart), difficulty=hard)
        groups = there // self._draws
        controlled = length_controlled(shares[there], lengths[there], of_rows, groups=groups, gamed=gamed)
        items = np.full(shares.size, np.nan)
        items[there] = controlled.items
        return items

    def style_controlled(self, model: str) -> Estimate | str:
        """Return the win rate controlled for style, 0-100, the mean over baselines; or why there is none."""
        of_items = self._styled if isinstance(self._styled, str) else self._styled.get(model, NO_STYLE)
        if isinstance(of_items, str):
            return of_items
        why = self.unsure(model) if self.board.schedule is not None else None
        if (model,) == self.board.baselines:
            why = BASELINE_ITSELF
        elif self._has_one_outcome(model):  # the ridge gives a number, but no item shows its error
            why = ONE_OUTCOME
        if why is not None:
            return Estimate(float(of_items.mean()), None, None, None, None, 0, 0, why)
        score = of_items.mean()
        if self.board.schedule is not None:
            of_items = score + (of_items - score) / (1 - mean_leverage(self._games[0], self.strengths))
        return group_mean(of_items, None, None, scale=SCALE)

    @cached_property
    def _styled(self) -> dict[str, Floats] | str:
        """(items,) numbers whose mean is that win rate, by contestant; or why there is none."""
        games, units = self._games
        if not games.weights.any():
            return NO_GAME
        if self.apart is not None:
            return self.apart
        style = np.stack([contestant.style for contestant in self.contestants])
        seen = ~np.any(np.isnan(style), axis=2)
        known = seen[games.first, units] & seen[games.second, units]
        baselines = [self.place[name] for name in self.board.baselines if name in self.place]
        of_items: dict[str, list[Floats]] = {}
        against: Sequence[int | None] = baselines or [None]
        for baseline in against:
            turned = games.second == baseline
            of_it = known if baseline is None else known & ((games.first == baseline) | turned)
            if not of_it.any():
                return NO_STYLE
            points = np.where(turned, games.weights - games.points, games.points)
            first, second = np.where(turned, games.second, games.first), np.where(turned, games.first, games.second)
            own = Games(games.k, first[of_it], second[of_it], points[of_it], games.weights[of_it])
            sides, items = (
                (style[own.first, units[of_it]], style[own.second, units[of_it]]),
                units[of_it] // self._draws,
            )
            try:
                styled = style_controlled(own, sides, baseline, items, len(self.placed))
            except ValueError as error:
                return str(error)
            for number in np.unique(np.concatenate([own.first, own.second])).tolist():
                of_items.setdefault(self.contestants[number].model, []).append(styled.items[number])
        return {model: np.mean(of_model, axis=0) for model, of_model in of_items.items()}

    def _has_one_outcome(self, model: str) -> bool:
        """Return True if a contestant wins every game, or loses every game."""
        shares = self.contestants[self.place[model]].unit_shares
        shares = shares[~np.isnan(shares)]
        return bool((shares == 1).all() or (shares == 0).all())

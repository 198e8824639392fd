"""From the observations of a `pairwise` board to its results: games by opponent, judge and order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import nan
from typing import Annotated, Any

import numpy as np
from msgspec import UNSET, Meta

from nullbench_site.protocols.pairwise.games import (
    PairwiseContestant,
    PairwisePanel,
    PairwiseSlice,
    TaskTable,
)
from nullbench_site.protocols.pairwise.judging import (
    MISSING_MASS,
    ORDERS,
    PREFERENCE,
    STYLE,
    TOKEN_ALONE,
    VERDICT,
    may_judge,
    opponents,
)
from nullbench_site.protocols.pairwise.results import (
    BASELINE_ITSELF,
    NO_GAME,
    SCORE,
    PairRow,
    PairwiseItemRow,
    PairwiseJudgeRow,
    PairwiseResults,
    PairwiseRow,
)
from nullbench_site.protocols.pairwise.specs import PairwiseBoardFile
from nullbench_site.protocols.pairwise.strengths import BoardStudy
from nullbench_site.scoring.agreement import Rated, Ratings, Scale
from nullbench_site.scoring.board_tables import BiasRow
from nullbench_site.scoring.observations import ERRORED_VERDICT, MISSING, SCORED_VERDICT, UNPARSED_VERDICT, Observations
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.results import known
from nullbench_site.scoring.scorer import Contestant, Scorer
from nullbench_site.scoring.states import (
    ERRORED,
    NO_ANSWER,
    SCORED,
    STATES,
    UNJUDGED,
    UNOPPOSED,
    UNPARSED,
    answer_states,
    of_items,
)
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import RECORDED, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import Estimate, group_mean, paired_difference
from nullbench_site.stats.judges import linearised_mean, mean_of_known, spread_of_each
from nullbench_site.stats.preferences import (
    row_bootstrap,
    verdict_points,
    win_share,
)

_PREFERENCE = Annotated[float, Meta(ge=0, le=2)]
_MASS = Annotated[float, Meta(ge=0, le=1)]
_VERDICT = Annotated[int, Meta(ge=-2, le=2)]
_FEATURES = ("length", "headers", "lists", "bold")
_ENDS = (2.5, 97.5)
FEWEST_DECIDED = 10
"""The fewest decided games for which position bias is assessed: with fewer, chance often puts most in one position."""
MOST_APART = "of more than two it is the greatest of several differences, which chance makes greater"


class PairwiseScorer(Scorer[PairwiseBoardFile, PairwiseContestant, PairwiseRow]):
    """Shares of games, 0-100.

    A task is a judge with an opponent and, on boards with both orders, the place of the contestant's answer.
    """

    results = PairwiseResults
    SLICE = PairwiseSlice
    MARKS = False  # a check has counted them
    SEVERITY = "what a judge takes from one answer of a game it gives to the other"

    def __init__(self, benchmark: Benchmark, board: PairwiseBoardFile) -> None:
        super().__init__(benchmark, board)
        self.study = BoardStudy(board, self.placed, ())
        self._by_judges: dict[frozenset[str], BoardStudy] = {}

    @cached_property
    def _tasks(self) -> TaskTable:
        names = self.board.baselines or tuple(each.id for each in self.benchmark.contestants(self.board))
        orders = (0, 1) if self.board.orders == "both" else (-1,)
        each = np.array([(j, o, at) for j in range(len(self.panel_judges)) for o in range(len(names)) for at in orders])
        return TaskTable(names, self.panel_judges, *each.T)

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        return self._tasks.listed

    def due(self, model: ModelFile) -> Sequence[bool]:
        tasks, met = self._tasks, opponents(self.benchmark, self.board, model.id)
        may = {
            (judge, place)
            for place, name in enumerate(tasks.names)
            if name in met
            for judge in may_judge(self.benchmark, self.board, model, name)
        }
        each = zip(tasks.judge.tolist(), tasks.opponent.tolist(), strict=True)
        return [(tasks.judges[judge], other) in may for judge, other in each]

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        if self.board.judging == PREFERENCE:
            return {PREFERENCE: _PREFERENCE, TOKEN_ALONE: bool, MISSING_MASS: _MASS}
        return {VERDICT: _VERDICT}

    def reduce(self, observations: Observations) -> PairwiseContestant:
        tasks, model = self._tasks, self.benchmark.answerer(observations.model)
        given = np.where(observations.verdicts == SCORED_VERDICT, observations.values[:, :, 0], nan)
        second = observations.positions != 0  # where nobody knows, as published preferences are: of the second
        if self.board.judging == PREFERENCE:
            shown = win_share(np.where((given > 0) & (given < 1), nan, given))
            shares, weights = np.where(second, shown, 1 - shown), np.ones(given.shape)
        else:
            points, weights = verdict_points(np.where(second, given, -given))
            shares = np.divide(points, weights, out=np.full(points.shape, nan), where=weights > 0)
        lone = ~np.isnan(shares) & ~self._has_mirror(shares)
        due = np.broadcast_to(self.asked(model), given.shape)
        own = tasks.names.index(model.id) if model.id in self.board.baselines else None
        contestant = PairwiseContestant(
            **Contestant.common(observations),
            n_items=len(self.placed),
            names=tasks.names,
            shares=np.where(lone, nan, shares),
            weights=weights,
            positions=observations.positions,
            lone=lone.sum(axis=0),
            decided=np.stack([_went_to(shares, observations.positions, place) for place in (0, 1)], axis=1),
            opponent=tasks.opponent,
            missing=observations.verdicts == MISSING,
            failed=(observations.verdicts == ERRORED_VERDICT).any(axis=1),
            due=due,
            own=own,
            state=np.full(len(observations.present), NO_ANSWER),
            answered=observations.answered,
            present=observations.present,
            form=self._form(observations),
            token_alone=(int(np.nansum(observations.values[~lone, 1])) if self.board.judging == PREFERENCE else 0),
            missing_mass=observations.values[:, :, 2]
            if self.board.judging == PREFERENCE
            else np.full(given.shape, nan),
            verdicts_weigh=self.board.by_points,
            must_agree=self.board.agree is not None,
            theirs=np.array([self._order(name) < self._order(model.id) for name in tasks.names]),
            shown=self._shown(model.id),
        )
        scored, unparsed = ~np.isnan(contestant.unit_shares), (observations.verdicts == UNPARSED_VERDICT).any(axis=1)
        contestant.state = answer_states(observations.present, observations.answered, scored, unparsed)
        return contestant

    def _order(self, model: str) -> tuple[int, str]:
        """Return the key of the order in which the records of a game by both contestants count."""
        return -self.n_draws(model), model

    def _shown(self, model: str) -> Ints:
        """Return (units,) the unit of the answer that a game shows there: of the first wording if there is no other."""
        units = np.arange(len(self.placed) * self.board.draws)
        draw = units % self.board.draws
        shown: Ints = np.where(draw < self.n_draws(model), units, units - draw + draw % self.board.samples)
        return shown

    def _has_mirror(self, shares: Floats) -> Bools:
        """Return (units, tasks) whether the game in the other order has a verdict; True if one order is played."""
        if self.board.orders != "both":
            return np.ones(shares.shape, np.bool_)
        of_pairs = ~np.isnan(shares.reshape(len(shares), -1, len(ORDERS)))
        mirrors: Bools = of_pairs[:, :, ::-1].reshape(shares.shape)
        return mirrors

    def scores_by(self, observations: Observations, contestant: PairwiseContestant, judges: Collection[str]) -> Floats:
        if self.is_studied(contestant):
            return self._studied_by(judges).item_scores(contestant.model)[:, np.newaxis]
        return self.item_scores(contestant.judged_by(self.of_judges(judges)))[:, np.newaxis]

    def _studied_by(self, judges: Collection[str]) -> BoardStudy:
        """Return the study of all contestants by these judges alone."""
        who = frozenset(judges)
        if who not in self._by_judges:
            self._by_judges[who] = self.study.judged_by(self.of_judges(who))
        return self._by_judges[who]

    @property
    def compared_with(self) -> Collection[str]:
        return self.board.baselines

    def order_biases(self, contestants: Sequence[PairwiseContestant]) -> Iterator[BiasRow]:
        return PairwisePanel(self.board, self._tasks, contestants).order_biases()

    def in_orders(self, contestant: PairwiseContestant, judges: Collection[str]) -> Sequence[Floats]:
        chosen = self.of_judges(judges)
        places = range(len(ORDERS)) if self.board.orders == "both" else [contestant.positions]
        by_place = (np.where(chosen & (contestant.positions == place), contestant.shares, np.nan) for place in places)
        return [100 * mean_of_known(of.reshape(len(self.placed), -1)) for of in by_place]

    @property
    def together(self) -> bool:
        """Whether contestants meet different opponents and are therefore compared by strengths."""
        return self.board.schedule is not None

    def is_studied(self, contestant: PairwiseContestant) -> bool:
        """Return True if the score is that of a strength among all; never for a control."""
        return self.together and any(contestant is each for each in self.study.contestants)

    def form(self, observations: Observations, contestant: PairwiseContestant) -> Floats:
        return contestant.form

    def _form(self, observations: Observations) -> Floats:
        """Return (units, 4) what the program found in each answer; for private answers, the length only.

        An empty answer has length 0, as in Dubois et al. (2024). If the program looked at no answer of a contestant
        and all are empty, their texts are not on this machine.
        """
        style = np.full((len(observations.present), len(_FEATURES)), nan)
        seen = np.full(observations.runes.shape, bool(observations.runes.any()))
        seen[[unit for unit, results in observations.checks.items() if results]] = True
        style[:, 0] = np.where(observations.answered & seen, observations.runes, nan)
        counts = {
            unit: _counts(each.flags)
            for unit, results in observations.checks.items()
            for each in results
            if each.type == STYLE
        }
        if counts:
            units, given = np.array(list(counts)), np.array(list(counts.values()))
            found = ~np.isnan(given)
            found[:, 0] &= observations.turns[units] == 1  # of several turns it looks at the last
            style[units] = np.where(found, given, style[units])
        return style

    def prepare(self, contestants: Sequence[PairwiseContestant]) -> None:
        """Compute what rows need from all contestants together.

        A verdict on an answer whose opponent has none because its call failed is not missing: there is no game.
        """
        failed = {each.model: (each.present & ~each.answered)[each.shown] for each in contestants}
        for contestant in contestants:
            for task, column in enumerate(contestant.opponent.tolist()):
                unopposed = contestant.missing[:, task] & failed.get(contestant.names[column], False)
                if n := int(unopposed.sum()):
                    contestant.missing[unopposed, task] = False
                    contestant.ended[task, MISSING] -= n
                    contestant.verdicts = {**contestant.verdicts, "missing": contestant.verdicts["missing"] - n}
            free = (contestant.state == UNJUDGED) & ~contestant.missing.any(axis=1) & ~contestant.failed
            contestant.state[free] = UNOPPOSED
            contestant.unjudged = int((contestant.state == UNJUDGED).sum())
        self.study = BoardStudy(self.board, self.placed, [each for each in contestants if self.counts(each)])
        self._by_judges.clear()

    def row(self, contestant: PairwiseContestant, chosen: Bools) -> PairwiseRow | None:
        of = PairwiseSlice(self, contestant, chosen)
        if not contestant.counted[of.units].any():
            return None
        overall, why = of.overall
        ends: tuple[float, float] | None = None
        absent: dict[str, str] = {}
        if overall is None:
            absent = dict.fromkeys(("overall", "se"), why or NO_GAME)
        elif (contestant.model,) == self.board.baselines:
            absent["se"] = BASELINE_ITSELF
        elif self.together and why is not None:
            absent["se"] = why
            ends = self.study.ends(contestant.model) if self.is_studied(contestant) and chosen.all() else None
        verdicts = of.verdicts
        return self.filled(
            PairwiseRow,
            of,
            absent | ({SCORE: NO_GAME} if verdicts == {} else {}),
            model=contestant.model,
            n_items=of.n_items,
            overall=overall,
            n_scored=of.n(SCORED),
            n_errored=of.n(ERRORED),
            n_unparsed=of.n(UNPARSED),
            ci_low=ends and ends[0],
            ci_high=ends and ends[1],
            verdicts=verdicts,
        )

    def finish(self, row: PairwiseRow, contestant: PairwiseContestant) -> None:
        if len(self.board.baselines) > 1:
            self._put_against(row, contestant)
        if self.is_studied(contestant):
            alone = {judge: self._studied_by([judge]).score(row.model) for judge in self.judges}
            row.by_judge = {judge: score for judge, score in alone.items() if not isinstance(score, str)}

    def _put_against(self, row: PairwiseRow, contestant: PairwiseContestant) -> None:
        """Put in the win rate against each baseline, and the interval of the highest minus the lowest."""
        shares, rates = 100 * contestant.of_pairs[2].T, self._rates(contestant)
        by_name = list(zip(contestant.names, rates, strict=True))
        row.against = {name: rate.value for name, rate in by_name if rate.value is not None}
        sure = [(name, rate) for name, rate in by_name if rate.reason is None and name != row.model]
        row.against_low = {name: rate.low for name, rate in sure if rate.low is not None}
        row.against_high = {name: rate.high for name, rate in sure if rate.high is not None}
        greater, less = shares[np.argsort([-(rate.value or 0.0) for rate in rates], kind="stable")[[0, -1]]]
        apart = paired_difference(greater, less, None, self._item_of_unit, scale=SCALE)
        why = MOST_APART if len(rates) > 2 else apart.reason
        row.apart_low, row.apart_high = (None, None) if why else (apart.low, apart.high)
        if why is not None:
            row.absent["apart_low"] = why

    @cached_property
    def _item_of_unit(self) -> Ints:
        return np.arange(len(self.placed)).repeat(self.board.draws)

    def _rates(self, contestant: PairwiseContestant) -> list[Estimate]:
        """Return its win rate against each contestant that it may meet."""
        shares = 100 * contestant.of_pairs[2].T
        return [group_mean(own, None, self._item_of_unit, scale=SCALE) for own in shares]

    @property
    def is_recorded(self) -> bool:
        return any(self.benchmark.judges[judge].backend == RECORDED for judge in self.judges)

    @cached_property
    def bootstrapped(self) -> dict[str, tuple[float, float]]:
        """The interval that such leaderboards publish, by resampling rows, for each contestant."""
        counts = {}
        for each in self.study.contestants:
            if each.own is None and not np.isnan(each.shares).all():
                won, drawn, lost = ((each.shares > 0.5), (each.shares == 0.5), (each.shares < 0.5))
                counts[each.model] = [float(each.weights[ended].sum()) for ended in (won, drawn, lost)]
        if not counts:
            return {}
        of_rows = np.array(list(counts.values()))
        drawn_scores = row_bootstrap(of_rows[:, 0], of_rows[:, 1], of_rows[:, 2], self.board.bootstrap.seed)
        low, high = np.nanpercentile(drawn_scores, _ENDS, axis=0).tolist()
        return dict(zip(counts, zip(low, high, strict=True), strict=True))

    def lacking(self, contestant: PairwiseContestant, row: PairwiseRow) -> str | None:
        present = contestant.present.reshape(len(self.placed), -1)
        if not present[:, : self.n_draws(contestant.model)].all():
            return "answers are missing"
        if contestant.verdicts["missing"]:
            return "verdicts are missing"
        if row.overall is None:
            return row.absent["overall"]
        if (why := self.study.apart) is not None:
            return why
        # Without an error, its place among the others would look certain.
        return self.study.unplaced(contestant.model) if self.is_studied(contestant) else None

    def length_controlled(self, model: str) -> Floats | None:
        """None too if contestants met different opponents, as the score is then no win rate."""
        if self.board.schedule is not None or model not in self.study.place:
            return None
        of_units = self.study.by_length(model)
        return None if isinstance(of_units, str) else mean_of_known(of_units.reshape(len(self.placed), -1))

    def item_scores(self, contestant: PairwiseContestant) -> Floats:
        """Return (items,) scores. An item without a game takes the mean of the others, and is no evidence.

        If contestants met different opponents, what each item adds to the score instead.
        """
        if self.is_studied(contestant):
            return self.study.item_scores(contestant.model)
        values = contestant.overall(np.ones(len(self.placed), np.bool_))
        present: Bools = np.any(contestant.present.reshape(len(self.placed), -1), axis=1)
        return linearised_mean(values, ~np.isnan(values), present)

    def reach(self, contestant: PairwiseContestant) -> float:
        """If all its games went one way, which no item shows: the distance to the farther end of its interval."""
        ends = self.study.ends(contestant.model) if self.is_studied(contestant) else None
        score = None if ends is None else self.study.score(contestant.model)
        return 0.0 if ends is None or not isinstance(score, float) else max(score - ends[0], ends[1] - score)

    def item_rows(self, contestants: Sequence[PairwiseContestant]) -> Iterator[PairwiseItemRow]:
        draws = self.board.draws
        judge = self._tasks.judge
        for contestant in contestants:
            states = of_items(contestant.state, draws)
            shares = np.where(contestant.state == ERRORED, 0.0, contestant.unit_shares).reshape(-1, draws)
            by_judge = np.stack(
                [mean_of_known(contestant.counting[0][:, judge == each]) for each in range(len(self.judges))], axis=1
            )
            overall = known(100 * mean_of_known(shares))
            spread = known(100 * mean_of_known(spread_of_each(by_judge).reshape(-1, draws)))
            adds: list[Any] = [UNSET] * len(states)
            if self.is_studied(contestant):
                adds = known(self.item_scores(contestant))
            elif contestant.verdicts_weigh:
                adds = known(contestant.overall(np.ones(len(self.placed), np.bool_)))
            for number in np.flatnonzero(states != NO_ANSWER).tolist():
                yield PairwiseItemRow(
                    model=contestant.model,
                    **self.layout.row_fields[number],
                    state=STATES[states[number]],
                    overall=overall[number],
                    spread=spread[number],
                    adds=adds[number],
                )

    def silenced(self, judges: Sequence[PairwiseJudgeRow]) -> list[str]:
        """Also name judges that choose one position too often, from FEWEST_DECIDED decided games on."""
        reasons = []
        for row in judges:
            wins = {"first": row.decided_first, "second": row.decided - row.decided_first}
            place, most = max(wins.items(), key=lambda of: of[1])
            if row.decided >= FEWEST_DECIDED and most > self.board.position_limit * row.decided:
                reasons.append(
                    f"the judge {row.judge!r} chose the answer shown {place} in {most} of {row.decided} decided games"
                    f" (limit {100 * self.board.position_limit:g} %)"
                )
        return [*super().silenced(judges), *reasons]

    def ratings(self) -> Ratings:
        """Return a count of the verdicts on the same two answers in the same order: won, lost or tied."""
        scale = Scale(what="game", level="nominal", low=0, high=1)
        return Ratings(judges=self._tasks.judges, scale=scale, clusters=np.arange(len(self.placed)))

    def rated(self, observations: Observations, contestant: PairwiseContestant) -> Rated:
        return PairwisePanel(self.board, self._tasks, [contestant]).rated(contestant)

    def tables(self, contestants: Sequence[PairwiseContestant]) -> Mapping[str, Any]:
        study, panel = self.study, PairwisePanel(self.board, self._tasks, contestants)
        return {
            "panel": self.board.panel,
            "baselines": list(self.board.baselines),
            "budget": UNSET if self.board.schedule is None else self.board.schedule.budget,
            "judging": self.board.judging,
            "orders": self.board.orders,
            "agree": self.board.agree or UNSET,
            "judges": list(panel.rows()),
            "pairs": list(self._pairs(contestants)),
            "rings": [[study.contestants[place].model for place in ring] for ring in study.triples.rings],
            "n_triples": study.triples.decided,
            "tied_games": panel.tied_games(),
        }

    def _pairs(self, contestants: Sequence[PairwiseContestant]) -> Iterator[PairRow]:
        for contestant in contestants:
            for name, rate in zip(contestant.names, self._rates(contestant), strict=True):
                if name != contestant.model and rate.n:
                    sure = rate.reason is None
                    yield PairRow(
                        model=contestant.model,
                        opponent=name,
                        n=rate.n,
                        win_rate=rate.value,
                        low=rate.low if sure else None,
                        high=rate.high if sure else None,
                        absent={} if rate.reason is None else {"low": rate.reason},
                    )


def _went_to(shares: Floats, positions: Ints, place: int) -> Ints:
    """Return (tasks,) how many games the answer shown at a place won.

    shares, positions: (units, tasks) of the contestant.
    """
    won: Ints = np.where(positions == place, shares > 0.5, (positions == 1 - place) & (shares < 0.5)).sum(axis=0)
    return won


def _counts(flags: Sequence[str]) -> list[float]:
    """Return the counts in the flags of the style result, in the order of _FEATURES; NaN for a missing one."""
    counts = [nan] * len(_FEATURES)
    for flag in flags:
        name, _, count = flag.partition(" ")
        if name in _FEATURES and count.isdecimal():
            counts[_FEATURES.index(name)] = float(count)
    return counts


SCORING = PairwiseScorer

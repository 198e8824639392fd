"""From the observations of a `rubric` board to its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import isnan, nan
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import UNSET

from nullbench_site.checks.registry import JUDGED
from nullbench_site.judging.geval import METRICS
from nullbench_site.judging.short_questions.asking import YES, is_question
from nullbench_site.protocols.rubric.contestant import NOTHING_TO_SCORE, RubricContestant
from nullbench_site.protocols.rubric.judging import GEVAL, HIGHEST, LOWEST, SCORE, geval_judge
from nullbench_site.protocols.rubric.metrics import (
    CheckRow,
    Divergence,
    JudgeOnModel,
    JudgePair,
    RubricItemRow,
    RubricJudgeRow,
    RubricResults,
    RubricRow,
)
from nullbench_site.protocols.rubric.question_marks import questions_of_board
from nullbench_site.protocols.rubric.specs import RubricBoardFile
from nullbench_site.runs.records import CheckResult
from nullbench_site.scoring.agreement import ALL, Part, Rated, Ratings, Scale
from nullbench_site.scoring.columns import Number
from nullbench_site.scoring.observations import MISSING, NOT_DUE, VERDICTS, Observations, replied
from nullbench_site.scoring.results import known
from nullbench_site.scoring.scorer import Contestant, Scorer, forms_of
from nullbench_site.scoring.short_questions import QuestionsOfBoard
from nullbench_site.scoring.states import (
    ERRORED,
    NO_ANSWER,
    SCORED,
    STATES,
    UNJUDGED,
    UNPARSED,
    AnswerSlice,
    answer_states,
    of_items,
    read_replies,
)
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import EMPTY, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import (
    composite,
    distance_to_geval,
    efficiency,
    judge_mean,
    leniency,
    mean_distance_to_geval,
    mean_of_known,
    moments_of,
    nearest_mark,
    overall_of_composite,
    pair_agreement,
    spread_of_each,
)
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.telemetry import RUNES_PER_TOKEN

_MARK = Annotated[int, msgspec.Meta(ge=LOWEST, le=HIGHEST)]
_SHARE = Annotated[float, msgspec.Meta(ge=0, le=1)]


class RubricSlice(AnswerSlice[RubricContestant]):
    """The answers of a contestant to some items."""

    @cached_property
    def scorable(self) -> Bools:
        """(units,) answers of the slice that did not fail and that judges replied about."""
        scorable: Bools = self.units & self.contestant.scorable
        return scorable

    @cached_property
    def means(self) -> Floats:
        """(judges and metrics and 1,) the mean mark of each complete judge, of each metric, and of G-Eval."""
        contestant = self.contestant
        marks = np.where(contestant.complete, contestant.marks, nan)
        columns = np.column_stack([marks, contestant.geval, contestant.geval_as_counted])
        return _means(columns[self.scorable])

    @property
    def by_judge(self) -> Floats:
        """(judges,) the mean mark of each complete judge; NaN for the others."""
        return self.means[: len(self.scorer.judges)]

    @property
    def by_metric(self) -> Floats:
        """(metrics,) the mean of each metric of G-Eval; NaN without a score."""
        return self.means[len(self.scorer.judges) : -1]

    @cached_property
    def scores(self) -> list[float | None]:
        """The overall score, the judge mean, the G-Eval mean and the composite, rounded; None where there is none."""
        contestant, decimals = self.contestant, self.scorer.board.composite.judge_decimals
        mean = judge_mean(self.by_judge[~np.isnan(self.by_judge)].tolist(), decimals)
        mark = nan if mean is None else mean
        geval = float(self.means[-1]) if contestant.no_geval_mean is None else nan
        shares = contestant.shares
        merged = nan if shares is None else composite(mark, geval, shares)
        overall = self._mean_of_items()
        if decimals is not None and not isnan(overall) and not isnan(merged):
            overall = overall_of_composite(merged, self.n(SCORED) + self.n(UNPARSED), self.n(ERRORED))
        return known(np.array([overall, mark, geval, merged]))

    def _mean_of_items(self) -> float:
        """Return the mean over items; NaN if some item of the board has no score."""
        scores = self.contestant.overall_of_item[self.contestant.has_item]
        own = self.contestant.overall_of_item[self.contestant.has_item & self.chosen]
        return nan if np.isnan(scores).any() else float(_means(own[:, np.newaxis])[0])

    @property
    def mean_output_tokens(self) -> Number:
        """The mean number of tokens of an answer."""
        mean = self.contestant.mean_output_tokens
        return NOTHING_TO_SCORE if mean is None else mean

    @property
    def efficiency(self) -> Number:
        """The judge mean relative to the length of answers."""
        mark, tokens = self.scores[1], self.contestant.mean_output_tokens
        if mark is None:
            return self.contestant.no_judge_mean or NOTHING_TO_SCORE
        return NOTHING_TO_SCORE if tokens is None else efficiency(mark, tokens)

    @property
    def divergence(self) -> Number:
        """The mean distance of the judges from G-Eval."""
        return mean_distance_to_geval(self.contestant.mark_of_unit, self.contestant.geval_of_unit)


_OF_PAIRS = ("exact", "adjacent", "difference", "correlation", "alpha")
_OF_MARKS = ("difference", "correlation")
"""Those of the marks themselves, fractions included."""
_OF_DIVERGENCES = ("difference", "distance", "correlation")


@dataclass(frozen=True)
class RubricPanel:
    """The verdicts on all contestants of a board. Contestants and judges are in the order of their ids."""

    judges: Sequence[str]
    metrics: Sequence[str]
    contestants: Sequence[RubricContestant]

    @cached_property
    def marks(self) -> Floats:
        """(answers, judges) the marks, where an answer is a unit of a contestant; NaN for none."""
        given = [contestant.marks for contestant in self.contestants]
        return np.concatenate([np.zeros((0, len(self.judges))), *given])

    @cached_property
    def fractional(self) -> bool:
        """Whether some mark has a fraction."""
        marks = self.marks[~np.isnan(self.marks)]
        return not np.array_equal(marks, nearest_mark(marks))

    def rows(self) -> Iterator[RubricJudgeRow]:
        """Yield a row for each judge."""
        for place, judge in enumerate(self.judges):
            ended = [
                sum(int((contestant.marks_ended[:, place] == end).sum()) for contestant in self.contestants)
                for end in range(len(VERDICTS))
            ]
            own = self.marks[:, place]
            scale = moments_of(own[~np.isnan(own)])
            lenient = leniency(self.marks, place)
            yield RubricJudgeRow(
                judge=judge,
                **dict(zip(VERDICTS, ended, strict=True)),
                **{
                    name: sum(int(getattr(contestant, name)[place]) for contestant in self.contestants)
                    for name in ("asked_again", "repaired")
                },
                forms=forms_of(self.contestants, [place]),
                mean=None if scale is None else scale.mean,
                sd=None if scale is None else scale.sd,
                leniency=lenient.value,
                absent=_reasons_of({"leniency": lenient})
                | ({"mean": "no mark", "sd": "no mark"} if scale is None else {}),
            )

    def on_models(self) -> Iterator[JudgeOnModel]:
        """Yield a row for each judge and each contestant that it may mark."""
        for contestant in self.contestants:
            every = zip(self.judges, contestant.marks.T, contestant.judges_due, contestant.complete, strict=True)
            for place, (judge, given, due, complete) in enumerate(every):
                if due:
                    marks = given[~np.isnan(given)]
                    yield JudgeOnModel(
                        judge=judge,
                        model=contestant.model,
                        n=marks.size,
                        n_due=int((contestant.marks_ended[:, place] != NOT_DUE).sum()),
                        mean=float(marks.mean()) if marks.size else None,
                        complete=bool(complete),
                    )

    def pairs(self) -> Iterator[JudgePair]:
        """Yield a row for each two judges; the judge whose id sorts first is the first.

        The shares of equal and adjacent marks and alpha are those of the nearest whole marks.
        """
        whole = nearest_mark(self.marks)
        for one, other in combinations(range(len(self.judges)), 2):
            agreement = pair_agreement(whole[:, one], whole[:, other])
            exact = pair_agreement(self.marks[:, one], self.marks[:, other]) if self.fractional else agreement
            measures = {name: getattr(exact if name in _OF_MARKS else agreement, name) for name in _OF_PAIRS}
            yield JudgePair(
                judge=self.judges[one],
                other=self.judges[other],
                n=agreement.n,
                **{name: measure.value for name, measure in measures.items()},
                absent=_reasons_of(measures),
            )

    def divergences(self) -> Iterator[Divergence]:
        """Yield the complete judges together and every judge, compared with G-Eval; nothing on a board without it."""
        if not self.metrics:
            return
        geval = np.concatenate([np.zeros(0), *(contestant.geval_of_unit for contestant in self.contestants)])
        panel = np.concatenate([np.zeros(0), *(contestant.mark_of_unit for contestant in self.contestants)])
        for judge, marks in ((None, panel), *zip(self.judges, self.marks.T, strict=True)):
            apart = distance_to_geval(marks, geval)
            measures = {name: getattr(apart, name) for name in _OF_DIVERGENCES}
            yield Divergence(
                judge=judge,
                n=apart.n,
                **{name: measure.value for name, measure in measures.items()},
                absent=_reasons_of(measures),
            )


def _reasons_of(measures: Mapping[str, Measure]) -> dict[str, str]:
    return {name: measure.reason for name, measure in measures.items() if measure.reason is not None}


class RubricScorer(Scorer[RubricBoardFile, RubricContestant, RubricRow]):
    """Marks of 1-5 by the panel, scores of 0-1 by G-Eval, and the composite of both.

    Tasks are the judges by id, then G-Eval's judge with each metric, and last with all metrics at once, as some
    programs record it.
    """

    results = RubricResults
    SLICE = RubricSlice

    def __init__(self, benchmark: Benchmark, board: RubricBoardFile) -> None:
        super().__init__(benchmark, board)
        self.metrics: tuple[str, ...] = () if board.geval is None else board.geval.metrics

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The judges of the panel, by id, without that of G-Eval."""
        return self.panel_judges

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        tasks: list[tuple[str, str | None]] = [(judge, None) for judge in self.judges]
        if self.board.geval is not None:
            tasks += ((self.board.geval.judge, f"{GEVAL}.{metric}") for metric in self.metrics)
            tasks.append((self.board.geval.judge, GEVAL))
        return tasks

    def wording(self, template: str | None) -> str | None:
        """A template of G-Eval that names none of its metrics is for all of them."""
        what, _, metric = (template or "").partition(".")
        return GEVAL if what == GEVAL and metric not in METRICS else template

    def due(self, model: ModelFile) -> Sequence[bool]:
        return self._due(model, self.tasks)

    def due_as_recorded(self, model: ModelFile) -> Sequence[bool]:
        return self._due(model, self.recorded_tasks)

    def _due(self, model: ModelFile, tasks: Sequence[tuple[str, str | None]]) -> Sequence[bool]:
        may = {judge.id for judge in self.benchmark.judges_for(self.board, model)}
        geval = geval_judge(self.benchmark, self.board, model) is not None
        return [judge in may if template is None or is_question(template) else geval for judge, template in tasks]

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        asked = {YES: _SHARE} if self.questions_asked.checklists else {}
        return {SCORE: _MARK, **dict.fromkeys(self.metrics, _SHARE), **asked}

    @cached_property
    def questions_asked(self) -> QuestionsOfBoard:
        """The short questions of the board, and what judges answered to them so far."""
        return questions_of_board(self.benchmark, self.board, self.placed, self.judges)

    @cached_property
    def recorded_tasks(self) -> Sequence[tuple[str, str | None]]:
        return self.questions_asked.recorded(self.tasks)

    @property
    def base(self) -> str | None:
        return EMPTY if self.questions_asked.checklists else None

    def settled(self, observations: Observations, base: Observations | None) -> Observations:
        return self.questions_asked.settled(observations, base, self.tasks, yes=1 + len(self.metrics))

    def reduce(self, observations: Observations) -> RubricContestant:
        n, m = len(self.judges), len(self.metrics)
        values, ended = observations.values, observations.verdicts
        marks, marks_ended = read_replies(values[:, :n, 0], ended[:, :n])
        # A record of one metric and a record of all metrics are separate: neither replaces the other.
        together = values[:, n + m :, 1 : 1 + m].reshape(len(values), m)
        every, every_ended = read_replies(together, ended[:, n + m :].repeat(m, axis=1))
        one, one_ended = read_replies(values[:, n + np.arange(m), 1 + np.arange(m)], ended[:, n : n + m])
        alone = (one_ended != NOT_DUE) & (one_ended != MISSING)
        geval, geval_ended = np.where(alone, one, every), np.where(alone, one_ended, every_ended)
        due = self.due(self.benchmark.answerer(observations.model))
        common = Contestant.common(observations)
        verdicts = np.bincount(np.column_stack([marks_ended, geval_ended]).ravel() + 1, minlength=5).tolist()[1:]
        shown, draws = self.layout.public, self.board.draws
        public = {unit: results for unit, results in observations.checks.items() if shown[unit // draws]}
        lengths = observations.tokens if common["telemetry"]["tokens_exact"] else observations.runes / RUNES_PER_TOKEN
        tokens = lengths[observations.answered]
        state = _states(observations, *((marks, marks_ended) if any(due[:n]) else (geval, geval_ended)))
        state[self.questions_asked.unasked.repeat(draws)] = NO_ANSWER
        return RubricContestant(
            **common
            | {
                "verdicts": dict(zip(common["verdicts"], verdicts, strict=True)),
                "unjudged": int((state == UNJUDGED).sum()),
            },
            board=self.board,
            n_items=len(self.placed),
            judges=self.judges,
            judges_due=np.array(due[:n], dtype=np.bool_),
            geval_due=any(due[n:]),
            state=state,
            marks=marks,
            marks_ended=marks_ended,
            geval=geval,
            geval_ended=geval_ended,
            mean_output_tokens=float(tokens.mean()) if tokens.size else None,
            outcomes=Counter((result.type, result.outcome) for results in public.values() for result in results),
            n_checked=sum(any(result.type not in JUDGED for result in results) for results in public.values()),
            failed=_failed(public),
        )

    def scores_by(self, observations: Observations, contestant: RubricContestant, judges: Collection[str]) -> Floats:
        return contestant.scores_by(np.isin(self.judges, list(judges)))

    def in_orders(self, contestant: RubricContestant, judges: Collection[str]) -> Sequence[Floats]:
        chosen = np.isin(self.judges, list(judges))
        marks = mean_of_known(contestant.marks[:, chosen]).reshape(len(self.placed), -1)
        return [100 * (mean_of_known(marks) - LOWEST) / (HIGHEST - LOWEST)]

    def row(self, contestant: RubricContestant, chosen: Bools) -> RubricRow | None:
        of, items = RubricSlice(self, contestant, chosen), contestant.has_item & chosen
        if not items.any():
            return None
        overall, mark, geval, composite = of.scores
        answered = of.n(SCORED) + of.n(UNPARSED)
        return self.filled(
            RubricRow,
            of,
            (contestant.absent if answered else contestant.absent_unscored) | _reasons(contestant, overall),
            model=contestant.model,
            n_items=int(items.sum()),
            n_scored=of.n(SCORED),
            n_errored=of.n(ERRORED),
            n_unparsed=of.n(UNPARSED),
            n_geval=int(contestant.has_geval[of.units].sum()) if self.metrics else UNSET,
            overall=overall,
            judge_mean=mark,
            geval_mean=geval,
            composite=composite,
            composite_of=None if composite is None else contestant.composite_of,
            judges={} if mark is None else _there(self.judges, known(of.by_judge)),
            geval={} if geval is None else _there(self.metrics, known(of.by_metric)),
        )

    def finish(self, row: RubricRow, contestant: RubricContestant) -> None:
        row.incomplete_judges = contestant.incomplete

    def lacking(self, contestant: RubricContestant, row: RubricRow) -> str | None:
        """A rank needs every answer, every verdict of the panel, and a complete judge if the contestant has judges."""
        if self.questions_asked.unasked.any():
            return self.questions_asked.no_score
        if contestant.counted.sum() < len(self.placed) * self.n_draws(contestant.model):
            return "answers are missing"
        if contestant.missing:
            return "verdicts are missing"
        if row.overall is None:
            return row.absent["overall"]
        return None if contestant.complete.any() or not contestant.incomplete else "no judge marked every answer"

    def item_scores(self, contestant: RubricContestant) -> Floats:
        return contestant.linearised_of_item

    def item_rows(self, contestants: Sequence[RubricContestant]) -> Iterator[RubricItemRow]:
        return chain.from_iterable(map(self._item_rows, contestants))

    def _item_rows(self, contestant: RubricContestant) -> Iterator[RubricItemRow]:
        n_items, draws = len(self.placed), self.board.draws
        units = np.column_stack(
            [contestant.mark_of_unit, contestant.geval_of_unit, spread_of_each(contestant.marks), contestant.marks]
        )
        means = known(mean_of_known(units.reshape(n_items, draws, -1)))
        overall, states = known(contestant.overall_of_item), of_items(contestant.state, draws)
        for number in np.flatnonzero(states != NO_ANSWER).tolist():
            mark, geval, spread, *marks = means[number]
            failed = (contestant.failed.get(unit, ()) for unit in range(number * draws, (number + 1) * draws))
            yield RubricItemRow(
                model=contestant.model,
                **self.layout.row_fields[number],
                state=STATES[states[number]],
                overall=overall[number],
                judge_mean=mark,
                geval_mean=geval,
                spread=spread,
                marks=_there(self.judges, marks),
                failed=sorted(set(chain.from_iterable(failed))),
            )

    def ratings(self) -> Ratings:
        """Return a count of the marks, with parts for the board and each domain. Items are independent."""
        domains = self.layout.domains
        of_domains = [({"domain": name}, domains.names.index(name), ALL) for name in domains.in_order]
        parts: list[Part] = [({"domain": None}, ALL, ALL), *of_domains]
        scale = Scale(what="mark", level="ordinal", low=LOWEST, high=HIGHEST)
        clusters = np.arange(domains.of_item.size)
        return Ratings(judges=self.judges, scale=scale, clusters=clusters, groups=domains.of_item, parts=parts)

    def rated(self, observations: Observations, contestant: RubricContestant) -> Rated:
        return Rated.of_answers(nearest_mark(contestant.marks), contestant.item_of_unit)

    def tables(self, contestants: Sequence[RubricContestant]) -> Mapping[str, Any]:
        panel = RubricPanel(self.judges, self.metrics, contestants)
        return {
            "panel": self.board.panel,
            "geval_judge": None if self.board.geval is None else self.board.geval.judge,
            "geval_metrics": list(self.metrics),
            "weights": {"judge": self.board.composite.judge, "geval": self.board.composite.geval},
            "judges": list(panel.rows()),
            "judge_models": list(panel.on_models()),
            "judge_pairs": list(panel.pairs()),
            "divergence": list(panel.divergences()),
            "checks": self._check_rows(contestants),
            **self.questions_asked.tables(),
        }

    def _check_rows(self, contestants: Sequence[RubricContestant]) -> list[CheckRow]:
        """Return a row for each type of check, by type, for public items only."""
        n_items = Counter(
            kind
            for item, public in zip(self.placed, self.layout.public, strict=True)
            for kind in ({check.type_id() for check in item.checks} if public else ())
        )
        total: Counter[tuple[str, str]] = sum((contestant.outcomes for contestant in contestants), Counter())
        return [
            CheckRow(
                type=kind,
                n_items=n_items[kind],
                passed=total[kind, "passed"],
                failed=total[kind, "failed"],
                not_applicable=total[kind, "not-applicable"],
            )
            for kind in sorted({*n_items, *(kind for kind, _ in total)})
        ]


def _means(values: Floats) -> Floats:
    """Return the mean of each column of `values`, (answers, columns), without its NaN; NaN if it has nothing else.

    `reduceat` adds the first value last. Published digits depend on that order if a mean ends in a 5.
    """
    if not len(values):
        return np.full(values.shape[1], nan)
    given = ~np.isnan(values)
    total, n = np.add.reduceat(np.where(given, values, 0.0), [0], axis=0)[0], given.sum(axis=0)
    means: Floats = np.divide(total, n, out=np.full(total.shape, nan), where=n > 0)
    return means


def _states(observations: Observations, given: Floats, ended: Ints) -> Ints:
    """Return how each answer ended.

    given, ended: those of the panel, or of G-Eval if every judge of the panel is of the contestant's family.
    """
    scored, some_reply = ~np.isnan(given).all(axis=1), replied(ended).any(axis=1)
    return answer_states(observations.present, observations.answered, scored, some_reply)


def _failed(checks: Mapping[int, tuple[CheckResult, ...]]) -> dict[int, list[str]]:
    failed = {unit: sorted({r.type for r in results if r.outcome == "failed"}) for unit, results in checks.items()}
    return {unit: types for unit, types in sorted(failed.items()) if types}


def _there(names: Sequence[str], values: Sequence[float | None]) -> dict[str, float]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}


def _reasons(contestant: RubricContestant, overall: float | None) -> dict[str, str]:
    why = contestant.no_composite
    return {"overall": why, "se": why} if overall is None and why is not None else {}


SCORING = RubricScorer

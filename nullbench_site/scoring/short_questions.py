"""The answers of judges to short questions, as one mark a judge and response.

Records have one judgment a question. Agreement, z, leaving one judge out and family exclusion see one mark a judge,
response and sample. Relative values need the record of the empty response, so marks are in no cached shard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, TypeAlias

import msgspec
import numpy as np

from nullbench_site.scoring.observations import (
    ALONE,
    ERRORED_VERDICT,
    MISSING,
    NOT_DUE,
    SCORED_VERDICT,
    UNPARSED_VERDICT,
    Observations,
)
from nullbench_site.scoring.question_tables import QuestionMeans, QuestionRow
from nullbench_site.scoring.results import known
from nullbench_site.scoring.states import read_replies
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import BoardFile, QuestionValue
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.checklist import UNANSWERABLE, item_value, mark_of, relative_value, yes_or_no
from nullbench_site.stats.judges import MARK_MAX, MARK_MIN, nearest_mark
from nullbench_site.text import listed, some_of

Task: TypeAlias = tuple[str, str | None]
"""A judge with its template."""


class QuestionLists(msgspec.Struct, frozen=True, kw_only=True):
    """The short questions of a protocol about an item.

    names: the template of a task -> its questions, as records name them. is_asked: whether an item has a question.
    is_counted: whether it is in the mark. is_prohibited: whether the empty response passes it by design. is_bare:
    whether it has no value for the empty response, such as a question about a sentence of the response; these and
    prohibitions take raw values. scale: the lowest and highest mark. scores: makes the scores of a judgment from the
    answers, (units, scores); by default the mark alone. marks: the scores, (units, scores), -> what the page of judges
    shows as marks, (units, marks). judged: which questions of items a judge can answer, (items, questions), -> which
    items have a score, (items,).
    """

    names: Mapping[str | None, Sequence[str]]
    is_asked: Callable[[Any, str], bool]
    is_counted: Callable[[str], bool] = lambda name: True
    is_prohibited: Callable[[Any, str], bool] = lambda placed, name: False
    is_bare: Callable[[str], bool] = lambda name: False
    scale: tuple[float, float] = (MARK_MIN, MARK_MAX)
    scores: Callable[[JudgeAnswers, Observations], Floats] = lambda answers, observations: answers.mark[:, np.newaxis]
    marks: Callable[[Floats], Floats] = lambda scores: scores[:, :1]
    judged: Callable[[Bools], Bools] = lambda left: np.asarray(left.any(axis=1), np.bool_)


@dataclass(frozen=True, kw_only=True)
class Checklist:
    """The questions of one task on a board.

    columns: their places among the recorded tasks. value: the kind of value. counted: (questions,) which are in the
    mark. asked: (items, questions) which an item has. prohibited: (items, questions) which the empty response passes by
    design. bare: (questions,) which have no value for the empty response. scale: the lowest and highest mark.
    """

    judge: str
    names: Sequence[str]
    columns: Ints
    value: QuestionValue
    counted: Bools
    asked: Bools
    prohibited: Bools
    bare: Bools
    scale: tuple[float, float]

    @property
    def raw(self) -> Bools:
        """(items, questions) which take raw values."""
        raw: Bools = self.prohibited | self.bare
        return raw


@dataclass(frozen=True)
class EmptyAnswers:
    """What a judge says about the empty response: (items, questions) e, NaN for none, and how its verdicts ended."""

    yes: Floats
    ended: Ints

    @classmethod
    def of(cls, base: Observations | None, checklist: Checklist, place: int, draws: int) -> EmptyAnswers:
        """Return those of the first draw of each item. place: of the probability of yes among the scores."""
        shape = checklist.prohibited.shape
        if base is None:
            return cls(np.full(shape, nan), np.full(shape, MISSING))
        given, ended = base.values[::draws, checklist.columns, place], base.verdicts[::draws, checklist.columns]
        return cls(*read_replies(given, ended))

    def unanswerable(self, checklist: Checklist) -> Bools:
        """(items, questions) which questions the judge cannot answer, so that they count for no contestant.

        It says yes to the empty response, or, with relative values, has no valid answer about it.
        """
        invalid = np.logical_and(self.ended == UNPARSED_VERDICT, checklist.value == "relative")
        cannot: Bools = np.asarray((self.yes > UNANSWERABLE) | invalid, np.bool_)
        return cannot & checklist.asked & ~checklist.raw

    def left(self, checklist: Checklist) -> Bools:
        """(items, questions) which questions in the mark, no prohibitions, the judge can answer."""
        left: Bools = checklist.asked & checklist.counted & ~checklist.prohibited & ~self.unanswerable(checklist)
        return left


@dataclass(frozen=True, kw_only=True)
class JudgeAnswers:
    """The answers of one judge about the responses of one contestant.

    ended: (units,) how the judgment of a response ended. marked: (units,) where each of its questions has a valid
    value. The others: (units, questions). values: 0-1, NaN for a question that does not count. counts: which count.
    prohibited: which are prohibitions. compared: which of those that count have a value for the empty response and are
    no prohibitions.
    """

    checklist: Checklist
    ended: Ints
    marked: Bools
    yes: Floats
    relative: Floats
    values: Floats
    counts: Bools
    prohibited: Bools
    compared: Bools

    @property
    def mark(self) -> Floats:
        """(units,) the mark: that of the mean of the requirements times the mean of the prohibitions."""
        return mark_of(item_value(self.values, self.prohibited), *self.checklist.scale)


@dataclass(frozen=True)
class MarksOfJudge:
    """The marks of one judge for one contestant. marks: (units, marks), NaN where it gave none."""

    answers: JudgeAnswers
    marks: Floats


def values_of(kind: QuestionValue, yes: Floats, empty: Floats, prohibited: Bools) -> Floats:
    """Return the values of questions, 0-1: NaN for none. empty: e. Prohibitions take no relative value."""
    match kind:
        case "relative":
            return np.where(prohibited, yes, relative_value(yes, empty))
        case "raw":
            return yes
        case "yes-no":
            return yes_or_no(yes)


def answers_of_judge(
    observations: Observations, checklist: Checklist, empty: EmptyAnswers, *, place: int, draws: int
) -> JudgeAnswers:
    """Return the answers of one judge about each response.

    A judge marks a response only if each question of it that some contestant can gain by has a valid value; else its
    state is the worst of these. It does not judge an item of which it can answer no question.
    """
    yes, ended = read_replies(
        observations.values[:, checklist.columns, place], observations.verdicts[:, checklist.columns]
    )
    e, e_ended = empty.yes.repeat(draws, axis=0), empty.ended.repeat(draws, axis=0)
    prohibited, raw = checklist.prohibited.repeat(draws, axis=0), checklist.raw.repeat(draws, axis=0)
    cannot = empty.unanswerable(checklist).repeat(draws, axis=0)
    due = (ended != NOT_DUE) & ~cannot
    counts = due & checklist.counted
    values = values_of(checklist.value, yes, e, raw)
    if checklist.value == "relative":
        unknown = counts & ~raw & ((e_ended == MISSING) | (e_ended == ERRORED_VERDICT))
        ended = np.where(unknown, MISSING, ended)
    worst = np.where(due, ended, NOT_DUE).max(axis=1, initial=NOT_DUE)
    # A response without a sentence has no question about one; the value of its sentences is 0 and needs no question.
    some = (counts & ~prohibited).any(axis=1) | (due & checklist.bare).any(axis=1)
    worst = np.where(some, worst, NOT_DUE)
    return JudgeAnswers(
        checklist=checklist,
        ended=worst,
        marked=worst == SCORED_VERDICT,
        yes=yes,
        relative=relative_value(yes, e),
        values=np.where(counts, values, nan),
        counts=counts,
        prohibited=prohibited,
        compared=counts & ~raw,
    )


class QuestionsOfBoard:
    """The short questions of a board, and what judges answered. checklists: by task, empty if no judge is asked any.

    given: by task and contestant or control, what was observed. empty: by task, what the judge answered about the empty
    response.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        board: BoardFile,
        placed: Sequence[PlacedItem],
        judges: Sequence[str],
        lists: QuestionLists,
    ) -> None:
        self.placed, self.draws, self.lists = placed, board.draws, lists
        self.checklists: dict[Task, Checklist] = {}
        self.empty: dict[Task, EmptyAnswers] = {}
        self.given: dict[str, dict[str, list[MarksOfJudge]]] = {}
        first = 0
        for judge in (benchmark.judges[name] for name in judges if benchmark.judges[name].asks_questions):
            for template, names in lists.names.items():
                of_items = {"asked": lists.is_asked, "prohibited": lists.is_prohibited}
                arrays = {
                    field: np.array([[test(item, name) for name in names] for item in placed], np.bool_)
                    for field, test in of_items.items()
                }
                self.checklists[judge.id, template] = Checklist(
                    judge=judge.id,
                    names=names,
                    columns=first + np.arange(len(names)),
                    value=judge.question_value,
                    counted=np.array([lists.is_counted(name) for name in names], np.bool_),
                    bare=np.array([lists.is_bare(name) for name in names], np.bool_),
                    scale=lists.scale,
                    **arrays,
                )
                first += len(names)

    def recorded(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """Return the tasks as records have them: the questions of each judge first, then the other tasks."""
        questions = [(of.judge, name) for of in self.checklists.values() for name in of.names]
        return [*questions, *(task for task in tasks if task not in self.checklists)]

    def settled(
        self, observations: Observations, base: Observations | None, tasks: Sequence[Task], *, yes: int
    ) -> Observations:
        """Return observations with one task for each judgment, whose first scores are those of the lists.

        yes: the place of the probability of yes among the recorded scores.
        """
        if not self.checklists:
            return observations
        model, given, scores = observations.model, dict[Task, JudgeAnswers](), dict[Task, Floats]()
        of_judge: dict[str, list[MarksOfJudge]] = {}
        for task, checklist in self.checklists.items():
            self.empty[task] = empty = EmptyAnswers.of(base, checklist, yes, self.draws)
            given[task] = own = answers_of_judge(observations, checklist, empty, place=yes, draws=self.draws)
            scores[task] = np.where(own.marked[:, np.newaxis], self.lists.scores(own, observations), nan)
            of_judge.setdefault(checklist.judge, []).append(MarksOfJudge(own, self.lists.marks(scores[task])))
        self.given[model] = of_judge
        places = {task: place for place, task in enumerate(self.recorded(tasks))}
        n_units, _, recorded = observations.values.shape
        shape, width = (n_units, len(tasks)), max(recorded, *(each.shape[1] for each in scores.values()))
        values, verdicts = np.full((*shape, width), nan), np.full(shape, NOT_DUE)
        invalid, repaired = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        positions = np.full(shape, ALONE)
        for number, task in enumerate(tasks):
            if task in given:
                columns, of_task = self.checklists[task].columns, scores[task]
                values[:, number, : of_task.shape[1]], verdicts[:, number] = of_task, given[task].ended
                invalid[:, number] = observations.invalid[:, columns].sum(axis=1)
                repaired[:, number] = observations.repaired[:, columns].any(axis=1)
                continue
            place = places[task]
            values[:, number, :recorded] = observations.values[:, place]
            verdicts[:, number] = observations.verdicts[:, place]
            invalid[:, number], repaired[:, number] = observations.invalid[:, place], observations.repaired[:, place]
            positions[:, number] = observations.positions[:, place]
        return msgspec.structs.replace(
            observations, values=values, verdicts=verdicts, invalid=invalid, repaired=repaired, positions=positions
        )

    @property
    def unasked(self) -> Bools:
        """(items,) which items have a task of which no judge can answer a question, so that they have no score."""
        unasked = np.zeros(len(self.placed), np.bool_)
        for template in {template for _, template in self.empty}:
            tasks = [task for task in self.empty if task[1] == template]
            due = np.any([self.checklists[task].asked.any(axis=1) for task in tasks], axis=0)
            lefts = (self.empty[task].left(self.checklists[task]) for task in tasks)
            judged = np.any([self.lists.judged(left) for left in lefts], axis=0)
            unasked |= due & ~judged
        return unasked

    @property
    def no_score(self) -> str:
        """Why a board with such items has no ranks: their answers have no score."""
        items = [item.id for item, unasked in zip(self.placed, self.unasked.tolist(), strict=True) if unasked]
        return f"no judge can answer a question of {listed([*some_of(items, _NAMED, thousands=',')])}"

    def tables(self) -> Mapping[str, Any]:
        """Return the tables of the results; none if no judge is asked short questions."""
        if not self.checklists:
            return {}
        every = (
            question_means(model, judge, of) for model, judges in self.given.items() for judge, of in judges.items()
        )
        means = sorted((each for each in every if each.n_responses), key=lambda row: (row.judge, row.model))
        return {"questions": list(self._rows()), "question_values": means}

    def _rows(self) -> Iterator[QuestionRow]:
        for task, empty in self.empty.items():
            checklist = self.checklists[task]
            cannot = empty.unanswerable(checklist)
            for number, place in np.argwhere(checklist.asked & ~checklist.bare).tolist():
                prohibited, counted = checklist.prohibited[number, place], checklist.counted[place]
                (e,) = known(empty.yes[number, place : place + 1])
                yield QuestionRow(
                    judge=checklist.judge,
                    item=self.placed[number].id,
                    question=checklist.names[place],
                    kind="prohibition" if prohibited else "requirement" if counted else "reported",
                    yes_to_empty=e,
                    counts=bool(counted and not cannot[number, place]),
                )


_NAMED = 5
"""The most items that a reason names."""


def question_means(model: str, judge: str, of: Sequence[MarksOfJudge]) -> QuestionMeans:
    """Return the mean values of a judge for a contestant, over its tasks."""
    marks = np.concatenate([given.marks.ravel() for given in of])
    marks = marks[~np.isnan(marks)]
    yes, relative = (
        np.concatenate([getattr(own, name)[own.compared & own.marked[:, np.newaxis]] for own in _answers(of)])
        for name in ("yes", "relative")
    )
    reported = [own.yes[own.marked][:, ~(own.checklist.counted | own.checklist.bare)].ravel() for own in _answers(of)]
    return QuestionMeans(
        judge=judge,
        model=model,
        n_responses=sum(int(own.marked.sum()) for own in _answers(of)),
        yes=_mean(yes),
        relative=_mean(relative),
        mark=_mean(marks),
        places=np.unique(nearest_mark(marks)).size,
        reported=_mean(np.concatenate(reported)),
    )


def _answers(of: Sequence[MarksOfJudge]) -> list[JudgeAnswers]:
    return [given.answers for given in of]


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None

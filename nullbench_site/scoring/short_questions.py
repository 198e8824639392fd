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
    is_counted: whether it is in the mark. is_prohibited: whether the empty response passes it by design. scale: the
    lowest and highest mark.
    """

    names: Mapping[str | None, Sequence[str]]
    is_asked: Callable[[Any, str], bool]
    is_counted: Callable[[str], bool] = lambda name: True
    is_prohibited: Callable[[Any, str], bool] = lambda placed, name: False
    scale: tuple[float, float] = (MARK_MIN, MARK_MAX)


@dataclass(frozen=True, kw_only=True)
class Checklist:
    """The questions of one task on a board.

    columns: their places among the recorded tasks. value: the kind of value. counted: (questions,) which are in the
    mark. asked: (items, questions) which an item has. prohibited: (items, questions) which the empty response passes by
    design. scale: the lowest and highest mark.
    """

    judge: str
    names: Sequence[str]
    columns: Ints
    value: QuestionValue
    counted: Bools
    asked: Bools
    prohibited: Bools
    scale: tuple[float, float]


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
        return cannot & checklist.asked & ~checklist.prohibited

    def judged(self, checklist: Checklist) -> Bools:
        """(items,) which items have a question in the mark, no prohibition, that the judge can answer."""
        left = checklist.asked & checklist.counted & ~checklist.prohibited & ~self.unanswerable(checklist)
        judged: Bools = np.any(left, axis=1)
        return judged


@dataclass(frozen=True)
class MarksOfJudge:
    """The marks of one judge for one contestant. marks, ended: (units,); the others: (units, questions)."""

    marks: Floats
    ended: Ints
    yes: Floats
    relative: Floats
    counts: Bools
    marked: Bools


def values_of(kind: QuestionValue, yes: Floats, empty: Floats, prohibited: Bools) -> Floats:
    """Return the values of questions, 0-1: NaN for none. empty: e. Prohibitions take no relative value."""
    match kind:
        case "relative":
            return np.where(prohibited, yes, relative_value(yes, empty))
        case "raw":
            return yes
        case "yes-no":
            return yes_or_no(yes)


def marks_of_judge(
    observations: Observations, checklist: Checklist, empty: EmptyAnswers, *, place: int, draws: int
) -> MarksOfJudge:
    """Return the mark of each response by one judge.

    A judge marks a response only if each question of it that some contestant can gain by has a valid value; else its
    state is the worst of these. It does not judge an item of which it can answer no question.
    """
    yes, ended = read_replies(
        observations.values[:, checklist.columns, place], observations.verdicts[:, checklist.columns]
    )
    e, e_ended = empty.yes.repeat(draws, axis=0), empty.ended.repeat(draws, axis=0)
    prohibited = checklist.prohibited.repeat(draws, axis=0)
    cannot = empty.unanswerable(checklist).repeat(draws, axis=0)
    due = (ended != NOT_DUE) & ~cannot
    counts, relative = due & checklist.counted, relative_value(yes, e)
    values = values_of(checklist.value, yes, e, prohibited)
    if checklist.value == "relative":
        unknown = counts & ~prohibited & ((e_ended == MISSING) | (e_ended == ERRORED_VERDICT))
        ended = np.where(unknown, MISSING, ended)
    marks = mark_of(item_value(np.where(counts, values, nan), prohibited), *checklist.scale)
    worst = np.where(due, ended, NOT_DUE).max(axis=1, initial=NOT_DUE)
    worst = np.where((counts & ~prohibited).any(axis=1), worst, NOT_DUE)
    marked = worst == SCORED_VERDICT
    return MarksOfJudge(np.where(marked, marks, nan), worst, yes, relative, counts & ~prohibited, marked)


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
        self.placed, self.draws = placed, board.draws
        self.checklists: dict[Task, Checklist] = {}
        self.empty: dict[Task, EmptyAnswers] = {}
        self.given: dict[str, dict[str, list[tuple[Checklist, MarksOfJudge]]]] = {}
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
        """Return observations with one task for each mark, which is the first score.

        yes: the place of the probability of yes among the scores.
        """
        if not self.checklists:
            return observations
        model, given = observations.model, dict[Task, MarksOfJudge]()
        of_judge: dict[str, list[tuple[Checklist, MarksOfJudge]]] = {}
        for task, checklist in self.checklists.items():
            self.empty[task] = empty = EmptyAnswers.of(base, checklist, yes, self.draws)
            given[task] = marks_of_judge(observations, checklist, empty, place=yes, draws=self.draws)
            of_judge.setdefault(checklist.judge, []).append((checklist, given[task]))
        self.given[model] = of_judge
        places = {task: place for place, task in enumerate(self.recorded(tasks))}
        n_units, _, width = observations.values.shape
        shape = n_units, len(tasks)
        values, verdicts = np.full((*shape, width), nan), np.full(shape, NOT_DUE)
        invalid, repaired = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
        positions = np.full(shape, ALONE)
        for number, task in enumerate(tasks):
            if task in given:
                columns = self.checklists[task].columns
                values[:, number, 0], verdicts[:, number] = given[task].marks, given[task].ended
                invalid[:, number] = observations.invalid[:, columns].sum(axis=1)
                repaired[:, number] = observations.repaired[:, columns].any(axis=1)
                continue
            place = places[task]
            values[:, number], verdicts[:, number] = observations.values[:, place], observations.verdicts[:, place]
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
            judged = np.any([self.empty[task].judged(self.checklists[task]) for task in tasks], axis=0)
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
            for number, place in np.argwhere(checklist.asked).tolist():
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


def question_means(model: str, judge: str, of: Sequence[tuple[Checklist, MarksOfJudge]]) -> QuestionMeans:
    """Return the mean values of a judge for a contestant, over its tasks."""
    marks = np.concatenate([given.marks[given.marked] for _, given in of])
    yes, relative = (
        np.concatenate([getattr(given, name)[given.counts & given.marked[:, np.newaxis]] for _, given in of])
        for name in ("yes", "relative")
    )
    reported = np.concatenate([given.yes[given.marked][:, ~checklist.counted].ravel() for checklist, given in of])
    return QuestionMeans(
        judge=judge,
        model=model,
        n_responses=marks.size,
        yes=_mean(yes),
        relative=_mean(relative),
        mark=_mean(marks),
        places=np.unique(nearest_mark(marks)).size,
        reported=_mean(reported),
    )


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None

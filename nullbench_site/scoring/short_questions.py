"""The answers of judges to short questions, as one mark a judge and response.

Records have one judgment a question. Agreement, z, leaving one judge out and family exclusion see one mark a judge,
response and sample. Relative values need the record of the empty response, so marks are in no cached shard.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

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
from nullbench_site.scoring.states import read_replies
from nullbench_site.specs.types import QuestionValue
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.checklist import UNANSWERABLE, item_value, mark_of, relative_value, yes_or_no

Tasks = Sequence[tuple[str, str | None]]


@dataclass(frozen=True, kw_only=True)
class Checklist:
    """The questions of one judge on a board.

    columns: their places among the recorded tasks. value: the kind of value. counted: (questions,) which are in the
    mark. asked: (items, questions) which an item has. prohibited: (items, questions) which the empty response passes by
    design.
    """

    judge: str
    columns: Ints
    value: QuestionValue
    counted: Bools
    asked: Bools
    prohibited: Bools


class QuestionMeans(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one judge for one contestant or control, over the responses that it marked.

    n: how many. yes, relative, mark: means of the probability of yes and of the relative value of the questions that
    count, and of the marks. places: how many different whole marks there are. reported: the mean probability of yes of
    the questions that are in no mark.
    """

    judge: str
    model: str
    n: int
    yes: float | None
    relative: float | None
    mark: float | None
    places: int
    reported: float | None


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
        cannot: Bools = np.logical_or(self.yes > UNANSWERABLE, invalid) & checklist.asked & ~checklist.prohibited
        return cannot

    def judged(self, checklist: Checklist) -> Bools:
        """(items,) which items have a question in the mark, no prohibition, that the judge can answer."""
        left = checklist.asked & checklist.counted & ~checklist.prohibited & ~self.unanswerable(checklist)
        judged: Bools = left.any(axis=1)
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
    marks = mark_of(item_value(np.where(counts, values, nan), prohibited))
    worst = np.where(due, ended, NOT_DUE).max(axis=1, initial=NOT_DUE)
    worst = np.where((counts & ~prohibited).any(axis=1), worst, NOT_DUE)
    marked = worst == SCORED_VERDICT
    return MarksOfJudge(np.where(marked, marks, nan), worst, yes, relative, counts & ~prohibited, marked)


def settled(
    observations: Observations,
    tasks: Tasks,
    recorded: Tasks,
    given: Mapping[str, MarksOfJudge],
    checklists: Mapping[str, Checklist],
    *,
    score: int,
) -> Observations:
    """Return observations with one task for each judge of short questions. score: the place of the mark."""
    n_units, _, width = observations.values.shape
    shape = n_units, len(tasks)
    values, verdicts = np.full((*shape, width), nan), np.full(shape, NOT_DUE)
    invalid, repaired = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    positions = np.full(shape, ALONE)
    places = {task: place for place, task in enumerate(recorded)}
    for number, task in enumerate(tasks):
        if task not in places:
            judge, columns = given[task[0]], checklists[task[0]].columns
            values[:, number, score], verdicts[:, number] = judge.marks, judge.ended
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


def question_means(model: str, checklist: Checklist, given: MarksOfJudge) -> QuestionMeans:
    """Return the mean values of a judge for a contestant."""
    marks = given.marks[given.marked]
    rows = given.marked[:, np.newaxis]
    reported = given.yes[given.marked][:, ~checklist.counted]
    return QuestionMeans(
        judge=checklist.judge,
        model=model,
        n=marks.size,
        yes=_mean(given.yes[given.counts & rows]),
        relative=_mean(given.relative[given.counts & rows]),
        mark=_mean(marks),
        places=np.unique(np.floor(marks + 0.5)).size,
        reported=_mean(reported.ravel()),
    )


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else None

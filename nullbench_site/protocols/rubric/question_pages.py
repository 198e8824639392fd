"""The short questions on pages: of a response in the explorer, and of each judge on the page of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET

from nullbench_site.judging.short_questions.asking import PREFIX, YES, is_question
from nullbench_site.protocols.rubric.metrics import QuestionRow, RubricResults
from nullbench_site.protocols.rubric.questions_asked import CONTRADICTION, criterion_of
from nullbench_site.protocols.rubric.specs import RubricBoardFile
from nullbench_site.scoring.short_questions import QuestionMeans, values_of
from nullbench_site.site import words
from nullbench_site.site.evidence import Verdict
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import FLOOR, REFERENCE, Control
from nullbench_site.stats.checklist import UNANSWERABLE, item_value, mark_of

_SHOWN = 100
"""The most questions that a judge cannot answer that the page lists."""


class QuestionAnswered(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A short question about a response, as a judge answered it.

    question: its name in records without the prefix. yes: the probability of yes; None if it is not valid. value: 0-1;
    None if the question counts for no contestant. empty: the probability of yes for the empty response.
    """

    question: str
    kind: str
    yes: float | None
    value: float | None
    empty: float | None
    state: str = "scored"


class AnswersOfJudge(msgspec.Struct, kw_only=True):
    """The answers of one judge about a response. mark: 1-5; None if one that counts is not valid."""

    judge: str
    mark: float | None
    questions: list[QuestionAnswered]


def answers_of_judges(
    benchmark: Benchmark,
    rows: Mapping[tuple[str, str], QuestionRow],
    verdicts: Mapping[str | None, Sequence[Verdict]],
) -> list[AnswersOfJudge]:
    """Return the answers of each judge about one response. rows: by judge and question. verdicts: by wording."""
    of_judge: dict[str, list[tuple[QuestionRow, Verdict]]] = {}
    for wording, given in verdicts.items():
        for verdict in given if is_question(wording) else ():
            if (row := rows.get((verdict.judge, str(wording)))) is not None:
                of_judge.setdefault(verdict.judge, []).append((row, verdict))
    return [_answers(benchmark, judge, answered) for judge, answered in sorted(of_judge.items())]


def _answers(benchmark: Benchmark, judge: str, answered: list[tuple[QuestionRow, Verdict]]) -> AnswersOfJudge:
    answered.sort(key=lambda each: (criterion_of(each[0].question) is None, criterion_of(each[0].question)))
    yes = np.array([float(verdict.scores.get(YES, nan)) for _, verdict in answered])
    empty = np.array([nan if row.yes_to_empty is None else row.yes_to_empty for row, _ in answered])
    prohibited = np.array([row.kind == "prohibition" for row, _ in answered], np.bool_)
    counts = np.array([row.counts for row, _ in answered], np.bool_)
    values = values_of(benchmark.judges[judge].question_value, yes, empty, prohibited)
    valid = not np.isnan(values[counts]).any()
    mark = float(mark_of(item_value(np.where(counts, values, nan)[np.newaxis], prohibited))[0]) if valid else nan
    return AnswersOfJudge(
        judge=judge,
        mark=_known(mark),
        questions=[
            QuestionAnswered(
                question=row.question.removeprefix(PREFIX),
                kind=row.kind,
                yes=_known(yes[place]),
                value=_known(values[place]) if row.counts else None,
                empty=row.yes_to_empty,
                state=verdict.state,
            )
            for place, (row, verdict) in enumerate(answered)
        ],
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)


class QuestionLine(msgspec.Struct, frozen=True, kw_only=True):
    """A contestant or a control in the table of a judge's values. is_control: whether it is a control."""

    title: str
    is_control: bool
    row: QuestionMeans


class Unanswerable(msgspec.Struct, frozen=True):
    """A question that a judge cannot answer. text: of the criterion, or what is asked."""

    item: str
    text: str
    empty: float | None


class JudgeQuestions(msgspec.Struct, frozen=True, kw_only=True):
    """The values of a judge, the best first, and the questions that it cannot answer."""

    title: str
    says: str
    lines: Sequence[QuestionLine]
    unanswerable: Sequence[Unanswerable]
    left_out: int


def question_tables(benchmark: Benchmark, board: RubricBoardFile, results: RubricResults) -> list[JudgeQuestions]:
    """Return what the page of judges shows of each judge that is asked short questions."""
    if results.question_values is UNSET or results.questions is UNSET:
        return []
    placed = {each.id: each for each in benchmark.items(board)}
    judges = sorted({row.judge for row in results.questions})
    return [_of_judge(benchmark, judge, results.question_values, results.questions, placed) for judge in judges]


def _of_judge(
    benchmark: Benchmark,
    judge: str,
    values: Sequence[QuestionMeans],
    questions: Sequence[QuestionRow],
    placed: Mapping[str, Any],
) -> JudgeQuestions:
    lines = [
        QuestionLine(title=who.title, is_control=isinstance(who, Control), row=row)
        for row in values
        if row.judge == judge and _is_shown(who := benchmark.answerer(row.model))
    ]
    lines.sort(key=lambda line: (-(line.row.yes or 0.0), line.title))
    own = [row for row in questions if row.judge == judge]
    asked = [row for row in own if row.kind == "requirement"]
    cannot = [row for row in asked if not row.counts]
    says = (
        f"{benchmark.judges[judge].title} cannot answer {len(cannot)} of {words.plural(len(asked), 'question')}: it "
        f"says yes to the empty response with a probability above {UNANSWERABLE}, or has no valid answer about it."
    )
    listed = [
        Unanswerable(row.item, _text(placed[row.item], row.question), row.yes_to_empty)
        for row in cannot
        if row.item in placed
    ]
    return JudgeQuestions(
        title=benchmark.judges[judge].title,
        says=says,
        lines=lines,
        unanswerable=listed[:_SHOWN],
        left_out=len(listed[_SHOWN:]),
    )


def _is_shown(who: Any) -> bool:
    """Return True for contestants, the reference answers and the controls of FLOOR; damaged answers have a table."""
    return not isinstance(who, Control) or who.id == REFERENCE or who.floor in FLOOR


def _text(placed: Any, question: str) -> str:
    number = criterion_of(question)
    if question == CONTRADICTION or number is None:
        return "Does it contradict itself?"
    return str(placed.criteria[number - 1])

"""The page of judges: what judges answered about contestants and controls, and what they cannot answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from nullbench_site.judging.protocol import judging
from nullbench_site.scoring.question_tables import QuestionMeans
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, known
from nullbench_site.specs.types import FLOOR, REFERENCE, Control
from nullbench_site.stats.checklist import UNANSWERABLE

_SHOWN = 100
"""The most questions that a judge cannot answer that the page lists."""


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


def question_tables(view: BoardView) -> list[JudgeQuestions]:
    """Return what the page of judges shows of each judge that is asked short questions."""
    judges = sorted({row.judge for row in known(view.results.questions)})
    return [_of_judge(view, judge) for judge in judges]


def _of_judge(view: BoardView, judge: str) -> JudgeQuestions:
    benchmark, text = view.benchmark, judging(view.board.protocol).question_text
    placed = {each.id: each for each in benchmark.items(view.board)}
    lines = [
        QuestionLine(title=who.title, is_control=isinstance(who, Control), row=row)
        for row in known(view.results.question_values)
        if row.judge == judge and _is_shown(who := benchmark.answerer(row.model))
    ]
    lines.sort(key=lambda line: (-(line.row.yes or 0.0), line.title))
    own = [row for row in known(view.results.questions) if row.judge == judge]
    asked = [row for row in own if row.kind == "requirement"]
    cannot = [row for row in asked if not row.counts]
    says = (
        f"{benchmark.judges[judge].title} cannot answer {len(cannot)} of {words.plural(len(asked), 'question')}: it "
        f"says yes to the empty response with a probability above {UNANSWERABLE}, or has no valid answer about it."
    )
    listed = [
        Unanswerable(row.item, text(placed[row.item], row.question), row.yes_to_empty)
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

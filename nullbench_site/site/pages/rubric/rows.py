"""The tables of a `rubric` board and its parts, and how it comes from marks to one number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET

from nullbench_site.protocols.rubric.results import Parts, RubricRow, RubricScores
from nullbench_site.site import words
from nullbench_site.site.pages import tables
from nullbench_site.site.pages.rows import failed_words, so_far
from nullbench_site.site.pages.tables import BEHAVIOUR, EVIDENCE, SCORE, SPEED, TRUST, Column, Layout, speed_columns
from nullbench_site.site.views import RubricView

_PARTS: dict[Parts, str] = {"judge+geval": "", "judge": "judges only", "geval": "G-Eval only"}


def has_geval(view: RubricView) -> bool:
    """Whether the board has G-Eval."""
    return bool(view.results.geval_metrics)


def remarks(view: RubricView, row: Any, whole_board: bool) -> Iterator[str]:
    """What keeps a contestant from a rank, which of its answers failed, and who did not judge all of the others."""
    if lacking := so_far(view, row):
        yield lacking
    if not whole_board:
        return
    if failed := failed_words(row):
        yield failed
    for judge, marks in sorted(row.incomplete_judges.items()):
        title = view.benchmark.judges[judge].title
        yield f"{title} left out: {words.of(marks, view.n_wanted - row.n_errored)} marks"
    if lacking := geval_coverage(row):
        yield lacking


def parts_words(scores: RubricScores) -> str:
    """What alone a composite is made of; empty where it has both parts, or is absent."""
    return "" if scores.composite_of is None else _PARTS[scores.composite_of]


def geval_coverage(row: RubricScores) -> str:
    """How many answers G-Eval scored, where it counts and some have no score."""
    answers = row.n_scored + row.n_unparsed
    if row.geval_mean is None or row.n_geval is UNSET or row.n_geval == answers:
        return ""
    return f"G-Eval scored {words.of(row.n_geval, answers)} answers"


def _note(view: RubricView, row: RubricScores) -> str:
    """What alone a score is made of, where others on the board have both parts."""
    return parts_words(row) if has_geval(view) else ""


def flagged_share(row: RubricRow) -> float | None:
    """The share of answers to public items in which a check failed; None without an answer to check."""
    return row.n_flagged / row.n_checked if row.n_checked else None


def hundredths(share: float | None) -> float | None:
    """A score of 0-1 as one of 0-100."""
    return None if share is None else 100 * share


def points(share: float | None) -> str:
    """A score of 0-1 in hundredths."""
    return words.number(hundredths(share))


def _of_board(column: str, kind: tables.Kind, group: str, value: Any, digits: int = 1) -> Column[RubricView, Any]:
    return Column(column, group, kind, lambda view, row: value(row), digits, whole_board=True)


LAYOUT: Layout[RubricView, RubricScores] = Layout(
    overall="rubric_overall",
    in_part="rubric_overall",
    interval="ci",
    score=lambda row: row.overall,
    columns=(
        Column("judge_mean", SCORE, "number", lambda view, row: row.judge_mean, digits=2),
        Column("geval_mean", SCORE, "number", lambda view, row: hundredths(row.geval_mean), shown=has_geval),
        _of_board("n_flagged", "percent", BEHAVIOUR, flagged_share),
        _of_board("error_rate", "percent", BEHAVIOUR, lambda row: row.error_rate),
        _of_board("efficiency", "number", SPEED, lambda row: row.efficiency, digits=3),
        *speed_columns(),
        Column("scored", EVIDENCE, "count", tables.scored, whole=tables.wanted),
        TRUST,
    ),
    remarks=remarks,
    note=_note,
)


def group_floor(view: RubricView, rows: Iterable[RubricScores]) -> float | None:
    """The score of the best null model in a part of a board, 0-100; None without one."""
    return tables.group_floor(view, LAYOUT, rows)


def composite_words(view: RubricView) -> str:
    """What the composite of an answer is on this board."""
    judge, geval = view.results.weights["judge"], view.results.weights["geval"]
    if not view.results.geval_metrics:
        return "the mean mark of the judges, put from 1-5 on 0-100"
    how = "the mean" if judge == geval else f"the mean, weighted {judge:g} to {geval:g},"
    return f"{how} of the judges' mean mark, put from 1-5 on 0-100, and the G-Eval mean"

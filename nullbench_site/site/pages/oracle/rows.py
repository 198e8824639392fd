"""The tables of an `oracle` board, its domains, categories, difficulties and types of key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from nullbench_site.protocols.oracle.results import OracleScores
from nullbench_site.site import words
from nullbench_site.site.pages import tables
from nullbench_site.site.pages.rows import IntervalCell, Told, interval_cell, n_responses, so_far, sureness, told
from nullbench_site.site.pages.tables import BEHAVIOUR, EVIDENCE, SCORE, TRUST, Column, Layout, speed_columns
from nullbench_site.site.views import OracleView
from nullbench_site.site.views.board import AnyRow


def _accuracy_ends(row: OracleScores) -> tuple[float, float] | None:
    if row.accuracy_low is None or row.accuracy_high is None:
        return None
    return row.accuracy_low, row.accuracy_high


def _valid(row: OracleScores) -> int:
    return row.n_correct + row.n_wrong


def _remarks(view: OracleView, row: AnyRow, whole_board: bool) -> Iterator[str]:
    if lacking := so_far(view, row):
        yield lacking


_ACCURACY: Column[OracleView, OracleScores] = Column(
    "accuracy", SCORE, "percent", lambda view, row: row.accuracy, ends=_accuracy_ends
)

LAYOUT: Layout[OracleView, Any] = Layout(
    overall="oracle_overall",
    in_part="oracle_overall",
    interval="share_ci",
    score=lambda row: row.overall,
    columns=(
        _ACCURACY,
        Column("contrast_consistency", SCORE, "percent", lambda view, row: row.contrast_consistency),
        Column("invalid_rate", BEHAVIOUR, "percent", lambda view, row: row.invalid_rate, whole_board=True),
        Column("oracle_error_rate", BEHAVIOUR, "percent", lambda view, row: row.error_rate, whole_board=True),
        *speed_columns(),
        Column(
            "valid_share", EVIDENCE, "count",
            lambda view, row: float(_valid(row)), whole=lambda view, row: n_responses(row),
        ),
        TRUST,
    ),
    remarks=_remarks,
)  # fmt: skip


def group_floor(view: OracleView, rows: Iterable[OracleScores]) -> float | None:
    """The score of the best null model in a part of a board, 0-100; None without one."""
    return tables.group_floor(view, LAYOUT, rows)


@dataclass(frozen=True)
class Figures:
    """What stands of a contestant in a table of its own: the score, and the accuracy with what it is of."""

    score: Told
    sureness: str
    interval: IntervalCell | None
    accuracy: Told
    valid: str
    consistent: Told


def figures(row: OracleScores, floor: float | None) -> Figures:
    """The figures of a row. floor: of the best null model on the same items, 0-100."""
    return Figures(
        score=told(words.number(row.overall), row, "overall"),
        sureness=sureness(row),
        interval=interval_cell(row, row.overall, floor),
        accuracy=told(accuracy(row), row, "accuracy"),
        valid=words.of(_valid(row), n_responses(row)),
        consistent=told(words.percent(row.contrast_consistency), row, "contrast_consistency"),
    )


def accuracy(row: OracleScores) -> str:
    """The accuracy in words, with the ends of its interval."""
    share = words.percent(row.accuracy)
    ends = _accuracy_ends(row)
    return share if ends is None else f"{share} [{words.number(100 * ends[0])}–{words.number(100 * ends[1])}]"

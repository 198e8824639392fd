"""The tables of an `axes` board, its domains and categories, and how it comes from items to one number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nullbench_site.protocols.axes.results import GroupRow
from nullbench_site.scoring.results import WHOLE_BOARD
from nullbench_site.site import words
from nullbench_site.site.pages import tables
from nullbench_site.site.pages.rows import failed_words, n_responses, so_far
from nullbench_site.site.pages.tables import BEHAVIOUR, EVIDENCE, SCORE, TRUST, Column, Layout, speed_columns
from nullbench_site.site.views import AxesView
from nullbench_site.site.views.board import AnyRow


def _score(row: GroupRow) -> float | None:
    return row.score


def _refused(view: AxesView, row: GroupRow) -> float | None:
    if row.rank is not WHOLE_BOARD:
        return row.refusal_rate
    return row.n_refused / n_responses(row) if n_responses(row) else None


def _remarks(view: AxesView, row: AnyRow, whole_board: bool) -> Iterator[str]:
    said = (so_far(view, row), failed_words(row) if whole_board else "")
    yield from (remark for remark in said if remark)


LAYOUT: Layout[AxesView, GroupRow] = Layout(
    overall="overall",
    in_part="goal_alignment",
    interval="ci",
    score=_score,
    columns=(
        Column("quality", SCORE, "number", lambda view, row: row.quality),
        Column("refusal_rate", BEHAVIOUR, "percent", _refused),
        *speed_columns(),
        Column("scored", EVIDENCE, "count", tables.scored, whole=tables.wanted),
        TRUST,
    ),
    remarks=_remarks,
)


def group_floor(view: AxesView, rows: Iterable[GroupRow]) -> float | None:
    """The score of the best null model in a part of a board, 0-100; None without one."""
    return tables.group_floor(view, LAYOUT, rows)


def aggregation_words(view: AxesView) -> str:
    """How a board comes from items to one number."""
    aggregation = view.board.aggregation
    groups = "domains" if aggregation.groups == "domain" else "categories"
    if not aggregation.construct_weights:
        return f"the mean over {groups} of the mean in each"
    weights = [f"{name} {weight:g}" for name, weight in sorted(aggregation.construct_weights.items())]
    return f"the mean in each construct over {groups} of the mean in each, constructs weighted: {words.listed(weights)}"

"""Write the scores of contestants in each part of a board, as a compact file for the table's filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from nullbench_site.site.charts.style import extent
from nullbench_site.site.data_files import with_schema
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.boards import facts_of_part
from nullbench_site.site.pages.openings import opening
from nullbench_site.site.pages.page import interval_cell
from nullbench_site.site.pages.sentences import silence
from nullbench_site.site.pages.tables import Part, axis_top, columns_of, group_floor, parts
from nullbench_site.site.views import BoardView

Numbers = list[float | None]


class GroupScores(msgspec.Struct, kw_only=True):
    """A domain or a difficulty. Lists are in the order of `models`, with null for a missing number.

    says: the sentence on the highest score. facts: name and value of the figures above the table. floor: the score of
    the best null model. top: the upper end of the axis of intervals; extent: both ends in words. rank, rank_low,
    rank_high: among the ranked contestants; null if the items are too few for a range. best: whether no contestant
    scores significantly higher; false for all if the board makes no comparative claim. score, ci_low, ci_high: 0-100.
    columns: those of the board's table, by metric. wholes: the totals of the columns that are counts. ends: the low and
    the high ends of the columns that have intervals.
    """

    kind: Literal["domain", "difficulty"]
    id: str
    title: str
    n_items: int
    says: str
    facts: list[tuple[str, str]]
    floor: float | None
    top: float
    extent: str
    rank: list[int | None]
    rank_low: list[int | None]
    rank_high: list[int | None]
    best: list[bool]
    score: Numbers
    ci_low: Numbers
    ci_high: Numbers
    columns: dict[str, Numbers]
    wholes: dict[str, list[int | None]]
    ends: dict[str, tuple[Numbers, Numbers]]


class BoardGroups(msgspec.Struct):
    """data/v1/boards/<board>/groups.json."""

    board: str
    models: list[str]
    groups: list[GroupScores]


def group_score_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content."""
    for view in site.views:
        path = f"boards/{view.board.id}/groups.json"
        groups = BoardGroups(view.board.id, list(view.rows), [_scores_of(view, part) for part in parts(view)])
        yield from with_schema(path, "boards/groups.schema.json", groups)


def _scores_of(view: BoardView, part: Part) -> GroupScores:
    of_model: dict[str, Any] = {row.model: row for row in part.group.rows}
    rows = [of_model.get(model) for model in view.rows]
    columns = columns_of(view, whole_board=False)
    floor = group_floor(view, part.group.rows)
    top = axis_top((interval_cell(row, row.score, None) for row in part.group.rows), floor)
    silent = bool(silence(view, part.group))

    def numbers(value: Any) -> Numbers:
        return [None if row is None else value(row) for row in rows]

    return GroupScores(
        kind=part.kind,
        id=part.id,
        title=part.title,
        n_items=part.group.n_items,
        says=opening(view, part.group).long,
        facts=facts_of_part(view, part),
        floor=floor,
        top=top,
        extent=extent(top),
        rank=[None if row is None or row.rank_low is None else row.rank for row in rows],
        rank_low=[row and row.rank_low for row in rows],
        rank_high=[row and row.rank_high for row in rows],
        best=[model in part.group.best_set and not silent for model in view.rows],
        score=numbers(lambda row: row.score),
        ci_low=numbers(lambda row: row.ci_low),
        ci_high=numbers(lambda row: row.ci_high),
        columns={metric.id: numbers(lambda row, m=metric: m.read(view, row)) for metric, _ in columns},
        wholes={
            metric.id: [None if row is None else column.whole(view, row) for row in rows]
            for metric, column in columns
            if column.whole is not None
        },
        ends={
            metric.id: (
                numbers(lambda row, c=column: (c.ends(row) or (None, None))[0]),
                numbers(lambda row, c=column: (c.ends(row) or (None, None))[1]),
            )
            for metric, column in columns
            if column.ends is not None
        },
    )

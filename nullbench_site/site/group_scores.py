"""The scores of all contestants in each part of a board, for its table: data/v1/boards/<board>/groups.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from nullbench_site.site.data_files import with_schema
from nullbench_site.site.gather import SiteData
from nullbench_site.site.pages.protocols import parts_of
from nullbench_site.site.pages.rows import margin, ranks_in_group
from nullbench_site.site.pages.tables import Column, Part, group_floor, parts
from nullbench_site.site.views import BoardView, OracleView

_DIGITS = 6

Numbers = list[float | None]


class GroupScores(msgspec.Struct, kw_only=True):
    """A domain or a difficulty. Lists are in the order of `models`; null where a contestant has no such number.

    floor: the score of the best null model here. rank: among the contestants that the board ranks. score, ci_low,
    ci_high: 0-100. margin: half of the 95 % interval before it was cut at the ends of the scale; null where the
    interval has two unlike halves. columns: of the board's table, by metric. wholes: what the counts among these are
    parts of. ends: the intervals of columns that have one of their own, low ends and high ends.
    """

    kind: Literal["domain", "difficulty"]
    id: str
    title: str
    n_items: int
    floor: float | None
    rank: list[int | None]
    score: Numbers
    ci_low: Numbers
    ci_high: Numbers
    margin: Numbers
    columns: dict[str, Numbers]
    wholes: dict[str, list[int | None]]
    ends: dict[str, tuple[Numbers, Numbers]]


class BoardGroups(msgspec.Struct):
    """data/v1/boards/<board>/groups.json: numbers have 6 digits that count; the board's own file has all of them."""

    board: str
    models: list[str]
    groups: list[GroupScores]


def group_scores(view: BoardView) -> BoardGroups:
    """What the results say of a board's domains and difficulties, as its table shows it."""
    return BoardGroups(view.board.id, list(view.rows), [_group(view, part) for part in parts(view)])


def group_score_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the site's root -> content."""
    for view in site.views:
        path = f"boards/{view.board.id}/groups.json"
        yield from with_schema(path, "boards/groups.schema.json", group_scores(view))


def _group(view: BoardView, part: Part) -> GroupScores:
    layout = parts_of(view).table
    of_model: dict[str, Any] = {row.model: row for row in part.rows}
    rows = [of_model.get(model) for model in view.rows]
    ranks = ranks_in_group(view, {model: layout.score(row) for model, row in of_model.items()})
    columns: list[Column[Any, Any]] = layout.columns_of(view, whole_board=False)

    def numbers(value: Any) -> Numbers:
        return [None if row is None else _short(value(row)) for row in rows]

    return GroupScores(
        kind=part.kind,
        id=part.id,
        title=part.title,
        n_items=part.n_items,
        floor=_short(group_floor(view, layout, part.rows)),
        rank=[None if row is None else ranks[row.model] for row in rows],
        score=numbers(layout.score),
        ci_low=numbers(lambda row: row.ci_low),
        ci_high=numbers(lambda row: row.ci_high),
        margin=numbers(lambda row: None if isinstance(view, OracleView) else margin(row.se)),
        columns={column.metric: numbers(lambda row, c=column: c.value(view, row)) for column in columns},
        wholes={
            column.metric: [None if row is None else column.whole(view, row) for row in rows]
            for column in columns
            if column.whole is not None
        },
        ends={
            column.metric: (
                numbers(lambda row, c=column: (c.ends(row) or (None, None))[0]),
                numbers(lambda row, c=column: (c.ends(row) or (None, None))[1]),
            )
            for column in columns
            if column.ends is not None
        },
    )


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}")

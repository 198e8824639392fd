"""Rows of an `axes` board, its domains and categories, and how it comes from items to one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nullbench_site.scoring.axes.results import BoardRow, GroupRow
from nullbench_site.site import paths, words
from nullbench_site.site.pages.rows import (
    IntervalCell,
    bands,
    failed_words,
    interval_cell,
    margin,
    n_responses,
    rank_in_group,
    so_far,
)
from nullbench_site.site.views import AxesView
from nullbench_site.specs.types import ModelFile


@dataclass(frozen=True)
class Row:
    """A contestant in a table of scores."""

    model: ModelFile
    link: str
    rank: str
    score: str
    plus_minus: str
    interval: IntervalCell | None
    quality: str
    refused: str
    time: str
    scored: str
    band: str
    so_far: str = ""
    failed: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


def board_rows(view: AxesView) -> list[Row]:
    """The rows of a whole board. Groups of ties share a band."""
    shades = bands(view.rows.values())
    return [_board_row(view, row, shades.get(row.tie_group or 0, "")) for row in view.results.leaderboard]


def _board_row(view: AxesView, row: BoardRow, band: str) -> Row:
    return Row(
        model=view.benchmark.models[row.model],
        link=paths.model_url(row.model),
        rank=words.rank_range(row.rank, row.rank_low, row.rank_high),
        score=words.number(row.overall),
        plus_minus=words.plus_minus(margin(row.se)),
        interval=interval_cell(row, row.overall, view.floor),
        quality=words.number(row.quality),
        refused=words.percent(row.refusal_rate),
        time=words.milliseconds(row.median_response_time_ms),
        scored=words.of(row.n_scored, view.n_wanted),
        band=band,
        so_far=so_far(view, row),
        failed=failed_words(row),
        notes=row.absent,
    )


def group_rows(view: AxesView, rows: Sequence[GroupRow]) -> list[Row]:
    """The rows of a domain or category, best first; ranked are those that the board ranks."""
    scores = [(row.model, row.goal_alignment) for row in rows]
    floor = group_floor(view, rows)
    return [
        Row(
            model=view.benchmark.models[row.model],
            link=paths.model_url(row.model),
            rank=rank_in_group(view, row.model, scores),
            score=words.number(row.goal_alignment),
            plus_minus=words.plus_minus(margin(row.se)),
            interval=interval_cell(row, row.goal_alignment, floor),
            quality=words.number(row.quality),
            refused=words.percent(row.n_refused / n_responses(row) if n_responses(row) else None),
            time=words.milliseconds(None if row.mean_time_s is None else 1000 * row.mean_time_s),
            scored=words.of(row.n_scored, n_responses(row)),
            band="",
            so_far=so_far(view, view.rows[row.model]),
            notes=row.absent,
        )
        for row in rows
    ]


def group_floor(view: AxesView, rows: Sequence[GroupRow]) -> float | None:
    """The score of the best null model in a domain or category, 0-100; None without one."""
    return max((row.goal_alignment or 0.0 for row in rows if view.is_null(row.model)), default=None)


def aggregation_words(view: AxesView) -> str:
    """How a board comes from items to one number."""
    aggregation = view.board.aggregation
    groups = "domains" if aggregation.groups == "domain" else "categories"
    if not aggregation.construct_weights:
        return f"the mean over {groups} of the mean in each"
    weights = [f"{name} {weight:g}" for name, weight in sorted(aggregation.construct_weights.items())]
    return f"the mean in each construct over {groups} of the mean in each, constructs weighted: {words.listed(weights)}"

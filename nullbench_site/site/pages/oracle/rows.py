"""Rows of an `oracle` board, its domains, categories, difficulties and types of key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nullbench_site.scoring.oracle.results import OracleScores
from nullbench_site.site import paths, words
from nullbench_site.site.pages.rows import (
    IntervalCell,
    Told,
    bands,
    interval_cell,
    n_responses,
    rank_in_group,
    so_far,
    sureness,
    told,
)
from nullbench_site.site.views import OracleView
from nullbench_site.specs.types import ModelFile


@dataclass(frozen=True)
class Figures:
    """What stands of a contestant in every table: the score, and the accuracy with what it is of."""

    score: Told
    sureness: str
    interval: IntervalCell | None
    accuracy: Told
    valid: str
    consistent: Told


@dataclass(frozen=True)
class BoardFigures:
    """What a contestant has on a whole board alone."""

    invalid: str
    failed: str
    time: str


@dataclass(frozen=True)
class Row:
    """A contestant in a table of scores. board: None in a part of the board."""

    model: ModelFile
    link: str
    rank: str
    figures: Figures
    remarks: Sequence[str]
    band: str = ""
    board: BoardFigures | None = None


def board_rows(view: OracleView) -> list[Row]:
    """The rows of a whole board. Groups of ties share a band."""
    shades = bands(view.rows.values())
    return [
        Row(
            model=view.benchmark.models[row.model],
            link=paths.model_url(row.model),
            rank=words.rank_range(row.rank, row.rank_low, row.rank_high),
            figures=figures(row, view.floor),
            remarks=[note for note in (so_far(view, row),) if note],
            band=shades.get(row.tie_group or 0, ""),
            board=BoardFigures(
                invalid=words.percent(row.invalid_rate),
                failed=words.percent(row.error_rate),
                time=words.milliseconds(row.median_response_time_ms),
            ),
        )
        for row in view.results.leaderboard
    ]


def group_rows(view: OracleView, rows: Sequence[OracleScores]) -> list[Row]:
    """The rows of a part of a board, best first; ranked are those that the board ranks."""
    scores = [(row.model, row.overall) for row in rows]
    floor = group_floor(view, rows)
    return [
        Row(
            model=view.benchmark.models[row.model],
            link=paths.model_url(row.model),
            rank=rank_in_group(view, row.model, scores),
            figures=figures(row, floor),
            remarks=[note for note in (so_far(view, view.rows[row.model]),) if note],
        )
        for row in rows
    ]


def figures(row: OracleScores, floor: float | None) -> Figures:
    """The figures of a row. floor: of the best null model on the same items, 0-100."""
    return Figures(
        score=told(words.number(row.overall), row, "overall"),
        sureness=sureness(row),
        interval=interval_cell(row, row.overall, floor),
        accuracy=told(accuracy(row), row, "accuracy"),
        valid=words.of(row.n_correct + row.n_wrong, n_responses(row)),
        consistent=told(words.percent(row.contrast_consistency), row, "contrast_consistency"),
    )


def accuracy(row: OracleScores) -> str:
    """The accuracy in words, with the ends of its interval."""
    share = words.percent(row.accuracy)
    if row.accuracy_low is None or row.accuracy_high is None:
        return share
    return f"{share} [{words.number(100 * row.accuracy_low)}–{words.number(100 * row.accuracy_high)}]"


def group_floor(view: OracleView, rows: Iterable[OracleScores]) -> float | None:
    """The score of the best null model in a group, 0-100; None without one."""
    return max((row.overall for row in rows if view.is_null(row.model)), default=None)

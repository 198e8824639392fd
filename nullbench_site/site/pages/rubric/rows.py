"""Rows of a `rubric` board, its domains, categories and difficulties, and how it comes from marks to one number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nullbench_site.scoring.rubric.results import Parts, RubricRow, RubricScores
from nullbench_site.site import paths, words
from nullbench_site.site.pages.rows import (
    IntervalCell,
    Told,
    bands,
    failed_words,
    interval_cell,
    margin,
    n_responses,
    rank_in_group,
    so_far,
    told,
)
from nullbench_site.site.views import RubricView
from nullbench_site.specs.types import ModelFile

_PARTS: dict[Parts, str] = {"judge+geval": "", "judge": "judges only", "geval": "G-Eval only"}


@dataclass(frozen=True)
class BoardFigures:
    """What a contestant has on a whole board alone."""

    efficiency: Told
    flagged: str
    failed: str
    time: str


@dataclass(frozen=True)
class Row:
    """A contestant in a table of scores.

    parts: what alone its composite is made of; empty where it has both parts. board: None in a part of the board.
    """

    model: ModelFile
    link: str
    rank: str
    score: Told
    plus_minus: str
    interval: IntervalCell | None
    parts: str
    judge_mean: Told
    geval_mean: Told
    scored: str
    remarks: Sequence[str]
    band: str = ""
    board: BoardFigures | None = None


def board_rows(view: RubricView) -> list[Row]:
    """The rows of a whole board. Groups of ties share a band."""
    shades = bands(view.rows.values())
    return [
        _row(
            view,
            row,
            rank=words.rank_range(row.rank, row.rank_low, row.rank_high),
            floor=view.floor,
            scored=words.of(row.n_scored, view.n_wanted),
            remarks=remarks(view, row),
            band=shades.get(row.tie_group or 0, ""),
            board=BoardFigures(
                efficiency=told(words.number(row.efficiency, 3), row, "efficiency"),
                flagged=words.percent(flagged_share(row)),
                failed=words.percent(row.error_rate),
                time=words.milliseconds(row.median_response_time_ms),
            ),
        )
        for row in view.results.leaderboard
    ]


def group_rows(view: RubricView, rows: Sequence[RubricScores]) -> list[Row]:
    """The rows of a domain, category or difficulty, best first; ranked are those that the board ranks."""
    scores = [(row.model, row.overall) for row in rows]
    floor = group_floor(view, rows)
    return [
        _row(
            view,
            row,
            rank=rank_in_group(view, row.model, scores),
            floor=floor,
            scored=words.of(row.n_scored, n_responses(row)),
            remarks=[note for note in (so_far(view, view.rows[row.model]),) if note],
        )
        for row in rows
    ]


def _row(
    view: RubricView,
    row: RubricScores,
    *,
    rank: str,
    floor: float | None,
    scored: str,
    remarks: Sequence[str],
    band: str = "",
    board: BoardFigures | None = None,
) -> Row:
    return Row(
        model=view.benchmark.models[row.model],
        link=paths.model_url(row.model),
        rank=rank,
        score=told(words.number(row.overall), row, "overall"),
        plus_minus=words.plus_minus(margin(row.se)),
        interval=interval_cell(row, row.overall, floor),
        parts=parts_words(row),
        judge_mean=told(words.number(row.judge_mean, 2), row, "judge_mean"),
        geval_mean=told(points(row.geval_mean), row, "geval_mean"),
        scored=scored,
        remarks=remarks,
        band=band,
        board=board,
    )


def group_floor(view: RubricView, rows: Iterable[RubricScores]) -> float | None:
    """The score of the best null model in a group, 0-100; None without one."""
    return max((row.overall or 0.0 for row in rows if view.is_null(row.model)), default=None)


def remarks(view: RubricView, row: RubricRow) -> list[str]:
    """What keeps a contestant from a rank, which of its answers failed, and which judges count in no mean."""
    missing = [
        f"{view.benchmark.judges[judge].title} left out: {words.of(marks, view.n_wanted - row.n_errored)} marks"
        for judge, marks in sorted(row.incomplete_judges.items())
    ]
    return [note for note in (so_far(view, row), failed_words(row), *missing) if note]


def parts_words(scores: RubricScores) -> str:
    """What alone a composite is made of; empty where it has both parts, or is absent."""
    return "" if scores.composite_of is None else _PARTS[scores.composite_of]


def flagged_share(row: RubricRow) -> float | None:
    """The share of answers to public items in which a check failed; None without an answer to check."""
    return row.n_flagged / row.n_checked if row.n_checked else None


def points(share: float | None) -> str:
    """A score of 0-1 in hundredths."""
    return words.number(None if share is None else 100 * share)


def composite_words(view: RubricView) -> str:
    """What the composite of an answer is on this board."""
    judge, geval = view.results.weights["judge"], view.results.weights["geval"]
    if not view.results.geval_metrics:
        return "the mean mark of the judges, put from 1-5 on 0-100"
    how = "the mean" if judge == geval else f"the mean, weighted {judge:g} to {geval:g},"
    return f"{how} of the judges' mean mark, put from 1-5 on 0-100, and the G-Eval mean"

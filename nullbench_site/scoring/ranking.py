"""The order of a board: ranks with their intervals, tie groups, the null floor."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, TypeVar

from nullbench_site.scoring.results import Floor
from nullbench_site.specs.types import Bootstrap
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.ranking import bootstrap_overalls, rank_intervals, tie_groups
from nullbench_site.stats.trust import above_floor, null_floor


class Ranked(Protocol):
    """What a row of a board has, of whichever protocol."""

    model: str
    se: float | None
    ci_low: float | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    tie_group: int | None
    above_null_floor: bool | None
    absent: dict[str, str]

    @property
    def overall(self) -> float | None: ...


RowT = TypeVar("RowT", bound=Ranked)


def rank(
    rows: Mapping[str, Ranked],
    scores: Mapping[str, Floats],
    bootstrap: Bootstrap,
    *,
    groups: Ints,
    clusters: Ints,
    weights: Sequence[float] | None = None,
) -> None:
    """Put ranks, their intervals and tie groups into `rows`, those of contestants that have every answer and verdict.

    scores: model -> (items,) its score on each item of the board, 0-100. groups, clusters, weights: as in
    `bootstrap_overalls`.
    """
    if not rows:
        return
    models = sorted(rows)
    draws = bootstrap_overalls(
        [scores[model] for model in models],
        groups,
        clusters,
        resamples=bootstrap.resamples,
        seed=bootstrap.seed,
        weights=weights,
    )
    points = [rows[model].overall or 0.0 for model in models]
    ranks = rank_intervals(points, draws)
    ties = tie_groups(points, draws)
    for place, model in enumerate(models):
        row = rows[model]
        row.rank = ranks.rank[place]
        if row.se is None:
            # One text or item a group: every draw is the same, which is no evidence that the order would hold.
            row.absent["rank_low"] = row.absent["tie_group"] = row.absent["se"]
            continue
        row.rank_low, row.rank_high = ranks.rank_low[place], ranks.rank_high[place]
        row.tie_group = ties[place]


def set_above_floor(rows: Collection[Ranked], null_models: Collection[str]) -> Floor | None:
    """The best of the ranked `null_models`; into every row whether it is above it."""
    nulls = {
        row.model: row.overall
        for row in rows
        if row.model in null_models and row.rank is not None and row.overall is not None
    }
    floor = null_floor(nulls)
    no_floor = None
    if floor is None:
        no_floor = "no null model of the board is ranked" if null_models else "no null model is on the board"
    for row in rows:
        row.above_null_floor = above_floor(row.ci_low if row.rank is not None else None, floor)
        if row.above_null_floor is None:
            row.absent["above_null_floor"] = no_floor or ("not ranked" if row.rank is None else "no interval")
    return Floor(model=floor.id, overall=floor.score) if floor else None


def best_first(rows: Collection[RowT]) -> list[RowT]:
    """The rows by rank, those without one last."""
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.model))

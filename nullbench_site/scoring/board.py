"""Summaries of all contestants -> the results of one board: a reduction, without a record in sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from nullbench_site.scoring.groups import GroupScorer, rounded, with_relative_qpr
from nullbench_site.scoring.items import items_table
from nullbench_site.scoring.judges import (
    agreement_rows,
    board_moments,
    judge_model_rows,
    judge_rows,
    normalised_axes,
)
from nullbench_site.scoring.results import BoardResults, BoardRow, Floor, Group, GroupRow, ItemRow
from nullbench_site.scoring.shard import ShardSummary
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, ModelFile
from nullbench_site.stats.floor import above_floor, null_floor
from nullbench_site.stats.interval import grouped_mean_standard_error, normal_interval
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.normalisation import JudgeMoments
from nullbench_site.stats.ranking import bootstrap_overalls, rank_intervals, tie_groups
from nullbench_site.stats.scores import overall
from nullbench_site.stats.telemetry import percentile, stability_score, throughput_runes_per_s, tokens_per_s

if TYPE_CHECKING:
    import pandas as pd


def score_board(benchmark: Benchmark, board: BoardFile, run: str, summaries: Sequence[ShardSummary]) -> BoardResults:
    """Everything a board shows. The order of `summaries` and of the judges does not matter."""
    summaries = sorted(summaries, key=lambda summary: summary.model)
    axes = _axes_of_board(benchmark, board)
    items = items_table(benchmark, board, summaries, axes)
    judges = benchmark.panels[board.panel].judges
    moments = board_moments(summaries, judges)
    contestants = benchmark.contestants(board)
    groups = GroupScorer(axes, {model.id: model.memory_gb for model in contestants})
    scorer = _BoardScorer(benchmark, board, axes, items, groups, moments)
    floor, leaderboard = scorer.leaderboard(summaries)
    n_items = len(scorer.placed)
    results = BoardResults(
        run=run,
        board=board.id,
        protocol=board.protocol,
        panel=board.panel,
        complete=len(leaderboard) == len(contestants) and all(row.rank is not None for row in leaderboard),
        n_items=n_items,
        axes=list(axes),
        floor=floor,
        leaderboard=leaderboard,
        domains=scorer.groups_by("domain"),
        categories=scorer.groups_by("category"),
        items=_item_rows(items, scorer.axes_of_category),
        judges=judge_rows(summaries, judges, moments),
        judge_models=judge_model_rows(summaries, judges, moments),
        agreement=agreement_rows(summaries, list(scorer.axes_of_category), axes),
    )
    return msgspec.convert(msgspec.to_builtins(rounded(results)), BoardResults)


def _axes_of_board(benchmark: Benchmark, board: BoardFile) -> tuple[str, ...]:
    used = {axis for placed in benchmark.items(board) for axis in placed.category.axes}
    return tuple(axis for axis in benchmark.axes if axis in used)


@dataclass
class _BoardScorer:
    benchmark: Benchmark
    board: BoardFile
    axes: tuple[str, ...]
    items: pd.DataFrame
    groups: GroupScorer
    moments: Mapping[str, JudgeMoments | None]

    def __post_init__(self) -> None:
        self.placed = {placed.id: placed for placed in self.benchmark.items(self.board)}
        self.axes_of_category = {p.category.id: p.category.axes for p in self.placed.values()}
        self.models: dict[str, ModelFile] = {m.id: m for m in self.benchmark.contestants(self.board)}

    def leaderboard(self, summaries: Sequence[ShardSummary]) -> tuple[Floor | None, list[BoardRow]]:
        """The rows of the board, best first, and the null floor."""
        scored = {s.model: self._row(s) for s in summaries if s.rows}
        self._rank({model: row for model, row in scored.items() if row.n_items == len(self.placed)})
        nulls = {
            model: row.overall
            for model, row in scored.items()
            if self.models[model].kind == "null" and row.rank is not None and row.overall is not None
        }
        floor = null_floor(nulls)
        for row in scored.values():
            row.above_null_floor = above_floor(row.ci_low if row.rank is not None else None, floor)
            if row.above_null_floor is None:
                row.absent["above_null_floor"] = "no null model is on the board" if floor is None else "not ranked"
        rows = with_relative_qpr(list(scored.values()))
        ranked = sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.model))
        return (Floor(model=floor.id, overall=floor.score) if floor else None), ranked

    def _row(self, summary: ShardSummary) -> BoardRow:
        own = self.items[self.items["model"] == summary.model]
        base = self.groups.row(summary.model, own, self.axes)
        responses = base.n_responses
        row = BoardRow(
            **{name: getattr(base, name) for name in GroupRow.__struct_fields__},
            rank=None,
            rank_low=None,
            rank_high=None,
            tie_group=None,
            overall=self._overall(own),
            refusal_rate=base.n_refused / responses,
            refused_answer=sum("answer" in unit.refused_by for unit in summary.rows),
            refused_prompt=sum("prompt" in unit.refused_by for unit in summary.rows),
            error_rate=base.n_errored / responses,
            above_null_floor=None,
            normalised_axes=normalised_axes(summary.judges, self.axes, self.moments),
            **_telemetry(summary, base.absent),
            model_disk_gb=self.models[summary.model].disk_gb,
        )
        if row.model_disk_gb is None:
            row.absent["model_disk_gb"] = "the backend reports no size"
        self._interval(row, own)
        return row

    def _overall(self, own: pd.DataFrame) -> float | None:
        by_group = {str(group): list(of_group["goal_alignment"]) for group, of_group in own.groupby(self._group_column)}
        return overall(by_group, self._weights(sorted(by_group)))

    @property
    def _group_column(self) -> str:
        return self.board.aggregation.groups

    def _weights(self, groups: Sequence[str]) -> dict[str, float] | None:
        """Weight of each group where constructs are weighted; None for the unweighted mean."""
        of_construct = self.board.aggregation.construct_weights
        if not of_construct:
            return None
        construct = {}
        for placed in self.placed.values():
            group = placed.domain.id if self._group_column == "domain" else placed.category.id
            construct[group] = placed.domain.construct or self.board.construct
        alike = list(construct.values())
        return {group: of_construct[construct[group]] / alike.count(construct[group]) for group in groups}

    def _interval(self, row: BoardRow, own: pd.DataFrame) -> None:
        """Standard error and 95 % interval of the overall score instead of those of the plain mean."""
        labels, weights = self._labels(own)
        se = grouped_mean_standard_error(
            own["goal_alignment"].to_numpy(), labels, own["cluster"].to_numpy(), weights=weights
        )
        interval = None
        if se is not None and row.overall is not None:
            interval = normal_interval(row.overall, se, lower=0.0, upper=100.0)
            row.absent.pop("se", None)
        row.se = se
        row.ci_low, row.ci_high = (interval.low, interval.high) if interval else (None, None)

    def _labels(self, own: pd.DataFrame) -> tuple[Any, Any]:
        """The group of each item as a number, and the weights of the groups in the order of the numbers."""
        names, labels = np.unique(own[self._group_column].to_numpy(dtype=str), return_inverse=True)
        weights = self._weights([str(name) for name in names])
        return labels, None if weights is None else [weights[str(name)] for name in names]

    def _rank(self, rows: Mapping[str, BoardRow]) -> None:
        """Ranks, their intervals and tie groups, for the contestants that have every item."""
        if not rows:
            return
        complete = self.items[self.items["model"].isin(list(rows))]
        table = complete.pivot(index="model", columns="item", values="goal_alignment")
        about = complete.drop_duplicates("item").set_index("item").loc[table.columns]
        labels, weights = self._labels(about)
        draws = bootstrap_overalls(
            table.to_numpy(),
            labels,
            about["cluster"].to_numpy(),
            resamples=self.board.bootstrap.resamples,
            seed=self.board.bootstrap.seed,
            weights=weights,
        )
        points = [rows[model].overall or 0.0 for model in table.index]
        ranks = rank_intervals(points, draws)
        groups = tie_groups(points, draws)
        for place, model in enumerate(table.index):
            row = rows[model]
            row.rank, row.rank_low, row.rank_high = ranks.rank[place], ranks.rank_low[place], ranks.rank_high[place]
            row.tie_group = groups[place]

    def groups_by(self, column: str) -> list[Group]:
        """The domains or categories of the board, in its order, each with its contestants."""
        order = dict.fromkeys(p.domain.id if column == "domain" else p.category.id for p in self.placed.values())
        of_group = {str(name): table for name, table in self.items.groupby(column)}
        groups = []
        for name in order:
            members = [p for p in self.placed.values() if name in (p.domain.id, p.category.id)]
            used = {axis for placed in members for axis in placed.category.axes}
            axes = [axis for axis in self.axes if axis in used]
            rows = self.groups.rows(of_group[name], axes) if name in of_group else []
            groups.append(Group(id=name, n_items=len(members), rows=rows))
        return groups


def _telemetry(summary: ShardSummary, absent: dict[str, str]) -> dict[str, Any]:
    answered = [unit for unit in summary.rows if unit.state != "errored"]
    times, runes = [unit.seconds for unit in answered], [unit.runes for unit in answered]
    known = [unit.output_tokens for unit in answered if unit.output_tokens is not None]
    exact = bool(answered) and len(known) == len(answered)
    measures: dict[str, Measure] = {
        "stability": stability_score(times),
        "throughput_rps": throughput_runes_per_s(runes, times),
        "throughput_tps": tokens_per_s(runes, times, known if exact else None),
    }
    absent |= {name: measure.reason for name, measure in measures.items() if measure.reason}
    milliseconds = [1000 * time for time in times]
    return {
        **{name: measure.value for name, measure in measures.items()},
        "tokens_exact": exact,
        "median_response_time_ms": percentile(milliseconds, 50),
        "p95_response_time_ms": percentile(milliseconds, 95),
        "max_response_time_ms": percentile(milliseconds, 100),
        "median_response_length": percentile(runes, 50),
    }


def _item_rows(items: pd.DataFrame, axes_of_category: Mapping[str, Sequence[str]]) -> list[ItemRow]:
    return [
        ItemRow(
            model=row["model"],
            item=row["item"],
            category=row["category"],
            domain=row["domain"],
            state=row["state"],
            goal_alignment=row["goal_alignment"],
            quality=row["quality"],
            axes={axis: _known(row[axis]) for axis in axes_of_category[row["category"]]},
            spread=_known(row["spread"]),
        )
        for row in items.to_dict("records")
    ]


def _known(value: float) -> float | None:
    return None if isnan(value) else value

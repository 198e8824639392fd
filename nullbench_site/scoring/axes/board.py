"""Summaries of all contestants -> the results of one board: a reduction, without a record in sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from nullbench_site.scoring.axes.columns import ItemColumns
from nullbench_site.scoring.axes.groups import GroupScorer, with_relative_qpr
from nullbench_site.scoring.axes.items import item_rows
from nullbench_site.scoring.axes.judges import (
    agreement_rows,
    board_moments,
    judge_model_rows,
    judge_rows,
    normalised_axes,
)
from nullbench_site.scoring.axes.layout import Layout
from nullbench_site.scoring.axes.results import AxesResults, BoardRow, Group, GroupRow
from nullbench_site.scoring.axes.shard import ShardSummary
from nullbench_site.scoring.axes.weights import group_weights
from nullbench_site.scoring.floor import Floor
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.ranking import best_first, rank, set_above_floor
from nullbench_site.scoring.records import VERDICTS
from nullbench_site.scoring.rounding import rounded
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import AxesBoardFile, ModelFile
from nullbench_site.stats.arrays import Ints
from nullbench_site.stats.interval import clustered_standard_error, grouped_mean_standard_error, normal_interval
from nullbench_site.stats.normalisation import JudgeMoments
from nullbench_site.stats.scores import overall

_VERDICT_ENDS = (*VERDICTS, "missing")


def score_board(benchmark: Benchmark, board: AxesBoardFile, run: str, summaries: Sequence[ShardSummary]) -> AxesResults:
    """Everything a board shows. The order of `summaries` and of the judges does not matter."""
    summaries = sorted(summaries, key=lambda summary: summary.model)
    layout = Layout.of(benchmark, board)
    judges = benchmark.panels[board.panel].judges
    moments = board_moments(summaries, judges)
    contestants = benchmark.contestants(board)
    scorer = _BoardScorer(
        board=board,
        layout=layout,
        models={model.id: model for model in contestants},
        items={summary.model: summary.items for summary in summaries if len(summary.items)},
        groups=GroupScorer(layout, {model.id: model.memory_gb for model in contestants}),
        moments=moments,
    )
    floor, leaderboard = scorer.leaderboard(summaries)
    exact = AxesResults(
        run=run,
        board=board.id,
        protocol=board.protocol,
        panel=board.panel,
        complete=len(leaderboard) == len(contestants) and all(row.rank is not None for row in leaderboard),
        n_items=len(layout.placed),
        axes=list(layout.axes),
        floor=floor,
        leaderboard=leaderboard,
        domains=scorer.groups_by(layout.domains),
        categories=scorer.groups_by(layout.categories),
        difficulties=scorer.groups_by(layout.difficulties),
        items=[],
        judges=judge_rows(summaries, judges, moments),
        judge_models=judge_model_rows(summaries, judges, moments),
        agreement=agreement_rows(summaries, layout, {model.id for model in contestants if model.kind == "null"}),
    )
    results: AxesResults = rounded(exact)
    results.items = [row for model, items in scorer.items.items() for row in item_rows(layout, model, items)]
    return results


@dataclass(frozen=True)
class _BoardScorer:
    board: AxesBoardFile
    layout: Layout
    models: Mapping[str, ModelFile]
    items: Mapping[str, ItemColumns]
    groups: GroupScorer
    moments: Mapping[str, JudgeMoments | None]

    def leaderboard(self, summaries: Sequence[ShardSummary]) -> tuple[Floor | None, list[BoardRow]]:
        """The rows of the board, best first, and the null floor."""
        scored = {s.model: self._row(s) for s in summaries if s.model in self.items}
        wanted = len(self.layout.placed) * self.board.samples
        self._rank({m: row for m, row in scored.items() if row.n_responses == wanted and not row.judge_missing})
        floor = set_above_floor(scored.values(), {m for m, model in self.models.items() if model.kind == "null"})
        return floor, best_first(with_relative_qpr(list(scored.values())))

    def _row(self, summary: ShardSummary) -> BoardRow:
        own = summary.items
        base = self.groups.row(summary.model, own, np.arange(len(self.layout.axes)))
        base.absent |= summary.telemetry.absent
        responses, telemetry = base.n_responses, msgspec.structs.asdict(summary.telemetry)
        verdicts = {end: sum(getattr(tally, end) for tally in summary.judges.values()) for end in _VERDICT_ENDS}
        row = BoardRow(
            **{name: getattr(base, name) for name in GroupRow.__struct_fields__},
            rank=None,
            rank_low=None,
            rank_high=None,
            tie_group=None,
            overall=self._overall(own),
            refusal_rate=base.n_refused / responses,
            refused_answer=summary.refused_by["answer"],
            refused_prompt=summary.refused_by["prompt"],
            error_rate=base.n_errored / responses,
            above_null_floor=None,
            axes_se=self._axes_se(own),
            normalised_axes=normalised_axes(summary.judges, self.layout.axes, self.moments),
            **{name: value for name, value in telemetry.items() if name != "absent"},
            n_unjudged=summary.unjudged,
            judge_calls=sum(verdicts.values()),
            **{f"judge_{end}": n for end, n in verdicts.items() if end != "scored"},
            served_by_another=sum(summary.telemetry.served_by.values()),
            model_disk_gb=self.models[summary.model].disk_gb,
        )
        if row.model_disk_gb is None:
            row.absent["model_disk_gb"] = "the backend reports no size"
        self._interval(row, own)
        return row

    def _axes_se(self, own: ItemColumns) -> dict[str, float | None]:
        """The standard error of each axis mean, over the items that have the axis."""
        slots, text = self.layout.slots[own.number], self.layout.text[own.number]
        errors = {}
        for place, axis in enumerate(self.layout.axes):
            items, slot = np.nonzero((slots == place) & ~np.isnan(own.axes))
            errors[axis] = clustered_standard_error(own.axes[items, slot], text[items])
        return errors

    @property
    def _grouping(self) -> Groups:
        return self.layout.domains if self.board.aggregation.groups == "domain" else self.layout.categories

    def _overall(self, own: ItemColumns) -> float | None:
        grouping = self._grouping
        group_of = grouping.of_item[own.number]
        by_group = {
            grouping.names[group]: own.goal_alignment[group_of == group].tolist() for group in np.unique(group_of)
        }
        return overall(by_group, self._weights(list(by_group)))

    def _weights(self, groups: Sequence[str]) -> dict[str, float] | None:
        """Weight of each group where constructs are weighted; None for the unweighted mean."""
        weights = group_weights(self.board, self.layout.placed)
        return None if weights is None else {group: weights[group] for group in groups}

    def _interval(self, row: BoardRow, own: ItemColumns) -> None:
        """Standard error and 95 % interval of the overall score instead of those of the plain mean."""
        groups, weights = self._groups_of(own.number)
        texts = self.layout.text[own.number]
        se = grouped_mean_standard_error(own.goal_alignment, groups, texts, weights=weights)
        interval = None
        if se is None:
            row.absent.setdefault("se", "no group has two source texts")
        elif row.overall is not None:
            interval = normal_interval(row.overall, se, lower=0.0, upper=100.0)
            row.absent.pop("se", None)
        row.se = se
        row.ci_low, row.ci_high = (interval.low, interval.high) if interval else (None, None)

    def _groups_of(self, items: Ints) -> tuple[Ints, list[float] | None]:
        """The group of each item as a number, and the weights of these groups in the order of the numbers."""
        groups = self._grouping.of_item[items]
        names = [self._grouping.names[group] for group in np.unique(groups)]
        weights = self._weights(names)
        return groups, None if weights is None else [weights[name] for name in names]

    def _rank(self, rows: Mapping[str, BoardRow]) -> None:
        """Ranks, their intervals and tie groups, for the contestants that have every answer and every verdict."""
        groups, weights = self._groups_of(np.arange(len(self.layout.placed)))
        scores = {model: self.items[model].goal_alignment for model in rows}
        rank(rows, scores, self.board.bootstrap, groups=groups, clusters=self.layout.text, weights=weights)

    def groups_by(self, grouping: Groups) -> list[Group]:
        """The domains, categories or difficulties of the board, in its order, each with its contestants."""
        groups = []
        for name in grouping.in_order:
            members = grouping.of_item == grouping.names.index(name)
            rows = self.groups.rows(self.items, members)
            groups.append(Group(id=name, n_items=int(members.sum()), rows=rows))
        return groups

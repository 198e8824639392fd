"""A board of the `axes` protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from nullbench_site.protocols.axes.results import AxesResults, BoardRow, GroupRow
from nullbench_site.protocols.axes.specs import AxesBoardFile, AxesDomainFile, AxesPlacedItem
from nullbench_site.scoring.results import AgreementRow, Group
from nullbench_site.site.views.board import BoardView
from nullbench_site.stats.refusal import gate_sample_size, gate_votes_needed


@dataclass(frozen=True)
class GateSizes:
    """How many judges a panel has, how many are asked about a refusal, and how many votes make one."""

    judges: int
    sample: int
    votes: int


@dataclass(frozen=True)
class AxesView(BoardView):
    """The same of an `axes` board, with its axes and goals."""

    board: AxesBoardFile
    results: AxesResults

    @cached_property
    def rows(self) -> Mapping[str, BoardRow]:
        return {row.model: row for row in self.results.leaderboard}

    @property
    def contestants(self) -> Sequence[BoardRow]:
        return [row for row in self.rows.values() if not self.is_null(row.model)]

    @property
    def gates(self) -> GateSizes:
        """The refusal gates of the panel."""
        panel = self.benchmark.panels[self.board.panel]
        size, asked = len(panel.judges), panel.refusal_gates
        return GateSizes(size, gate_sample_size(size, asked.sample), max(gate_votes_needed(size), asked.votes or 0))

    @cached_property
    def in_domains(self) -> Mapping[str, Mapping[str, GroupRow]]:
        """Domain -> contestant -> its row there."""
        return _by_group(self.results.domains)

    @cached_property
    def in_categories(self) -> Mapping[str, Mapping[str, GroupRow]]:
        """Category -> contestant -> its row there."""
        return _by_group(self.results.categories)

    @cached_property
    def in_difficulties(self) -> Mapping[str, Mapping[str, GroupRow]]:
        """Difficulty -> contestant -> its row there."""
        return _by_group(self.results.difficulties)

    def agreement(self, category: str | None = None, axis: str | None = None) -> AgreementRow:
        """Agreement of the panel on a category (None: on all), over one axis or all; absent where it judged nothing."""
        rows = (row for row in self.results.agreement if (row.category, row.axis) == (category, axis))
        nothing = "nothing is judged yet"
        unjudged = AgreementRow(
            category=category, axis=axis,
            units=0, alpha=None, label=None, absent=nothing,
            units_scored=0, alpha_scored=None, label_scored=None, absent_scored=nothing,
        )  # fmt: skip
        return next(rows, unjudged)

    @cached_property
    def domains(self) -> Mapping[str, AxesDomainFile]:
        """The domains of the board by id, in its order."""
        specs = {name: self.benchmark.domains[name] for name in self.board.domains}
        return {name: spec for name, spec in specs.items() if isinstance(spec, AxesDomainFile)}

    @cached_property
    def baseline_goals(self) -> Mapping[str, float]:
        """The mean target of each axis over the items that have it: the goal line of an overall radar."""
        return _mean_targets(self.benchmark.items(self.board))

    @cached_property
    def domain_goals(self) -> Mapping[str, Mapping[str, float]]:
        """The same over the items of each domain."""
        placed_by_domain: dict[str, list[AxesPlacedItem]] = {}
        for placed in self.benchmark.items(self.board):
            placed_by_domain.setdefault(placed.domain.id, []).append(placed)
        return {domain: _mean_targets(placed) for domain, placed in placed_by_domain.items()}

    @cached_property
    def axis_medians(self) -> Mapping[str, float | None]:
        """Axis -> its median on the whole board."""
        return {axis: self.median_axis(self.results.leaderboard, axis) for axis in self.results.axes}

    def median_axis(self, rows: Sequence[GroupRow], axis: str) -> float | None:
        """The median of an axis over the contestants that are no null models: what is usual on this board."""
        values = [value for row in rows if not self.is_null(row.model) and (value := row.axes.get(axis)) is not None]
        return median(values) if values else None


def _by_group(groups: Iterable[Group[GroupRow]]) -> dict[str, dict[str, GroupRow]]:
    return {group.id: {row.model: row for row in group.rows} for group in groups}


def _mean_targets(items: Iterable[AxesPlacedItem]) -> dict[str, float]:
    targets: dict[str, list[int]] = {}
    for placed in items:
        for axis in placed.category.axes:
            targets.setdefault(axis, []).append(placed.goal.alignment_target[axis])
    return {axis: sum(values) / len(values) for axis, values in targets.items()}

"""Everything the pages are made of, read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.verify import integrity_problems
from nullbench_site.scoring.results import AgreementRow, BoardResults, BoardRow, Group, GroupRow
from nullbench_site.scoring.tables import read_results
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import sha256
from nullbench_site.specs.types import BoardFile, Judge
from nullbench_site.stats.refusal import gate_sample_size, gate_votes_needed


@dataclass(frozen=True)
class SiteData:
    """A benchmark, the run to show, the results of its boards, and all runs there are."""

    benchmark: Benchmark
    entry: CatalogEntry
    runs: Sequence[CatalogEntry]
    boards: Mapping[str, BoardResults]

    @cached_property
    def views(self) -> tuple[BoardView, ...]:
        """A view of each board, in the order of the specs."""
        return tuple(
            BoardView(self.benchmark, self.benchmark.boards[board], results, is_first=number == 0)
            for number, (board, results) in enumerate(self.boards.items())
        )


@dataclass(frozen=True)
class GateSizes:
    """How many judges a panel has, how many are asked about a refusal, and how many votes make one."""

    judges: int
    sample: int
    votes: int


@dataclass(frozen=True)
class BoardView:
    """A board's spec and results together, with the look-ups that pages need."""

    benchmark: Benchmark
    board: BoardFile
    results: BoardResults
    is_first: bool

    @cached_property
    def judges(self) -> tuple[Judge, ...]:
        return tuple(self.benchmark.judges[judge] for judge in self.benchmark.panels[self.board.panel].judges)

    @property
    def gates(self) -> GateSizes:
        """The refusal gates of the panel."""
        panel = self.benchmark.panels[self.board.panel]
        size, asked = len(panel.judges), panel.refusal_gates
        return GateSizes(size, gate_sample_size(size, asked.sample), max(gate_votes_needed(size), asked.votes or 0))

    @property
    def rule_based(self) -> bool:
        """Whether every judge is a program: the page then says so wherever scores stand."""
        return all(judge.backend == "offline" for judge in self.judges)

    @cached_property
    def rows(self) -> Mapping[str, BoardRow]:
        return {row.model: row for row in self.results.leaderboard}

    def group_row(self, groups: Sequence[Group], group: str, model: str) -> GroupRow | None:
        """A contestant's row in a domain or category, None if it has none."""
        rows = next((g.rows for g in groups if g.id == group), [])
        return next((row for row in rows if row.model == model), None)

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
    def n_domains(self) -> int:
        return len(self.board.domains)

    @cached_property
    def baseline_goals(self) -> Mapping[str, float]:
        """The mean target of each axis over the items that have it: the goal line of an overall radar."""
        targets: dict[str, list[int]] = {}
        for placed in self.benchmark.items(self.board):
            for axis in placed.category.axes:
                targets.setdefault(axis, []).append(placed.goal.alignment_target[axis])
        return {axis: sum(values) / len(values) for axis, values in targets.items()}

    def median_axis(self, rows: Sequence[GroupRow], axis: str) -> float | None:
        """The median of an axis over the contestants that are no null models: what is usual on this board."""
        values = [
            value
            for row in rows
            if self.benchmark.models[row.model].kind != "null" and (value := row.axes.get(axis)) is not None
        ]
        return median(values) if values else None


def gather(benchmark: Benchmark, entry: CatalogEntry, runs: Sequence[CatalogEntry]) -> SiteData:
    """Read the results of every board of a run. Raises RunError where they are missing or not what was sealed."""
    boards = {board: _results(entry, board) for board in benchmark.boards}
    _refuse_a_changed_run(entry)
    return SiteData(benchmark, entry, runs, boards)


def _results(entry: CatalogEntry, board: str) -> BoardResults:
    folder = f"results/{board}"
    try:
        for name, sealed in entry.manifest.files.items():
            if name.startswith(f"{folder}/") and sha256((entry.path / name).read_bytes()) != sealed.sha256:
                raise ValueError(f"{name} was changed after the run was sealed")
        return read_results(entry.path, board)
    except (FileNotFoundError, ValueError, msgspec.DecodeError) as error:
        advice = f"work them out again with: nullbench-site score {entry.path.name}"
        raise RunError(f"{entry.path / folder}: the results are missing or damaged ({error}); {advice}") from error


def _refuse_a_changed_run(entry: CatalogEntry) -> None:
    """What is published is what was sealed. Results are looked at one by one: they can be worked out again."""
    if entry.manifest.state != "sealed":
        return
    _, problems = integrity_problems(entry.path, but_for="results/")
    if problems:
        advice = "a changed run is not published; restore it from git, or delete the folder and build again"
        raise RunError("\n".join([*problems, advice]))

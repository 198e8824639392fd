"""What pages ask of a board, whichever its protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from nullbench_site.protocols.axes.results import AxesItemRow, AxesJudgeRow, BoardRow
from nullbench_site.protocols.oracle.results import OracleItemRow, OracleRow
from nullbench_site.protocols.rubric.results import RubricItemRow, RubricJudgeRow, RubricRow
from nullbench_site.scoring.results import Results
from nullbench_site.site import paths
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile, Item, Judge, JudgedBoardFile, Panel

JudgedRow: TypeAlias = BoardRow | RubricRow
"""A contestant on a whole board that judges score."""
AnyRow: TypeAlias = JudgedRow | OracleRow
"""A contestant on a whole board."""
AnyItemRow: TypeAlias = AxesItemRow | RubricItemRow | OracleItemRow
"""A contestant on one item."""


@dataclass(frozen=True)
class BoardView:
    """A board's spec and results, with the look-ups that pages need."""

    benchmark: Benchmark
    board: BoardFile
    results: Results
    is_first: bool

    @property
    def url(self) -> str:
        return paths.board_url(self.board.id, is_first=self.is_first)

    @cached_property
    def judges(self) -> tuple[Judge, ...]:
        """The panel, in its order; nobody where no judge scores."""
        return () if self.panel is None else tuple(self.benchmark.judges[judge] for judge in self.panel.judges)

    @property
    def panel(self) -> Panel | None:
        """None where no judge scores."""
        return self.benchmark.panels[self.board.panel] if isinstance(self.board, JudgedBoardFile) else None

    @property
    def judge_rows(self) -> Sequence[AxesJudgeRow | RubricJudgeRow]:
        """What each judge did; nothing where no judge scores."""
        return getattr(self.results, "judges", ())

    @property
    def rule_based(self) -> bool:
        """Whether every judge is a program: the page then says so wherever scores stand."""
        return all(judge.backend == "offline" for judge in self.judges)

    @cached_property
    def rows(self) -> Mapping[str, AnyRow]:
        """The contestants by id, in the order of the board."""
        rows: Any = self.results.leaderboard
        return {row.model: row for row in rows}

    @cached_property
    def rows_of_items(self) -> Mapping[str, Sequence[AnyItemRow]]:
        """Item -> the rows of all contestants on it."""
        found: dict[str, list[AnyItemRow]] = {}
        rows: Any = self.results.items
        for row in rows:
            found.setdefault(row.item, []).append(row)
        return found

    @property
    def contestants(self) -> Sequence[AnyRow]:
        """The rows of those that are no null models."""
        return [row for row in self.rows.values() if not self.is_null(row.model)]

    @cached_property
    def tied(self) -> Mapping[int, Sequence[str]]:
        """Tie group -> its contestants by id, in the order of the board."""
        found: dict[int, list[str]] = {}
        for row in self.rows.values():
            if row.tie_group is not None:
                found.setdefault(row.tie_group, []).append(row.model)
        return found

    @cached_property
    def n_ranked(self) -> int:
        """How many have a rank, null models among them."""
        return sum(row.rank is not None for row in self.rows.values())

    @cached_property
    def nulls(self) -> Sequence[str]:
        """The null models on the board, by id."""
        return [model for model in self.rows if self.is_null(model)]

    @cached_property
    def floors(self) -> dict[tuple[str, str], float | None]:
        """The null floors of parts of the board that are known so far: kind of part and part -> score, 0-100."""
        return {}

    @property
    def floor(self) -> float | None:
        """The score of the best null model, 0-100; None without one."""
        return self.results.floor.overall if self.results.floor else None

    @property
    def n_wanted(self) -> int:
        """How many answers each contestant has to give."""
        return self.results.n_items * self.board.samples

    def title(self, model: str) -> str:
        return self.benchmark.models[model].title

    def is_null(self, model: str) -> bool:
        return self.benchmark.models[model].kind == "null"


def is_private(item: Item) -> bool:
    """Whether nothing of an item may be shown but that it is there, its hash and its scores."""
    return item.visibility == "private"

"""A board of the `oracle` protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.judging import key_type
from nullbench_site.protocols.oracle.results import OracleGroup, OracleResults, OracleRow, OracleScores
from nullbench_site.protocols.oracle.specs import OracleBoardFile, OracleDomainFile, OracleItem, OraclePlacedItem
from nullbench_site.site.views.board import BoardView, is_private

HIDDEN = "hidden"
"""What is said of the key of a private item."""


@dataclass(frozen=True)
class OracleView(BoardView):
    """The same of an `oracle` board, with its prompts and how answers were marked."""

    board: OracleBoardFile
    results: OracleResults

    @cached_property
    def rows(self) -> Mapping[str, OracleRow]:
        return {row.model: row for row in self.results.leaderboard}

    @property
    def contestants(self) -> Sequence[OracleRow]:
        return [row for row in self.rows.values() if not self.is_null(row.model)]

    @property
    def rule_based(self) -> bool:
        """There is no panel that could be."""
        return False

    @cached_property
    def domains(self) -> Mapping[str, OracleDomainFile]:
        """The domains of the board by id, in its order."""
        specs = {name: self.benchmark.domains[name] for name in self.board.domains}
        return {name: spec for name, spec in specs.items() if isinstance(spec, OracleDomainFile)}

    @cached_property
    def items(self) -> tuple[OraclePlacedItem, ...]:
        """The prompts, in the order of the specs."""
        return tuple(self.benchmark.items(self.board))

    @cached_property
    def n_private(self) -> int:
        """How many of the prompts are published by their hashes alone."""
        return sum(is_private(placed.item) for placed in self.items)

    @cached_property
    def in_domains(self) -> Mapping[str, Mapping[str, OracleScores]]:
        """Domain -> contestant -> its scores there."""
        return _by_group(self.results.domains)

    @cached_property
    def in_categories(self) -> Mapping[str, Mapping[str, OracleScores]]:
        """Category -> contestant -> its scores there."""
        return _by_group(self.results.categories)

    @cached_property
    def in_difficulties(self) -> Mapping[str, Mapping[str, OracleScores]]:
        """Difficulty -> contestant -> its scores there."""
        return _by_group(self.results.difficulties)

    @cached_property
    def in_key_types(self) -> Mapping[str, Mapping[str, OracleScores]]:
        """Type of key -> contestant -> its scores there."""
        return _by_group(self.results.key_types)

    @cached_property
    def medians(self) -> Mapping[str, float]:
        """Domain -> the median overall of the contestants that are no null models; without domains nobody has."""
        found = {}
        for group in self.results.domains:
            known = [row.overall for row in group.rows if row.overall is not None and not self.is_null(row.model)]
            if known:
                found[group.id] = median(known)
        return found


def key_of(item: OracleItem) -> str:
    """The type of an item's key; that of a private one is hidden."""
    return HIDDEN if is_private(item) or item.key is None else key_type(item.key)


def key_title(kind: str) -> str:
    """What a type of key is called."""
    return KEYS[kind].title if kind in KEYS else HIDDEN


def _by_group(groups: Iterable[OracleGroup]) -> dict[str, dict[str, OracleScores]]:
    return {group.id: {row.model: row for row in group.rows} for group in groups}

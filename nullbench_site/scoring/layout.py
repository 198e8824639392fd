"""The items of a board by number, and their groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import BoardFile, Difficulty
from nullbench_site.stats.arrays import Ints


@dataclass(frozen=True)
class Groups:
    """The domains, categories or similar groups of a board.

    names: sorted. of_item: (items,) the place in `names` of each item's group. in_order: the names as the board lists
    them.
    """

    names: tuple[str, ...]
    of_item: Ints
    in_order: tuple[str, ...]

    @classmethod
    def of(cls, of_item: Sequence[str], in_order: Sequence[str]) -> Groups:
        """Return the groups. of_item: the group of each item, by number. in_order: the groups in the order of lists."""
        names, places = np.unique(of_item, return_inverse=True)
        return cls(tuple(names.tolist()), places.astype(np.int64), tuple(dict.fromkeys(in_order)))

    @property
    def sizes(self) -> dict[str, int]:
        """The number of items of each group."""
        return dict(zip(self.names, np.bincount(self.of_item).tolist(), strict=True))


class BoardLayout:
    """The items of a board, sorted by id; the number of an item is its place here. in_order: as the specs list them."""

    def __init__(self, benchmark: Benchmark, board: BoardFile) -> None:
        self.in_order = tuple(benchmark.items(board))
        self.placed: tuple[PlacedItem, ...] = tuple(sorted(self.in_order, key=lambda item: item.id))

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each item, by id."""
        return {item.id: number for number, item in enumerate(self.placed)}

    @cached_property
    def row_fields(self) -> list[dict[str, str]]:
        """By number, the fields of a row that identify its item, with the difficulty."""
        return [
            {"item": p.id, "category": p.category.id, "domain": p.domain.id, "difficulty": p.item.difficulty}
            for p in self.placed
        ]

    @cached_property
    def whole(self) -> Groups:
        """All items as one group."""
        return Groups(("",), np.zeros(len(self.placed), dtype=np.int64), ("",))

    @cached_property
    def domains(self) -> Groups:
        return Groups.of([item.domain.id for item in self.placed], [item.domain.id for item in self.in_order])

    @cached_property
    def categories(self) -> Groups:
        return Groups.of([item.category.id for item in self.placed], [item.category.id for item in self.in_order])

    @cached_property
    def difficulties(self) -> Groups:
        """The groups by difficulty, the easy items first."""
        of_item = [item.item.difficulty for item in self.placed]
        return Groups.of(of_item, [each for each in get_args(Difficulty) if each in of_item])

    @cached_property
    def public(self) -> tuple[bool, ...]:
        """(items,) whether pages may show what a program found in answers, which reveals something of the item."""
        return tuple(not item.private for item in self.placed)

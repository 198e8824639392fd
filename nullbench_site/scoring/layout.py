"""The items of a board by number, and the groups they stand in: what the columns of scores are read against."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nullbench_site.protocols.votes import Ints
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import BoardFile


@dataclass(frozen=True)
class Groups:
    """The domains or the categories of a board.

    names: sorted. of_item: (items,) the place in `names` of each item's group. in_order: the names as the board lists
    them.
    """

    names: tuple[str, ...]
    of_item: Ints
    in_order: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """placed: the items of the board, sorted by id; an item's number is its place here. axes: those of the board."""

    placed: tuple[PlacedItem, ...]
    axes: tuple[str, ...]
    domains: Groups
    categories: Groups

    @classmethod
    def of(cls, benchmark: Benchmark, board: BoardFile) -> Layout:
        in_order = list(benchmark.items(board))
        placed = tuple(sorted(in_order, key=lambda item: item.id))
        used = {axis for item in placed for axis in item.category.axes}
        return cls(
            placed=placed,
            axes=tuple(axis for axis in benchmark.axes if axis in used),
            domains=_groups([item.domain.id for item in placed], [item.domain.id for item in in_order]),
            categories=_groups([item.category.id for item in placed], [item.category.id for item in in_order]),
        )

    @cached_property
    def number(self) -> dict[str, int]:
        """Item id -> its number."""
        return {item.id: number for number, item in enumerate(self.placed)}

    @cached_property
    def text(self) -> Ints:
        """(items,) the source text of each, by number: what standard errors cluster by."""
        return np.unique([item.item.source for item in self.placed], return_inverse=True)[1].astype(np.int64)

    @cached_property
    def slots(self) -> Ints:
        """(items, most axes of a category) the axes of each item's category as places in `axes`; -1 for none."""
        place = {axis: number for number, axis in enumerate(self.axes)}
        table = np.full((len(self.placed), max(len(item.category.axes) for item in self.placed)), -1)
        for number, item in enumerate(self.placed):
            table[number, : len(item.category.axes)] = [place[axis] for axis in item.category.axes]
        return table

    @cached_property
    def axes_of_category(self) -> Ints:
        """(categories, slots) the same by category."""
        _, first = np.unique(self.categories.of_item, return_index=True)
        return self.slots[first]

    @cached_property
    def words(self) -> npt.NDArray[Any]:
        """(items, 3) the ids of item, category and domain."""
        return np.array([[p.item.id, p.category.id, p.domain.id] for p in self.placed], dtype=object)


def _groups(of_item: list[str], in_order: list[str]) -> Groups:
    names = sorted(set(of_item))
    place = {name: number for number, name in enumerate(names)}
    return Groups(tuple(names), np.array([place[name] for name in of_item]), tuple(dict.fromkeys(in_order)))

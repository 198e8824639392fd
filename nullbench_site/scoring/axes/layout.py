"""The items of an `axes` board by number, with their source texts and axes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nullbench_site.scoring.layout import BoardLayout, by_id, common_groups
from nullbench_site.specs.benchmark import AxesPlacedItem, Benchmark
from nullbench_site.specs.types import AxesBoardFile
from nullbench_site.stats.arrays import Ints


@dataclass(frozen=True)
class Layout(BoardLayout[AxesPlacedItem]):
    """axes: those of the board."""

    axes: tuple[str, ...]

    @classmethod
    def of(cls, benchmark: Benchmark, board: AxesBoardFile) -> Layout:
        in_order = list(benchmark.axes_items(board))
        placed = by_id(in_order)
        used = {axis for item in placed for axis in item.category.axes}
        return cls(
            placed=placed,
            axes=tuple(axis for axis in benchmark.axes if axis in used),
            **common_groups(placed, in_order),
        )

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

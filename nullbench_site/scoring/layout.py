"""The items of a board by number, and the groups they stand in: what the columns of scores are read against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.types import Difficulty
from nullbench_site.stats.arrays import Ints

PlacedT = TypeVar("PlacedT", bound=PlacedItem)


@dataclass(frozen=True)
class Groups:
    """The domains, the categories or the like of a board.

    names: sorted. of_item: (items,) the place in `names` of each item's group. in_order: the names as the board lists
    them.
    """

    names: tuple[str, ...]
    of_item: Ints
    in_order: tuple[str, ...]

    @classmethod
    def of(cls, of_item: Sequence[str], in_order: Sequence[str]) -> Groups:
        """of_item: the group of each item, by number. in_order: the same groups as they are to be listed."""
        names, places = np.unique(of_item, return_inverse=True)
        return cls(tuple(names.tolist()), places.astype(np.int64), tuple(dict.fromkeys(in_order)))


@dataclass(frozen=True)
class BoardLayout(Generic[PlacedT]):
    """placed: the items of the board, sorted by id; an item's number is its place here.

    difficulties: the easy ones first.
    """

    placed: tuple[PlacedT, ...]
    domains: Groups
    categories: Groups
    difficulties: Groups

    @cached_property
    def number(self) -> dict[str, int]:
        """Item id -> its number."""
        return {item.id: number for number, item in enumerate(self.placed)}

    @cached_property
    def words(self) -> npt.NDArray[Any]:
        """(items, 3) the ids of item, category and domain."""
        return np.array([[p.item.id, p.category.id, p.domain.id] for p in self.placed], dtype=object)


def by_id(in_order: Sequence[PlacedT]) -> tuple[PlacedT, ...]:
    """The items of a board in the order of their numbers."""
    return tuple(sorted(in_order, key=lambda item: item.id))


def common_groups(placed: Sequence[PlacedItem], in_order: Sequence[PlacedItem]) -> dict[str, Groups]:
    """The groups that every board has, by the field of a BoardLayout."""
    difficulties = [item.item.difficulty for item in placed]
    return {
        "domains": Groups.of([item.domain.id for item in placed], [item.domain.id for item in in_order]),
        "categories": Groups.of([item.category.id for item in placed], [item.category.id for item in in_order]),
        "difficulties": Groups.of(difficulties, [each for each in get_args(Difficulty) if each in difficulties]),
    }

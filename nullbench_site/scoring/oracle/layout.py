"""The items of an `oracle` board by number, with their types of key and bundles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.protocol import key_type
from nullbench_site.scoring.layout import BoardLayout, Groups, by_id, common_groups
from nullbench_site.specs.benchmark import Benchmark, OraclePlacedItem
from nullbench_site.specs.types import OracleBoardFile

HIDDEN = "hidden"
"""Stands for the type of a private item's key."""


@dataclass(frozen=True)
class OracleLayout(BoardLayout[OraclePlacedItem]):
    """key_types: in the order of the registry, the hidden ones last."""

    key_types: Groups

    @classmethod
    def of(cls, benchmark: Benchmark, board: OracleBoardFile) -> OracleLayout:
        in_order = list(benchmark.oracle_items(board))
        placed = by_id(in_order)
        types = [_type_of(item) for item in placed]
        return cls(
            placed=placed,
            key_types=Groups.of(types, [each for each in (*KEYS, HIDDEN) if each in types]),
            **common_groups(placed, in_order),
        )

    @cached_property
    def clusters(self) -> tuple[str, ...]:
        """(items,) a name of each one's bundle; an item without one is a bundle of its own."""
        return tuple(f"item {p.id}" if p.item.bundle is None else f"bundle {p.item.bundle}" for p in self.placed)

    @cached_property
    def variants(self) -> Counter[str]:
        """Name of a bundle -> of how many items it is."""
        return Counter(self.clusters)

    @property
    def n_bundles(self) -> int:
        """How many bundles have two or more variants."""
        return sum(n > 1 for n in self.variants.values())

    @cached_property
    def public(self) -> tuple[bool, ...]:
        """(items,) whether it may be said why an answer to each has its mark: that tells of the key."""
        return tuple(item.item.visibility == "public" for item in self.placed)


def _type_of(placed: OraclePlacedItem) -> str:
    if placed.key is None or placed.item.visibility == "private":
        return HIDDEN
    return key_type(placed.key)

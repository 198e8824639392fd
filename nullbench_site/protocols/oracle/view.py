"""A board of the `oracle` protocol, with how its answers were marked, as pages look at it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.judging import key_type
from nullbench_site.protocols.oracle.results import OracleResults, OracleRow
from nullbench_site.protocols.oracle.specs import OracleBoardFile, OracleItem, OraclePlacedItem
from nullbench_site.site import words
from nullbench_site.site.views import BoardView, by_group, is_private

HIDDEN = "hidden"
"""What is said of the key of a private item."""


@dataclass(frozen=True)
class OracleView(BoardView):
    """What pages ask of an `oracle` board."""

    board: OracleBoardFile
    results: OracleResults

    @cached_property
    def in_key_types(self) -> Mapping[str, Mapping[str, OracleRow]]:
        """Type of key -> contestant -> its scores there."""
        return by_group(self.results.key_types)

    def cluster(self, placed: OraclePlacedItem) -> Hashable:
        """The variants of a bundle, or the item by itself."""
        return super().cluster(placed) if placed.item.bundle is None else ("bundle", placed.item.bundle)

    def lacking(self, row: OracleRow) -> str:
        if row.n_unmarked:
            return f"{words.plural(row.n_unmarked, 'answer')} without a mark"
        return self._unanswered(row)


def key_of(item: OracleItem) -> str:
    """The type of an item's key; that of a private one is hidden."""
    return HIDDEN if is_private(item) or item.key is None else key_type(item.key)


def key_title(kind: str) -> str:
    """What a type of key is called."""
    return KEYS[kind].title if kind in KEYS else HIDDEN

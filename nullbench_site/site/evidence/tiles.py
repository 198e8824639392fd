"""Evidence cut into files of a bounded size: texts into parts, items times contestants into tiles.

What a list of answers is filtered and sorted by is a tile: it has a bounded number of cells whatever the size of the
board. A list that asks for one contestant needs the tiles of one column, a list that asks for one domain those of a few
rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from nullbench_site.site.evidence.shown import Cell

ITEM_BYTES = 32_768
ANSWER_BYTES = 65_536
"""Of one file, before compression: an answer with its verdicts repeats itself more. One larger entry stands alone."""
TILE_ITEMS = 256
TILE_CONTESTANTS = 64
TILE_CELLS = 4_096
"""What a tile has at most."""
BEGINS = 72
"""Characters of an item that a list shows."""

Short: TypeAlias = int | float | None
"""A number to a tenth; the whole one stands beside the answer."""


class TileItems(msgspec.Struct):
    """The items of a tile, in columns. domain, difficulty: places in the index. part: which file of items has it.

    begins: the beginning of its text, empty of a private one.
    """

    id: list[str]
    domain: list[int]
    difficulty: list[int]
    private: list[bool]
    begins: list[str]
    part: list[int]


class TileContestant(msgspec.Struct):
    """The cells of a contestant, one an item.

    states: a character each, the place of its state in the index, "." without an answer. scores: 0-100. apart: how far
    judges are apart; empty where no judges score. failed: of items with checks that failed, the place of the item and
    then the places in the index of their types. parts: which file of answers has it.
    """

    id: str
    states: str
    scores: list[Short]
    apart: list[Short]
    failed: list[list[int]]
    parts: list[int | None]


class Tile(msgspec.Struct):
    """data/v1/evidence/<board>/scores/<row>-<column>.json: some items times some contestants."""

    board: str
    items: TileItems
    contestants: list[TileContestant]


def tile_shape(n_contestants: int) -> tuple[int, int]:
    """How many items and how many contestants a tile of a board has."""
    contestants = max(1, min(n_contestants, TILE_CONTESTANTS))
    return min(TILE_ITEMS, TILE_CELLS // contestants), contestants


class Marks:
    """Turns cells into columns. states, checks: their ids, in the order of the index. judged: whether judges score."""

    def __init__(self, states: Sequence[str], checks: Sequence[str], *, judged: bool) -> None:
        self.state = {state: str(place) for place, state in enumerate(states)}
        self.check = {check: place for place, check in enumerate(checks)}
        self.judged = judged

    def column(
        self, model: str, items: Sequence[str], cells: Mapping[str, Cell], parts: Mapping[str, int]
    ) -> TileContestant:
        """The cells of a contestant, by item, as far as it has answers."""
        listed = [cells.get(item) for item in items]
        return TileContestant(
            id=model,
            states="".join("." if cell is None else self.state[cell.state] for cell in listed),
            scores=[None if cell is None else short(cell.score) for cell in listed],
            apart=[None if cell is None else short(cell.apart) for cell in listed] if self.judged else [],
            failed=[
                [place, *(self.check[check] for check in cell.failed)]
                for place, cell in enumerate(listed)
                if cell is not None and cell.failed
            ],
            parts=[parts.get(item) for item in items],
        )


def short(value: float | None) -> Short:
    """To a tenth, a whole number without its fraction."""
    if value is None:
        return None
    tenth = round(value, 1)
    return int(tenth) if tenth.is_integer() else tenth


def blocks(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """`names` in runs of `size`, the last shorter."""
    return (names[start : start + size] for start in range(0, len(names), size))


class Parts:
    """Files of entries by id, and which of them has an entry. most: bytes of a file."""

    def __init__(self, entries: Iterable[tuple[str, bytes]], most: int) -> None:
        self.of: dict[str, int] = {}
        self._parts: list[dict[str, msgspec.Raw]] = []
        size = most
        for name, entry in entries:
            if size + len(entry) > most:
                self._parts.append({})
                size = 0
            self._parts[-1][name] = msgspec.Raw(entry)
            self.of[name] = len(self._parts) - 1
            size += len(name) + len(entry)

    @property
    def files(self) -> list[tuple[str, bytes]]:
        """Name -> content."""
        return [(f"{number}.json", msgspec.json.encode(part)) for number, part in enumerate(self._parts)]

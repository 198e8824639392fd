"""The items of a `rubric` board by number, with the checks that may be spoken of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from nullbench_site.protocols.rubric.checked import check_type
from nullbench_site.scoring.layout import BoardLayout, by_id, common_groups
from nullbench_site.specs.benchmark import Benchmark, RubricPlacedItem
from nullbench_site.specs.types import RubricBoardFile


@dataclass(frozen=True)
class RubricLayout(BoardLayout[RubricPlacedItem]):
    """judges: the panel by id. metrics: of G-Eval, as the board lists them."""

    judges: tuple[str, ...]
    metrics: tuple[str, ...]

    @classmethod
    def of(cls, benchmark: Benchmark, board: RubricBoardFile) -> RubricLayout:
        in_order = list(benchmark.rubric_items(board))
        placed = by_id(in_order)
        return cls(
            placed=placed,
            judges=tuple(sorted(benchmark.panels[board.panel].judges)),
            metrics=() if board.geval is None else board.geval.metrics,
            **common_groups(placed, in_order),
        )

    @cached_property
    def public(self) -> tuple[bool, ...]:
        """(items,) whether the checks of each may be spoken of; of a private item not even their types are known."""
        return tuple(item.item.visibility == "public" for item in self.placed)

    @cached_property
    def items_of_check(self) -> Counter[str]:
        """Type of check -> on how many public items it stands."""
        public = (item for item, shown in zip(self.placed, self.public, strict=True) if shown)
        return Counter(kind for item in public for kind in {check_type(params) for params in item.checks})

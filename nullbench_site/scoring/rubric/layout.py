"""The items of a `rubric` board by number, with their difficulties and the checks that may be spoken of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from nullbench_site.protocols.rubric.checked import check_type
from nullbench_site.scoring.layout import BoardLayout, Groups, by_id, domains_and_categories
from nullbench_site.specs.benchmark import Benchmark, RubricPlacedItem
from nullbench_site.specs.types import Difficulty, RubricBoardFile


@dataclass(frozen=True)
class RubricLayout(BoardLayout[RubricPlacedItem]):
    """difficulties: from easy to hard. judges: the panel by id. metrics: of G-Eval, as the board lists them."""

    difficulties: Groups
    judges: tuple[str, ...]
    metrics: tuple[str, ...]

    @classmethod
    def of(cls, benchmark: Benchmark, board: RubricBoardFile) -> RubricLayout:
        in_order = list(benchmark.rubric_items(board))
        placed = by_id(in_order)
        difficulties = [item.item.difficulty for item in placed]
        return cls(
            placed=placed,
            difficulties=Groups.of(difficulties, [each for each in get_args(Difficulty) if each in difficulties]),
            judges=tuple(sorted(benchmark.panels[board.panel].judges)),
            metrics=() if board.geval is None else board.geval.metrics,
            **domains_and_categories(placed, in_order),
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

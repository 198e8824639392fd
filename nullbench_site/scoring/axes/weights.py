"""What each group of an `axes` board counts in its overall score."""

from __future__ import annotations

from collections.abc import Iterable

from nullbench_site.specs.benchmark import AxesPlacedItem
from nullbench_site.specs.types import AxesBoardFile


def group_of(board: AxesBoardFile, placed: AxesPlacedItem) -> str:
    """The domain or category over whose means the overall score is taken."""
    return placed.domain.id if board.aggregation.groups == "domain" else placed.category.id


def group_weights(board: AxesBoardFile, items: Iterable[AxesPlacedItem]) -> dict[str, float] | None:
    """Group -> its weight > 0 where constructs are weighted; None for the unweighted mean.

    items: all of the board. Groups of one construct share its weight equally.
    """
    of_construct = board.aggregation.construct_weights
    if not of_construct:
        return None
    construct = {group_of(board, placed): placed.domain.construct or board.construct for placed in items}
    alike = list(construct.values())
    return {group: of_construct[of_group] / alike.count(of_group) for group, of_group in construct.items()}

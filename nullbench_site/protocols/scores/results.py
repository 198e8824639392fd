"""The results of a `scores` board. `overall` is 0-100, from the worse to the better end of the scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from nullbench_site.scoring.contamination_tables import ContaminationDateRow
from nullbench_site.scoring.ranked_table import IncompleteRow
from nullbench_site.scoring.results import WHOLE_BOARD, Group, ItemRow, Results, ResultsOf, Row

SCORE = "score"
"""The column of the score in the unit of the board."""


class ScoresRow(Row, kw_only=True):
    """A contestant on a slice of the board.

    means: under `score` the mean in the unit of the board; on the whole board of the means of domains, as `overall`.
    cost_per_item, seconds_per_item: means over the items for which the table has one.
    """

    means: dict[str, float]
    cost_per_item: float | None = WHOLE_BOARD
    seconds_per_item: float | None = WHOLE_BOARD

    @property
    def mean(self) -> float:
        """The score in the unit of the board."""
        return self.means[SCORE]

    @property
    def n_responses(self) -> int:
        return self.n_items


class ScoresItemRow(ItemRow, kw_only=True):
    """The score of a contestant on one item. overall: 0-100. raw: in the unit of the board."""

    difficulty: str | None
    overall: float
    raw: float

    @property
    def ended(self) -> str:
        return "scored"

    @property
    def score(self) -> float | None:
        return self.overall


class ScoresResults(ResultsOf[ScoresRow, ScoresItemRow], kw_only=True):
    """All results of one `scores` board of one run.

    incomplete: the contestants that lack items, highest first. contamination_dates: how scores drop after dates; absent
    on a board whose items have no dates.
    """

    SOME: ClassVar[tuple[str, ...]] = (*Results.SOME, "contamination_dates")
    FIRST: ClassVar[tuple[str, ...]] = ("means", "cost_per_item", "seconds_per_item")
    COLUMNS: ClassVar[tuple[str, ...]] = (
        "rank", "rank_low", "rank_high", "model", "n_items", "overall", "se", "df", "ci_low", "ci_high", "means",
        "tie_group",
    )  # fmt: skip

    difficulties: list[Group[ScoresRow]] = msgspec.field(default_factory=list)
    incomplete: list[IncompleteRow] = msgspec.field(default_factory=list)
    contamination_dates: list[ContaminationDateRow] | msgspec.UnsetType = msgspec.UNSET

    def spread(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        return {"means": [(SCORE, SCORE)]}

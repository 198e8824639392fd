"""The rows of `scores` boards, and what their numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from nullbench_site.scoring.columns import SCORE, SPEED, Column, Metric
from nullbench_site.scoring.contamination_tables import ContaminationDateRow
from nullbench_site.scoring.ranked_table import IncompleteRow
from nullbench_site.scoring.results import WHOLE_BOARD, Group, ItemRow, Results, ResultsOf, Row

UNIT_SCORE = "score"
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
        return self.means[UNIT_SCORE]

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
        return {"means": [(UNIT_SCORE, UNIT_SCORE)]}


GROUPS = ("scores",)
"""There are no judges, so their shared metrics do not apply."""


def _has(name: str) -> Any:
    """Return whether a board has a column: one of its rows has a value."""
    return lambda view: any(getattr(row, name) is not None for row in view.results.leaderboard)


METRICS = (
    Metric(
        id="scores_overall",
        title="Overall score of a table",
        short="Overall",
        scale=(0, 100),
        direction="higher",
        formula=r"\text{overall}=100\,\frac{\bar{x}-x_\text{worst}}{x_\text{best}-x_\text{worst}}",
        source="the table of scores; the scale of 0-100 is ours",
        sentence=(
            "The mean score, mapped to 0-100 from the worse to the better end of the scale. With several domains, it "
            "is the mean of their means."
        ),
        columns=("overall",),
    ),
    Metric(
        id="scored_items",
        title="Items with a score",
        short="Items",
        unit="items",
        digits=0,
        source="the table of scores",
        sentence="How many items have a score of the contestant.",
        columns=("n_items",),
    ),
    Metric(
        id="scores_ci",
        title="95 % interval of a score of a table",
        short="95 % interval",
        scale=(0, 100),
        source="as the interval of other boards",
        sentence=(
            "Of 100 such intervals, about 95 contain the score that items like these would give. A score on fewer than "
            "six clusters of items has no interval. The formula is the same as for other boards."
        ),
        columns=("ci_low", "ci_high"),
        after="ci",
    ),
    Metric(
        id="table_score",
        title="Score in the unit of the table",
        short="Score",
        unit="as the board states",
        digits=2,
        source="the table of scores",
        sentence="The same mean in the unit of the table. The board states whether higher or lower is better.",
        columns=("score", "raw"),
        shown_on=Column(
            group=SCORE,
            value=lambda view, row: row.mean,
            shown=lambda view: (view.board.scale.low, view.board.scale.high) != (0, 100) or view.board.lower_is_better,
        ),
    ),
    Metric(
        id="cost_per_item",
        title="Cost of an item",
        short="Cost per item",
        unit="US dollars",
        direction="lower",
        digits=4,
        source="the table of costs",
        sentence="The mean cost of the contestant's run on an item, as the table states it.",
        whole_board=True,
        value=lambda of: of.mean_of("costs"),
        shown_on=Column(group=SPEED, parts=False, shown=_has("cost_per_item")),
    ),
    Metric(
        id="seconds_per_item",
        title="Time of an item",
        short="Time per item",
        unit="seconds",
        direction="lower",
        source="the table of times",
        sentence="The mean time of the contestant's run on an item, as the table states it.",
        whole_board=True,
        value=lambda of: of.mean_of("seconds"),
        shown_on=Column(group=SPEED, parts=False, shown=_has("seconds_per_item")),
    ),
    Metric(
        id="date_difference",
        title="Drop after a date, compared with others",
        short="Difference by date",
        unit="points of 100",
        formula=r"D-\frac{1}{n}\sum_{j=1}^{n}D_j,\quad D=\bar y_\text{before}-\bar y_\text{after}",
        source=(
            "difference in differences, Card and Krueger (1994); clusters as in Bertrand, Duflo and Mullainathan "
            "(2004); the largest t as in Romano and Wolf (2005)"
        ),
        sentence=(
            "How much more a contestant's score drops on items that are newer than a date than the scores of the "
            "other contestants, those of its family and its base model aside. The bounds are simultaneous. A "
            "contestant whose lower bound is above 0 is flagged: it may have seen older items in training. The chance "
            "of a wrong flag is about 2.5 % for all contestants and all tests of a board together."
        ),
        columns=("before", "after", "drop", "others_drop", "difference", "flagged"),
    ),
    Metric(
        id="date_counts",
        title="Sizes of a test by date",
        short="Sizes",
        unit="items, and contestants",
        digits=0,
        source="the dates in the table of items, and the families and bases in the table of contestants",
        sentence="How many items are on each side of a date, and how many contestants a contestant is compared with.",
        columns=("n_before", "n_after", "n_others"),
    ),
    Metric(
        id="canary_errors",
        title="Failed calls about canaries",
        short="Failed",
        unit="calls",
        scale=(0, None),
        direction="lower",
        digits=0,
        source="ours",
        sentence="How many calls that ask for canaries failed. A board of a table makes no such calls.",
        columns=("n_errored",),
    ),
)

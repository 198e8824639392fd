"""The numbers of `scores` boards."""

from __future__ import annotations

from typing import Any

from nullbench_site.scoring.columns import SCORE, SPEED, Column, Metric

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
        direction="neither",
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
        direction="neither",
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
        direction="neither",
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
        digits=1,
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
        direction="neither",
        formula=r"D-\frac{1}{n}\sum_{j=1}^{n}D_j,\quad D=\bar y_\text{before}-\bar y_\text{after}",
        source=(
            "difference in differences, Card and Krueger (1994); clusters as in Bertrand, Duflo and Mullainathan "
            "(2004); the largest t as in Romano and Wolf (2005)"
        ),
        sentence=(
            "How much more a contestant's score drops on items that are newer than a date than the scores of the "
            "other contestants, those of its family and its base model aside. The bounds are simultaneous. A "
            "contestant whose lower bound is above 0 is flagged: it may have seen older items in training. The chance "
            "of a wrong flag is about 5 % for all contestants of a test together."
        ),
        columns=("before", "after", "drop", "others_drop", "difference", "flagged"),
    ),
    Metric(
        id="date_counts",
        title="Sizes of a test by date",
        short="Sizes",
        unit="items, and contestants",
        direction="neither",
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

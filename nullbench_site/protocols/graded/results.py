"""The results of a `graded` board. Grades are 1-10, scores 0-100."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, JudgedItemRow, JudgedRow, JudgeRow, ResultsOf

SCORE = "score"
"""The column of the mean grade; a row has another score, by which it is ordered."""


class GradedRow(JudgedRow, kw_only=True):
    """A contestant on a slice of the board.

    overall: the mean over items of 100 x (g - 1) / 9, g being the mean grade of an item. grades: under `score` the mean
    over all valid grades; turn_1, turn_2: that of each turn. n_invalid: replies of judges without a valid grade, which
    are in no mean. n_scored, n_errored, n_unparsed: conversations with
    a grade, of which a turn failed, and without a valid grade. An answer that failed has the lowest grade.
    """

    grades: dict[str, float]
    turn_1: float | None
    turn_2: float | None
    n_invalid: int
    judges: dict[str, float] = WHOLE_BOARD


class GradedItemRow(JudgedItemRow, kw_only=True, gc=False):
    """A contestant on one item, over its samples. state: scored, errored, unparsed or unjudged.
    spread: highest less lowest mean grade of a judge."""

    turn_1: float | None
    turn_2: float | None
    spread: float | None


class GradedJudgeRow(JudgeRow, kw_only=True):
    """A judge over the whole board. mean_grade: of all its grades, 1-10."""

    mean_grade: float | None


class GradedResults(ResultsOf[GradedRow, GradedItemRow], kw_only=True):
    """All results of one `graded` board of one run."""

    TABLES: ClassVar[tuple[str, ...]] = ("judges", "agreement")
    FIRST: ClassVar[tuple[str, ...]] = ("grades", "turn_1", "turn_2", "n_invalid")
    COLUMNS: ClassVar[tuple[str, ...]] = (
        "rank", "rank_low", "rank_high", "model", "n_items", "n_scored", "n_errored", "n_unparsed", "overall", "se",
        "df", "ci_low", "ci_high", "grades", "turn_1", "turn_2", "n_invalid", "tie_group",
    )  # fmt: skip

    judges: list[GradedJudgeRow]
    agreement: list[AgreementRow]

    def spread(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The mean of a judge stands under `judge.<id>`."""
        judges = [(row.judge, f"judge.{row.judge}") for row in self.judges]
        return {"grades": [(SCORE, SCORE)], "judges": judges}

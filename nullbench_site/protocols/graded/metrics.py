"""The rows of `graded` boards, and what their numbers mean. Grades are 1-10, scores 0-100."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from nullbench_site.protocols.graded.judging import SCORE as GRADE
from nullbench_site.scoring.columns import SCORE, Column, Metric
from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, JudgedItemRow, JudgedRow, JudgeRow, ResultsOf


class GradedRow(JudgedRow, kw_only=True):
    """A contestant on a slice of the board.

    overall: the mean over items of 100 x (g - 1) / 9, where g is the mean grade of an item. grades: under `score`, the
    mean over all valid grades; turn_1, turn_2: the same for each turn. n_invalid: how many replies of judges have no
    valid grade; they are in no mean. n_scored, n_errored, n_unparsed: how many conversations have a grade, have a turn
    that failed, and have no valid grade. An answer that failed has the lowest grade.
    """

    grades: dict[str, float]
    turn_1: float | None
    turn_2: float | None
    n_invalid: int
    judges: dict[str, float] = WHOLE_BOARD

    @property
    def mean_grade(self) -> float | None:
        """The mean over all valid grades of both turns; None without one."""
        return self.grades.get(GRADE)


class GradedItemRow(JudgedItemRow, kw_only=True):
    """A contestant on one item, over its samples. state: scored, errored, unparsed or unjudged.

    spread: the highest minus the lowest mean grade of a judge.
    """

    turn_1: float | None
    turn_2: float | None
    spread: float | None


class GradedJudgeRow(JudgeRow, kw_only=True):
    """A judge over the whole board. mean_grade: the mean of all its grades, 1-10."""

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
        """Return the columns `score` and `judge.<id>`."""
        judges = [(row.judge, f"judge.{row.judge}") for row in self.judges]
        return {"grades": [(GRADE, GRADE)], "judges": judges}


METRICS = (
    Metric(
        id="graded_overall",
        title="Overall grade",
        short="Overall",
        scale=(0, 100),
        direction="higher",
        formula=r"\text{overall}=\frac{1}{n}\sum_{i=1}^{n}100\,\frac{\bar{g}_i-1}{9}",
        source=(
            "Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena; the scale of 0-100 and the "
            "weight of items are ours"
        ),
        sentence=(
            "The mean over items of each item's mean grade, mapped from 1-10 to 0-100. Replies without a valid grade "
            "are left out. A failed answer has the lowest grade."
        ),
        columns=("overall",),
    ),
    Metric(
        id="score",
        title="Mean grade",
        short="Grade",
        scale=(1, 10),
        direction="higher",
        digits=2,
        formula=r"\frac{1}{|G|}\sum_{g\in G}g,\quad 1\le g\le 10",
        source="FastChat, fastchat/llm_judge/show_result.py, single-answer grading",
        sentence=("The mean over all valid grades of both turns, each weighted alike. MT-Bench publishes this number."),
        shown_on=Column(group=SCORE, value=lambda view, row: row.mean_grade),
    ),
    Metric(
        id="turn_1",
        title="Mean grade of the first turn",
        short="Turn 1",
        scale=(1, 10),
        direction="higher",
        digits=2,
        source="FastChat, fastchat/llm_judge/show_result.py, first turn",
        sentence="The mean over the valid grades for answers to the first turn.",
        value=lambda of: of.mean_of(0),
        shown_on=Column(group=SCORE),
    ),
    Metric(
        id="turn_2",
        title="Mean grade of the second turn",
        short="Turn 2",
        scale=(1, 10),
        direction="higher",
        digits=2,
        source="FastChat, fastchat/llm_judge/show_result.py, second turn",
        sentence=(
            "The mean over the valid grades for answers to the second turn, which is asked and graded with the first "
            "in context."
        ),
        value=lambda of: of.mean_of(1),
        shown_on=Column(group=SCORE),
    ),
    Metric(
        id="n_invalid",
        title="Replies without a valid grade",
        short="Invalid",
        unit="replies",
        direction="lower",
        digits=0,
        source="FastChat, fastchat/llm_judge/common.py, where such a reply counts as -1",
        sentence=(
            "Judge replies without a readable grade from 1 to 10. Judges are asked a second time; imported replies are "
            "used as they are. They are left out of every mean."
        ),
        value=lambda of: int(of.contestant.invalid[of.units].sum()),
        shown_on=Column(parts=False),
    ),
    Metric(
        id="graded_judge",
        title="Mean grade of one judge",
        short="Judge",
        scale=(1, 10),
        direction="higher",
        digits=2,
        source="Zheng et al. (2023), single-answer grading",
        sentence="The mean over one judge's grades.",
        columns=("judge.<judge>", "mean_grade"),
    ),
    Metric(
        id="grade_alpha",
        title="Units of agreement on grades",
        short="Alpha of grades",
        unit="grades",
        source="ours",
        sentence=(
            "For alpha, a unit is the answer to one turn. Grades are grouped into five classes, from 1-2 to 9-10: "
            "judges within a class agree."
        ),
        columns=(),
        after="alpha_scored",
    ),
    Metric(
        id="grade_spread",
        title="Disagreement in grades",
        short="Spread",
        unit="grades",
        direction="lower",
        source="ours",
        sentence="The highest minus the lowest mean grade that judges gave to a conversation.",
        columns=("spread",),
        after="alpha_scored",
    ),
)

"""The results of a `rubric` board. Judges' marks are 1-5, G-Eval and composite 0-1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import msgspec

from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, JudgedItemRow, JudgedRow, JudgeRow, ResultsOf

Parts = Literal["judge+geval", "judge", "geval"]
"""What a composite is made of; it is normalised where a part is absent."""


class RubricRow(JudgedRow, kw_only=True):
    """A contestant on a slice of the board.

    overall: the mean over items of 100 times the composite of each; an answer that failed counts as 0.
    judge_mean, geval_mean, composite: the seed's formulas, over the answers that did not fail.
    judges: the mean mark of each judge with complete coverage on the whole board, by id; not rounded, also where the
    board rounds it before it takes the mean. geval: the mean of each metric, where geval_mean is there.
    n_unparsed: answers on which judges replied, but no mark can be read.
    n_geval: of n_scored + n_unparsed answers those that G-Eval scored; one that it did not takes the contestant's mean
    of those that it did. Not there on a board without G-Eval.
    incomplete_judges: those whose marks count in no mean, as some of theirs are missing -> how many they gave.
    divergence: mean over answers of |(judge mean - 1) / 4 - G-Eval mean|, of complete judges. n_checked: answers
    to public items that have an automatic check; n_flagged: those in which a check failed.
    Verdicts are counted as on every board, one of G-Eval a metric. What G-Eval has not said yet keeps nobody from a
    rank.
    """

    n_geval: int | msgspec.UnsetType = msgspec.UNSET
    judge_mean: float | None
    geval_mean: float | None
    composite: float | None
    composite_of: Parts | None
    judges: dict[str, float]
    geval: dict[str, float]
    efficiency: float | None = WHOLE_BOARD
    mean_output_tokens: float | None = WHOLE_BOARD
    divergence: float | None = WHOLE_BOARD
    n_checked: int = WHOLE_BOARD
    n_flagged: int = WHOLE_BOARD
    incomplete_judges: dict[str, int] = WHOLE_BOARD


class RubricItemRow(JudgedItemRow, kw_only=True):
    """A contestant on one item, averaged over its samples.

    state: scored, errored, unparsed or unjudged. judge_mean: of complete judges. spread: highest less lowest mark.
    marks: by judge, of all. failed: the types of the checks that failed; none are told of a private item.
    """

    judge_mean: float | None
    geval_mean: float | None
    spread: float | None
    marks: dict[str, float]
    failed: list[str]


class RubricJudgeRow(JudgeRow, kw_only=True):
    """A judge over the whole board; judges stand by id, whatever their order in the panel.

    mean and sd are of all its marks. leniency: its mark less the mean mark of the other judges of the same answer,
    averaged over the answers that others marked too; positive is lenient.
    """

    mean: float | None
    sd: float | None
    leniency: float | None
    absent: dict[str, str]


class JudgeOnModel(msgspec.Struct, kw_only=True):
    """A judge on one contestant that it may mark: its mean mark, on how many answers, and whether it counts.

    n_due: how many answers it is to mark; None in runs scored before this was counted.
    """

    judge: str
    model: str
    n: int
    n_due: int | None = None
    mean: float | None
    complete: bool


class JudgePair(msgspec.Struct, kw_only=True):
    """Two judges on the answers that both marked, the first by id first.

    exact, adjacent: shares of answers with the same mark, and with marks at most one apart. difference: mean of the
    first's mark less the second's. correlation: Spearman's. alpha: Krippendorff's, ordinal.
    """

    judge: str
    other: str
    n: int
    exact: float | None
    adjacent: float | None
    difference: float | None
    correlation: float | None
    alpha: float | None
    absent: dict[str, str]


class Divergence(msgspec.Struct, kw_only=True):
    """A judge (None: the mean of the complete judges) against the G-Eval mean of the same answers, marks put on 0-1.

    difference: mean of mark less G-Eval. distance: mean of its absolute value. correlation: Spearman's.
    """

    judge: str | None
    n: int
    difference: float | None
    distance: float | None
    correlation: float | None
    absent: dict[str, str]


class CheckRow(msgspec.Struct, kw_only=True):
    """A type of check over the answers to public items: on how many it stands, and how its results fell."""

    type: str
    n_items: int
    passed: int
    failed: int
    not_applicable: int


class RubricResults(ResultsOf[RubricRow, RubricItemRow], kw_only=True):
    """All results of one `rubric` board of one run. weights: of the composite's parts, "judge" and "geval"."""

    TABLES: ClassVar[tuple[str, ...]] = ("judges", "judge_models", "judge_pairs", "agreement", "divergence", "checks")
    FIRST: ClassVar[tuple[str, ...]] = ("judge_mean", "geval_mean", "composite", "composite_of", "efficiency")
    COLUMNS: ClassVar[tuple[str, ...]] = (
        "rank", "rank_low", "rank_high", "model", "n_items", "n_scored", "n_errored", "n_unparsed", "n_geval",
        "overall", "se", "df", "ci_low", "ci_high",
        "judge_mean", "geval_mean", "composite", "composite_of", "judges", "geval", "tie_group", "mean_output_tokens",
        "tokens_exact", "divergence", "n_checked", "n_flagged",
    )  # fmt: skip

    panel: str
    geval_judge: str | None
    geval_metrics: list[str]
    weights: dict[str, float]
    judges: list[RubricJudgeRow]
    judge_models: list[JudgeOnModel]
    judge_pairs: list[JudgePair]
    agreement: list[AgreementRow]
    divergence: list[Divergence]
    checks: list[CheckRow]

    def spread(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """The mean of a judge, or its mark, stands under `judge.<id>`, that of a metric under `geval.<metric>`."""
        judges = [(row.judge, f"judge.{row.judge}") for row in self.judges]
        return {"judges": judges, "marks": judges, "geval": [(name, f"geval.{name}") for name in self.geval_metrics]}

"""The rows of `rubric` boards, and what their numbers mean. Marks are 1-5, G-Eval and composite 0-1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import msgspec
from msgspec import UNSET

from nullbench_site.scoring.columns import SCORE, SPEED, Column, Metric
from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, JudgedItemRow, JudgedRow, JudgeRow, ResultsOf
from nullbench_site.text import number

Parts = Literal["judge+geval", "judge", "geval"]
"""The parts of a composite, which is normalised if a part is absent."""


class RubricRow(JudgedRow, kw_only=True):
    """A contestant on a slice of the board.

    overall: the mean over items of 100 times the composite of each; an answer that failed counts as 0.
    judge_mean, geval_mean, composite: the seed's formulas, over the answers that did not fail.
    judges: by id, the mean mark of each judge with complete coverage on the whole board. It is not rounded, even if the
    board rounds it before it takes the mean. geval: the mean of each metric, if there is a geval_mean.
    n_unparsed: how many answers have replies of judges, but no readable mark.
    n_geval: how many of the n_scored + n_unparsed answers G-Eval scored. Each of the others takes the mean of the
    scored ones of the contestant. Absent on a board without G-Eval.
    incomplete_judges: the judges whose marks count in no mean because some are missing, and how many marks each gave.
    divergence: the mean over answers of |(judge mean - 1) / 4 - G-Eval mean|, by complete judges. n_checked: how many
    answers to public items have an automatic check; n_flagged: how many of these failed one.
    Verdicts are counted as on every board; G-Eval has one per metric. A missing verdict of G-Eval keeps no contestant
    from a rank.
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

    state: scored, errored, unparsed or unjudged. judge_mean: by complete judges. spread: the highest minus the lowest
    mark. marks: by judge, including incomplete ones. failed: the types of the checks that failed; empty for a private
    item.
    """

    judge_mean: float | None
    geval_mean: float | None
    spread: float | None
    marks: dict[str, float]
    failed: list[str]


class RubricJudgeRow(JudgeRow, kw_only=True):
    """A judge over the whole board. Rows are in the order of the ids.

    mean, sd: of all its marks. leniency: its mark minus the mean mark of the other judges of the same answer, averaged
    over the answers that others marked too; positive is lenient.
    """

    mean: float | None
    sd: float | None
    leniency: float | None
    absent: dict[str, str]


class JudgeOnModel(msgspec.Struct, kw_only=True):
    """A judge on one contestant that it may mark: its mean mark, and on how many answers.

    n_due: how many answers it must mark; None in runs scored before this was counted. complete: whether it marked all
    of them and therefore counts.
    """

    judge: str
    model: str
    n: int
    n_due: int | None = None
    mean: float | None
    complete: bool


class JudgePair(msgspec.Struct, kw_only=True):
    """Two judges on the answers that both marked, in the order of their ids.

    exact, adjacent: the shares of answers with the same mark, and with marks at most one apart. difference: the mean of
    the first judge's mark minus the second's. correlation: Spearman's. alpha: Krippendorff's, ordinal.
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
    """A judge compared with the G-Eval mean of the same answers. Marks are mapped to 0-1.

    judge: None for the mean of the complete judges. difference: the mean of the mark minus the G-Eval mean. distance:
    the mean of the absolute value of that. correlation: Spearman's.
    """

    judge: str | None
    n: int
    difference: float | None
    distance: float | None
    correlation: float | None
    absent: dict[str, str]


class CheckRow(msgspec.Struct, kw_only=True):
    """A type of check over the answers to public items: how many items have it, and what its results were."""

    type: str
    n_items: int
    passed: int
    failed: int
    not_applicable: int


class RubricResults(ResultsOf[RubricRow, RubricItemRow], kw_only=True):
    """All results of one `rubric` board of one run. weights: of the parts of the composite, "judge" and "geval"."""

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
        """Return the columns `judge.<id>`, for the mean of a judge or its mark, and `geval.<metric>`."""
        judges = [(row.judge, f"judge.{row.judge}") for row in self.judges]
        return {"judges": judges, "marks": judges, "geval": [(name, f"geval.{name}") for name in self.geval_metrics]}


def geval_coverage(row: Any) -> str:
    """Return how many answers G-Eval scored, if it counts and some have no score."""
    answers = row.n_scored + row.n_unparsed
    if row.geval_mean is None or row.n_geval is UNSET or row.n_geval == answers:
        return ""
    return f"G-Eval scored {number(row.n_geval, 0)} of {number(answers, 0)} answers"


def flagged_share(row: Any) -> float | None:
    """Return the share of answers with an automatic check in which one failed; None without such an answer."""
    return row.n_flagged / row.n_checked if row.n_checked else None


METRICS = (
    Metric(
        id="rubric_overall",
        title="Overall score",
        short="Overall",
        scale=(0, 100),
        direction="higher",
        formula=r"\text{overall}=\frac{100}{n}\sum_{i=1}^{n}\text{composite}_i",
        source="the practical 80-prompt evaluation, Composite score; the scale and the 0 are ours",
        sentence="The mean over prompts of 100 times the composite of each. Failed answers count as 0.",
        columns=("overall",),
    ),
    Metric(
        id="judge_mean",
        title="Judge mean",
        short="Judges",
        scale=(1, 5),
        direction="higher",
        digits=2,
        formula=r"\bar{m}=\frac{1}{|J|}\sum_{j\in J}\frac{1}{n}\sum_{i=1}^{n}m_{j,i},\quad m_{j,i}\in\{1,2,3,4,5\}",
        source="the practical 80-prompt evaluation, Composite score",
        sentence=(
            "The mean over judges of each judge's mean mark. A judge counts if it marked every answer that did not "
            "fail."
        ),
        shown_on=Column(group=SCORE),
    ),
    Metric(
        id="of_judge",
        title="Mean of one judge",
        short="Judge",
        scale=(1, 5),
        direction="higher",
        digits=2,
        source="the practical 80-prompt evaluation, Multi-judge scoring",
        sentence=(
            "The mean mark of one judge; for one prompt, its mark. Tables of contestants show only complete judges: "
            "those that marked every answer that did not fail."
        ),
        columns=("judge.<judge>", "complete", "n_due"),
    ),
    Metric(
        id="geval_mean",
        title="G-Eval mean",
        short="G-Eval",
        unit="shown 0-100",
        scale=(0, 1),
        direction="higher",
        digits=2,
        formula=r"\bar{g}=\frac{1}{n}\sum_{i=1}^{n}\frac{1}{|K_i|}\sum_{k\in K_i}g_{k,i},\quad 0\le g_{k,i}\le 1",
        source="the practical 80-prompt evaluation, DeepEval scoring; Liu et al. (2023), G-Eval",
        sentence=(
            "The mean over answers of each answer's mean G-Eval score. An answer without a score takes the mean of the "
            "others. G-Eval counts if it scored the share of answers that the board requires."
        ),
        shown_on=Column(
            group=SCORE,
            digits=1,
            value=lambda view, row: None if row.geval_mean is None else 100 * row.geval_mean,
            beside=geval_coverage,
            shown=lambda view: bool(view.results.geval_metrics),
        ),
    ),
    Metric(
        id="n_geval",
        title="Scored by G-Eval",
        short="By G-Eval",
        unit="of all",
        direction="higher",
        digits=0,
        source="the practical 80-prompt evaluation, DeepEval scoring",
        sentence=(
            "How many of the answers that did not fail were scored by G-Eval: it replied about every metric and scored "
            "at least one."
        ),
    ),
    Metric(
        id="of_geval",
        title="Mean of one G-Eval metric",
        short="Metric",
        unit="shown 0-100",
        scale=(0, 1),
        direction="higher",
        digits=2,
        source="the practical 80-prompt evaluation, DeepEval scoring; Liu et al. (2023), G-Eval",
        sentence=(
            "The mean of one G-Eval metric over the answers it scored: correctness, coherence or instruction following."
        ),
        columns=("geval.<metric>",),
    ),
    Metric(
        id="composite",
        title="Composite",
        scale=(0, 1),
        direction="higher",
        digits=3,
        formula=r"\text{composite}=\frac{w_j\,\frac{\bar{m}-1}{4}+w_g\,\bar{g}}{w_j+w_g}",
        source="the practical 80-prompt evaluation, Composite score",
        sentence=(
            "The weighted mean of the judge mean, mapped to 0-1, and the G-Eval mean, over the answers that did not "
            "fail. If one part is absent, the other is used alone and is marked."
        ),
    ),
    Metric(
        id="efficiency",
        title="Efficiency",
        unit="marks per doubling of tokens",
        direction="higher",
        digits=2,
        formula=r"\text{efficiency}=\frac{\bar{m}}{\log_2\bar{t}}",
        source="the practical 80-prompt evaluation, Efficiency score",
        sentence=(
            "Quality relative to length: the judge mean divided by the logarithm of the mean number of tokens. If the "
            "endpoint did not count the tokens of every answer, they are estimated at 4 characters each "
            "(`tokens_exact` is false). The lowest mark is 1, so even a worthless short answer has some efficiency."
        ),
        value=lambda of: of.efficiency,
        whole_board=True,
        shown_on=Column(
            group=SPEED,
            digits=3,
            parts=False,
            beside=lambda row: "" if row.tokens_exact else "by an estimate of tokens",
        ),
    ),
    Metric(
        id="mean_output_tokens",
        title="Mean length in tokens",
        short="Tokens",
        unit="tokens",
        digits=0,
        source="the practical 80-prompt evaluation, Efficiency score",
        sentence=(
            "The mean number of tokens per answer, as counted by the endpoint; otherwise estimated at 4 characters "
            "each. Efficiency uses it."
        ),
        value=lambda of: of.mean_output_tokens,
        whole_board=True,
    ),
    Metric(
        id="divergence",
        title="Divergence of judges and G-Eval",
        short="Divergence",
        scale=(0, 1),
        direction="lower",
        digits=2,
        formula=r"\frac{1}{n}\sum_{i=1}^{n}\left|\frac{m_i-1}{4}-g_i\right|",
        source="ours",
        sentence="The mean absolute difference between marks, mapped to 0-1, and G-Eval scores of the same answers.",
        columns=("divergence", "distance"),
        value=lambda of: of.divergence,
        whole_board=True,
    ),
    Metric(
        id="n_flagged",
        title="Answers with a failed check",
        short="Flagged",
        unit="answers",
        direction="lower",
        digits=0,
        source="the practical 80-prompt evaluation, Automatic checks",
        sentence=(
            "Answers that failed at least one automatic check, among those to public prompts with such a check. Judges "
            "are told about it and may mark the answer lower; the board itself subtracts nothing."
        ),
        columns=("n_flagged", "n_checked"),
        value=lambda of: {"n_checked": of.contestant.n_checked, "n_flagged": len(of.contestant.failed)},
        whole_board=True,
        shown_on=Column(kind="percent", digits=1, parts=False, value=lambda view, row: flagged_share(row)),
    ),
    Metric(
        id="check_results",
        title="Results of a check",
        short="Results",
        unit="answers",
        digits=0,
        source="the practical 80-prompt evaluation, Automatic checks",
        sentence=(
            "How many answers to public items passed a type of check, failed it, or did not apply. Judges are told "
            "about a failed check and may mark the answer lower; the board itself subtracts nothing."
        ),
        columns=("passed", "failed", "not_applicable"),
    ),
    Metric(
        id="mark_spread",
        title="Disagreement of judges",
        short="Spread",
        unit="marks",
        direction="lower",
        formula=r"\max_j m_{j,i}-\min_j m_{j,i}",
        source="ours",
        sentence="The highest minus the lowest mark that judges gave to one answer.",
        columns=("spread",),
        after="alpha_scored",
    ),
    Metric(
        id="leniency",
        title="Leniency",
        unit="marks",
        digits=2,
        formula=r"\frac{1}{n}\sum_{i=1}^{n}\left(m_{j,i}-\frac{1}{|J_i|-1}\sum_{k\ne j}m_{k,i}\right)",
        source="ours",
        sentence=(
            "How much higher a judge marks than the other judges of the same answers, on average. Negative values are "
            "severe."
        ),
        after="alpha_scored",
    ),
    Metric(
        id="same_mark",
        title="Same mark",
        short="Same",
        unit="shown in %",
        scale=(0, 1),
        direction="higher",
        digits=2,
        source="ours",
        sentence=(
            "How often two judges gave the same answer the same mark (exact), or marks at most one apart (adjacent)."
        ),
        columns=("exact", "adjacent"),
        after="verdict_counts",
    ),
    Metric(
        id="difference",
        title="Mean difference",
        short="Difference",
        unit="marks; 0-1 against G-Eval",
        digits=2,
        formula=r"\frac{1}{n}\sum_{i=1}^{n}(x_i-y_i)",
        source="ours",
        sentence=(
            "How much more the first judge gave than the second to the same answers, on average: in marks between "
            "judges, on 0-1 between judges and G-Eval."
        ),
        after="verdict_counts",
    ),
    Metric(
        id="correlation",
        title="Rank correlation",
        short="Correlation",
        scale=(-1, 1),
        direction="higher",
        digits=2,
        formula=r"\rho=\frac{\sum_i(r_i-\bar{r})(s_i-\bar{s})}{\sqrt{\sum_i(r_i-\bar{r})^2\,\sum_i(s_i-\bar{s})^2}}",
        source="Spearman (1904)",
        sentence=(
            "Spearman's correlation: 1 if both order the answers alike, 0 if their orders are unrelated. Tied answers "
            "share the mean of their ranks."
        ),
        after="verdict_counts",
    ),
)

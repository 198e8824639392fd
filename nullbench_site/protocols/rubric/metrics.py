"""The numbers of `rubric` boards."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from nullbench_site.scoring.columns import SCORE, SPEED, Column, Metric
from nullbench_site.text import number


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
        unit="0-100",
        direction="higher",
        formula=r"\text{overall}=\frac{100}{n}\sum_{i=1}^{n}\text{composite}_i",
        source="the practical 80-prompt evaluation, Composite score; the scale and the 0 are ours",
        explanation="The mean over prompts of 100 times the composite of each. Answers that failed count as 0.",
        columns=("overall",),
    ),
    Metric(
        id="judge_mean",
        title="Judge mean",
        short="Judges",
        unit="1-5",
        direction="higher",
        digits=2,
        formula=r"\bar{m}=\frac{1}{|J|}\sum_{j\in J}\frac{1}{n}\sum_{i=1}^{n}m_{j,i},\quad m_{j,i}\in\{1,2,3,4,5\}",
        source="the practical 80-prompt evaluation, Composite score",
        explanation=(
            "The mean over judges of each one's mean mark. A judge counts if it marked every answer that did not fail."
        ),
        shown_on=Column(group=SCORE),
    ),
    Metric(
        id="of_judge",
        title="Mean of one judge",
        short="Judge",
        unit="1-5",
        direction="higher",
        digits=2,
        source="the practical 80-prompt evaluation, Multi-judge scoring",
        explanation=(
            "The mean mark of one judge; for one prompt, its mark. In the tables of contestants only judges stand that "
            "are complete: that marked every answer that did not fail."
        ),
        columns=("judge.<judge>", "complete", "n_due"),
    ),
    Metric(
        id="geval_mean",
        title="G-Eval mean",
        short="G-Eval",
        unit="0-1; shown 0-100",
        direction="higher",
        digits=2,
        formula=r"\bar{g}=\frac{1}{n}\sum_{i=1}^{n}\frac{1}{|K_i|}\sum_{k\in K_i}g_{k,i},\quad 0\le g_{k,i}\le 1",
        source="the practical 80-prompt evaluation, DeepEval scoring; Liu et al. (2023), G-Eval",
        explanation=(
            "The mean over answers of the mean of an answer's G-Eval scores. An answer that got none takes the mean of "
            "those that got one; it counts if at least the share of answers got one that the board asks for."
        ),
        shown_on=Column(
            group=SCORE,
            digits=1,
            value=lambda view, row: None if row.geval_mean is None else 100 * row.geval_mean,
            beside=geval_coverage,
            shown=lambda view: view.has_geval,
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
        explanation=(
            "How many of the answers that did not fail G-Eval scored: it replied about every metric and gave a score "
            "on one or more."
        ),
    ),
    Metric(
        id="of_geval",
        title="Mean of one G-Eval metric",
        short="Metric",
        unit="0-1; shown 0-100",
        direction="higher",
        digits=2,
        source="the practical 80-prompt evaluation, DeepEval scoring; Liu et al. (2023), G-Eval",
        explanation=(
            "The mean of one metric of G-Eval over the answers it gave a score: correctness, coherence or the "
            "following of instructions."
        ),
        columns=("geval.<metric>",),
    ),
    Metric(
        id="composite",
        title="Composite",
        short="Composite",
        unit="0-1",
        direction="higher",
        digits=3,
        formula=r"\text{composite}=\frac{w_j\,\frac{\bar{m}-1}{4}+w_g\,\bar{g}}{w_j+w_g}",
        source="the practical 80-prompt evaluation, Composite score",
        explanation=(
            "The weighted mean of the judge mean, put on 0-1, and the G-Eval mean, over the answers that did not fail. "
            "Where one part is absent the other stands alone, and is marked so."
        ),
    ),
    Metric(
        id="efficiency",
        title="Efficiency",
        short="Efficiency",
        unit="marks per doubling of tokens",
        direction="higher",
        digits=2,
        formula=r"\text{efficiency}=\frac{\bar{m}}{\log_2\bar{t}}",
        source="the practical 80-prompt evaluation, Efficiency score",
        explanation=(
            "Quality for its length: the judge mean over the logarithm of the mean number of tokens of an answer. "
            "Where the endpoint did not count the tokens of every answer they are estimated at 4 runes a token, and "
            "`tokens_exact` says so. The lowest mark is 1, so a short answer that is worth nothing has some efficiency "
            "too."
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
        direction="neither",
        digits=0,
        source="the practical 80-prompt evaluation, Efficiency score",
        explanation=(
            "Tokens of an answer on average, as the endpoint counted them or, where it did not count all, at 4 runes a "
            "token: what efficiency is made of."
        ),
        value=lambda of: of.mean_output_tokens,
        whole_board=True,
    ),
    Metric(
        id="divergence",
        title="Divergence of judges and G-Eval",
        short="Divergence",
        unit="0-1",
        direction="lower",
        digits=2,
        formula=r"\frac{1}{n}\sum_{i=1}^{n}\left|\frac{m_i-1}{4}-g_i\right|",
        source="ours",
        explanation=(
            "How far marks, put on 0-1, stand from the G-Eval scores of the same answers on average, whichever is "
            "higher."
        ),
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
        explanation=(
            "Answers in which at least one automatic check found something, of those to prompts that have an automatic "
            "check. Judges are told; the board subtracts nothing for a flag, and a judge may mark a flagged answer "
            "lower. Private prompts are not counted."
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
        direction="neither",
        digits=0,
        source="the practical 80-prompt evaluation, Automatic checks",
        explanation=(
            "How many answers to public items a type of check passed, failed, or had nothing to say of. Judges are "
            "told of a failed check; the board subtracts nothing for it, and a judge may mark such an answer lower."
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
        explanation="The distance between the highest and the lowest mark that judges gave one answer.",
        columns=("spread",),
        after="alpha_scored",
    ),
    Metric(
        id="leniency",
        title="Leniency",
        short="Leniency",
        unit="marks",
        direction="neither",
        digits=2,
        formula=r"\frac{1}{n}\sum_{i=1}^{n}\left(m_{j,i}-\frac{1}{|J_i|-1}\sum_{k\ne j}m_{k,i}\right)",
        source="ours",
        explanation=(
            "How much higher a judge marks than the other judges of the same answers do on average. Below 0 it is "
            "severe."
        ),
        after="alpha_scored",
    ),
    Metric(
        id="same_mark",
        title="Same mark",
        short="Same",
        unit="share, 0-1; shown in %",
        direction="higher",
        digits=2,
        source="ours",
        explanation=(
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
        direction="neither",
        digits=2,
        formula=r"\frac{1}{n}\sum_{i=1}^{n}(x_i-y_i)",
        source="ours",
        explanation=(
            "How much more the first gave than the second on the same answers, on average: of two judges in marks, of "
            "judges and G-Eval on the scale of 0-1."
        ),
        after="verdict_counts",
    ),
    Metric(
        id="correlation",
        title="Rank correlation",
        short="Correlation",
        unit="-1 to 1",
        direction="higher",
        digits=2,
        formula=r"\rho=\frac{\sum_i(r_i-\bar{r})(s_i-\bar{s})}{\sqrt{\sum_i(r_i-\bar{r})^2\,\sum_i(s_i-\bar{s})^2}}",
        source="Spearman (1904)",
        explanation=(
            "Spearman's correlation: 1 where two put all answers in the same order, 0 where their orders have nothing "
            "to do with each other. Tied answers share the mean of their ranks."
        ),
        after="verdict_counts",
    ),
)

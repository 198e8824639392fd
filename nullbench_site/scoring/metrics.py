"""The registry of metrics: what each number on the site is called, means, is measured in, and comes from.

Table headers, tooltips, the methodology page and the data dictionary are all made from it, so none can disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

SEED = "nullbench methodology"


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One number. `formula` is LaTeX, or empty where the explanation says all.

    columns: what it is called in results and CSV files. `<axis>` stands for the id of each axis.
    """

    id: str
    title: str
    short: str
    unit: str
    direction: Literal["higher", "lower", "neither"]
    explanation: str
    formula: str = ""
    source: str
    columns: tuple[str, ...]
    digits: int = 1


def _metric(  # noqa: PLR0917 - the columns of the table below
    id: str,
    title: str,
    short: str,
    unit: str,
    direction: Literal["higher", "lower", "neither"],
    explanation: str,
    source: str,
    formula: str = "",
    columns: tuple[str, ...] = (),
    digits: int = 1,
) -> Metric:
    return Metric(
        id=id,
        title=title,
        short=short,
        unit=unit,
        direction=direction,
        explanation=explanation,
        formula=formula,
        source=source,
        columns=columns or (id,),
        digits=digits,
    )


_ALL = (
    _metric(
        "overall", "Overall goal alignment", "Alignment", "0-100", "higher",
        "How closely the answers meet the goals of their tasks: the mean over groups of their mean goal alignment.",
        f"{SEED}, Interpretation",
        r"\text{overall}=\frac{1}{|G|}\sum_{g\in G}\frac{1}{n_g}\sum_{i=1}^{n_g}GA_{g,i}",
    ),
    _metric(
        "goal_alignment", "Goal alignment", "Alignment", "0-100", "higher",
        "How closely answers meet the goal of their task, averaged over judges and then over items. "
        "Refused and failed items count as 0.",
        f"{SEED}, Methodology",
        r"GA_i=\min\left(100,\max\left(0,\frac{1}{|V|}\sum_{j\in V}g_{j,i}\right)\right)",
    ),
    _metric(
        "quality", "Quality", "Quality", "0-100", "higher",
        "The judges' rating of the answer as such, apart from its goal; averaged and clamped like goal alignment.",
        f"{SEED}, Methodology and Extended metrics (quality_pct)",
        r"Q_i=\min\left(100,\max\left(0,\frac{1}{|V|}\sum_{j\in V}q_{j,i}\right)\right)",
    ),
    _metric(
        "axis", "Axis mean", "Axis", "1-5", "higher",
        "The mean rating on one axis over the judges whose rating is an integer from 1 to 5. "
        "A refused item counts 1, a failed one 0.",
        f"{SEED}, Methodology",
        r"\bar{s}_a=\frac{1}{N_a}\sum_{j\in V_a}s_{j,a},\quad s_{j,a}\in\{1,2,3,4,5\}",
        columns=("<axis>",),
        digits=2,
    ),
    _metric(
        "se", "Standard error", "SE", "points", "lower",
        "How far the score would move if the source texts had been others of the same kind. "
        "Items of one text count as one look.",
        "Miller (2024), Adding error bars to evals; Cameron and Miller (2015)",
        r"\text{SE}=\sqrt{\frac{C}{C-1}\sum_{c}\left(\sum_{i\in c}\frac{x_i-\bar{x}_{g(i)}}{|G|\,n_{g(i)}}\right)^2}",
        columns=("se", "se.<axis>"),
    ),
    _metric(
        "ci", "95 % interval", "95 % interval", "0-100", "neither",
        "The range that holds the score of other source texts of the same kind 95 times in 100.",
        "the mathematics of LLM evaluation, section 2",
        r"\text{overall}\pm 1.96\,\text{SE}",
        columns=("ci_low", "ci_high"),
    ),
    _metric(
        "rank", "Rank", "Rank", "rank", "lower",
        "The range of ranks a contestant takes in 95 of 100 redrawings of the source texts, the same drawing for all.",
        "Efron and Tibshirani (1993), percentile bootstrap",
        columns=("rank", "rank_low", "rank_high"),
        digits=0,
    ),
    _metric(
        "tie_group", "Tie group", "Tie", "number", "lower",
        "Contestants of one group cannot be told from the group's first: the interval of their difference holds 0.",
        "Efron and Tibshirani (1993), paired bootstrap; the grouping is ours",
        digits=0,
    ),
    _metric(
        "above_null_floor", "Above the null floor", "Above floor", "yes or no", "higher",
        "Whether even the low end of the interval is above the best score reached without reading the question.",
        "after Zheng et al. (2024), Cheating automatic LLM benchmarks",
        r"CI_{\text{low}}>\max_{m\in\text{null}}\text{overall}_m",
    ),
    _metric(
        "scored", "Scored", "Scored", "of all", "higher",
        "How many of the answers the judges scored. The rest was refused, failed, or got no readable verdict.",
        f"{SEED}, Failure handling",
        columns=("n_scored", "n_refused", "n_errored", "n_unparsed", "n_items"),
        digits=0,
    ),
    _metric(
        "refusal_rate", "Refused", "Refused", "share, 0-1; shown in %", "neither",
        "Answers that two thirds of the whole panel call a refusal, by the answer alone or beside its task.",
        f"{SEED}, Refusal detection",
        r"\text{votes}\ge\lceil 2N/3\rceil",
    ),
    _metric(
        "refused_by", "Refused, by gate", "By gate", "answers", "neither",
        "How many answers each of the two gates calls a refusal: one sees the answer alone, the other the task too. "
        "An answer may fall to both.",
        f"{SEED}, Refusal detection",
        columns=("refused_answer", "refused_prompt"),
        digits=0,
    ),
    _metric(
        "error_rate", "Failed", "Failed", "share, 0-1; shown in %", "lower",
        "Calls that gave no answer after all retries. They count as 0.",
        f"{SEED}, Failure handling",
    ),
    _metric(
        "ended", "Answers that did not end by themselves", "Cut short", "answers", "lower",
        "Answers that ended at the token limit, were withheld by a filter, were marked as a refusal by the endpoint, "
        "or called a tool nobody offered. What came of their text is judged like any other.",
        "ours",
        columns=("ended_length", "ended_content_filter", "ended_refusal", "ended_tool_calls"),
        digits=0,
    ),
    _metric(
        "served_by", "Answered by another model", "Served by", "answers", "neither",
        "Answers that the endpoint says came from a model of another name than the one it was asked for.",
        "ours",
        columns=("served_by_another",),
        digits=0,
    ),
    _metric(
        "judge_calls", "Verdicts", "Verdicts", "of all", "higher",
        "How many of the verdicts that the answers need could be read. One that failed after all retries or was "
        "invalid counts in no mean. One that is still missing keeps the contestant from being ranked, and so does an "
        "answer that no judge replied about: it has no score, which is not 0.",
        "ours",
        columns=("judge_calls", "judge_errored", "judge_unparsed", "judge_missing", "n_unjudged"),
        digits=0,
    ),
    _metric(
        "alpha", "Agreement of judges", "Alpha", "at most 1", "higher",
        "Krippendorff's alpha for ordinal ratings, observed against expected disagreement: 1 is full agreement, 0 is "
        "chance. "
        "From 0.80 acceptable, from 0.667 tentative, below insufficient.",
        "Krippendorff (2011); labels: nullbench methodology, Reliability and agreement",
        r"\alpha=1-\frac{D_o}{D_e}=1-(n-1)\frac{\sum_{c,k}o_{ck}\,\delta_{ck}}{\sum_{c,k}n_c\,n_k\,\delta_{ck}}",
        digits=2,
    ),
    _metric(
        "alpha_scored", "Agreement on scored answers", "Alpha, scored", "at most 1", "higher",
        "The same alpha on the scored answers of contestants that are no null models. Refusals and null models get the "
        "lowest rating from every judge, which raises the other figure; this one says how far they agree on real ones.",
        "Krippendorff (2011); the choice of answers is ours",
        r"\alpha=1-\frac{D_o}{D_e}=1-(n-1)\frac{\sum_{c,k}o_{ck}\,\delta_{ck}}{\sum_{c,k}n_c\,n_k\,\delta_{ck}}",
        digits=2,
    ),
    _metric(
        "normalised", "Judge-normalised mean", "Normalised", "3 is the judge's mean", "higher",
        "Each judge's ratings on its own scale, so that severe and lenient judges count alike: 3 is that judge's mean, "
        "one point is one of its standard deviations.",
        f"{SEED}, Reliability and agreement",
        r"3+\frac{s-\mu_j}{\sigma_j}",
        columns=("normalised.<axis>",),
        digits=2,
    ),
    _metric(
        "spread", "Disagreement", "Spread", "points", "lower",
        "The distance between the highest and the lowest goal alignment that judges gave one answer.",
        "ours",
        r"\max_j g_{j,i}-\min_j g_{j,i}",
    ),
    _metric(
        "mean_time_s", "Mean response time", "Mean time", "s", "lower",
        "The average time of a call, failed ones included: what quality per resource divides by.",
        f"{SEED}, Extended metrics",
        digits=2,
    ),
    _metric(
        "median_response_time_ms", "Median response time", "Median time", "ms", "lower",
        "Half of the answers came faster than this.",
        f"{SEED}, Extended metrics",
        digits=2,
    ),
    _metric(
        "p95_response_time_ms", "95th percentile of response time", "p95 time", "ms", "lower",
        "95 of 100 answers came faster than this.",
        f"{SEED}, Extended metrics",
        digits=2,
    ),
    _metric(
        "max_response_time_ms", "Longest response time", "Longest", "ms", "lower",
        "The slowest answer.",
        f"{SEED}, Extended metrics",
        digits=2,
    ),
    _metric(
        "median_response_length", "Median response length", "Length", "runes", "neither",
        "Half of the answers are shorter than this, in Unicode characters.",
        f"{SEED}, Extended metrics",
        digits=0,
    ),
    _metric(
        "stability", "Stability", "Stability", "0-1", "higher",
        "How steady the response times are: 1 when all are equal. One enormous wait caps it.",
        f"{SEED}, Extended metrics; the composition is ours",
        r"\sqrt[3]{\frac{\text{median}}{p_{95}}\cdot\frac{p_{95}}{\max}\cdot\frac{1}{1+\text{sd}/\text{mean}}},"
        r"\quad\le\frac{10\,\text{mean}}{\max}\text{ where }\frac{\max}{\text{mean}}>10",
        digits=2,
    ),
    _metric(
        "throughput_rps", "Throughput", "Runes/s", "runes/s", "higher",
        "Unicode characters of answers per second of waiting, total over total.",
        f"{SEED}, Extended metrics",
        digits=0,
    ),
    _metric(
        "throughput_tps", "Token throughput", "Tokens/s", "tokens/s", "higher",
        "Tokens per second: as counted by the endpoint, or runes divided by 4 where it does not count.",
        f"{SEED}, Extended metrics",
        r"\text{tps}=\text{rps}/4",
        digits=0,
    ),
    _metric(
        "qpr", "Quality per resource", "QPR", "points per s and root GB", "higher",
        "Quality for its cost in waiting and memory. Needs the memory size in the model's spec.",
        f"{SEED}, Extended metrics",
        r"\text{QPR}=\frac{\text{quality}}{T^{1.0}\,M^{0.5}}",
    ),
    _metric(
        "qpr_pct", "Quality per resource, relative", "QPR %", "0-100 in its table", "higher",
        "QPR on the scale from the lowest to the highest of the same table; not comparable between tables.",
        f"{SEED}, Extended metrics",
        r"\text{qpr}_\text{pct}=100\,\frac{\text{QPR}-\min}{\max-\min}",
    ),
    _metric(
        "model_disk_gb", "Size on disk", "Disk", "GB", "lower",
        "Size of the model's files, where its backend or its spec tells it.",
        f"{SEED}, Extended metrics",
    ),
)  # fmt: skip

METRICS: Mapping[str, Metric] = {metric.id: metric for metric in _ALL}
"""Every metric by id, in the order of the methodology page."""

METRIC_OF_COLUMN: Mapping[str, Metric] = {column: metric for metric in _ALL for column in metric.columns}
"""The data dictionary: the metric that a column of the results belongs to."""

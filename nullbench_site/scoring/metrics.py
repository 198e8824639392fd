"""The registry of metrics: what each number on the site is called, means, is measured in, and comes from.

Table headers, tooltips, the methodology page and the data dictionary are all made from it, so none can disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

SEED = "nullbench methodology"
TRUST = "the mathematics of LLM evaluation, section 9, Exhibit 7"
PRACTICAL = "the practical 80-prompt evaluation"
ORACLE_SUITE = f"{PRACTICAL}, whose second suite is marked by key"
AXES, RUBRIC, ORACLE = ("axes",), ("rubric",), ("oracle",)
JUDGED = AXES + RUBRIC
EVERY = JUDGED + ORACLE


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One number. `formula` is LaTeX, or empty where the explanation says all.

    columns: what it is called in results and CSV files; none for what pages alone show. `<axis>` stands for the id of
    each axis, `<judge>` and `<metric>` for those of each judge and each metric of G-Eval. protocols: of the boards that
    have it.
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
    protocols: tuple[str, ...]
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
    columns: tuple[str, ...] | None = None,
    protocols: tuple[str, ...] = EVERY,
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
        columns=(id,) if columns is None else columns,
        protocols=protocols,
        digits=digits,
    )


_ALL = (
    _metric(
        "overall", "Overall goal alignment", "Alignment", "0-100", "higher",
        "How closely the answers meet the goals of their tasks: the mean over groups of their mean goal alignment.",
        f"{SEED}, Interpretation",
        r"\text{overall}=\frac{1}{|G|}\sum_{g\in G}\frac{1}{n_g}\sum_{i=1}^{n_g}GA_{g,i}",
        protocols=AXES,
    ),
    _metric(
        "goal_alignment", "Goal alignment", "Alignment", "0-100", "higher",
        "How closely answers meet the goal of their task, averaged over judges and then over items. "
        "Refused and failed items count as 0.",
        f"{SEED}, Methodology",
        r"GA_i=\min\left(100,\max\left(0,\frac{1}{|V|}\sum_{j\in V}g_{j,i}\right)\right)",
        protocols=AXES,
    ),
    _metric(
        "quality", "Quality", "Quality", "0-100", "higher",
        "The judges' rating of the answer as such, apart from its goal; averaged and clamped like goal alignment.",
        f"{SEED}, Methodology and Extended metrics (quality_pct)",
        r"Q_i=\min\left(100,\max\left(0,\frac{1}{|V|}\sum_{j\in V}q_{j,i}\right)\right)",
        protocols=AXES,
    ),
    _metric(
        "axis", "Axis mean", "Axis", "1-5", "higher",
        "The mean rating on one axis over the judges whose rating is an integer from 1 to 5. "
        "A refused item counts 1, a failed one 0.",
        f"{SEED}, Methodology",
        r"\bar{s}_a=\frac{1}{N_a}\sum_{j\in V_a}s_{j,a},\quad s_{j,a}\in\{1,2,3,4,5\}",
        columns=("<axis>",),
        digits=2,
        protocols=AXES,
    ),
    _metric(
        "rubric_overall", "Overall score", "Overall", "0-100", "higher",
        "The mean over prompts of 100 times the composite of each. Answers that failed count as 0.",
        f"{PRACTICAL}, Composite score; the scale and the 0 are ours",
        r"\text{overall}=\frac{100}{n}\sum_{i=1}^{n}\text{composite}_i",
        columns=("overall",),
        protocols=RUBRIC,
    ),
    _metric(
        "judge_mean", "Judge mean", "Judges", "1-5", "higher",
        "The mean over judges of each one's mean mark. A judge counts if it marked every answer that did not fail.",
        f"{PRACTICAL}, Composite score",
        r"\bar{m}=\frac{1}{|J|}\sum_{j\in J}\frac{1}{n}\sum_{i=1}^{n}m_{j,i},\quad m_{j,i}\in\{1,2,3,4,5\}",
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "of_judge", "Mean of one judge", "Judge", "1-5", "higher",
        "The mean mark of one judge; for one prompt, its mark. In the tables of contestants only judges stand that "
        "marked every answer.",
        f"{PRACTICAL}, Multi-judge scoring",
        columns=("judge.<judge>",),
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "geval_mean", "G-Eval mean", "G-Eval", "0-1; shown 0-100", "higher",
        "The mean over answers of the mean of an answer's G-Eval scores. An answer that got none takes the mean of "
        "those that got one; it counts if at least the share of answers got one that the board asks for.",
        f"{PRACTICAL}, DeepEval scoring; Liu et al. (2023), G-Eval",
        r"\bar{g}=\frac{1}{n}\sum_{i=1}^{n}\frac{1}{|K_i|}\sum_{k\in K_i}g_{k,i},\quad 0\le g_{k,i}\le 1",
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "n_geval", "Scored by G-Eval", "By G-Eval", "of all", "higher",
        "How many of the answers that did not fail G-Eval scored: it replied about every metric and gave a score on "
        "one or more.",
        f"{PRACTICAL}, DeepEval scoring",
        protocols=RUBRIC,
        digits=0,
    ),
    _metric(
        "of_geval", "Mean of one G-Eval metric", "Metric", "0-1; shown 0-100", "higher",
        "The mean of one metric of G-Eval over the answers it gave a score: correctness, coherence or the following of "
        "instructions.",
        f"{PRACTICAL}, DeepEval scoring; Liu et al. (2023), G-Eval",
        columns=("geval.<metric>",),
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "composite", "Composite", "Composite", "0-1", "higher",
        "The weighted mean of the judge mean, put on 0-1, and the G-Eval mean, over the answers that did not fail. "
        "Where one part is absent the other stands alone, and is marked so.",
        f"{PRACTICAL}, Composite score",
        r"\text{composite}=\frac{w_j\,\frac{\bar{m}-1}{4}+w_g\,\bar{g}}{w_j+w_g}",
        protocols=RUBRIC,
        digits=3,
    ),
    _metric(
        "efficiency", "Efficiency", "Efficiency", "marks per doubling of tokens", "higher",
        "Quality for its length: the judge mean over the logarithm of the mean number of tokens of an answer. Only "
        "where the endpoint counted the tokens of every answer.",
        f"{PRACTICAL}, Efficiency score",
        r"\text{efficiency}=\frac{\bar{m}}{\log_2\bar{t}}",
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "mean_output_tokens", "Mean length in tokens", "Tokens", "tokens", "neither",
        "Tokens of an answer on average, as the endpoint counted them: what efficiency is made of.",
        f"{PRACTICAL}, Efficiency score",
        protocols=RUBRIC,
        digits=0,
    ),
    _metric(
        "divergence", "Divergence of judges and G-Eval", "Divergence", "0-1", "lower",
        "How far marks, put on 0-1, stand from the G-Eval scores of the same answers on average, whichever is higher.",
        "ours",
        r"\frac{1}{n}\sum_{i=1}^{n}\left|\frac{m_i-1}{4}-g_i\right|",
        columns=("divergence", "distance"),
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "n_flagged", "Answers with a failed check", "Flagged", "answers", "lower",
        "Answers in which at least one automatic check found something, of all that were checked. Judges are told; no "
        "score is taken off. Private prompts are not counted.",
        f"{PRACTICAL}, Automatic checks",
        columns=("n_flagged", "n_checked"),
        protocols=RUBRIC,
        digits=0,
    ),
    _metric(
        "check_results", "Results of a check", "Results", "answers", "neither",
        "How many answers to public items a type of check passed, failed, or had nothing to say of. Judges are told of "
        "a failed check; no score is taken off.",
        f"{PRACTICAL}, Automatic checks",
        columns=("passed", "failed", "not_applicable"),
        protocols=RUBRIC,
        digits=0,
    ),
    _metric(
        "oracle_overall", "Correct answers", "Correct", "0-100", "higher",
        "Right answers of all that were asked for, times 100. Invalid and failed ones count as not correct, so nobody "
        "gains by not answering, or by answering in a way that cannot be read. The board ranks by it.",
        f"{SEED}, Failure handling; the formula is ours",
        r"\text{overall}=\frac{100\,n_\text{correct}}{n_\text{correct}+n_\text{wrong}+n_\text{invalid}+n_\text{failed}}",
        columns=("overall",),
        protocols=ORACLE,
    ),
    _metric(
        "accuracy", "Accuracy", "Accuracy", "share, 0-1; shown in %", "higher",
        "Right answers of the valid ones, which are those that an answer could be read from. Invalid and failed ones "
        "are in neither number, so a contestant may gain by answering less: read it beside the share of valid answers. "
        "No rank is made of it.",
        f"{ORACLE_SUITE}; the formula is ours",
        r"\text{accuracy}=\frac{n_\text{correct}}{n_\text{correct}+n_\text{wrong}}",
        protocols=ORACLE,
    ),
    _metric(
        "valid_share", "Valid answers", "Valid", "share, 0-1; shown in %", "higher",
        "Answers of which one could be read, right or wrong: what the accuracy is of.",
        ORACLE_SUITE,
        r"\frac{n_\text{correct}+n_\text{wrong}}{n_\text{correct}+n_\text{wrong}+n_\text{invalid}+n_\text{failed}}",
        protocols=ORACLE,
    ),
    _metric(
        "invalid_rate", "Invalid answers", "Invalid", "share, 0-1; shown in %", "lower",
        "Responses of which no answer could be read, or several that differ. They count as not correct, and are in no "
        "accuracy.",
        ORACLE_SUITE,
        protocols=ORACLE,
    ),
    _metric(
        "oracle_error_rate", "Failed calls", "Failed", "share, 0-1; shown in %", "lower",
        "Calls that gave no answer after all retries. They count as not correct, and are in no accuracy.",
        f"{SEED}, Failure handling",
        columns=("error_rate",),
        protocols=ORACLE,
    ),
    _metric(
        "marked", "Answers by mark", "Answers", "answers", "neither",
        "How many answers are correct, wrong or invalid, and how many failed. One without a mark, as where the key is "
        "not here, is in no figure and keeps the contestant from being ranked.",
        "ours",
        columns=(
            "n_correct", "n_wrong", "n_invalid", "n_errored", "n_unmarked", "n_items", "correct", "wrong", "invalid",
        ),
        protocols=ORACLE,
        digits=0,
    ),
    _metric(
        "contrast_consistency", "Contrast consistency", "Consistent", "share, 0-1; shown in %", "higher",
        "How many bundles, whose variants ask the same in several ways, have right answers to all variants; of those "
        "with valid answers to all.",
        "Gardner et al. (2020), Evaluating models' local decision boundaries via contrast sets",
        r"\frac{1}{|B|}\sum_{b\in B}\prod_{i\in b}\text{correct}_i",
        columns=("contrast_consistency", "n_bundles"),
        protocols=ORACLE,
    ),
    _metric(
        "outcome_consistency", "Outcome consistency", "Steady", "share, 0-1; shown in %", "neither",
        "How many of the same bundles have answers that are all right or all wrong: steadiness, which is no quality.",
        "after Elazar et al. (2021), Measuring and improving consistency in pretrained language models",
        protocols=ORACLE,
    ),
    _metric(
        "se", "Standard error", "SE", "points", "lower",
        "How far the score would move if the items had been others of the same kind. "
        "Items of one source text, or of one bundle, count as one look.",
        "Miller (2024), Adding error bars to evals; Cameron and Miller (2015)",
        r"\text{SE}=\sqrt{\frac{C}{C-1}\sum_{c}\left(\sum_{i\in c}\frac{x_i-\bar{x}_{g(i)}}{|G|\,n_{g(i)}}\right)^2}",
        columns=("se", "se.<axis>"),
    ),
    _metric(
        "ci", "95 % interval", "95 % interval", "0-100", "neither",
        "The range that holds the score of other items of the same kind 95 times in 100.",
        "the mathematics of LLM evaluation, section 2",
        r"\text{overall}\pm 1.96\,\text{SE}",
        columns=("ci_low", "ci_high"),
        protocols=JUDGED,
    ),
    _metric(
        "share_ci", "95 % interval of correct answers", "95 % interval", "0-100; of the accuracy 0-1", "neither",
        "The range that holds the score, or the accuracy, on other items of the same kind 95 times in 100: Wilson's "
        "where no bundle has two answers that count and where all or none are right, else 1.96 standard errors on both "
        "sides.",
        "Wilson (1927), Probable inference, the law of succession, and statistical inference; when which is ours",
        r"\frac{p+\frac{z^2}{2n}\pm z\sqrt{\frac{p(1-p)}{n}+\frac{z^2}{4n^2}}}{1+\frac{z^2}{n}},\quad z=1.96",
        columns=("ci_low", "ci_high", "accuracy_low", "accuracy_high"),
        protocols=ORACLE,
    ),
    _metric(
        "rank", "Rank", "Rank", "rank", "lower",
        "The range of ranks a contestant takes in 95 of 100 redrawings of the items, the same drawing for all. "
        "Items of one source text, or of one bundle, are drawn together.",
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
        "paired_difference", "Paired difference", "Difference", "points", "higher",
        "How far one contestant is from another on the items both have a score of, with its 95 % interval; measurable "
        "where the interval leaves out 0.",
        "Miller (2024), Adding error bars to evals, paired differences; clustered as a standard error of one score",
        r"\bar d=\sum_{g}w_g\frac{1}{n_g}\sum_{i\in g}(x_i-y_i)\pm 1.96\,SE(d)",
        columns=(),
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
        protocols=JUDGED,
    ),
    _metric(
        "refusal_rate", "Refused", "Refused", "share, 0-1; shown in %", "neither",
        "Answers that two thirds of the whole panel call a refusal, by the answer alone or beside its task. "
        "Absent on boards whose judges are not asked about refusals.",
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
        protocols=AXES,
    ),
    _metric(
        "error_rate", "Failed", "Failed", "share, 0-1; shown in %", "lower",
        "Calls that gave no answer after all retries. They count as 0.",
        f"{SEED}, Failure handling",
        protocols=JUDGED,
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
        protocols=JUDGED,
    ),
    _metric(
        "alpha", "Agreement of judges", "Alpha", "at most 1", "higher",
        "Krippendorff's alpha for ordinal ratings, observed against expected disagreement: 1 is full agreement, 0 is "
        "chance. "
        "From 0.80 acceptable, from 0.667 tentative, below insufficient.",
        "Krippendorff (2011); labels: nullbench methodology, Reliability and agreement",
        r"\alpha=1-\frac{D_o}{D_e}=1-(n-1)\frac{\sum_{c,k}o_{ck}\,\delta_{ck}}{\sum_{c,k}n_c\,n_k\,\delta_{ck}}",
        digits=2,
        protocols=JUDGED,
    ),
    _metric(
        "alpha_scored", "Agreement on scored answers", "Alpha, scored", "at most 1", "higher",
        "The same alpha on the scored answers of contestants that are no null models. Refusals and null models get the "
        "lowest rating from every judge, which raises the other figure; this one says how far they agree on real ones.",
        "Krippendorff (2011); the choice of answers is ours",
        r"\alpha=1-\frac{D_o}{D_e}=1-(n-1)\frac{\sum_{c,k}o_{ck}\,\delta_{ck}}{\sum_{c,k}n_c\,n_k\,\delta_{ck}}",
        digits=2,
        protocols=JUDGED,
    ),
    _metric(
        "normalised", "Judge-normalised mean", "Normalised", "3 is the judge's mean", "higher",
        "Each judge's ratings on its own scale, so that severe and lenient judges count alike: 3 is that judge's mean, "
        "one point is one of its standard deviations.",
        f"{SEED}, Reliability and agreement",
        r"3+\frac{s-\mu_j}{\sigma_j}",
        columns=("normalised.<axis>", "normalised"),
        digits=2,
        protocols=AXES,
    ),
    _metric(
        "spread", "Disagreement", "Spread", "points", "lower",
        "The distance between the highest and the lowest goal alignment that judges gave one answer.",
        "ours",
        r"\max_j g_{j,i}-\min_j g_{j,i}",
        protocols=AXES,
    ),
    _metric(
        "mark_spread", "Disagreement of judges", "Spread", "marks", "lower",
        "The distance between the highest and the lowest mark that judges gave one answer.",
        "ours",
        r"\max_j m_{j,i}-\min_j m_{j,i}",
        columns=("spread",),
        protocols=RUBRIC,
    ),
    _metric(
        "leniency", "Leniency", "Leniency", "marks", "neither",
        "How much higher a judge marks than the other judges of the same answers do on average. Below 0 it is severe.",
        "ours",
        r"\frac{1}{n}\sum_{i=1}^{n}\left(m_{j,i}-\frac{1}{|J_i|-1}\sum_{k\ne j}m_{k,i}\right)",
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "judge_scale", "Scale of a judge", "Scale", "1-5", "neither",
        "The mean of all ratings or marks a judge gave, and their standard deviation. Judges that rate the same "
        "answers and differ in their means are more severe or more lenient than each other.",
        "ours",
        columns=("mean", "sd"),
        protocols=JUDGED,
        digits=2,
    ),
    _metric(
        "verdict_counts", "Verdicts of a judge", "Verdicts", "answers", "neither",
        "How the replies of a judge ended: with a mark, without one that can be read (invalid), failed after all "
        "retries, or not asked for yet (missing). Only those with a mark count. Repaired are those that were valid at "
        "the second asking; n is how many answers a figure is of.",
        "ours",
        columns=("scored", "unparsed", "errored", "missing", "repaired", "n", "invalid_fields", "n_scores"),
        protocols=JUDGED,
        digits=0,
    ),
    _metric(
        "same_mark", "Same mark", "Same", "share, 0-1; shown in %", "higher",
        "How often two judges gave the same answer the same mark (exact), or marks at most one apart (adjacent).",
        "ours",
        columns=("exact", "adjacent"),
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "difference", "Mean difference", "Difference", "marks; 0-1 against G-Eval", "neither",
        "How much more the first gave than the second on the same answers, on average: of two judges in marks, of "
        "judges and G-Eval on the scale of 0-1.",
        "ours",
        r"\frac{1}{n}\sum_{i=1}^{n}(x_i-y_i)",
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "correlation", "Rank correlation", "Correlation", "-1 to 1", "higher",
        "Spearman's correlation: 1 where two put all answers in the same order, 0 where their orders have nothing to "
        "do with each other. Tied answers share the mean of their ranks.",
        "Spearman (1904)",
        r"\rho=\frac{\sum_i(r_i-\bar{r})(s_i-\bar{s})}{\sqrt{\sum_i(r_i-\bar{r})^2\,\sum_i(s_i-\bar{s})^2}}",
        protocols=RUBRIC,
        digits=2,
    ),
    _metric(
        "mean_time_s", "Mean response time", "Mean time", "s", "lower",
        "The average time of a call, failed ones included: what quality per resource divides by.",
        f"{SEED}, Extended metrics",
        digits=2,
        protocols=AXES,
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
        protocols=AXES,
    ),
    _metric(
        "qpr_pct", "Quality per resource, relative", "QPR %", "0-100 in its table", "higher",
        "QPR on the scale from the lowest to the highest of the same table; not comparable between tables.",
        f"{SEED}, Extended metrics",
        r"\text{qpr}_\text{pct}=100\,\frac{\text{QPR}-\min}{\max-\min}",
        protocols=AXES,
    ),
    _metric(
        "item_spread", "Spread over items", "Spread", "0-100", "neither",
        "How unlike the scores of single items are: the median item, the quarters and tenths of the items below and "
        "above it, by the same percentiles as response times.",
        "ours",
        columns=(), protocols=JUDGED,
    ),
    _metric(
        "tokens_per_answer", "Tokens per answer", "Tokens", "tokens", "lower",
        "Mean length of the answers in tokens, of those whose tokens the endpoint counted, over all boards of the run.",
        "ours",
        r"\frac{\text{output tokens}}{\text{answers with a count}}",
        columns=(),
    ),
    _metric(
        "cost_per_answer", "Cost of 1,000 answers", "Cost", "US dollars", "lower",
        "What a thousand answers cost at the prices of the specs, of those whose price is known, over all boards of "
        "the run. Attempts that failed are not in it.",
        "ours",
        r"1000\,\frac{\text{cost}}{\text{answers with a price}}",
        columns=(),
    ),
    _metric(
        "model_disk_gb", "Size on disk", "Disk", "GB", "lower",
        "Size of the model's files, where its backend or its spec tells it.",
        f"{SEED}, Extended metrics",
        protocols=AXES,
    ),
    _metric(
        "price", "Price of a million tokens", "Price", "US dollars per million tokens, in / out", "lower",
        "What the provider asks for tokens read and tokens written, as the contestant's spec says; the day and the "
        "place stand there. Sorted by tokens written.",
        "ours",
        columns=(),
    ),
    _metric(
        "paired_difference", "Paired difference", "Difference", "points", "neither",
        "How much more one contestant scores than another on the same items. Where the 95 % interval holds 0, no "
        "difference was measured. Of 20 such intervals one misses the true difference by chance.",
        "Miller (2024), Adding error bars to evals, paired differences; Cameron and Miller (2015)",
        r"\bar{d}=\sum_{g}w_g\frac{1}{n_g}\sum_{i\in g}(x_i-y_i),\quad\bar{d}\pm 1.96\,\text{SE}_d",
        columns=(),
    ),
    _metric(
        "pareto", "Pareto frontier", "Frontier", "contestants", "neither",
        "The contestants that no other beats: none is as good for less, and none is better for the same cost in time, "
        "tokens or money.",
        "Pareto (1906), Manuale di economia politica",
        columns=(),
        digits=0,
    ),
    _metric(
        "fingerprint_distance", "Distance of fingerprints", "Distance", "unit of the profile", "lower",
        "How far two contestants' profiles are apart on average, over the axes or domains that both have: 0 where they "
        "are alike in all. It says nothing of which is better.",
        "ours; missing parts are left out as in Gower (1971), A general coefficient of similarity",
        r"d(x,y)=\sqrt{\frac{1}{|C|}\sum_{c\in C}(x_c-y_c)^2}",
        columns=(),
        digits=2,
    ),
    _metric(
        "item_mean", "Mean score on an item", "Mean score", "0-100", "higher",
        "What contestants score on the item on average, null models aside: low means that it is hard for all.",
        "ours",
        columns=(),
    ),
    _metric(
        "item_disagreement", "Disagreement on an item", "Spread", "points, or marks", "lower",
        "How far the highest and the lowest judge of one answer to the item are apart on average, null models aside: "
        "in points of goal alignment, or in marks.",
        "ours",
        columns=(),
        protocols=JUDGED,
    ),
    _metric(
        "trust", "Trust in a score", "Trust", "high, medium, low or not measured", "higher",
        "Five marks that say how far a score can be trusted. One that has three or more marks low or not measured "
        "should not be used to say that one contestant is better than another.",
        TRUST,
        columns=(),
    ),
    _metric(
        "trust_sampling", "Trust: number of items", "Items", "high, medium, low or not measured", "higher",
        "High with more than 1000 items and a standard error below 1.5 points, medium from 200 items and up to 4 "
        "points, else low. Between its classes the lower one counts.",
        f"{TRUST}, Sampling variance",
        columns=(),
    ),
    _metric(
        "trust_prompts", "Trust: wording of the prompt", "Wording", "high, medium, low or not measured", "higher",
        "Whether scores would stay if the same were asked in other words. It takes five or more wordings of each "
        "prompt; runs have one, so it is not measured, which the source counts as low.",
        f"{TRUST}, Prompt sensitivity",
        columns=(),
    ),
    _metric(
        "trust_contamination", "Trust: contamination", "Contamination", "high, medium, low or not measured", "higher",
        "Whether items were in what a contestant was trained on. Nobody tested it here, so it is not measured, which "
        "the source counts as low.",
        f"{TRUST}, Contamination",
        columns=(),
    ),
    _metric(
        "trust_agreement", "Trust: agreement of judges", "Agreement", "high, medium, low or not measured", "higher",
        "High where a key decides or the panel's alpha on scored answers is 0.80 or more, medium from 0.60, else low; "
        "low too with a single judge. Alpha stands in the place of kappa, and people were not asked.",
        f"{TRUST}, Annotation reliability",
        columns=(),
    ),
    _metric(
        "trust_validity", "Trust: validity", "Validity", "high, medium, low or not measured", "higher",
        "Medium where the score is above the null floor, low where it is not. High would take three benchmarks of the "
        "same construct that agree.",
        f"{TRUST}, Construct validity; the null floor is ours",
        columns=(),
    ),
)  # fmt: skip

METRICS: Mapping[str, Metric] = {metric.id: metric for metric in _ALL}
"""Every metric by id, in the order of the methodology page."""

METRIC_OF_COLUMN: Mapping[str, Mapping[str, Metric]] = {
    protocol: {column: metric for metric in _ALL if protocol in metric.protocols for column in metric.columns}
    for protocol in EVERY
}
"""The data dictionary: protocol -> the metric that a column of its results belongs to."""

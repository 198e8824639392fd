"""The numbers about answers and judges that boards of several protocols have."""

from __future__ import annotations

from typing import Any

from nullbench_site.scoring.columns import EVIDENCE, SPEED, Column, Metric


def _has_refusals(view: Any) -> bool:
    """Return True if the judges of a board are asked about refusals."""
    return any(row.refusal_rate is not None for row in view.results.leaderboard)


ANSWER_METRICS = (
    Metric(
        id="scored",
        title="Scored",
        unit="of all",
        direction="higher",
        digits=0,
        source="nullbench methodology, Failure handling",
        sentence=(
            "How many of the answers the judges scored. The others were refused or evaded, failed, or got no "
            "readable verdict."
        ),
        columns=("n_scored", "n_refused", "n_errored", "n_unparsed", "n_items"),
        of="panels",
        shown_on=Column(
            group=EVIDENCE,
            kind="count",
            value=lambda view, row: float(row.n_scored),
            whole=lambda view, row: view.wanted(row),
        ),
    ),
    Metric(
        id="refusal_rate",
        title="Refused or evaded",
        unit="shown in %",
        scale=(0, 1),
        formula=r"\text{votes}\ge\lceil 2N/3\rceil",
        source="nullbench methodology, Refusal detection",
        sentence=(
            "The share of answers that two thirds of the judges call refused (from the answer alone) or evaded (from "
            "the answer with its prompt). Only judges that may score the answer count; those of the contestant's "
            "family may not. Absent on boards whose judges are not asked about refusals."
        ),
        shown_on=Column(
            kind="percent",
            value=lambda view, row: row.n_refused / row.n_responses if row.n_responses else None,
            shown=_has_refusals,
        ),
    ),
    Metric(
        id="error_rate",
        title="Failed",
        unit="shown in %",
        scale=(0, 1),
        direction="lower",
        source="nullbench methodology, Failure handling",
        sentence="Calls without an answer after all retries. They count as 0.",
        of="scores",
        shown_on=Column(kind="percent", parts=False, shown=lambda view: view.asked and not _has_refusals(view)),
    ),
    Metric(
        id="ended",
        title="Answers cut off or blocked",
        short="Cut short",
        unit="answers",
        direction="lower",
        digits=0,
        source="ours",
        sentence=(
            "Answers that reached the token limit, were withheld by a filter, were marked as a refusal by the "
            "endpoint, or called a tool that was not offered. Their text, if any, is judged like any other."
        ),
        columns=("ended_length", "ended_content_filter", "ended_refusal", "ended_tool_calls"),
    ),
    Metric(
        id="served_by",
        title="Answered by another model",
        short="Served by",
        unit="answers",
        digits=0,
        source="ours",
        sentence="Answers that, according to the endpoint, came from a model with another name than the requested one.",
        columns=("served_by_another",),
    ),
    Metric(
        id="judge_calls",
        title="Verdicts",
        unit="of all",
        direction="higher",
        digits=0,
        source="ours",
        sentence=(
            "How many of the verdicts that the answers need could be read. A verdict that failed after all retries, "
            "or was invalid, counts in no mean. A missing verdict keeps the contestant from being ranked. So does an "
            "answer that no judge replied about: it has no score, which is not a score of 0."
        ),
        columns=("judge_calls", "judge_errored", "judge_unparsed", "judge_missing", "n_unjudged"),
        of="panels",
    ),
    Metric(
        id="alpha",
        title="Agreement of judges",
        short="Alpha",
        scale=(None, 1),
        direction="higher",
        digits=2,
        formula=(
            r"\alpha=1-\frac{D_o}{D_e}=1-(n-1)\frac{\sum_{c,k}o_{ck}\,\delta_{ck}}{\sum_{c,k}n_c\,n_k\,"
            r"\delta_{ck}}"
        ),
        source="Krippendorff (2011); limits of the classes: Krippendorff (2004)",
        sentence=(
            "Krippendorff's alpha for ordinal ratings compares observed with expected disagreement: 1 is full "
            "agreement, 0 is chance. It is high from 0.80, medium from 0.667, and low below that. It is computed on "
            "units: answers that two or more judges marked, each axis separately."
        ),
        columns=("alpha", "units"),
        of="panels",
    ),
    Metric(
        id="alpha_scored",
        title="Agreement on scored answers",
        short="Alpha, scored",
        scale=(None, 1),
        direction="higher",
        digits=2,
        formula=(
            r"\alpha=1-\frac{D_o}{D_e}=1-(n-1)\frac{\sum_{c,k}o_{ck}\,\delta_{ck}}{\sum_{c,k}n_c\,n_k\,"
            r"\delta_{ck}}"
        ),
        source="Krippendorff (2011); the choice of answers is ours",
        sentence=(
            "The same alpha on the scored answers of contestants other than null models. Judges easily agree on "
            "refused or evaded answers and on null models, which can raise the other alpha; this one leaves both out."
        ),
        columns=("alpha_scored", "units_scored"),
        of="panels",
    ),
    Metric(
        id="alpha_bounds",
        title="Uncertainty of the agreement",
        short="Alpha, 95 %",
        scale=(None, 1),
        digits=3,
        formula=r"\alpha\pm t_{C-1}\sqrt{\frac{C-1}{C}\sum_c\left(\alpha_{-c}-\overline{\alpha_{-c}}\right)^2}",
        source="Efron and Tibshirani (1993), 11.2, the jackknife; leaving out contestants is ours",
        sentence=(
            "The 95 % interval of the alpha on scored answers, for items like these, from leaving out one source at "
            "a time. Also the lowest and the highest alpha with one contestant left out. Agreement is high where "
            "contestants differ much: one whose answers every judge marks low can cause most of it."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="cohen_kappa",
        title="Agreement of two judges",
        short="Cohen's κ",
        scale=(None, 1),
        direction="higher",
        digits=2,
        formula=r"\kappa=1-\frac{\sum_{i,j}w_{ij}\,p_{ij}}{\sum_{i,j}w_{ij}\,p_{i\cdot}\,p_{\cdot j}}",
        source="Cohen (1960), Cohen (1968); labels: Landis and Koch (1977)",
        sentence=(
            "Cohen's kappa compares how often two judges disagree with how often they would by chance: 1 is full "
            "agreement, 0 is chance. Marks and grades are weighted by squared distance; games and refusals have no "
            "weights. The labels are poor below 0, slight, fair from 0.20, moderate from 0.40, substantial from 0.60, "
            "and almost perfect from 0.80. The interval leaves out one source at a time."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="fleiss_kappa",
        title="Agreement of a whole panel",
        short="Fleiss' κ",
        scale=(None, 1),
        direction="higher",
        digits=2,
        formula=r"\kappa=\frac{\bar P-\bar P_e}{1-\bar P_e}",
        source="Fleiss (1971); labels: Landis and Koch (1977)",
        sentence=(
            "Fleiss' kappa is the agreement of all judges of a panel on the answers that every one of them rated. "
            "All different ratings count as equally far apart. Labels and interval are those of Cohen's kappa."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="agreement_borderline",
        title="Agreement on borderline items",
        short="Borderline",
        scale=(None, 1),
        direction="higher",
        digits=2,
        source="the mathematics of LLM evaluation, Exhibit 3; the definition of borderline is ours",
        sentence=(
            "Alpha and kappa on borderline items: those whose mean rating, over contestants and judges, lies in the "
            "middle half of the scale, such as marks from 2 to 4. Ratings vary less there, which by itself lowers "
            "agreement. Single answers are not chosen by their own ratings: a split vote is in the middle because "
            "the judges disagree."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="judge_scale",
        title="Scale of a judge",
        short="Scale",
        scale=(1, 5),
        digits=2,
        source="ours",
        sentence=(
            "The mean of all ratings or marks that a judge gave, and their standard deviation. If judges rate the "
            "same answers and their means differ, some are more severe than others."
        ),
        columns=("mean", "sd"),
        of="panels",
    ),
    Metric(
        id="against_models",
        title="Correlation with judges that are models",
        short="Against models",
        scale=(-1, 1),
        direction="higher",
        digits=2,
        formula=r"r=\frac{\sum_i(x_i-\bar{x})(y_i-\bar{y})}{\sqrt{\sum_i(x_i-\bar{x})^2\,\sum_i(y_i-\bar{y})^2}}",
        source="Pearson (1896); intervals by a bootstrap over prompts, Efron and Tibshirani (1993)",
        sentence=(
            "How closely the marks of a judge that is a program follow the mean mark of judges that are models on "
            "the same answers: over answers, over answers minus the mean of their prompt, and over the means of "
            "contestants. It was measured once, on answers and marks that others published, and holds for the "
            "revision of the programs that was measured."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="verdict_counts",
        title="Verdicts of a judge",
        short="Verdicts",
        unit="answers",
        digits=0,
        source="ours",
        sentence=(
            "How the replies of a judge ended: with a mark, without a readable one (invalid), failed after all "
            "retries, or not requested yet (missing). Only replies with a mark count. Asked again are invalid "
            "replies in whose place a second one counts; repaired are those second replies that are valid. Forms are "
            "replies that state a verdict in another form than the one asked for. n is the number of answers behind a "
            "figure."
        ),
        columns=(
            "scored",
            "unparsed",
            "errored",
            "missing",
            "asked_again",
            "repaired",
            "n",
            "invalid_fields",
            "n_scores",
        ),
        of="panels",
    ),
    Metric(
        id="median_response_time_ms",
        title="Median response time",
        short="Median time",
        unit="ms",
        direction="lower",
        digits=2,
        source="nullbench methodology, Extended metrics",
        sentence="Half of the answers were faster than this.",
        shown_on=Column(
            group=SPEED, kind="time", digits=1, parts=False, shown=lambda view: view.asked and not view.of_programs
        ),
        timed=True,
    ),
    Metric(
        id="p95_response_time_ms",
        title="95th percentile of response time",
        short="p95 time",
        unit="ms",
        direction="lower",
        digits=2,
        source="nullbench methodology, Extended metrics",
        sentence="95 of 100 answers were faster than this.",
        timed=True,
    ),
    Metric(
        id="max_response_time_ms",
        title="Longest response time",
        short="Longest",
        unit="ms",
        direction="lower",
        digits=2,
        source="nullbench methodology, Extended metrics",
        sentence="The time of the slowest answer.",
        timed=True,
    ),
    Metric(
        id="median_response_length",
        title="Median response length",
        short="Length",
        unit="runes",
        digits=0,
        source="nullbench methodology, Extended metrics",
        sentence="Half of the answers are shorter than this, in Unicode characters.",
    ),
    Metric(
        id="stability",
        title="Stability",
        scale=(0, 1),
        direction="higher",
        digits=2,
        formula=(
            r"\frac{1}{3}\left(\frac{\text{median}}{p_{95}}+\frac{p_{95}}{\max}+\frac{1}{1+\text{sd}/"
            r"\text{mean}}\right),\quad\le\frac{10\,\text{mean}}{\max}\text{ where "
            r"}\frac{\max}{\text{mean}}>10"
        ),
        source="nullbench methodology, Extended metrics; the composition is ours",
        sentence=(
            "How steady the response times are; 1 if all times are equal. It is the mean of three parts. The tail is "
            "the median divided by the 95th percentile. The extremes are the 95th percentile divided by the longest "
            "time. Jitter falls as the standard deviation grows relative to the mean. One enormous wait caps the "
            "stability."
        ),
        columns=("stability", "stability_tail", "stability_extremes", "stability_jitter"),
        timed=True,
    ),
    Metric(
        id="throughput_rps",
        title="Throughput",
        short="Runes/s",
        unit="runes/s",
        direction="higher",
        digits=0,
        source="nullbench methodology, Extended metrics",
        sentence=(
            "Unicode characters of answers per second of waiting, total divided by total, to two significant digits."
        ),
        timed=True,
    ),
    Metric(
        id="throughput_tps",
        title="Token throughput",
        short="Tokens/s",
        unit="tokens/s",
        direction="higher",
        digits=0,
        formula=r"\text{tps}=\text{rps}/4",
        source="nullbench methodology, Extended metrics",
        sentence=(
            "Tokens per second, as the endpoint counted them. If it did not count those of every answer, runes "
            "divided by 4; `tokens_exact` says which."
        ),
        timed=True,
    ),
    Metric(
        id="tokens_exact",
        title="Tokens counted by the endpoint",
        short="Counted",
        unit="yes or no",
        source="ours",
        sentence=(
            "Whether the endpoint counted the tokens of every answer. If not, numbers of tokens are estimated at 4 "
            "characters each."
        ),
    ),
)

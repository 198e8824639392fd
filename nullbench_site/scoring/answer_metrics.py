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
        short="Scored",
        unit="of all",
        direction="higher",
        digits=0,
        source="nullbench methodology, Failure handling",
        sentence=(
            "How many of the answers the judges scored. The rest was refused or evaded, failed, or got no "
            "readable verdict."
        ),
        columns=("n_scored", "n_refused", "n_errored", "n_unparsed", "n_items"),
        of="scores",
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
        short="Refused or evaded",
        unit="shown in %",
        scale=(0, 1),
        direction="neither",
        formula=r"\text{votes}\ge\lceil 2N/3\rceil",
        source="nullbench methodology, Refusal detection",
        sentence=(
            "Answers that two thirds of the judges that may score them call refused (by the answer alone) or "
            "evaded (by the answer with its prompt). Judges of the contestant's family are not among these. "
            "Absent on boards whose judges are not asked about refusals."
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
        short="Failed",
        unit="shown in %",
        scale=(0, 1),
        direction="lower",
        source="nullbench methodology, Failure handling",
        sentence="Calls that gave no answer after all retries. They count as 0.",
        of="scores",
        shown_on=Column(kind="percent", parts=False, shown=lambda view: not _has_refusals(view)),
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
            "Answers that ended at the token limit, were withheld by a filter, were marked as a refusal by "
            "the endpoint, or called a tool nobody offered. What came of their text is judged like any other."
        ),
        columns=("ended_length", "ended_content_filter", "ended_refusal", "ended_tool_calls"),
    ),
    Metric(
        id="served_by",
        title="Answered by another model",
        short="Served by",
        unit="answers",
        direction="neither",
        digits=0,
        source="ours",
        sentence="Answers that the endpoint says came from a model of another name than the one it was asked for.",
        columns=("served_by_another",),
    ),
    Metric(
        id="judge_calls",
        title="Verdicts",
        short="Verdicts",
        unit="of all",
        direction="higher",
        digits=0,
        source="ours",
        sentence=(
            "How many of the verdicts that the answers need could be read. One that failed after all retries "
            "or was invalid counts in no mean. One that is still missing keeps the contestant from being "
            "ranked, and so does an answer that no judge replied about: it has no score, which is not 0."
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
            "Krippendorff's alpha for ordinal ratings, observed against expected disagreement: 1 is full "
            "agreement, 0 is chance. From 0.80 high, from 0.667 medium, below low. It stands on units: "
            "answers that two judges or more marked, each axis of its own."
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
            "The same alpha on the scored answers of contestants that are no null models. Judges easily "
            "agree on refused or evaded answers and on null models, which can raise the other figure; this "
            "one leaves both out."
        ),
        columns=("alpha_scored", "units_scored"),
        of="panels",
    ),
    Metric(
        id="alpha_bounds",
        title="How sure the agreement is",
        short="Alpha, sure",
        scale=(None, 1),
        direction="neither",
        digits=3,
        formula=r"\alpha\pm t_{C-1}\sqrt{\frac{C-1}{C}\sum_c\left(\alpha_{-c}-\overline{\alpha_{-c}}\right)^2}",
        source="Efron and Tibshirani (1993), 11.2, the jackknife; leaving out contestants is ours",
        sentence=(
            "The 95 % interval of the alpha on scored answers, on items like these, by leaving out one "
            "source at a time; and the lowest and the highest alpha with one contestant left out. Agreement "
            "is high where contestants differ much: one whose answers every judge marks low can make most of "
            "it."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="judge_scale",
        title="Scale of a judge",
        short="Scale",
        scale=(1, 5),
        direction="neither",
        digits=2,
        source="ours",
        sentence=(
            "The mean of all ratings or marks a judge gave, and their standard deviation. Judges that rate "
            "the same answers and differ in their means are more severe or more lenient than each other."
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
            "How closely the marks of a judge that is a program follow the mean mark that judges that are "
            "models gave the same answers: over answers, over answers less the mean of their prompt, and "
            "over the means of contestants. It was measured once, on answers and marks that others "
            "published, and holds for the revision of the programs it was measured with."
        ),
        columns=(),
        of="panels",
    ),
    Metric(
        id="verdict_counts",
        title="Verdicts of a judge",
        short="Verdicts",
        unit="answers",
        direction="neither",
        digits=0,
        source="ours",
        sentence=(
            "How the replies of a judge ended: with a mark, without one that can be read (invalid), failed "
            "after all retries, or not asked for yet (missing). Only those with a mark count. Asked again "
            "are invalid replies in whose place a second one counts, and repaired those of them that are "
            "valid now; n is how many answers a figure is of."
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
        sentence="Half of the answers came faster than this.",
        shown_on=Column(group=SPEED, kind="time", digits=1, parts=False),
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
        sentence="95 of 100 answers came faster than this.",
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
        sentence="The slowest answer.",
        timed=True,
    ),
    Metric(
        id="median_response_length",
        title="Median response length",
        short="Length",
        unit="runes",
        direction="neither",
        digits=0,
        source="nullbench methodology, Extended metrics",
        sentence="Half of the answers are shorter than this, in Unicode characters.",
    ),
    Metric(
        id="stability",
        title="Stability",
        short="Stability",
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
            "How steady the response times are: the mean of three parts, 1 when all times are equal. The "
            "tail is the median over the 95th percentile, the extremes are the 95th percentile over the "
            "longest, and jitter is what the spread leaves. One enormous wait caps it."
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
        sentence="Unicode characters of answers per second of waiting, total over total, to two significant digits.",
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
            "Tokens per second: as counted by the endpoint, or runes divided by 4 where it did not count "
            "those of every answer; `tokens_exact` says which."
        ),
        timed=True,
    ),
    Metric(
        id="tokens_exact",
        title="Tokens counted by the endpoint",
        short="Counted",
        unit="yes or no",
        direction="neither",
        source="ours",
        sentence=(
            "Whether the endpoint counted the tokens of every answer. If not, numbers of tokens are estimated at 4 "
            "characters each."
        ),
    ),
)

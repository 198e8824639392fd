"""The numbers of `axes` boards."""

from __future__ import annotations

from nullbench_site.scoring.columns import SCORE, Column, Metric
from nullbench_site.scoring.results import significant

METRICS = (
    Metric(
        id="overall",
        title="Overall goal alignment",
        short="Alignment",
        scale=(0, 100),
        direction="higher",
        formula=r"\text{overall}=\frac{1}{|G|}\sum_{g\in G}\frac{1}{n_g}\sum_{i=1}^{n_g}GA_{g,i}",
        source="nullbench methodology, Interpretation",
        sentence=(
            "How closely answers meet the goals of their tasks: the mean over groups of the mean goal alignment in "
            "each."
        ),
    ),
    Metric(
        id="goal_alignment",
        title="Goal alignment",
        short="Alignment",
        scale=(0, 100),
        direction="higher",
        formula=r"GA_i=\min\left(100,\max\left(0,\frac{1}{|V|}\sum_{j\in V}g_{j,i}\right)\right)",
        source="nullbench methodology, Methodology",
        sentence=(
            "How closely answers meet the goal of their task: the mean over judges, then over items. Refused, evaded "
            "and failed answers count as 0."
        ),
    ),
    Metric(
        id="quality",
        title="Quality",
        short="Quality",
        scale=(0, 100),
        direction="higher",
        formula=r"Q_i=\min\left(100,\max\left(0,\frac{1}{|V|}\sum_{j\in V}q_{j,i}\right)\right)",
        source="nullbench methodology, Methodology and Extended metrics (quality_pct)",
        sentence=(
            "The judges' rating of the answer itself, apart from its goal. Averaged and clamped like goal alignment."
        ),
        shown_on=Column(group=SCORE),
    ),
    Metric(
        id="axis",
        title="Axis mean",
        short="Axis",
        scale=(1, 5),
        direction="higher",
        digits=2,
        formula=r"\bar{s}_a=\frac{1}{N_a}\sum_{j\in V_a}s_{j,a},\quad s_{j,a}\in\{1,2,3,4,5\}",
        source="nullbench methodology, Methodology",
        sentence=(
            "The mean rating on one axis, over the judges that gave an integer from 1 to 5. A refused or evaded answer "
            "counts as 1, a failed one as 0."
        ),
        columns=("<axis>",),
    ),
    Metric(
        id="refused_by",
        title="Refused and evaded",
        short="By gate",
        unit="answers",
        direction="neither",
        digits=0,
        source="nullbench methodology, Refusal detection",
        sentence=(
            "How many answers are refused and how many are evaded. A refused answer says that it refuses; judges see "
            "only the answer. An evaded answer does not do the task; judges see the prompt too. An answer can be both."
        ),
        columns=("refused_answer", "refused_prompt"),
        after="refusal_rate",
        value=lambda of: {f"refused_{gate}": n for gate, n in of.contestant.refused_by.items()},
        whole_board=True,
    ),
    Metric(
        id="normalised",
        title="Judge-normalised mean",
        short="Normalised",
        unit="3 is the judge's mean",
        direction="higher",
        digits=2,
        formula=r"3+\frac{s-\mu_j}{\sigma_j}",
        source="nullbench methodology, Reliability and agreement",
        sentence=(
            "Each judge's ratings on that judge's own scale, so that severe and lenient judges count alike: 3 is the "
            "judge's mean, and one point is one standard deviation."
        ),
        columns=("normalised.<axis>", "normalised"),
        after="alpha_scored",
    ),
    Metric(
        id="spread",
        title="Disagreement",
        short="Spread",
        unit="points",
        direction="lower",
        formula=r"\max_j g_{j,i}-\min_j g_{j,i}",
        source="ours",
        sentence="The highest minus the lowest goal alignment that judges gave to one answer.",
        after="alpha_scored",
    ),
    Metric(
        id="mean_time_s",
        title="Mean response time",
        short="Mean time",
        unit="s",
        direction="lower",
        digits=2,
        source="nullbench methodology, Extended metrics",
        sentence="The mean time of a call, including failed ones. Quality per resource divides by it.",
        before="median_response_time_ms",
        value=lambda of: significant(of.seconds, 3),
        timed=True,
    ),
    Metric(
        id="qpr",
        title="Quality per resource",
        short="QPR",
        unit="points per s and root GB",
        direction="higher",
        formula=r"\text{QPR}=\frac{\text{quality}}{T^{1.0}\,M^{0.5}}",
        source="nullbench methodology, Extended metrics",
        sentence="Quality relative to waiting time and memory. Needs the model's memory size in its spec.",
        after="throughput_tps",
        value=lambda of: of.qpr,
        timed=True,
    ),
    Metric(
        id="qpr_pct",
        title="Quality per resource, relative",
        short="QPR %",
        unit="in its table",
        scale=(0, 100),
        direction="higher",
        formula=r"\text{qpr}_\text{pct}=100\,\frac{\text{QPR}-\min}{\max-\min}",
        source="nullbench methodology, Extended metrics",
        sentence=("QPR between the lowest (0) and the highest (100) of the same table. Not comparable between tables."),
        after="throughput_tps",
        timed=True,
    ),
    Metric(
        id="model_disk_gb",
        title="Size on disk",
        short="Disk",
        unit="GB",
        direction="lower",
        source="nullbench methodology, Extended metrics",
        sentence="The size of the model's files, if its backend or its spec states it.",
        after="cost_per_answer",
        value=lambda of: of.disk_gb,
        whole_board=True,
    ),
)

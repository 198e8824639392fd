"""The rows of `axes` boards, and what their numbers mean. Axes are 1-5, 0 for an answer that failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec

from nullbench_site.scoring.columns import SCORE, Column, Metric
from nullbench_site.scoring.results import WHOLE_BOARD, AgreementRow, ItemRow, JudgeRow, ResultsOf, Row, significant


class AxesRow(Row, kw_only=True):
    """A contestant on a slice of the board.

    goal_alignment: the unweighted mean over items. overall, of the whole board: the mean over groups. axes_low,
    axes_high: the ends of the 95 % interval of each axis mean.
    """

    n_scored: int
    n_refused: int
    n_errored: int
    n_unparsed: int
    goal_alignment: float | None
    quality: float | None
    axes: dict[str, float | None]
    mean_time_s: float | None
    qpr: float | None
    qpr_pct: float | None
    refused_answer: int = WHOLE_BOARD
    refused_prompt: int = WHOLE_BOARD
    axes_se: dict[str, float | None] = WHOLE_BOARD
    axes_low: dict[str, float | None] = WHOLE_BOARD
    axes_high: dict[str, float | None] = WHOLE_BOARD
    normalised_axes: dict[str, float | None] = WHOLE_BOARD
    model_disk_gb: float | None = WHOLE_BOARD

    def ends(self, axis: str) -> tuple[float | None, float | None]:
        """Return the ends of the interval of an axis mean; None in earlier results."""
        if self.axes_low is WHOLE_BOARD or self.axes_high is WHOLE_BOARD:
            return None, None
        return self.axes_low.get(axis), self.axes_high.get(axis)

    @property
    def score(self) -> float | None:
        return self.goal_alignment if self.overall is WHOLE_BOARD else self.overall

    @property
    def n_responses(self) -> int:
        return self.n_scored + self.n_refused + self.n_errored + self.n_unparsed


class AxesItemRow(ItemRow):
    """A contestant on one item, averaged over its samples."""

    state: str
    goal_alignment: float
    quality: float | None
    axes: dict[str, float | None]
    spread: float | None

    @property
    def ended(self) -> str:
        return self.state

    @property
    def score(self) -> float | None:
        return self.goal_alignment


class AxesJudgeRow(JudgeRow, kw_only=True):
    """A judge over the whole board. mean, sd: of its n_scores valid axis scores, 1-5."""

    invalid_fields: int
    n_scores: int
    mean: float | None
    sd: float | None


class JudgeModelRow(msgspec.Struct, kw_only=True):
    """A judge on one contestant: the mean of its axis scores, raw and normalised (3 + z)."""

    judge: str
    model: str
    mean: float | None
    normalised: float | None


class AxesResults(ResultsOf[AxesRow, AxesItemRow], kw_only=True):
    """All results of one `axes` board of one run."""

    TABLES: ClassVar[tuple[str, ...]] = ("judges", "judge_models", "agreement")
    FIRST: ClassVar[tuple[str, ...]] = ("goal_alignment", "quality")
    COLUMNS: ClassVar[tuple[str, ...]] = (
        "rank", "rank_low", "rank_high", "model", "n_items", "n_scored", "n_refused", "n_errored", "n_unparsed",
        "goal_alignment", "se", "df", "ci_low", "ci_high", "quality", "axes", "mean_time_s", "qpr", "qpr_pct",
        "tie_group", "refused_answer", "refused_prompt", "axes_se", "normalised_axes",
    )  # fmt: skip

    panel: str
    axes: list[str]
    judges: list[AxesJudgeRow]
    judge_models: list[JudgeModelRow]
    agreement: list[AgreementRow]

    def spread(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the columns `<axis>`, `se.<axis>` and `normalised.<axis>`."""
        return {
            "axes": [(axis, axis) for axis in self.axes],
            "axes_se": [(axis, f"se.{axis}") for axis in self.axes],
            "normalised_axes": [(axis, f"normalised.{axis}") for axis in self.axes],
        }


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

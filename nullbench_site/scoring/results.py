"""The results of a board of any protocol: the content of results.json, of pages and of data files.

Absent numbers are None, with a reason in `absent` of the row. `overall` and intervals are 0-100, rates 0-1, and times
in seconds unless the name has `_ms`. Titles are in the specs, not here.
A protocol adds columns to rows and tables to results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import msgspec

from nullbench_site.audit.search_walk import Step
from nullbench_site.scoring.attack_tables import AttackedJudge, AttackRow, DefenceRow, DefendedAttack, DefendedScore
from nullbench_site.scoring.best_of_tables import BestOfFitRow, BestOfRow
from nullbench_site.scoring.board_tables import (
    AgreementBounds,
    Analysis,
    BiasRow,
    BridgeRank,
    BridgeRow,
    Ceiling,
    Component,
    ControlRow,
    CorrelationRow,
    Detectable,
    Difference,
    Floor,
    JointCheck,
    LeadFragility,
    LengthCorrected,
    RaterAgreementRow,
    ResampledRanks,
    ScoreError,
    ScreeningRow,
    Separation,
    StoppedAt,
    VariantRow,
)
from nullbench_site.scoring.contamination_tables import CanaryRow, ItemDateRow, OverlapRow, ProbeCheck
from nullbench_site.scoring.label_tables import (
    AltTestRow,
    CorrectedScoreRow,
    JudgeLabelRow,
    LabelRedrawRow,
    LabelWorthRow,
)
from nullbench_site.scoring.question_tables import QuestionMeans, QuestionRow
from nullbench_site.scoring.wording_tables import (
    DecodingEffect,
    FormatDifference,
    RankStability,
    WordingEffect,
    WordingRank,
    WordingRow,
)
from nullbench_site.stats.measure import JointTest, PanelKind

if TYPE_CHECKING:
    from nullbench_site.stats.arrays import Floats

WHOLE_BOARD: Any = msgspec.UNSET
"""The default of a column that only the whole board has: it is not written for parts."""
IN_DOMAINS: Any = msgspec.UNSET
"""The default of a column that only domains have, on boards with several."""


NULL_MODEL = "null models have no rank"
"""Why a complete null model has no rank."""


class Row(msgspec.Struct, kw_only=True):
    """A contestant on a slice of a board: the whole board, a domain, a category or a difficulty.

    n_items: how many items have an answer that counts. se, df, ci_low, ci_high: of the score that orders the slice; df
    are the degrees of freedom of se. rank is None while an answer or a verdict is missing; null models have no
    rank. rank_low: 1 + the number of significantly better contestants. rank_high: the number of all contestants minus
    that of significantly worse ones.

    In a domain: domain_contrast: how much more the contestant scores there than in its other domains on average, in
    points; domain_p: the p-value of this contrast, corrected over its domains.

    On the whole board: tie_group: counted from 1 at the top; its members do not differ significantly from its first.
    above_null_floor: whether the contestant scores significantly more than every null model, robust to the panel
    against each; None also if one judge leaves robustness unknown. below_floor_alone: the judges under each of which,
    alone, some null model scores as much. above_floor_alone: under how many of the floor_judges, alone, it scores more
    than the best null model. n_unjudged: how many answers have no reply of any judge; they are in no score and in no
    other count of responses. judge_calls: how many verdicts the answers need. Of these, judge_errored got no reply,
    judge_unparsed no readable one, and judge_missing were not requested yet; rows of boards without judges have none of
    the four. served_by: for each model that answered instead of the requested one, how many answers it gave;
    served_by_another: the sum. derived: metrics of packages, and those of the protocol that are not fields of the row.
    """

    model: str
    n_items: int
    overall: float | None = WHOLE_BOARD
    se: float | None = None
    df: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    absent: dict[str, str]
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    domain_contrast: float | None = IN_DOMAINS
    domain_p: float | None = IN_DOMAINS
    panel_se: float | None = WHOLE_BOARD
    panel_low: float | None = WHOLE_BOARD
    panel_high: float | None = WHOLE_BOARD
    overall_adjusted: float | None = WHOLE_BOARD
    tie_group: int | None = WHOLE_BOARD
    refusal_rate: float | None = WHOLE_BOARD
    error_rate: float | None = WHOLE_BOARD
    above_null_floor: bool | None = WHOLE_BOARD
    below_floor_alone: list[str] = WHOLE_BOARD
    above_floor_alone: int | None = WHOLE_BOARD
    floor_judges: int | None = WHOLE_BOARD
    stability: float | None = WHOLE_BOARD
    stability_tail: float | None = WHOLE_BOARD
    stability_extremes: float | None = WHOLE_BOARD
    stability_jitter: float | None = WHOLE_BOARD
    throughput_rps: float | None = WHOLE_BOARD
    throughput_tps: float | None = WHOLE_BOARD
    tokens_exact: bool = WHOLE_BOARD
    median_response_time_ms: float | None = WHOLE_BOARD
    p95_response_time_ms: float | None = WHOLE_BOARD
    max_response_time_ms: float | None = WHOLE_BOARD
    median_response_length: float | None = WHOLE_BOARD
    ended_length: int = WHOLE_BOARD
    ended_content_filter: int = WHOLE_BOARD
    ended_refusal: int = WHOLE_BOARD
    ended_tool_calls: int = WHOLE_BOARD
    n_unjudged: int = WHOLE_BOARD
    judge_calls: int = WHOLE_BOARD
    judge_errored: int = WHOLE_BOARD
    judge_unparsed: int = WHOLE_BOARD
    judge_missing: int = WHOLE_BOARD
    served_by_another: int = WHOLE_BOARD
    served_by: dict[str, int] = WHOLE_BOARD
    derived: dict[str, float | None] = WHOLE_BOARD

    @property
    def score(self) -> float | None:
        """The score that orders contestants on this slice, 0-100."""
        return self.overall

    @property
    def compared(self) -> bool:
        """Whether the contestant is compared on its slice: it is ranked, or a complete null model."""
        return self.rank is not None or self.absent.get("rank") == NULL_MODEL

    @property
    def awaited(self) -> bool:
        """Whether the contestant has no rank because answers or verdicts are still missing."""
        return self.rank is None and str(self.absent.get("rank", "are missing")).endswith("are missing")

    @property
    def n_responses(self) -> int:
        """How many answers count, including failed ones."""
        raise NotImplementedError

    @property
    def n_scored(self) -> int:
        """How many of them have a score of their own."""
        return self.n_responses - self.n_errored - self.n_unparsed

    @property
    def n_refused(self) -> int:
        """How many are refused or evaded."""
        return 0

    @property
    def n_errored(self) -> int:
        """How many failed."""
        return 0

    @property
    def n_unparsed(self) -> int:
        """How many have no readable verdict."""
        return 0


ALWAYS_THERE = (
    "refusal_rate", "error_rate", "above_null_floor", "stability", "throughput_rps", "throughput_tps", "tokens_exact",
    "median_response_time_ms", "p95_response_time_ms", "max_response_time_ms", "median_response_length", "ended_length",
    "ended_content_filter", "ended_refusal", "ended_tool_calls", "served_by_another", "served_by",
)  # fmt: skip
"""The columns that the whole board has in every run, of any protocol and age."""


class JudgedRow(Row, kw_only=True):
    """A row of a board whose answers judges score.

    n_scored, n_errored, n_unparsed: answers with a verdict, failed answers, and answers without a readable verdict.
    """

    n_scored: int
    n_errored: int
    n_unparsed: int

    @property
    def n_responses(self) -> int:
        return self.n_scored + self.n_errored + self.n_unparsed


RowT = TypeVar("RowT", bound=Row)
ItemRowT = TypeVar("ItemRowT", bound="ItemRow")


class AddedBySubScore(msgspec.Struct, kw_only=True):
    """Whether the score of a part says more about the part than the score of the board does.

    by_itself, by_whole: the proportional reductions in mean squared error, 0-1, of the true score of the part, if it is
    predicted by the score of the part and by that of the board. low, high: the 95 % interval of their difference.
    """

    by_itself: float
    by_whole: float
    low: float
    high: float


class Group(msgspec.Struct, Generic[RowT], kw_only=True):
    """A part of a board with its contestants, best first. best_set, pair_critical: as in `Results`, for this part.

    added: what its score adds to that of the board; absent with fewer than 20 ranked contestants, without several
    parts, and where nothing can be measured.
    """

    id: str
    n_items: int
    best_set: list[str] = []
    pair_critical: float | None = None
    added: AddedBySubScore | msgspec.UnsetType = msgspec.UNSET
    rows: list[RowT]


class ItemRow(msgspec.Struct):
    """A contestant on one item, over its wordings and samples."""

    model: str
    item: str
    category: str
    domain: str

    @property
    def ended(self) -> str:
        """How the answer ended; with several samples, the worst of them."""
        raise NotImplementedError

    @property
    def score(self) -> float | None:
        """The score of the item, 0-100; None while there is none."""
        raise NotImplementedError

    @property
    def part(self) -> float | None:
        """The number whose mean is the score of the board; the item's score by default."""
        return self.score

    @property
    def disagreement(self) -> float | None:
        """How far judges differ, in their unit: the field `spread`, if the row has one."""
        return getattr(self, "spread", None)


class JudgedItemRow(ItemRow):
    """A contestant on one item whose answer judges score. state: how the answer ended. overall: 0-100."""

    difficulty: str
    state: str
    overall: float | None

    @property
    def ended(self) -> str:
        return self.state

    @property
    def score(self) -> float | None:
        return self.overall


class JudgeRow(msgspec.Struct, kw_only=True):
    """A judge over the whole board: how its replies ended.

    missing: how many answers it has not judged yet. asked_again: how many invalid replies were requested again; None in
    runs scored before this was counted. repaired: how many of these now have a valid verdict. forms: how many replies
    were read in each form other than the one asked for; absent if none was. A reply may have two forms. mean, sd: of
    its scores on a scale of 1-5; None for other scales.
    """

    judge: str
    scored: int
    unparsed: int
    errored: int
    missing: int
    asked_again: int | None = None
    repaired: int
    forms: dict[str, int] | msgspec.UnsetType = msgspec.UNSET

    @property
    def mean(self) -> float | None:
        return None

    @property
    def sd(self) -> float | None:
        return None


class AgreementRow(msgspec.Struct, kw_only=True):
    """Krippendorff's alpha (ordinal) of the panel on a slice of the board.

    domain, category, axis: the slice; None or absent if the slice is not limited by it. alpha: on all answers.
    alpha_scored: on the scored answers of contestants other than null models.
    """

    domain: str | None = WHOLE_BOARD
    category: str | None = WHOLE_BOARD
    axis: str | None = WHOLE_BOARD
    units: int
    alpha: float | None
    label: str | None
    absent: str | None
    units_scored: int
    alpha_scored: float | None
    label_scored: str | None
    absent_scored: str | None


class Results(msgspec.Struct, kw_only=True):
    """All results of one board of one run.

    complete: whether every contestant has all answers and verdicts that it needs for a rank.
    silenced: why the judges keep the board from comparative claims, one sentence per judge and reason; empty otherwise.
    n_items: how many items the board has. same_end: the share of items on which all contestants score 0, or all score
    100; absent without an answer, and in older runs.
    panel_kind: the kind of the panel. With "models", panel_low and panel_high are the second interval, on items and
    judges like these; with "mixed", the lowest and the highest score with one judge left out.
    floor: the best null model. ungated: what each compared null model would score without refusal gates, best first;
    empty if judges are not asked about refusals.
    best_set: the ranked contestants that none beats significantly, best first; empty if no difference can be tested.
    pair_critical: the value that the statistic of a difference must exceed to be significant, at 5 % for all pairs
    together; None if no difference can be tested. pair_alpha: the level of a single t test that is as strict.
    pair_test: the joint test. joint_checks: the error of each test that was tried, in order; absent if none could be
    measured, and in older runs. stopped: where a build stopped the board early; absent if all items were asked.
    separation: how many pairs of ranked contestants differ.
    ceiling, controls: measurements of the panel; absent in a run without controls.
    variants: the best of each family of models; absent if no family has two ranked models. templates: contestants by
    wording of the prompt; wording_effects: how far their scores vary over wordings; wording_ranks, rank_stability:
    their ranks in each; all absent on a board with one wording, the ranks also with fewer than two contestants that
    have a score in each. format_differences: questions in two formats; decoding_effects: models at several
    temperatures; each absent without any. overlap: contestants on contaminated and clean items; absent if the specs
    compare the items with no corpus. item_dates: whether the items are newer than each model; absent if the board does
    not say that people or a program made them. canaries: how many canaries contestants complete; absent on a board that
    does not ask. probe_checks: what probes of contamination find of a program that has seen some items; absent without
    one.
    bridges, bridge_ranks: what a judge that is to replace another would change;
    absent in a run without a bridge. rater_agreement: kappas and alphas of two judges or more.
    correlations: of tasks over language models; absent if the board has fewer than two tasks. biases: of the judges;
    length_corrected: scores corrected for the length of answers; both absent on a board without judges.
    screening: what screening finds in answers; absent on a board without answers, and in older runs.
    judge_labels: the judges compared with labels; corrected_scores: scores corrected by them; label_redraws: how often
    these cover the truth, empty if no truth is known; label_worth: what labels are worth; alt_tests: whether a judge
    can replace a rater, empty with fewer than three; all absent on a board without labels.
    best_of: what the favourite of n answers scores by each judge and by keys; best_of_fits: curves fitted to these, and
    the peak; both absent unless a board has several samples and a board without judges has keys of its items.
    analyses: the board under other choices of judges, wordings and items, one change at a time; absent if the data
    allow none. resampled: how often contestants have each rank in resampling; absent with fewer than two ranked. Both
    are absent in older runs.
    attacks: what null models get from each judge; attacked_judges: whether a judge separates reference answers from
    empty ones; defences: what each does to honest answers, defended_attacks: to attacks. All are absent on a board
    without judges or null models, and in older runs. defended_scores: only if the panel states defences. search_steps:
    the steps of the search of a prefix; absent on other boards.
    questions: the short questions of judges; question_values: their mean values by judge for each contestant and
    control; both absent if no judge is asked short questions.
    If judges score, a protocol adds the field `judges`, with a row for each judge, and `agreement` if it measures that;
    agreement_bounds belong to it, except in older runs.

    GROUPS: for each table of parts of the board, the column that names the part. TABLES: further tables. SOME: tables
    that not every run has. FIRST: the CSV columns that follow the first ones of every leaderboard. COLUMNS: the order
    of the other CSV columns, and of those of parts. Both are fixed, as other programs rely on the order. A column that
    they do not name comes last.
    """

    GROUPS: ClassVar[dict[str, str]] = {"domains": "domain", "categories": "category", "difficulties": "difficulty"}
    TABLES: ClassVar[tuple[str, ...]] = ()
    SOME: ClassVar[tuple[str, ...]] = (
        "controls", "variants", "templates", "wording_effects", "wording_ranks", "format_differences",
        "decoding_effects", "overlap", "canaries", "probe_checks", "bridges", "bridge_ranks", "rater_agreement",
        "correlations", "biases", "length_corrected", "screening", "judge_labels", "corrected_scores", "label_redraws",
        "label_worth", "alt_tests", "best_of", "best_of_fits", "attacks", "attacked_judges", "defences",
        "defended_attacks", "defended_scores", "search_steps", "questions", "question_values",
    )  # fmt: skip
    FIRST: ClassVar[tuple[str, ...]] = ()
    COLUMNS: ClassVar[tuple[str, ...]] = ()

    run: str
    board: str
    protocol: str
    complete: bool
    silenced: list[str] = []
    n_items: int
    same_end: float | msgspec.UnsetType = msgspec.UNSET
    panel_kind: PanelKind = "none"
    floor: Floor | None
    best_set: Sequence[str] = ()
    pair_critical: float | None = None
    pair_alpha: float | None = None
    pair_test: JointTest = "flips"
    joint_checks: Sequence[JointCheck] | msgspec.UnsetType = msgspec.UNSET
    stopped: StoppedAt | msgspec.UnsetType = msgspec.UNSET
    separation: Separation | None = None
    ungated: Sequence[Floor] = ()
    ceiling: Ceiling | msgspec.UnsetType = msgspec.UNSET
    controls: Sequence[ControlRow] | msgspec.UnsetType = msgspec.UNSET
    variants: Sequence[VariantRow] | msgspec.UnsetType = msgspec.UNSET
    templates: Sequence[WordingRow] | msgspec.UnsetType = msgspec.UNSET
    wording_effects: Sequence[WordingEffect] | msgspec.UnsetType = msgspec.UNSET
    wording_ranks: Sequence[WordingRank] | msgspec.UnsetType = msgspec.UNSET
    rank_stability: RankStability | msgspec.UnsetType = msgspec.UNSET
    format_differences: Sequence[FormatDifference] | msgspec.UnsetType = msgspec.UNSET
    decoding_effects: Sequence[DecodingEffect] | msgspec.UnsetType = msgspec.UNSET
    overlap: Sequence[OverlapRow] | msgspec.UnsetType = msgspec.UNSET
    item_dates: Sequence[ItemDateRow] | msgspec.UnsetType = msgspec.UNSET
    canaries: Sequence[CanaryRow] | msgspec.UnsetType = msgspec.UNSET
    probe_checks: Sequence[ProbeCheck] | msgspec.UnsetType = msgspec.UNSET
    bridges: Sequence[BridgeRow] | msgspec.UnsetType = msgspec.UNSET
    bridge_ranks: Sequence[BridgeRank] | msgspec.UnsetType = msgspec.UNSET
    rater_agreement: Sequence[RaterAgreementRow] | msgspec.UnsetType = msgspec.UNSET
    correlations: Sequence[CorrelationRow] | msgspec.UnsetType = msgspec.UNSET
    biases: Sequence[BiasRow] | msgspec.UnsetType = msgspec.UNSET
    length_corrected: Sequence[LengthCorrected] | msgspec.UnsetType = msgspec.UNSET
    screening: Sequence[ScreeningRow] | msgspec.UnsetType = msgspec.UNSET
    judge_labels: Sequence[JudgeLabelRow] | msgspec.UnsetType = msgspec.UNSET
    corrected_scores: Sequence[CorrectedScoreRow] | msgspec.UnsetType = msgspec.UNSET
    label_redraws: Sequence[LabelRedrawRow] | msgspec.UnsetType = msgspec.UNSET
    label_worth: Sequence[LabelWorthRow] | msgspec.UnsetType = msgspec.UNSET
    alt_tests: Sequence[AltTestRow] | msgspec.UnsetType = msgspec.UNSET
    best_of: Sequence[BestOfRow] | msgspec.UnsetType = msgspec.UNSET
    best_of_fits: Sequence[BestOfFitRow] | msgspec.UnsetType = msgspec.UNSET
    attacks: Sequence[AttackRow] | msgspec.UnsetType = msgspec.UNSET
    attacked_judges: Sequence[AttackedJudge] | msgspec.UnsetType = msgspec.UNSET
    defences: Sequence[DefenceRow] | msgspec.UnsetType = msgspec.UNSET
    defended_attacks: Sequence[DefendedAttack] | msgspec.UnsetType = msgspec.UNSET
    defended_scores: Sequence[DefendedScore] | msgspec.UnsetType = msgspec.UNSET
    search_steps: Sequence[Step] | msgspec.UnsetType = msgspec.UNSET
    questions: Sequence[QuestionRow] | msgspec.UnsetType = msgspec.UNSET
    question_values: Sequence[QuestionMeans] | msgspec.UnsetType = msgspec.UNSET
    leaderboard: Sequence[Row]
    domains: Sequence[Group[Any]]
    categories: Sequence[Group[Any]]
    difficulties: Sequence[Group[Any]]
    items: Sequence[ItemRow]
    differences: list[Difference] = []
    detectable: Detectable | None = None
    lead: LeadFragility | None = None
    analyses: Sequence[Analysis] | msgspec.UnsetType = msgspec.UNSET
    resampled: ResampledRanks | msgspec.UnsetType = msgspec.UNSET
    components: list[Component] = []
    score_errors: list[ScoreError] = []
    agreement_bounds: AgreementBounds | msgspec.UnsetType = msgspec.UNSET

    def spread(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Return the maps of rows that CSV files have as columns: field -> key of the map and name of the column.

        Other maps, such as reasons, are in results.json only.
        """
        return {}

    @property
    def derived(self) -> list[str]:
        """The ids of the metrics in `derived` of its rows."""
        return list(next((row.derived for row in self.leaderboard if row.derived), {}))

    @property
    def some(self) -> list[str]:
        """The tables of SOME that this run has."""
        return [name for name in self.SOME if getattr(self, name) is not msgspec.UNSET]

    def row(self, model: str) -> Row:
        return next(row for row in self.leaderboard if row.model == model)


class ResultsOf(Results, Generic[RowT, ItemRowT], kw_only=True):
    """Results of a protocol with its own types of rows."""

    leaderboard: list[RowT]
    domains: list[Group[RowT]]
    categories: list[Group[RowT]]
    difficulties: list[Group[RowT]]
    items: list[ItemRowT]


DIGITS = 6


def rounded(value: Any) -> Any:
    """Return `value` with every float in it rounded."""
    if isinstance(value, float):
        return round(float(value), DIGITS)
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **rounded(msgspec.structs.asdict(value)))
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return [rounded(inner) for inner in value] if isinstance(value, list | tuple) else value


def significant(value: float | None, digits: int) -> float | None:
    """Return `value` with this many significant digits, for numbers that are measured no better than that.

    With more digits, one new answer would change the published number of every contestant, and git would store it.
    """
    return None if value is None else float(f"{value:.{digits}g}")


def known(values: Floats) -> list[Any]:
    """Return `values` as lists, rounded, with None for NaN."""
    import numpy as np  # noqa: PLC0415 - specs read the columns declared here, without arrays

    digits = np.round(values, DIGITS)
    objects: Any = digits.astype(object)
    objects[np.isnan(digits)] = None
    listed: list[Any] = objects.tolist()
    return listed

"""The results of a board: what stands in results.json, what pages and data files are made of.

Absent numbers are None; `absent` of a row says why. Scores are 0-100, axes 1-5 (0 for a target that failed), times in
seconds or, where the name says so, milliseconds. No title stands here: titles belong to the specs and move no number.
"""

from __future__ import annotations

import msgspec

from nullbench_site.scoring.floor import Floor


class GroupRow(msgspec.Struct, kw_only=True):
    """A contestant on a group of items: a board, a domain, a category or a difficulty."""

    model: str
    n_items: int
    n_scored: int
    n_refused: int
    n_errored: int
    n_unparsed: int
    goal_alignment: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    quality: float | None
    axes: dict[str, float | None]
    mean_time_s: float | None
    qpr: float | None
    qpr_pct: float | None
    absent: dict[str, str]

    @property
    def n_responses(self) -> int:
        return self.n_scored + self.n_refused + self.n_errored + self.n_unparsed


class BoardRow(GroupRow, kw_only=True):
    """A contestant on the whole board. `overall` is the unweighted mean over groups; goal_alignment that over items.

    rank is None where an answer or a verdict is still missing; a rank among others would not be fair.
    n_unjudged: answers that no judge replied about; they are in no score and no other count of responses.
    judge_calls: the verdicts that the answers need; of these errored got no reply, unparsed none that can be read, and
    missing were not asked for yet.
    served_by: the models that answered in place of the one asked -> how many answers; served_by_another: their sum.
    """

    rank: int | None
    rank_low: int | None
    rank_high: int | None
    tie_group: int | None
    overall: float | None
    refusal_rate: float | None
    refused_answer: int
    refused_prompt: int
    error_rate: float | None
    above_null_floor: bool | None
    axes_se: dict[str, float | None]
    normalised_axes: dict[str, float | None]
    stability: float | None
    throughput_rps: float | None
    throughput_tps: float | None
    tokens_exact: bool
    median_response_time_ms: float | None
    p95_response_time_ms: float | None
    max_response_time_ms: float | None
    median_response_length: float | None
    ended_length: int
    ended_content_filter: int
    ended_refusal: int
    ended_tool_calls: int
    n_unjudged: int
    judge_calls: int
    judge_errored: int
    judge_unparsed: int
    judge_missing: int
    served_by_another: int
    served_by: dict[str, int]
    model_disk_gb: float | None


class Group(msgspec.Struct, kw_only=True):
    """A domain, category or difficulty with its contestants, best first."""

    id: str
    n_items: int
    rows: list[GroupRow]


class ItemRow(msgspec.Struct, gc=False):
    """A contestant on one item, averaged over its samples."""

    model: str
    item: str
    category: str
    domain: str
    state: str
    goal_alignment: float
    quality: float
    axes: dict[str, float | None]
    spread: float | None


class JudgeRow(msgspec.Struct, kw_only=True):
    """A judge over the whole board. mean and sd are of all its valid axis scores (1-5).

    missing: answers it has to judge and has not been asked about yet. repaired: replies that were invalid first and
    valid when it was asked once more.
    """

    judge: str
    scored: int
    unparsed: int
    errored: int
    missing: int
    repaired: int
    invalid_fields: int
    n_scores: int
    mean: float | None
    sd: float | None


class JudgeModelRow(msgspec.Struct, kw_only=True):
    """A judge on one contestant: its mean axis score, raw and normalised (3 + z)."""

    judge: str
    model: str
    mean: float | None
    normalised: float | None


class AgreementRow(msgspec.Struct, kw_only=True):
    """Krippendorff's alpha of the panel on a category or the board, over all axes (axis None) or one.

    alpha is on all answers; alpha_scored on the scored answers of contestants that are no null models.
    """

    category: str | None
    axis: str | None
    units: int
    alpha: float | None
    label: str | None
    absent: str | None
    units_scored: int
    alpha_scored: float | None
    label_scored: str | None
    absent_scored: str | None


class AxesResults(msgspec.Struct, kw_only=True):
    """All results of one board of one run."""

    run: str
    board: str
    protocol: str
    panel: str
    complete: bool
    n_items: int
    axes: list[str]
    floor: Floor | None
    leaderboard: list[BoardRow]
    domains: list[Group]
    categories: list[Group]
    difficulties: list[Group]
    items: list[ItemRow]
    judges: list[JudgeRow]
    judge_models: list[JudgeModelRow]
    agreement: list[AgreementRow]

    def row(self, model: str) -> BoardRow:
        return next(row for row in self.leaderboard if row.model == model)

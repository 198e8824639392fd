"""The results of a `rubric` board: what stands in results.json, what pages and data files are made of.

Absent numbers are None; `absent` of a row says why. Judges' marks are 1-5, G-Eval and composite 0-1, overall 0-100.
No title stands here: titles belong to the specs and move no number.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from nullbench_site.scoring.floor import Floor

Parts = Literal["judge+geval", "judge", "geval"]
"""What a composite is made of; it is normalised where a part is absent."""


class RubricScores(msgspec.Struct, kw_only=True):
    """A contestant on some items: the whole board, a domain, a category or a difficulty.

    overall: 0-100, the mean over items of 100 times the composite of each; an answer that failed counts as 0.
    judge_mean, geval_mean, composite: the seed's formulas, over the answers that did not fail.
    judges: the mean mark of each judge with complete coverage on the whole board, by id; not rounded, also where the
    board rounds it before it takes the mean. geval: the mean of each metric, where geval_mean is there.
    n_unparsed: answers on which judges replied, but no mark can be read. n_items: those with an answer that counts.
    n_geval: of n_scored + n_unparsed answers those that G-Eval scored; one that it did not takes the contestant's mean
    of those that it did. Not there on a board without G-Eval.
    """

    model: str
    n_items: int
    n_scored: int
    n_errored: int
    n_unparsed: int
    n_geval: int | msgspec.UnsetType = msgspec.UNSET
    overall: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    judge_mean: float | None
    geval_mean: float | None
    composite: float | None
    composite_of: Parts | None
    judges: dict[str, float]
    geval: dict[str, float]
    absent: dict[str, str]


class RubricRow(RubricScores, kw_only=True):
    """A contestant on the whole board.

    rank is None where an answer or a verdict is still missing; a rank among others would not be fair.
    incomplete_judges: those whose marks count in no mean, as some of theirs are missing -> how many they gave.
    divergence: mean over answers of |(judge mean - 1) / 4 - G-Eval mean|, of complete judges. n_checked: answers
    to public items, which programs looked at; n_flagged: those in which a check failed.
    n_unjudged: answers that no judge replied about; they are in no score and no other count of responses.
    judge_calls, judge_errored, judge_unparsed, judge_missing: as on an `axes` board, a verdict of G-Eval a metric
    included. What G-Eval has not said yet keeps nobody from a rank.
    """

    rank: int | None
    rank_low: int | None
    rank_high: int | None
    tie_group: int | None
    refusal_rate: float | None
    error_rate: float | None
    above_null_floor: bool | None
    efficiency: float | None
    mean_output_tokens: float | None
    tokens_exact: bool
    divergence: float | None
    n_checked: int
    n_flagged: int
    incomplete_judges: dict[str, int]
    stability: float | None
    throughput_rps: float | None
    throughput_tps: float | None
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


class RubricGroup(msgspec.Struct, kw_only=True):
    """A domain, category or difficulty with its contestants, best first."""

    id: str
    n_items: int
    rows: list[RubricScores]


class RubricItemRow(msgspec.Struct, kw_only=True, gc=False):
    """A contestant on one item, averaged over its samples.

    state: scored, errored, unparsed or unjudged. judge_mean: of complete judges. spread: highest less lowest mark.
    marks: by judge, of all. failed: the types of the checks that failed; none are told of a private item.
    """

    model: str
    item: str
    category: str
    domain: str
    difficulty: str
    state: str
    overall: float | None
    judge_mean: float | None
    geval_mean: float | None
    spread: float | None
    marks: dict[str, float]
    failed: list[str]


class RubricJudgeRow(msgspec.Struct, kw_only=True):
    """A judge over the whole board; judges stand by id, whatever their order in the panel.

    mean and sd are of all its marks. leniency: its mark less the mean mark of the other judges of the same answer,
    averaged over the answers that others marked too; positive is lenient.
    """

    judge: str
    scored: int
    unparsed: int
    errored: int
    missing: int
    repaired: int
    mean: float | None
    sd: float | None
    leniency: float | None
    absent: dict[str, str]


class JudgeOnModel(msgspec.Struct, kw_only=True):
    """A judge on one contestant that it may mark: its mean mark, on how many answers, and whether it counts."""

    judge: str
    model: str
    n: int
    mean: float | None
    complete: bool


class JudgePair(msgspec.Struct, kw_only=True):
    """Two judges on the answers that both marked, the first by id first.

    exact, adjacent: shares of answers with the same mark, and with marks at most one apart. difference: mean of the
    first's mark less the second's. correlation: Spearman's. alpha: Krippendorff's, ordinal.
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


class RubricAgreement(msgspec.Struct, kw_only=True):
    """Krippendorff's alpha (ordinal) of the panel on a domain, or on the board (None).

    alpha is on all answers with a mark, `units`; alpha_scored on those of contestants that are no null models.
    """

    domain: str | None
    units: int
    alpha: float | None
    label: str | None
    absent: str | None
    units_scored: int
    alpha_scored: float | None
    label_scored: str | None
    absent_scored: str | None


class Divergence(msgspec.Struct, kw_only=True):
    """A judge (None: the mean of the complete judges) against the G-Eval mean of the same answers, marks put on 0-1.

    difference: mean of mark less G-Eval. distance: mean of its absolute value. correlation: Spearman's.
    """

    judge: str | None
    n: int
    difference: float | None
    distance: float | None
    correlation: float | None
    absent: dict[str, str]


class CheckRow(msgspec.Struct, kw_only=True):
    """A type of check over the answers to public items: on how many it stands, and how its results fell."""

    type: str
    n_items: int
    passed: int
    failed: int
    not_applicable: int


class RubricResults(msgspec.Struct, kw_only=True):
    """All results of one `rubric` board of one run. weights: of the composite's parts, "judge" and "geval"."""

    run: str
    board: str
    protocol: str
    panel: str
    geval_judge: str | None
    geval_metrics: list[str]
    weights: dict[str, float]
    complete: bool
    n_items: int
    floor: Floor | None
    leaderboard: list[RubricRow]
    domains: list[RubricGroup]
    categories: list[RubricGroup]
    difficulties: list[RubricGroup]
    items: list[RubricItemRow]
    judges: list[RubricJudgeRow]
    judge_models: list[JudgeOnModel]
    judge_pairs: list[JudgePair]
    agreement: list[RubricAgreement]
    divergence: list[Divergence]
    checks: list[CheckRow]

    def row(self, model: str) -> RubricRow:
        return next(row for row in self.leaderboard if row.model == model)

"""The results of an `oracle` board: what stands in results.json, what pages and data files are made of.

Absent numbers are None; `absent` of a row says why. Accuracy, shares, rates and consistency are 0-1, overall 0-100.
No title stands here: titles belong to the specs and move no number.
"""

from __future__ import annotations

import msgspec

from nullbench_site.scoring.floor import Floor


class OracleScores(msgspec.Struct, kw_only=True):
    """A contestant on some items: the whole board, a domain, a category, a difficulty or a type of key.

    overall: 100 times correct answers / all answers, invalid and failed ones among them; se, ci_low and ci_high are of
    it. accuracy: correct answers / valid ones; accuracy_low and accuracy_high are the ends of its 95 % interval. All
    of these are clustered by bundle. valid_share, invalid_rate, error_rate: of all answers.
    contrast_consistency, outcome_consistency: of the n_bundles bundles all of whose variants are among the items and
    have a valid answer.
    """

    model: str
    n_items: int
    n_correct: int
    n_wrong: int
    n_invalid: int
    n_errored: int
    overall: float
    se: float | None
    ci_low: float | None
    ci_high: float | None
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    valid_share: float
    invalid_rate: float
    error_rate: float
    n_bundles: int
    contrast_consistency: float | None
    outcome_consistency: float | None
    absent: dict[str, str]


class OracleRow(OracleScores, kw_only=True):
    """A contestant on the whole board.

    rank is None where an answer or its mark is missing; `absent` says which.
    n_unmarked: answers without a mark, as those of a private item whose key is not here; they are in no other count.
    served_by: the models that answered in place of the one asked -> how many answers; served_by_another: their sum.
    """

    rank: int | None
    rank_low: int | None
    rank_high: int | None
    tie_group: int | None
    refusal_rate: float | None
    above_null_floor: bool | None
    n_unmarked: int
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
    served_by_another: int
    served_by: dict[str, int]


class OracleGroup(msgspec.Struct, kw_only=True):
    """A domain, category, difficulty or type of key with its contestants, best first."""

    id: str
    n_items: int
    rows: list[OracleScores]


class OracleItemRow(msgspec.Struct, kw_only=True, gc=False):
    """A contestant on one item, over its samples.

    outcome: the worst of its samples, of errored, unmarked, invalid, wrong and correct; why: of the first such sample,
    empty of a private item. key: the type of the item's key. overall: 100 times correct answers / all that have a mark
    or failed.
    """

    model: str
    item: str
    category: str
    domain: str
    difficulty: str
    key: str
    bundle: str | None
    outcome: str
    why: str
    overall: float | None


class KeyRow(msgspec.Struct, kw_only=True):
    """A type of key over all answers: on how many items it stands, and how they were marked."""

    type: str
    n_items: int
    correct: int
    wrong: int
    invalid: int


class OracleResults(msgspec.Struct, kw_only=True):
    """All results of one `oracle` board of one run.

    complete: every contestant has every answer, and each has a mark. n_bundles: of two or more variants.
    """

    run: str
    board: str
    protocol: str
    complete: bool
    n_items: int
    n_bundles: int
    floor: Floor | None
    leaderboard: list[OracleRow]
    domains: list[OracleGroup]
    categories: list[OracleGroup]
    difficulties: list[OracleGroup]
    key_types: list[OracleGroup]
    items: list[OracleItemRow]
    keys: list[KeyRow]

    def row(self, model: str) -> OracleRow:
        return next(row for row in self.leaderboard if row.model == model)

"""The results of an `oracle` board. Accuracy, shares, rates and consistency are 0-1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from nullbench_site.scoring.results import WHOLE_BOARD, Group, ItemRow, Results, ResultsOf, Row

OUTCOMES = ("correct", "wrong", "invalid", "errored", "unmarked")
"""How an answer ended, by number; the first three are marks."""
CORRECT, WRONG, INVALID, ERRORED, UNMARKED = range(len(OUTCOMES))
NO_ANSWER = -1
"""The number where there is no record."""
RIGHT: Mapping[int, bool] = {CORRECT: True, WRONG: False, INVALID: False, ERRORED: False}
"""Whether an answer is right: one that is invalid or failed is not."""
VALID: Mapping[int, bool] = {CORRECT: True, WRONG: False}
"""The same of valid answers alone."""


class OracleRow(Row, kw_only=True):
    """A contestant on a slice of the board, which may be a type of key.

    overall: 100 times correct answers / all answers, invalid and failed ones among them; se, ci_low and ci_high are of
    it. accuracy: correct answers / valid ones; accuracy_low and accuracy_high are the ends of its 95 % interval. All
    of these are clustered by bundle. valid_share, invalid_rate, error_rate: of all answers.
    contrast_consistency, outcome_consistency: of the n_bundles bundles all of whose variants are among the items and
    have a valid answer.
    n_unmarked: answers without a mark, as those of a private item whose key is not here; they are in no other count.
    """

    n_correct: int
    n_wrong: int
    n_invalid: int
    n_errored: int
    accuracy: float | None
    accuracy_low: float | None
    accuracy_high: float | None
    valid_share: float
    invalid_rate: float
    n_bundles: int
    contrast_consistency: float | None
    outcome_consistency: float | None
    n_unmarked: int = WHOLE_BOARD

    @property
    def n_responses(self) -> int:
        return self.n_correct + self.n_wrong + self.n_invalid + self.n_errored

    @property
    def n_valid(self) -> int:
        return self.n_correct + self.n_wrong


class OracleItemRow(ItemRow, kw_only=True):
    """A contestant on one item, over its samples.

    outcome: the worst of its samples, of errored, unmarked, invalid, wrong and correct; why: of the first such sample,
    empty of a private item. key: the type of the item's key. overall: 100 times correct answers / all that have a mark
    or failed.
    """

    difficulty: str
    key: str
    bundle: str | None
    outcome: str
    why: str
    overall: float | None

    @property
    def ended(self) -> str:
        return self.outcome

    @property
    def score(self) -> float | None:
        return self.overall


class KeyRow(msgspec.Struct, kw_only=True):
    """A type of key over all answers: on how many items it stands, and how they were marked."""

    type: str
    n_items: int
    correct: int
    wrong: int
    invalid: int


class OracleResults(ResultsOf[OracleRow, OracleItemRow], kw_only=True):
    """All results of one `oracle` board of one run. n_bundles: of two or more variants."""

    GROUPS: ClassVar[dict[str, str]] = {**Results.GROUPS, "key_types": "key"}
    TABLES: ClassVar[tuple[str, ...]] = ("keys",)
    FIRST: ClassVar[tuple[str, ...]] = (
        "accuracy", "accuracy_low", "accuracy_high", "valid_share", "invalid_rate", "contrast_consistency",
        "outcome_consistency", "n_bundles",
    )  # fmt: skip
    COLUMNS: ClassVar[tuple[str, ...]] = (
        "rank", "rank_low", "rank_high", "model", "n_items", "n_correct", "n_wrong", "n_invalid", "n_errored",
        "overall", "se", "df", "ci_low", "ci_high",
        "accuracy", "accuracy_low", "accuracy_high", "valid_share", "invalid_rate", "error_rate", "n_bundles",
        "contrast_consistency", "outcome_consistency", "tie_group", "n_unmarked",
    )  # fmt: skip

    n_bundles: int
    key_types: list[Group[OracleRow]]
    keys: list[KeyRow]

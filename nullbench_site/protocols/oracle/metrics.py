"""The rows of `oracle` boards, and what their numbers mean. Accuracy, shares, rates and consistency are 0-1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from nullbench_site.protocols.oracle.calibration_metrics import CALIBRATION_METRICS
from nullbench_site.runs.records import Cause
from nullbench_site.scoring.board_tables import CalibrationRow, ReliabilityRow
from nullbench_site.scoring.columns import EVIDENCE, SCORE, Column, Metric, value_of
from nullbench_site.scoring.results import WHOLE_BOARD, Group, ItemRow, Results, ResultsOf, Row
from nullbench_site.stats.scores import contrast_consistency, outcome_consistency

OUTCOMES = ("correct", "wrong", "invalid", "errored", "unmarked")
"""How an answer ended; codes are places in this list. The first three are marks."""
CORRECT, WRONG, INVALID, ERRORED, UNMARKED = range(len(OUTCOMES))
NO_ANSWER = -1
"""The code of an answer without a record."""
RIGHT: Mapping[int, bool] = {CORRECT: True, WRONG: False, INVALID: False, ERRORED: False}
"""Whether an answer is right; invalid and failed answers are not."""
VALID: Mapping[int, bool] = {CORRECT: True, WRONG: False}
"""The same for valid answers only."""
CAUSES: Mapping[Cause, str] = {
    "cut": "cut off before an answer",
    "no answer": "without an answer",
    "several answers": "with several answers",
    "other form": "in another form than asked",
}
"""The causes of invalid answers, and what pages say of so many of them; codes are places in this list."""
NOT_RECORDED = "not recorded"
"""Why invalid answers of a run are not counted by cause: an earlier version marked them."""
MANY_INVALID = 0.2
"""From more than this share of invalid answers on, the page of a board shows some of a contestant."""
CONFIDENCES: Mapping[str, str] = {
    "confidence": "no answer has token probabilities",
    "stated_confidence": "no answer states a confidence",
}
"""The two confidences of answers, and why a contestant has none."""


IF_ANY: Any = msgspec.UNSET
"""The default of a column that rows have only if an answer on the board has a value."""


class OracleRow(Row, kw_only=True):
    """A contestant on a slice of the board, which may be a type of key.

    overall: 100 times correct answers / all answers, including invalid and failed ones; se, ci_low and ci_high are its
    own. accuracy: correct answers / valid ones; accuracy_low and accuracy_high are the ends of its 95 % interval. All
    of these are clustered by source or bundle. valid_share, invalid_rate, error_rate: shares of all answers.
    contrast_consistency, outcome_consistency: over the n_bundles bundles that have all variants among the items and a
    valid answer to each.
    n_unmarked: how many answers have no mark, for example because the key of a private item is not on this machine;
    they are in no other count.
    confidence, stated_confidence: means over n_confidence and n_stated_confidence answers; rows have these columns only
    if an answer on the board has one.
    n_invalid_cut, n_invalid_no_answer, n_invalid_several_answers, n_invalid_other_form: the invalid answers by cause;
    rows have these columns unless no cause is recorded on the board.
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
    confidence: float | None = IF_ANY
    n_confidence: int = IF_ANY
    stated_confidence: float | None = IF_ANY
    n_stated_confidence: int = IF_ANY
    n_invalid_cut: int | None = IF_ANY
    n_invalid_no_answer: int | None = IF_ANY
    n_invalid_several_answers: int | None = IF_ANY
    n_invalid_other_form: int | None = IF_ANY

    @property
    def causes(self) -> Mapping[Cause, int] | None:
        """How many invalid answers have each cause; None if this is not recorded."""
        numbers = {cause: getattr(self, column) for cause, column in CAUSE_COLUMNS.items()}
        return numbers if all(type(n) is int for n in numbers.values()) else None

    @property
    def n_responses(self) -> int:
        return self.n_correct + self.n_wrong + self.n_invalid + self.n_errored

    @property
    def n_valid(self) -> int:
        return self.n_correct + self.n_wrong


CAUSE_COLUMNS: Mapping[Cause, str] = {cause: f"n_invalid_{cause.replace(' ', '_')}" for cause in CAUSES}
"""The columns with the number of invalid answers by cause."""


class OracleItemRow(ItemRow, kw_only=True):
    """A contestant on one item, over its samples.

    outcome: the worst of its samples, in the order errored, unmarked, invalid, wrong, correct. why: the reason for the
    first such sample; empty for a private item. cause: of that sample if it is invalid; empty if it is valid or its
    cause is not recorded; rows have it unless no cause is recorded on the board. key: the type of the item's key.
    overall: 100 times correct answers / all answers that have a mark or failed.
    """

    difficulty: str
    key: str
    bundle: str | None
    outcome: str
    why: str
    overall: float | None
    cause: str = IF_ANY

    @property
    def ended(self) -> str:
        return self.outcome

    @property
    def score(self) -> float | None:
        return self.overall


class KeyRow(msgspec.Struct, kw_only=True):
    """A type of key over all answers: how many items have it, and how the answers were marked."""

    type: str
    n_items: int
    correct: int
    wrong: int
    invalid: int


class OracleResults(ResultsOf[OracleRow, OracleItemRow], kw_only=True):
    """All results of one `oracle` board of one run. n_bundles: how many bundles have two or more variants.

    calibration, reliability: confidence against accuracy; absent if no answer has a confidence.
    """

    GROUPS: ClassVar[dict[str, str]] = {**Results.GROUPS, "key_types": "key"}
    TABLES: ClassVar[tuple[str, ...]] = ("keys",)
    SOME: ClassVar[tuple[str, ...]] = (*Results.SOME, "calibration", "reliability")
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
    calibration: list[CalibrationRow] | msgspec.UnsetType = msgspec.UNSET
    reliability: list[ReliabilityRow] | msgspec.UnsetType = msgspec.UNSET


GROUPS = ()
"""The shared metrics of panels, and of boards whose answers have scores, are not those of keys."""


def _accuracy_ends(row: Any) -> tuple[float, float] | None:
    return None if row.accuracy_low is None else (row.accuracy_low, row.accuracy_high)


def _confidence_column(metric: str) -> Column:
    """Return a column that boards have if one of their answers has this confidence."""
    return Column(kind="percent", shown=lambda view: has_confidence(view.results, metric))


def has_confidence(results: OracleResults, metric: str) -> bool:
    """Return True if an answer on the board has this confidence."""
    return any(getattr(row, metric) is not msgspec.UNSET for row in results.leaderboard)


METRICS = (
    Metric(
        id="oracle_overall",
        title="Correct answers",
        short="Correct",
        scale=(0, 100),
        direction="higher",
        formula=(
            r"\text{overall}=\frac{100\,n_\text{correct}}{n_\text{correct}+n_\text{wrong}+n_\text{invalid}+n_\text{failed}}"
        ),
        source="nullbench methodology, Failure handling; the formula is ours",
        sentence=(
            "Correct answers as a share of all, times 100. Invalid and failed answers count as not correct, so an "
            "unreadable or missing answer gains nothing. The board ranks by this score."
        ),
        columns=("overall",),
        before="se",
    ),
    Metric(
        id="accuracy",
        title="Accuracy",
        unit="shown in %",
        scale=(0, 1),
        direction="higher",
        formula=r"\text{accuracy}=\frac{n_\text{correct}}{n_\text{correct}+n_\text{wrong}}",
        source="the practical 80-prompt evaluation, whose second suite is marked by key; the formula is ours",
        sentence=(
            "Correct answers as a share of the valid ones. Invalid and failed answers are left out, so a contestant "
            "can gain by answering less: compare the share of valid answers. Ranks do not use it."
        ),
        before="se",
        value=lambda of: value_of(of.accuracy),
        shown_on=Column(group=SCORE, kind="percent", ends=_accuracy_ends),
    ),
    Metric(
        id="share_ci",
        title="95 % interval of correct answers",
        short="95 % interval",
        unit="0-100; of the accuracy 0-1",
        source="as the interval of other boards",
        sentence=(
            "Of 100 such intervals, about 95 contain the share of correct answers that items like these would give, of "
            "all or of the valid ones. Items of fewer than six sources or bundles have none. The formula is the same "
            "as for other boards."
        ),
        columns=("ci_low", "ci_high", "accuracy_low", "accuracy_high"),
        after="ci",
        value=lambda of: of.accuracy_ends,
    ),
    Metric(
        id="valid_share",
        title="Valid answers",
        short="Valid",
        unit="shown in %",
        scale=(0, 1),
        direction="higher",
        formula=(
            r"\frac{n_\text{correct}+n_\text{wrong}}{n_\text{correct}+n_\text{wrong}+n_\text{invalid}+n_\text{failed}}"
        ),
        source="the practical 80-prompt evaluation, whose second suite is marked by key",
        sentence="Responses with one readable answer, correct or wrong. Accuracy is computed on these.",
        before="se",
        value=lambda of: of.share(CORRECT, WRONG),
        shown_on=Column(
            group=EVIDENCE,
            kind="count",
            value=lambda view, row: float(row.n_valid),
            whole=lambda view, row: row.n_responses,
        ),
    ),
    Metric(
        id="invalid_rate",
        title="Invalid answers",
        short="Invalid",
        unit="shown in %",
        scale=(0, 1),
        direction="lower",
        source="the practical 80-prompt evaluation, whose second suite is marked by key",
        sentence=(
            "Responses without a readable answer, or with several different ones. They count as not correct, and "
            "accuracy leaves them out."
        ),
        before="se",
        value=lambda of: of.share(INVALID),
        shown_on=Column(kind="percent", parts=False),
    ),
    Metric(
        id="invalid_causes",
        title="Invalid answers by cause",
        short="Causes",
        unit="answers",
        scale=(0, None),
        digits=0,
        source="ours",
        sentence=(
            "Why invalid answers cannot be read. Cut: the response was cut off, mostly by the token limit, before it "
            "stated an answer. No answer: it ended by itself and states none. Several answers: it states answers that "
            "differ. Other form: it states an answer in a form or a unit that the key does not read. Runs of earlier "
            "versions do not record the cause."
        ),
        columns=tuple(CAUSE_COLUMNS.values()),
        before="se",
        value=lambda of: of.causes,
    ),
    Metric(
        id="oracle_error_rate",
        title="Failed calls",
        short="Failed",
        unit="shown in %",
        scale=(0, 1),
        direction="lower",
        source="nullbench methodology, Failure handling",
        sentence=(
            "Calls without an answer after all retries. They count as not correct, and accuracy leaves them out."
        ),
        columns=("error_rate",),
        before="se",
        value=lambda of: {"error_rate": of.share(ERRORED)},
        shown_on=Column(kind="percent", parts=False, value=lambda view, row: row.error_rate),
    ),
    Metric(
        id="marked",
        title="Answers by mark",
        short="Answers",
        unit="answers",
        digits=0,
        source="ours",
        sentence=(
            "How many answers are correct, wrong or invalid, and how many failed. An answer without a mark, for "
            "example because its key is not on this machine, is in no number; its contestant is not ranked."
        ),
        columns=(
            "n_correct",
            "n_wrong",
            "n_invalid",
            "n_errored",
            "n_unmarked",
            "n_items",
            "correct",
            "wrong",
            "invalid",
        ),
        before="se",
    ),
    Metric(
        id="contrast_consistency",
        title="Contrast consistency",
        short="Consistent",
        unit="shown in %",
        scale=(0, 1),
        direction="higher",
        formula=r"\frac{1}{|B|}\sum_{b\in B}\prod_{i\in b}\text{correct}_i",
        source="Gardner et al. (2020), Evaluating models' local decision boundaries via contrast sets",
        sentence=(
            "The share of bundles with correct answers to all variants, among those with valid answers to all. The "
            "variants of a bundle ask the same thing in several ways."
        ),
        before="se",
        value=lambda of: contrast_consistency(of.bundles),
        shown_on=Column(group=SCORE, kind="percent", whole=lambda view, row: row.n_bundles),
    ),
    Metric(
        id="n_bundles",
        title="Complete bundles",
        short="Bundles",
        unit="bundles",
        scale=(0, None),
        digits=0,
        source="ours",
        sentence=(
            "The bundles that have all variants among the items and a valid answer to each: those that consistency is "
            "computed from."
        ),
        before="se",
        value=lambda of: of.n_bundles,
    ),
    Metric(
        id="outcome_consistency",
        title="Outcome consistency",
        short="Steady",
        unit="shown in %",
        scale=(0, 1),
        source="after Elazar et al. (2021), Measuring and improving consistency in pretrained language models",
        sentence=(
            "The share of these bundles whose answers are all correct or all wrong. It measures steadiness, not "
            "quality."
        ),
        before="se",
        value=lambda of: outcome_consistency(of.bundles),
    ),
    Metric(
        id="confidence",
        title="Confidence by token probabilities",
        short="Confidence",
        unit="shown in %",
        scale=(0, 1),
        digits=2,
        formula=r"\frac{1}{|A|}\sum_{a\in A}\exp\Bigl(\frac{1}{n_a}\sum_{t=1}^{n_a}\ln p_t\Bigr)",
        source="after Malinin and Gales (2021), length-normalised sequence probability",
        sentence=(
            "The geometric mean of the probabilities of an answer's tokens, averaged over the answers that have them. "
            "It does not depend on what an answer says about itself. It changes no score or rank."
        ),
        before="se",
        value=lambda of: of.mean_confidence("confidence"),
        shown_on=_confidence_column("confidence"),
    ),
    Metric(
        id="stated_confidence",
        title="Stated confidence",
        short="Stated",
        unit="shown in %",
        scale=(0, 1),
        digits=2,
        source="after Tian et al. (2023), Just ask for calibration",
        sentence=(
            "What answers say in a last line such as `Confidence: 70%`, averaged over the answers that say it. The key "
            "does not see this line. It is not mixed with token probabilities, and changes no score or rank."
        ),
        before="se",
        value=lambda of: of.mean_confidence("stated_confidence"),
        shown_on=_confidence_column("stated_confidence"),
    ),
    Metric(
        id="confident_answers",
        title="Answers with a confidence",
        short="With confidence",
        unit="answers",
        scale=(0, None),
        digits=0,
        source="ours",
        sentence="How many answers have token probabilities, and how many state a confidence.",
        columns=("n_confidence", "n_stated_confidence"),
        before="se",
    ),
    *CALIBRATION_METRICS,
)

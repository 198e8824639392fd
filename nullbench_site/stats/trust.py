"""The classes of a trust matrix.

Source of every rule of the matrix: the mathematical treatment of LLM evaluation, section 9, Exhibit 7 (Five-Dimension
Trust Matrix). Its classes leave gaps; a figure in a gap gets the lower of the two neighbouring classes.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["high", "medium", "low"]
"""A class of the matrix."""

HIGH_ITEMS, MEDIUM_ITEMS = 1000, 200
HIGH_ERROR, MEDIUM_ERROR = 1.5, 4.0
HIGH_SIGMA, MEDIUM_SIGMA = 1.0, 5.0
AGREEING_BOARDS = 2
"""How many other boards of the same construct have to agree with a board for the highest class of validity."""
AGREEMENT: dict[Literal["alpha", "kappa"], tuple[float, float]] = {"alpha": (0.667, 0.80), "kappa": (0.60, 0.80)}
"""The lowest values of medium and high agreement, by coefficient."""
USUAL_CORRELATION = 0.60, 0.80
"""Spearman's correlation of GPT-4's scores with those of people: the mathematics of LLM evaluation, section 5."""
SEQUENCE = 13
"""Words in a sequence that an item shares with a corpus. A shorter text has none. Source: section 3, Exhibit 2."""
MOST_CONTAMINATED = 0.05
"""The share of contaminated items below which contamination is medium."""

TaskKind: TypeAlias = Literal["toxicity", "helpfulness", "factual accuracy", "code correctness", "math"]
"""A kind of task, by how well people agree on it."""
PEOPLE_AGREE: dict[TaskKind, tuple[float, float]] = {
    "toxicity": (0.20, 0.38), "helpfulness": (0.40, 0.55), "factual accuracy": (0.60, 0.75),
    "code correctness": (0.85, 0.95), "math": (0.88, 0.97),
}  # fmt: skip
"""The agreement, kappa or alpha, that is usual for a kind of task.

Of people, except for code and math, which test runners and keys mark. Source: the mathematical treatment of LLM
evaluation, Exhibit 3; no data of ours.
"""


def sampling_level(n_items: int, se: float | None) -> Level | None:
    """Return the class of a score for its sampling error, the error from the choice of items.

    n_items: the items of the score. se: its standard error in points of 0..100, >= 0; None if there is none.
    High: n > 1000 and SE < 1.5. Medium: n >= 200 and SE <= 4. Low: n < 200, whatever the error, or SE > 4. None: enough
    items, but no error.
    The matrix does not define an SE from 1.5 to 2, which is medium here. Nor does it define many items with a large SE,
    or few with a small one: here both figures have to reach a class.
    Source: Exhibit 7, dimension 1, sampling variance.
    """
    if n_items < MEDIUM_ITEMS:
        return "low"
    if se is None:
        return None
    if n_items > HIGH_ITEMS and se < HIGH_ERROR:
        return "high"
    return "medium" if se <= MEDIUM_ERROR else "low"


def wording_level(upper: float | None) -> Level | None:
    """Return the class of a score for its sensitivity to the wording of the prompt.

    upper: the upper end of the interval of `sigma_prompt`, in points of 0..100; None, which has no class, if there is
    none. High: below 1 point. Medium: up to 5. Low: above.
    Source: Exhibit 7, dimension 2, prompt sensitivity; that the upper end is graded, and not the estimate, is ours: the
    estimate from few items is often 0.
    """
    if upper is None:
        return None
    return "high" if upper < HIGH_SIGMA else "medium" if upper <= MEDIUM_SIGMA else "low"


def plain_error(score: float, n_items: int) -> float | None:
    """Return the plain standard error of a score, sqrt(S(1-S)/n), in points of 0..100; None without items.

    score: S, 0..100. n_items: n. It is exact for independent items that are right or wrong. For independent items with
    scores in between it is an upper limit. ValueError for a score outside 0..100.
    Source: the mathematical treatment of LLM evaluation, section 2, Sampling Variance.
    """
    if not 0 <= score <= 100:
        raise ValueError(f"a score must be from 0 to 100, got {score}")
    return sqrt(score * (100 - score) / n_items) if n_items else None


def agreement_level(value: float | None, coefficient: Literal["alpha", "kappa"] = "alpha") -> Level | None:
    """Return the class of an agreement coefficient, wherever one is shown.

    value: Krippendorff's alpha or a kappa, at most 1; an undefined one, None, has no class. High: from 0.80. Medium:
    from 0.667 for alpha, from 0.60 for kappa. Low: below.
    Source: Krippendorff (2004), Content analysis, 11.4, for alpha; Exhibit 7, dimension 4, annotation reliability, for
    kappa among human annotators, where 0.40 to 0.60 is a gap.
    """
    if value is None:
        return None
    medium, high = AGREEMENT[coefficient]
    return "high" if value >= high else "medium" if value >= medium else "low"


def label_level(correlation: float | None) -> Level | None:
    """Return the class of a panel for Spearman's correlation of its scores with labels of 100 items or more.

    High: from 0.80. Medium: from 0.60. Low: below. None has no class.
    Source: the mathematical treatment of LLM evaluation, section 5, where 0.60 to 0.80 is usual for GPT-4 and people;
    Exhibit 7 asks for the correlation on 100 items and gives no classes, so taking the range as medium is ours.
    """
    if correlation is None:
        return None
    medium, high = USUAL_CORRELATION
    return "high" if correlation >= high else "medium" if correlation >= medium else "low"


def validity_level(
    above_null_floor: bool | None, in_order: bool | None = True, agreeing_boards: int = 0, *, too_far: bool = False
) -> Level | None:
    """Return the class of a score for construct validity: whether it measures what it claims to.

    The score is of a single benchmark whose limits are documented.
    above_null_floor: whether the score is above that of programs that do not read the question; None if unknown.
    in_order: whether the panel puts answers of known damage in order; None if not tested; True if the only judge is a
    program that compares.
    agreeing_boards: how many other benchmarks of the same construct agree with this one. too_far: whether the score is
    cited for more than it can show, such as a capability score for alignment.
    Low if too_far or if one of the first two is False. If both are True: high with two other benchmarks, so that three
    agree, else medium. Otherwise None.
    Source: Exhibit 7, dimension 5, construct validity; that a score at the null floor is low is ours, after Zheng et
    al. (2024), Cheating automatic LLM benchmarks, and so is that of a panel that does not see what it is to mark.
    """
    if too_far or above_null_floor is False or in_order is False:
        return "low"
    if above_null_floor is None or in_order is None:
        return None
    return "high" if agreeing_boards >= AGREEING_BOARDS else "medium"

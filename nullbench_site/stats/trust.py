"""How far a score can be trusted: the classes of a trust matrix.

Source of every rule of the matrix: the mathematical treatment of LLM evaluation, section 9, Exhibit 7 (Five-Dimension
Trust Matrix). Its classes leave gaps; a figure in a gap gets the lower of the two classes beside it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Level: TypeAlias = Literal["high", "medium", "low", "absent"]
"""A class of the matrix; absent where nothing was measured that could earn one."""

HIGH_ITEMS, MEDIUM_ITEMS = 1000, 200
HIGH_ERROR, MEDIUM_ERROR = 1.5, 4.0
HIGH_ALPHA, MEDIUM_ALPHA = 0.80, 0.60


def sampling_level(n_items: int, se: float | None) -> Level:
    """The class of a score for what the choice of items may have moved it by.

    n_items: items the score stands on. se: its standard error in points of 0..100, >= 0; None where there is none.
    High: n > 1000 and SE < 1.5. Medium: n >= 200 and SE <= 4. Low: n < 200, whatever the error, or SE > 4. Absent:
    items enough, but no error. The matrix says nothing of an SE from 1.5 to 2, which is medium here, nor of many items
    with an SE that is not small or of few with a small one: both figures have to reach a class.
    Source: Exhibit 7, dimension 1, sampling variance.
    """
    if n_items < MEDIUM_ITEMS:
        return "low"
    if se is None:
        return "absent"
    if n_items > HIGH_ITEMS and se < HIGH_ERROR:
        return "high"
    return "medium" if se <= MEDIUM_ERROR else "low"


def agreement_level(n_judges: int, alpha: float | None) -> Level:
    """The class of a score for how far those who marked the answers agree.

    n_judges: how many may mark the answers. alpha: Krippendorff's of the panel, at most 1; None where it is not
    defined. High: alpha >= 0.80. Medium: alpha >= 0.60. Low: below. Absent: no alpha, or a single judge, of whose marks
    an alpha of others says nothing. The matrix is in terms of kappa among human annotators, in whose place alpha stands
    here, and says nothing of 0.40 to 0.60, which is low here.
    Source: Exhibit 7, dimension 4, annotation reliability; there a single annotator is low.
    """
    if n_judges < 2 or alpha is None:
        return "absent"
    if alpha >= HIGH_ALPHA:
        return "high"
    return "medium" if alpha >= MEDIUM_ALPHA else "low"


def validity_level(above_null_floor: bool | None, in_order: bool | None = True) -> Level:
    """The class of a score of a single benchmark, whose limits are documented, for whether it measures what it says.

    above_null_floor: whether the score is above what a program reaches that does not read the question; None where that
    cannot be said. in_order: whether those who mark put answers of known damage in order; None where nobody tried; True
    where nobody marks but a program that compares. Medium where both are so, low where one is not, else absent; high
    takes three benchmarks of the same construct that agree.
    Source: Exhibit 7, dimension 5, construct validity; that a score at the null floor is low is ours, after Zheng et
    al. (2024), Cheating automatic LLM benchmarks, and so is that of a panel that does not see what it is to mark.
    """
    if above_null_floor is False or in_order is False:
        return "low"
    return "absent" if above_null_floor is None or in_order is None else "medium"

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.interval import Interval, clustered_standard_error
from nullbench_site.stats.paired import PairedDifference, paired_difference

OURS, THEIRS = [90, 70, 50, 30], [80, 40, 50, 10]
"""Differences 10, 30, 0 and 20: the mean is 15, the residuals are -5, 15, -15 and 5."""
SCORE = st.floats(0, 100)
ITEMS = st.lists(st.tuples(SCORE, SCORE, st.integers(0, 2), st.integers(0, 5)), min_size=2, max_size=30)


def columns(items: list[tuple[float, float, int, int]]) -> tuple[list[float], list[float], list[int], list[int]]:
    ours, theirs, groups, clusters = (list(column) for column in zip(*items, strict=True))
    return ours, theirs, groups, clusters


def found(*args: Any, **options: Any) -> PairedDifference:
    difference = paired_difference(*args, **options)
    assert difference is not None
    return difference


def test_a_difference_on_items_of_their_own_texts_worked_by_hand() -> None:
    """Squares 25 + 225 + 225 + 25 = 500, s = sqrt(500 / 3), SE = s / sqrt(4) = 6.454972; 15 -+ 12.651513."""
    difference = found(OURS, THEIRS, [0, 1, 2, 3])
    assert (difference.value, difference.n_items) == (15.0, 4)
    assert difference.se == pytest.approx(6.454972, abs=1e-6)
    assert difference.interval is not None
    assert difference.interval.low == pytest.approx(2.348487, abs=1e-6)
    assert difference.measurable is True


def test_a_difference_with_items_of_one_text_worked_by_hand() -> None:
    """Two texts with residuals -5 + 15 = 10 and -15 + 5 = -10: SE = sqrt(2 * 200) / 4 = 5, 15 -+ 9.8."""
    difference = found(OURS, THEIRS, [7, 7, 9, 9])
    assert difference.se == pytest.approx(5)
    assert difference.interval == Interval(pytest.approx(5.20018, abs=1e-5), pytest.approx(24.79982, abs=1e-5))


def test_a_difference_over_weighted_groups_worked_by_hand() -> None:
    """Group means 20 and 10, weights 3 to 1: 17.5. Influences: 3/4 * -+10 / 2 = -+3.75 and 1/4 * -+10 / 2 = -+1.25;
    squares 2 * 14.0625 + 2 * 1.5625 = 31.25, times 4/3, the root is 6.454972."""
    difference = found(OURS, THEIRS, [0, 1, 2, 3], groups=[0, 0, 1, 1], weights=[3, 1])
    assert difference.value == 17.5
    assert difference.se == pytest.approx(6.454972, abs=1e-6)


def test_an_item_that_one_of_them_lacks_counts_for_neither_and_its_group_may_fall_away() -> None:
    whole = found(OURS, THEIRS, [0, 1, 2, 3], groups=[1, 1, 2, 2], weights=[3, 1])
    ours, theirs, clusters, groups = [nan, 5, *OURS], [99, nan, *THEIRS], [4, 4, 0, 1, 2, 3], [0, 0, 1, 1, 2, 2]
    assert found(ours, theirs, clusters, groups=groups, weights=[1, 3, 1]) == whole


def test_without_a_common_item_there_is_no_difference() -> None:
    assert paired_difference([nan, 1], [1, nan], [0, 1]) is None
    assert paired_difference([], [], []) is None


def test_a_single_text_tells_a_difference_but_not_how_sure_it_is() -> None:
    assert found(OURS, THEIRS, [0, 0, 0, 0]) == PairedDifference(15.0, 4, None, None)
    assert found(OURS, THEIRS, [0, 0, 0, 0]).measurable is None


@pytest.mark.parametrize(
    ("interval", "measurable"),
    [((0.1, 3), True), ((-3, -0.1), True), ((0, 3), False), ((-3, 0), False), ((-1, 1), False), ((0, 0), False)],
)
def test_a_difference_whose_interval_holds_0_is_not_measurable(interval: tuple[float, float], measurable: bool) -> None:
    assert PairedDifference(sum(interval) / 2, 9, 1.0, Interval(*interval)).measurable is measurable


@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        ([1, 2], [1], {}),
        ([[1]], [[1]], {}),
        ([1, np.inf], [1, 2], {}),
        ([1, 2], [1, 2], {"groups": [0]}),
        ([1, 2], [1, 2], {"groups": [0, 1], "weights": [1]}),
        ([1, 2], [1, 2], {"weights": [0]}),
    ],
)
def test_scores_that_do_not_fit_are_refused(ours: Any, theirs: Any, options: Any) -> None:
    with pytest.raises(ValueError, match=r"score|groups|weights"):
        paired_difference(ours, theirs, [0, 1][: np.size(ours)], **options)


@given(ITEMS)
def test_the_other_way_round_it_is_the_negative_with_the_same_error(items: list[tuple[float, float, int, int]]) -> None:
    ours, theirs, groups, clusters = columns(items)
    one, other = (found(*pair, clusters, groups=groups) for pair in ((ours, theirs), (theirs, ours)))
    assert other.value == pytest.approx(-one.value, abs=1e-9)
    assert (other.se is None) == (one.se is None)
    assert (other.se or 0) == pytest.approx(one.se or 0, abs=1e-9)


@given(ITEMS)
def test_the_error_is_that_of_both_less_what_they_share(items: list[tuple[float, float, int, int]]) -> None:
    """Miller (2024): Var(a - b) = Var(a) + Var(b) - 2 Cov(a, b), with the covariance from Var(a + b)."""
    ours, theirs, _, clusters = columns(items)
    difference = found(ours, theirs, clusters).se
    if difference is None:
        return
    of_both = [clustered_standard_error(values, clusters) or 0.0 for values in (ours, theirs)]
    together = clustered_standard_error(np.add(ours, theirs), clusters) or 0.0
    covariance = (together**2 - of_both[0] ** 2 - of_both[1] ** 2) / 2
    squared = of_both[0] ** 2 + of_both[1] ** 2 - 2 * covariance
    assert difference == pytest.approx(sqrt(max(0.0, squared)), abs=1e-5)


def test_items_hard_for_both_cost_no_certainty() -> None:
    """Items differ by 90 points and contestants by 5 on each: no interval of one alone could tell them apart."""
    theirs = [5.0, 95.0, 5.0, 95.0]
    difference = found([score + 5 for score in theirs], theirs, [0, 1, 2, 3])
    assert (difference.value, difference.se, difference.measurable) == (5.0, 0.0, True)
    assert (clustered_standard_error(theirs, [0, 1, 2, 3]) or 0) > 25

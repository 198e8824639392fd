from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.scores import (
    axis_mean,
    clamped_mean,
    is_valid_axis_score,
    is_valid_percent,
    overall,
)

PERCENTS = st.floats(0, 100)
GROUPS = st.dictionaries(st.text(max_size=3), st.lists(PERCENTS, max_size=6), max_size=5)


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5])
def test_an_integer_from_1_to_5_is_a_valid_axis_score(value: int) -> None:
    assert is_valid_axis_score(value)


@pytest.mark.parametrize("value", [0, 6, -1, 3.0, 3.5, True, False, "3", None, [3], math.nan])
def test_nothing_else_is_a_valid_axis_score(value: object) -> None:
    assert not is_valid_axis_score(value)


@pytest.mark.parametrize("value", [0, 100, 150, -20, 10**400])
def test_any_integer_is_a_valid_percent_because_clamping_comes_after_averaging(value: int) -> None:
    assert is_valid_percent(value)


@pytest.mark.parametrize("value", [80.0, True, "80", None, math.nan, [80]])
def test_what_is_not_an_integer_is_no_valid_percent(value: object) -> None:
    assert not is_valid_percent(value)


def test_an_axis_is_averaged_over_the_valid_judges_only() -> None:
    """Judges gave 4, 5, 9 (out of range) and nothing: (4 + 5) / 2."""
    assert axis_mean([4, 5, 9, None]) == 4.5


def test_an_axis_without_a_valid_judge_is_undefined_and_not_zero() -> None:
    assert axis_mean([0, 6, "5", True]) is None
    assert axis_mean([]) is None


@given(st.lists(st.integers(0, 6)))
def test_the_order_of_judges_does_not_move_an_axis(scores: list[int]) -> None:
    assert axis_mean(scores) == axis_mean(sorted(scores)) == axis_mean(scores + scores)


def test_goal_alignment_is_averaged_first_and_clamped_then() -> None:
    """150 and 50: the mean is 100. Clamping first would give (100 + 50) / 2 = 75."""
    assert clamped_mean([150, 50]) == 100
    assert clamped_mean([-50, 30]) == 0
    assert clamped_mean([80, 71]) == 75.5


def test_a_judge_without_an_integer_is_left_out_of_goal_alignment() -> None:
    assert clamped_mean([80, "90", 60.0, None, True]) == 80
    assert clamped_mean([None, "n/a"]) is None


def test_an_absurdly_long_integer_is_clamped_like_any_other() -> None:
    assert clamped_mean([10**400, 50]) == 100
    assert clamped_mean([-(10**400), 50]) == 0


def test_the_overall_score_weighs_groups_and_not_items() -> None:
    """Politics has three items, mean 60; science one, 100: (60 + 100) / 2 = 80; over items it would be 70."""
    assert overall({"politics": [30, 60, 90], "science": [100]}) == 80


def test_a_group_without_items_is_not_counted() -> None:
    assert overall({"politics": [40], "science": []}) == 40


def test_no_item_at_all_is_undefined_and_not_zero() -> None:
    assert overall({}) is None
    assert overall({"politics": []}) is None


def test_an_item_that_failed_counts_as_zero() -> None:
    assert overall({"politics": [80, 0]}) == 40


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        overall({"politics": [50, score]})


@given(GROUPS)
def test_the_order_of_groups_and_items_does_not_move_the_overall_score(
    groups: dict[str, list[float]],
) -> None:
    backwards = {name: scores[::-1] for name, scores in reversed(groups.items())}
    assert overall(backwards) == overall(groups)


@given(GROUPS)
def test_doubling_every_item_leaves_the_overall_score(groups: dict[str, list[float]]) -> None:
    doubled = {name: scores + scores for name, scores in groups.items()}
    assert overall(doubled) == pytest.approx(overall(groups))


def test_weighted_groups_count_by_their_weights():
    """0.75 * 80 + 0.25 * 40 = 70; weights on another scale give the same."""
    groups = {"a": [70.0, 90.0], "b": [40.0]}
    assert overall(groups, {"a": 0.75, "b": 0.25}) == 70.0
    assert overall(groups, {"a": 3, "b": 1}) == 70.0

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.estimates import (
    Interval,
    accuracy,
    accuracy_interval,
    accuracy_standard_error,
    contrast_consistency,
    outcome_consistency,
    wilson_interval,
)

_BUNDLES = st.dictionaries(
    st.text(max_size=2), st.lists(st.sampled_from([True, False, None]), max_size=4), min_size=0, max_size=8
)


def test_accuracy_is_right_answers_of_valid_ones() -> None:
    """2 right, 1 wrong, 1 without a valid answer: 2 / 3."""
    assert accuracy({"a": [True, False], "b": [None, True]}).value == pytest.approx(2 / 3)


@pytest.mark.parametrize("bundles", [{}, {"a": []}, {"a": [None, None]}])
def test_without_a_valid_answer_nothing_is_defined(bundles: dict[str, list[bool | None]]) -> None:
    assert accuracy(bundles).reason == "no valid answer"
    assert accuracy_interval(bundles) is None
    assert accuracy_standard_error(bundles) is None


def test_a_contestant_that_is_always_wrong_has_an_accuracy_of_0() -> None:
    assert accuracy({"a": [False], "b": [False]}).value == 0


def test_the_standard_error_is_clustered_by_bundle() -> None:
    """Two bundles of two, one all right and one all wrong: mean 1/2, sums of residuals 1 and -1, G = 2:
    sqrt(2/1 * (1 + 1)) / 4 = 1/2. Taken as four single answers: sqrt(4/3 * 4 * 1/4) / 4 = 0.2887."""
    assert accuracy_standard_error({"a": [True, True], "b": [False, False]}) == pytest.approx(0.5)
    singles: dict[str, list[bool | None]] = {"a": [True], "b": [True], "c": [False], "d": [False]}
    assert accuracy_standard_error(singles) == pytest.approx(math.sqrt(4 / 3) / 4)


def test_one_bundle_alone_has_no_standard_error() -> None:
    assert accuracy_standard_error({"a": [True, False, True]}) is None
    assert accuracy_interval({"a": [True, False, True]}) is None


def test_wilson_worked_by_hand() -> None:
    """8 of 10, z = 1.959964, z^2 = 3.841459: centre (0.8 + 0.192073) / 1.384146 = 0.716740,
    margin 1.959964 sqrt(0.016 + 0.009604) / 1.384146 = 0.226578."""
    interval = wilson_interval(8, 10)
    assert interval.low == pytest.approx(0.490162, abs=2e-6)
    assert interval.high == pytest.approx(0.943318, abs=2e-6)


def test_wilson_where_all_are_right() -> None:
    """n of n: from n / (n + z^2) to 1: 10 / 13.841459 = 0.722467."""
    assert wilson_interval(10, 10).high == 1
    assert wilson_interval(10, 10).low == pytest.approx(10 / 13.841459, abs=1e-6)
    assert wilson_interval(0, 10) == Interval(0, pytest.approx(1 - 10 / 13.841459, abs=1e-6))


@pytest.mark.parametrize(("right", "answers"), [(1, 0), (-1, 4), (5, 4), (math.nan, 4), (0, 0)])
def test_impossible_counts_are_refused(right: float, answers: int) -> None:
    with pytest.raises(ValueError, match="cannot be right"):
        wilson_interval(right, answers)


@pytest.mark.parametrize("level", [0, 1, -0.5, 2])
def test_a_level_outside_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        wilson_interval(1, 2, level)


def test_single_items_have_wilsons_interval() -> None:
    singles: dict[str, list[bool | None]] = {str(at): [at < 8] for at in range(10)}
    assert accuracy_interval(singles | {"x": [None]}) == wilson_interval(8, 10)


def test_bundles_have_the_clustered_interval() -> None:
    """Mean 0.6, ten bundles of two of which six are all right: residual sums 0.8 (6 times) and -1.2 (4 times):
    sqrt(10/9 * (6 * 0.64 + 4 * 1.44)) / 20 = 0.163299; 0.6 -+ 1.959964 * 0.163299."""
    bundles: dict[str, list[bool | None]] = {str(at): [at < 6] * 2 for at in range(10)}
    interval = accuracy_interval(bundles)
    assert interval is not None
    assert interval.low == pytest.approx(0.279939, abs=2e-6)
    assert interval.high == pytest.approx(0.920061, abs=2e-6)


def test_where_all_variants_are_right_each_bundle_counts_as_one_answer() -> None:
    bundles: dict[str, list[bool | None]] = {str(at): [True] * 5 for at in range(10)}
    assert accuracy_interval(bundles) == wilson_interval(10, 10)


@pytest.mark.parametrize("variants", range(2, 12))
def test_an_error_of_0_that_says_nothing_gives_no_interval(variants: int) -> None:
    """One right of each bundle's: the residuals cancel, in floats only nearly so."""
    bundles: dict[str, list[bool | None]] = {name: [True] + [False] * (variants - 1) for name in ("a", "b", "c")}
    assert accuracy_standard_error(bundles) == 0
    assert accuracy_interval(bundles) is None


def test_bundles_that_are_all_right_and_all_alike() -> None:
    """Four whole bundles: two all right, one all wrong, one mixed: 2/4 and 3/4."""
    bundles: dict[str, list[bool | None]] = {
        "a": [True, True],
        "b": [True, True, True],
        "c": [False, False],
        "d": [True, False],
        "single": [True],
        "without a valid answer": [True, None],
    }
    assert contrast_consistency(bundles).value == pytest.approx(0.5)
    assert outcome_consistency(bundles).value == pytest.approx(0.75)


def test_a_contestant_that_is_always_wrong_is_steady_and_never_right() -> None:
    bundles: dict[str, list[bool | None]] = {"a": [False, False], "b": [False, False]}
    assert contrast_consistency(bundles).value == 0
    assert outcome_consistency(bundles).value == 1


@pytest.mark.parametrize("bundles", [{}, {"a": [True]}, {"a": [True, None]}, {"a": []}])
def test_without_a_whole_bundle_consistency_is_undefined(bundles: dict[str, list[bool | None]]) -> None:
    reason = "no bundle of two or more variants, all with valid answers"
    assert contrast_consistency(bundles).reason == reason
    assert outcome_consistency(bundles).reason == reason


@given(_BUNDLES)
def test_all_right_is_never_more_often_than_all_alike(bundles: dict[str, list[bool | None]]) -> None:
    right, alike = contrast_consistency(bundles).value, outcome_consistency(bundles).value
    assert (right is None) == (alike is None)
    if right is not None and alike is not None:
        assert 0 <= right <= alike <= 1


@given(_BUNDLES)
def test_an_interval_holds_the_accuracy(bundles: dict[str, list[bool | None]]) -> None:
    interval, mean = accuracy_interval(bundles), accuracy(bundles).value
    if interval is not None:
        assert mean is not None
        assert 0 <= interval.low <= mean <= interval.high <= 1


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.999))
def test_wilsons_interval_is_the_mirror_image_for_wrong_answers(counts: tuple[int, int], level: float) -> None:
    right, answers = counts
    interval, mirrored = wilson_interval(right, answers, level), wilson_interval(answers - right, answers, level)
    assert interval.low == pytest.approx(1 - mirrored.high, abs=1e-12)
    assert interval.high == pytest.approx(1 - mirrored.low, abs=1e-12)


@given(_BUNDLES)
def test_the_order_of_bundles_does_not_matter(bundles: dict[str, list[bool | None]]) -> None:
    turned = dict(reversed(list(bundles.items())))
    assert accuracy(turned) == accuracy(bundles)
    assert contrast_consistency(turned) == contrast_consistency(bundles)
    one, other = accuracy_standard_error(turned), accuracy_standard_error(bundles)
    assert one == pytest.approx(other) if other is not None else one is None

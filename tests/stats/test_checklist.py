"""From answers to short questions to a mark: numbers worked by hand, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.checklist import (
    harmonic_mean,
    item_value,
    mark_of,
    relative_value,
    share_of_target,
    weighted_mean,
    yes_or_no,
)
from nullbench_site.stats.judges import mark_places, moments_of, nearest_mark

shares = st.floats(0, 1)
NAN = float("nan")


@pytest.mark.parametrize(
    ("p", "e", "value"),
    [(0.8, 0.5, 0.6), (0.5, 0.5, 0), (0.3, 0.5, 0), (1, 0.29, 1), (0.645, 0.29, 0.5), (1, 1, 0), (0, 0, 0), (1, 0, 1)],
)
def test_a_relative_value_is_the_share_of_what_is_above_the_empty_response(p: float, e: float, value: float) -> None:
    assert relative_value(np.array([float(p)]), np.array([float(e)]))[0] == pytest.approx(value)


@given(shares, shares, shares)
def test_a_relative_value_is_within_0_and_1_never_falls_when_p_rises_and_is_0_for_the_empty_response(
    p: float, q: float, e: float
) -> None:
    low, high, own = relative_value(np.array([min(p, q), max(p, q), e]), np.full(3, e))
    assert 0 <= low <= high <= 1
    assert own == 0


@pytest.mark.parametrize(
    ("values", "prohibited", "value"),
    [
        ((0.6, 0.2), (False, False), 0.4),
        ((0.6, 0.2, 0.5), (False, False, True), 0.2),
        ((0.6, 0.2, 0.5, 1.0), (False, False, True, True), 0.3),
        ((0.0, 0.0, 1.0), (False, False, True), 0.0),
        ((0.9, NAN, 0.5), (False, False, True), 0.45),
        ((0.9, 0.3, NAN), (False, False, True), 0.6),
    ],
)
def test_the_value_of_an_item_is_the_mean_of_the_others_times_the_mean_of_the_prohibitions(
    values: tuple[float, ...], prohibited: tuple[bool, ...], value: float
) -> None:
    assert item_value(np.array([values]), np.array(prohibited))[0] == pytest.approx(value)


def test_prohibitions_alone_have_no_value() -> None:
    assert np.isnan(item_value(np.array([[1.0, 1.0]]), np.array([True, True]))).all()


@given(st.lists(shares, min_size=1, max_size=6), st.lists(shares, max_size=4), st.integers(0, 9), shares)
def test_the_value_of_an_item_is_within_0_and_1_and_never_falls_when_one_question_rises(
    others: list[float], avoided: list[float], which: int, up: float
) -> None:
    values = np.array([[*others, *avoided]])
    prohibited = np.array([False] * len(others) + [True] * len(avoided))
    raised = values.copy()
    at = which % values.size
    raised[0, at] = max(raised[0, at], up)
    before, after = item_value(values, prohibited)[0], item_value(raised, prohibited)[0]
    assert -1e-12 <= before <= after + 1e-12 <= 1 + 1e-9


def test_marks_are_1_to_5_and_yes_counts_from_one_half() -> None:
    assert mark_of(np.array([0, 0.25, 0.7425, 1])).tolist() == pytest.approx([1, 2, 3.97, 5])
    assert yes_or_no(np.array([0.5, 0.499999, 1, 0])).tolist() == [1, 0, 1, 0]


def test_a_mark_with_a_fraction_takes_the_place_of_the_nearest_whole_one() -> None:
    marks = np.array([3.97, 1.4, 2.5, 4.49, 5, NAN])
    assert mark_places(marks).tolist() == [3, 0, 2, 3, 4, -1]
    assert nearest_mark(marks)[:5].tolist() == [4, 1, 3, 4, 5]


def test_the_moments_of_marks_with_fractions_are_those_of_the_marks() -> None:
    found = moments_of(np.array([3.97, 1.03]))
    assert found is not None
    assert (found.n, found.mean, found.sd) == (2, pytest.approx(2.5), pytest.approx(1.47))
    whole = moments_of(np.array([4.0, 1.0]))
    assert whole is not None
    assert (whole.mean, whole.sd) == (2.5, 1.5)
    assert moments_of(np.zeros(0)) is None


def test_a_weighted_mean_is_over_the_known_values_with_a_weight() -> None:
    values = np.array([[1.0, 0.0, np.nan], [np.nan, np.nan, 0.5], [0.25, 0.75, 1.0]])
    weights = np.array([[3.0, 1.0, 9.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    np.testing.assert_allclose(weighted_mean(values, weights), [0.75, np.nan, 0.5])


def test_the_harmonic_mean_of_precision_and_recall_is_0_where_both_are() -> None:
    p, r = np.array([0.5, 0.0, 1.0, 0.0, np.nan]), np.array([1.0, 0.0, 1.0, 0.7, 1.0])
    np.testing.assert_allclose(harmonic_mean(p, r), [2 / 3, 0, 1, 0, np.nan])


def test_a_target_is_reached_at_and_above_it() -> None:
    ratings, targets = np.array([1.0, 3.0, 4.5, 2.0, np.nan, 1.0]), np.array([5.0, 5.0, 4.0, 1.0, 4.0, 1.0])
    np.testing.assert_allclose(share_of_target(ratings, targets), [0, 0.5, 1, 1, np.nan, 1])

"""The tests by which a judge passes the screening, against numbers by hand and other code."""

from __future__ import annotations

from math import sqrt

import pytest
from scipy.stats import ttest_1samp

from nullbench_site.stats.judge_screening import all_pass, correlation_within_item, mean_correlation, mean_share

ORDER = (("right", "half"), ("right", "wrong"), ("right", "worse"), ("half", "worse"), ("wrong", "worse"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"right": 5, "half": 3, "wrong": 3, "worse": 1}, (1, 5)),
        ({"right": 1, "half": 3, "wrong": 3, "worse": 5}, (-1, 5)),
        ({"right": 5, "half": 5, "wrong": 5, "worse": 5}, (0, 5)),
        ({"right": 5, "half": 5, "wrong": 3, "worse": 1}, (4 / 5, 5)),
        ({"right": 5, "half": 3, "wrong": 4, "worse": 4}, (2 / 5, 5)),
        ({"right": 5, "wrong": 1}, (1, 1)),
        ({"right": 0.4, "wrong": 0.4}, (0, 1)),
        ({"right": None, "half": 3, "wrong": 3, "worse": 1}, (-1 / 5, 5)),
        ({"right": 5, "half": None, "wrong": 3, "worse": 1}, (1 / 5, 5)),
        ({"right": 5}, None),
        ({"half": 3, "wrong": 1}, None),
        ({}, None),
    ],
)
def test_the_correlation_within_an_item_counts_pairs_in_the_known_order(
    values: dict[str, float | None], expected: tuple[float, int] | None
) -> None:
    found = correlation_within_item(values, ORDER)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert (found[0], found[1]) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.parametrize("limit", [0.2, 0.6, 0.9])
def test_the_mean_of_correlations_is_tested_as_a_mean_of_items(limit: float) -> None:
    items = [1.0, 0.6, 1.0, 0.2, 0.8, 1.0, -0.2, 1.0]
    found = mean_correlation([(value, 5) for value in items], limit)
    other = ttest_1samp(items, limit, alternative="greater")
    assert found.p == pytest.approx(float(other.pvalue))
    interval = ttest_1samp(items, 0).confidence_interval(0.95)
    assert (found.figure.low, found.figure.high) == (pytest.approx(interval.low), 1)


def test_a_judge_that_is_right_everywhere_has_an_interval_that_one_wrong_pair_would_make() -> None:
    found = mean_correlation([(1.0, 5)] * 10, 0.6)
    error = sqrt((2 / 5) ** 2 / 10 / 10)
    assert found.figure.low == pytest.approx(1 - 2.262157 * error)
    assert 0 < found.p < 0.001
    of_two = mean_correlation([(1.0, 1)] * 10, 0.6)
    assert of_two.figure.low is not None
    assert of_two.figure.low < 0.6
    assert of_two.p > 0.025
    assert mean_correlation([(1.0, 1)] * 20, 0.6).p < 0.001


def test_too_few_items_are_not_measured() -> None:
    found = mean_correlation([(1.0, 5)] * 5, 0.6)
    assert (found.figure.value, found.figure.reason, found.p) == (None, "fewer than 6 items", 1)
    assert mean_correlation([(1.0, 5)] * 6, 0.6).figure.value == 1


@pytest.mark.parametrize(
    ("n_right", "n", "limit", "above"),
    [(10, 10, 0.5, True), (9, 10, 0.5, True), (8, 10, 0.5, False), (15, 20, 0.5, True), (14, 20, 0.5, False),
     (10, 10, 0.6, True), (9, 10, 0.6, False), (17, 20, 0.6, True), (16, 20, 0.6, False)],
)  # fmt: skip
def test_the_p_of_a_share_is_below_0_025_where_its_interval_is_above_the_limit(
    n_right: int, n: int, limit: float, above: bool
) -> None:
    found = mean_share([1.0] * n_right + [0.0] * (n - n_right), limit)
    assert found.figure.low is not None
    assert (found.figure.low > limit, found.p < 0.025) == (above, above)


def test_a_candidate_has_the_largest_p_of_its_tests_and_none_without_tests() -> None:
    assert all_pass([0.01, 0.2, 0.001]) == 0.2
    assert all_pass([]) == 1
    assert mean_share([], 0.5).p == 1

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.estimates import (
    Interval,
    clustered_standard_error,
    grouped_mean_standard_error,
    normal_interval,
    standard_errors,
)

ITEMS = st.lists(st.tuples(st.floats(0, 100), st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=30)


def columns(items: list[tuple[float, int, int]]) -> tuple[list[float], list[int], list[int]]:
    return [i[0] for i in items], [i[1] for i in items], [i[2] for i in items]


@pytest.mark.parametrize(("n", "published"), [(1000, 0.011), (100, 0.036)])
def test_with_every_item_its_own_cluster_it_is_the_binomial_error_of_the_measurement_model(
    n: int, published: float
) -> None:
    """Measurement model, section 2: S = 0.85 gives SE ~ 0.011 at n = 1000 and ~ 0.036 at n = 100.

    That is sqrt(S (1-S) / n) = 0.011292. With G = n clusters the factor G/(G-1) makes it
    sqrt(S (1-S) / (n - 1)) = 0.011297: the same three digits.
    """
    right = round(0.85 * n)
    values = [1.0] * right + [0.0] * (n - right)
    se = clustered_standard_error(values, range(n))
    assert se == pytest.approx(sqrt(0.85 * 0.15 / (n - 1)), rel=1e-12)
    assert se == pytest.approx(published, abs=0.0005)


def test_a_clustered_error_worked_by_hand() -> None:
    """Two texts, two items each: 0, 0 and 1, 1. Mean 0.5, residuals sum to -1 and +1.

    sqrt( 2/1 * (1 + 1) ) / 4 = 0.5. As four independent items it would be sqrt(4/3 * 4 * 0.25) / 4 =
    0.288675.
    """
    assert clustered_standard_error([0, 0, 1, 1], [7, 7, 9, 9]) == pytest.approx(0.5)
    assert clustered_standard_error([0, 0, 1, 1], [1, 2, 3, 4]) == pytest.approx(0.288675, abs=1e-6)


def test_opposite_residuals_within_a_text_cancel() -> None:
    """Texts with items 0 and 1 each: every text has the same mean, so the texts tell no difference."""
    assert clustered_standard_error([0, 1, 0, 1], [1, 1, 2, 2]) == 0


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([5.0], [0]), ([1.0, 2.0, 3.0], [4, 4, 4])])
def test_fewer_than_two_texts_tell_no_error(values: list[float], clusters: list[int]) -> None:
    assert clustered_standard_error(values, clusters) is None


def test_the_error_of_a_mean_of_group_means_worked_by_hand() -> None:
    """Group A: 0, 100 (mean 50); group B: 50, 70, 90 (mean 70); five texts.

    w r: A -50/4 = -12.5 and 12.5; B -20/6 = -3.3333, 0, 3.3333. Squares sum to 312.5 + 22.2222 = 334.7222;
    times 5/4 = 418.4028; the root is 20.4549.
    """
    se = grouped_mean_standard_error([0, 100, 50, 70, 90], [0, 0, 1, 1, 1], [0, 1, 2, 3, 4])
    assert se == pytest.approx(20.4549, abs=1e-4)


def test_a_text_that_serves_two_groups_is_summed_across_them_by_hand() -> None:
    """As above, but the item 0 of A and the item 90 of B come from one text: -12.5 + 3.3333 = -9.1667.

    Squares 84.0278 + 156.25 + 11.1111 + 0 = 251.3889; four texts, times 4/3 = 335.1852; the root is 18.3081.
    """
    se = grouped_mean_standard_error([0, 100, 50, 70, 90], [0, 0, 1, 1, 1], [0, 1, 2, 3, 0])
    assert se == pytest.approx(18.3081, abs=1e-4)


def test_groups_of_one_text_each_tell_no_error_rather_than_a_false_zero() -> None:
    assert grouped_mean_standard_error([10, 90, 30], [0, 1, 2], [5, 6, 7]) is None
    assert grouped_mean_standard_error([10, 20, 90, 80], [0, 0, 1, 1], [5, 5, 6, 6]) is None


def test_one_group_is_a_plain_mean() -> None:
    values, clusters = [10, 40, 80, 90], [0, 0, 1, 2]
    assert grouped_mean_standard_error(values, [3] * 4, clusters) == clustered_standard_error(values, clusters)


def test_the_error_of_a_clustered_mean_matches_a_simulation_of_texts() -> None:
    """20 texts of 3 items share a text effect (sd 10) and have their own noise (sd 5).

    The variance of the mean is (100 + 25/3) / 20, its root 2.327. The average squared estimate over 2000
    simulated benchmarks must meet it; an estimate that took the items as independent would say 1.43.
    """
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(20), 3)
    squares = []
    for _ in range(2000):
        values = 50 + rng.normal(0, 10, 20)[clusters] + rng.normal(0, 5, 60)
        se = clustered_standard_error(values, clusters)
        assert se is not None
        squares.append(se**2)
    assert sqrt(np.mean(squares)) == pytest.approx(sqrt((100 + 25 / 3) / 20), rel=0.02)


@given(ITEMS, st.randoms())
def test_the_order_of_items_does_not_move_the_error(items: list[tuple[float, int, int]], random: Any) -> None:
    shuffled = items[:]
    random.shuffle(shuffled)
    straight, mixed = (grouped_mean_standard_error(*columns(rows)) for rows in (items, shuffled))
    assert mixed == (None if straight is None else pytest.approx(straight, abs=1e-9))


@given(ITEMS)
def test_copying_every_item_of_a_text_leaves_the_error(items: list[tuple[float, int, int]]) -> None:
    """A second copy of the same question is no new evidence."""
    once, twice = (grouped_mean_standard_error(*columns(rows)) for rows in (items, items + items))
    assert twice == (None if once is None else pytest.approx(once, abs=1e-9))


@given(ITEMS)
def test_names_of_groups_and_texts_do_not_matter(items: list[tuple[float, int, int]]) -> None:
    values, groups, clusters = columns(items)
    renamed = grouped_mean_standard_error(values, [9 - g for g in groups], [-100 * c for c in clusters])
    straight = grouped_mean_standard_error(values, groups, clusters)
    assert renamed == (None if straight is None else pytest.approx(straight, abs=1e-9))


@pytest.mark.parametrize(
    ("values", "clusters", "message"),
    [
        ([1.0, float("nan")], [0, 1], "values must be finite"),
        ([1.0, 2.0], [0], "clusters must be 2 integers"),
        ([1.0, 2.0], [0.5, 1.5], "clusters must be 2 integers"),
        ([[1.0, 2.0]], [0, 1], "1 dimension"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(values: Any, clusters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        clustered_standard_error(values, clusters)


def test_the_interval_of_the_measurement_model() -> None:
    """Section 2: n = 1000, S = 0.85, SE ~ 0.011: [0.828, 0.872]."""
    interval = normal_interval(0.85, sqrt(0.85 * 0.15 / 1000))
    assert interval.low == pytest.approx(0.828, abs=0.0005)
    assert interval.high == pytest.approx(0.872, abs=0.0005)


def test_the_factor_of_95_percent_is_1_959964() -> None:
    interval = normal_interval(0, 1)
    assert (interval.low, interval.high) == pytest.approx((-1.959964, 1.959964), abs=1e-6)


def test_another_level_has_another_factor() -> None:
    assert normal_interval(0, 1, 0.99).high == pytest.approx(2.575829, abs=1e-6)


def test_an_interval_is_clipped_to_what_a_score_can_be() -> None:
    assert normal_interval(99, 10, lower=0, upper=100).high == 100
    assert normal_interval(1, 10, lower=0, upper=100).low == 0
    assert normal_interval(50, 1, lower=0, upper=100) == normal_interval(50, 1)
    assert normal_interval(1, 10).low < 0


def test_no_spread_is_an_interval_of_no_width() -> None:
    assert normal_interval(40, 0) == Interval(40, 40)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mean": 1, "se": -1}, "se finite and >= 0"),
        ({"mean": float("nan"), "se": 1}, "mean must be finite"),
        ({"mean": 1, "se": 1, "level": 95}, "level"),
        ({"mean": 1, "se": 1, "lower": 2, "upper": 1}, "lower must not exceed"),
    ],
)
def test_an_interval_of_nonsense_is_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        normal_interval(**arguments)


def test_equal_weights_are_the_unweighted_standard_error():
    values, groups, clusters = [1.0, 3.0, 10.0, 20.0], [0, 0, 1, 1], [0, 1, 2, 3]
    unweighted = grouped_mean_standard_error(values, groups, clusters)
    assert grouped_mean_standard_error(values, groups, clusters, weights=[2, 2]) == unweighted


def test_a_group_weighs_in_the_standard_error_as_in_the_mean():
    """Residuals -1, 1 weigh 0.9/2 and -5, 5 weigh 0.1/2: squares 2 * 0.45^2 + 2 * 0.25^2 = 0.53; times 4/3, rooted."""
    se = grouped_mean_standard_error([1, 3, 10, 20], [0, 0, 1, 1], [0, 1, 2, 3], weights=[0.9, 0.1])
    assert se == pytest.approx((0.53 * 4 / 3) ** 0.5)


def test_standard_errors_by_group_worked_by_hand() -> None:
    """Group 0: 80 and 60, s = sqrt(200), over sqrt(2) is 10. Group 1 has one value, 2 has none, 3 has no spread."""
    errors = standard_errors([80, 50, 60, 5, 5, 5], [0, 1, 0, 3, 3, 3])
    assert errors[0] == pytest.approx(10.0)
    assert np.isnan(errors[1:3]).all()
    assert errors[3] == 0.0


@given(ITEMS)
def test_standard_errors_by_group_are_those_of_each_group_by_itself(items: list[tuple[float, int, int]]) -> None:
    values, groups, _ = columns(items)
    for group, error in enumerate(standard_errors(values, groups).tolist()):
        own = [value for value, of in zip(values, groups, strict=True) if of == group]
        alone = clustered_standard_error(own, range(len(own)))
        assert (None if np.isnan(error) else error) == (None if alone is None else pytest.approx(alone, abs=1e-9))


@pytest.mark.parametrize(("values", "groups"), [([1.0], [0, 1]), ([np.nan], [0]), ([1.0], [0.5])])
def test_standard_errors_by_group_refuse_what_does_not_fit(values: list[float], groups: list[Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        standard_errors(values, groups)

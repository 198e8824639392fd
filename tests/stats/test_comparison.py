from __future__ import annotations

from math import inf, isnan, nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.comparison import PairedDifference, frontier, nearest, paired_difference
from nullbench_site.stats.estimates import Interval, clustered_standard_error

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


COORDINATE = st.one_of(st.just(nan), st.integers(10, 50).map(lambda tenths: tenths / 10))
PROFILES = st.lists(st.lists(COORDINATE, min_size=4, max_size=4), max_size=12)


def test_distances_worked_by_hand() -> None:
    """From the first to the second: (1 + 1 + 4) / 3 = 2, the root 1.414214; to the third: (0 + 0 + 9) / 3 = 3."""
    found = nearest([[1, 2, 3], [2, 3, 5], [1, 2, 6]], 2)
    assert found.places.tolist() == [[1, 2], [2, 0], [1, 0]]
    assert found.distances[0] == pytest.approx([sqrt(2), sqrt(3)])
    assert found.distances[1] == pytest.approx([1, sqrt(2)])


def test_a_coordinate_that_one_lacks_is_left_out_for_both() -> None:
    """(1 + 1 + 1) / 3, not the 100 points of the coordinate that only one has."""
    assert nearest([[1, 1, 1, 100], [2, 2, 2, nan]], 1).distances.tolist() == [[1.0], [1.0]]


def test_those_that_share_fewer_than_three_coordinates_are_no_neighbours() -> None:
    found = nearest([[1, 1, nan, 1], [1, 1, 1, nan]], 1)
    assert found.places.tolist() == [[-1], [-1]]
    assert np.isnan(found.distances).all()
    assert nearest([[1, 1, nan, 1], [1, 1, 1, nan]], 1, least=2).places.tolist() == [[1], [0]]


def test_there_are_no_more_neighbours_than_others() -> None:
    assert nearest([[1, 1, 1], [2, 2, 2]], 3).places.tolist() == [[1, -1, -1], [0, -1, -1]]
    assert nearest(np.empty((0, 3)), 3).places.shape == (0, 3)


def test_the_first_by_place_is_the_nearer_of_two_at_one_distance() -> None:
    assert nearest([[1, 1, 1], [2, 2, 2], [0, 0, 0], [1, 1, 1]], 3).places[0].tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    ("profiles", "k", "least"), [([1.0, 2.0], 1, 3), ([[1.0, np.inf]], 1, 3), ([[1.0]], -1, 3), ([[1.0]], 1, 0)]
)
def test_what_is_no_table_of_profiles_is_refused(profiles: object, k: int, least: int) -> None:
    with pytest.raises(ValueError, match=r"profiles|least"):
        nearest(profiles, k, least=least)  # type: ignore[arg-type]


@given(PROFILES, st.integers(0, 5))
def test_the_neighbours_are_those_of_the_formula_in_plain_python(profiles: list[list[float]], k: int) -> None:
    table = np.array(profiles, dtype=np.float64).reshape(len(profiles), 4)
    found = nearest(table, k)
    for place, profile in enumerate(profiles):
        near = []
        for other, values in enumerate(profiles):
            squares = [(x - y) ** 2 for x, y in zip(profile, values, strict=True) if not isnan(x + y)]
            if other != place and len(squares) >= 3:
                near.append(sqrt(sum(squares) / len(squares)))
        expected = sorted(near)[:k]
        distances = found.distances[place]
        assert distances[: len(expected)] == pytest.approx(expected)
        assert np.isnan(distances[len(expected) :]).all()
        assert place not in found.places[place]


POINTS = st.lists(st.tuples(st.integers(0, 9).map(float), st.integers(0, 9).map(float)), max_size=30)


def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and one != other


def test_a_frontier_worked_by_hand() -> None:
    """(3, 80) is dearer than (2, 80) and no better; (5, 70) is beaten by three; (9, 90) is the best of all."""
    assert frontier([(9, 90), (1, 50), (3, 80), (5, 70), (2, 80)]) == (1, 4, 0)


def test_equal_points_stay_together_in_the_order_of_their_places() -> None:
    assert frontier([(2, 80), (1, 50), (2, 80), (2, 79)]) == (1, 0, 2)


def test_of_one_cost_only_the_best_stays_and_of_one_quality_only_the_cheapest() -> None:
    assert frontier([(1, 10), (1, 20), (2, 20), (3, 20)]) == (1,)


def test_no_point_has_no_frontier() -> None:
    assert frontier([]) == ()


@pytest.mark.parametrize("point", [(nan, 1.0), (1.0, nan), (inf, 1.0), (1.0, -inf)])
def test_what_is_not_measured_is_refused(point: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        frontier([(1.0, 1.0), point])


@given(POINTS)
def test_exactly_the_points_that_none_beats_are_on_it_the_cheapest_first(points: list[tuple[float, float]]) -> None:
    on_it = frontier(points)
    unbeaten = {place for place, point in enumerate(points) if not any(beats(other, point) for other in points)}
    assert set(on_it) == unbeaten
    assert len(on_it) == len(unbeaten)
    assert list(on_it) == sorted(on_it, key=lambda place: (points[place][0], place))

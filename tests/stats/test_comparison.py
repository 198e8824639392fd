from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.comparison import frontier, nearest

COORDINATE = st.one_of(st.just(nan), st.integers(10, 50).map(lambda tenths: tenths / 10))
PROFILES = st.lists(st.lists(COORDINATE, min_size=4, max_size=4), max_size=12)


def test_distances_worked_by_hand() -> None:
    """From the first to the second: (1 + 1 + 4) / 3 = 2, the root 1.414214; to the third: (0 + 0 + 9) / 3 = 3."""
    found = nearest([[1, 2, 3], [2, 3, 5], [1, 2, 6]], 2)
    assert found.places.tolist() == [[1, 2], [2, 0], [1, 0]]
    assert found.distances[0] == pytest.approx([sqrt(2), sqrt(3)])
    assert found.distances[1] == pytest.approx([1, sqrt(2)])


def test_the_neighbours_of_some_are_those_they_have_among_all() -> None:
    profiles = [[1, 2, 3], [2, 3, 5], [1, 2, 6]]
    every, found = nearest(profiles, 2), nearest(profiles, 2, some=[2, 0])
    assert found.places.tolist() == every.places[[2, 0]].tolist()
    assert found.distances.tolist() == every.distances[[2, 0]].tolist()


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

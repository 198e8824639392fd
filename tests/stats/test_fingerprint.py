from __future__ import annotations

from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.fingerprint import nearest

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

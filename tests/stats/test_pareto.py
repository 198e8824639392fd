from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.pareto import frontier

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

"""What controls say of a panel: when a damage is seen, and when a ladder of doses is in order."""

import numpy as np
import pytest

from nullbench_site.scoring.controls import in_order, seen
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.estimate import paired_difference

ITEMS = np.arange(8)
ONE_GROUP = np.zeros(8, dtype=np.int64)
WHOLE = np.array([90.0, 80, 100, 70, 90, 80, 100, 70])


def drop(*less: float) -> bool | None:
    return seen(paired_difference(WHOLE, WHOLE - np.array(less), ONE_GROUP, ITEMS))


def test_a_damage_is_seen_where_its_interval_is_above_0() -> None:
    assert drop(10, 12, 8, 11, 9, 10, 12, 8) is True
    assert drop(10, -12, 8, -11, 9, -10, 12, -8) is False
    assert drop(-10, -12, -8, -11, -9, -10, -12, -8) is False, "a higher mark is no sight of it"


def test_a_drop_that_is_the_same_on_every_item_is_seen_and_no_drop_at_all_is_not() -> None:
    assert drop(*[25.0] * 8) is True
    assert drop(*[0.0] * 8) is False


def test_too_few_items_tell_nothing() -> None:
    few = np.where(ITEMS < 3, WHOLE, np.nan)
    assert seen(paired_difference(few, few - np.array([5, 6, 7, 5, 6, 7, 5, 6]), ONE_GROUP, ITEMS)) is None
    nothing = np.full(8, np.nan)
    assert seen(paired_difference(nothing, WHOLE, ONE_GROUP, ITEMS)) is None


@pytest.mark.parametrize(
    ("rungs", "expected"),
    [
        ([[90, 80], [80, 70], [60, 50]], True),
        ([[90, 80], [80, 70], [80, 70]], False),
        ([[90, 80], [60, 50], [80, 70]], False),
        ([[90, 80], [95, 85]], False),
        ([[90, 80], [80, np.nan], [70, 100]], True),
        ([[90, np.nan], [np.nan, 70]], None),
    ],
)
def test_a_ladder_is_in_order_where_each_dose_scores_lower_on_the_same_items(
    rungs: list[list[float]], expected: bool | None
) -> None:
    arrays: list[Floats] = [np.tile(np.array(rung, dtype=np.float64), 6) for rung in rungs]
    assert in_order(arrays, seen=True) is expected
    assert in_order(arrays, seen=None) is None
    assert in_order(arrays, seen=False) is (None if expected is None else False)
    assert in_order([rung[:5] for rung in arrays], seen=True) is None

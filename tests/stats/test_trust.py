from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.trust import (
    Level,
    agreement_level,
    sampling_level,
    validity_level,
)

ORDER: list[Level] = ["low", "medium", "high"]


@pytest.mark.parametrize(
    ("n_items", "se", "level"),
    [
        (1001, 1.49, "high"),
        (1000, 0.5, "medium"),
        (1001, 1.5, "medium"),
        (5000, 1.7, "medium"),
        (200, 4.0, "medium"),
        (600, 3.0, "medium"),
        (200, 4.01, "low"),
        (5000, 4.01, "low"),
        (199, 0.1, "low"),
        (199, None, "low"),
        (200, None, "absent"),
    ],
)
def test_items_and_standard_error_have_both_to_reach_a_class_of_exhibit_7(
    n_items: int, se: float | None, level: Level
) -> None:
    """High n > 1000 and SE < 1.5, medium n = 200-1000 and SE 2-4, low n < 200 or SE > 4; a gap is the class below."""
    assert sampling_level(n_items, se) == level


@pytest.mark.parametrize(
    ("alpha", "level"),
    [(1.0, "high"), (0.80, "high"), (0.79, "medium"), (0.60, "medium"), (0.59, "low"), (-0.2, "low"), (None, "absent")],
)
def test_the_agreement_of_a_panel_has_the_classes_of_exhibit_7(alpha: float | None, level: Level) -> None:
    assert agreement_level(3, alpha) == level


@pytest.mark.parametrize("n_judges", [0, 1])
def test_the_agreement_of_a_single_judge_is_not_measured_whatever_the_panel_agrees_on(n_judges: int) -> None:
    assert agreement_level(n_judges, 0.95) == agreement_level(n_judges, None) == "absent"


def test_a_single_benchmark_is_at_most_medium_and_low_at_the_null_floor() -> None:
    assert validity_level(above_null_floor=True) == "medium"
    assert validity_level(above_null_floor=False) == "low"
    assert validity_level(above_null_floor=None) == "absent"
    assert validity_level(above_null_floor=True, in_order=False) == "low"
    assert validity_level(above_null_floor=True, in_order=None) == "absent"
    assert validity_level(above_null_floor=False, in_order=None) == "low"


@given(st.integers(0, 3000), st.integers(0, 3000), st.floats(0, 10), st.floats(0, 10))
def test_more_items_and_a_smaller_error_never_lower_the_class(n: int, more: int, se: float, less: float) -> None:
    lower, higher = sampling_level(min(n, more), max(se, less)), sampling_level(max(n, more), min(se, less))
    assert ORDER.index(lower) <= ORDER.index(higher)

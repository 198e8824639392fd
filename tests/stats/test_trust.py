from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.trust import (
    Level,
    agreement_level,
    plain_error,
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
        (200, None, None),
    ],
)
def test_items_and_standard_error_have_both_to_reach_a_class_of_exhibit_7(
    n_items: int, se: float | None, level: Level | None
) -> None:
    """High n > 1000 and SE < 1.5, medium n = 200-1000 and SE 2-4, low n < 200 or SE > 4; a gap is the class below."""
    assert sampling_level(n_items, se) == level


@pytest.mark.parametrize(
    ("value", "coefficient", "level"),
    [
        (1.0, "alpha", "high"), (0.80, "alpha", "high"), (0.7999, "alpha", "medium"), (0.667, "alpha", "medium"),
        (0.66, "alpha", "low"), (0.60, "alpha", "low"), (-0.2, "alpha", "low"), (None, "alpha", None),
        (0.80, "kappa", "high"), (0.66, "kappa", "medium"), (0.60, "kappa", "medium"), (0.59, "kappa", "low"),
    ],
)  # fmt: skip
def test_agreement_has_one_scale_for_each_coefficient(
    value: float | None, coefficient: Literal["alpha", "kappa"], level: Level | None
) -> None:
    """Krippendorff (2004): 0.667 and 0.80 for alpha; Exhibit 7: 0.60 and 0.80 for kappa."""
    assert agreement_level(value, coefficient) == level


def test_a_single_benchmark_is_at_most_medium_and_low_at_the_null_floor() -> None:
    assert validity_level(above_null_floor=True) == "medium"
    assert validity_level(above_null_floor=False) == "low"
    assert validity_level(above_null_floor=None) is None
    assert validity_level(above_null_floor=True, in_order=False) == "low"
    assert validity_level(above_null_floor=True, in_order=None) is None
    assert validity_level(above_null_floor=False, in_order=None) == "low"


@given(st.integers(0, 3000), st.integers(0, 3000), st.floats(0, 10), st.floats(0, 10))
def test_more_items_and_a_smaller_error_never_lower_the_class(n: int, more: int, se: float, less: float) -> None:
    lower, higher = sampling_level(min(n, more), max(se, less)), sampling_level(max(n, more), min(se, less))
    assert lower is not None
    assert higher is not None
    assert ORDER.index(lower) <= ORDER.index(higher)


@pytest.mark.parametrize(("n", "error", "low", "high"), [(1000, 1.1, 82.8, 87.2), (100, 3.6, 78.0, 92.0)])
def test_the_plain_standard_error_is_that_of_a_share(n: int, error: float, low: float, high: float) -> None:
    """The two examples of section 2: S = 0.85 with 1000 and with 100 items."""
    found = plain_error(85, n)
    assert found is not None
    assert round(found, 1) == error
    assert (round(85 - 1.96 * found), round(85 + 1.96 * found)) == (round(low), round(high))


def test_the_plain_standard_error_needs_items_and_a_share() -> None:
    assert plain_error(50, 0) is None
    with pytest.raises(ValueError, match="from 0 to 100"):
        plain_error(100.5, 10)


def test_a_score_that_is_cited_for_too_much_is_low_whatever_else_holds() -> None:
    assert validity_level(True, True, too_far=True) == "low"

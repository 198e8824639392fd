from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.resources import qpr_pct, quality_per_resource


def test_quality_per_resource_worked_by_hand() -> None:
    """Quality 90, 2 s, 9 GB: 90 / (2^1 * 9^0.5) = 90 / 6 = 15."""
    assert quality_per_resource(90, 2, 9).value == pytest.approx(15)


def test_half_the_time_counts_for_as_much_as_a_quarter_of_the_memory() -> None:
    base = quality_per_resource(80, 4, 16).value
    assert base == pytest.approx(5)
    assert quality_per_resource(80, 2, 16).value == pytest.approx(10)
    assert quality_per_resource(80, 4, 4).value == pytest.approx(10)


def test_no_quality_for_any_resource_is_zero() -> None:
    assert quality_per_resource(0, 2, 9).value == 0


@pytest.mark.parametrize(
    ("quality", "seconds", "memory", "reason"),
    [
        (None, 2, 9, "the quality is unknown"),
        (90, None, 9, "the mean response time is unknown"),
        (90, 2, None, "the memory size is unknown"),
        (90, 0, 9, "the mean response time is not a positive number"),
        (90, 2, 0, "the memory size is not a positive number"),
        (90, 2, -1, "the memory size is not a positive number"),
        (90, math.nan, 9, "the mean response time is not a positive number"),
    ],
)
def test_a_missing_resource_makes_it_absent_with_the_reason(
    quality: float | None, seconds: float | None, memory: float | None, reason: str
) -> None:
    measure = quality_per_resource(quality, seconds, memory)
    assert (measure.value, measure.reason) == (None, reason)


def test_qpr_is_scaled_within_its_table() -> None:
    """min 5, max 15: 5 -> 0, 15 -> 100, 7.5 -> 100 * 2.5 / 10 = 25."""
    scaled = qpr_pct({"a": 15, "b": 5, "c": 7.5})
    assert {model: measure.value for model, measure in scaled.items()} == {"a": 100, "b": 0, "c": 25}


def test_a_model_without_qpr_stays_absent_and_does_not_move_the_others() -> None:
    scaled = qpr_pct({"a": 15, "cloud": None, "b": 5})
    assert list(scaled) == ["a", "cloud", "b"]
    assert scaled["cloud"].reason == "the QPR is absent"
    assert (scaled["a"].value, scaled["b"].value) == (100, 0)


@pytest.mark.parametrize("qprs", [{"a": 7.0, "b": 7.0}, {"a": 7.0}, {"a": 0.0, "b": 0.0}])
def test_a_table_whose_qprs_are_all_equal_has_none_and_not_zeros(qprs: dict[str, float | None]) -> None:
    assert {measure.reason for measure in qpr_pct(qprs).values()} == {"all QPRs are equal"}


def test_an_empty_table_stays_empty() -> None:
    assert qpr_pct({}) == {}


def test_a_qpr_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        qpr_pct({"a": math.nan, "b": 1.0})


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1e6), max_size=8))
def test_scaled_qprs_run_from_0_to_100_in_the_order_of_the_qprs(qprs: dict[str, float | None]) -> None:
    scaled = [measure.value for measure in qpr_pct(qprs).values()]
    defined = [value for value in scaled if value is not None]
    if len(set(qprs.values())) < 2:
        assert defined == []
        return
    assert (min(defined), max(defined)) == (0, 100)
    by_qpr = sorted(zip(qprs.values(), defined, strict=True))
    assert [value for _, value in by_qpr] == sorted(defined)

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.telemetry import (
    Stability,
    percentile,
    qpr_pct,
    quality_per_resource,
    stability,
    throughput_runes_per_s,
    tokens_per_s,
)

TIMES = st.lists(st.floats(0.001, 1000), min_size=1, max_size=40)


def test_a_percentile_is_interpolated_linearly() -> None:
    """95 % of the way from the first to the last of 1, 2, 3 is place 1.9: 2 + 0.9 * (3 - 2) = 2.9."""
    assert percentile([3, 1, 2], 95) == pytest.approx(2.9)
    assert percentile([3, 1, 2], 50) == 2
    assert percentile([10, 20], 50) == 15
    assert percentile([3, 1, 2], 100) == 3


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40), st.floats(0, 100))
def test_a_percentile_is_that_of_numpy_to_the_last_digit(values: list[float], q: float) -> None:
    assert percentile(values, q) == float(np.percentile(values, q))


def test_no_values_have_no_percentile() -> None:
    assert percentile([], 50) is None


def steady(times: Any) -> Stability:
    found = stability(times)
    assert isinstance(found, Stability)
    return found


def test_stability_worked_by_hand() -> None:
    """1, 2, 3 s: median 2, p95 2.9, max 3, mean 2, sd sqrt(2/3) = 0.816497.

    Tail 2/2.9 = 0.689655, extremes 2.9/3 = 0.966667, jitter 1/(1 + 0.408248) = 0.710102; their mean is 0.788808.
    """
    found = steady([1, 2, 3])
    assert found.tail == pytest.approx(0.689655, abs=1e-6)
    assert found.extremes == pytest.approx(0.966667, abs=1e-6)
    assert found.jitter == pytest.approx(0.710102, abs=1e-6)
    assert found.score == pytest.approx(0.788808, abs=1e-6)


def test_a_slower_tail_at_the_same_median_and_maximum_shows() -> None:
    """In a geometric mean of the three parts the 95th percentile cancels: median/p95 * p95/max."""
    calm, slow = steady([1.0] * 19 + [1.0, 1.0, 10.0]), steady([1.0] * 19 + [9.0, 9.0, 10.0])
    assert slow.tail * slow.extremes == pytest.approx(calm.tail * calm.extremes)
    assert slow.tail < calm.tail
    assert slow.extremes > calm.extremes


def test_equal_times_are_perfectly_stable() -> None:
    assert steady([2.5] * 7).score == pytest.approx(1)
    assert steady([0.2]).score == pytest.approx(1)


def test_one_enormous_time_caps_the_score() -> None:
    """10000 times 1 s and once 101 s: mean 1.0099990, max/mean = 100.0001, so the cap is 0.099999.

    Without it: tail 1, extremes 1/101, jitter 1/1.9900, their mean is 0.5041.
    """
    assert steady([1.0] * 10_000 + [101.0]).score == pytest.approx(0.099999, abs=1e-6)


def test_the_cap_leaves_a_score_that_is_below_it() -> None:
    """19 times 1 s and once 100 s: mean 5.95, max/mean = 16.8067, the cap 0.595.

    p95 = 1 + 0.05 * 99 = 5.95: tail 0.168067, extremes 0.0595, sd = 99 sqrt(0.05 * 0.95) = 21.576550,
    jitter 1 / (1 + 3.626311) = 0.216155; their mean is 0.147907.
    """
    assert steady([1.0] * 19 + [100.0]).score == pytest.approx(0.147907, abs=1e-6)


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        ([], "no response times"),
        ([0.0, 0.0], "the mean response time is 0"),
        ([0.0] * 99 + [1.0], "the 95th percentile of response times is 0"),
    ],
)
def test_stability_without_its_ratios_is_undefined(times: list[float], reason: str) -> None:
    assert stability(times) == reason


@given(TIMES, st.randoms())
def test_stability_lies_in_0_to_1_and_asks_neither_for_order_nor_for_units(times: list[float], random: Any) -> None:
    found = steady(times)
    assert all(0 <= part <= 1 for part in (found.score, found.tail, found.extremes, found.jitter))
    shuffled = [1000 * time for time in times]
    random.shuffle(shuffled)
    assert steady(shuffled).score == pytest.approx(found.score)


def test_throughput_is_total_over_total() -> None:
    """410 runes in 5 s are 82 per second; the mean of the two rates, 100 and 10, would be 55."""
    assert throughput_runes_per_s([400, 10], [4.0, 1.0]).value == 82


def test_tokens_are_a_quarter_of_the_runes_unless_counted() -> None:
    assert tokens_per_s([400, 10], [4.0, 1.0]).value == 20.5
    assert tokens_per_s([400, 10], [4.0, 1.0], tokens=[90, 5]).value == 19


def test_an_empty_answer_takes_time_and_adds_no_runes() -> None:
    assert throughput_runes_per_s([100, 0], [1.0, 1.0]).value == 50


@pytest.mark.parametrize(
    ("runes", "seconds", "reason"),
    [([], [], "no responses"), ([10], [0.0], "the total response time is 0")],
)
def test_a_rate_without_responses_or_time_is_undefined(runes: list[int], seconds: list[float], reason: str) -> None:
    assert throughput_runes_per_s(runes, seconds).reason == reason
    assert tokens_per_s(runes, seconds).reason == reason
    assert tokens_per_s(runes, seconds, tokens=runes).reason == reason


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

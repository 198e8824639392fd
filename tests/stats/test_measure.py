from __future__ import annotations

import math

import pytest

from nullbench_site.stats.measure import Measure, half_width


def test_a_measure_has_a_value_or_the_reason_why_not() -> None:
    assert Measure(0.5) == Measure(value=0.5, reason=None)
    assert Measure.undefined("no responses") == Measure(value=None, reason="no responses")


@pytest.mark.parametrize(("value", "reason"), [(None, None), (1.0, "both")])
def test_a_measure_with_neither_or_both_is_refused(value: float | None, reason: str | None) -> None:
    with pytest.raises(ValueError, match="either a value or a reason"):
        Measure(value, reason)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_nan_and_no_infinity_can_reach_a_page(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        Measure(value)


def test_half_of_a_95_percent_interval_is_1_96_standard_errors() -> None:
    assert half_width(10.0) == pytest.approx(19.59964, abs=1e-5)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, 95])
def test_a_level_outside_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        half_width(1.0, level)

from __future__ import annotations

import math

import pytest

from nullbench_site.stats.measure import Measure


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

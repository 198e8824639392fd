from __future__ import annotations

from math import gamma, inf, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.estimate import quantile, two_sided_p

PUBLISHED = {
    1: (12.706, 63.657), 2: (4.303, 9.925), 3: (3.182, 5.841), 4: (2.776, 4.604), 5: (2.571, 4.032),
    7: (2.365, 3.499), 10: (2.228, 3.169), 20: (2.086, 2.845), 30: (2.042, 2.750), 60: (2.000, 2.660),
    120: (1.980, 2.617), inf: (1.960, 2.576),
}  # fmt: skip
"""Degrees of freedom -> t of 95 % and of 99 %, two-sided, as tables of the distribution print it."""


@pytest.mark.parametrize("df", PUBLISHED)
def test_quantiles_are_those_of_published_tables(df: float) -> None:
    of_95, of_99 = PUBLISHED[df]
    assert float(quantile(0.95, df)) == pytest.approx(of_95, abs=5e-4)
    assert float(quantile(0.99, df)) == pytest.approx(of_99, abs=5e-4)


def test_one_degree_of_freedom_is_the_distribution_of_cauchy_and_two_have_a_closed_form_too() -> None:
    """P(|T| > t) = 1 - 2 atan(t) / pi, and 1 - t / sqrt(2 + t^2); t may be in the millions."""
    t = np.array([0.01, 0.5, 1.0, 3.0, 1e3, 1e7])
    assert two_sided_p(t, 1) == pytest.approx(2 * np.arctan(1 / t) / pi, rel=1e-10)
    assert two_sided_p(t[:4], 2) == pytest.approx(1 - t[:4] / np.sqrt(2 + t[:4] ** 2), rel=1e-10)


@pytest.mark.parametrize("df", [2.5, 7.0, 33.3])
def test_p_values_are_the_area_under_the_density(df: float) -> None:
    """By Simpson's rule over 0..2.5 on 20,000 steps."""
    x = np.linspace(0, 2.5, 20_001)
    density = gamma((df + 1) / 2) / (sqrt(df * pi) * gamma(df / 2)) * (1 + x**2 / df) ** (-(df + 1) / 2)
    weight = np.ones(x.size)
    weight[1:-1:2], weight[2:-1:2] = 4, 2
    area = float((weight * density).sum() * (x[1] - x[0]) / 3)
    assert float(two_sided_p(2.5, df)) == pytest.approx(1 - 2 * area, abs=1e-10)


@given(st.floats(1e-9, 0.9999), st.floats(0.3, 1e6))
def test_the_quantile_has_the_p_value_of_its_level(p: float, df: float) -> None:
    assert float(two_sided_p(quantile(1 - p, df), df)) == pytest.approx(1 - (1 - p), rel=1e-6)


@given(st.floats(0.5, 200), st.floats(0.5, 200))
def test_fewer_degrees_of_freedom_are_less_sure(one: float, other: float) -> None:
    few, many = sorted((one, other))
    assert quantile(0.95, few) >= quantile(0.95, many) - 1e-9
    assert two_sided_p(2, few) >= two_sided_p(2, many) - 1e-12

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.panels import panel_coverage
from nullbench_site.stats.panel import jackknife_variance, panel_errors, severity_adjustment

SCORES = st.lists(st.integers(0, 100), min_size=2, max_size=6)


def test_the_jackknife_worked_by_hand() -> None:
    """Judges 80, 70, 30: without each 50, 55, 75, mean 60; 2/3 * (100 + 25 + 225) = 233.333."""
    found = jackknife_variance([[50, 55, 75, nan], [1, nan, 1, 1]])
    assert found == pytest.approx([233.333333, 0.0], abs=1e-6)


@given(SCORES)
def test_of_a_mean_over_judges_the_jackknife_is_the_variance_of_single_judges_over_their_number(
    judges: list[int],
) -> None:
    left_out = [(sum(judges) - judge) / (len(judges) - 1) for judge in judges]
    assert jackknife_variance([left_out]) == pytest.approx(np.var(judges, ddof=1) / len(judges), abs=1e-9)


def test_one_judge_says_nothing_of_others() -> None:
    assert np.isnan(jackknife_variance([[40.0], [nan]])).all()


def errors(se: float, df: float, variance: float, judges: int) -> tuple[float, float]:
    of_one = panel_errors(np.array([se]), np.array([df]), np.array([variance]), np.array([judges]))
    return float(of_one[0][0]), float(of_one[1][0])


def test_the_error_on_items_and_judges_worked_by_hand() -> None:
    """se 3 with 20 degrees of freedom (t 2.085963), three judges as above (t 4.302653): sqrt(9 + 233.333) = 15.567060;
    (9 * 2.085963 + 233.333333 * 4.302653) / 242.333333 = 4.220327, times the error 65.698."""
    assert errors(3.0, 20.0, 700 / 3, 3) == pytest.approx((15.567059, 65.698085), abs=1e-4)


def test_judges_that_agree_leave_the_interval_as_it_is_and_items_that_agree_leave_that_of_judges() -> None:
    assert errors(3.0, 20.0, 0.0, 3) == pytest.approx((3.0, 3 * 2.085963), abs=1e-5)
    assert errors(0.0, 20.0, 9.0, 3) == pytest.approx((3.0, 3 * 4.302653), abs=1e-5)
    assert errors(0.0, 20.0, 0.0, 3) == (0.0, 0.0)


@pytest.mark.parametrize("judges", [2, 3, 5])
@pytest.mark.parametrize("sds", [(10, 0, 10), (10, 3, 5), (10, 10, 5)])
@pytest.mark.parametrize("severity", [None, 20.0])
def test_intervals_on_items_and_judges_hold_the_score_or_the_difference_of_judges_like_these(
    judges: int, sds: tuple[float, float, float], severity: float | None
) -> None:
    """Nominal 95 of 100, and never fewer than 93. sds: of items, of judges, of item x judge."""
    assert 0.93 <= panel_coverage(judges, items=40, sds=sds, runs=1500, seed=5, severity=severity) <= 0.995


NAN = nan


def test_severity_worked_by_hand() -> None:
    """Two contestants that both judges score: B gives 10 less. The third only A scores: with B it would lose half."""
    gain = severity_adjustment(np.array([[60, 50], [40, 30], [70, NAN]]), np.array([True, True, True]))
    assert isinstance(gain, np.ndarray)
    assert gain == pytest.approx([0, 0, -5])


@given(st.data())
def test_severity_is_recovered_from_scores_that_add_up(data: st.DataObject) -> None:
    n, judges = data.draw(st.integers(2, 6)), data.draw(st.integers(2, 4))
    ability = np.array(data.draw(st.lists(st.integers(0, 100), min_size=n, max_size=n)), dtype=float)
    severity = np.array(data.draw(st.lists(st.integers(-20, 20), min_size=judges, max_size=judges)), dtype=float)
    whole = ability[:, np.newaxis] + severity
    cells = whole.copy()
    for contestant in range(1, n):  # the first ties all judges together
        cells[contestant, data.draw(st.integers(0, judges - 1))] = NAN
    gain = severity_adjustment(cells, np.ones(n, dtype=bool))
    assert isinstance(gain, np.ndarray)
    assert np.nanmean(cells, axis=1) + gain == pytest.approx(whole.mean(axis=1), abs=1e-6)


def test_judges_that_no_contestant_ties_together_have_no_severity() -> None:
    found = severity_adjustment(np.array([[60, NAN], [NAN, 30]]), np.array([True, True]))
    assert found == "no contestant that two judges share ties them together"

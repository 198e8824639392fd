"""Correlations of tasks against numpy, by hand, and by least squares."""

from __future__ import annotations

from math import atanh, sqrt, tanh
from typing import Any

import numpy as np
import pytest

from nullbench_site.stats.constructs import correlation, task_correlations, without_first_factor

RNG = np.random.default_rng(5)
# Two tasks of each of two groups: what a group shares is half of what all share.
ALL, GROUP = RNG.normal(size=(40, 1)), RNG.normal(size=(40, 2)).repeat(2, axis=1)
SCORES = ALL + 0.7 * GROUP + 0.5 * RNG.normal(size=(40, 4))
FAMILIES = np.arange(40) // 4


def residual(task: Any, factor: Any) -> Any:
    """What a straight line in the factor leaves of a task."""
    design = np.column_stack([np.ones_like(factor), factor])
    return task - design @ np.linalg.lstsq(design, task, rcond=None)[0]


def test_a_correlation_is_that_of_numpy_with_an_interval_that_leaves_out_families() -> None:
    a, b = SCORES[:, 0], SCORES[:, 1]
    found = correlation(a, b, FAMILIES)
    r = np.corrcoef(a, b)[0, 1]
    assert found.value == pytest.approx(r)
    left = [atanh(np.corrcoef(a[each != FAMILIES], b[each != FAMILIES])[0, 1]) for each in range(10)]
    half = 2.2622 * sqrt(9 / 10 * sum((z - np.mean(left)) ** 2 for z in left))  # t of 9 degrees of freedom
    assert found.low == pytest.approx(tanh(atanh(r) - half), abs=1e-4)
    assert found.high == pytest.approx(tanh(atanh(r) + half), abs=1e-4)


def test_what_is_left_without_the_first_factor_is_that_of_least_squares() -> None:
    z = (SCORES - SCORES.mean(axis=0)) / SCORES.std(axis=0)
    partial = without_first_factor(np.corrcoef(SCORES, rowvar=False))
    for i, j in ((0, 1), (0, 3), (2, 1)):
        factor = np.delete(z, [i, j], axis=1).sum(axis=1)
        expected = np.corrcoef(residual(z[:, i], factor), residual(z[:, j], factor))[0, 1]
        assert partial[i, j] == pytest.approx(expected)


def test_three_tasks_by_hand() -> None:
    """All correlations 1/2: the factor of two tasks is the third, and (1/2 - 1/4) / (1 - 1/4) = 1/3."""
    r = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    assert without_first_factor(r)[0, 1] == pytest.approx(1 / 3)


def test_tasks_of_a_group_are_compared_with_those_of_other_groups() -> None:
    r = np.corrcoef(SCORES, rowvar=False)
    found = task_correlations(SCORES, [0, 0, 1, 1], FAMILIES)
    within, across = (r[0, 1] + r[2, 3]) / 2, (r[0, 2] + r[0, 3] + r[1, 2] + r[1, 3]) / 4
    assert (found.within.value, found.across.value) == (pytest.approx(within), pytest.approx(across))
    assert found.apart.value == pytest.approx(within - across)
    assert found.apart_rest.low is not None
    assert found.apart_rest.low > 0
    of_first = task_correlations(SCORES, [0, 0, 1, 1], FAMILIES, of_group=0)
    assert of_first.within.value == pytest.approx(r[0, 1])
    assert of_first.across == found.across


@pytest.mark.parametrize(
    ("scores", "groups", "families", "reason"),
    [
        (SCORES, [0, 0, 1, 1], np.zeros(40, int), "too few: 1 family of models, and a correlation needs 6"),
        (np.ones((40, 4)), [0, 0, 1, 1], FAMILIES, "all contestants, but for one family, have the same score"),
    ],
)
def test_no_correlation_without_families_or_differences(scores: Any, groups: Any, families: Any, reason: str) -> None:
    found = task_correlations(scores, groups, families)
    assert {each.reason for each in (found.within, found.across, found.apart, found.within_rest)} == {reason}


def test_one_group_has_nothing_across() -> None:
    found = task_correlations(SCORES, [0, 0, 0, 0], FAMILIES)
    assert found.within.value is not None
    assert (found.across.value, found.across.reason) == (None, "no two tasks of different groups")
    assert found.apart.value is None


def test_two_tasks_have_no_first_factor() -> None:
    found = task_correlations(SCORES[:, :2], [0, 0], FAMILIES)
    assert found.within.value is not None
    assert found.within_rest.reason == "fewer than 3 tasks"

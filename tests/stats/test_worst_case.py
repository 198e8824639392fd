"""Bounds of a mean and of a rank with missing scores, against numbers worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from nullbench_site.scoring.ranking import Strata
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.worst_case import WorstCase, worst_case

NAN = float("nan")


def plain(scores: Floats) -> float | None:
    return float(scores.mean())


@pytest.mark.parametrize(
    ("scores", "others", "expected"),
    [
        # (100 + 0 + 50 + 0) / 4 and (100 + 100 + 50 + 100) / 4; 90 is above 87.5, 90 and 60 are above 37.5
        ([100, NAN, 50, NAN], [90, 60, 37.5], WorstCase(37.5, 87.5, 2, 3)),
        ([80, 60], [75, 65], WorstCase(70, 70, 2, 2)),
        ([0, NAN], [50, 50, 10], WorstCase(0, 50, 1, 4)),
        ([100, 100, 100, NAN], [], WorstCase(75, 100, 1, 1)),
        ([NAN, NAN], [20], WorstCase(0, 100, 1, 2)),
        ([30, NAN, 30], [100 / 3 * 1.6], WorstCase(20, 160 / 3, 1, 2)),
    ],
)
def test_all_missing_scores_are_worst_or_best(scores: list[float], others: list[float], expected: WorstCase) -> None:
    found = worst_case(np.array(scores, float), np.array(others, float), plain, (0, 100))
    assert found == pytest.approx(expected)


def test_groups_keep_their_weights() -> None:
    # group 0: only a missing score; group 1: (60 + 90 + missing) / 3. Equal weights, then 3 to 1.
    scores, groups, clusters = np.array([NAN, 60, 90, NAN]), np.array([0, 1, 1, 1]), np.arange(4)
    equal = Strata(groups, clusters)
    found = worst_case(scores, np.array([91.0, 26.0, 25.0]), lambda each: equal.mean(each).value, (0, 100))
    assert found == pytest.approx((25, (100 + 250 / 3) / 2, 1, 3))
    weighted = Strata(groups, clusters, (0.75, 0.25))
    found = worst_case(scores, np.array([95.0]), lambda each: weighted.mean(each).value, (0, 100))
    assert found == pytest.approx((12.5, 75 + 250 / 12, 1, 2))


def test_another_scale_has_other_ends() -> None:
    assert worst_case(np.array([3, NAN]), np.array([4.0, 2.0]), plain, (1, 5)) == pytest.approx((2, 4, 1, 2))


def test_an_unknown_mean_has_no_bounds() -> None:
    assert worst_case(np.array([3, NAN]), np.array([4.0]), lambda _: None, (1, 5)) is None

"""Verdicts as points against a baseline: by hand, by bootstraps, and as published."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.published import expected_arena, needs_arena, verdicts

from nullbench_site.stats.preferences import ratio_items, row_bootstrap, verdict_points


def test_much_better_counts_three_times_and_a_tie_is_half() -> None:
    points, weights = verdict_points([[2, 1, 0], [-1, -2, nan]])
    assert points.tolist() == [[3, 1, 0.5], [0, 0, 0]]
    assert weights.tolist() == [[3, 1, 1], [1, 3, 0]]


def test_items_of_a_ratio_have_its_mean_and_its_linearised_error() -> None:
    # Ratio 4/8; residuals of points 2, -1, -1 over the mean weight 8/3: 75, -37.5, -37.5 from 50.
    found = ratio_items([3.0, 1.0, 0.0], [2.0, 4.0, 2.0])
    assert found == pytest.approx([125, 12.5, 12.5])
    of_one_without = ratio_items([3.0, 0.0, 1.0, 0.0], [2.0, 0.0, 4.0, 2.0])
    assert of_one_without == pytest.approx([125, nan, 12.5, 12.5], nan_ok=True)
    assert np.isnan(ratio_items([0.0], [0.0])).all()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.5, 3)), min_size=1, max_size=20))
def test_the_mean_of_the_items_of_a_ratio_is_the_ratio(games: list[tuple[float, float]]) -> None:
    points, weights = np.array([share * weight for share, weight in games]), np.array([weight for _, weight in games])
    assert ratio_items(points, weights).mean() == pytest.approx(100 * points.sum() / weights.sum())


def test_rows_drawn_one_by_one_spread_as_independent_ones_do() -> None:
    # 300 wins, 100 ties, 600 losses: 0.35 with variance 0.3 + 0.25 * 0.1 - 0.35^2 a row.
    found = row_bootstrap([300, 10], [100, 0], [600, 0], 5, rounds=4000)
    assert found[:, 0].mean() == pytest.approx(35, abs=0.1)
    assert found[:, 0].std() == pytest.approx(100 * ((0.325 - 0.35**2) / 1000) ** 0.5, rel=0.05)
    assert (found[:, 1] == 100).all()


@needs_arena
def test_published_arena_scores_are_weighted_points_over_weighted_games() -> None:
    for published in expected_arena()["models"]:
        points, weights = verdict_points(verdicts(published["model"]))
        assert (points.sum(), weights.sum()) == (published["weighted_wins"], published["weighted_n"])
        score = float(ratio_items(points.sum(axis=1), weights.sum(axis=1)).mean())
        assert score == pytest.approx(published["exact_score_percent"], abs=1e-9)
        if published["model"] != "claude-3.7-sonnet":  # the baseline against itself, published as 50
            assert score == pytest.approx(published["published_no_control"]["score"], abs=0.01)

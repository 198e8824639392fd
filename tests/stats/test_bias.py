"""Biases of judges: worked by hand, against least squares with explicit dummies, and found where they were put in."""

from __future__ import annotations

import numpy as np
import pytest

from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.bias import (
    NEVER_VARIES,
    NO_OTHER,
    RARE,
    Scored,
    corrected_items,
    flip_rate,
    self_preference,
    severity,
    within_slopes,
)

NAN = float("nan")


def test_a_slope_worked_by_hand() -> None:
    """Of two contestants on two items, what is left within both is a quarter of x11 - x12 - x21 + x22, with its sign.

    That is 0 - 1 - 0 + 3 = 2 for the feature and 50 - 60 - 40 + 56 = 6 for the scores: 3 points a unit.
    """
    scores, feature = np.array([[50.0, 60.0], [40.0, 56.0]]), np.array([[[0.0, 1.0], [0.0, 3.0]]])
    found = within_slopes(scores, feature, np.arange(2))
    assert found.values == pytest.approx([3])
    assert found.items.mean(axis=1) == pytest.approx([3])
    assert found.n == 4


def test_without_effects_of_items_a_slope_on_a_place_is_the_difference_of_both_rates() -> None:
    """Shown first an answer gets 60 and 80, shown second 50 and 30: 70 - 40 = 30 points."""
    found = within_slopes(
        np.array([[60.0, 50.0, 80.0, 30.0]]), np.array([[[1.0, 0.0, 1.0, 0.0]]]), np.arange(4), by_item=False
    )
    assert found.values == pytest.approx([30])


def simulated(seed: int, k: int = 6, n: int = 80) -> tuple[Floats, Floats]:
    """Scores of which 5 points are for a unit of length and -4 for a mark, and both features, with cells missing."""
    rng = np.random.default_rng(seed)
    better = rng.normal(0, 10, (k, 1))
    length, mark = better / 10 + rng.normal(0, 1, (k, n)), (rng.random((k, n)) < 0.3) * 1.0
    scores = 50 + better + rng.normal(0, 15, n) + 5 * length - 4 * mark + rng.normal(0, 6, (k, n))
    scores[rng.random((k, n)) < 0.1] = NAN
    return scores, np.array([length, mark])


def test_slopes_and_their_errors_equal_those_of_least_squares_with_dummies() -> None:
    scores, features = simulated(1)
    clusters = np.arange(scores.shape[1]) // 2
    found = within_slopes(scores, features, clusters)
    rows, items = np.nonzero(~np.isnan(scores))
    dummies = np.hstack([np.eye(len(scores))[rows], np.eye(scores.shape[1])[items]])
    design = np.hstack([features[:, rows, items].T, dummies])
    expected, *_ = np.linalg.lstsq(design, scores[rows, items], rcond=None)
    assert found.values == pytest.approx(expected[:2])
    within = features[:, rows, items].T
    within = within - dummies @ np.linalg.lstsq(dummies, within, rcond=None)[0]
    residual = scores[rows, items] - design @ expected
    moved = []
    for cluster in range(clusters.max() + 1):
        own = clusters[items] == cluster
        rest = within[~own].T @ within[~own]
        moved.append(np.linalg.solve(rest, within[own].T @ residual[own]))
    off = np.array(moved) - np.mean(moved, axis=0)
    c = len(off)
    assert [found.estimate(place, clusters).se for place in (0, 1)] == pytest.approx(
        (c / (c - 1) * np.square(off).sum(axis=0)) ** 0.5
    )


@pytest.mark.parametrize("seed", [5, 6])
def test_a_known_slope_on_length_and_on_a_mark_is_in_its_interval(seed: int) -> None:
    scores, features = simulated(seed)
    found = within_slopes(scores, features, np.arange(scores.shape[1]))
    for place, true in enumerate((5, -4)):
        estimate = found.estimate(place, np.arange(scores.shape[1]))
        assert estimate.reason is None
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < true < estimate.high
        assert not estimate.low < 0 < estimate.high


def test_a_better_contestant_that_writes_more_makes_no_slope() -> None:
    better = np.array([[10.0], [20.0], [60.0]])
    scores = better + np.arange(8) + 0.1 * np.random.default_rng(0).normal(size=(3, 8))
    length = better / 10 + np.random.default_rng(1).normal(size=(3, 8))
    found = within_slopes(scores, length[np.newaxis], np.arange(8))
    assert abs(found.values[0]) < 0.2


def test_a_mark_that_never_varies_or_is_rare_has_no_interval_and_says_why() -> None:
    scores, (length, _) = simulated(4)
    never, rare = np.ones(scores.shape), np.zeros(scores.shape)
    rare[0, :3] = 1.0
    found = within_slopes(scores, np.array([length, never, rare]), np.arange(scores.shape[1]))
    of_never, of_rare = (found.estimate(place, np.arange(scores.shape[1])) for place in (1, 2))
    assert (of_never.value, of_never.reason) == (None, NEVER_VARIES)
    assert of_rare.value is not None
    assert of_rare.low is None
    assert str(of_rare.reason).startswith(RARE)


def test_a_score_corrected_for_length_is_less_by_the_slope_times_what_it_is_longer() -> None:
    """score - beta * length: lengths of 3 and 1 are 1 more and 1 less than their mean; at 4 points a unit, 50 and 40
    become 46 and 44."""
    corrected = corrected_items(
        np.array([[50.0, 50.0], [40.0, 40.0]]), np.array([[3.0, 3.0], [1.0, 1.0]]), np.full(2, 4.0)
    )
    assert corrected.mean(axis=1) == pytest.approx([46, 44])


def test_the_error_of_a_corrected_score_includes_that_of_the_slope() -> None:
    corrected = corrected_items(np.full((2, 2), 50.0), np.array([[3.0, 3.0], [1.0, 1.0]]), np.array([3.0, 5.0]))
    assert corrected == pytest.approx(np.array([[47.0, 45.0], [53.0, 55.0]]))


def panel(apart: Floats, n: int = 40, seed: int = 0) -> Scored:
    """Three judges on contestants: what each judge gives to each contestant on top, and an error of 5 points."""
    rng = np.random.default_rng(seed)
    judges, contestants = apart.shape
    common = rng.normal(50, 10, (1, contestants, n))
    scores = common + apart[:, :, np.newaxis] + rng.normal(0, 5, (judges, contestants, n))
    return Scored(scores, np.zeros(n, np.int64), np.arange(n))


def test_severity_and_self_preference_worked_by_hand() -> None:
    """The first judge gives 60 and 50 where the others give 50 and 48 on average: 10 and 2, so 6 on average.

    To its own contestant, the first, it gives 10 - 2 = 8 more than to the other.
    """
    of_judges = np.array([[[60.0] * 2, [50.0] * 2], [[48.0] * 2, [47.0] * 2], [[52.0] * 2, [49.0] * 2]])
    scored = Scored(of_judges, [0, 0], [0, 1])
    assert severity(scored, 0).value == pytest.approx(6)
    assert severity(scored, 0).n == 4
    found = self_preference(scored, 0, np.array([True, False]))
    assert found.value == pytest.approx(8)


def test_a_severe_judge_and_one_that_prefers_its_family_are_found() -> None:
    scored = panel(np.array([[-6.0, -6.0, -6.0, -6.0], [0.0, 0.0, 0.0, 0.0], [7.0, 7.0, 0.0, 0.0]]))
    severe = severity(scored, 0)
    assert severe.low is not None
    assert severe.high is not None
    assert severe.low < -6 - 3.5 / 2 < severe.high < 0
    own = np.array([True, True, False, False])
    prefers, fair = (self_preference(scored, judge, own) for judge in (2, 0))
    assert prefers.low is not None
    assert prefers.high is not None
    assert 0 < prefers.low < 7 < prefers.high
    assert fair.low is not None
    assert fair.high is not None
    assert fair.low < -3.5 < fair.high


def test_a_single_judge_has_no_severity() -> None:
    assert severity(panel(np.zeros((1, 2))), 0).reason == NO_OTHER


def test_flips_are_a_share_of_the_games_in_both_orders() -> None:
    """3 of 12 games on six items flip."""
    found = flip_rate([1, 0, 1, 0, 1, 0], [2, 2, 2, 2, 2, 2])
    assert found.value == pytest.approx(25)
    assert found.n == 12
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 25 < found.high
    assert flip_rate([0, 0], [0, 0]).reason == "no game was judged in both orders"


@pytest.mark.parametrize(("k", "n"), [(9, 805), (5, 1200), (12, 400)])
def test_effects_of_a_large_complete_table_are_taken_out_exactly(k: int, n: int) -> None:
    """The means of rows and columns of a complete table are its effects; one of them all is a matter of convention."""
    rng = np.random.default_rng(k)
    scores, feature = rng.uniform(0, 100, (k, n)), rng.uniform(8, 12, (k, n))
    x, y = (each - each.mean(axis=1, keepdims=True) - each.mean(axis=0) + each.mean() for each in (feature, scores))
    found = within_slopes(scores, feature[np.newaxis], np.arange(n))
    assert found.values == pytest.approx([(x * y).sum() / (x * x).sum()], rel=1e-10)

"""Bradley-Terry strengths: by hand, against evalica and choix, where they have no bound, and how sure they are."""

from __future__ import annotations

from math import isnan, log

import choix
import evalica
import numpy as np
import pytest

from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.estimate import quantile
from nullbench_site.stats.pairings import scheduled_pairs
from nullbench_site.stats.strength import (
    Games,
    Strengths,
    bradley_terry,
    mean_leverage,
    score_influence,
    strength_influence,
)

SHRUNK = 0.839
"""Of strengths that answers vary around by 0.7: the share that a board of all pairs on 400,000 prompts finds."""


def games_of(rows: list[tuple[int, int, float]], k: int) -> Games:
    """(first, second, points of the first) of games of weight 1."""
    first, second, points = (np.array(column) for column in zip(*rows, strict=True))
    return Games(k, first, second, points.astype(float), np.ones(len(rows)))


def made_up(k: int = 6, n: int = 400, seed: int = 2) -> Games:
    rng = np.random.default_rng(seed)
    strength = np.linspace(-1, 1, k)
    first = rng.integers(0, k, n)
    second = (first + rng.integers(1, k, n)) % k
    chance = 1 / (1 + np.exp(strength[second] - strength[first]))
    points = np.where(rng.random(n) < 0.2, 0.5, (rng.random(n) < chance).astype(float))
    return Games(k, first, second, points, np.ones(n))


def test_two_that_share_points_three_to_one_are_log_3_apart() -> None:
    found = bradley_terry([[0, 3], [1, 0]])
    assert found.log_strength == pytest.approx([log(3) / 2, -log(3) / 2])
    assert found.scores == pytest.approx([75, 25])
    assert found.reason(0) is None


def test_a_billion_points_to_one_in_a_chain_leave_the_mean_at_0() -> None:
    much = 1e9
    found = bradley_terry([[0, much, 0], [1, 0, much], [0, 1, 0]])
    assert found.log_strength == pytest.approx([log(much), 0, -log(much)], abs=1e-5)
    assert found.log_strength.mean() == pytest.approx(0, abs=1e-14)


def test_a_share_that_rounding_leaves_of_0_is_none() -> None:
    least = np.nextafter(1.0, 2.0) - 1.0
    found = bradley_terry([[0, 1 - least, 1], [least, 0, 1], [1, 1, 0]])
    assert np.array_equal(found.probability, bradley_terry([[0, 1, 1], [0, 0, 1], [1, 1, 0]]).probability)
    assert bradley_terry([[0, 1 - least], [least, 0]]).reason(0) == "wins every game: its strength has no upper bound"


def test_a_ring_of_far_apart_strengths_is_solved_where_whole_steps_would_go_too_far() -> None:
    """At the maximum every contestant has as many points as its strength lets expect."""
    table = np.zeros((5, 5))
    table[[0, 1, 2, 3, 3, 4], [1, 2, 3, 2, 4, 0]] = 1e4, 1e4, 1, 1e3, 10, 1e3
    expected = ((table + table.T) * bradley_terry(table).probability).sum(axis=1)
    assert expected == pytest.approx(table.sum(axis=1), rel=1e-6)


def test_against_one_baseline_the_probability_is_points_over_games() -> None:
    table = np.array([[0, 0, 9.0], [0, 0, 2.0], [3.0, 6.0, 0]])
    found = bradley_terry(table)
    assert found.probability[:2, 2] == pytest.approx([0.75, 0.25])


def test_strengths_are_those_of_evalica_and_choix() -> None:
    games = made_up()
    found = bradley_terry(games.table)
    names = [f"m{place}" for place in range(games.k)]
    winner = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    theirs = evalica.bradley_terry(
        [names[place] for place in games.first],
        [names[place] for place in games.second],
        [winner[points] for points in games.points.tolist()],
        tolerance=1e-12,
        limit=10_000,
    ).scores
    logs = np.log([theirs[name] for name in names])
    assert found.log_strength == pytest.approx(logs - logs.mean(), abs=1e-5)
    of_choix = choix.ilsr_pairwise_dense(games.table, max_iter=1000)
    assert found.log_strength == pytest.approx(of_choix - of_choix.mean(), abs=1e-5)


def test_one_that_wins_every_game_has_no_bound_and_the_others_are_as_without_it() -> None:
    table = np.array([[0, 4.0, 4.0], [0, 0, 3.0], [0, 1.0, 0]])
    found = bradley_terry(table)
    assert found.probability[0].tolist() == [0.5, 1, 1]
    assert found.probability[1, 2] == pytest.approx(0.75)
    assert found.scores == pytest.approx([100, 37.5, 12.5])
    assert [found.reason(place) for place in range(3)] == [
        "wins every game: its strength has no upper bound",
        *["points with some of the others go only one way: that difference has no bound"] * 2,
    ]
    turned = bradley_terry(table.T)
    assert turned.reason(0) == "loses every game: its strength has no lower bound"
    assert turned.reason(1) == found.reason(1)


def test_parts_that_no_game_joins_have_no_score() -> None:
    table = np.zeros((4, 4))
    table[0, 1], table[1, 0], table[2, 3], table[3, 2] = 3, 1, 1, 1
    found = bradley_terry(table)
    assert found.parts.tolist() == [0, 0, 1, 1]
    assert all(isnan(score) for score in found.scores)
    assert found.probability[0, 1] == pytest.approx(0.75)
    assert "no chain of games joins" in (found.reason(0) or "")


def test_two_that_only_lost_to_the_same_one_cannot_be_told_apart() -> None:
    table = np.array([[0, 2.0, 2.0], [0, 0, 0], [0, 0, 0]])
    found = bradley_terry(table)
    assert found.parts.tolist() == [0, 0, 0]
    assert isnan(found.probability[1, 2])
    assert found.scores[0] == 100
    assert "no chain of points" in (found.reason(1) or "")


def test_one_point_joins_two_and_one_on_its_own_has_no_score() -> None:
    assert bradley_terry([[0, 1], [0, 0]]).parts.tolist() == [0, 0]
    assert np.isnan(bradley_terry([[0.0]]).scores).tolist() == [True]


def test_what_items_add_is_what_leaving_them_out_takes_away() -> None:
    games = made_up(n=600)
    items = np.arange(600) % 120
    found = bradley_terry(games.table)
    adds = strength_influence(games, items, found, 120)

    def without(item: int) -> Strengths:
        kept = items != item
        return bradley_terry(
            Games(games.k, games.first[kept], games.second[kept], games.points[kept], games.weights[kept]).table
        )

    left_out = np.array([without(item).log_strength for item in range(120)])
    jackknife = np.sqrt(119 / 120 * np.square(left_out - left_out.mean(axis=0)).sum(axis=0))
    assert np.sqrt(np.square(adds).sum(axis=1)) == pytest.approx(jackknife, rel=0.05)


def test_what_items_add_to_scores_is_what_leaving_them_out_takes_away_where_games_are_few() -> None:
    """Of 120 games and 6 contestants residuals are too small by 5 / 120; a jackknife refits, and knows that."""
    games, items = made_up(n=120, seed=4), np.arange(120)
    found = bradley_terry(games.table)
    adds = score_influence(games, found, strength_influence(games, items, found, 120))

    def without(item: int) -> Floats:
        kept = items != item
        few = Games(games.k, *(each[kept] for each in (games.first, games.second, games.points, games.weights)))
        return bradley_terry(few.table).scores

    left_out = np.array([without(item) for item in range(120)])
    jackknife = np.sqrt(119 / 120 * np.square(left_out - left_out.mean(axis=0)).sum(axis=0))
    assert np.sqrt(np.square(adds).sum(axis=1)) == pytest.approx(jackknife, rel=0.03)


def test_games_with_another_set_and_games_of_no_weight_add_nothing_to_scores() -> None:
    """0 and 1 win one each: p (1 - p) = 1/4, the information [[1/2, -1/2], [-1/2, 1/2]] is its own pseudo-inverse,
    +-1/2 of slope moves the strengths by +-1/2, their difference by 1 and the mean of two by 1/8, of two games and a
    strength twice that. 2 only loses to 0, and the last game has no weight."""
    games = Games(3, np.array([0, 0, 0, 0]), np.array([1, 1, 2, 1]), np.array([1.0, 0, 1, 0]), np.array([1.0, 1, 1, 0]))
    found = bradley_terry(games.table)
    adds = score_influence(games, found, strength_influence(games, np.arange(4), found, 4))
    assert adds == pytest.approx(np.array([[25, -25, 0, 0], [-25, 25, 0, 0], [np.nan] * 4]), nan_ok=True)


def test_as_many_games_as_it_takes_to_join_all_agree_with_any_outcome_and_tell_no_error() -> None:
    games = games_of([(0, 1, 0.7), (1, 2, 0.6)], 3)
    found = bradley_terry(games.table)
    assert np.isnan(score_influence(games, found, strength_influence(games, np.arange(2), found, 2))).all()


def test_one_whom_a_single_game_joins_has_no_error_and_the_others_have_theirs() -> None:
    """0, 1 and 2 have met in a round; 3 met 2 alone, and whatever came of it fits: its part of the slope is 0."""
    games = games_of([(0, 1, 0.7), (1, 2, 0.6), (0, 2, 0.4), (2, 3, 0.9)], 4)
    found = bradley_terry(games.table)
    adds = score_influence(games, found, strength_influence(games, np.arange(4), found, 4))
    assert np.isnan(adds).all(axis=1).tolist() == [False, False, False, True]
    assert not np.isnan(adds[:3]).any()


def test_strengths_and_their_sandwich_variances_are_those_that_arena_rank_gives() -> None:
    # arena-rank 0.1.1 of these 400 games, over its scale; it takes each game for independent.
    strengths = [-0.959671, -0.346674, -0.069336, 0.146791, 0.428095, 0.800795]
    variances = [0.021557194, 0.015604299, 0.018864941, 0.019081160, 0.016943898, 0.019350635]
    games = made_up()
    found = bradley_terry(games.table)
    assert found.log_strength == pytest.approx(strengths, abs=1e-5)
    adds = strength_influence(games, np.arange(400), found, 400)
    assert np.square(adds).sum(axis=1) == pytest.approx(variances, rel=2e-3)


def test_where_everybody_meets_on_every_prompt_the_clustered_error_is_that_of_leaving_out_one_prompt() -> None:
    """Of 10 prompts, by one step without each: there is nothing to enlarge beyond n / (n - 1)."""
    rng, k, n = np.random.default_rng(8), 4, 10
    one, other = (np.tile(side, n) for side in np.triu_indices(k, 1))
    items = np.arange(n).repeat(k * (k - 1) // 2)
    games = Games(k, one, other, rng.random(one.size), np.ones(one.size))
    found = bradley_terry(games.table)
    chance = found.probability[one, other]
    bend, residual = chance * (1 - chance), games.points - chance

    def part(chosen: Bools) -> tuple[Floats, Floats]:
        information, slope = np.zeros((k, k)), np.zeros(k)
        for a, b, bent, left in zip(one[chosen], other[chosen], bend[chosen], residual[chosen], strict=True):
            step = np.eye(k)[a] - np.eye(k)[b]
            information += bent * np.outer(step, step)
            slope += left * step
        return information, slope

    without = [np.linalg.pinv(part(items != item)[0]) @ part(items != item)[1] for item in range(n)]
    jackknife = (n - 1) / n * np.square(without).sum(axis=0)
    adds = strength_influence(games, items, found, n)
    assert n / (n - 1) * np.square(adds).sum(axis=1) == pytest.approx(jackknife, rel=1e-9)


@pytest.mark.parametrize("n", [10, 20, 42])
def test_intervals_of_strengths_hold_the_true_ones_where_a_schedule_has_few_games(n: int) -> None:
    """6 contestants, three games on two prompts; without the leverage 83 to 88 of 100 hold them on 10 prompts."""
    rng, k, schedule = np.random.default_rng(n), 6, scheduled_pairs(6, n, n + n // 2)
    item, one, other = schedule.T
    strength = np.linspace(-1, 1, k)
    held = []
    for _ in range(250):
        answers = strength + 0.7 * rng.standard_normal((n, k))
        shares = 1 / (1 + np.exp(answers[item, other] - answers[item, one]))
        games = Games(k, one, other, shares, np.ones(len(schedule)))
        found = bradley_terry(games.table)
        adds = strength_influence(games, item, found, n) / (1 - mean_leverage(games, found))
        adds -= adds.mean(axis=1, keepdims=True)
        half = quantile(0.95, np.array([n - 1.0])) * np.sqrt(n / (n - 1) * np.square(adds).sum(axis=1))
        held.append(np.abs(found.log_strength - SHRUNK * strength) <= half)
    assert 0.92 <= np.mean(held) <= 0.985

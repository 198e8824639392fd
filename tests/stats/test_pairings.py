"""Rings of three, and who meets whom on a budget."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import schedules
from nullbench_site.stats.pairings import intransitive_triples, scheduled_pairs
from nullbench_site.stats.strength import bradley_terry


def test_a_ring_of_three_is_found_once_and_named_from_who_wins_to_who_loses() -> None:
    rock_paper_scissors = [[0, 1, 3], [3, 0, 1], [1, 3, 0]]
    found = intransitive_triples(rock_paper_scissors)
    assert (found.rings, found.decided) == (((0, 2, 1),), 1)
    assert intransitive_triples(np.transpose(rock_paper_scissors)).rings == ((0, 1, 2),)


def test_an_order_has_no_ring_and_a_tie_decides_nothing() -> None:
    order = [[0, 2, 2, 2], [1, 0, 2, 2], [1, 1, 0, 2], [1, 1, 1, 0]]
    assert (intransitive_triples(order).rings, intransitive_triples(order).decided) == ((), 4)
    order[0][1] = 1
    assert intransitive_triples(order).decided == 2


def test_a_tie_closes_no_ring() -> None:
    assert intransitive_triples([[0, 1, 2], [1, 0, 0], [0, 2, 0]]).rings == ()


@given(st.integers(3, 8), st.integers(0, 1000))
def test_rings_of_a_round_robin_are_as_many_as_the_scores_say(k: int, seed: int) -> None:
    beats = np.triu(np.random.default_rng(seed).random((k, k)) < 0.5, 1)
    beats |= np.triu(~beats, 1).T
    # Kendall & Babington Smith: C(k, 3) - sum of C(s, 2), s how many each beats.
    s = beats.sum(axis=1)
    found = intransitive_triples(beats.astype(float))
    assert found.decided == k * (k - 1) * (k - 2) // 6
    assert len(found.rings) == found.decided - int((s * (s - 1) // 2).sum())
    assert all(beats[a, b] and beats[b, c] and beats[c, a] for a, b, c in found.rings)


def test_three_contestants_join_first_and_then_the_ends_meet_whose_difference_is_known_least() -> None:
    """0 and 1 meet; one of them meets 2; of the three the ends of that chain are known least; then all go round."""
    games = scheduled_pairs(3, 9, 9)[:, 1:].tolist()
    assert games[:3] == [[0, 1], [0, 2], [1, 2]]
    assert sorted(games[3:6]) == sorted(games[6:]) == sorted(games[:3])


def test_the_next_game_is_of_the_two_whose_difference_has_the_largest_variance() -> None:
    """Of six contestants, one game an item: worked out anew from the information of all games before."""
    information = np.eye(6)
    for number, (one, other) in enumerate(scheduled_pairs(6, 40, 40)[:, 1:].tolist()):
        covariance = np.linalg.inv(information)
        variance = {
            (a, b): covariance[a, a] + covariance[b, b] - 2 * covariance[a, b] for a, b in combinations(range(6), 2)
        }
        if number >= 5:  # those before join the six
            assert variance[one, other] == pytest.approx(max(variance.values()), rel=1e-9)
        information[[one, other], [one, other]] += 0.25
        information[[one, other], [other, one]] -= 0.25


@pytest.mark.parametrize(("k", "n_items"), [(4, 2), (10, 2), (20, 3), (24, 40)])
def test_one_game_less_than_contestants_joins_them(k: int, n_items: int) -> None:
    """By the largest variance alone these would fall into parts: a prior makes parts as sure as anything."""
    games = scheduled_pairs(k, n_items, k - 1)
    joined = np.zeros((k, k))
    joined[games[:, 1], games[:, 2]] = 1
    assert set(bradley_terry(joined).parts.tolist()) == {0}


@given(st.integers(2, 12), st.integers(1, 12), st.data())
def test_any_budget_joins_all_is_spread_evenly_and_begins_with_the_games_of_a_smaller_one(
    k: int, n_items: int, data: st.DataObject
) -> None:
    every = n_items * k * (k - 1) // 2
    budget = data.draw(st.integers(k - 1, every))
    games = scheduled_pairs(k, n_items, budget)
    assert len({tuple(game) for game in games.tolist()}) == budget
    assert (games[:, 1] < games[:, 2]).all()
    joined = np.zeros((k, k))
    joined[games[:, 1], games[:, 2]] = 1
    assert set(bradley_terry(joined).parts.tolist()) == {0}
    on_items = np.bincount(games[:, 0], minlength=n_items)
    assert on_items.max() - on_items.min() <= 1
    if budget <= every // 2:
        of_each = np.bincount(games[:, 1:].ravel(), minlength=k)
        assert of_each.max() - of_each.min() <= max(3, k - 2)
    fewer = data.draw(st.integers(0, budget))
    assert scheduled_pairs(k, n_items, fewer).tolist() == games[:fewer].tolist()


def test_the_answers_to_an_item_are_in_as_many_games_as_one_another() -> None:
    games = scheduled_pairs(8, 10, 120)
    uses = np.zeros((10, 8), np.int64)
    np.add.at(uses, (games[:, 0], games[:, 1]), 1)
    np.add.at(uses, (games[:, 0], games[:, 2]), 1)
    apart = uses.max(axis=1) - uses.min(axis=1)
    assert apart.max() <= 2
    assert (apart == 0).sum() >= 6


@pytest.mark.sweep
@pytest.mark.parametrize("board", schedules.BOARDS, ids=str)
def test_intervals_of_scores_on_a_budget_hold_the_true_ones(board: schedules.Board) -> None:
    share, _, _ = schedules.measured(board, schedules.scheduled, 200)
    assert schedules.LOW - 0.01 <= share <= schedules.HIGH


@pytest.mark.sweep
def test_a_schedule_tells_more_than_games_at_random() -> None:
    board = schedules.BOARDS[1]
    _, error, _ = schedules.measured(board, schedules.scheduled, 200)
    _, at_random, _ = schedules.measured(board, schedules.at_random, 200)
    assert error < 0.95 * at_random

"""Rings of three, and who should play next."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.pairings import intransitive_triples, next_pairs


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


def test_who_has_not_met_plays_first_and_a_budget_goes_round() -> None:
    table = np.zeros((3, 3))
    table[0, 1] = table[1, 0] = 10
    assert next_pairs(table, 2).tolist() == [[0, 2], [1, 2]]
    of_none = next_pairs(np.zeros((4, 4)), 6).tolist()
    assert sorted(of_none[:2]) == [[0, 1], [2, 3]]
    assert {tuple(pair) for pair in of_none} == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


def test_each_game_goes_where_the_difference_of_strengths_varies_most() -> None:
    table = np.array([[0, 9.0, 1.0], [1.0, 0, 1.0], [1.0, 1.0, 0]])
    chosen = next_pairs(table, 30)
    counts = {pair: int((chosen == pair).all(axis=1).sum()) for pair in [(0, 1), (0, 2), (1, 2)]}
    assert counts[0, 2] > counts[0, 1]
    assert counts[1, 2] > counts[0, 1]
    assert sum(counts.values()) == 30


def test_only_pairs_that_may_play_are_chosen() -> None:
    assert next_pairs(np.zeros((4, 4)), 5, allowed=[(1, 3)]).tolist() == [[1, 3]] * 5
    assert next_pairs(np.zeros((1, 1)), 0).shape == (0, 2)
    with pytest.raises(ValueError, match="two contestants"):
        next_pairs(np.zeros((1, 1)), 1)

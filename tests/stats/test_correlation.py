"""Spearman's rank correlation, worked by hand, and its laws."""

from __future__ import annotations

import random
from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nullbench_site.stats.correlation import spearman

SERIES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=40)


def test_the_same_and_the_reverse_order_are_1_and_minus_1() -> None:
    assert spearman([1, 2, 3], [10, 20, 90]).value == 1.0
    assert spearman([1, 2, 3], [90, 20, 10]).value == -1.0


def test_ranks_without_ties_give_the_textbook_formula() -> None:
    """Differences of ranks 1, 1, 1, -3, squared 1 + 1 + 1 + 9 = 12: 1 - 6 * 12 / (4 * 15) = -0.2."""
    assert spearman([1, 2, 3, 4], [0.2, 0.3, 0.4, 0.1]).value == pytest.approx(-0.2)


def test_ties_share_the_mean_of_their_ranks() -> None:
    """Ranks 1.5, 1.5, 3 and 1, 2, 3; centred -0.5, -0.5, 1 and -1, 0, 1: 1.5 / sqrt(1.5 * 2) = 0.866025."""
    assert spearman([2, 2, 5], [1, 2, 3]).value == pytest.approx(1.5 / sqrt(3))


def test_what_differs_by_arithmetic_alone_is_tied() -> None:
    assert spearman([0.1 + 0.2, 0.3, 1.0], [1, 2, 3]) == spearman([0.3, 0.3, 1.0], [1, 2, 3])


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ([], [], "fewer than 2 answers"),
        ([1], [2], "fewer than 2 answers"),
        ([3, 3, 3], [1, 2, 3], "one value only"),
        ([1, 2, 3], [4, 4, 4], "one value only"),
    ],
)
def test_where_there_is_no_order_there_is_no_correlation(one: list[int], other: list[int], reason: str) -> None:
    assert spearman(one, other).reason == reason


def test_series_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        spearman([1, 2], [1, 2, 3])


@given(SERIES, st.randoms(use_true_random=False))
def test_the_order_of_the_answers_and_of_the_two_does_not_matter(
    series: list[tuple[int, int]], chance: random.Random
) -> None:
    shuffled = chance.sample(series, len(series))
    one, other = zip(*series, strict=True)
    mixed_one, mixed_other = zip(*shuffled, strict=True)
    assert spearman(one, other) == spearman(mixed_one, mixed_other) == spearman(other, one)


@given(SERIES)
def test_it_hangs_on_the_order_alone_and_turns_with_it(series: list[tuple[int, int]]) -> None:
    one, other = zip(*series, strict=True)
    found = spearman(one, other).value
    assume(found is not None)
    assert found is not None
    assert -1 <= found <= 1
    assert spearman([x**3 for x in one], other).value == found
    assert spearman([-x for x in one], other).value == -found

"""The choice of a judging prompt, on numbers that were worked by hand."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.measure import wilson
from nullbench_site.stats.prompt_choice import (
    Candidate,
    Rates,
    choose,
    choose_method,
    mean_with_interval,
    paired_p,
    put_above,
)


@pytest.mark.parametrize(
    ("right", "wrong", "value"),
    [(5, 3, 1), (3, 3, 0.5), (1, 4, 0), (None, 3, 0), (3, None, 0), (None, None, 0), (0.71, 0.7, 1)],
)
def test_a_right_answer_above_a_wrong_one_counts_one_and_a_tie_one_half(
    right: float | None, wrong: float | None, value: float
) -> None:
    assert put_above(right, wrong) == value


def test_the_interval_of_zeros_and_ones_is_that_of_a_share() -> None:
    found = mean_with_interval([1.0] * 15 + [0.0] * 5)
    assert found.value == 0.75
    assert (found.low, found.high) == pytest.approx(wilson(15, 20))
    assert (found.low, found.high) == pytest.approx((0.5313, 0.8881), abs=1e-4)
    assert mean_with_interval([]).reason == "no item has a case"


def items(values: list[float]) -> dict[str, float]:
    return {f"i{place}": value for place, value in enumerate(values)}


def test_the_paired_test_is_mcnemars_exact_test_on_zeros_and_ones() -> None:
    # 8 items only the one gets right, 2 only the other: 2 x P(at most 2 of 10) = 2 x 56 / 1024.
    one, other = items([1.0] * 8 + [0.0] * 2 + [1.0] * 10), items([0.0] * 8 + [1.0] * 2 + [1.0] * 10)
    assert paired_p(one, other) == pytest.approx(2 * (1 + 10 + 45) / 1024) == pytest.approx(0.109375)
    assert paired_p(other, one) == paired_p(one, other)
    assert paired_p(one, one) == 1.0


def test_the_paired_test_counts_all_patterns_of_signs() -> None:
    one, other = items([1.0, 0.5, 1.0, 0.0, 1.0]), items([0.5, 0.0, 0.0, 0.5, 1.0])
    sizes, seen = [0.5, 0.5, 1.0, 0.5], 0.5 + 0.5 + 1.0 - 0.5
    sums = [
        abs(sum(sign * size for sign, size in zip(signs, sizes, strict=True))) for signs in product((-1, 1), repeat=4)
    ]
    assert paired_p(one, other) == sum(each >= seen for each in sums) / 16


@given(st.integers(0, 40), st.integers(0, 40))
def test_many_items_are_tested_exactly_too(won: int, lost: int) -> None:
    one, other = items([1.0] * won + [0.0] * lost), items([0.0] * won + [1.0] * lost)
    n, fewer = won + lost, min(won, lost)
    tail = 2 * sum(comb(n, k) for k in range(fewer + 1)) / 2**n
    assert paired_p(one, other) == pytest.approx(min(1.0, tail))


def test_only_items_that_both_have_are_compared() -> None:
    assert paired_p({"a": 1.0, "b": 0.0}, {"a": 1.0, "c": 1.0}) == 1.0


def candidate(name: str, right: int, tokens: float = 300, defences: int = 0, n: int = 20) -> Candidate:
    """A prompt that gets the first items of 20 right."""
    return Candidate(name, items([1.0] * right + [0.0] * (n - right)), tokens, defences)


def test_of_those_that_tie_the_one_with_most_lines_of_defence_wins() -> None:
    chosen = choose(
        [candidate("plain", 16), candidate("short", 14, defences=5), candidate("other", 15, defences=3)], 350
    )
    assert (chosen.leader, chosen.name) == ("plain", "short")
    assert set(chosen.tied) == {"plain", "short", "other"}
    assert chosen.reason == "most lines of defence among those that tie"


def test_a_prompt_that_is_shown_to_be_worse_does_not_win_by_its_defences() -> None:
    chosen = choose([candidate("plain", 18), candidate("short", 8, defences=5)], 350)
    assert chosen.adjusted["short"] == pytest.approx(2 / 1024)
    assert chosen.name == "plain"


def test_a_long_prompt_needs_a_significant_gain_over_all_within_the_length() -> None:
    long = candidate("full", 18, tokens=800, defences=5)
    assert choose([long, candidate("short", 14, defences=4)], 350).name == "short"
    won = choose([long, candidate("short", 8, defences=5), candidate("plain", 7)], 350)
    assert won.name == "full"
    assert won.reason == "significantly better than every prompt within the length"


def test_the_correction_is_for_all_prompts() -> None:
    # 6 of 6 differing items: p = 2 / 64, significant alone and not among ten.
    few = [candidate("plain", 18), candidate("short", 12, defences=5)]
    assert choose(few, 350).name == "plain"
    many = [*few, *(candidate(f"other-{n}", 18) for n in range(9))]
    assert choose(many, 350).name == "short"


def test_equal_prompts_are_ordered_by_tokens_then_by_name() -> None:
    assert choose([candidate("b", 10, 200), candidate("a", 10, 300)], 350).name == "b"
    assert choose([candidate("b", 10, 200), candidate("a", 10, 200)], 350).name == "a"
    with pytest.raises(ValueError, match="no prompt was measured"):
        choose([], 350)


def test_questions_or_a_verdict_are_tested_once_and_a_tie_takes_what_was_fixed_before() -> None:
    better, worse = items([1.0] * 9 + [0.0]), items([0.0] * 9 + [1.0])
    won = choose_method(better, worse, unless_shown="verdict")
    assert (won.method, won.shown, won.difference) == ("questions", True, 0.8)
    assert won.p == pytest.approx(2 * 11 / 1024)
    assert choose_method(worse, better, unless_shown="questions").method == "verdict"
    tied = choose_method(items([1.0, 0.0, 1.0]), items([0.0, 1.0, 1.0]), unless_shown="questions")
    assert (tied.method, tied.shown, tied.p) == ("questions", False, 1.0)
    with pytest.raises(ValueError, match="no item was judged by both"):
        choose_method({"a": 1.0}, {"b": 1.0}, unless_shown="verdict")


def test_a_position_is_the_share_of_the_more_frequent_place() -> None:
    assert Rates(40, 2, 1, n_decided=30, n_first=6).position.value == pytest.approx(0.8)
    assert Rates(40, 2, 1).position.reason == "no pair was decided"

"""Judges of a panel: coverage, leniency, agreement of pairs, distance to G-Eval, their own scales, worked by hand."""

from __future__ import annotations

import random
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.judges import (
    JudgeMoments,
    JudgeSums,
    complete_judges,
    distance_to_geval,
    judge_moments,
    judge_sums,
    judge_z,
    leniency,
    mark_places,
    mean_of_known,
    pair_agreement,
    spread_of_each,
)

MARKS = np.array([[5, 4, nan], [3, 3, 1], [4, 2, nan]])
EVERY = np.ones(MARKS.shape, dtype=bool)
TABLES = st.lists(st.tuples(*[st.sampled_from([nan, 1.0, 2.0, 3.0, 4.0, 5.0])] * 3), min_size=1, max_size=20)


def test_a_judge_that_missed_an_answer_is_not_complete() -> None:
    assert complete_judges(MARKS, EVERY).tolist() == [True, True, False]


def test_a_judge_need_not_mark_an_answer_on_which_it_abstains() -> None:
    due = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 0]], dtype=bool)
    assert complete_judges(MARKS, due).tolist() == [True, True, True]
    assert complete_judges(np.full((2, 1), nan), np.zeros((2, 1), dtype=bool)).tolist() == [False]


def test_no_judge_is_complete_where_there_is_no_answer() -> None:
    assert complete_judges(np.zeros((0, 3)), EVERY[:0]).tolist() == [False, False, False]


def test_a_mean_is_over_what_is_known_alone() -> None:
    """(5 + 4) / 2, (3 + 3 + 1) / 3, (4 + 2) / 2."""
    assert mean_of_known(MARKS).tolist() == pytest.approx([4.5, 7 / 3, 3.0])
    assert np.isnan(mean_of_known(np.array([[nan, nan]]))).all()


def test_the_spread_is_highest_less_lowest_and_needs_two_marks() -> None:
    spread = spread_of_each(np.array([[5, 4, nan], [3, 3, 1], [nan, nan, 2], [nan, nan, nan]]))
    assert spread[:2].tolist() == [1.0, 2.0]
    assert np.isnan(spread[2:]).all()


def test_leniency_is_against_the_mean_of_the_others_on_the_same_answers() -> None:
    """First: 5 - 4, 3 - 2, 4 - 2, mean 4 / 3. Third, on the one answer it marked: 1 - 3 = -2."""
    assert leniency(MARKS, 0).value == pytest.approx(4 / 3)
    assert leniency(MARKS, 2).value == -2.0


def test_a_judge_that_is_alone_has_no_leniency() -> None:
    assert leniency(MARKS[:, :1], 0).reason == "no answer was marked by another judge"
    assert leniency(np.array([[3, nan], [nan, 2]]), 0).value is None


def test_two_judges_on_the_answers_that_both_marked() -> None:
    """Of (5, 4), (3, 3), (4, 2) one is the same and two are at most one apart; differences 1, 0, 2."""
    found = pair_agreement(MARKS[:, 0], MARKS[:, 1])
    assert found.n == 3
    assert (found.exact.value, found.adjacent.value, found.difference.value) == pytest.approx((1 / 3, 2 / 3, 1.0))
    # Ranks 3, 1, 2 and 3, 2, 1: 1 - 6 * (0 + 1 + 1) / (3 * 8).
    assert found.correlation.value == pytest.approx(0.5)


def test_alpha_of_a_pair_is_that_of_its_marks() -> None:
    """Always the same mark, of two kinds: 1. Mark for mark exchanged, 1 and 5 and 5 and 1: 1 - 3 * 4 / 8 = -0.5."""
    same = np.array([1.0, 5.0])
    assert pair_agreement(same, same).alpha.value == 1.0
    assert pair_agreement(same, same[::-1]).alpha.value == pytest.approx(-0.5)


def test_a_pair_without_a_common_answer_has_no_figure_and_the_reason() -> None:
    found = pair_agreement(np.array([1.0, nan]), np.array([nan, 2.0]))
    measures = (found.exact, found.adjacent, found.difference, found.correlation, found.alpha)
    assert found.n == 0
    assert {measure.reason for measure in measures} == {"no answer was marked by both"}


def test_a_pair_that_always_gives_one_mark_agrees_without_a_correlation() -> None:
    threes = np.array([3.0, 3.0])
    found = pair_agreement(threes, threes)
    assert found.exact.value == 1.0
    assert (found.correlation.reason, found.alpha.reason) == ("one value only", "one rating value only")


def test_the_distance_to_geval_is_on_0_to_1_and_the_difference_keeps_its_sign() -> None:
    """Marks 5, 3, 1 are 1, 0.5, 0; less 0.5, 0.75, 0: 0.5, -0.25, 0. The last has no G-Eval score."""
    found = distance_to_geval(np.array([5, 3, 1, 4.0]), np.array([0.5, 0.75, 0, nan]))
    assert found.n == 3
    assert found.difference.value == pytest.approx(0.25 / 3)
    assert found.distance.value == pytest.approx(0.75 / 3)
    # Ranks 3, 2, 1 and 2, 3, 1.
    assert found.correlation.value == pytest.approx(0.5)


def test_without_a_common_answer_there_is_no_distance() -> None:
    found = distance_to_geval(np.array([5.0]), np.array([nan]))
    reasons = {measure.reason for measure in (found.difference, found.distance, found.correlation)}
    assert reasons == {"no answer has both a mark and a G-Eval score"}


def test_marks_have_places_on_the_scale() -> None:
    assert mark_places(MARKS).tolist() == [[4, 3, -1], [2, 2, 0], [3, 1, -1]]


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_answers_moves_nothing(table: list[tuple[float, ...]], chance: random.Random) -> None:
    marks, mixed = np.array(table), np.array(chance.sample(table, len(table)))
    every = np.ones(marks.shape, dtype=bool)
    assert complete_judges(marks, every).tolist() == complete_judges(mixed, every).tolist()
    for judge in range(3):
        one, other = leniency(marks, judge), leniency(mixed, judge)
        assert one.reason == other.reason
        assert one.value == (None if other.value is None else pytest.approx(other.value))


@given(TABLES)
def test_a_pair_turned_round_agrees_as_much_and_differs_the_other_way(table: list[tuple[float, ...]]) -> None:
    marks = np.array(table)
    one, other = pair_agreement(marks[:, 0], marks[:, 1]), pair_agreement(marks[:, 1], marks[:, 0])
    assert (one.n, one.exact, one.adjacent, one.alpha) == (other.n, other.exact, other.adjacent, other.alpha)
    assert one.correlation == other.correlation
    if one.difference.value is not None and other.difference.value is not None:
        assert one.difference.value == -other.difference.value


SCORES = st.lists(st.integers(1, 5), min_size=1, max_size=40)


def moments_of(scores: list[int]) -> JudgeMoments:
    moments = judge_moments(judge_sums(scores))
    assert moments is not None
    return moments


def test_the_moments_of_a_judge_worked_by_hand() -> None:
    """1, 3, 5: mean 3; squares of deviations 4 + 0 + 4 over n = 3: sd = sqrt(8/3) = 1.632993."""
    moments = moments_of([1, 3, 5])
    assert (moments.n, moments.mean) == (3, 3)
    assert moments.sd == pytest.approx(1.632993, abs=1e-6)


def test_a_judge_without_a_score_has_no_moments() -> None:
    assert judge_moments(JudgeSums()) is None


def test_a_score_is_shown_as_3_plus_z() -> None:
    """A strict judge, mean 2, sd 0.5: its 3 lies two deviations above its mean and shows as 5."""
    assert judge_z(3, JudgeMoments(n=10, mean=2, sd=0.5)) == 5
    assert judge_z(1.5, JudgeMoments(n=10, mean=2, sd=0.5)) == 2


def test_a_judge_with_no_variance_shows_3_whatever_it_said() -> None:
    constant = moments_of([5, 5, 5])
    assert constant.sd == 0
    assert judge_z(5, constant) == judge_z(1, constant) == 3


@given(st.lists(SCORES, min_size=1, max_size=5))
def test_shards_merge_to_the_moments_of_the_whole(shards: list[list[int]]) -> None:
    merged = sum((judge_sums(shard) for shard in shards), start=JudgeSums())
    assert merged == judge_sums([score for shard in shards for score in shard])


@given(SCORES)
def test_normalised_scores_have_mean_3_and_deviation_1(scores: list[int]) -> None:
    moments = moments_of(scores)
    shown = [judge_z(score, moments) for score in scores]
    mean = sum(shown) / len(shown)
    assert mean == pytest.approx(3)
    if len(set(scores)) > 1:
        assert sum((z - mean) ** 2 for z in shown) / len(shown) == pytest.approx(1)


@given(SCORES)
def test_many_equal_scores_far_from_zero_have_no_variance_at_all(scores: list[int]) -> None:
    """In floats, mean of squares less square of mean would leave a speck of variance here."""
    assert moments_of([scores[0]] * 1_003).sd == 0

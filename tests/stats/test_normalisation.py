from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.normalisation import JudgeMoments, JudgeSums, judge_moments, judge_sums, judge_z

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


def test_sums_that_no_scores_have_are_refused() -> None:
    with pytest.raises(ValueError, match="no scores have these sums"):
        JudgeSums(n=2, total=10, total_sq=1)


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

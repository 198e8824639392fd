"""Marks and G-Eval to one number, worked by hand."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.judges import (
    Shares,
    composite,
    composite_shares,
    efficiency,
    judge_mean,
    overall_of_composite,
    unit_mark,
)

MARKS = st.floats(1, 5)
UNIT = st.floats(0, 1)
WEIGHTS = st.floats(0.01, 100)


def test_the_judge_mean_is_the_mean_of_the_judges_means() -> None:
    """(4 + 3) / 2 = 3.5, however many answers stand behind each."""
    assert judge_mean([4.0, 3.0]) == 3.5
    assert judge_mean([]) is None


@pytest.mark.parametrize(
    ("mean", "decimals", "rounded"),
    [
        (3.4949, 2, 3.49),
        (3.4951, 2, 3.5),
        # 374 / 80 and 302 / 80 of the published evaluation: the first float lies below 4.675, the second is 3.775 from
        # below too; 4.625 is a tie in binary, and goes to the even digit.
        (374 / 80, 2, 4.67),
        (302 / 80, 2, 3.77),
        (370 / 80, 2, 4.62),
        (2.6, 0, 3.0),
    ],
)
def test_a_board_may_round_each_judges_mean_first(mean: float, decimals: int, rounded: float) -> None:
    assert judge_mean([mean], decimals) == rounded


def test_a_mean_of_numpy_is_rounded_as_any_other() -> None:
    assert judge_mean([np.float64(374 / 80)], 2) == 4.67


def test_means_are_rounded_before_the_mean_is_taken_and_not_after() -> None:
    """1.004 and 1.004 are 1.00 each; 1.006 and 1.0 are 1.01 and 1.00, so 1.005."""
    assert judge_mean([1.004, 1.004], 2) == 1.0
    assert judge_mean([1.006, 1.0], 2) == pytest.approx(1.005, abs=1e-12)


@given(st.lists(MARKS, min_size=1, max_size=6))
def test_the_order_of_judges_does_not_matter(means: list[float]) -> None:
    assert judge_mean(means) == judge_mean(means[::-1]) == judge_mean(sorted(means))
    assert 1 <= (judge_mean(means) or 0) <= 5


def test_a_mark_is_put_on_0_to_1() -> None:
    assert [unit_mark(float(mark)) for mark in range(1, 6)] == [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("judge", "geval", "shares"),
    [
        (1.0, 1.0, Shares(0.5, 0.5)), (3.0, 1.0, Shares(0.75, 0.25)), (0.2, None, Shares(1.0, 0.0)),
        (None, 7.0, Shares(0.0, 1.0)), (None, None, None), (0.0, None, None), (None, 0.0, None),
    ],
)  # fmt: skip
def test_weights_are_scaled_to_sum_to_1_and_the_part_that_is_there_takes_all(
    judge: float | None, geval: float | None, shares: Shares | None
) -> None:
    assert composite_shares(judge, geval) == shares


def test_the_composite_is_the_weighted_mean_of_both_parts_on_0_to_1() -> None:
    """(4 - 1) / 4 = 0.75 and 0.25: at equal weights 0.5, at 3 to 1 it is 0.75 * 0.75 + 0.25 * 0.25 = 0.625. A part
    without a share is not looked at."""
    assert composite(4.0, 0.25, Shares(0.5, 0.5)) == 0.5
    assert composite(4.0, 0.25, Shares(0.75, 0.25)) == 0.625
    assert composite(4.0, nan, Shares(1.0, 0.0)) == 0.75
    assert composite(None, 0.25, Shares(0.0, 1.0)) == 0.25


@given(MARKS, UNIT, WEIGHTS, WEIGHTS)
def test_the_composite_lies_between_its_parts(mark: float, geval: float, judge: float, other: float) -> None:
    shares = composite_shares(judge, other)
    assert shares is not None
    found = composite(mark, geval, shares)
    low, high = sorted((unit_mark(mark), geval))
    assert low - 1e-9 <= found <= high + 1e-9


def test_the_published_figures_of_one_contestant() -> None:
    """claude-haiku-3: judges 3.60, 3.15, 3.49, 3.69, so 3.4825; G-Eval 0.8018; 441.5 tokens on average."""
    mean = judge_mean([3.6, 3.15, 3.49, 3.69], 2)
    assert mean == pytest.approx(3.4825)
    assert composite(mean, 0.8018, Shares(0.5, 0.5)) == pytest.approx(0.7112, abs=1e-4)
    assert efficiency(mean, 441.5).value == pytest.approx(0.40, abs=0.01)


def test_answers_that_failed_take_their_share_off_the_overall_score() -> None:
    assert overall_of_composite(0.8, answered=3, failed=1) == pytest.approx(60.0)
    assert overall_of_composite(0.8, answered=4, failed=0) == 80.0


def test_efficiency_is_the_judge_mean_over_the_doublings_of_tokens() -> None:
    """4 / log2(256) = 4 / 8."""
    assert efficiency(4.0, 256.0).value == 0.5


@pytest.mark.parametrize("tokens", [1.0, 0.5, 0.0])
def test_efficiency_is_undefined_where_the_logarithm_is_not_positive(tokens: float) -> None:
    assert efficiency(4.0, tokens).reason == "answers of one token or fewer on average"

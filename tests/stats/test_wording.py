"""The standard deviation of a score over wordings, against a table worked by hand and a second implementation."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from benchmarks.coverage import Shape
from benchmarks.wordings import cells
from nullbench_site.stats.measure import Bounded
from nullbench_site.stats.trust import wording_level
from nullbench_site.stats.wording import items_needed, kendall_tau, mean_squares, sigma_prompt

BY_HAND = np.array(
    [[0, 1, 1, 1, 0], [0, 0, 1, 0, 0], [1, 1, 1, 1, 1], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [1, 1, 1, 0, 1]]
)
"""Six items in five wordings. Of 30 answers 17 are right: by item 3, 1, 5, 2, 2, 4; by wording 2, 5, 6, 2, 2.

The sums of squares: all 17 - 17^2/30 = 7.3667; items 59/5 - 17^2/30 = 2.1667; wordings 73/6 - 17^2/30 = 2.5333; the
rest 2.6667. MS_wording = 2.5333/4 = 0.63333, MS_rest = 2.6667/20 = 0.13333, sigma^2 = 0.5/6 = 0.083333.
With q = 11.1433 and 0.484419 the ends are (2.5333/q - 0.13333)/6: 0.015668 and 0.849378.
"""


def test_the_table_worked_by_hand() -> None:
    squares = mean_squares(BY_HAND)
    assert (squares.wording, squares.rest) == pytest.approx((2.533333 / 4, 2.666667 / 20), rel=1e-6)
    found = sigma_prompt(BY_HAND)
    assert found.value == pytest.approx(sqrt(0.5 / 6))
    assert (found.low, found.high) == pytest.approx((sqrt(0.015668), sqrt(0.849378)), rel=1e-4)


def test_without_clusters_the_mean_squares_are_those_of_the_analysis_of_variance() -> None:
    """The mean squares that statsmodels 0.15.0 gives for this table: anova_lm(ols("y ~ C(item) + C(wording)"))."""
    table = np.add.outer(np.arange(8) ** 2, np.array([0, 3, 1, 7, 2])) % 11
    ours = mean_squares(table)
    assert (ours.wording, ours.rest) == pytest.approx((3.5375, 9.7232143))


def test_copies_of_items_in_one_cluster_change_nothing_but_their_number() -> None:
    """The same evidence twice: no more is known, so the estimate and its interval stay."""
    twice = np.repeat(100.0 * BY_HAND, 2, axis=0)
    once, clustered = sigma_prompt(100.0 * BY_HAND), sigma_prompt(twice, np.repeat(np.arange(6), 2))
    assert (clustered.value, clustered.low, clustered.high) == pytest.approx((once.value, once.low, once.high))
    assert (sigma_prompt(twice).value or 0) > (once.value or 0)


def test_a_wording_that_moves_every_item_alike_is_the_standard_deviation_of_the_scores() -> None:
    table = np.linspace(0, 50, 12)[:, np.newaxis] + np.array([0, 1, 2, 3, 4])
    assert sigma_prompt(table).value == pytest.approx(sqrt(2.5))


def test_groups_weigh_alike_whatever_their_sizes() -> None:
    """A wording moves the single item of one group and none of the other group's: the score moves by half of it."""
    table = np.vstack([np.zeros((9, 5)), np.array([[0, 10, 20, 30, 40]] * 2)])
    groups = np.array([0] * 9 + [1] * 2)
    assert sigma_prompt(table, groups=groups).value == pytest.approx(sqrt(250) / 2)


@pytest.mark.parametrize(
    ("scores", "clusters", "expected"),
    [
        (BY_HAND[:, :4], None, Bounded.undefined("4 wordings; at least 5 are needed")),
        (BY_HAND[:, :1], None, Bounded.undefined("1 wording; at least 5 are needed")),
        (np.where(BY_HAND.cumsum() == 3, np.nan, 1.0).reshape(6, 5) + [[0]] * 6, None, None),
        (np.empty((0, 5)), None, Bounded.undefined("no item")),
        (BY_HAND, [0] * 6, Bounded.undefined("too few: no group has items of two clusters")),
        (
            np.ones((6, 5)),
            None,
            Bounded(0.0, reason="the same scores in every wording, so nothing shows how much they can vary"),
        ),
    ],
    ids=["four wordings", "one wording", "missing scores", "no item", "one cluster", "no difference"],
)
def test_what_cannot_be_measured_says_why(
    scores: np.ndarray, clusters: list[int] | None, expected: Bounded | None
) -> None:
    found = sigma_prompt(scores, clusters)
    if expected is None:
        assert (found.value, found.reason) == (None, "2 items have no score in some wording")
    else:
        assert found == expected


def test_with_few_clusters_there_is_a_value_without_an_interval() -> None:
    found = sigma_prompt(BY_HAND, [0, 0, 1, 1, 2, 2])
    assert found.value is not None
    assert (found.low, found.high) == (None, None)
    assert found.reason == "too few: 3 clusters of items, and an interval needs 6"


def test_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"scores must be items x wordings, got shape \(5,\)"):
        sigma_prompt([1, 2, 3, 4, 5])


def test_200_binary_items_without_an_effect_have_an_upper_end_of_about_7_points() -> None:
    """So no board of 200 items can show that the wording does not matter: "high" takes some 7,000 items to 15,000."""
    (cell, _) = cells(60, shapes=[Shape(1, 200, 1)], rates=[0.5], sigmas=[0.0])
    assert 6 < cell.upper < 9
    rest = (cell.upper**2) * 200 / 7.26
    assert 7000 < items_needed(rest, 5, 1.0) < 15000
    assert items_needed(rest, 10, 1.0) < items_needed(rest, 5, 1.0) / 2


def test_the_items_needed_bring_the_upper_end_to_the_bound() -> None:
    """(4/0.484419 - 1) * 1250 = 9071.6."""
    assert items_needed(1250, 5, 1.0) == 9072


def test_the_interval_covers_the_true_value() -> None:
    found = [*cells(300, shapes=[Shape(1, 20, 3)], rates=[0.5], sigmas=[0.0, 3.0])]
    assert [str(cell) for cell in found if cell.verdict == "MISSED"] == []


@pytest.mark.parametrize(
    ("upper", "level"), [(0.99, "high"), (1.0, "medium"), (5.0, "medium"), (5.01, "low"), (None, None)]
)
def test_the_upper_end_is_graded(upper: float | None, level: str | None) -> None:
    assert wording_level(upper) == level


def test_kendalls_tau_of_two_orders() -> None:
    """Of the pairs of 1 2 3 4 and 1 2 4 3 five agree and one does not: 4/6. The tie in 1 1 2 leaves 2 of 3 pairs."""
    assert kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]).value == pytest.approx(4 / 6)
    assert kendall_tau([1, 1, 2], [1, 2, 3]).value == pytest.approx(2 / sqrt(6))
    assert kendall_tau([1], [1]).reason == "fewer than 2 contestants"
    assert kendall_tau([1, 1], [1, 2]).reason == "all scores are equal"

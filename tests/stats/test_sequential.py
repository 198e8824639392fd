"""Looks at a board before all items are answered: error spent, boundaries, the order of clusters."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.ranking import compared
from nullbench_site.stats.sequential import Looks, boundary, flips_for, looks_of, spent

HALVES, QUARTERS = (0.5, 1.0), (0.25, 0.5, 1.0)


@pytest.mark.parametrize(
    ("share", "error"),
    [(1.0, 0.05), (0.5, 0.005575), (1 / 3, 0.000687), (2 / 3, 0.016376), (0.25, 0.0000886)],
)
def test_the_error_that_may_be_spent_is_that_of_the_formula(share: float, error: float) -> None:
    """2 (1 - Phi(1.959964 / sqrt(t))), from a table of the normal distribution."""
    assert spent(share) == pytest.approx(error, rel=0.005)


@pytest.mark.parametrize(
    ("shares", "published"),
    [
        ((1.0,), [1.960]),
        (HALVES, [2.963, 1.969]),
        ((1 / 3, 2 / 3, 1.0), [3.710, 2.511, 1.993]),
        ((0.25, 0.5, 0.75, 1.0), [4.333, 2.963, 2.359, 2.014]),
    ],
)
def test_boundaries_of_one_normal_difference_are_those_of_published_tables(
    shares: tuple[float, ...], published: list[float]
) -> None:
    """Each side of a two-sided 5 % spends 2.5 %: Jennison & Turnbull (2000), Group sequential methods, section 7.2."""
    found = boundary(_normal(shares), shares, error=0.025)
    for mine, theirs in zip(found.tolist(), published, strict=True):
        assert mine == pytest.approx(theirs, abs=0.15 if theirs > 4 else 0.03)


def test_the_largest_of_absolute_differences_spends_the_whole_error_at_once() -> None:
    """2 (1 - Phi(2.772)) = 0.005575 is spent at half, by the formula; 1.979 solves the rest, by integration."""
    found = boundary(np.abs(_normal(HALVES)), HALVES)
    assert found.tolist() == pytest.approx([2.772, 1.979], abs=0.03)


def _normal(shares: tuple[float, ...]) -> Floats:
    """Return draws of a difference of 0 over its error at each look, as more and more normal numbers come."""
    steps = np.sqrt(np.diff([0.0, *shares]))[:, np.newaxis]
    sums = (steps * np.random.default_rng(4).standard_normal((len(shares), 1_000_000))).cumsum(axis=0)
    drawn: Floats = sums / np.sqrt(shares)[:, np.newaxis]
    return drawn


def test_a_boundary_by_hand() -> None:
    """Of 1,000 draws, 5 may cross at half of the clusters, and 50 in all: 45 of the other 995 at the end."""
    at_half = np.arange(1000.0)
    at_end = np.concatenate([np.arange(995.0), np.full(5, 5000.0)])
    assert boundary(np.stack([at_half, at_end]), HALVES).tolist() == [994.5, 949.5]


def test_a_look_that_may_spend_less_than_one_draw_cannot_be_crossed_and_its_error_is_kept() -> None:
    draws = np.arange(100.0)
    found = boundary(np.stack([draws, draws, draws]), QUARTERS)
    assert found[:2].tolist() == [inf, inf]
    assert found[2] == 94.5


def test_draws_that_tie_do_not_cross_and_their_error_is_spent_later() -> None:
    at_half = np.where(np.arange(1000) < 20, 7.0, 1.0)
    found = boundary(np.stack([at_half, np.arange(1000.0)]), HALVES)
    assert found[0] == inf
    assert found[1] == 949.5


def test_draws_that_are_all_equal_have_no_boundary() -> None:
    assert boundary(np.zeros((2, 1000)), HALVES).tolist() == [inf, inf]


def test_enough_flips_are_drawn_for_the_first_look() -> None:
    assert flips_for(HALVES) * spent(0.5) == pytest.approx(10, abs=0.05)
    assert flips_for((0.01, 1.0)) == 120_000


def test_looks_take_whole_clusters_and_the_same_share_of_every_group() -> None:
    groups = np.repeat([0, 1, 2], [40, 24, 8])
    clusters = np.arange(72) // 2
    looks = looks_of(groups, clusters, [f"item {place}" for place in range(72)], QUARTERS)
    for cluster in range(36):
        assert np.unique(looks.of_item[clusters == cluster]).size == 1
    for group, n in enumerate((20, 12, 4)):
        until = [np.unique(clusters[(groups == group) & (looks.of_item <= look)]).size for look in range(3)]
        assert until == [n / 4, n / 2, n]


def test_every_group_has_a_cluster_at_the_first_look() -> None:
    looks = looks_of(np.array([0, 0, 0, 1, 2, 2]), np.arange(6), list("abcdef"), QUARTERS)
    assert [np.sum(looks.of_item[group] == 0) for group in ([0, 1, 2], [3], [4, 5])] == [1, 1, 1]


def test_clusters_over_several_groups_are_shared_out_among_their_kind() -> None:
    groups, clusters = np.tile([0, 1], 20), np.repeat(np.arange(20), 2)
    looks = looks_of(groups, clusters, [f"{place:02}" for place in range(40)], QUARTERS)
    assert [int(np.sum(looks.of_item[groups == 0] <= look)) for look in range(3)] == [5, 10, 20]
    assert looks.of_item[::2].tolist() == looks.of_item[1::2].tolist()


def test_the_order_depends_on_names_alone() -> None:
    names = [f"q{place}" for place in range(30)]
    zeros, clusters = np.zeros(30, np.int64), np.arange(30)
    once = dict(zip(names, looks_of(zeros, clusters, names, QUARTERS).of_item.tolist(), strict=True))
    turned = looks_of(zeros, 7 * clusters[::-1] + 3, names[::-1], QUARTERS)
    assert dict(zip(names[::-1], turned.of_item.tolist(), strict=True)) == once
    assert list(once.values()) != sorted(once.values())


def board(gap: float, items: int = 200, seed: int = 1) -> Floats:
    """Return three contestants, the last two equal, the first better by `gap`."""
    rng = np.random.default_rng(seed)
    return 50 + 10 * rng.standard_normal((3, items)) + gap * np.array([[1.0], [0.0], [0.0]])


def separated(table: Floats, looks: Looks, until: int) -> list[tuple[int, int]]:
    asked = looks.of_item <= until
    items = np.arange(int(asked.sum()))
    found = compared(table[:, asked], 0 * items, items, 3, looks=looks.of(asked))
    return [(int(a), int(b)) for a, b in np.argwhere(found.better)]


def test_a_large_difference_is_decided_early_and_a_small_one_only_with_all_items() -> None:
    items = np.arange(200)
    looks = looks_of(0 * items, items, [str(item) for item in items], HALVES)
    assert separated(board(9), looks, 0) == [(0, 1), (0, 2)]
    assert separated(board(4), looks, 0) == []
    assert separated(board(4), looks, 1) == [(0, 1), (0, 2)]


def test_with_looks_the_critical_value_is_stricter_early_and_hardly_at_the_end() -> None:
    items = np.arange(200)
    looks = looks_of(0 * items, items, [str(item) for item in items], HALVES)
    early = compared(
        board(0)[:, looks.of_item == 0], 0 * items[:100], items[:100], 3, looks=looks.of(looks.of_item == 0)
    )
    late, plain = compared(board(0), 0 * items, items, 3, looks=looks), compared(board(0), 0 * items, items, 3)
    assert early.critical is not None
    assert late.critical is not None
    assert plain.critical is not None
    assert early.critical > late.critical + 0.5
    assert plain.critical < late.critical < plain.critical + 0.08


def test_with_one_look_at_all_items_the_critical_value_is_that_without_looks() -> None:
    items = np.arange(60)
    whole = compared(board(0, 60), 0 * items, items, 3, looks=Looks((1.0,), 0 * items), draws=20_000).critical
    assert whole == pytest.approx(compared(board(0, 60), 0 * items, items, 3, draws=20_000).critical, rel=0.005)


def test_a_look_of_too_few_clusters_tests_nothing() -> None:
    table = board(90, 20)
    items = np.arange(5)
    found = compared(table[:, :5], 0 * items, items, 3, looks=Looks(QUARTERS, 0 * items))
    assert found.reason is not None
    looks = Looks(QUARTERS, np.repeat([0, 1, 2], [5, 5, 10]))
    assert separated(table, looks, 2) == [(0, 1), (0, 2)]


def test_scores_of_zero_still_count_as_clusters() -> None:
    """Five of ten clusters at the first look score 0 everywhere: they are asked all the same."""
    table = np.zeros((2, 40))
    table[0, 5:] = 10.0 + np.arange(35)
    looks = Looks(HALVES, np.repeat([0, 1], [12, 28]))
    assert separated(table, looks, 1) == [(0, 1)]

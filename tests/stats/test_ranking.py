"""All differences tested together, against a plain computation of every flip, by hand and by simulation; ranks, the
possible best and ties from them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nullbench_site.stats.estimate import ONE_CLUSTER, means, paired_difference, quantile
from nullbench_site.stats.ranking import (
    Comparisons,
    RankIntervals,
    cluster_parts,
    compared,
    flip_statistic,
    rank_shares,
    ranks_of,
)

BOARD = (np.repeat(np.arange(4), 8), np.arange(32))
"""Four groups of eight items, each a source of its own."""


def ranked(matrix: Any, groups: Any, clusters: Any, seed: int = 0, **others: Any) -> RankIntervals:
    values = means(matrix, groups, clusters, weights=others.get("weights")).value
    return ranks_of(values, compared(matrix, groups, clusters, seed, **others).better)


def contestants(k: int, seed: int, *, ahead: float = 0.0, items: int = 32) -> Any:
    """Scores around 50 with what is hard for all, each `ahead` points above the next."""
    rng = np.random.default_rng(seed)
    return 50 + rng.normal(size=items) * 15 + rng.normal(size=(k, items)) * 10 - ahead * np.arange(k)[:, np.newaxis]


def plainly(matrix: Any, groups: Any, clusters: Any, weights: Any) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The pairs that differ, the better first, together and alone, by loops over every flip of the clusters' signs."""
    names, members = sorted(set(clusters)), list(range(len(groups)))
    share = {group: weights[group] / sum(weights.values()) for group in weights}
    parts: dict[tuple[int, int], list[float]] = {}
    for a, b in combinations(range(len(matrix)), 2):
        parts[a, b] = [
            sum(
                share[groups[i]] * (matrix[a][i] - matrix[b][i]) / list(groups).count(groups[i])
                for i in members
                if clusters[i] == name
            )
            for name in names
        ]
    statistics: dict[tuple[int, int], list[float]] = {}
    for pair, each in parts.items():
        root = sqrt(sum(part * part for part in each))
        if root > 1e-9:
            statistics[pair] = [
                abs(sum(sign * part for sign, part in zip(signs, each, strict=True))) / root
                for signs in product((1, -1), repeat=len(names))
            ]
    order = sorted(statistics, key=lambda pair: -statistics[pair][0])
    together, alone, stopped = set(), set(), False
    for place, pair in enumerate(order):
        own, rest = statistics[pair][0] - 1e-9, order[place:]
        flips = range(2 ** len(names))
        stopped |= sum(max(statistics[other][flip] for other in rest) >= own for flip in flips) > 0.05 * len(flips)
        better = pair if sum(parts[pair]) > 0 else pair[::-1]
        if not stopped:
            together.add(better)
        if sum(statistics[pair][flip] >= own for flip in flips) <= 0.05 * len(flips):
            alone.add(better)
    return together, alone


def found(better: Any) -> set[tuple[int, int]]:
    return {(int(one), int(other)) for one, other in zip(*np.nonzero(better), strict=True)}


@pytest.mark.parametrize("seed", range(4))
def test_the_pairs_are_those_of_loops_over_every_flip(seed: int) -> None:
    """Clusters of one to three items, one of them in two groups; groups of unequal weight."""
    clusters, groups = [0, 0, 1, 2, 2, 2, 3, 4, 5, 5, 6, 7, 7], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    matrix = contestants(5, seed, ahead=9, items=13)
    tested = compared(matrix, groups, clusters, seed, weights=[3.0, 1.0])
    together, alone = plainly(matrix.tolist(), groups, clusters, {0: 3.0, 1: 1.0})
    assert (found(tested.better), found(tested.alone)) == (together, alone)
    parts = cluster_parts(matrix, groups, clusters, [3.0, 1.0])
    for one, other in combinations(range(5), 2):
        significant = flip_statistic(parts[[one]] - parts[[other]])[0] > tested.critical
        assert significant == bool(tested.better[one, other] | tested.better[other, one])


def test_the_pairs_of_an_unequal_seed_are_of_some_use() -> None:
    """So that the test above compares something: some boards separate some pairs, and none all."""
    sizes = [
        found(compared(contestants(5, seed, ahead=9, items=13), [0] * 13, range(13), 0).better) for seed in range(4)
    ]
    assert any(0 < len(each) < 10 for each in sizes)


def test_darwins_maize_has_the_p_value_that_fisher_gave_it() -> None:
    """Fisher (1935), The design of experiments, section 21: of 2^15 flips of the signs of 15 differences, 1,726 give a
    total at least as large as 314 to one side or the other: P = 5.267 %. The pair is not significant at 5 %."""
    differences = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    signs = np.array(list(product((1, -1), repeat=15)))
    assert int((np.abs(signs @ differences) >= 314).sum()) == 1726
    pair = np.array([differences, [0] * 15], np.float64)
    assert not compared(pair, [0] * 15, range(15), 1, least_flips=100_000).alone.any()
    pair[0, 1] += 10  # a little less against it
    assert compared(pair, [0] * 15, range(15), 1, least_flips=100_000).alone[0, 1]


def test_of_one_pair_the_level_is_five_in_a_hundred_and_of_many_less() -> None:
    """One pair of 200 clusters: near 1.96. Ten contestants alike: near the studentized range's q of 10 at 5 %, 4.474,
    by the root of 2."""
    one = compared(contestants(2, 1, items=200), [0] * 200, range(200), 1)
    assert one.critical == pytest.approx(1.96, abs=0.06)
    assert one.alpha == pytest.approx(0.05, abs=0.008)
    rng = np.random.default_rng(11)
    ten = compared(rng.normal(size=(10, 2000)), [0] * 2000, range(2000), 0)
    assert ten.critical == pytest.approx(4.474 / sqrt(2), abs=0.05)
    assert ten.alpha == pytest.approx(0.0016, abs=0.0003)


@pytest.mark.parametrize("clusters", [8, pytest.param(12, marks=pytest.mark.sweep), 30])
def test_equal_contestants_are_told_apart_on_five_boards_of_a_hundred(clusters: int) -> None:
    """Errors of skewed shape; of 400 boards 20 are expected, and more than 31 come by chance on one of 200."""
    rng = np.random.default_rng(5)
    tables = (np.exp(rng.normal(size=(6, clusters))) for _ in range(400))
    assert sum(compared(table, [0] * clusters, range(clusters), 1).better.any() for table in tables) <= 31


def test_clusters_of_unequal_size_are_flipped_as_wholes() -> None:
    """One source of 40 items and seven of one: the items would be significant, the sources are not."""
    clusters = np.array([0] * 40 + list(range(1, 8)))
    table = np.vstack([np.where(clusters == 0, 60.0, 50.0), np.where(clusters % 2, 51.0, 49.0) * 1.0])
    assert not compared(table, [0] * 47, clusters, 1).alone.any()
    assert compared(table, [0] * 47, range(47), 1).alone.any()


def test_a_difference_whose_own_interval_holds_0_is_not_significant() -> None:
    """10 on 6 of 40 items and 0 on the others, against 0: six signs alike, 1/32, but an interval for such scores
    reaches below 0. If it is 15 items, it does not."""
    few, many = (np.array([[10.0] * n + [0.0] * (40 - n), [0.0] * 40]) for n in (6, 15))
    pair = paired_difference(*few, [0] * 40, range(40), scale=(0, 100))
    assert pair.low < 0
    assert compared(few, [0] * 40, range(40), 1).better[0, 1]
    assert not compared(few, [0] * 40, range(40), 1, scale=(0, 100)).better.any()
    assert compared(many, [0] * 40, range(40), 1, scale=(0, 100)).better[0, 1]


def test_the_interval_of_a_significant_pair_decides_however_far_it_is_from_0() -> None:
    """Here the interval of every pair is worked out; `compared` leaves out those that are certainly far from 0."""
    rng, dropped, n_kept = np.random.default_rng(1), 0, 0
    for _ in range(4):
        skill = rng.uniform(0.02, 0.6, (16, 1))
        matrix = np.where(rng.random((16, 32)) < skill, rng.choice([10.0, 100.0], (16, 32), p=[0.8, 0.2]), 0.0)
        without, tested = compared(matrix, *BOARD, 1), compared(matrix, *BOARD, 1, scale=(0, 100))
        pairs = found(without.alone)
        apart = {pair: paired_difference(*matrix[list(pair)], *BOARD, scale=(0, 100)) for pair in pairs}
        kept = {pair for pair, each in apart.items() if each.low is None or each.low > 0}
        assert (found(tested.alone), found(tested.better)) == (kept, found(without.better) & kept)
        dropped, n_kept = dropped + len(pairs - kept), n_kept + len(kept)
    assert dropped > 10
    assert n_kept > 10


def test_a_pair_that_is_not_asked_for_is_not_tested_and_takes_no_power() -> None:
    matrix = np.vstack([contestants(2, 3, ahead=7), contestants(6, 4, ahead=0)])
    one = (np.array([0]), np.array([1]))
    tested = compared(matrix, *BOARD, 1, pairs=one)
    assert found(tested.better) <= {(0, 1)}
    every = compared(matrix, *BOARD, 1)
    assert tested.critical < every.critical


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.sweep)])
def test_ties_and_ranges_do_not_depend_on_the_seed(seed: int) -> None:
    """Thirty seeds on a board of eight contestants, three points apart: at most one pair hangs on one of them."""
    matrix = contestants(8, seed, ahead=3, items=160)
    groups = np.repeat(np.arange(4), 40)
    seen = [ranked(matrix, groups, np.arange(160), seed) for seed in range(30)]
    of_ties, of_ranges = Counter(each.ties for each in seen), Counter((each.low, each.high) for each in seen)
    assert max(of_ties.values()) >= 29
    assert max(of_ranges.values()) >= 29


def test_up_to_fourteen_clusters_every_flip_is_tried_so_the_seed_moves_nothing() -> None:
    matrix = contestants(6, 1, ahead=4, items=14)
    ones = [compared(matrix, [0] * 14, range(14), seed) for seed in range(3)]
    assert len({each.critical for each in ones}) == 1
    more = [compared(contestants(6, 1, ahead=4, items=15), [0] * 15, range(15), seed).critical for seed in range(3)]
    assert len(set(more)) == 3


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), min_size=8, max_size=8), min_size=1, max_size=6), st.randoms())
def test_ranges_hold_ranks_and_the_order_of_contestants_moves_nothing(table: list[list[int]], random: Any) -> None:
    one = ranked(table, [0] * 8, range(8))
    order = list(range(len(table)))
    random.shuffle(order)
    shuffled = ranked([table[place] for place in order], [0] * 8, range(8))
    for number, place in enumerate(order):
        assert 1 <= one.low[place] <= one.rank[place] <= one.high[place] <= len(table)
        assert (shuffled.rank[number], shuffled.low[number]) == (one.rank[place], one.low[place])
        assert (shuffled.high[number], shuffled.ties[number]) == (one.high[place], one.ties[place])
    assert {order[number] for number in shuffled.best_set} == set(one.best_set)
    assert one.best_set
    for first, second in combinations(range(len(table)), 2):
        if sum(table[first]) == sum(table[second]):
            assert (one.low[first], one.high[first], one.ties[first]) == (
                one.low[second], one.high[second], one.ties[second],
            )  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_equal_scores_share_everything_whatever_the_seed(seed: int) -> None:
    """Both have 70 on average, one of them always and the other in turns, so a third is told from the first alone."""
    steady, turns = np.full(40, 70.0), np.tile([10.0, 130.0], 20)
    third = 60 + np.tile([0.0, 1.0, 2.0, 3.0, -6.0], 8)
    one = ranked([turns, third, steady], np.zeros(40, np.int64), np.arange(40), seed)
    assert (one.rank[0], one.low[0], one.high[0], one.ties[0]) == (1, 1, 3, 1)
    assert (one.rank[2], one.low[2], one.high[2], one.ties[2]) == (1, 1, 3, 1)
    assert {0, 2} <= set(one.best_set)


@pytest.mark.parametrize("score", [0.0, 50.0])
def test_contestants_that_are_alike_on_every_item_of_many_share_all_ranks(score: float) -> None:
    tested = compared(np.full((3, 40), score), np.zeros(40, int), np.arange(40), 1)
    assert (tested.critical, tested.alpha, tested.better.any()) == (None, None, False)
    ranks = ranks_of([score] * 3, tested.better)
    assert (ranks.rank, ranks.low, ranks.high, ranks.best_set) == ((1, 1, 1), (1, 1, 1), (3, 3, 3), (0, 1, 2))


def test_one_that_is_better_on_every_item_alike_is_better_by_its_signs() -> None:
    """Six clusters have 2^6 flips, two of which reach the sum: 1/32 for every pair, as all pairs flip alike."""
    table = np.arange(5)[:, np.newaxis] + np.zeros((5, 6))
    told = ranked(table, [0] * 6, range(6))
    assert (told.low, told.ties) == ((5, 4, 3, 2, 1), (5, 4, 3, 2, 1))


def test_scores_less_than_a_millionth_apart_are_equal_and_others_are_not() -> None:
    turns = np.tile([40.0, 60.0], 6)
    assert ranked([turns, turns + 4e-7, turns + 0.3], [0] * 12, range(12)).rank == (2, 2, 1)


def test_one_ties_with_the_first_of_a_group_and_not_with_the_next_below() -> None:
    """65 +- 35 is told neither from 70 nor from 60, which differ on every item alike."""
    one = ranked([[60.0] * 40, [100.0, 30.0] * 20, [70.0] * 40], [0] * 40, range(40))
    assert (one.rank, one.ties, one.low, one.high) == ((3, 2, 1), (2, 1, 1), (2, 1, 1), (3, 3, 2))


def test_groups_weigh_as_they_are_told_and_a_board_may_round_the_means() -> None:
    table = [[10.0, 20.0] * 3 + [40.0, 50.0] * 3, [30.0, 20.0] * 3 + [30.0, 20.0] * 3]
    groups = [0] * 6 + [1] * 6
    assert ranked(table, groups, range(12)).rank == (1, 2)
    assert ranked(table, groups, range(12), weights=[2.0, 1.0]).rank == (1, 1)
    assert ranked(table, groups, range(12), weights=[3.0, 1.0]).rank == (2, 1)
    assert ranks_of([1.0, 2.0], compared(table, groups, range(12), 0).better).rank == (2, 1)


def test_too_few_clusters_are_not_tested_and_the_reason_says_so() -> None:
    few = compared([[1, 2, 3], [3, 4, 8]], [0] * 3, range(3), 0)
    assert (few.better.any(), few.critical, few.alpha) == (False, None, None)
    assert few.reason == "too few: 3 clusters of items, and an interval needs 6"
    assert compared([[1, 2], [3, 4]], [0, 1], range(2), 0).reason == ONE_CLUSTER


@pytest.mark.parametrize("count", [300, pytest.param(1000, marks=pytest.mark.sweep)])
def test_hundreds_of_contestants_are_ranked_with_few_flips(count: int) -> None:
    matrix = contestants(count, 3, ahead=100 / count, items=40)
    tested = compared(matrix, np.zeros(40, np.int64), np.arange(40), 0)
    assert tested.better[0, -1]
    assert tested.critical is not None


@pytest.mark.parametrize(("matrix", "message"), [([[1.0, np.nan]], "finite"), ([1.0, 2.0], "2 dimension")])
def test_what_cannot_be_compared_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compared(matrix, [0, 0], [0, 1], 0)


def test_one_that_may_be_off_by_more_than_its_items_show_is_told_from_others_by_as_much_more() -> None:
    """100 on every item and about 80: apart by 20 whatever the items, but not where the 100 may be 75."""
    matrix = np.vstack([np.full(32, 100.0), 80 + np.resize([-5.0, 5.0], 32)])
    averages = means(matrix, *BOARD)

    def tested(reach: float) -> Comparisons:
        return compared(matrix, *BOARD, 1, scale=(0, 100), reach=[reach, 0.0])

    assert tested(0.0).better[0, 1]
    assert tested(10.0).better[0, 1]
    assert not tested(25.0).better.any()
    unsure = averages.beyond(np.array([25.0, 0.0]))
    assert unsure.se[0] * quantile(0.95, averages.block_df.sum(axis=1))[0] == pytest.approx(25)
    assert averages.beyond(np.zeros(2)) is averages


def test_ranks_in_resampling_come_up_as_often_as_the_draws_that_give_them() -> None:
    """Of the four draws of two clusters, one has the second, which reverses the order, twice."""
    shares = rank_shares([[3.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]], [0, 0, 0], [0, 1, 1], seed=7)
    assert shares.sum(axis=1).tolist() == pytest.approx([1, 1, 1])
    assert shares[0].tolist() == pytest.approx([0.75, 0, 0.25], abs=0.04)
    assert shares[1].tolist() == shares[2].tolist() == pytest.approx([0.25, 0.75, 0], abs=0.04)


def test_a_group_of_clusters_that_are_alike_moves_no_rank() -> None:
    shares = rank_shares([[5, 5, 1], [4, 4, 9]], [0, 0, 1], [0, 1, 2], seed=1, weights=[0.9, 0.1])
    assert shares.ravel().tolist() == pytest.approx([1, 0, 0, 1])

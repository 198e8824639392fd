"""Ranks with ranges, the possible best and ties, against an independent computation and by simulation."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nullbench_site.stats import ranking
from nullbench_site.stats.estimate import ONE_CLUSTER, group_mean, means, paired_difference
from nullbench_site.stats.ranking import RankIntervals, cluster_bootstrap, over_best, ranks_of, square_and_add
from nullbench_site.stats.student import quantile

BOARD = (np.repeat(np.arange(4), 8), np.arange(32))
"""Four groups of eight items, each a source of its own."""


def ranked(matrix: Any, groups: Any, clusters: Any, seed: int, *, weights: Any = None, **others: Any) -> RankIntervals:
    return ranks_of(means(matrix, groups, clusters, weights=weights), seed, **others)


def contestants(k: int, seed: int, *, ahead: float = 0.0, items: int = 32) -> Any:
    """Scores around 50 with what is hard for all, each `ahead` points above the next."""
    rng = np.random.default_rng(seed)
    return 50 + rng.normal(size=items) * 15 + rng.normal(size=(k, items)) * 10 - ahead * np.arange(k)[:, np.newaxis]


def holm(matrix: Any, groups: Any, clusters: Any) -> set[tuple[int, int]]:
    """The pairs that differ significantly, the better first, by Holm (1979) on paired t tests one by one."""
    found = {}
    for one, other in combinations(range(len(matrix)), 2):
        difference = paired_difference(matrix[one], matrix[other], groups, clusters)
        assert difference.value is not None
        assert difference.p is not None
        found[(one, other) if difference.value > 0 else (other, one)] = difference.p
    better = set()
    for place, (pair, p) in enumerate(sorted(found.items(), key=lambda each: each[1])):
        if p >= 0.05 / (len(found) - place):
            break
        better.add(pair)
    return better


@pytest.mark.parametrize("seed", range(6))
def test_with_few_clusters_the_ranges_are_those_of_holm_pair_by_pair(seed: int) -> None:
    matrix = contestants(7, seed, ahead=4)
    better = holm(matrix, *BOARD)
    found = ranked(matrix, *BOARD, seed)
    for place in range(7):
        assert found.low[place] == 1 + sum(worse == place for _, worse in better)
        assert found.high[place] == 7 - sum(best == place for best, _ in better)
    assert found.best_set == tuple(place for place in range(7) if all(worse != place for _, worse in better))


def test_with_many_clusters_the_level_is_between_that_of_holm_and_that_of_a_single_test() -> None:
    """Four contestants without a difference: 5 % / 6 by Holm, and more by max |t|, which knows that pairs overlap."""
    found = ranked(contestants(4, 1, items=200), np.repeat(np.arange(4), 50), np.arange(200), 3)
    assert found.alpha is not None
    assert 0.05 / 6 < found.alpha < 0.05 / 3


def test_the_level_of_max_t_is_that_of_the_studentized_range_where_contestants_are_alike() -> None:
    """Tables of the studentized range: q of 4 at 5 % is 3.633, so a single test is at P(|Z| > 3.633 / sqrt 2) = 1.02 %.
    With 2,000 clusters of independent scores the bootstrap has to come near it."""
    rng = np.random.default_rng(11)
    found = ranked(rng.normal(size=(4, 2000)), np.zeros(2000, np.int64), np.arange(2000), 0, resamples=20_000)
    assert found.alpha == pytest.approx(0.0102, abs=0.0012)


def test_a_pair_is_judged_by_the_level_as_it_was_judged_here() -> None:
    matrix = contestants(6, 2, ahead=5)
    found = ranked(matrix, *BOARD, 0)
    assert found.alpha is not None
    worse = np.zeros(6, np.int64)
    for one, other in combinations(range(6), 2):
        difference = paired_difference(matrix[one], matrix[other], *BOARD)
        if (difference.p or 0) < found.alpha:
            worse[other if (difference.value or 0) > 0 else one] += 1
    assert [low - 1 for low in found.low] == worse.tolist()


@pytest.mark.parametrize("seed", range(30))
def test_equal_scores_share_everything_whatever_the_seed(seed: int) -> None:
    """Both have 70 on average, one of them always and the other in turns, so a third is told from the first alone."""
    steady, turns = np.full(40, 70.0), np.tile([10.0, 130.0], 20)
    third = 60 + np.tile([0.0, 1.0, 2.0, 3.0, -6.0], 8)
    found = ranked([turns, third, steady], np.zeros(40, np.int64), np.arange(40), seed)
    assert (found.rank[0], found.low[0], found.high[0], found.ties[0]) == (1, 1, 3, 1)
    assert (found.rank[2], found.low[2], found.high[2], found.ties[2]) == (1, 1, 3, 1)
    assert {0, 2} <= set(found.best_set)


@pytest.mark.parametrize("score", [0.0, 50.0])
def test_contestants_that_are_alike_on_every_item_of_many_share_all_ranks(score: float) -> None:
    ranks = ranked(np.full((3, 40), score), np.zeros(40, int), np.arange(40), 1)
    assert (ranks.rank, ranks.low, ranks.high, ranks.best_set) == ((1, 1, 1), (1, 1, 1), (3, 3, 3), (0, 1, 2))


@pytest.mark.parametrize("seed", range(2))
def test_ties_and_ranges_do_not_depend_on_the_seed(seed: int) -> None:
    """Thirty seeds on a board of eight contestants, three points apart: at most one pair hangs on one of them."""
    matrix = contestants(8, seed, ahead=3, items=160)
    groups = np.repeat(np.arange(4), 40)
    found = [ranked(matrix, groups, np.arange(160), seed) for seed in range(30)]
    of_ties, of_ranges = Counter(each.ties for each in found), Counter((each.low, each.high) for each in found)
    assert max(of_ties.values()) >= 29
    assert max(of_ranges.values()) >= 29


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 4), min_size=8, max_size=8), min_size=1, max_size=6), st.randoms())
def test_ranges_hold_ranks_and_the_order_of_contestants_moves_nothing(table: list[list[int]], random: Any) -> None:
    found = ranked(table, [0] * 8, range(8), 0)
    order = list(range(len(table)))
    random.shuffle(order)
    shuffled = ranked([table[place] for place in order], [0] * 8, range(8), 0)
    for number, place in enumerate(order):
        assert 1 <= found.low[place] <= found.rank[place] <= found.high[place] <= len(table)
        assert (shuffled.rank[number], shuffled.low[number]) == (found.rank[place], found.low[place])
        assert (shuffled.high[number], shuffled.ties[number]) == (found.high[place], found.ties[place])
    assert {order[number] for number in shuffled.best_set} == set(found.best_set)
    assert found.best_set
    for one, other in combinations(range(len(table)), 2):
        if sum(table[one]) == sum(table[other]):
            assert (found.low[one], found.high[one], found.ties[one]) == (
                found.low[other], found.high[other], found.ties[other],
            )  # fmt: skip


def test_one_that_is_better_on_every_item_alike_is_better_by_its_signs() -> None:
    """12 items of one sign have a p-value of 2^-11; five contestants have ten pairs. Of six items it is 1/32."""
    table = np.arange(5)[:, np.newaxis] + np.zeros((5, 12))
    told = ranked(table, [0] * 12, range(12), 0)
    assert (told.low, told.ties) == ((5, 4, 3, 2, 1), (5, 4, 3, 2, 1))
    few = ranked(table[:, :6], [0] * 6, range(6), 0)
    assert (few.low, few.high, few.best_set) == ((1,) * 5, (5,) * 5, (0, 1, 2, 3, 4))
    assert few.ties == (1,) * 5


def test_the_level_is_shared_by_all_who_differ_on_some_item_though_not_on_average() -> None:
    """Nobody is significantly better: Holm's 5 % over three pairs; over two where one of three is another's twin."""
    turns, third = np.tile([40.0, 60.0], 6), np.tile([45.0, 56.0], 6)
    assert ranked([turns, turns[::-1], third], [0] * 12, range(12), 0).alpha == pytest.approx(0.05 / 3)
    assert ranked([turns, turns, third], [0] * 12, range(12), 0).alpha == pytest.approx(0.05 / 2)


def test_scores_less_than_a_millionth_apart_are_equal_and_others_are_not() -> None:
    turns = np.tile([40.0, 60.0], 6)
    assert ranked([turns, turns + 4e-7, turns + 0.3], [0] * 12, range(12), 0).rank == (2, 2, 1)


def test_one_ties_with_the_first_of_a_group_and_not_with_the_next_below() -> None:
    """65 +- 35 is told neither from 70 nor from 60, which differ on every item alike."""
    table = [[60.0] * 40, [100.0, 30.0] * 20, [70.0] * 40]
    found = ranked(table, [0] * 40, range(40), 0)
    assert (found.rank, found.ties, found.low, found.high) == ((3, 2, 1), (2, 1, 1), (2, 1, 1), (3, 3, 2))


def test_groups_weigh_as_they_are_told_and_a_board_may_round_the_means() -> None:
    table = [[10.0, 20.0] * 3 + [40.0, 50.0] * 3, [30.0, 20.0] * 3 + [30.0, 20.0] * 3]
    groups = [0] * 6 + [1] * 6
    assert ranked(table, groups, range(12), 0).rank == (1, 2)
    assert ranked(table, groups, range(12), 0, weights=[2.0, 1.0]).rank == (1, 1)
    assert ranked(table, groups, range(12), 0, weights=[3.0, 1.0]).rank == (2, 1)
    assert ranked(table, groups, range(12), 0, values=[1.0, 2.0]).rank == (2, 1)


def test_contestants_with_one_score_each_on_many_items_are_told_apart_by_their_signs() -> None:
    """The 40 items of the one are all 100, those of the others 0: no draw moves anything."""
    found = ranked([[100.0] * 40, [0.0] * 40, [0.0] * 40], [0] * 40, list(range(40)), 1)
    assert (found.low, found.high, found.best_set) == ((1, 2, 2), (1, 3, 3), (0,))
    two_best = ranked([[100.0] * 40, [100.0] * 40, [0.0] * 40], [0] * 40, list(range(40)), 1)
    assert (two_best.low, two_best.high, two_best.best_set) == ((1, 1, 3), (2, 2, 3), (0, 1))


def test_too_few_clusters_give_ranks_alone_and_the_reason() -> None:
    few = ranked([[1, 2, 3], [3, 4, 8]], [0] * 3, range(3), 0)
    assert (few.rank, few.low, few.best_set, few.alpha) == ((2, 1), (), (), None)
    assert few.reason == "too few: 3 clusters of items, and an interval needs 6"
    assert ranked([[1, 2], [3, 4]], [0, 1], range(2), 0).reason == ONE_CLUSTER


def test_a_thousand_contestants_are_ranked_without_an_array_of_pairs_and_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a million pairs: Holm's level, no draws. The leader of a thousand is told from the last."""
    monkeypatch.setattr(ranking, "_moved", lambda *_: pytest.fail("drawn"))
    matrix = contestants(1000, 3, ahead=0.1, items=40)
    found = ranked(matrix, np.zeros(40, np.int64), np.arange(40), 0)
    assert found.low[-1] > 1
    assert found.alpha is not None
    assert 1e-7 < found.alpha < 1e-6


@pytest.mark.parametrize(
    ("matrix", "message"),
    [([[1.0, np.nan]], "finite"), ([1.0, 2.0], "2 dimension")],
)
def test_what_cannot_be_held_against_the_best_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        over_best(matrix, [0], [0, 0], [0, 1], 0)


def test_a_bootstrap_of_clusters_spreads_as_the_clustered_error_says() -> None:
    matrix, groups, clusters = contestants(2, 5, items=300), np.arange(300) % 2, np.arange(300) // 3
    moved = cluster_bootstrap(means(matrix, groups, clusters), 7, 4000)
    assert moved.shape == (4000, 2)
    for scores, of_one in zip(matrix, moved.T, strict=True):
        estimate = group_mean(scores, groups, clusters)
        assert of_one.mean() == pytest.approx(0, abs=0.05)
        assert of_one.std() == pytest.approx(estimate.se, rel=0.05)


def test_a_bootstrap_draws_whole_clusters_of_each_group_however_many_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Two clusters of two: 0, 1 or 2 times the one moves the mean of 50 by 50, 0 or -50, times the root of 2/(2 - 1).
    found = means([[100.0, 100.0, 0.0, 0.0]], [0] * 4, [0, 0, 1, 1])
    moved = cluster_bootstrap(found, 1, 300)
    assert set(np.round(moved[:, 0], 6).tolist()) == {-70.710678, 0.0, 70.710678}
    assert np.mean(moved == 0) == pytest.approx(0.5, abs=0.1)
    monkeypatch.setattr(ranking, "_CACHED_CELLS", 6)
    assert np.array_equal(cluster_bootstrap(found, 1, 300), moved)
    assert not np.array_equal(cluster_bootstrap(found, 2, 300), moved)


def test_a_contestant_is_held_against_the_best_of_some_as_against_one_where_there_is_one() -> None:
    """Against a single other the interval is that of the paired difference, but for what draws leave: 2 %."""
    matrix = contestants(2, 8, ahead=6, items=200)
    groups = np.repeat(np.arange(4), 50)
    pair = paired_difference(matrix[0], matrix[1], groups, np.arange(200))
    over = over_best(matrix, [1], groups, np.arange(200), 1, resamples=20_000)
    assert (over.low[0], over.high[0]) == (pytest.approx(pair.low, rel=0.05), pytest.approx(pair.high, rel=0.05))
    uneven = [9.0, 1.0, 1.0, 1.0]
    pair = paired_difference(matrix[0], matrix[1], groups, np.arange(200), weights=uneven)
    over = over_best(matrix, [1], groups, np.arange(200), 1, resamples=20_000, weights=uneven)
    assert (over.low[0], over.high[0]) == (pytest.approx(pair.low, rel=0.05), pytest.approx(pair.high, rel=0.05))


def test_the_best_of_many_is_drawn_anew_so_that_one_alike_is_not_above_it() -> None:
    """Twenty nulls of one skill: the best of them seems good, and the contestant of the same skill is not above."""
    matrix = contestants(21, 4, items=60)
    one = over_best(matrix, [1], np.zeros(60, np.int64), np.arange(60), 1)
    every = over_best(matrix, range(1, 21), np.zeros(60, np.int64), np.arange(60), 1)
    assert every.high[0] < one.high[0]
    assert every.low[0] < 0
    best = int(np.argmax(matrix[1:].mean(axis=1))) + 1
    assert every.low[best] <= 0
    assert every.best_low < matrix[best].mean() < every.best_high


def test_the_floor_reaches_as_high_as_any_null_model() -> None:
    """One null scores 0 on every item, which a bootstrap does not move and whose own interval reaches to 4.58; one has
    25 on one of 80. The floor, the best of both, is no surer than either."""
    almost = [25.0] + [0.0] * 79
    matrix = [[60.0, 40.0] * 40, [0.0] * 80, almost]
    groups, clusters = np.zeros(80, np.int64), np.arange(80)
    over = over_best(matrix, [1, 2], groups, clusters, 1)
    nothing, best = (group_mean(row, groups, clusters, scale=(0, 100)) for row in matrix[1:])
    assert nothing.high == pytest.approx(4.5818, abs=1e-4)
    assert over.best_high == nothing.high
    assert best.low is not None
    assert over.best_low <= best.low


def test_the_lower_end_of_a_difference_from_two_intervals_is_the_one_that_its_source_has() -> None:
    """Newcombe (1998), table of examples: 36 both, 12 the first alone, 2 the second alone, 0 neither: 0.0569."""
    both, first, second, neither, n = 36, 12, 2, 0, 50
    table = [[1.0] * (both + first) + [0.0] * (second + neither), [1.0] * both + [0.0] * first + [1.0] * second]
    x, y = (
        (2 * n * p + 1.96**2) / (2 * (n + 1.96**2))
        + np.array([-1, 1]) * 1.96 * np.sqrt(1.96**2 + 4 * n * p * (1 - p)) / (2 * (n + 1.96**2))
        for p in (0.96, 0.76)
    )
    r = np.corrcoef(table)[0, 1]
    low = square_and_add(np.array(0.2), 0.96 - x[0], y[1] - 0.76, r)
    assert low == pytest.approx(0.0569, abs=5e-5)


@given(
    st.integers(6, 60),
    st.lists(st.integers(0, 60), min_size=1, max_size=60),
    st.integers(0, 40),
)
@settings(max_examples=25)
def test_who_is_above_a_floor_scores_more_than_the_interval_of_the_floor_reaches(
    n_items: int, raised: list[int], score: int
) -> None:
    """Where null models score nothing, so that nothing is hard for both."""
    scores = np.array([float(min(100, score + 5 * raised[item % len(raised)])) for item in range(n_items)])
    matrix = [scores, np.zeros(n_items), np.zeros(n_items)]
    over = over_best(matrix, [1, 2], np.zeros(n_items, np.int64), np.arange(n_items), 1, resamples=50)
    assert not over.low[0] > 0 or scores.mean() > over.best_high


def test_a_null_model_that_happened_to_score_nothing_is_not_taken_for_one_that_never_does() -> None:
    """Mean 3 give or take 1 on 80 items, above 0 for sure; but a null model that scores 0 on 80 may have 4.58."""
    table = [[2.0, 4.0] * 40, [0.0] * 80]
    over = over_best(table, [1], [0] * 80, range(80), 1)
    # 3 - sqrt(0.21^2 + 4.58^2): the interval of 3 reaches down to 2.79, by Wilson's formula.
    assert over.low[0] == pytest.approx(3 - np.hypot(3 - 2.79, 4.5818), abs=0.01)
    # Of 12 give or take 1 it is sure.
    assert over_best([[11.0, 13.0] * 40, [0.0] * 80], [1], [0] * 80, range(80), 1).low[0] > 7


def test_who_is_above_the_best_of_some_is_above_each_by_the_intervals_of_both() -> None:
    """Nulls with 12 and with 25 on one item of 80: what the interval of the second reaches to decides."""
    table = np.array([[2.0, 4.0] * 40, [0.0] * 79 + [12.0], [25.0] + [0.0] * 79])
    groups, clusters = np.zeros(80, np.int64), np.arange(80)
    x, *nulls = (group_mean(row, groups, clusters, scale=(0, 100)) for row in table)
    lows = []
    for row, y in zip(table[1:], nulls, strict=True):
        assert None not in (x.value, x.low, y.value, y.high)
        below, above, r = x.value - x.low, y.high - y.value, float(np.corrcoef(table[0], row)[0, 1])  # type: ignore[operator]
        lows.append(x.value - y.value - np.sqrt(below**2 + above**2 - 2 * r * below * above))  # type: ignore[operator]
    assert lows[1] < lows[0]
    assert over_best(table, [1, 2], groups, clusters, 1).low[0] == pytest.approx(lows[1], abs=1e-9)


def test_nulls_of_zero_are_not_a_certain_floor() -> None:
    """100 on 20 items above 0: as `paired_difference` has it, 67.77. The floor of 0 may be 16.11."""
    over = over_best([[100.0] * 20, [0.0] * 20, [0.0] * 20], [1, 2], [0] * 20, range(20), 0)
    assert over.low.tolist() == [pytest.approx(67.7750, abs=1e-3), *[pytest.approx(-16.113, abs=1e-3)] * 2]
    assert (over.best_low, over.best_high) == (0.0, pytest.approx(16.113, abs=1e-3))
    few = over_best([[100.0] * 3, [0.0] * 3], [1], [0] * 3, range(3), 0)
    assert few.reason is not None
    assert np.isnan(few.low).all()


def test_one_that_may_be_off_by_more_than_its_items_show_is_told_from_others_by_as_much_more() -> None:
    """100 on every item and about 80: apart by 20 whatever the items, but not where the 100 may be 75."""
    matrix = np.vstack([np.full(32, 100.0), 80 + np.resize([-5.0, 5.0], 32)])
    found = means(matrix, *BOARD)
    assert ranks_of(found, 1).low == (1, 2)
    unsure = found.beyond(np.array([25.0, 0.0]))
    assert unsure.se[0] * quantile(0.95, found.block_df.sum(axis=1))[0] == pytest.approx(25)
    assert unsure.se[1] == found.se[1]
    assert ranks_of(unsure, 1).low == (1, 1)
    assert ranks_of(found.beyond(np.array([10.0, 0.0])), 1).low == (1, 2)
    assert found.beyond(np.zeros(2)) is found
    alone = means(matrix[:, :1], [0], [0])  # of one item nothing is known that this could be added to
    assert alone.beyond(np.array([25.0, 0.0])) is alone


def test_a_floor_that_may_be_higher_than_its_items_show_is_reached_by_one_who_is_above_what_they_show() -> None:
    matrix = np.vstack([30 + np.resize([-5.0, 5.0], 32), np.zeros(32)])
    sure, unsure = (over_best(matrix, [1], *BOARD, 1, reach=np.array([0.0, up])) for up in (0.0, 35.0))
    assert sure.low[0] > 0 > unsure.low[0]
    assert unsure.best_high == 35

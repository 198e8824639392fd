from __future__ import annotations

import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats import ranking
from nullbench_site.stats.estimates import grouped_mean_standard_error
from nullbench_site.stats.ranking import RankIntervals, bootstrap_overalls, rank_intervals, tie_groups

Floats = npt.NDArray[np.float64]


def board(models: int = 6, texts: int = 12, *, seed: int = 0) -> tuple[Floats, list[int], list[int]]:
    """Scores of a small board with thirds, two groups of unequal size and three items a text."""
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(texts), 3)
    groups = (clusters % 3 == 0).astype(int)
    skill = np.linspace(40, 60, models)[:, np.newaxis]
    scores = skill + rng.normal(0, 15, texts)[clusters] + rng.normal(0, 15, (models, texts * 3))
    return np.round(np.clip(scores, 0, 100) * 3) / 3, groups.tolist(), clusters.tolist()


def point(scores: Floats, groups: list[int]) -> Floats:
    """The overall score of each model: the mean over groups of the means in the groups."""
    label = np.array(groups)
    means = [scores[:, label == g].mean(axis=1) for g in np.unique(label)]
    return np.asarray(np.mean(means, axis=0), dtype=np.float64)


def test_draws_of_two_texts_are_the_three_possible_means() -> None:
    """Texts of 0 and 100: twice 0 (1/4), mixed (1/2), twice 100 (1/4); 0.03 is four sd of 4000 draws."""
    draws = bootstrap_overalls([[0, 100]], [0, 0], [0, 1], resamples=4000, seed=1)[:, 0]
    values, counts = np.unique(draws, return_counts=True)
    assert values.tolist() == [0, 50, 100]
    assert counts / 4000 == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_all_items_of_a_text_are_drawn_together() -> None:
    """One text has 0, 0, 0, the other 100: means over 6, 4 or 2 items, never half a text."""
    draws = bootstrap_overalls([[0, 0, 0, 100]], [0] * 4, [5, 5, 5, 8], resamples=200, seed=2)[:, 0]
    assert np.unique(draws).tolist() == [0, 25, 100]


def test_no_resample_loses_a_group() -> None:
    """A group with one text keeps it, so the overall is (100 + x) / 2, x the mean of the other group."""
    draws = bootstrap_overalls([[100, 0, 50]], [0, 1, 1], [0, 1, 2], resamples=300, seed=3)[:, 0]
    assert np.unique(draws).tolist() == [50, 62.5, 75]


def test_all_models_are_scored_on_the_same_draw() -> None:
    """A model that is 10 points better on every item is 10 points better on every draw."""
    scores = np.array([[10.0, 50, 90, 20], [20.0, 60, 100, 30]])
    draws = bootstrap_overalls(scores, [0, 0, 1, 1], [0, 1, 2, 3], resamples=100, seed=4)
    assert draws[:, 1] - draws[:, 0] == pytest.approx(10)
    assert np.ptp(draws[:, 0]) > 0


def test_the_spread_of_draws_is_the_clustered_standard_error() -> None:
    """40 texts, one group: the bootstrap variance lacks the factor G/(G-1), which is 40/39 here."""
    scores, _, clusters = board(models=1, texts=40)
    groups = [0] * len(clusters)
    se = grouped_mean_standard_error(scores[0], groups, clusters)
    assert se is not None
    draws = bootstrap_overalls(scores, groups, clusters, resamples=20_000, seed=5)
    assert draws.std() == pytest.approx(se * np.sqrt(39 / 40), rel=0.02)
    assert draws.mean() == pytest.approx(scores.mean(), abs=4 * se / np.sqrt(20_000))


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    scores, groups, clusters = board()
    first, again, other = (
        bootstrap_overalls(scores, groups, clusters, resamples=50, seed=seed).tobytes() for seed in (7, 7, 8)
    )
    assert first == again != other


def test_the_size_of_chunks_does_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, groups, clusters = board()
    whole = bootstrap_overalls(scores, groups, clusters, resamples=50, seed=7)
    monkeypatch.setattr(ranking, "_CHUNK_CELLS", 30)
    assert np.array_equal(bootstrap_overalls(scores, groups, clusters, resamples=50, seed=7), whole)


@given(st.permutations(range(6)), st.integers(0, 1000))
def test_the_order_of_models_permutes_the_draws_and_nothing_else(order: list[int], seed: int) -> None:
    scores, groups, clusters = board(seed=seed)
    straight = bootstrap_overalls(scores, groups, clusters, resamples=40, seed=9)
    assert np.array_equal(bootstrap_overalls(scores[order], groups, clusters, resamples=40, seed=9), straight[:, order])


@given(st.permutations(range(36)))
def test_the_order_of_items_does_not_change_the_draws(order: list[int]) -> None:
    scores, groups, clusters = board()
    mixed = bootstrap_overalls(
        scores[:, order], np.array(groups)[order], np.array(clusters)[order], resamples=40, seed=9
    )
    assert np.array_equal(mixed, bootstrap_overalls(scores, groups, clusters, resamples=40, seed=9))


def test_another_model_on_the_board_does_not_change_the_draws_of_the_rest() -> None:
    scores, groups, clusters = board()
    alone = bootstrap_overalls(scores[:2], groups, clusters, resamples=40, seed=9)
    assert np.array_equal(bootstrap_overalls(scores, groups, clusters, resamples=40, seed=9)[:, :2], alone)


def test_copying_every_item_leaves_the_draws() -> None:
    scores, groups, clusters = board()
    once = bootstrap_overalls(scores, groups, clusters, resamples=40, seed=9)
    twice = bootstrap_overalls(np.hstack([scores, scores]), groups * 2, clusters * 2, resamples=40, seed=9)
    assert np.array_equal(once, twice)


def test_a_large_board_is_drawn_in_little_memory() -> None:
    """50 models, 7000 items, 1000 resamples: all counts at once would take 56 MB twice, and more while
    drawn."""
    scores = np.random.default_rng(0).integers(0, 101, size=(50, 7000)).astype(float)
    groups, clusters = np.arange(7000) % 2, np.arange(7000)
    tracemalloc.start()
    try:
        draws = bootstrap_overalls(scores, groups, clusters, resamples=1000, seed=1)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 100e6
    assert draws.shape == (1000, 50)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scores": [[1.0, float("nan")]]}, "scores must be finite"),
        ({"scores": [1.0, 2.0]}, "2 dimension"),
        ({"groups": [0]}, "groups must be 2 integers"),
        ({"clusters": ["a", "b"]}, "clusters must be 2 integers"),
        ({"scores": np.zeros((3, 0)), "groups": [], "clusters": []}, "needs items"),
        ({"resamples": 0}, "needs items and resamples"),
        ({"scores": [[1e12, 1.0]]}, "too large"),
    ],
)
def test_arrays_that_cannot_be_drawn_are_refused(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "scores": [[1.0, 2.0]],
        "groups": [0, 0],
        "clusters": [0, 1],
        "resamples": 5,
        "seed": 1,
    }
    with pytest.raises(ValueError, match=message):
        bootstrap_overalls(**(arguments | changes))


def test_ties_share_the_best_rank_as_in_competitions() -> None:
    intervals = rank_intervals([80, 90, 80, 70], [[80, 90, 80, 70]])
    assert intervals == RankIntervals(rank=(2, 1, 2, 4), rank_low=(2, 1, 2, 4), rank_high=(2, 1, 2, 4))


def test_a_difference_that_is_only_arithmetic_is_a_tie() -> None:
    """0.1 + 0.2 and 0.3 differ in the last bit, and nobody is better for that."""
    assert rank_intervals([0.1 + 0.2, 0.3], [[0.1 + 0.2, 0.3]]).rank == (1, 1)


def test_the_interval_of_a_rank_worked_by_hand() -> None:
    """Of 40 draws the second model leads in 2: 5 % of the draws, more than the 2.5 % a side leaves out.

    Ranks of the first model, sorted: 38 times 1, twice 2. The 97.5 % point lies at place 0.975 * 39 = 38.025,
    counted from 0; outwards that is place 39, a 2, the only 2 when the second model leads just once.
    With one win in 400 it lies at 389.025, outwards 390, a 1.
    """
    draws = [[9.0, 8.0]] * 38 + [[7.0, 8.0]] * 2
    assert rank_intervals([9, 8], draws) == RankIntervals((1, 2), (1, 1), (2, 2))
    once = [[9.0, 8.0]] * 39 + [[7.0, 8.0]]
    assert rank_intervals([9, 8], once) == RankIntervals((1, 2), (1, 1), (2, 2))
    rare = [[9.0, 8.0]] * 399 + [[7.0, 8.0]]
    assert rank_intervals([9, 8], rare) == RankIntervals((1, 2), (1, 2), (1, 2))


def test_a_lower_level_has_a_narrower_interval() -> None:
    draws = [[9.0, 8.0]] * 35 + [[7.0, 8.0]] * 5
    assert rank_intervals([9, 8], draws, level=0.95).rank_high == (2, 2)
    assert rank_intervals([9, 8], draws, level=0.5).rank_high == (1, 2)


def test_an_interval_holds_its_rank_even_where_the_draws_never_tie() -> None:
    """Both tie on the points and have rank 1; in each draw one of them leads, the second one always."""
    assert rank_intervals([8, 8], [[7.0, 9.0]] * 10) == RankIntervals((1, 1), (1, 1), (2, 1))


@given(st.permutations(range(6)), st.integers(0, 1000))
def test_the_order_of_models_changes_no_rank_and_no_tie_group(order: list[int], seed: int) -> None:
    scores, groups, clusters = board(seed=seed)
    draws = bootstrap_overalls(scores, groups, clusters, resamples=60, seed=1)
    points = point(scores, groups)
    straight, mixed = rank_intervals(points, draws), rank_intervals(points[order], draws[:, order])
    assert mixed.rank == tuple(straight.rank[i] for i in order)
    assert mixed.rank_low == tuple(straight.rank_low[i] for i in order)
    assert mixed.rank_high == tuple(straight.rank_high[i] for i in order)
    tied = tie_groups(points, draws)
    assert tie_groups(points[order], draws[:, order]) == [tied[i] for i in order]


@given(st.integers(0, 5), st.integers(0, 1000))
def test_a_duplicated_model_has_the_same_ranks_and_the_same_tie_group(model: int, seed: int) -> None:
    scores, groups, clusters = board(seed=seed)
    scores = np.vstack([scores, scores[model]])
    draws = bootstrap_overalls(scores, groups, clusters, resamples=60, seed=1)
    points = point(scores, groups)
    intervals, tied = rank_intervals(points, draws), tie_groups(points, draws)
    for ends in (intervals.rank, intervals.rank_low, intervals.rank_high, tied):
        assert ends[model] == ends[-1]


@given(st.integers(0, 1000))
def test_ranks_lie_inside_their_intervals_and_tie_groups_follow_the_ranking(seed: int) -> None:
    scores, groups, clusters = board(seed=seed)
    draws = bootstrap_overalls(scores, groups, clusters, resamples=60, seed=1)
    points = point(scores, groups)
    intervals = rank_intervals(points, draws)
    for low, rank, high in zip(intervals.rank_low, intervals.rank, intervals.rank_high, strict=True):
        assert 1 <= low <= rank <= high <= len(points)
    in_order = [group for _, group in sorted(zip(-points, tie_groups(points, draws), strict=True))]
    assert in_order[0] == 1
    assert {after - before for before, after in pairwise(in_order)} <= {0, 1}


def test_a_model_that_loses_every_draw_leads_a_new_tie_group() -> None:
    """Second and third are 20 below the first on each draw, and change places between themselves."""
    draws = [[90.0, 70.0, 69.0], [80.0, 60.0, 61.0]] * 20
    assert tie_groups([85, 65, 65], draws) == [1, 2, 2]


def test_a_tie_group_is_held_together_by_its_leader() -> None:
    """1 may equal 2 and 2 may equal 3, but 3 never reaches 1: 3 starts a group although it may equal 2."""
    draws = [[10.0, 9.0, 5.0], [10.0, 11.0, 9.0], [10.0, 8.0, 8.5]] * 20
    assert tie_groups([10, 9.3, 7.5], draws) == [1, 1, 2]


def test_paired_differences_part_models_whose_own_intervals_overlap() -> None:
    """Both swing by 60 points with the texts drawn, but the first is always exactly 1 ahead."""
    first = np.linspace(20, 80, 50)
    draws = np.column_stack([first, first - 1])
    assert tie_groups([50, 49], draws) == [1, 2]


def test_rare_wins_do_not_tie_and_common_wins_do() -> None:
    """The second wins 1 draw of 400 (0.25 %), then 20 of 400 (5 %): a side of 95 % leaves out 2.5 %."""
    rare = [[9.0, 8.0]] * 399 + [[7.0, 8.0]]
    common = [[9.0, 8.0]] * 380 + [[7.0, 8.0]] * 20
    assert tie_groups([9, 8], rare) == [1, 2]
    assert tie_groups([9, 8], common) == [1, 1]


def test_a_board_without_models_has_no_ranks() -> None:
    draws = np.zeros((5, 0))
    assert rank_intervals([], draws) == RankIntervals((), (), ())
    assert tie_groups([], draws) == []


@pytest.mark.parametrize("question", [rank_intervals, tie_groups])
@pytest.mark.parametrize(
    ("points", "draws", "level", "message"),
    [
        ([1.0, 2.0], [[1.0]], 0.95, "draws must be"),
        ([1.0], np.zeros((0, 1)), 0.95, "draws must be"),
        ([float("nan")], [[1.0]], 0.95, "points must be finite"),
        ([1.0], [[1.0]], 1.0, "level must lie between"),
    ],
)
def test_points_and_draws_that_do_not_fit_are_refused(
    question: Any, points: Any, draws: Any, level: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        question(points, draws, level=level)


def test_equal_weights_draw_the_unweighted_overalls():
    scores, groups, clusters = [[1.0, 3.0, 10.0, 20.0]], [0, 0, 1, 1], [0, 1, 2, 3]
    plain = bootstrap_overalls(scores, groups, clusters, resamples=50, seed=3)
    weighted = bootstrap_overalls(scores, groups, clusters, resamples=50, seed=3, weights=[5, 5])
    assert plain.tolist() == weighted.tolist()


def test_a_group_with_nearly_all_the_weight_decides_alone():
    scores, groups, clusters = [[50.0, 50.0, 0.0, 100.0]], [0, 0, 1, 1], [0, 1, 2, 3]
    draws = bootstrap_overalls(scores, groups, clusters, resamples=50, seed=3, weights=[1 - 1e-9, 1e-9])
    assert draws == pytest.approx(50.0, abs=1e-6)

"""Contamination by date: the difference in differences against hand-worked, published and recomputed figures."""

from __future__ import annotations

import csv
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import contamination_flags
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.stats.contamination import (
    DatedDifference,
    DatedTable,
    difference_in_differences,
    joint_differences,
    joint_gaps,
)

TABLES = Path(__file__).parents[2] / "specs" / "scores" / "livecodebench"
FAMILIES = {
    "dscoder": "deepseek", "magicoders-ds": "deepseek", "cllama": "llama", "magicoders-cl": "llama", "phind": "llama",
    "wcoder": "llama", "gpt": "gpt", "claude": "claude", "google": "gemini",
}  # fmt: skip
"""The beginning of an id -> the family, with the models that are derived from it."""


def test_the_figures_are_those_worked_out_by_hand() -> None:
    """A solves 5 of 6 old items and 1 of 6 new ones; B and C score 50 on each.

    Against B and C the difference is 83.33 - 16.67 = 66.67. Each side has the variance 6/5 * 100^2 * 5/36 = 1666.67, so
    SE = sqrt(2 * 1666.67 / 6) = 23.57. B is compared with the mean of A and C, so it has half of A's
    difference, with the other sign. In one of nine draws no side varies, which leaves no bounds at 5 %.
    """
    scores = np.full((3, 12), 50.0)
    scores[0] = [100, 100, 100, 0, 100, 100, 0, 0, 100, 0, 0, 0]
    a, b, _ = difference_in_differences(scores, np.arange(12) >= 6, np.arange(12))
    assert (a.before, a.after, a.drop, a.others) == pytest.approx((83.33333, 16.66667, 66.66667, 0))
    assert (a.value, a.se) == pytest.approx((66.66667, sqrt(2 * 10000 / 6 / 6)))
    assert (b.value, b.se, b.others) == pytest.approx((-33.33333, sqrt(2 * 10000 / 6 / 6) / 2, 33.33333))
    assert (a.n_before, a.n_after, a.n_others) == (6, 6, 2)
    assert (a.low, a.flagged, a.reason) == (None, None, "too few items with different scores for a test")


def livecodebench(platform: str) -> tuple[list[str], Floats, Bools]:
    """Return the models with all items, their scores on a platform, and which items are from 2023-09-01 or later."""
    with (TABLES / "items.csv").open(encoding="utf-8") as file:
        items = {row["id"]: row for row in csv.DictReader(file)}
    with (TABLES / "scores.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    rows = [row for row in rows if all(row)]
    chosen = [place for place, item in enumerate(header) if place and items[item]["category"] == platform]
    scores = np.array([[float(row[place]) for place in chosen] for row in rows])
    return (
        [row[0] for row in rows],
        scores,
        np.array([items[header[place]]["date"] >= "2023-09-01" for place in chosen]),
    )


def flagged(platform: str, *, clean: bool) -> dict[str, float]:
    models, scores, after = livecodebench(platform)
    family = np.array([next(of for start, of in FAMILIES.items() if model.startswith(start)) for model in models])
    related = family[:, np.newaxis] == family if clean else None
    found = difference_in_differences(scores, after, np.arange(after.size), related)
    return {model: round(own.value or 0, 1) for model, own in zip(models, found, strict=True) if own.flagged}


def test_deepseek_coder_and_its_fine_tune_are_flagged_on_leetcode_and_nobody_on_atcoder() -> None:
    """The figures of the issue: with the clean comparison group, and against all other complete models."""
    clean = {"dscoder-33b-ins": 38.1, "dscoder-6.7b-ins": 19.2, "magicoders-ds-6.7b": 22.2, "dscoder-1.3b-ins": 11.1}
    assert flagged("LeetCode", clean=True) == clean
    of_all = {"dscoder-33b-ins": 34.4, "dscoder-6.7b-ins": 14.1, "magicoders-ds-6.7b": 17.3}
    assert flagged("LeetCode", clean=False) == of_all
    assert flagged("AtCoder", clean=True) == flagged("AtCoder", clean=False) == {}


def interaction(scores: Floats, after: Bools, clusters: Any, row: int) -> tuple[float, float]:
    """Return the interaction of an ordinary least squares of scores on contestant x date, and its clustered error.

    All observations of an item are in its cluster, and each side has the factor n/(n - 1) of its clusters.
    """
    k, n = scores.shape
    own = np.repeat(np.arange(k) == row, n)
    late, cluster = np.tile(after, k), np.tile(clusters, k)
    design = np.column_stack([np.ones(k * n), own, late, own & late]).astype(float)
    bread = np.linalg.inv(design.T @ design)
    beta = bread @ design.T @ scores.ravel()
    moments = design * (scores.ravel() - design @ beta)[:, np.newaxis]
    sides = [np.unique(clusters[after == side]).size for side in (False, True)]
    factor = np.where(late, sqrt(sides[1] / (sides[1] - 1)), sqrt(sides[0] / (sides[0] - 1)))
    sums = np.array([(moments * factor[:, np.newaxis])[cluster == each].sum(axis=0) for each in np.unique(cluster)])
    return -float(beta[3]), sqrt(float((bread @ sums.T @ sums @ bread)[3, 3]))


@pytest.mark.parametrize("spread", [False, True])
def test_value_and_error_are_those_of_a_least_squares_interaction(spread: bool) -> None:
    """spread: clusters with items on both sides of the date."""
    rng = np.random.default_rng(3)
    after = np.arange(60) >= 25
    clusters = np.arange(60) % 20 if spread else np.arange(60) // 3 + 30 * after
    scores = rng.normal(50, 10, (4, 60)) + rng.normal(0, 8, (4, 60))[:, clusters % 20] + 6 * after
    for row, own in enumerate(difference_in_differences(scores, after, clusters)):
        assert (own.value, own.se) == pytest.approx(interaction(scores, after, clusters, row))


@pytest.mark.parametrize("spread", [False, True])
def test_bounds_are_those_of_a_bootstrap_written_out(spread: bool) -> None:
    """Each draw repeats the whole estimate on drawn clusters; 600 draws give the quantile within a tenth."""
    rng = np.random.default_rng(7)
    after = np.arange(48) >= 20
    clusters = np.arange(48) % 24 if spread else np.arange(48) // 2 + 50 * after
    scores = rng.normal(50, 10, (3, 48)) ** 2 / 50
    found = difference_in_differences(scores, after, clusters)
    names = np.unique(clusters)
    where = [np.flatnonzero(clusters == name) for name in names]
    kinds = [
        np.flatnonzero([set(after[own].tolist()) == kind for own in where]) for kind in ({False}, {True}, {False, True})
    ]
    largest, smallest = [], []
    for _ in range(600):
        drawn = np.concatenate([rng.choice(kind, kind.size) for kind in kinds if kind.size])
        places = np.concatenate([where[each] for each in drawn])
        of = np.repeat(np.arange(drawn.size), [where[each].size for each in drawn])
        again = [interaction(scores[:, places], after[places], of, row) for row in range(3)]
        t = [(value - (own.value or 0)) / se for (value, se), own in zip(again, found, strict=True)]
        largest.append(max(t))
        smallest.append(-min(t))
    for own in found:
        assert own.value is not None
        assert own.se is not None
        bounds = own.value - np.quantile(largest, 0.95) * own.se, own.value + np.quantile(smallest, 0.95) * own.se
        assert (own.low, own.high) == pytest.approx(bounds, abs=0.35 * own.se)


def test_a_row_of_dates_for_each_contestant_gives_each_the_figures_of_its_own_date() -> None:
    rng = np.random.default_rng(4)
    scores, clusters = rng.normal(50, 10, (3, 40)), np.arange(40)
    after = np.arange(40) >= np.array([[10], [20], [30]])
    together = difference_in_differences(scores, after, clusters)
    for row, own in enumerate(together):
        alone = difference_in_differences(scores, after[row], clusters)[row]
        assert (own.value, own.se, own.n_before) == pytest.approx((alone.value, alone.se, 10 * (row + 1)))


def related(*pairs: tuple[int, int]) -> Bools:
    matrix = np.zeros((3, 3), np.bool_)
    for pair in pairs:
        matrix[pair] = True
    return matrix


@pytest.mark.parametrize(
    ("change", "reason", "value"),
    [
        ({"after": np.zeros(20, np.bool_)}, "all items are on one side of the date", None),
        ({"scores": "gap"}, "1 of 20 items have no score", None),
        ({"related": related((0, 1), (0, 2))}, "nobody to compare with", None),
        ({"after": np.arange(20) >= 17}, "too few: 3 independent items on one side, and a test needs 6", "there"),
        ({"clusters": np.arange(20) // 5}, "too few: 2 independent items on one side", "there"),
        ({"scores": "same"}, "it differs from the others by the same on every item of a side", "there"),
    ],
)
def test_a_contestant_that_cannot_be_tested_says_why(change: dict[str, Any], reason: str, value: str | None) -> None:
    scores = np.random.default_rng(5).normal(50, 10, (3, 20))
    if change.get("scores") == "gap":
        scores[0, 7] = np.nan
    elif change.get("scores") == "same":
        scores[:] = scores[0]
    given = {"after": np.arange(20) >= 10, "clusters": np.arange(20), **change, "scores": scores}
    own = difference_in_differences(**given)[0]
    assert own.reason is not None
    assert own.reason.startswith(reason)
    assert (own.value is None) == (value is None)
    assert (own.low, own.high, own.flagged) == (None, None, None)


def test_a_contestant_with_a_gap_is_in_no_comparison_group() -> None:
    scores = np.random.default_rng(6).normal(50, 10, (3, 20))
    scores[2, 0] = np.nan
    after, clusters = np.arange(20) >= 10, np.arange(20)
    with_gap, without = (
        difference_in_differences(scores, after, clusters),
        difference_in_differences(scores[:2], after, clusters),
    )
    assert with_gap[:2] == without
    assert with_gap[0].n_others == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": np.zeros(20)}, "scores must be contestants x items"),
        ({"after": np.zeros(19, np.bool_)}, "after must be booleans of shape"),
        ({"after": np.zeros(20)}, "after must be booleans of shape"),
        ({"clusters": np.zeros(20)}, "clusters must be 20 integers"),
        ({"related": np.zeros((3, 2), np.bool_)}, "related must be booleans of shape"),
    ],
)
def test_arguments_of_another_shape_or_type_are_refused(change: dict[str, Any], message: str) -> None:
    given = {"scores": np.zeros((3, 20)), "after": np.arange(20) >= 10, "clusters": np.arange(20), **change}
    with pytest.raises(ValueError, match=message):
        difference_in_differences(**given)


def test_a_difference_without_scores_has_no_drop() -> None:
    assert DatedDifference(None, reason="no items").drop is None


def critical(found: list[DatedDifference]) -> float:
    """Return the number of standard errors from a value to its lower bound, the same for all that are tested."""
    (each,) = {
        round((own.value - own.low) / own.se, 6)
        for own in found
        if own.value is not None and own.low is not None and own.se is not None
    }
    return each


def test_all_tables_have_one_critical_value_and_more_tables_a_larger_one() -> None:
    rng, n = np.random.default_rng(5), 80
    scores, clusters, every = rng.normal(50, 10, (5, n)), np.arange(n), np.ones(n, np.bool_)
    splits = [np.tile(np.arange(n) % 40 >= start, (5, 1)) for start in (10, 20, 30)]
    tables = [DatedTable(split, every) for split in splits]
    tables += [DatedTable(splits[1], half) for half in (np.arange(n) < 40, np.arange(n) >= 40)]
    together = joint_differences(scores, tables, clusters)
    (alone,) = joint_differences(scores, tables[1:2], clusters)
    assert {critical(found) for found in together} == {critical(together[0])}
    assert critical(together[0]) > critical(alone) + 0.1
    assert [own.value for own in together[1]] == [own.value for own in alone]
    assert joint_differences(scores, tables[::-1], clusters)[1][0].value == together[3][0].value


def test_two_copies_of_a_table_have_the_critical_value_of_one() -> None:
    """Clusters are drawn once for all tables, so a copy adds no chance of a wrong flag."""
    rng = np.random.default_rng(6)
    scores, clusters = rng.normal(50, 10, (4, 60)), np.arange(60)
    table = DatedTable(np.tile(clusters >= 25, (4, 1)), np.ones(60, np.bool_))
    one, two = (joint_differences(scores, [table] * times, clusters)[0] for times in (1, 2))
    assert critical(one) == critical(two)


def test_a_table_whose_draws_do_not_vary_is_left_out_and_does_not_hide_the_others() -> None:
    """On the second half one item of 20 differs: about a third of the draws on that side have no variance."""
    rng, clusters = np.random.default_rng(8), np.arange(80)
    scores = rng.normal(50, 10, (3, 80))
    scores[:, 40:] = 50.0
    scores[0, 45] = 100.0
    after = np.tile(clusters % 40 >= 20, (3, 1))
    first, second = joint_differences(
        scores, [DatedTable(after, clusters < 40), DatedTable(after, clusters >= 40)], clusters
    )
    (alone,) = joint_differences(scores, [DatedTable(after, clusters < 40)], clusters)
    assert {own.reason for own in second} <= {
        "too few items with different scores for a test",
        "it differs from the others by the same on every item of a side",
    }
    assert all(own.low is None for own in second)
    assert critical(first) == pytest.approx(critical(alone), rel=0.1)


def test_a_table_can_ask_for_more_clusters_on_a_side() -> None:
    rng, clusters = np.random.default_rng(9), np.arange(40)
    scores, after = rng.normal(50, 10, (3, 40)), np.tile(clusters >= 8, (3, 1))
    every = np.ones(40, np.bool_)
    enough, few = joint_differences(scores, [DatedTable(after, every), DatedTable(after, every, 12)], clusters)
    assert {own.reason for own in enough} == {None}
    assert {own.reason for own in few} == {"too few: 8 independent items on one side, and a test needs 12"}


def test_gaps_have_joint_bounds_and_a_missing_score_is_left_out() -> None:
    rng, seen = np.random.default_rng(10), np.arange(60) < 20
    scores = rng.normal(50, 8, (4, 60))
    scores[1, seen] += 30
    scores[2, 5] = np.nan
    found = joint_gaps(scores, seen, np.arange(60))
    assert [own.value for own in found] == pytest.approx(
        [np.nanmean(row[seen]) - np.nanmean(row[~seen]) for row in scores]
    )
    assert [(own.low or 0) > 0 for own in found] == [False, True, False, False]
    alone = joint_gaps(scores[1:2], seen, np.arange(60))[0]
    assert alone.low is not None
    assert found[1].low is not None
    assert found[1].low < alone.low


@pytest.mark.parametrize(
    ("seen", "why"), [(0, "all tested items are of one kind"), (3, "too few: 3 independent items on one side")]
)
def test_a_gap_that_cannot_be_tested_says_why(seen: int, why: str) -> None:
    scores = np.random.default_rng(11).normal(50, 8, (2, 30))
    for own in joint_gaps(scores, np.arange(30) < seen, np.arange(30)):
        assert own.low is None
        assert str(own.reason).startswith(why)


def test_clean_boards_of_the_shape_of_livecodebench_are_seldom_flagged_and_a_planted_one_is_found() -> None:
    """The small version of `python -m benchmarks.contamination_flags`, which has 2,000 boards."""
    for outcome in contamination_flags.outcomes(10):
        assert outcome.ok, str(outcome)

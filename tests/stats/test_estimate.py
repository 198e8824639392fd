"""Means of groups and paired differences, against the formulas in plain Python and figures worked by hand."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import gamma, inf, isclose, nan, pi, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.estimate import (
    NO_ITEM,
    ONE_CLUSTER,
    SAME,
    Estimate,
    group_mean,
    means,
    paired_difference,
    quantile,
    two_sided_p,
)

SCORE = st.integers(0, 100)
ITEMS = st.lists(st.tuples(SCORE, st.integers(0, 4), st.integers(0, 30)), min_size=1, max_size=40)
"""Score, group, and cluster within the group."""


def columns(items: list[tuple[int, int, int]]) -> tuple[list[float], list[int], list[int]]:
    return [float(v) for v, _, _ in items], [g for _, g, _ in items], [100 * g + c for _, g, c in items]


def plain(values: list[float], groups: list[int], clusters: list[int]) -> tuple[Fraction, Fraction | None, Fraction]:
    """Value, squared error and the sum under df, by the page on uncertainty, in fractions; no cluster in two groups."""
    items: dict[int, dict[int, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    for value, group, cluster in zip(values, groups, clusters, strict=True):
        items[group][cluster].append(Fraction(value))
    n_groups, means_of, v, n_c = len(items), {}, {}, {}
    for group, of_group in items.items():
        every = [value for values in of_group.values() for value in values]
        mean, c = sum(every) / Fraction(len(every)), len(of_group)
        means_of[group], n_c[group] = mean, c
        if c > 1:
            squares = sum(sum(value - mean for value in values) ** 2 for values in of_group.values())
            v[group] = Fraction(c, c - 1) * squares / len(every) ** 2
    value = sum(means_of.values()) / n_groups
    if not v:
        return value, None, Fraction(0)
    looks = sum(n_c[group] - 1 for group in v)
    pooled = sum((n_c[group] - 1) * n_c[group] * v[group] for group in v) / looks
    variance = (sum(v.values()) + (n_groups - len(v)) * pooled) / n_groups**2
    alone = n_groups - len(v)
    parts = {g: v[g] * (1 + Fraction(alone * (n_c[g] - 1) * n_c[g], looks)) / n_groups**2 for g in v}
    return value, variance, sum((parts[g] ** 2 / (n_c[g] - 1) for g in v), start=Fraction(0))


@given(ITEMS)
def test_value_error_and_degrees_of_freedom_are_those_of_the_formulas_in_fractions(
    items: list[tuple[int, int, int]],
) -> None:
    value, variance, under = plain(*columns(items))
    found = group_mean(*columns(items))
    assert found.value == pytest.approx(float(value), abs=1e-9)
    assert (found.se is None) == (variance is None)
    if variance is not None and found.se is not None:
        assert found.se == pytest.approx(sqrt(variance), abs=1e-9)
        if under:
            assert found.df == pytest.approx(float(variance**2 / under), rel=1e-9)


def test_each_group_has_the_correction_of_its_own_clusters() -> None:
    """13 groups of 2 with residuals +1 -1: v = 2/1 * 2 / 4 = 1, SE = sqrt(13) / 13 = 0.277350; with 26/25 once in the
    place of 2/1 it would be 0.2. Equal variances of one look each: df = 13."""
    found = group_mean([1.0, -1.0] * 13, np.repeat(np.arange(13), 2), np.arange(26))
    assert (found.se, found.df) == (pytest.approx(0.2773501), pytest.approx(13))
    assert (found.n, found.clusters, found.reason) == (26, 26, None)


def test_items_of_one_source_are_one_look() -> None:
    """80, 60 | 40, 20: residuals +40 and -40 of the clusters; sqrt(2 * 3200) / 4 = 20, where four looks had 12.9."""
    found = group_mean([80, 60, 40, 20], [0] * 4, [0, 0, 1, 1])
    assert (found.value, found.se, found.df, found.clusters) == (50.0, 20.0, 1.0, 2)


def test_a_group_of_one_cluster_takes_the_variance_that_the_others_have_pooled() -> None:
    """Groups (0, 2), (0, 4, 8) and (5): variances of a cluster's mean 2 and 16, pooled (2 + 2 * 16) / 3 = 34/3.
    SE^2 = (2/2 + 16/3 + 34/3) / 9 = 53/27."""
    found = group_mean([0, 2, 0, 4, 8, 5], [0, 0, 1, 1, 1, 2], range(6))
    assert found.se == pytest.approx(sqrt(53 / 27))


def test_groups_of_one_cluster_each_have_no_error_and_the_reason() -> None:
    found = group_mean([1, 2, 3], [0, 1, 2], [0, 1, 2])
    assert found == Estimate(2.0, None, None, None, None, 3, 3, ONE_CLUSTER)


def test_a_cluster_in_two_groups_moves_both_together() -> None:
    """Every source has an item in either group, with the same residuals +6, 0, -6: SE^2 = (1/4 + 1/4 + 2/4) * 12, the
    error of one group alone, and its 2 degrees of freedom; apart they would have half of it."""
    crossed = group_mean([6, 0, -6, 16, 10, 4], [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2])
    apart = group_mean([6, 0, -6, 16, 10, 4], [0, 0, 0, 1, 1, 1], range(6))
    assert (crossed.se, crossed.df, crossed.clusters) == (pytest.approx(sqrt(12)), pytest.approx(2), 3)
    assert (apart.se, apart.df) == (pytest.approx(sqrt(6)), pytest.approx(4))


def test_weights_stand_for_groups_and_fall_away_with_them() -> None:
    weighted = group_mean([10, 20, 40, 60], [0, 0, 1, 1], range(4), weights=[3, 1])
    assert weighted.value == pytest.approx(0.75 * 15 + 0.25 * 50)
    assert weighted.se == pytest.approx(sqrt(0.5625 * 25 + 0.0625 * 100))
    left = group_mean([10, 20, nan, nan], [0, 0, 1, 1], range(4), weights=[3, 1])
    assert left == group_mean([10, 20], [0, 0], range(2))


def test_without_an_answer_nothing_is_there() -> None:
    assert group_mean([nan, nan], [0, 0], [0, 1]) == Estimate(None, None, None, None, None, 0, 0, NO_ITEM)
    assert group_mean([], [], []).reason == NO_ITEM


@given(ITEMS, st.data())
def test_items_without_an_answer_are_as_if_they_were_not_there(
    items: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    values, groups, clusters = columns(items)
    known = data.draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    with_nan = [value if there else nan for value, there in zip(values, known, strict=True)]
    without = columns([item for item, there in zip(items, known, strict=True) if there])
    assert group_mean(with_nan, groups, clusters, scale=(0, 100)) == group_mean(*without, scale=(0, 100))


@given(st.lists(st.lists(SCORE | st.none(), min_size=12, max_size=12), min_size=1, max_size=6), st.data())
def test_many_contestants_at_once_have_what_each_has_by_itself(
    table: list[list[int | None]], data: st.DataObject
) -> None:
    groups = data.draw(st.lists(st.integers(0, 2), min_size=12, max_size=12))
    rows = [[nan if value is None else float(value) for value in row] for row in table]
    found = means(rows, groups, range(12))
    for place, row in enumerate(rows):
        alone = group_mean(row, groups, range(12))
        for name in ("value", "se", "df"):
            of_all, of_one = float(getattr(found, name)[place]), getattr(alone, name)
            assert np.isnan(of_all) if of_one is None else isclose(of_all, of_one, rel_tol=1e-9, abs_tol=1e-9)
        assert (found.n[place], found.clusters[place]) == (alone.n, alone.clusters)


def test_a_mean_at_the_end_of_its_scale_is_not_certain() -> None:
    """0 of 8 right: z^2 = 3.841459, so the upper end is z^2 / (8 + z^2) = 0.324408, as Wilson has it."""
    none = group_mean([0.0] * 8, [0] * 8, range(8), scale=(0, 1))
    assert (none.se, none.low, none.high) == (0.0, 0.0, pytest.approx(0.324408, abs=1e-6))
    every = group_mean([1.0] * 8, [0] * 8, range(8), scale=(0, 1))
    assert (every.low, every.high) == (pytest.approx(0.675592, abs=1e-6), 1.0)
    three = group_mean([3.0] * 8, [0] * 8, range(8), scale=(1, 5))
    assert (three.low, three.high) == (
        pytest.approx(3 - 2 * 0.324408, abs=1e-5),
        pytest.approx(3 + 2 * 0.324408, abs=1e-5),
    )


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [
        pytest.param(6, 8, 0.325549, 0.949162, id="Wilson 0.329811 to 0.948155, Byar 0.943620, u 0.08"),
        pytest.param(1, 80, 0.000508, 0.071298, id="Wilson 0.002143 to 0.069418, Byar 0.000509, u 0.014937"),
    ],
)
def test_a_rate_has_the_outer_ends_of_wilson_and_byar_and_allows_for_what_no_item_showed(
    right: int, of: int, low: float, high: float
) -> None:
    """6 of 8: s^2 = 3/16 / 7, D = t^2 / 7 = 0.798778, Wilson's by its quadratic; Byar's of 2 of 8 from 1 downwards. Of
    1 of 80 Byar's is 1/80 (1 - 1/9 - 1.644854 sqrt(79/80) / 3)^3. Both worked with scipy's quantiles and a root finder.
    """
    found = group_mean([1.0] * right + [0.0] * (of - right), [0] * of, range(of), scale=(0, 1))
    assert (found.low, found.high) == (pytest.approx(low, abs=2e-6), pytest.approx(high, abs=2e-6))


def test_two_groups_that_agree_each_in_itself_are_less_sure_than_their_sources_are_many() -> None:
    """Three groups of two, 0 0, 0 0 and 1 1: an SE of 0 of 3 degrees of freedom, z^2 / (5 + z^2) = 0.434482."""
    found = group_mean([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2], range(6), scale=(0, 1))
    assert (found.se, found.low) == (0.0, pytest.approx((1 - 0.434482) / 3, abs=1e-6))
    assert found.high == pytest.approx(1 / 3 + 0.434482 * 2 / 3, abs=1e-6)


def test_in_the_middle_of_a_wide_scale_the_interval_of_many_items_is_that_of_t() -> None:
    values = np.linspace(30, 70, 156)
    wide, open_ended = (group_mean(values, [0] * 156, range(156), scale=scale) for scale in ((0, 100), None))
    assert wide.low == pytest.approx(open_ended.low, abs=0.05)
    assert open_ended.high == pytest.approx(50 + 1.975387 * open_ended.se)


@given(ITEMS)
def test_an_interval_within_a_scale_holds_the_mean_and_is_the_mirror_image_of_its_mirror(
    items: list[tuple[int, int, int]],
) -> None:
    values, groups, clusters = columns(items)
    found = group_mean(values, groups, clusters, scale=(0, 100))
    if found.low is None or found.high is None or found.value is None:
        return
    assert 0 <= found.low <= found.value + 1e-9 <= found.high + 2e-9 <= 100 + 2e-9
    assert found.high - found.low > 0
    mirrored = group_mean([100 - value for value in values], groups, clusters, scale=(0, 100))
    assert (mirrored.low, mirrored.high) == (
        pytest.approx(100 - found.high, abs=1e-6), pytest.approx(100 - found.low, abs=1e-6),
    )  # fmt: skip


@pytest.mark.parametrize("clusters", range(2, 6))
def test_fewer_than_six_clusters_are_marked_as_too_few(clusters: int) -> None:
    found = group_mean(np.arange(clusters), [0] * clusters, range(clusters), scale=(0, 100))
    assert found.reason == f"too few: {clusters} clusters of items, and an interval needs 6"
    assert found.p is None


@given(ITEMS, st.randoms())
def test_the_order_of_items_moves_nothing(items: list[tuple[int, int, int]], random: Any) -> None:
    before = group_mean(*columns(items))
    random.shuffle(items)
    after = group_mean(*columns(items))
    assert (after.n, after.clusters, after.reason) == (before.n, before.clusters, before.reason)
    for name in ("value", "se", "df"):
        one, other = getattr(before, name), getattr(after, name)
        assert (one is None and other is None) or isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("values", "groups", "clusters", "options", "message"),
    [
        ([1.0], [0, 1], [0], {}, "groups must be 1 integers"),
        ([1.0], [0], [0.5], {}, "clusters must be 1 integers"),
        ([1.0, 120.0, 110.0], [0, 0, 0], [0, 1, 2], {"scale": (0, 10)}, "within the scale 0 to 10"),
    ],
)
def test_what_does_not_fit_is_refused(values: Any, groups: Any, clusters: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        group_mean(values, groups, clusters, **options)


def test_a_paired_difference_worked_by_hand() -> None:
    """Differences 10, 30, 0, 20, 10, 20: mean 15, squares 25, 225, 225, 25, 25, 25; SE = sqrt(550 / 30) = 4.281744,
    t of 5 degrees of freedom 2.570582. What is hard for both cancels: the scores themselves differ by up to 80."""
    ours, theirs = [10, 90, 20, 90, 50, 25], [0, 60, 20, 70, 40, 5]
    found = paired_difference(ours, theirs, [0] * 6, range(6))
    assert (found.value, found.se, found.df) == (15.0, pytest.approx(4.281744), pytest.approx(5))
    assert (found.low, found.high) == (pytest.approx(15 - 11.006573, abs=1e-5), pytest.approx(26.006573, abs=1e-5))
    assert found.p == pytest.approx(0.0173, abs=1e-4)  # t = 3.5032


def test_only_items_that_both_have_are_compared() -> None:
    found = paired_difference([1, nan, 3, 4], [0, 2, nan, 2], [0, 0, 1, 1], range(4))
    assert (found.value, found.n) == (1.5, 2)
    assert paired_difference([1, nan], [nan, 1], [0, 0], [0, 1]).reason == NO_ITEM


def test_two_that_are_the_same_on_every_item_have_no_interval_and_the_reason() -> None:
    found = paired_difference([3, 5, 7] * 4, [3, 5, 7] * 4, [0] * 12, range(12), scale=(0, 100))
    assert (found.value, found.se, found.low, found.high, found.reason) == (0.0, 0.0, None, None, SAME)
    assert found.p is None


def test_one_difference_on_every_item_is_as_sure_as_the_items_are_many() -> None:
    """All of 20 against none: an error of 0, and an end of 200 * 20 / (20 + 3.841459) - 100 = 67.77.
    Of 6 differences of 50 it is not told from 0. Without a scale there is no end to say."""
    found = paired_difference([100.0] * 20, [0.0] * 20, [0] * 20, range(20), scale=(0, 100))
    assert (found.value, found.se, found.low, found.high) == (100.0, 0.0, pytest.approx(67.7750, abs=1e-3), 100.0)
    assert found.p == 2**-19
    few = paired_difference([50.0] * 6, [0.0] * 6, [0] * 6, range(6), scale=(0, 100))
    assert few.low < 0
    unbounded = paired_difference([2.0] * 20, [1.0] * 20, [0] * 20, range(20))
    assert (unbounded.low, unbounded.reason) == (None, "the same difference on every item")


@given(st.lists(st.tuples(SCORE, SCORE, st.integers(0, 2)), min_size=2, max_size=30))
def test_the_other_way_round_a_difference_is_the_negative(items: list[tuple[int, int, int]]) -> None:
    ours, theirs, groups = ([item[place] for item in items] for place in range(3))
    one, other = (paired_difference(a, b, groups, range(len(items))) for a, b in ((ours, theirs), (theirs, ours)))
    assert (one.value, one.se) == (pytest.approx(-(other.value or 0.0)), other.se)
    if one.low is not None:
        assert one.low == pytest.approx(-(other.high or 0.0))


def test_a_standard_error_is_that_of_a_simulation_of_sources() -> None:
    """2,000 boards of 3 groups of 5, 8 and 12 sources of 1, 2 and 3 items: effects of source and item."""
    rng = np.random.default_rng(7)
    sizes = [(group, source, 1 + group) for group, n in enumerate((5, 8, 12)) for source in range(n)]
    groups = np.array([group for group, _, items in sizes for _ in range(items)])
    clusters = np.array([100 * group + source for group, source, items in sizes for _ in range(items)])
    _, of_cluster = np.unique(clusters, return_inverse=True)
    table = rng.normal(size=(2000, len(sizes)))[:, of_cluster] * 3 + rng.normal(size=(2000, groups.size))
    found = means(table, groups, clusters)
    assert float(np.sqrt(np.square(found.se).mean())) == pytest.approx(float(found.value.std()), rel=0.06)
    t = np.abs(found.value / found.se)
    assert float((t <= quantile(0.95, found.df)).mean()) == pytest.approx(0.95, abs=0.015)


def test_an_interval_of_a_difference_is_wider_where_the_differences_are_skewed_and_where_none_was_seen() -> None:
    """10, 20, 10, 60 and 20 on 5 of 80 items: SE 0.836282, t 1.990450, so t SE = 1.664577. Skewed upwards by
    0.608567 (2 t^2 + 1)/6 = 0.905120; what no item showed may lie (1 - 0.6^(1/80)) (100 + 1.5) = 0.646045 below and
    0.626950 above. Down to 1.5 - sqrt(1.664577^2 + 0.646045^2), up to 1.5 + sqrt((1.664577 + 0.905120)^2 + 0.62695^2).
    """
    ours = [0.0] * 75 + [10, 20, 10, 60, 20]
    found = paired_difference(ours, [0.0] * 80, [0] * 80, range(80), scale=(0, 100))
    assert (found.value, found.se) == (1.5, pytest.approx(0.836282, abs=1e-6))
    assert (found.low, found.high) == (pytest.approx(-0.285551, abs=1e-6), pytest.approx(4.145072, abs=1e-6))


def test_no_difference_of_scores_is_larger_than_their_scale() -> None:
    """99.17 on average, with an error of 0.57 and t of 2.2: to 100.4 without a scale, to 100 on one of 0 to 100."""
    ours, theirs = [100.0] * 10 + [95.0] * 2, [0.0] * 12
    groups, clusters = [0] * 12, range(12)
    free = paired_difference(ours, theirs, groups, clusters)
    kept = paired_difference(ours, theirs, groups, clusters, scale=(0, 100))
    assert free.high > 100
    assert (kept.high, kept.value, kept.se, kept.p) == (100, free.value, free.se, free.p)


# Student's t


PUBLISHED = {
    1: (12.706, 63.657), 2: (4.303, 9.925), 3: (3.182, 5.841), 4: (2.776, 4.604), 5: (2.571, 4.032),
    7: (2.365, 3.499), 10: (2.228, 3.169), 20: (2.086, 2.845), 30: (2.042, 2.750), 60: (2.000, 2.660),
    120: (1.980, 2.617), inf: (1.960, 2.576),
}  # fmt: skip
"""Degrees of freedom -> t of 95 % and of 99 %, two-sided, as tables of the distribution print it."""


@pytest.mark.parametrize("df", PUBLISHED)
def test_quantiles_are_those_of_published_tables(df: float) -> None:
    of_95, of_99 = PUBLISHED[df]
    assert float(quantile(0.95, df)) == pytest.approx(of_95, abs=5e-4)
    assert float(quantile(0.99, df)) == pytest.approx(of_99, abs=5e-4)


def test_one_degree_of_freedom_is_the_distribution_of_cauchy_and_two_have_a_closed_form_too() -> None:
    """P(|T| > t) = 1 - 2 atan(t) / pi, and 1 - t / sqrt(2 + t^2); t may be in the millions."""
    t = np.array([0.01, 0.5, 1.0, 3.0, 1e3, 1e7])
    assert two_sided_p(t, 1) == pytest.approx(2 * np.arctan(1 / t) / pi, rel=1e-10)
    assert two_sided_p(t[:4], 2) == pytest.approx(1 - t[:4] / np.sqrt(2 + t[:4] ** 2), rel=1e-10)


@pytest.mark.parametrize("df", [2.5, 7.0, 33.3])
def test_p_values_are_the_area_under_the_density(df: float) -> None:
    """By Simpson's rule over 0..2.5 on 20,000 steps."""
    x = np.linspace(0, 2.5, 20_001)
    density = gamma((df + 1) / 2) / (sqrt(df * pi) * gamma(df / 2)) * (1 + x**2 / df) ** (-(df + 1) / 2)
    weight = np.ones(x.size)
    weight[1:-1:2], weight[2:-1:2] = 4, 2
    area = float((weight * density).sum() * (x[1] - x[0]) / 3)
    assert float(two_sided_p(2.5, df)) == pytest.approx(1 - 2 * area, abs=1e-10)


@given(st.floats(1e-9, 0.9999), st.floats(0.3, 1e6))
def test_the_quantile_has_the_p_value_of_its_level(p: float, df: float) -> None:
    assert float(two_sided_p(quantile(1 - p, df), df)) == pytest.approx(1 - (1 - p), rel=1e-6)


@given(st.floats(0.5, 200), st.floats(0.5, 200))
def test_fewer_degrees_of_freedom_are_less_sure(one: float, other: float) -> None:
    few, many = sorted((one, other))
    assert quantile(0.95, few) >= quantile(0.95, many) - 1e-9
    assert two_sided_p(2, few) >= two_sided_p(2, many) - 1e-12

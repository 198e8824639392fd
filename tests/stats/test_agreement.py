"""Alpha and kappas against published examples, by hand, `krippendorff` and scikit-learn; Spearman's by its laws."""

from __future__ import annotations

import random
from math import sqrt
from typing import Any

import krippendorff
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import cohen_kappa_score

from nullbench_site.stats.agreement import (
    NEVER_DIFFER,
    RatingLevel,
    alpha_interval,
    alpha_of_table,
    alphas_without,
    cohen_kappa,
    coincidences,
    distances,
    fleiss_kappa,
    krippendorff_alpha,
    krippendorff_label,
    landis_koch,
    pair_tables,
    places,
    spearman,
)
from nullbench_site.stats.measure import Bounded, Measure

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C: observers A-D, 12 units, 0 = not
# rated.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
]

some_ratings = hnp.arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 12)), elements=st.integers(0, 5))


def of_units(ratings: npt.ArrayLike, part: npt.ArrayLike | None = None) -> npt.NDArray[np.float64]:
    """The coincidences of (judges, units) ratings of 1-5, 0 = not rated, by part; each unit is one by default."""
    table = np.asarray(ratings)
    parts = np.arange(table.shape[1]) if part is None else np.asarray(part)
    return coincidences(pair_tables(table - 1, 5, parts, int(parts.max()) + 1))


def ordinal_alpha(ratings: npt.ArrayLike) -> Measure:
    """Alpha of such ratings, as boards compute it."""
    one = np.zeros(np.shape(ratings)[1], np.int64)
    return alpha_of_table(of_units(ratings, one)[0])


def rated(ratings: list[list[int]]) -> npt.NDArray[np.float64]:
    """The same ratings with NaN for 0."""
    table = np.array(ratings, np.float64)
    return np.where(table == 0, np.nan, table)


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_the_published_example_gives_the_published_alpha(level: RatingLevel, alpha: float) -> None:
    """Krippendorff (2011) prints these for the data of example C."""
    found = krippendorff_alpha(rated(PUBLISHED), level)
    assert found.value == pytest.approx(alpha, abs=0.0005)
    assert found.low is not None
    assert found.low < alpha


def test_the_public_alpha_and_that_of_boards_are_one() -> None:
    assert krippendorff_alpha(rated(PUBLISHED), "ordinal") == alpha_interval(of_units(PUBLISHED))


many_ratings = hnp.arrays(
    np.float64, st.tuples(st.integers(2, 4), st.integers(1, 30)), elements=st.sampled_from([np.nan, 1, 2, 2.5, 7, 30])
)


@given(many_ratings, st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_of_every_level_equals_the_krippendorff_package(ratings: Any, level: RatingLevel) -> None:
    found = krippendorff_alpha(ratings, level)
    if found.value is not None:
        package = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)
        assert found.value == pytest.approx(package, abs=1e-9)


def test_alpha_of_many_values_equals_the_krippendorff_package() -> None:
    ratings = np.random.default_rng(1).normal(size=(3, 12)).cumsum(axis=0)
    package = krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval")
    assert krippendorff_alpha(ratings, "interval").value == pytest.approx(package, abs=1e-9)


@pytest.mark.parametrize(
    ("ratings", "level", "message"),
    [
        ([1, 2], "nominal", "raters x units"),
        ([[1, np.inf]], "nominal", "finite or NaN"),
        ([[-1, 2]], "ratio", "0 or more"),
    ],
)
def test_unusable_ratings_are_refused(ratings: Any, level: RatingLevel, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        krippendorff_alpha(ratings, level)


# Fleiss (1971), as in the worked example that many texts print: 14 raters, 10 subjects, 5 categories; kappa 0.210.
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def fleiss(counts: npt.ArrayLike) -> Bounded:
    """Fleiss' kappa of (units, categories) counts of raters, the same number for each unit."""
    table = np.asarray(counts)
    given = np.array([np.repeat(np.arange(table.shape[1]), row) for row in table]).T
    (tables,) = [
        of for of in pair_tables(given, table.shape[1], np.arange(len(table)), len(table)).values() if of.any()
    ]
    return fleiss_kappa(tables)


def test_fleiss_kappa_of_the_worked_example_is_the_printed_one() -> None:
    found = fleiss(FLEISS)
    assert found.value == pytest.approx(0.210, abs=0.0005)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.210 < found.high


@given(hnp.arrays(np.int64, st.tuples(st.integers(2, 20), st.just(3)), elements=st.integers(0, 3)))
def test_fleiss_kappa_is_nominal_alpha_with_chance_from_pairs_with_replacement(ratings: Any) -> None:
    """1 - alpha = (1 - kappa) (N - 1) / N for N ratings: so the krippendorff package is a second implementation."""
    found = fleiss(np.stack([(ratings == value).sum(axis=1) for value in range(4)], axis=1))
    if found.value is not None:
        alpha = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement="nominal")
        assert 1 - found.value == pytest.approx((1 - alpha) * ratings.size / (ratings.size - 1))


def cohen(a: Any, b: Any, level: RatingLevel = "nominal") -> Bounded:
    """Cohen's kappa of the ratings of two raters, NaN for none."""
    values, given = places([a, b])
    apart = distances(values, level)
    assert apart is not None
    return cohen_kappa(pair_tables(given, values.size, np.arange(len(a)), len(a))[2], apart)


def test_cohen_kappa_worked_by_hand() -> None:
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: P_o = 35/50, P_e = (25 * 30 + 25 * 20) / 2500 = 0.5: 0.4."""
    a, b = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen(a, b).value == pytest.approx(0.4)


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=40),
    st.sampled_from([("nominal", None), ("interval", "quadratic")]),
)
def test_cohen_kappa_equals_scikit_learn(pairs: list[tuple[int, int]], how: tuple[RatingLevel, str | None]) -> None:
    (a, b), (level, weights) = np.array(pairs).T, how
    found = cohen(a, b, level)
    if found.value is None:
        assert (a == b).all()
        assert np.unique(a).size == 1
    else:
        package = cohen_kappa_score(a, b, weights=weights, labels=[1, 2, 3, 4, 5])
        assert found.value == pytest.approx(package, abs=1e-9)


def test_units_that_only_one_rated_do_not_move_cohen_kappa() -> None:
    a, b = [1, 2, 1, 2, 1, 1, 2], [1, 2, 2, 2, 1, 2, 2]
    assert cohen([*a, 1, np.nan], [*b, np.nan, 2]) == cohen(a, b)


@pytest.mark.parametrize(
    ("found", "value", "reason"),
    [
        (cohen([1, np.nan], [np.nan, 1]), None, "no unit was rated by both"),
        (cohen([2] * 9, [2] * 9), None, "one rating value only"),
        (cohen([1, 2] * 9, [1, 2] * 9), 1.0, NEVER_DIFFER),
        (cohen([1, 2], [1, 1]), 0.0, "too few: 2 clusters of items, and an interval needs 6"),
        (
            cohen([1] * 20 + [2, 2], [1] * 19 + [2, 2, 1]),
            pytest.approx(0.45, abs=0.01),
            "too few: 3 sources have another rating than the most frequent one",
        ),
        (fleiss_kappa(np.zeros((2, 2, 2), np.int64)), None, "no unit with 2 raters or more"),
        (fleiss([[3, 0]] * 8), None, "one rating value only"),
        (krippendorff_alpha([[1, np.nan], [np.nan, 2]], "nominal"), None, "fewer than 2 raters on every unit"),
        (krippendorff_alpha([[np.nan, np.nan]], "nominal"), None, "fewer than 2 raters on every unit"),
        (krippendorff_alpha([[3, 3, 3], [3, 3, 3]], "ratio"), None, "one rating value only"),
    ],
)
def test_what_cannot_be_measured_says_why(found: Bounded, value: float | None, reason: str) -> None:
    assert (found.value, found.reason) == (value, reason)
    assert found.low is None
    assert found.high is None


@pytest.mark.parametrize(
    ("value", "kappa", "alpha"),
    [
        (-0.01, "poor", "unreliable"),
        (0.0, "slight", "unreliable"),
        (0.2, "fair", "unreliable"),
        (0.4, "moderate", "unreliable"),
        (0.6, "substantial", "unreliable"),
        (0.667, "substantial", "tentative"),
        (0.8, "almost perfect", "reliable"),
        (None, None, None),
    ],
)
def test_labels_of_agreement(value: float | None, kappa: str | None, alpha: str | None) -> None:
    assert (landis_koch(value), krippendorff_label(value)) == (kappa, alpha)


@given(some_ratings)
def test_alpha_with_a_part_left_out_is_the_alpha_of_the_others(ratings: Any) -> None:
    part = np.arange(ratings.shape[1]) // 2
    without = alphas_without(of_units(ratings, part))
    for number in range(int(part[-1]) + 1):
        others = ratings[:, part != number]
        alpha = ordinal_alpha(others).value if others.size else None
        assert without[number] == pytest.approx(np.nan if alpha is None else alpha, abs=1e-9, nan_ok=True)


def test_the_interval_of_alpha_leaves_out_one_cluster_at_a_time() -> None:
    """The units of the published example that two observers or more rated, each a cluster: 11 of 12. alpha less each,
    their variance times 10/11 summed, and Student's t of 10 degrees of freedom, 2.228."""
    ratings = np.array(PUBLISHED)
    table = of_units(ratings)
    without = [
        ordinal_alpha(np.delete(ratings, unit, axis=1)).value or 0.0
        for unit in range(12)
        if np.count_nonzero(ratings[:, unit]) > 1
    ]
    error = sqrt(10 / 11 * sum((alpha - sum(without) / 11) ** 2 for alpha in without))
    found = alpha_interval(table)
    assert found.low == pytest.approx(0.8154 - 2.2281 * error, abs=1e-3)
    assert found.high == 1.0
    assert alpha_interval(table[:5]).low is None, "five clusters are too few"


def test_the_interval_of_alpha_holds_that_of_the_population_about_95_times_of_100() -> None:
    """Eight answers to each of 12 items, three judges: 300 made-up boards. Bootstrapped, it was 86 to 92 times."""
    rng = np.random.default_rng(3)

    def board(items: int) -> Any:
        hard, answer, judge = (rng.normal(size=shape) for shape in ((items, 1, 1), (items, 8, 1), (items, 8, 3)))
        ratings = np.clip(np.round(3 + hard + 0.3 * answer + 1.5 * judge), 1, 5).reshape(items * 8, 3)
        return of_units(ratings.astype(np.int64).T, np.repeat(np.arange(items), 8))

    everything = board(20_000)
    truth = alpha_of(everything)
    ends = [alpha_interval(board(12)) for _ in range(300)]
    held = [end.low is not None and end.high is not None and end.low <= truth <= end.high for end in ends]
    assert 0.91 < np.mean(held) < 0.985


def alpha_of(tables: Any) -> float:
    """Alpha of all parts together, as what is left where a part that has nothing is left out."""
    return float(alphas_without(np.concatenate([tables.sum(axis=0, keepdims=True), np.zeros((1, 5, 5))]))[1])


def test_the_interval_of_alpha_needs_six_clusters_that_differ() -> None:
    each_another = of_units([[1, 2, 3, 4, 5, 3]] * 2)
    assert alpha_interval(each_another) == Bounded(1.0, reason=NEVER_DIFFER)
    assert alpha_interval(each_another[:5]).reason == "too few: 5 clusters of items, and an interval needs 6"
    one_apart = of_units([[3, 3, 3, 3, 3, 5], [3, 3, 3, 3, 5, 5]])
    assert alpha_interval(one_apart).reason == "too few: 2 sources have another rating than the most frequent one"


@pytest.mark.parametrize(
    ("ratings", "alpha"),
    [
        # Units (1,1), (2,2), (1,2): o_12 = o_21 = 1, n_1 = n_2 = 3, n = 6. With two values one distance d_12 cancels:
        # alpha = 1 - (n - 1) * (o_12 + o_21) / (2 n_1 n_2) = 1 - 5 * 2 / 18 = 4/9.
        ([[1, 2, 1], [1, 2, 2]], 4 / 9),
        # Ordinal distance. Units (1,1), (2,2), (5,5), (1,5); nobody gives 3 or 4. n_1 = 3, n_2 = 2, n_5 = 3, n = 8.
        # d_12 = (3 + 2 - 5/2)^2 = 6.25, d_25 = (2 + 3 - 5/2)^2 = 6.25, d_15 = (3 + 2 + 3 - 6/2)^2 = 25.
        # Observed 2 * o_15 * d_15 = 2 * 1 * 25 = 50. Expected 2 * (3*2*6.25 + 2*3*6.25 + 3*3*25) = 600.
        # alpha = 1 - 7 * 50 / 600 = 5/12.
        ([[1, 2, 5, 1], [1, 2, 5, 5]], 5 / 12),
        ([[1, 3, 5], [1, 3, 5]], 1),
        # (1,5) and (5,1): o_15 = 2, n_1 = n_5 = 2, n = 4: alpha = 1 - 3 * 2 * 2 / (2 * 4) = -0.5.
        ([[1, 5], [5, 1]], -0.5),
    ],
    ids=["two judges", "ordinal distance", "perfect agreement", "systematic disagreement"],
)
def test_alpha_worked_by_hand(ratings: list[list[int]], alpha: float) -> None:
    assert ordinal_alpha(ratings).value == pytest.approx(alpha, rel=1e-12)


def test_near_misses_cost_less_than_far_ones() -> None:
    base = [[1, 2, 3, 4, 5, 3], [1, 2, 3, 4, 5, 4]]
    near_value, far_value = ordinal_alpha(base).value, ordinal_alpha([base[0], [1, 2, 3, 4, 5, 1]]).value
    assert near_value > far_value


def test_a_judge_who_rates_nothing_does_not_move_alpha() -> None:
    """Missing ratings are absent, not disagreement."""
    assert ordinal_alpha([*PUBLISHED, [0] * 12]) == ordinal_alpha(PUBLISHED)


def test_a_unit_with_one_rating_does_not_move_alpha() -> None:
    alone = np.column_stack([PUBLISHED, [0, 0, 0, 5]])
    assert ordinal_alpha(alone) == ordinal_alpha(PUBLISHED)


@pytest.mark.parametrize("ratings", [np.zeros((3, 5), int), np.eye(5, dtype=int)], ids=["none", "one each"])
def test_fewer_than_two_raters_on_every_unit_is_undefined(ratings: Any) -> None:
    measure = ordinal_alpha(ratings)
    assert (measure.value, measure.reason) == (None, "fewer than 2 raters on every unit")


@pytest.mark.parametrize("ratings", [[[3, 3], [3, 3]], [[3, 3, 5], [3, 3, 0]]], ids=["one value", "a lone 5"])
def test_one_rating_value_only_is_undefined_and_not_1(ratings: list[list[int]]) -> None:
    """Where all say 3, nobody has shown that they can tell a 3 from a 4."""
    measure = ordinal_alpha(ratings)
    assert (measure.value, measure.reason) == (None, "one rating value only")


@given(some_ratings)
def test_alpha_equals_the_krippendorff_package(ratings: Any) -> None:
    measure, counts = (
        ordinal_alpha(ratings),
        np.stack([(ratings == value).sum(axis=0) for value in range(1, 6)], axis=1),
    )
    pairable = counts[counts.sum(axis=1) >= 2]
    if measure.value is None:
        assert len(pairable) == 0 or np.count_nonzero(pairable.sum(axis=0)) == 1
        return
    package = krippendorff.alpha(value_counts=counts, value_domain=[1, 2, 3, 4, 5], level_of_measurement="ordinal")
    assert measure.value == pytest.approx(package, abs=1e-9)


@given(some_ratings, st.randoms())
def test_the_order_of_units_does_not_move_alpha_by_a_bit(ratings: Any, random: Any) -> None:
    order, one = list(range(ratings.shape[1])), np.zeros(ratings.shape[1], np.int64)
    random.shuffle(order)
    assert (of_units(ratings[:, order], one) == of_units(ratings, one)).all()


@given(some_ratings)
def test_turning_the_scale_around_leaves_alpha(ratings: Any) -> None:
    turned, straight = ordinal_alpha(np.where(ratings > 0, 6 - ratings, 0)), ordinal_alpha(ratings)
    assert turned.reason == straight.reason
    assert turned.value == pytest.approx(straight.value, abs=1e-9)


def test_twenty_judges_who_agree_have_an_alpha() -> None:
    ratings = np.array([[1] * 20 + [5], [3] * 3 + [0] * 18]).T
    assert ordinal_alpha(ratings).value == pytest.approx(0.638393, abs=1e-6)


SERIES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=40)


def test_the_same_and_the_reverse_order_are_1_and_minus_1() -> None:
    assert spearman([1, 2, 3], [10, 20, 90]).value == 1.0
    assert spearman([1, 2, 3], [90, 20, 10]).value == -1.0
    assert spearman([1, 2], [10, 20]).value == 1.0


def test_ranks_without_ties_give_the_textbook_formula() -> None:
    """Differences of ranks 1, 1, 1, -3, squared 1 + 1 + 1 + 9 = 12: 1 - 6 * 12 / (4 * 15) = -0.2."""
    assert spearman([1, 2, 3, 4], [0.2, 0.3, 0.4, 0.1]).value == pytest.approx(-0.2)


def test_ties_share_the_mean_of_their_ranks() -> None:
    """Ranks 1.5, 1.5, 3 and 1, 2, 3; centred -0.5, -0.5, 1 and -1, 0, 1: 1.5 / sqrt(1.5 * 2) = 0.866025."""
    assert spearman([2, 2, 5], [1, 2, 3]).value == pytest.approx(1.5 / sqrt(3))


def test_what_differs_by_arithmetic_alone_is_tied() -> None:
    assert spearman([0.1 + 0.2, 0.3, 1.0], [1, 2, 3]) == spearman([0.3, 0.3, 1.0], [1, 2, 3])


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ([], [], "fewer than 2 answers"),
        ([1], [2], "fewer than 2 answers"),
        ([3, 3, 3], [1, 2, 3], "one value only"),
        ([1, 2, 3], [4, 4, 4], "one value only"),
    ],
)
def test_where_there_is_no_order_there_is_no_correlation(one: list[int], other: list[int], reason: str) -> None:
    assert spearman(one, other).reason == reason


@given(SERIES, st.randoms(use_true_random=False))
def test_the_order_of_the_answers_and_of_the_two_does_not_matter(
    series: list[tuple[int, int]], chance: random.Random
) -> None:
    shuffled = chance.sample(series, len(series))
    one, other = zip(*series, strict=True)
    mixed_one, mixed_other = zip(*shuffled, strict=True)
    assert spearman(one, other) == spearman(mixed_one, mixed_other) == spearman(other, one)


@given(SERIES)
def test_it_hangs_on_the_order_alone_and_turns_with_it(series: list[tuple[int, int]]) -> None:
    one, other = zip(*series, strict=True)
    found = spearman(one, other).value
    assume(found is not None)
    assert -1 <= found <= 1
    assert spearman([x**3 for x in one], other).value == found
    assert spearman([-x for x in one], other).value == -found

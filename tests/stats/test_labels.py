"""A judge compared with labels, and its scores corrected: numbers of sources, and slow second computations."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest

from nullbench_site.stats import labels
from nullbench_site.stats.agreement import spearman
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.labels import (
    AT_CHANCE,
    FEW_LABELS,
    FEW_OF_A_KIND,
    ONE_KIND,
    alt_test,
    corrected_rate,
    effective_size,
    label_worth,
    ppi_mean,
    weighted_mean,
    weighted_spearman,
)


def drawn(seed: int = 7, n: int = 120, more: int = 900) -> tuple[Floats, Floats, Floats]:
    """Labels, the judge's scores of the same answers, and its scores of others."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.6).astype(float)
    f = np.clip(0.2 + 0.5 * y + 0.3 * rng.random(n), 0, 1)
    rest = np.clip(0.2 + 0.5 * (rng.random(more) < 0.6) + 0.3 * rng.random(more), 0, 1)
    return y, f, rest


def test_the_worked_example_of_a_corrected_rate() -> None:
    found = corrected_rate(0.4, 1000, 0.7, 200, 0.9, 200)
    assert (found.value, found.low, found.high) == pytest.approx((0.1667, 0.0564, 0.2627), abs=5e-5)


@pytest.mark.parametrize(("q0", "q1"), [(0.5, 0.5), (0.3, 0.6)])
def test_a_judge_at_chance_or_worse_allows_no_correction(q0: float, q1: float) -> None:
    found = corrected_rate(0.4, 1000, q0, 200, q1, 200)
    assert (found.value, found.low, found.reason) == (None, None, AT_CHANCE)


def test_a_corrected_rate_is_within_its_interval_and_0_to_1() -> None:
    for p, value in ((0.05, 0.0), (0.95, 1.0)):
        found = corrected_rate(p, 300, 0.8, 60, 0.8, 60)
        assert found.value == value
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= value <= found.high <= 1
    assert corrected_rate(0.4, 10, 0.7, 0, 0.9, 5).reason == ONE_KIND
    with pytest.raises(ValueError, match="0-1"):
        corrected_rate(1.4, 10, 0.7, 5, 0.9, 5)


def test_ppi_gives_the_numbers_of_ppi_python() -> None:
    found = ppi_mean(*drawn())
    # ppi_py 0.2.3: ppi_mean_pointestimate and ppi_mean_ci, which takes z for t and n for n - 1.
    assert found.value == pytest.approx(0.60766344, abs=5e-9)
    assert (found.low, found.high) == pytest.approx((0.55840067, 0.6569262), abs=1e-3)
    assert found.low is not None
    assert found.low < 0.55840067


def test_ppi_is_the_formula_of_the_issue() -> None:
    y, f, rest = drawn(3, 150, 400)
    n, more = 150, 400
    every = [*f, *rest]
    mean, of_y, of_f = sum(every) / len(every), sum(y) / n, sum(f) / n
    spread = sum((each - mean) ** 2 for each in every) / (len(every) - 1)
    both = sum((a - of_y) * (b - of_f) for a, b in zip(y, f, strict=True)) / (n - 1)
    scale = min(1, max(0, both / ((1 + n / more) * spread)))
    left = [a - scale * b for a, b in zip(y, f, strict=True)]
    value = sum(left) / n + scale * sum(rest) / more
    se = sqrt(scale**2 * np.var(rest, ddof=1) / more + np.var(left, ddof=1) / n)
    found = ppi_mean(y, f, rest)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.high == pytest.approx(value + 1.976013 * se, abs=1e-6)  # t of 149 degrees of freedom


def test_a_judge_that_says_nothing_leaves_the_mean_of_the_labels() -> None:
    y, _, rest = drawn()
    assert ppi_mean(y, np.ones(120), np.ones(rest.size)).value == pytest.approx(y.mean())
    assert ppi_mean(y, 1 - y, rest).value == pytest.approx(y.mean())  # lambda is not negative
    assert ppi_mean(y, y, y).value == pytest.approx(y.mean())


def test_with_few_labels_of_a_kind_ppi_is_the_interval_of_the_labels_alone() -> None:
    rng = np.random.default_rng(2)
    y = np.zeros(100)
    y[:3] = 1
    f, rest = (rng.random(n) < 0.3 for n in (100, 700))
    found, alone = ppi_mean(y, f * 1.0, rest * 1.0, scale=(0, 1)), weighted_mean(y)
    assert found.reason == FEW_OF_A_KIND
    assert (found.value, found.low, found.high) == pytest.approx((0.03, alone.low, alone.high))
    mirrored = ppi_mean(1 - y, f * 1.0, rest * 1.0, scale=(0, 1))
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - (found.high or 0), 1 - (found.low or 0)))
    y[:10] = 1
    assert ppi_mean(y, f * 1.0, rest * 1.0, scale=(0, 1)).reason is None


def test_ppi_near_an_end_stays_within_the_scale_and_covers() -> None:
    rng, covered = np.random.default_rng(3), 0
    for _ in range(200):
        right = rng.random(800) < 0.03
        accepted = (rng.random(800) < np.where(right, 0.9, 0.1)) * 1.0
        found = ppi_mean(right[:100] * 1.0, accepted[:100], accepted[100:], scale=(0, 1))
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.high <= 1
        covered += found.low <= 0.03 <= found.high
    assert covered >= 186


def test_ppi_with_answers_twice_in_clusters_has_the_errors_of_answers_once() -> None:
    y, f, rest = drawn(1, 100, 300)
    once = ppi_mean(y, f, rest, clusters=np.arange(400))
    twice = [np.repeat(of, 2) for of in (y, f, rest)]
    pairs = ppi_mean(*twice, clusters=np.repeat(np.arange(400), 2))
    alone = ppi_mean(*twice)
    assert once.value == pytest.approx(pairs.value, abs=2e-3)

    def width(of: labels.Bounded) -> float:
        assert of.low is not None
        assert of.high is not None
        return of.high - of.low

    assert width(pairs) == pytest.approx(width(once), rel=0.02)
    assert width(alone) == pytest.approx(width(once) / sqrt(2), rel=0.02)


def test_ppi_by_groups_is_the_mean_of_the_groups() -> None:
    rng = np.random.default_rng(5)
    group = np.array([0] * 80 + [1] * 40 + [0] * 100 + [1] * 300)
    f = rng.random(520) + 3 * group
    y = f[:120] + 0.1 * rng.random(120)
    found = ppi_mean(y, f[:120], f[120:], groups=group)
    assert found.value is not None
    assert found.value == pytest.approx(np.mean([f[group == each].mean() + 0.05 for each in (0, 1)]), abs=0.03)
    assert ppi_mean(y, f[:120], f[120:], groups=np.array([0] * 120 + [1] * 400)).value is None


def test_weights_undo_a_draw_by_the_verdict_of_the_judge() -> None:
    f = np.repeat([0.0, 1.0], [600, 400])
    y = f.copy()
    y[:60] = 1  # a tenth of what the judge rejects is right: 46 % of all
    chosen = np.concatenate([np.arange(0, 600, 12), np.arange(600, 1000, 4)])
    weights = np.where(f[chosen] == 1, 4.0, 12.0)
    every = np.concatenate([weights, np.ones(1000)])
    found = ppi_mean(y[chosen], f[chosen], f, weights=every, clusters=np.concatenate([chosen, np.arange(1000)]))
    assert found.value == pytest.approx(0.46)
    assert weighted_mean(y[chosen], weights).value == pytest.approx(0.46)
    assert weighted_mean(y[chosen]).value == pytest.approx(0.7, abs=0.01)


def test_fewer_than_100_labels_are_refused() -> None:
    y, f, rest = drawn()
    assert ppi_mean(y[:99], f[:99], rest).reason == FEW_LABELS
    assert ppi_mean(y[:100], f[:100], rest).reason is None
    assert ppi_mean(y, f, []).reason == "every answer has a label"
    few = ppi_mean(y, f, rest, clusters=np.arange(1020) % 5)
    assert few.value is not None
    assert few.low is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: ppi_mean(np.ones(100), np.ones(99), [1]),
        lambda: ppi_mean(np.ones(100), np.ones(100), [1], weights=np.zeros(101)),
        lambda: ppi_mean(np.ones(100), np.ones(100), [1], clusters=np.arange(100)),
        lambda: weighted_mean([1, 0], [1]),
        lambda: weighted_spearman([1, 0], [1]),
        lambda: alt_test([1, 2], [[1, 2, 3]], 0.2),
        lambda: alt_test([1], [[1, 2, 3]], 1.2),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="must"):
        call()


def test_a_weighted_share_has_the_error_of_a_survey() -> None:
    y, w = [1, 0, 1, 1, 0, 1, 1, 0], [1, 1, 2, 2, 1, 3, 1, 1]
    found = weighted_mean(y, w)
    assert found.value == 9 / 12
    assert found.low is not None
    assert found.high is not None
    assert found.low < 9 / 12 < found.high
    assert weighted_mean(y[:5], w[:5]).low is None
    assert weighted_mean([]).value is None
    # By hand: p = 2/3, the residuals times weights are 1, -2/3, 1/3 and -2/3; p (1-p) / (4/3 * 2 / 36) = 3.
    assert effective_size([1, 0, 1, 0], [3, 1, 1, 1], None) == pytest.approx(3)
    assert effective_size([1, 1, 0, 0], None, [0, 0, 1, 1]) < 2
    assert effective_size([1, 1, 1], None, None) == 3


def test_a_weighted_correlation_counts_an_answer_as_often_as_its_weight() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 5, 40).astype(float)
    b = a + rng.integers(0, 4, 40)
    times = rng.integers(1, 4, 40)
    found = weighted_spearman(a, b, times)
    assert found.value == pytest.approx(spearman(np.repeat(a, times), np.repeat(b, times)).value)
    assert weighted_spearman(a, b).value == pytest.approx(spearman(a, b).value)
    assert found.low is not None
    assert found.value is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert weighted_spearman(np.ones(40), b).value is None


def raters(n: int, wrong: int, seed: int = 0) -> tuple[Floats, Floats]:
    """The truth, and four raters who each get every `wrong`-th item wrong, at other places."""
    truth = (np.random.default_rng(seed).random(n) < 0.5).astype(float)
    humans = np.array([np.where((np.arange(n) + own) % wrong == 0, 1 - truth, truth) for own in range(4)]).T
    return truth, humans


def test_a_judge_that_knows_the_truth_replaces_a_rater_and_its_opposite_does_not() -> None:
    truth, humans = raters(100, 5)
    found = alt_test(truth, humans, 0.1)
    assert (found.humans, found.winning_rate, found.advantage, found.replaces) == (4, 1.0, 1.0, True)
    worse = alt_test(1 - truth, humans, 0.1)
    assert (worse.winning_rate, worse.replaces) == (0.0, False)
    # Each rater errs on a fifth of the items, where the judge errs on none: its opposite is as close there alone.
    assert worse.advantage == pytest.approx(0.2)


def test_raters_with_few_items_are_not_compared() -> None:
    truth, humans = raters(100, 5)
    humans[29:, 0] = np.nan
    assert alt_test(truth, humans, 0.2).humans == 3
    humans[:, 1] = np.nan
    found = alt_test(truth, humans, 0.2)
    assert (found.humans, found.winning_rate, found.replaces) == (0, None, None)
    assert found.reason == "fewer than three raters with 30 items that two others rated"


def test_the_correction_of_benjamini_and_yekutieli() -> None:
    # Their limits for m = 4: 0.05 k / (4 * 25/12) = 0.006, 0.012, 0.018, 0.024.
    rejected = labels._discoveries(np.array([0.02, 0.3, 0.001, 0.013]))
    assert rejected.tolist() == [False, False, True, False]
    assert labels._discoveries(np.array([0.02, 0.023, 0.001, 0.013])).all()


def test_the_widths_are_those_of_the_intervals() -> None:
    rng = np.random.default_rng(5)
    clusters = np.arange(400) // 2
    y = (rng.random(400) < np.repeat(rng.random(200), 2)).astype(float)
    f = np.clip(0.3 + 0.4 * y + 0.3 * rng.random(400), 0, 1)
    rest = np.tile(f, 3)
    worth = label_worth(y, f, clusters, 400, 1200)
    assert worth is not None
    both = np.concatenate([clusters, 200 + np.arange(1200) // 2])
    found, alone = ppi_mean(y, f, rest, clusters=both), weighted_mean(y, None, clusters)
    assert found.low is not None
    assert found.high is not None
    assert alone.low is not None
    assert alone.high is not None
    assert worth.corrected == pytest.approx((found.high - found.low) / 2, rel=0.02)
    assert worth.alone == pytest.approx((alone.high - alone.low) / 2, rel=0.02)
    assert worth.equal_to == pytest.approx(400 * (worth.alone / worth.corrected) ** 2)
    assert worth.equal_to > 700


def test_a_judge_that_sees_nothing_saves_no_label() -> None:
    y, f = np.tile([0.0, 1.0], 60), np.full(120, 0.5)
    worth = label_worth(y, f, np.arange(120), 100, 1000)
    assert worth is not None
    assert worth.equal_to == pytest.approx(100)
    assert worth.alone == worth.corrected == pytest.approx(1.96 * 0.5 / 10, rel=0.01)
    assert label_worth(np.ones(120), f, np.arange(120), 100, 1000) is None

"""The favourite of n answers: its estimator, the curves fitted to it, the peak and the coverage of the intervals."""

from itertools import combinations
from math import e, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.stats.best_of_n import (
    NO_CHOICE,
    NO_PEAK,
    best_of_n,
    fit_weights,
    kl_bound,
    pick_weights,
)

GRADES = st.lists(st.integers(0, 4), min_size=1, max_size=7)


def brute(scores, values, n):
    """The mean over all subsets of n answers of the value of the favourite; favourites with one score share."""
    of_subsets = []
    for subset in combinations(range(len(scores)), n):
        top = max(scores[i] for i in subset)
        best = [values[i] for i in subset if scores[i] == top]
        of_subsets.append(sum(best) / len(best))
    return sum(of_subsets) / len(of_subsets)


@given(GRADES, st.randoms(use_true_random=False))
def test_the_weights_are_those_of_all_subsets(scores, random):
    """n = 1 is the mean, n = N the best, and every n between is the mean over all subsets, ties included."""
    values = [random.randint(0, 9) for _ in scores]
    weights = pick_weights([scores])[:, 0]
    assert weights.sum(axis=1) == pytest.approx(1)
    for n in range(1, len(scores) + 1):
        assert weights[n - 1] @ values == pytest.approx(brute(scores, values, n))
    assert weights[0] @ values == pytest.approx(np.mean(values))
    assert weights[-1] @ scores == pytest.approx(max(scores))


def test_by_hand():
    """Scores 1 < 2 < 3: of the three pairs, the best is picked from two and the middle one from one."""
    assert pick_weights([[3, 1, 2]])[:, 0].tolist() == [pytest.approx(row) for row in ([1/3] * 3, [2/3, 0, 1/3], [1, 0, 0])]  # fmt: skip  # noqa: E501
    assert kl_bound(1) == 0
    assert kl_bound(2) == pytest.approx(log(2) - 1 / 2)


@pytest.mark.parametrize("form", ["square", "log"])
def test_a_curve_of_a_form_is_fitted_exactly(form):
    """alpha and beta of a curve that has the form come back, whatever it is at n = 1."""
    d = np.sqrt(kl_bound(np.arange(1, 17)))
    curve = 30 + d * (40 - 25 * (d if form == "square" else np.log(np.where(d > 0, d, e))))
    assert fit_weights(16, form) @ curve == pytest.approx([40, 25])


def sampled(items, rng, hacked=0.0):
    """Scores and truth of 16 answers to each item: right ones score higher, but for `hacked` answers that score most.

    Source texts of three items share how hard they are.
    """
    hard = rng.normal(0, 0.1, items // 3).repeat(3)[:, np.newaxis]
    right = rng.random((items, 16)) < 0.35 + hard
    tricks = rng.random((items, 16)) < hacked
    scores = np.where(tricks, 95, 40 + 15 * right + rng.normal(0, 8, right.shape)).clip(0, 100)
    return scores, 100.0 * (right & ~tricks), np.zeros(items, int), np.arange(items // 3).repeat(3)


def test_a_judge_that_can_be_hacked_has_a_peak():
    """The truth rises while honest right answers are picked, and falls once tricks are among the n answers."""
    found = best_of_n(*sampled(300, np.random.default_rng(1), hacked=0.08), 3)
    gold = [each.value for each in found.gold]
    assert gold[0] < gold[2] > gold[-1] + 10
    assert 1 < found.peak.low <= found.peak.value == 1 + np.argmax(gold) <= found.peak.high < 16
    assert found.fits["square"].alpha.low > 0 < found.fits["square"].beta.low
    assert found.correlation.high < 0.9


def test_an_honest_judge_has_none():
    """The truth rises with every n, so there is no peak, and it follows the judge's score."""
    found = best_of_n(*sampled(150, np.random.default_rng(2)), 3)
    assert (found.peak.value, found.peak.reason) == (None, NO_PEAK)
    assert found.correlation.low > 0.9
    assert found.gold[-1].low > found.gold[0].high


def test_a_judge_with_ties_everywhere_cannot_pick():
    _, truth, groups, clusters = sampled(30, np.random.default_rng(4))
    found = best_of_n(np.full(truth.shape, 50.0), truth, groups, clusters, 3)
    assert found.correlation.reason == NO_CHOICE
    assert found.peak.reason == NO_PEAK
    assert {round(each.value, 9) for each in found.gold} == {round(truth.mean(), 9)}
    assert found.fits["log"].alpha.value == pytest.approx(0, abs=1e-9)


def test_few_source_texts_have_no_interval():
    scores, truth, groups, clusters = sampled(15, np.random.default_rng(5))
    found = best_of_n(scores, truth, groups, clusters, 3)
    assert "too few" in found.peak.reason
    assert found.correlation.low is None is found.peak.value
    assert best_of_n(scores[:, :2], truth[:, :2], groups, clusters, 3).fits == {}


@pytest.mark.sweep
def test_coverage():
    """Of 100 intervals, 93 or more contain the value for all items like these: gold at 4 and 16, alpha and beta."""
    rng, inside = np.random.default_rng(6), []
    whole = best_of_n(*sampled(30_000, rng, hacked=0.05), 3)
    for _ in range(300):
        found = best_of_n(*sampled(48, rng, hacked=0.05), 3)
        inside.append([
            own.low <= true.value <= own.high
            for own, true in [
                *((found.gold[n], whole.gold[n]) for n in (3, 15)),
                *((getattr(found.fits[form], name), getattr(whole.fits[form], name)) for form in found.fits
                  for name in ("alpha", "beta")),
                (found.correlation, whole.correlation),
            ]
        ])  # fmt: skip
    covered = np.mean(inside, axis=0)
    assert (covered[:-1] >= 0.92).all(), covered
    assert covered[-1] >= 0.9, covered

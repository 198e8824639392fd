"""Calibration: against scikit-learn, worked by hand, and on what has no answer."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

from nullbench_site.stats import calibration
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.calibration import (
    BINS,
    CLIP,
    brier,
    ece,
    gap,
    halves,
    logits,
    mce,
    nll,
    temperature,
    tempered,
)
from nullbench_site.stats.measure import Bounded

RNG = np.random.default_rng(29)
CONFIDENCE = np.round(RNG.beta(5, 3, 240), 4)
CORRECT = (RNG.random(240) < 0.7 * CONFIDENCE).astype(np.float64)
SOURCES: Ints = np.arange(240) // 4


def bars(confidence: Floats, correct: Floats) -> tuple[Floats, Floats, Floats]:
    """Accuracy and mean confidence of each bin as scikit-learn has them, and its share of the answers."""
    accuracy, mean = calibration_curve(correct, confidence, n_bins=BINS)
    counts = np.bincount(np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], confidence), minlength=BINS)
    return accuracy, mean, counts[counts > 0] / confidence.size


def test_the_scoring_rules_are_those_of_scikit_learn() -> None:
    assert brier(CONFIDENCE, CORRECT).value == pytest.approx(brier_score_loss(CORRECT, CONFIDENCE))
    clipped = np.clip(CONFIDENCE, CLIP, 1 - CLIP)
    assert nll(CONFIDENCE, CORRECT).value == pytest.approx(log_loss(CORRECT, clipped))


def test_the_calibration_errors_follow_from_the_curve_of_scikit_learn() -> None:
    accuracy, mean, share = bars(CONFIDENCE, CORRECT)
    assert ece(CONFIDENCE, CORRECT).value == pytest.approx(float(share @ np.abs(accuracy - mean)))
    assert mce(CONFIDENCE, CORRECT).value == pytest.approx(float(np.abs(accuracy - mean).max()))


def test_the_temperature_is_the_slope_of_a_logistic_regression_without_an_intercept() -> None:
    x = logits(CONFIDENCE)
    fitted = LogisticRegression(C=1e12, fit_intercept=False, tol=1e-10, max_iter=1000).fit(x[:, np.newaxis], CORRECT)
    assert temperature(x, CORRECT).value == pytest.approx(1 / fitted.coef_[0, 0], rel=1e-5)


def test_four_answers_worked_by_hand() -> None:
    """0.9 and 0.6 right, 0.85 and 0.3 wrong. Brier: (0.01 + 0.16 + 0.7225 + 0.09) / 4.

    Bins: (0.8, 0.9] has 0.9 and 0.85, confidence 0.875, half right; 0.6 is in (0.5, 0.6]; 0.3 in (0.2, 0.3].
    ECE: 2/4 * 0.375 + 1/4 * 0.4 + 1/4 * 0.3 = 0.3625. Gap: 2.65 / 4 - 1/2.
    """
    confidence, correct = [0.9, 0.6, 0.85, 0.3], [1, 1, 0, 0]
    assert brier(confidence, correct).value == pytest.approx(0.245625)
    assert nll(confidence, correct).value == pytest.approx(-log(0.9 * 0.6 * 0.15 * 0.7) / 4)
    assert ece(confidence, correct).value == pytest.approx(0.3625)
    assert mce(confidence, correct).value == pytest.approx(0.4)
    assert gap(confidence, correct).value == pytest.approx(0.1625)


def test_a_contestant_that_is_right_three_times_of_four_at_odds_of_nine_has_the_temperature_of_both_odds() -> None:
    """All confidences 0.9: sigmoid(ln 9 / T) = 3/4 = sigmoid(ln 3), so T = ln 9 / ln 3 = 2."""
    assert temperature(logits([0.9] * 40), [1, 1, 1, 0] * 10).value == pytest.approx(2.0)
    assert tempered([0.9], 2.0)[0] == pytest.approx(0.75)


def test_the_interval_of_one_over_the_temperature_is_a_clustered_sandwich() -> None:
    """With x constant, it is the interval of logit(accuracy) / x, by the delta method."""
    correct = np.tile([1.0, 1.0, 1.0, 0.0, 1.0, 0.0], 20)
    clusters = np.arange(120) // 6
    of_one = np.repeat(np.arange(20), 6)
    assert (clusters == of_one).all()
    single = temperature(logits([0.9] * 120), correct)
    share, x = 2 / 3, log(9)
    se = (120 / 119 / 120 / (share * (1 - share))) ** 0.5 / x
    slope, t = log(2) / x, 1.980100
    assert [single.low, single.high] == pytest.approx([1 / (slope + t * se), 1 / (slope - t * se)], rel=1e-5)
    same = temperature(logits([0.9] * 120), correct, clusters)
    assert same.low == pytest.approx(same.high), "every source has the same share of right answers"


def test_clusters_widen_intervals_and_move_no_value() -> None:
    """The answers of a source are copies of one."""
    confidence, correct, sources = (np.repeat(of[::4], 4) for of in (CONFIDENCE, CORRECT, SOURCES))
    for measure in (brier, nll, gap):
        alone, clustered = measure(confidence, correct), measure(confidence, correct, sources)
        assert clustered.value == alone.value
        assert width(clustered) > 1.5 * width(alone)
    alone, clustered = ece(confidence, correct), ece(confidence, correct, BINS, sources)
    assert width(clustered) > 1.5 * width(alone)


def width(bounds: Bounded) -> float:
    assert bounds.low is not None
    assert bounds.high is not None
    return bounds.high - bounds.low


def test_the_interval_of_an_ece_reaches_zero_where_chance_explains_it() -> None:
    rng = np.random.default_rng(7)
    confidence = rng.random(300)
    found = ece(confidence, rng.random(300) < confidence)
    assert found.value is not None
    assert found.value > 0.02
    assert found.low == 0
    halved = ece(confidence, rng.random(300) < confidence / 2)
    assert halved.low is not None
    assert halved.low > 0.1


def test_a_temperature_changes_neither_the_order_nor_which_side_of_a_half_a_confidence_is_on() -> None:
    after = tempered(CONFIDENCE, 3.7)
    assert (np.argsort(after, kind="stable") == np.argsort(CONFIDENCE, kind="stable")).all()
    assert ((after > 0.5) == (CONFIDENCE > 0.5)).all()


def test_halves_keep_sources_whole_and_follow_the_seed() -> None:
    fitted = halves(SOURCES, 1)
    assert fitted.sum() == 120
    assert set(SOURCES[fitted]) & set(SOURCES[~fitted]) == set()
    assert (halves(SOURCES, 1) == fitted).all()
    assert (halves(SOURCES, 2) != fitted).any()


# --- input that has no answer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", [brier, nll, gap, ece, mce, temperature])
def test_without_an_answer_nothing_is_measured(measure: Callable[..., Bounded]) -> None:
    assert measure([], []) == Bounded.undefined("no answer has a confidence")


def test_confidences_of_0_and_1_are_clipped_where_a_logarithm_is_taken_and_only_there() -> None:
    assert nll([1.0, 0.0], [0, 1]).value == pytest.approx(-log(CLIP))
    assert nll([1.0], [1]).value == pytest.approx(-log(1 - CLIP))
    assert brier([1.0, 0.0], [0, 1]).value == 1.0
    assert logits([1.0, 0.0]).tolist() == pytest.approx([log((1 - CLIP) / CLIP), -log((1 - CLIP) / CLIP)])


@pytest.mark.parametrize(("label", "why"), [(1, "all answers are right"), (0, "all answers are wrong")])
def test_with_one_label_an_ece_has_no_interval_and_no_temperature_fits(label: int, why: str) -> None:
    correct = np.full(60, label)
    found = ece(np.full(60, 0.7), correct)
    assert found.value == pytest.approx(abs(0.7 - label))
    assert found.low is None
    assert (found.reason or "").startswith(why)
    assert (temperature(logits(CONFIDENCE[:60]), correct).reason or "").startswith(why)
    assert brier(np.full(60, 0.7), correct).low is not None, (
        "the rules have an interval: answers of the other kind exist"
    )


@pytest.mark.parametrize(
    ("confidence", "correct", "why"),
    [
        ([0.8] * 20, [0, 0, 0, 1] * 5, calibration.FLAT),
        ([0.5] * 20, [0, 1] * 10, calibration.FLAT),
        ([0.8, 0.3] * 10, [1, 0] * 10, calibration.STEEP),
    ],
)
def test_where_no_temperature_is_the_best_the_reason_is_said(
    confidence: list[float], correct: list[int], why: str
) -> None:
    assert temperature(logits(confidence), correct) == Bounded.undefined(why)


def test_few_sources_give_values_without_intervals() -> None:
    sources = np.arange(240) // 60
    for found in (
        brier(CONFIDENCE, CORRECT, sources), nll(CONFIDENCE, CORRECT, sources), gap(CONFIDENCE, CORRECT, sources),
        ece(CONFIDENCE, CORRECT, BINS, sources), temperature(logits(CONFIDENCE), CORRECT, sources),
    ):  # fmt: skip
        assert found.value is not None
        assert (found.low, found.high) == (None, None)
        assert found.reason == "too few: 4 clusters of items, and an interval needs 6"


@pytest.mark.parametrize(
    ("confidence", "correct", "message"),
    [
        ([1.2], [1], "confidence must lie within 0-1, got 1.2"),
        ([0.2, -0.1], [1, 0], "confidence must lie within 0-1, got -0.1"),
        ([0.5], [0.5], "correct must be 0 or 1, got 0.5"),
        ([0.5, 0.6], [1], "confidence and correct must have the same length, got 2 and 1"),
        ([float("nan")], [1], "confidence must be finite"),
    ],
)
def test_other_input_is_refused(confidence: list[float], correct: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        brier(confidence, correct)


def test_an_nll_of_one_half_everywhere_is_ln_2() -> None:
    assert exp(nll([0.5] * 10, [0, 1] * 5).value or 0) == pytest.approx(2.0)

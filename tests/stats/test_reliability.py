"""The reliability diagram: against scikit-learn, what a calibrated model shows, and which shape the data carry."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.calibration import BINS, ece, gap
from nullbench_site.stats.estimate import group_mean
from nullbench_site.stats.reliability import Calibrated, calibrated, dependence, reliability, shape


def drawn(n: int, seed: int = 1) -> tuple[Floats, Floats]:
    """Confidences from 0 to 1, and the luck of each answer."""
    rng = np.random.default_rng(seed)
    return rng.random(n), rng.random(n)


def named(confidence: Floats, correct: Floats, clusters: Ints | None = None) -> str:
    """The shape of the diagram of these answers."""
    return shape(
        ece(confidence, correct, BINS, clusters),
        gap(confidence, correct, clusters),
        reliability(confidence, correct, BINS, clusters),
        calibrated(confidence, BINS, clusters, dependence=dependence(confidence, correct, BINS, clusters)),
    )


def test_the_bars_are_the_curve_of_scikit_learn_each_with_the_interval_of_a_rate() -> None:
    confidence, luck = drawn(300)
    correct = (luck < confidence**2).astype(np.float64)
    accuracy, mean = calibration_curve(correct, confidence, n_bins=BINS)
    bars = reliability(confidence, correct)
    assert [bar.accuracy.value for bar in bars] == pytest.approx(accuracy.tolist())
    assert [bar.confidence for bar in bars] == pytest.approx(mean.tolist())
    chosen = (confidence > 0.3) & (confidence <= 0.4)
    third = group_mean(correct[chosen], np.zeros(chosen.sum(), int), np.arange(chosen.sum()), scale=(0, 1))
    assert (bars[3].accuracy.low, bars[3].accuracy.high) == (third.low, third.high)
    assert bars[3].n == chosen.sum()


def test_a_confidence_on_an_edge_is_in_the_bin_below_it_and_empty_bins_have_no_bar() -> None:
    bars = reliability([0.7, 0.70001, 0.0], [1, 1, 0])
    assert [(round(bar.low, 1), round(bar.high, 1), bar.n) for bar in bars] == [
        (0.0, 0.1, 1),
        (0.6, 0.7, 1),
        (0.7, 0.8, 1),
    ]


def test_one_answer_at_one_half_has_an_error_of_one_half_in_every_calibrated_model() -> None:
    found = calibrated([0.5])
    assert (found.ece, found.mce) == ((0.5, 0.5), (0.5, 0.5))


def test_a_calibrated_model_with_certain_answers_shows_no_error() -> None:
    found = calibrated([0.0, 1.0, 1.0])
    assert (found.ece, found.mce) == ((0.0, 0.0), (0.0, 0.0))
    assert found.gaps[[0, 9]].tolist() == [0.0, 0.0]


def test_the_range_of_one_bin_is_that_of_the_binomial() -> None:
    """100 answers at 0.5 in one bin: |k/100 - 1/2|, k binomial; P(|k - 50| <= 11) = 0.979, P(<= 10) = 0.965."""
    found = calibrated(np.full(100, 0.5))
    assert found.ece[1] == pytest.approx(0.11, abs=0.011)
    assert found.ece == found.mce
    assert found.gaps[4] == pytest.approx(0.1, abs=0.011)


def test_answers_that_agree_within_a_source_widen_the_range() -> None:
    """Where they share all luck, ten answers of one confidence are one: the range is that of 30 answers."""
    clusters = np.repeat(np.arange(30), 10)
    together = calibrated(np.full(300, 0.5), BINS, clusters, dependence=1.0)
    assert together.ece[1] == pytest.approx(calibrated(np.full(30, 0.5), seed=3).ece[1], abs=0.04)
    assert together.ece[1] > 2 * calibrated(np.full(300, 0.5), BINS, clusters).ece[1]


def test_the_range_is_the_same_for_the_same_seed() -> None:
    confidence, _ = drawn(50)
    assert calibrated(confidence, seed=4).ece == calibrated(confidence, seed=4).ece


def test_dependence_is_1_for_copies_0_for_single_answers_and_never_below() -> None:
    confidence, luck = drawn(200)
    correct = (luck < confidence).astype(np.float64)
    copies = np.repeat(np.arange(200), 3)
    assert dependence(np.repeat(confidence, 3), np.repeat(correct, 3), BINS, copies) == pytest.approx(1.0)
    assert dependence(confidence, correct) == 0.0
    assert dependence(np.full(4, 0.5), [1, 0, 1, 0], BINS, [0, 0, 1, 1]) == 0.0
    assert dependence([], []) == 0.0


@pytest.mark.parametrize(
    ("n", "accuracy", "wanted"),
    [
        (2000, lambda p: p * 0.7, "overconfident"),
        (2000, lambda p: 1 - 0.7 * (1 - p), "underconfident"),
        (2000, lambda p: np.where(p > 0.5, p - 0.2, p + 0.2), "mixed"),
        (20_000, lambda p: p, "well calibrated"),
        (200, lambda p: p, "not distinguishable from well calibrated at this n"),
        (30, lambda p: p * 0.9, "not distinguishable from well calibrated at this n"),
        (200, lambda p: np.zeros(200), "overconfident"),
    ],
)
def test_a_shape_is_named_where_the_data_carry_it(n: int, accuracy: object, wanted: str) -> None:
    confidence, luck = drawn(n)
    assert callable(accuracy)
    assert named(confidence, (luck < accuracy(confidence)).astype(np.float64)) == wanted


def test_a_gap_with_a_bar_that_contradicts_it_is_mixed() -> None:
    """Overconfident as a whole, but the least confident answers are right more often than they say."""
    confidence, luck = drawn(3000)
    accuracy = np.where(confidence < 0.2, 0.5, confidence * 0.5)
    assert named(confidence, (luck < accuracy).astype(np.float64)) == "mixed"


def test_copies_of_few_answers_name_no_shape_that_the_answers_do_not() -> None:
    """60 answers, each copied 20 times: alone they would seem to be evidence."""
    confidence, luck = drawn(60, seed=5)
    correct = (luck < confidence).astype(np.float64)
    many = [np.repeat(of, 20) for of in (confidence, correct, np.arange(60))]
    assert named(many[0], many[1], many[2].astype(np.int64)) == "not distinguishable from well calibrated at this n"
    assert named(many[0], many[1]) == "mixed"


def test_without_an_answer_there_is_no_range() -> None:
    with pytest.raises(ValueError, match="must have an answer"):
        calibrated([])
    assert isinstance(calibrated([0.3]), Calibrated)


def test_dependence_is_the_share_of_luck_that_answers_of_one_source_have_in_common() -> None:
    """Each answer takes the number of its source with probability 0.6: two share it with 0.36."""
    rng = np.random.default_rng(3)
    sources = np.repeat(np.arange(4000), 5)
    confidence = rng.beta(2, 2, sources.size)
    luck = np.where(rng.random(sources.size) < 0.6, rng.random(4000)[sources], rng.random(sources.size))
    correct = (luck < confidence).astype(np.float64)
    assert dependence(confidence, correct, BINS, sources) == pytest.approx(0.36, abs=0.02)

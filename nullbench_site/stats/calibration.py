"""Whether confidence agrees with accuracy: scoring rules, calibration errors, and the temperature that mends one.

In all functions confidence is (n,) 0-1, correct is (n,) 0 or 1 (whether an answer meets its key), and clusters is (n,)
integers, such as the source of each item; without clusters every answer is one. 95 % intervals are clustered, and need
six clusters. ValueError for a confidence outside 0-1, another label than 0 or 1, or arrays of different lengths.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints, finite, labels
from nullbench_site.stats.estimate import LEVEL, group_mean, means, quantile, unsure
from nullbench_site.stats.logistic import sigmoid, softplus
from nullbench_site.stats.measure import Bounded

BINS = 10
CLIP = 1e-4
"""Logarithms take confidences from 0.0001 to 0.9999: records hold four digits, and an NLL could be infinite."""
NO_ANSWER = "no answer has a confidence"
ONE_LABEL = "all answers are {}, and this takes right and wrong ones"
FLAT = "no temperature fits: the NLL is lowest with a confidence of 50 % in every answer"
STEEP = "no temperature fits: all answers above 50 % are right, and all below are wrong"
NO_END = "the data allow any higher temperature"
OF_A_MAXIMUM = "a maximum over bins has no interval here; compare it with that of a calibrated model"
_SURE = 3.0
"""The sign of a bin's gap counts as known from this many standard errors."""
_DRAWS = 2000


def brier(confidence: npt.ArrayLike, correct: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> Bounded:
    """Return the Brier score, 0-1, lower is better: the mean of (confidence - correct)^2.

    Source: Brier (1950), Verification of forecasts expressed in terms of probability, for one of two classes.
    """
    p, y, cluster = answers(confidence, correct, clusters)
    return _mean(np.square(p - y), cluster, (0, 1))


def nll(confidence: npt.ArrayLike, correct: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> Bounded:
    """Return the negative log-likelihood of an answer in nats, >= 0, lower is better, with confidence clipped by CLIP.

    -ln p of a right answer, -ln(1 - p) of a wrong one. Always 50 % gives ln 2 = 0.693.
    Source: Good (1952), Rational decisions.
    """
    p, y, cluster = answers(confidence, correct, clusters)
    return _mean(softplus(np.where(y == 1, -1, 1) * logits(p)), cluster, (0, -math.log(CLIP)))


def gap(confidence: npt.ArrayLike, correct: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> Bounded:
    """Return the mean confidence minus the accuracy, -1 to 1. Above 0: more confident than right.

    Source: calibration in the large, as in Steyerberg (2009), Clinical prediction models, 15.
    """
    p, y, cluster = answers(confidence, correct, clusters)
    return _mean(p - y, cluster, (-1, 1))


def ece(
    confidence: npt.ArrayLike,
    correct: npt.ArrayLike,
    bins: int = BINS,
    clusters: npt.ArrayLike | None = None,
    *,
    seed: int = 0,
) -> Bounded:
    """Return the expected calibration error, 0-1: sum_b (n_b / n) |accuracy_b - confidence_b| over bins of one width.

    Chance alone makes it larger than 0: compare it with `reliability.calibrated`. Its 95 % interval is for the ECE of
    all answers like these in the same bins. Let d_b be the summand of a bin without the absolute value. At most, bins
    whose sign is known add the error of d_b times that sign, and others its absolute value: the 97.5 % quantile of the
    sum, over draws of the errors from a normal distribution with their clustered covariance, is the distance of the
    low end. At least, each adds the error times the sign seen, which gives the high end by Student's t.
    No interval if all answers have one label. seed: of the draws.
    Source: Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning; the low
    end after Fang & Santos (2019), Inference on directionally differentiable functions. benchmarks/calibration.py
    measures how often the interval contains the true value.
    """
    p, y, cluster = answers(confidence, correct, clusters)
    if not p.size:
        return Bounded.undefined(NO_ANSWER)
    table = np.where(bin_of(p, bins) == np.arange(bins)[:, np.newaxis], p - y, 0.0)
    each = means(table, None, cluster)
    value = float(np.abs(each.value).sum())
    n_clusters = int(each.clusters[0])
    if why := _one_label(y) or unsure(_absent(each.se[0]), n_clusters):
        return Bounded(value, reason=why)
    sign = np.sign(each.value)
    # Eigenvectors of the covariance have signs that differ between machines, so each cluster has its own draw.
    influence = each.influence
    errors = np.random.default_rng(seed).standard_normal((_DRAWS, influence.shape[1])) @ influence.T
    sure = np.abs(each.value) > _SURE * each.se
    added = np.where(sure, sign * errors, np.abs(errors)).sum(axis=1)
    t = float(quantile(LEVEL, n_clusters - 1))
    below = float(np.quantile(added, (1 + LEVEL) / 2)) * t / float(quantile(LEVEL, math.inf))
    above = t * float(np.linalg.norm(sign @ each.influence))
    return Bounded(value, max(0.0, value - below), min(1.0, value + above))


def mce(confidence: npt.ArrayLike, correct: npt.ArrayLike, bins: int = BINS) -> Bounded:
    """Return the maximum calibration error, 0-1: the largest |accuracy_b - confidence_b| of a bin with an answer.

    It has no interval. Bins with few answers decide it: compare it with `reliability.calibrated`.
    Source: Naeini, Cooper & Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning.
    """
    p, y, _ = answers(confidence, correct, None)
    if not p.size:
        return Bounded.undefined(NO_ANSWER)
    place = bin_of(p, bins)
    sums, counts = np.bincount(place, p - y, bins), np.bincount(place, minlength=bins)
    return Bounded(float(np.abs(sums[counts > 0] / counts[counts > 0]).max()), reason=OF_A_MAXIMUM)


def temperature(logits: npt.ArrayLike, correct: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> Bounded:
    """Return the temperature T > 0 that minimises the NLL of the confidences sigmoid(logits / T).

    logits: (n,) ln(p / (1 - p)), finite, as `logits` makes of confidences. Above 1, T moves confidences towards 50 %.
    The interval is that of 1/T, the slope of a logistic regression without an intercept, by the clustered sandwich and
    Student's t. No T if all answers have one label, or if the NLL falls without end as T grows or nears 0.
    Source: Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural networks, 4.2; the sandwich as in
    Liang & Zeger (1986), Longitudinal data analysis using generalized linear models.
    """
    x = finite("logits", logits, ndim=1)
    _, y, cluster = answers(np.full(x.shape, 0.5), correct, clusters)
    if not x.size:
        return Bounded.undefined(NO_ANSWER)
    if why := _one_label(y) or _no_fit(x, y):
        return Bounded.undefined(why)
    low, high = 0.0, 1.0
    while x @ (y - sigmoid(high * x)) > 0:
        high *= 2
    while (high - low) > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if x @ (y - sigmoid(middle * x)) > 0 else (low, middle)
    slope = (low + high) / 2
    fitted = sigmoid(slope * x)
    n_clusters = int(cluster.max()) + 1
    if why := unsure(0.0, n_clusters):
        return Bounded(1 / slope, reason=why)
    scores = np.bincount(cluster, x * (y - fitted))
    se = math.sqrt(n_clusters / (n_clusters - 1) * (scores @ scores)) / float(np.square(x) @ (fitted * (1 - fitted)))
    reach = float(quantile(LEVEL, n_clusters - 1)) * se
    least = 1 / (slope + reach)
    return Bounded(1 / slope, least, 1 / (slope - reach)) if slope > reach else Bounded(1 / slope, least, None, NO_END)


def logits(confidence: npt.ArrayLike) -> Floats:
    """Return ln(p / (1 - p)) of each confidence, clipped to CLIP..1 - CLIP."""
    p = np.clip(np.asarray(confidence, dtype=np.float64), CLIP, 1 - CLIP)
    return np.asarray(np.log(p) - np.log1p(-p), np.float64)


def tempered(confidence: npt.ArrayLike, temperature: float) -> Floats:
    """Return the confidences sigmoid(logits / T), (n,), with clipped logits. Their order does not change."""
    return sigmoid(logits(confidence) / temperature)


def halves(clusters: npt.ArrayLike, seed: int) -> Bools:
    """Return (n,) True for the answers in a random half of the clusters, the larger one if their number is odd."""
    names, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    chosen: Bools = np.random.default_rng(seed).permutation(names.size)[cluster] >= names.size // 2
    return chosen


def answers(
    confidence: npt.ArrayLike, correct: npt.ArrayLike, clusters: npt.ArrayLike | None
) -> tuple[Floats, Floats, Ints]:
    """Return the arguments of these functions as arrays, clusters recoded from 0. Raises ValueError."""
    p, y = finite("confidence", confidence, ndim=1), finite("correct", correct, ndim=1)
    if p.shape != y.shape:
        raise ValueError(f"confidence and correct must have the same length, got {p.size} and {y.size}")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"confidence must lie within 0-1, got {p[(p < 0) | (p > 1)][0]:g}")
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"correct must be 0 or 1, got {y[~np.isin(y, (0, 1))][0]:g}")
    return p, y, labels("clusters", np.arange(p.size) if clusters is None else clusters, size=p.size)


def bin_of(confidence: Floats, bins: int) -> Ints:
    """Return the bin of each confidence, 0..bins-1, of one width; an edge belongs to the bin below it.

    Raises ValueError for bins < 1. Source: Guo, Pleiss, Sun & Weinberger (2017), 2, whose bins are (low, high].
    """
    if bins < 1:
        raise ValueError(f"bins must be 1 or more, got {bins}")
    return np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], confidence).astype(np.int64)


def _mean(values: Floats, clusters: Ints, scale: tuple[float, float]) -> Bounded:
    if not values.size:
        return Bounded.undefined(NO_ANSWER)
    return group_mean(values, None, clusters, scale=scale).bounded


def _one_label(correct: Floats) -> str | None:
    """Return why both labels are needed if there is only one."""
    return ONE_LABEL.format("right" if correct[0] else "wrong") if (correct == correct[0]).all() else None


def _no_fit(x: Floats, y: Floats) -> str | None:
    """Return why no temperature minimises the NLL, if none does. At 1/T = 0 it has the slope -sum x (y - 1/2)."""
    if x @ (y - 0.5) <= 0:
        return FLAT
    return STEEP if (x * (y - 0.5) >= 0).all() else None


def _absent(value: float) -> float | None:
    return None if math.isnan(value) else float(value)

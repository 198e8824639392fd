"""The reliability diagram: accuracy by confidence, what a perfectly calibrated model would show, and the shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.calibration import BINS, answers, bin_of
from nullbench_site.stats.estimate import ERROR, group_mean
from nullbench_site.stats.measure import Bounded, DiagramShape

WELL = 0.05
"""The ECE below which a model is well calibrated: the mathematics of LLM evaluation, section 6, Exhibit 4."""
_DRAWS = 1000
_AT_ONCE = 2_000_000
"""How many answers are drawn at once, to bound memory."""


@dataclass(frozen=True)
class Bar:
    """The answers with a confidence above `low`, up to `high`; the first bin, 0, holds its low end too.

    confidence: their mean confidence. accuracy: the share of right ones, with its clustered 95 % interval.
    """

    bin: int
    low: float
    high: float
    n: int
    confidence: float
    accuracy: Bounded


@dataclass(frozen=True)
class Calibrated:
    """What a perfectly calibrated model with the same confidences shows: 95 of 100 lie within each range.

    ece, mce: the ends of the range. gaps: (bins,) the largest |accuracy - confidence| of each bin, for all bins
    together; NaN for a bin without an answer.
    """

    ece: tuple[float, float]
    mce: tuple[float, float]
    gaps: Floats


def reliability(
    confidence: npt.ArrayLike, correct: npt.ArrayLike, bins: int = BINS, clusters: npt.ArrayLike | None = None
) -> list[Bar]:
    """Return the bins that have an answer, by rising confidence. Arguments as in `calibration`.

    Source: DeGroot & Fienberg (1983), The comparison and evaluation of forecasters.
    """
    p, y, cluster = answers(confidence, correct, clusters)
    edges, place = np.linspace(0, 1, bins + 1), bin_of(p, bins)
    bars = []
    for number in np.unique(place).tolist():
        chosen = place == number
        accuracy = group_mean(y[chosen], None, cluster[chosen], scale=(0, 1)).bounded
        low, high = float(edges[number]), float(edges[number + 1])
        bars.append(Bar(number, low, high, int(chosen.sum()), float(p[chosen].mean()), accuracy))
    return bars


def dependence(
    confidence: npt.ArrayLike, correct: npt.ArrayLike, bins: int = BINS, clusters: npt.ArrayLike | None = None
) -> float:
    """Return how often two answers of one cluster are right or wrong by the same luck, 0-1; 0 without such a pair.

    Let a be the accuracy of an answer's bin and r = correct - a. Two answers with one random number, each right if it
    is below its a, have a mean r_i r_j of m_ij = min(a_i, a_j) - a_i a_j; independent ones have 0. The result is sum
    r_i r_j / sum m_ij over the pairs of all clusters, within 0-1.
    Source: the moment estimator of an intraclass correlation, as in Ridout, Demetrio & Firth (1999), Estimating
    intraclass correlation for binary data; m_ij is ours.
    """
    p, y, cluster = answers(confidence, correct, clusters)
    if not p.size:
        return 0.0
    place = bin_of(p, bins)
    accuracy = np.bincount(place, y, bins) / np.maximum(np.bincount(place, minlength=bins), 1)
    residual = y - accuracy[place]
    shared = np.minimum.outer(accuracy, accuracy) - np.outer(accuracy, accuracy)
    counts = np.bincount(cluster * bins + place, minlength=(int(cluster.max()) + 1) * bins).reshape(-1, bins)
    found = float(np.square(np.bincount(cluster, residual)).sum() - np.square(residual).sum())
    most = float(((counts @ shared) * counts).sum() - np.diag(shared)[place].sum())
    return min(1.0, max(0.0, found / most)) if most > 1e-9 else 0.0


def calibrated(
    confidence: npt.ArrayLike,
    bins: int = BINS,
    clusters: npt.ArrayLike | None = None,
    *,
    dependence: float = 0.0,
    seed: int = 0,
) -> Calibrated:
    """Return what a perfectly calibrated model shows at this n, from 1,000 draws of right and wrong answers.

    Each answer is right with its confidence as probability. dependence: of the answers of one cluster, 0-1, as
    `dependence` measures it: each answer takes the random number of its cluster with probability sqrt(dependence),
    otherwise its own. ValueError without an answer.
    Source: consistency resampling as in Broecker & Smith (2007), Increasing the reliability of reliability diagrams;
    the dependence is ours.
    """
    p, _, cluster = answers(confidence, np.zeros(np.size(confidence)), clusters)
    if not p.size:
        raise ValueError("confidence must have an answer")
    order = np.argsort(bin_of(p, bins), kind="stable")
    p, cluster = p[order], cluster[order]
    place = bin_of(p, bins)
    used, starts, counts = np.unique(place, return_index=True, return_counts=True)
    rng = np.random.default_rng(seed)
    sums = np.empty((_DRAWS, used.size))
    at_once = max(1, _AT_ONCE // p.size)
    for start in range(0, _DRAWS, at_once):
        size = min(at_once, _DRAWS - start)
        numbers = rng.random((size, p.size))
        if dependence > 0:
            of_cluster = rng.random((size, int(cluster.max()) + 1))[:, cluster]
            numbers = np.where(rng.random(numbers.shape) < np.sqrt(dependence), of_cluster, numbers)
        sums[start : start + size] = np.add.reduceat((numbers < p) - p, starts, axis=1)
    gaps = np.abs(sums) / counts
    spread = np.sqrt(np.square(gaps).mean(axis=0))
    far = np.divide(gaps, spread, out=np.zeros_like(gaps), where=spread > 0)
    limits = np.full(bins, np.nan)
    limits[used] = np.quantile(far.max(axis=1), 1 - ERROR) * spread
    middle = (ERROR / 2, 1 - ERROR / 2)
    of_ece, of_mce = (np.quantile(of, middle).tolist() for of in (np.abs(sums).sum(axis=1) / p.size, gaps.max(axis=1)))
    return Calibrated((of_ece[0], of_ece[1]), (of_mce[0], of_mce[1]), limits)


def shape(error: Bounded, gap: Bounded, bars: list[Bar], chance: Calibrated) -> DiagramShape:
    """Return the shape of a reliability diagram, as far as the data show it.

    error: the ECE. gap: mean confidence minus accuracy. chance: of a calibrated model.

    - Well calibrated: the whole interval of the ECE is below 0.05.
    - Not distinguishable: the ECE is within the range of a calibrated model.
    - Overconfident: the interval of the gap is above 0, and no bar is farther above the diagonal than a calibrated
      model's bars are. Underconfident: the mirror image.
    - Mixed: some bars are farther above the diagonal than a calibrated model's, others farther below.
    - Otherwise not well calibrated, but the data do not show how.

    Source: the mathematics of LLM evaluation, section 6, Exhibit 4; the tests are ours. benchmarks/calibration.py
    measures how often a calibrated contestant gets another name.
    """
    if error.high is not None and error.high < WELL:
        return "well calibrated"
    if error.value is None or error.value <= chance.ece[1]:
        return "not distinguishable from well calibrated at this n"
    apart = [(bar.accuracy.value or 0.0) - bar.confidence for bar in bars]
    above = any(by > chance.gaps[bar.bin] for by, bar in zip(apart, bars, strict=True))
    below = any(-by > chance.gaps[bar.bin] for by, bar in zip(apart, bars, strict=True))
    if gap.low is not None and gap.low > 0 and not above:
        return "overconfident"
    if gap.high is not None and gap.high < 0 and not below:
        return "underconfident"
    return "mixed" if above and below else "not well calibrated, direction not shown"

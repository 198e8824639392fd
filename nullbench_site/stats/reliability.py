"""The reliability diagram: accuracy by confidence, what a perfectly calibrated model would show, and the shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.calibration import BINS, answers, bin_of, bounded
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
        accuracy = group_mean(y[chosen], np.zeros(int(chosen.sum()), np.int64), cluster[chosen], scale=(0, 1))
        low, high = float(edges[number]), float(edges[number + 1])
        bars.append(Bar(number, low, high, int(chosen.sum()), float(p[chosen].mean()), bounded(accuracy)))
    return bars


def correlation(
    confidence: npt.ArrayLike, correct: npt.ArrayLike, bins: int = BINS, clusters: npt.ArrayLike | None = None
) -> float:
    """Return how strongly the outcomes of two answers of one cluster correlate, 0-1, given their bins; 0 if below.

    With r = correct - accuracy of the bin and s = sqrt(accuracy (1 - accuracy)), it is sum r_i r_j / sum s_i s_j over
    the pairs of answers of each cluster. 0 without such a pair.
    Source: the moment estimator of the intraclass correlation, as in Ridout, Demetrio & Firth (1999), Estimating
    intraclass correlation for binary data.
    """
    p, y, cluster = answers(confidence, correct, clusters)
    if not p.size:
        return 0.0
    place = bin_of(p, bins)
    accuracy = (np.bincount(place, y, bins) / np.maximum(np.bincount(place, minlength=bins), 1))[place]
    residual, spread = y - accuracy, np.sqrt(accuracy * (1 - accuracy))
    together, most = (
        float(np.square(np.bincount(cluster, of)).sum() - np.square(of).sum()) for of in (residual, spread)
    )
    return min(1.0, max(0.0, together / most)) if most > 0 else 0.0


def calibrated(
    confidence: npt.ArrayLike,
    bins: int = BINS,
    clusters: npt.ArrayLike | None = None,
    *,
    correlation: float = 0.0,
    seed: int = 0,
) -> Calibrated:
    """Return what a perfectly calibrated model shows at this n, from 1,000 draws of right and wrong answers.

    Each answer is right with its confidence as probability. correlation: of the answers of one cluster, 0-1, as
    `correlation` measures it: each answer takes the random number of its cluster with probability sqrt(correlation),
    otherwise its own. ValueError without an answer.
    Source: consistency resampling as in Broecker & Smith (2007), Increasing the reliability of reliability diagrams;
    the correlation is ours.
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
        if correlation > 0:
            of_cluster = rng.random((size, int(cluster.max()) + 1))[:, cluster]
            numbers = np.where(rng.random(numbers.shape) < np.sqrt(correlation), of_cluster, numbers)
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
    - Mixed: the ECE is beyond the range, in neither direction alone.

    Source: the mathematics of LLM evaluation, section 6, Exhibit 4; the tests are ours.
    """
    if error.high is not None and error.high < WELL:
        return "well calibrated"
    if error.value is None or error.value <= chance.ece[1]:
        return "not distinguishable from well calibrated at this n"
    above = below = False
    for bar in bars:
        limit = chance.gaps[bar.bin]
        difference = (bar.accuracy.value or 0.0) - bar.confidence
        above, below = above or difference > limit, below or -difference > limit
    if gap.low is not None and gap.low > 0 and not above:
        return "overconfident"
    if gap.high is not None and gap.high < 0 and not below:
        return "underconfident"
    return "mixed"

"""Response times and lengths -> percentiles, stability, throughput, and quality per resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import finite
from nullbench_site.stats.measure import Measure

RUNES_PER_TOKEN = 4
EXTREME_RATIO = 10


def percentile(values: npt.ArrayLike, q: float) -> float | None:
    """Return the `q`-th percentile of `values`, in their unit; q is 0 to 100, 50 is the median.

    values: (n,) finite; None for no values.
    Method "linear" (type 7 of Hyndman & Fan 1996, numpy's default): the point q/100 of the way from the first to the
    last of the sorted values, interpolated between neighbours.
    Source: nullbench methodology, Extended Metrics (median, p95); the method is a decision of ours.
    """
    data = finite("values", values, ndim=1)
    return float(np.percentile(data, q)) if data.size else None


@dataclass(frozen=True, slots=True)
class Stability:
    """The stability of response times, each number 0..1; higher is steadier, 1 if all times are equal.

    score: the mean of the parts, capped. tail: median/p95. extremes: p95/max. jitter: 1 / (1 + sd/mean).
    """

    score: float
    tail: float
    extremes: float
    jitter: float


def stability(times_s: npt.ArrayLike) -> Stability | str:
    """Return the stability of response times, or why it is undefined.

    times_s: (n,) finite, >= 0, in seconds (any unit gives the same).
    The score is the arithmetic mean of median/p95 (tail), p95/max (extremes) and 1 / (1 + sd/mean) (jitter, population
    sd); in a geometric mean p95 would cancel. If max/mean > 10, it is capped at 10 mean/max, so one enormous time
    counts even if all others are equal.
    Undefined for no times, and if a ratio would be 0/0 because the mean or the 95th percentile is 0.
    Source: nullbench methodology, Extended Metrics, names the three parts and the gate; the formula and the 10 are a
    decision of ours (architecture, "Decisions where the sources are silent").
    """
    times = finite("times_s", times_s, ndim=1)
    if times.size == 0:
        return "no response times"
    mean, longest = float(times.mean()), float(times.max())
    median, p95 = np.percentile(times, (50, 95)).tolist()
    if mean == 0:
        return "the mean response time is 0"
    if p95 == 0:
        return "the 95th percentile of response times is 0"
    # The percentiles of equal times are interpolated and may be off in the last digit.
    tail, extremes = min(1.0, median / p95), min(1.0, p95 / longest)
    jitter = 1 / (1 + float(times.std()) / mean)
    return Stability(
        score=min((tail + extremes + jitter) / 3, 1.0, EXTREME_RATIO * mean / longest),
        tail=tail,
        extremes=extremes,
        jitter=jitter,
    )


def throughput_runes_per_s(runes: npt.ArrayLike, seconds: npt.ArrayLike) -> Measure:
    """Return response runes (Unicode code points) per second, total over total; higher is faster.

    runes, seconds: length and time of each response, in the same order. The source says "average response runes per
    second"; we take average runes over average seconds, which is total over total. The average of each response's own
    ratio would weigh a short quick answer as much as a long one. Undefined for no responses or a total time of 0.
    Source: nullbench methodology, Extended Metrics (throughput_rps).
    """
    return _rate(runes, seconds)


def tokens_per_s(runes: npt.ArrayLike, seconds: npt.ArrayLike, tokens: npt.ArrayLike | None = None) -> Measure:
    """Return response tokens per second, higher is faster: exact if `tokens` are known, else runes / 4.

    runes, seconds, tokens: of each response, in the same order; total over total, as `throughput_runes_per_s`.
    Undefined for no responses or a total time of 0.
    Source: nullbench methodology, Extended Metrics (tps = rps / 4, "either exact if available").
    """
    if tokens is not None:
        return _rate(tokens, seconds)
    rate = _rate(runes, seconds)
    return rate if rate.value is None else Measure(rate.value / RUNES_PER_TOKEN)


def _rate(amounts: npt.ArrayLike, seconds: npt.ArrayLike) -> Measure:
    """Return the sum of `amounts` over the sum of `seconds`."""
    amount = finite("amounts", amounts, ndim=1)
    time = finite("seconds", seconds, ndim=1)
    if amount.size == 0:
        return Measure.undefined("no responses")
    if time.sum() == 0:
        return Measure.undefined("the total response time is 0")
    return Measure(float(amount.sum() / time.sum()))


TIME_EXPONENT = 1.0
MEMORY_EXPONENT = 0.5


def quality_per_resource(quality_pct: float | None, mean_time_s: float | None, memory_gb: float | None) -> Measure:
    """Return QPR = quality / (T^1.0 * M^0.5), in percent per second per square root of a gigabyte; higher is better.

    quality_pct: mean quality, 0..100. mean_time_s: T, mean response time in seconds. memory_gb: M, memory in GB.
    Undefined if one of them is missing, or if time or memory is not a positive number. A model of unknown size has no
    QPR; it is not 0.
    Source: nullbench methodology, Extended Metrics (quality_per_resource_qpr).
    """
    if quality_pct is None or not isfinite(quality_pct):
        return Measure.undefined("the quality is unknown")
    if mean_time_s is None:
        return Measure.undefined("the mean response time is unknown")
    if memory_gb is None:
        return Measure.undefined("the memory size is unknown")
    for name, amount in (("mean response time", mean_time_s), ("memory size", memory_gb)):
        if not (isfinite(amount) and amount > 0):
            return Measure.undefined(f"the {name} is not a positive number")
    return Measure(quality_pct / (mean_time_s**TIME_EXPONENT * memory_gb**MEMORY_EXPONENT))


def qpr_pct(qprs: Mapping[str, float | None]) -> dict[str, Measure]:
    """Return QPR on the scale of its own table: 0 for the lowest, 100 for the highest; higher is better.

    qprs: model -> QPR, None if undefined; keys and order are kept. Undefined if the QPR is, and for the whole table if
    all its QPRs are equal (also if there is only one): 0/0 is not 0. Not comparable across tables.
    Source: nullbench methodology, Extended Metrics (qpr_pct), 100 (QPR - min) / (max - min).
    """
    present = [qpr for qpr in qprs.values() if qpr is not None]
    low, high = min(present, default=0.0), max(present, default=0.0)

    def scaled(qpr: float | None) -> Measure:
        if qpr is None:
            return Measure.undefined("the QPR is absent")
        if low == high:
            return Measure.undefined("all QPRs are equal")
        return Measure(100 * ((qpr - low) / (high - low)))

    return {model: scaled(qpr) for model, qpr in qprs.items()}

"""Quality for what it costs: per second of waiting and per gigabyte of memory."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from nullbench_site.stats.measure import Measure

TIME_EXPONENT = 1.0
MEMORY_EXPONENT = 0.5


def quality_per_resource(quality_pct: float | None, mean_time_s: float | None, memory_gb: float | None) -> Measure:
    """QPR = quality / (T^1.0 * M^0.5), in percent per second per square root of a gigabyte; higher is better.

    quality_pct: mean quality, 0..100. mean_time_s: T, mean response time in seconds. memory_gb: M, memory in
    GB.
    Absent, with the reason, when any is missing or when time or memory is not a positive number: a model of
    unknown size has no QPR, least of all 0.
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
    """QPR on the scale of its own table: 0 for the lowest, 100 for the highest; higher is better.

    qprs: model -> QPR, None where it is absent; keys and order are kept. Absent where the QPR is absent, and
    for the whole table when all its QPRs are equal (also when there is one only): 0/0 is not 0. Not
    comparable across tables.
    ValueError for a NaN or an infinity.
    Source: nullbench methodology, Extended Metrics (qpr_pct), 100 (QPR - min) / (max - min).
    """
    present = [qpr for qpr in qprs.values() if qpr is not None]
    if not all(isfinite(qpr) for qpr in present):
        raise ValueError("a QPR is a finite number or None")
    low, high = min(present, default=0.0), max(present, default=0.0)

    def scaled(qpr: float | None) -> Measure:
        if qpr is None:
            return Measure.undefined("the QPR is absent")
        if low == high:
            return Measure.undefined("all QPRs are equal")
        return Measure(100 * ((qpr - low) / (high - low)))

    return {model: scaled(qpr) for model, qpr in qprs.items()}

"""How fast and how steadily a contestant answered."""

from __future__ import annotations

import msgspec
import numpy as np

from nullbench_site.scoring.records import Responses
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.telemetry import percentile, stability_score, throughput_runes_per_s, tokens_per_s


class Telemetry(msgspec.Struct, kw_only=True):
    """The columns of a BoardRow that come from times and lengths, over answered responses; `absent` says why none."""

    stability: float | None
    throughput_rps: float | None
    throughput_tps: float | None
    tokens_exact: bool
    median_response_time_ms: float | None
    p95_response_time_ms: float | None
    max_response_time_ms: float | None
    median_response_length: float | None
    absent: dict[str, str]


def telemetry(responses: Responses) -> Telemetry:
    """The telemetry of one contestant. Tokens are exact if the endpoint counted those of every answer."""
    chosen = responses.answered
    seconds, runes, tokens = responses.seconds[chosen], responses.runes[chosen].tolist(), responses.tokens[chosen]
    exact = bool(chosen.any() and not np.isnan(tokens).any())
    measures: dict[str, Measure] = {
        "stability": stability_score(seconds),
        "throughput_rps": throughput_runes_per_s(runes, seconds.tolist()),
        "throughput_tps": tokens_per_s(runes, seconds.tolist(), tokens.tolist() if exact else None),
    }
    values = {name: measure.value for name, measure in measures.items()}
    return Telemetry(
        stability=values["stability"],
        throughput_rps=values["throughput_rps"],
        throughput_tps=values["throughput_tps"],
        tokens_exact=exact,
        median_response_time_ms=percentile(1000 * seconds, 50),
        p95_response_time_ms=percentile(1000 * seconds, 95),
        max_response_time_ms=percentile(1000 * seconds, 100),
        median_response_length=percentile(runes, 50),
        absent={name: measure.reason for name, measure in measures.items() if measure.reason},
    )

"""How a contestant answered: how fast, how steadily, whether to the end, and under which name."""

from __future__ import annotations

from typing import Any

import numpy as np

from nullbench_site.scoring.observations import ENDS, Observations
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.telemetry import percentile, stability, throughput_runes_per_s, tokens_per_s

UNTIMED = "answers came without the time they took"
NO_TEXTS = "the texts are not in the data"


def telemetry(observations: Observations) -> dict[str, Any]:
    """The columns of a board's row that come from answered responses alone; `absent` says why some are None.

    Tokens are exact if the endpoint counted those of every answer. served_by: the models that answered in place of the
    one asked -> how many answers.
    """
    chosen = observations.answered
    seconds, runes, tokens = (
        observations.seconds[chosen],
        observations.runes[chosen].tolist(),
        observations.tokens[chosen],
    )
    exact = bool(chosen.any() and not np.isnan(tokens).any())
    timed = not np.isnan(seconds).any()  # a part of the times would be those of a part of the answers
    seconds = seconds if timed else seconds[:0]
    untimed = Measure.undefined(UNTIMED)
    measures: dict[str, Measure] = {
        "throughput_rps": throughput_runes_per_s(runes, seconds.tolist()) if timed else untimed,
        "throughput_tps": tokens_per_s(runes, seconds.tolist(), tokens.tolist() if exact else None)
        if timed
        else untimed,
    }
    # A clock tells no more, and with more digits each new answer would publish every contestant's anew.
    values = {name: None if rate.value is None else float(f"{rate.value:.4g}") for name, rate in measures.items()}
    steady = stability(seconds) if timed else UNTIMED
    absent = {name: measure.reason for name, measure in measures.items() if measure.reason}
    if isinstance(steady, str):
        absent["stability"] = steady
    if not timed and runes and not any(runes):  # whoever brings verdicts alone has no texts to measure
        runes, absent["median_response_length"] = [], NO_TEXTS
    ends = np.bincount(observations.ended[chosen], minlength=len(ENDS)).tolist()
    served = np.bincount(observations.served[chosen], minlength=len(observations.servers)).tolist()
    return dict(
        stability=None if isinstance(steady, str) else steady.score,
        stability_tail=None if isinstance(steady, str) else steady.tail,
        stability_extremes=None if isinstance(steady, str) else steady.extremes,
        stability_jitter=None if isinstance(steady, str) else steady.jitter,
        throughput_rps=values["throughput_rps"],
        throughput_tps=values["throughput_tps"],
        tokens_exact=exact,
        median_response_time_ms=percentile(1000 * seconds, 50),
        p95_response_time_ms=percentile(1000 * seconds, 95),
        max_response_time_ms=percentile(1000 * seconds, 100),
        median_response_length=percentile(runes, 50),
        **{f"ended_{end}": n for end, n in zip(ENDS, ends, strict=True) if end != "stop"},
        served_by={name: n for name, n in sorted(zip(observations.servers[1:], served[1:], strict=True)) if name and n},
        absent=absent,
    )

"""Whether two runs of the same specs arrive at the same scores. Times, and what is made of them, may differ."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

import msgspec

from nullbench_site.scoring.results import Results

_OF_TIMES = frozenset(
    {
        "run",
        "stability",
        "throughput_rps",
        "throughput_tps",
        "median_response_time_ms",
        "p95_response_time_ms",
        "max_response_time_ms",
        "absent",
    }
)
"""Fields of all results that depend on how fast the calls were answered; `absent` gives reasons for such fields."""


def score_differences(one: Results, other: Results) -> list[str]:
    """A line for each score in which the two differ; none if the board was reproduced."""
    of_times = _OF_TIMES.union(one.OF_TIMES)
    return list(_differences(one.board, msgspec.to_builtins(one), msgspec.to_builtins(other), of_times))


def _differences(place: str, one: Any, other: Any, of_times: Set[str]) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other} - of_times):
            yield from _differences(f"{place}.{key}", one.get(key), other.get(key), of_times)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            name = a.get("model") or a.get("id") or number if isinstance(a, dict) else number
            yield from _differences(f"{place}[{name}]", a, b, of_times)
    elif one != other:
        yield f"{place}: {one!r} and {other!r}"

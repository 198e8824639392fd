"""Figures as events: JSON objects, one a line, for programs that follow a build.

stage    stage: what begins.
plan     planned: the number of calls.
progress seconds since calls began, calls, seconds_left, and how each endpoint does; at each quarter of the calls, and
         every ten seconds where requests are put to endpoints.
note     text.
summary  the last figures of the endpoints, the ids of the slowest and the most failing; where requests were put to any.

A figure that is not known is null. Money is in US dollars.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nullbench_site.cli.watching.figures import Endpoint, Figures


def event(name: str, **fields: Any) -> str:
    """The line of an event. It is ASCII, whatever texts it holds."""
    return json.dumps({"event": name, **fields})


class Events:
    """A Voice for programs."""

    def stage(self, stage: str) -> Iterator[str]:
        yield event("stage", stage=stage)

    def plan(self, planned: int) -> Iterator[str]:
        yield event("plan", planned=planned)

    def quarter(self, figures: Figures, now: float) -> Iterator[str]:
        yield event(
            "progress",
            seconds=_rounded(figures.seconds(now)),
            calls=_calls(figures),
            seconds_left=_rounded(figures.seconds_left),
            endpoints=[_running(endpoint) for endpoint in figures.endpoints],
        )

    def endpoints(self, figures: Figures, now: float) -> Iterator[str]:
        return self.quarter(figures, now)

    def note(self, note: str) -> Iterator[str]:
        yield event("note", text=note)

    def summary(self, figures: Figures, now: float) -> Iterator[str]:
        if figures.used:
            slowest, failing = figures.slowest, figures.most_failing
            yield event(
                "summary",
                seconds=_rounded(figures.seconds(now)),
                calls=_calls(figures),
                endpoints=[_ended(endpoint) for endpoint in figures.used],
                slowest=slowest.meter.endpoint if slowest else None,
                most_failing=failing.meter.endpoint if failing else None,
            )


def _calls(figures: Figures) -> dict[str, Any]:
    return {"planned": figures.planned, **figures.counts}


def _running(endpoint: Endpoint) -> dict[str, Any]:
    return {
        **_counted(endpoint),
        "in_flight": endpoint.meter.in_flight,
        "calls_per_second": _rounded(endpoint.pace.per_second),
        "seconds_left": None if endpoint.standing else _rounded(endpoint.seconds_left),
    }


def _ended(endpoint: Endpoint) -> dict[str, Any]:
    return {
        **_counted(endpoint),
        "mean_seconds": _rounded(endpoint.mean_seconds),
        "slowest_seconds": _rounded(endpoint.meter.slowest) if endpoint.meter.made else None,
    }


def _counted(endpoint: Endpoint) -> dict[str, Any]:
    meter = endpoint.meter
    return {
        "endpoint": meter.endpoint,
        "expected": meter.expected,
        "made": meter.made,
        "reused": meter.reused,
        "failed": meter.failed,
        "invalid": meter.invalid,
        "retries": meter.retries,
        "rate_limited": meter.rate_limited,
        "spent_usd": None if meter.spent_usd is None else round(meter.spent_usd, 9),
        "stopped": meter.stopped,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)

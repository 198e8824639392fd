"""How far a build is, on stderr: a live view on a terminal, lines elsewhere and with NO_COLOR, events with --json."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from nullbench_site.cli.app import say
from nullbench_site.cli.pace import Endpoint, Figures, line, outcomes, summary
from nullbench_site.evaluation.meters import CallOutcome, Meter, Progress
from nullbench_site.text import escaped

_NO_CURSOR = frozenset({"dumb", "unknown"})
"""Values of TERM of terminals that cannot draw over what they have drawn."""
_QUARTER = 0.25
"""Share of the calls after which a line is written; a log of CI wants few."""
_SECONDS = 10.0
"""Between lines about endpoints, which may take hours for a quarter."""


@contextmanager
def build_progress(*, as_json: bool = False) -> Iterator[Progress]:
    """What shows the stages and calls of a build while the block runs, and sums up at its end."""
    can_draw = not os.environ.get("NO_COLOR") and os.environ.get("TERM", "").lower() not in _NO_CURSOR
    if not as_json and sys.stderr.isatty() and can_draw:
        from rich.console import Console

        from nullbench_site.cli.live import live_view

        with live_view(Console(stderr=True)) as progress:
            yield progress
        return
    log = Events(say) if as_json else Log(say)
    try:
        yield log.progress
    finally:
        log.end()


class Log:
    """Follows one build in lines for people: at every stage, at each quarter of its calls, and now and then between.

    write: puts one line out; it is called from two threads. Times are monotonic seconds.
    """

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._figures = Figures()
        self._step = 1
        self._ticker = Ticker(_SECONDS, self.tick)
        self._over: set[str] = set()
        """Endpoints from which nothing more is to come, and whose last line is written."""

    def stage(self, stage: str) -> Iterator[str]:
        yield f"{stage} ..."

    def plan(self, planned: int) -> Iterator[str]:
        yield f"  {planned} calls planned"

    def quarter(self, figures: Figures, now: float) -> Iterator[str]:
        yield f"  {figures.done} of {figures.planned}: {outcomes(figures)}"

    def endpoints(self, figures: Figures, now: float) -> Iterator[str]:
        for endpoint in figures.endpoints:
            name = endpoint.meter.endpoint
            if name not in self._over:
                yield line(endpoint)
            if endpoint.idle:
                self._over.add(name)

    def note(self, note: str) -> Iterator[str]:
        yield escaped(note)

    def summary(self, figures: Figures, now: float) -> Iterator[str]:
        return summary(figures, now)

    @property
    def progress(self) -> Progress:
        return Progress(self._on_stage, self._on_plan, self._on_meters, self._on_call, self._on_note)

    def tick(self) -> None:
        """Write how the endpoints do now."""
        now = self._clock()
        self._figures.look(now)
        self._put(self.endpoints(self._figures, now))

    def end(self) -> None:
        """Write the summary; the build is over, in whatever way."""
        self._stop_calling()
        self._put(self.summary(self._figures, self._clock()))

    def _on_stage(self, stage: str) -> None:
        self._stop_calling()
        self._put(self.stage(stage))

    def _on_plan(self, planned: int) -> None:
        self._figures.planned = planned
        self._step = max(1, int(planned * _QUARTER))
        self._put(self.plan(planned))

    def _on_meters(self, meters: Collection[Meter]) -> None:
        self._figures.begin(meters, self._clock())
        if self._figures.endpoints:
            self._ticker.start()

    def _on_call(self, outcome: CallOutcome) -> None:
        figures = self._figures
        figures.count(outcome)
        if figures.done % self._step == 0 or figures.done == figures.planned:
            now = self._clock()
            figures.look(now)
            self._put(self.quarter(figures, now))

    def _on_note(self, note: str) -> None:
        self._put(self.note(note))

    def _stop_calling(self) -> None:
        self._ticker.stop()
        self._figures.end(self._clock())

    def _put(self, lines: Iterable[str]) -> None:
        for each in lines:
            self._write(each)


class Events(Log):
    """The same for programs that follow a build: JSON objects, one a line.

    stage    stage: what begins.
    plan     planned: the number of calls.
    progress seconds since calls began, calls, seconds_left, and how each endpoint does; at each quarter of the calls,
             and every ten seconds where requests are put to endpoints.
    note     text.
    summary  the last figures of the endpoints, the ids of the slowest and the most failing; where requests were put to
             any.

    A figure that is not known is null. Money is in US dollars.
    """

    def stage(self, stage: str) -> Iterator[str]:
        yield _event("stage", stage=stage)

    def plan(self, planned: int) -> Iterator[str]:
        yield _event("plan", planned=planned)

    def quarter(self, figures: Figures, now: float) -> Iterator[str]:
        left, endpoints = _rounded(figures.seconds_left), [_running(endpoint) for endpoint in figures.endpoints]
        yield _event("progress", **_calls(figures, now), seconds_left=left, endpoints=endpoints)

    def endpoints(self, figures: Figures, now: float) -> Iterator[str]:
        return self.quarter(figures, now)

    def note(self, note: str) -> Iterator[str]:
        yield _event("note", text=note)

    def summary(self, figures: Figures, now: float) -> Iterator[str]:
        if figures.used:
            slowest, failing = figures.slowest, figures.most_failing
            yield _event(
                "summary",
                **_calls(figures, now),
                endpoints=[_ended(endpoint) for endpoint in figures.used],
                slowest=slowest.meter.endpoint if slowest else None,
                most_failing=failing.meter.endpoint if failing else None,
            )


def _event(name: str, **fields: Any) -> str:
    """The line of an event. It is ASCII, whatever texts it holds."""
    return json.dumps({"event": name, **fields})


def _calls(figures: Figures, now: float) -> dict[str, Any]:
    return {"seconds": _rounded(figures.seconds(now)), "calls": {"planned": figures.planned, **figures.counts}}


def _running(endpoint: Endpoint) -> dict[str, Any]:
    return {
        **_counted(endpoint.meter),
        "in_flight": endpoint.meter.in_flight,
        "calls_per_second": _rounded(endpoint.pace.per_second),
        "calls_per_minute": _rounded(None if endpoint.pace.per_second is None else 60 * endpoint.pace.per_second),
        "seconds_since_answer": _rounded(endpoint.seconds_since_answer),
        "seconds_left": None if endpoint.standing else _rounded(endpoint.seconds_left),
    }


def _ended(endpoint: Endpoint) -> dict[str, Any]:
    return {
        **_counted(endpoint.meter),
        "mean_seconds": _rounded(endpoint.mean_seconds),
        "slowest_seconds": _rounded(endpoint.meter.slowest) if endpoint.meter.made else None,
    }


def _counted(meter: Meter) -> dict[str, Any]:
    counts = ("endpoint", "expected", "made", "reused", "failed", "invalid", "retries", "rate_limited", "uncounted")
    costs = {"spent_usd": meter.spent_usd, "uncounted_usd": meter.uncounted_usd}
    rounded = {name: None if cost is None else round(cost, 9) for name, cost in costs.items()}
    return {**{name: getattr(meter, name) for name in counts}, **rounded, "stopped": meter.stopped}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


class Ticker:
    """A thread that calls `tick` every `seconds` from `start` to `stop`, whatever the rest of the program waits for.

    Both may be called more than once.
    """

    def __init__(self, seconds: float, tick: Callable[[], None]) -> None:
        self._seconds = seconds
        self._tick = tick
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """After it there are no more ticks; one that has begun is waited for."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stopping.wait(self._seconds):
            self._tick()

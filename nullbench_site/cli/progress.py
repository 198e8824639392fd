"""Progress of a build on stderr: bars on a terminal, lines elsewhere and with NO_COLOR, events with --json."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nullbench_site.cli.app import say
from nullbench_site.cli.pace import Endpoint, Figures, duration, line, outcomes, state, summary
from nullbench_site.evaluation.meters import CallOutcome, Meter, Progress
from nullbench_site.text import escaped

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

_NO_CURSOR = frozenset({"dumb", "unknown"})
"""Values of TERM for terminals that cannot redraw a line."""
_QUARTER = 0.25
"""The share of the calls after which a line is written, because a CI log needs few."""


@contextmanager
def build_progress(*, as_json: bool = False) -> Iterator[Progress]:
    """Show the stages and calls of a build while the block runs, and a summary at its end."""
    can_draw = not os.environ.get("NO_COLOR") and os.environ.get("TERM", "").lower() not in _NO_CURSOR
    if as_json:
        log: Log = Events(say)
    elif sys.stderr.isatty() and can_draw:
        from rich.console import Console

        log = Bars(Console(stderr=True))
    else:
        log = Log(say)
    try:
        yield log.progress
    finally:
        log.end()


class Log:
    """Follow a build in lines: at every stage, at each quarter of its calls, and every ten seconds of calls.

    write: print a line; two threads call it. Times are monotonic seconds.
    """

    seconds = 10.0
    """Time between two ticks while calls are made."""
    for_programs = False
    """True to tick also while programs answer every call."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._figures = Figures()
        self._step = 1
        self._ticker = Ticker(self.seconds, self.tick)
        self._ended: set[str] = set()
        """Endpoints whose last line is written."""

    def stage(self, stage: str) -> Iterable[str]:
        yield f"{stage} ..."

    def plan(self, planned: int) -> Iterable[str]:
        yield f"  {planned} calls planned"

    def quarter(self, figures: Figures, now: float) -> Iterable[str]:
        yield f"  {figures.done} of {figures.planned}: {outcomes(figures)}"

    def endpoints(self, figures: Figures, now: float) -> Iterable[str]:
        for endpoint in figures.endpoints:
            name = endpoint.meter.endpoint
            if name not in self._ended:
                yield line(endpoint)
            if endpoint.ended:
                self._ended.add(name)

    def note(self, note: str) -> Iterable[str]:
        yield escaped(note)

    def summary(self, figures: Figures, now: float) -> Iterable[str]:
        return summary(figures, now)

    @property
    def progress(self) -> Progress:
        return Progress(self._on_stage, self._on_plan, self._on_meters, self._on_call, self._on_note)

    def tick(self) -> None:
        """Write the figures of the endpoints."""
        now = self._clock()
        self._figures.look(now)
        self._put(self.endpoints(self._figures, now))

    def end(self) -> None:
        """Write the summary, however the build ended."""
        self._stop_calling()
        self._put(self.summary(self._figures, self._clock()))

    def _on_stage(self, stage: str) -> None:
        self._stop_calling()
        self._put(self.stage(stage))

    def _on_plan(self, planned: int) -> None:
        self._figures.plan(planned)
        self._ended.clear()
        self._step = max(1, int(planned * _QUARTER))
        self._put(self.plan(planned))

    def _on_meters(self, meters: Collection[Meter]) -> None:
        self._figures.begin(meters, self._clock())
        if self._figures.endpoints or self.for_programs:
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


class Bars(Log):
    """Draw a bar for all calls and one for each endpoint. Notes and the summary are lines above and after them."""

    seconds = 0.25
    for_programs = True

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as View
        from rich.table import Column
        from rich.text import Text

        super().__init__(lambda text: console.print(Text(text), soft_wrap=True), clock)
        self._tasks: list[TaskID] = []
        self.view = View(
            TextColumn("{task.description}", markup=False),
            BarColumn(20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}", markup=False, table_column=Column()),
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,  # stdout is for programs and must not go to the console of stderr
        )
        self._all = self.view.add_task("Starting", total=None, state="")
        self.view.start()

    def stage(self, stage: str) -> Iterable[str]:
        for task in self._tasks:
            self.view.remove_task(task)
        self._tasks = []
        self.view.update(self._all, description=stage, completed=self._figures.done, state="", refresh=True)
        return ()

    def plan(self, planned: int) -> Iterable[str]:
        self.view.update(self._all, total=planned, refresh=True)
        return ()

    def quarter(self, figures: Figures, now: float) -> Iterable[str]:
        return ()

    def endpoints(self, figures: Figures, now: float) -> Iterable[str]:
        if not self._tasks:
            self._tasks = [self.view.add_task(escaped(each.meter.endpoint), state="") for each in figures.endpoints]
        self._draw(figures)
        return ()

    def end(self) -> None:
        self._stop_calling()
        self.view.stop()
        super().end()

    def _draw(self, figures: Figures) -> None:
        left = f", {duration(figures.seconds_left)} left" if figures.seconds_left else ""
        self.view.update(self._all, completed=figures.done, state=f"{outcomes(figures)}{left}")
        for task, endpoint in zip(self._tasks, figures.endpoints, strict=False):
            meter = endpoint.meter
            why = f"; {escaped(meter.stopped)}" if meter.stopped else ""
            self.view.update(task, completed=meter.done, total=meter.expected, state=f"{state(endpoint)}{why}")
        self.view.refresh()


class Events(Log):
    """Follow a build in JSON objects, one a line.

    stage    stage: the stage that begins.
    plan     planned: the number of calls.
    progress seconds since calls began, calls, seconds_left, and the figures of each endpoint; at each quarter of the
             calls, and every ten seconds while endpoints get requests.
    note     text.
    summary  the last figures of the endpoints, and the ids of the slowest and the most failing one, if any got a
             request.

    Unknown figures are null. Money is in US dollars.
    """

    def stage(self, stage: str) -> Iterable[str]:
        yield _event("stage", stage=stage)

    def plan(self, planned: int) -> Iterable[str]:
        yield _event("plan", planned=planned)

    def quarter(self, figures: Figures, now: float) -> Iterable[str]:
        left, endpoints = _rounded(figures.seconds_left), [_running(endpoint) for endpoint in figures.endpoints]
        yield _event("progress", **_calls(figures, now), seconds_left=left, endpoints=endpoints)

    def endpoints(self, figures: Figures, now: float) -> Iterable[str]:
        return self.quarter(figures, now)

    def note(self, note: str) -> Iterable[str]:
        yield _event("note", text=note)

    def summary(self, figures: Figures, now: float) -> Iterable[str]:
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
    """Return the ASCII line of an event."""
    return json.dumps({"event": name, **fields})


def _calls(figures: Figures, now: float) -> dict[str, Any]:
    return {"seconds": _rounded(figures.seconds(now)), "calls": {"planned": figures.planned, **figures.counts}}


def _running(endpoint: Endpoint) -> dict[str, Any]:
    per_second = endpoint.pace.per_second
    return {
        **_counted(endpoint.meter),
        "in_flight": endpoint.meter.in_flight,
        "calls_per_second": _rounded(per_second),
        "calls_per_minute": _rounded(None if per_second is None else 60 * per_second),
        "seconds_since_answer": _rounded(endpoint.seconds_since_answer),
        "seconds_left": None if endpoint.stopped else _rounded(endpoint.seconds_left),
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
    """A thread that calls `tick` every `seconds` between `start` and `stop`. Both may be called more than once."""

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
        """Stop, and wait for a tick that has begun."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stopping.wait(self._seconds):
            self._tick()

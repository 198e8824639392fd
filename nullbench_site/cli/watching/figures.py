"""The calls of a build and of its endpoints: how many there are, and how fast they go."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

from nullbench_site.evaluation.progress import Meter, Outcome

WINDOW = 10.0
"""Seconds that a rate looks back."""
_SHORTEST = 1.0
"""Seconds; over less, a rate is chance."""
_PROGRAMS = "offline"
"""The meter of programs: they answer at once, so there is nothing to watch."""


@dataclass
class Pace:
    """How fast calls went over the last WINDOW seconds, from counts noted now and then. Times are monotonic seconds."""

    _noted: deque[tuple[float, int, int]] = field(default_factory=deque)

    def note(self, now: float, done: int, asked: int) -> None:
        """done: calls that have their record; asked: those of them that were not known before."""
        self._noted.append((now, done, asked))
        # The oldest that is kept is as old as the window or older, so that rare notes give a rate too.
        while len(self._noted) > 2 and self._noted[1][0] <= now - WINDOW:
            self._noted.popleft()

    @property
    def per_second(self) -> float | None:
        """Calls asked in a second; None as long as it cannot be told."""
        return self._rate(2)

    def seconds_left(self, remaining: int) -> float | None:
        """How long so many more calls take at this pace; None where none was done in the window."""
        if remaining <= 0:
            return 0.0
        rate = self._rate(1)
        return remaining / rate if rate else None

    def _rate(self, column: int) -> float | None:
        if not self._noted:
            return None
        first, last = self._noted[0], self._noted[-1]
        seconds = last[0] - first[0]
        return (last[column] - first[column]) / seconds if seconds >= _SHORTEST else None


@dataclass
class Endpoint:
    """One endpoint that requests are put to."""

    meter: Meter
    pace: Pace = field(default_factory=Pace)

    def look(self, now: float) -> None:
        meter = self.meter
        self.pace.note(now, meter.done, meter.made + meter.failed)

    @property
    def seconds_left(self) -> float | None:
        return self.pace.seconds_left(self.meter.expected - self.meter.done)

    @property
    def standing(self) -> bool:
        """Whether it stopped and nothing is in flight: one model of it may stop while others go on."""
        return self.meter.stopped is not None and not self.meter.in_flight

    @property
    def idle(self) -> bool:
        """Whether nothing more is to come from it."""
        return self.standing or self.meter.done >= self.meter.expected

    @property
    def used(self) -> bool:
        """Whether a request was put to it, or would have been."""
        meter = self.meter
        return bool(meter.made or meter.failed or meter.in_flight or meter.retries or meter.stopped)

    @property
    def mean_seconds(self) -> float | None:
        """Of a call that was answered, its repair turn included."""
        return self.meter.seconds / self.meter.made if self.meter.made else None


@dataclass
class Figures:
    """All of a build. `count` runs for every call: it must stay tiny."""

    planned: int | None = None
    counts: dict[str, int] = field(default_factory=lambda: {"made": 0, "reused": 0, "failed": 0})
    done: int = 0
    endpoints: tuple[Endpoint, ...] = ()
    """Those that requests are put to over a network; none where programs answer everything."""
    calling: bool = False
    _pace: Pace = field(default_factory=Pace)
    _began: float = 0.0
    _ended: float = 0.0

    def count(self, outcome: Outcome) -> None:
        self.counts[outcome] += 1
        self.done += 1

    def begin(self, meters: Collection[Meter], now: float) -> None:
        """Calls are made from now on."""
        self.endpoints = tuple(Endpoint(meter) for meter in meters if meter.endpoint != _PROGRAMS)
        self.calling = True
        self._began = now
        self.look(now)

    def end(self, now: float) -> None:
        """No more calls are made; once is enough."""
        if self.calling:
            self.calling = False
            self._ended = now

    def look(self, now: float) -> None:
        """Take note of how far everything is; rates come from that."""
        self._pace.note(now, self.done, self.done - self.counts["reused"])
        for endpoint in self.endpoints:
            endpoint.look(now)

    def seconds(self, now: float) -> float:
        """For how long calls have been made."""
        return (now if self.calling else self._ended) - self._began

    @property
    def seconds_left(self) -> float | None:
        return None if self.planned is None else self._pace.seconds_left(self.planned - self.done)

    @property
    def used(self) -> list[Endpoint]:
        return [endpoint for endpoint in self.endpoints if endpoint.used]

    @property
    def slowest(self) -> Endpoint | None:
        """The endpoint whose calls took longest on average."""
        answered = [endpoint for endpoint in self.used if endpoint.meter.made]
        return max(answered, key=lambda endpoint: endpoint.mean_seconds or 0.0, default=None)

    @property
    def most_failing(self) -> Endpoint | None:
        """The endpoint that failed the largest part of its calls."""
        failing = [endpoint for endpoint in self.used if endpoint.meter.failed]
        return max(failing, key=lambda e: e.meter.failed / (e.meter.failed + e.meter.made), default=None)

"""Figures of a running build and of its endpoints: counts, rates, time left, cost, and their texts."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator

import msgspec

from nullbench_site.evaluation.meters import CallOutcome, Meter
from nullbench_site.specs.types import PROGRAMS, RECORDED
from nullbench_site.text import escaped, plural, usd

WINDOW = 300.0
"""Seconds over which a rate is measured: long enough for a model that answers once a minute."""


class Pace(msgspec.Struct):
    """The rate of new calls over the last WINDOW seconds. Times are monotonic seconds."""

    _notes: deque[tuple[float, int]] = msgspec.field(default_factory=deque)

    def note(self, now: float, calls: int) -> None:
        """Record how many new calls have ended by `now`. Reused answers do not count: they take no time."""
        self._notes.append((now, calls))
        while len(self._notes) > 2 and self._notes[1][0] <= now - WINDOW:
            self._notes.popleft()

    @property
    def per_second(self) -> float | None:
        """Return the new calls per second; None in the first second, or if no call ended in the window."""
        if not self._notes:
            return None
        (began, before), (now, calls) = self._notes[0], self._notes[-1]
        return (calls - before) / (now - began) if calls > before and now - began >= 1 else None

    def seconds_left(self, remaining: int) -> float | None:
        """Return the time for the remaining calls at this rate; None without a rate."""
        if remaining <= 0:
            return 0.0
        rate = self.per_second
        return remaining / rate if rate else None


class Endpoint(msgspec.Struct):
    """One endpoint that gets requests."""

    meter: Meter
    pace: Pace = msgspec.field(default_factory=Pace)
    seconds_since_answer: float | None = None

    def look(self, now: float) -> None:
        meter = self.meter
        if meter.answered_at is not None:
            self.seconds_since_answer = max(0.0, now - meter.answered_at)
        self.pace.note(now, meter.made + meter.failed)

    @property
    def seconds_left(self) -> float | None:
        return self.pace.seconds_left(self.meter.expected - self.meter.done)

    @property
    def stopped(self) -> bool:
        """Return True if it stopped and no request is in flight. One of its models may stop while others continue."""
        return self.meter.stopped is not None and not self.meter.in_flight

    @property
    def ended(self) -> bool:
        """Return True if no more answers will come from it."""
        return self.stopped or self.meter.done >= self.meter.expected

    @property
    def used(self) -> bool:
        """Return True if it got a request, or stopped before the first one."""
        meter = self.meter
        return bool(meter.made or meter.failed or meter.in_flight or meter.retries or meter.stopped)

    @property
    def mean_seconds(self) -> float | None:
        """Return the mean duration of an answered call, with its repair turn."""
        return self.meter.seconds / self.meter.made if self.meter.made else None


class Figures(msgspec.Struct):
    """All figures of a build. `count` runs for every call, so it stays small.

    endpoints: those that get requests over a network. calling: True while calls are made.
    """

    planned: int | None = None
    counts: dict[str, int] = msgspec.field(default_factory=lambda: {"made": 0, "reused": 0, "failed": 0})
    done: int = 0
    endpoints: tuple[Endpoint, ...] = ()
    calling: bool = False
    _pace: Pace = msgspec.field(default_factory=Pace)
    _began: float = 0.0
    _ended: float = 0.0

    def plan(self, planned: int) -> None:
        """Begin to count the calls of a plan. A build by looks has several; calls of earlier ones are reused then."""
        self.planned, self.done, self._pace = planned, 0, Pace()
        self.counts = {"made": 0, "reused": 0, "failed": 0}

    def count(self, outcome: CallOutcome) -> None:
        self.counts[outcome] += 1
        self.done += 1

    def begin(self, meters: Collection[Meter], now: float) -> None:
        """Start the clock of the calls."""
        self.endpoints = tuple(Endpoint(meter) for meter in meters if meter.endpoint not in (PROGRAMS, RECORDED))
        self.calling = True
        self._began = now
        self.look(now)

    def end(self, now: float) -> None:
        """Stop the clock of the calls; a second call changes nothing."""
        if self.calling:
            self.calling = False
            self._ended = now

    def look(self, now: float) -> None:
        """Note the current counts, from which rates follow."""
        self._pace.note(now, self.done - self.counts["reused"])
        for endpoint in self.endpoints:
            endpoint.look(now)

    def seconds(self, now: float) -> float:
        """Return the seconds since calls began."""
        return (now if self.calling else self._ended) - self._began

    @property
    def seconds_left(self) -> float | None:
        return None if self.planned is None else self._pace.seconds_left(self.planned - self.done)

    @property
    def used(self) -> list[Endpoint]:
        return [endpoint for endpoint in self.endpoints if endpoint.used]

    @property
    def slowest(self) -> Endpoint | None:
        """Return the endpoint with the longest mean duration of a call."""
        answered = [endpoint for endpoint in self.used if endpoint.meter.made]
        return max(answered, key=lambda endpoint: endpoint.mean_seconds or 0.0, default=None)

    @property
    def most_failing(self) -> Endpoint | None:
        """Return the endpoint with the largest share of failed calls."""
        failing = [endpoint for endpoint in self.used if endpoint.meter.failed]
        return max(failing, key=lambda e: e.meter.failed / (e.meter.failed + e.meter.made), default=None)


def duration(seconds: float) -> str:
    """Return `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    whole = round(seconds)
    for size, unit, smaller, small in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit} {rest} {small}" if rest else f"{whole // size} {unit}"
    return f"{whole} s"


def outcomes(figures: Figures) -> str:
    """Return how the calls ended so far, and the age of the last answer."""
    counts = figures.counts
    ages = [each.seconds_since_answer for each in figures.endpoints if each.seconds_since_answer is not None]
    return f"{counts['made']} made, {counts['reused']} reused, {counts['failed']} failed{_age(min(ages, default=None))}"


def state(endpoint: Endpoint) -> str:
    """Return the figures of an endpoint, without those that are zero or unknown."""
    meter, left, per_second = endpoint.meter, endpoint.seconds_left, endpoint.pace.per_second
    parts = [] if per_second is None else [_rate(per_second)]
    parts += [f"{meter.in_flight} in flight{_age(endpoint.seconds_since_answer)}", *_troubles(meter), *_spending(meter)]
    if endpoint.stopped:
        parts.append(_stopped(meter))
    elif left:
        parts.append(f"{duration(left)} left")
    return ", ".join(parts)


def line(endpoint: Endpoint) -> str:
    """Return the figures of an endpoint as a line of a log."""
    meter = endpoint.meter
    return f"  {escaped(meter.endpoint)}: {meter.done} of {meter.expected}, {state(endpoint)}"


def summary(figures: Figures, now: float) -> Iterator[str]:
    """Yield a summary of each endpoint after the build; nothing if none got a request."""
    used = figures.used
    if not used:
        return
    yield f"Endpoints, in {duration(figures.seconds(now))}:"
    for endpoint in used:
        meter, mean = endpoint.meter, endpoint.mean_seconds
        made = f"{plural(meter.made, 'call')} made"
        parts = [f"{made} in {meter.requests} requests" if meter.requests > meter.made else made]
        if mean:  # answers of batches have no time
            parts.append(f"{mean:.2f} s on average, {meter.slowest:.2f} s the longest")
        parts += [*_troubles(meter), *_spending(meter)]
        if meter.stopped is not None:
            parts.append(_stopped(meter))
        yield f"  {escaped(meter.endpoint)}: {', '.join(parts)}"
    if len(used) == 1:
        return
    slowest, failing = figures.slowest, figures.most_failing
    if slowest is not None:
        yield f"Slowest: {escaped(slowest.meter.endpoint)}, {slowest.mean_seconds:.2f} s a call"
    if failing is not None:
        failed = failing.meter.failed
        yield f"Most failing: {escaped(failing.meter.endpoint)}, {failed} of {failed + failing.meter.made} calls"


def _rate(per_second: float) -> str:
    """Return `12.3 calls/s`; below one per second, `4.5 calls/min`."""
    number, unit = (per_second, "s") if per_second >= 1 else (60 * per_second, "min")
    return f"{number:.1f} calls/{unit}" if number < 100 else f"{number:.0f} calls/{unit}"


def _age(seconds: float | None) -> str:
    return "" if seconds is None else f", last answer {duration(seconds)} ago"


def _stopped(meter: Meter) -> str:
    return f"{plural(meter.models_stopped, 'model')} stopped" if meter.models_stopped else "stopped"


def _troubles(meter: Meter) -> list[str]:
    counted = (
        (meter.retries, "retries" if meter.retries > 1 else "retry"),
        (meter.rate_limited, "times 429" if meter.rate_limited > 1 else "time 429"),
        (meter.invalid, "invalid"),
        (meter.failed, "failed"),
    )
    return [f"{count} {name}" for count, name in counted if count]


def _spending(meter: Meter) -> list[str]:
    """Return the cost: nothing before the first answer; unknown without a price or a count of tokens."""
    parts = []
    if meter.spent_usd is not None:
        parts.append(f"{usd(meter.spent_usd)} USD")
    elif meter.made:
        parts.append("cost unknown")
    if meter.uncounted:
        most = "unknown cost" if meter.uncounted_usd is None else f"at most {usd(meter.uncounted_usd)} USD"
        parts.append(f"{plural(meter.uncounted, 'attempt')} without a count of tokens ({most})")
    return parts

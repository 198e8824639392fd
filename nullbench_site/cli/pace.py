"""The calls of a build and of its endpoints: how many there are, how fast they go, and both in words."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator

import msgspec

from nullbench_site.evaluation.meters import CallOutcome, Meter
from nullbench_site.specs.types import PROGRAMS, RECORDED
from nullbench_site.text import escaped, plural, usd

WINDOW = 10.0
"""Seconds that a rate looks back."""
_SHORTEST = 1.0
"""Seconds; over less, a rate is chance."""
_FEWEST = 5
"""Calls. Where fewer end in a window, a rate looks back over as many."""

UNKNOWN = "—"
HEADER = ("endpoint", "done", "rate", "in\nflight", "retries", "429s", "invalid", "failed", "USD", "left")


class Pace(msgspec.Struct):
    """How fast calls went over the last WINDOW seconds, or the last _FEWEST calls where these took longer, from counts
    noted now and then. Times are monotonic seconds.
    """

    _noted: deque[tuple[float, int, int]] = msgspec.field(default_factory=deque)
    _grown: deque[tuple[float, int, int]] = msgspec.field(default_factory=lambda: deque(maxlen=_FEWEST + 1))
    """The last notes with more asked calls than the note before."""

    def note(self, now: float, done: int, asked: int) -> None:
        """done: calls that have their record; asked: those of them that were not known before."""
        self._noted.append((now, done, asked))
        if not self._grown or asked > self._grown[-1][2]:
            self._grown.append((now, done, asked))
        # The oldest that is kept is as old as the window or older, so that rare notes give a rate too.
        while len(self._noted) > 2 and self._noted[1][0] <= now - WINDOW:
            self._noted.popleft()

    @property
    def per_second(self) -> float | None:
        """Calls asked in a second; None as long as it cannot be told."""
        return self._rate(2)

    def seconds_left(self, remaining: int) -> float | None:
        """How long so many more calls take at this pace; None as long as it cannot be told."""
        if remaining <= 0:
            return 0.0
        rate = self._rate(1)
        return remaining / rate if rate else None

    def _rate(self, column: int) -> float | None:
        if not self._noted:
            return None
        first, last = self._noted[0], self._noted[-1]
        if last[column] - first[column] < _FEWEST:
            column, first = 2, self._grown[0]
        seconds, calls = last[0] - first[0], last[column] - first[column]
        return calls / seconds if calls and seconds >= _SHORTEST else None


class Endpoint(msgspec.Struct):
    """One endpoint that requests are put to."""

    meter: Meter
    pace: Pace = msgspec.field(default_factory=Pace)
    seconds_since_answer: float | None = None
    """When it was last looked at; None before the first answer."""

    def look(self, now: float) -> None:
        meter = self.meter
        if meter.answered_at is not None:
            self.seconds_since_answer = max(0.0, now - meter.answered_at)
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


class Figures(msgspec.Struct):
    """All of a build. `count` runs for every call: it must stay tiny."""

    planned: int | None = None
    counts: dict[str, int] = msgspec.field(default_factory=lambda: {"made": 0, "reused": 0, "failed": 0})
    done: int = 0
    endpoints: tuple[Endpoint, ...] = ()
    """Those that requests are put to over a network; none where programs answer everything."""
    calling: bool = False
    _pace: Pace = msgspec.field(default_factory=Pace)
    _began: float = 0.0
    _ended: float = 0.0

    def count(self, outcome: CallOutcome) -> None:
        self.counts[outcome] += 1
        self.done += 1

    def begin(self, meters: Collection[Meter], now: float) -> None:
        """Calls are made from now on."""
        self.endpoints = tuple(Endpoint(meter) for meter in meters if meter.endpoint not in (PROGRAMS, RECORDED))
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


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    whole = round(seconds)
    for size, unit, smaller, small in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit} {rest} {small}" if rest else f"{whole // size} {unit}"
    return f"{whole} s"


def rate(per_second: float, calls: str = "") -> str:
    """`12.3/s`, `250/s`; below one a second, `4.5/min`. calls: what stands before the slash."""
    number, unit = (per_second, "s") if per_second >= 1 else (60 * per_second, "min")
    return f"{number:.1f}{calls}/{unit}" if number < 100 else f"{number:.0f}{calls}/{unit}"


def outcomes(figures: Figures) -> str:
    """How the calls of the build ended so far, and when the last answer of an endpoint came."""
    counts = figures.counts
    ages = [each.seconds_since_answer for each in figures.endpoints if each.seconds_since_answer is not None]
    return f"{counts['made']} made, {counts['reused']} reused, {counts['failed']} failed{_age(min(ages, default=None))}"


def _age(seconds: float | None) -> str:
    return "" if seconds is None else f", last answer {duration(seconds)} ago"


def clock(seconds: float) -> str:
    """`0:45`, `3:20`, `2:05:00`: where there is little room."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def cells(endpoint: Endpoint) -> tuple[str, ...]:
    """A row below HEADER."""
    meter, left = endpoint.meter, endpoint.seconds_left
    per_second = endpoint.pace.per_second
    return (
        escaped(meter.endpoint),
        f"{meter.done}/{meter.expected}",
        UNKNOWN if per_second is None else rate(per_second),
        str(meter.in_flight),
        str(meter.retries),
        str(meter.rate_limited),
        str(meter.invalid),
        str(meter.failed),
        _spend(meter) or UNKNOWN,
        "stopped" if endpoint.standing else UNKNOWN if left is None else clock(left),
    )


def line(endpoint: Endpoint) -> str:
    """The same as a line of a log; what is zero or not known is left out of it."""
    meter, left, per_second = endpoint.meter, endpoint.seconds_left, endpoint.pace.per_second
    parts = [f"{meter.done} of {meter.expected}"]
    if per_second is not None:
        parts.append(rate(per_second, " calls"))
    parts += [f"{meter.in_flight} in flight{_age(endpoint.seconds_since_answer)}", *_troubles(meter), *_spending(meter)]
    if endpoint.standing:
        parts.append(_stopped(meter))
    elif left:
        parts.append(f"{duration(left)} left")
    return f"  {escaped(meter.endpoint)}: {', '.join(parts)}"


def _stopped(meter: Meter) -> str:
    return f"{plural(meter.models_stopped, 'model')} stopped" if meter.models_stopped else "stopped"


def summary(figures: Figures, now: float) -> Iterator[str]:
    """What the endpoints did in the build, once it is over; nothing where no request was put to any."""
    used = figures.used
    if not used:
        return
    yield f"Endpoints, in {duration(figures.seconds(now))}:"
    for endpoint in used:
        meter, mean = endpoint.meter, endpoint.mean_seconds
        made = f"{meter.made} {'call' if meter.made == 1 else 'calls'} made"
        parts = [f"{made} in {meter.requests} requests" if meter.requests > meter.made else made]
        if mean is not None:
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


def _troubles(meter: Meter) -> list[str]:
    counted = (
        (meter.retries, "retries" if meter.retries > 1 else "retry"),
        (meter.rate_limited, "times 429" if meter.rate_limited > 1 else "time 429"),
        (meter.invalid, "invalid"),
        (meter.failed, "failed"),
    )
    return [f"{count} {name}" for count, name in counted if count]


def _spending(meter: Meter) -> list[str]:
    spent = _spend(meter)
    told = [] if spent is None else [f"cost {spent}" if meter.spent_usd is None else f"{spent} USD"]
    if meter.uncounted:
        most = "unknown cost" if meter.uncounted_usd is None else f"at most {usd(meter.uncounted_usd)} USD"
        told.append(f"{plural(meter.uncounted, 'attempt')} without a count of tokens ({most})")
    return told


def _spend(meter: Meter) -> str | None:
    """None as long as nothing was answered; unknown where there is no price, or no count of tokens."""
    if meter.spent_usd is not None:
        return usd(meter.spent_usd)
    return "unknown" if meter.made else None

"""Figures in words, for the live view and for lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from nullbench_site.cli.watching.figures import Endpoint, Figures
from nullbench_site.evaluation.progress import Meter

UNKNOWN = "—"
_OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that a terminal or a log acts on instead of showing them."""


def plain(text: str) -> str:
    """Text from elsewhere on one line, with what a terminal would act on as an escape."""
    return "".join(
        letter.encode("unicode_escape").decode() if unicodedata.category(letter) in _OBEYED else letter
        for letter in text
    )


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    whole = round(seconds)
    for size, unit, smaller, small in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // smaller
            return f"{whole // size} {unit} {rest} {small}" if rest else f"{whole // size} {unit}"
    return f"{whole} s"


def usd(amount: float) -> str:
    """Dollars, without the unit: cents from one dollar on, hundredths of a cent below; 0 is free of charge."""
    if amount == 0:
        return "0"
    if amount < 0.0001:
        return "<0.0001"
    return f"{amount:.4f}" if amount < 1 else f"{amount:.2f}"


def rate(per_second: float) -> str:
    """`0.4`, `12.3`, `250`."""
    return f"{per_second:.1f}" if per_second < 100 else f"{per_second:.0f}"


def outcomes(figures: Figures) -> str:
    """How the calls of the build ended so far."""
    counts = figures.counts
    return f"{counts['made']} made, {counts['reused']} reused, {counts['failed']} failed"


def clock(seconds: float) -> str:
    """`0:45`, `3:20`, `2:05:00`: where there is little room."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


HEADER = ("endpoint", "done", "calls/s", "in\nflight", "retries", "429s", "invalid", "failed", "USD", "left")


def cells(endpoint: Endpoint) -> tuple[str, ...]:
    """A row below HEADER."""
    meter, left = endpoint.meter, endpoint.seconds_left
    per_second = endpoint.pace.per_second
    return (
        plain(meter.endpoint),
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
        parts.append(f"{rate(per_second)} calls/s")
    parts += [f"{meter.in_flight} in flight", *_troubles(meter), *_spending(meter)]
    if endpoint.standing:
        parts.append("stopped")
    elif left:
        parts.append(f"{duration(left)} left")
    return f"  {plain(meter.endpoint)}: {', '.join(parts)}"


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
            parts.append("stopped")
        yield f"  {plain(meter.endpoint)}: {', '.join(parts)}"
    if len(used) == 1:
        return
    slowest, failing = figures.slowest, figures.most_failing
    if slowest is not None:
        yield f"Slowest: {plain(slowest.meter.endpoint)}, {slowest.mean_seconds:.2f} s a call"
    if failing is not None:
        failed = failing.meter.failed
        yield f"Most failing: {plain(failing.meter.endpoint)}, {failed} of {failed + failing.meter.made} calls"


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
    return [] if spent is None else [f"cost {spent}" if meter.spent_usd is None else f"{spent} USD"]


def _spend(meter: Meter) -> str | None:
    """None as long as nothing was answered; unknown where there is no price, or no count of tokens."""
    if meter.spent_usd is not None:
        return usd(meter.spent_usd)
    return "unknown" if meter.made else None

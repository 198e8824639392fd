"""Progress of an evaluation: a meter per endpoint, the tally of all calls, the callbacks that show them, and the time
of each stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Literal

import msgspec

CallOutcome = Literal["made", "reused", "failed"]
"""How a call ended; each is a count of a meter and of the tally."""


class Meter(msgspec.Struct):
    """Counts of one endpoint in this build, for the live view and the summary. Seconds are those of answered calls.

    stopped: why it stopped, or why its first model did. models_stopped: how many models did; 0 if the whole endpoint
    stopped. spent_usd: for attempts whose tokens were counted; None without a price. uncounted: other attempts that may
    be charged; uncounted_usd: the most these cost, None without a bound. answered_at: monotonic seconds of the last
    answer.
    """

    endpoint: str
    expected: int = 0
    made: int = 0
    reused: int = 0
    failed: int = 0
    invalid: int = 0
    in_flight: int = 0
    requests: int = 0
    retries: int = 0
    rate_limited: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    spent_usd: float | None = None
    uncounted: int = 0
    uncounted_usd: float | None = 0.0
    answered_at: float | None = None
    stopped: str | None = None
    models_stopped: int = 0

    @property
    def done(self) -> int:
        return self.made + self.reused + self.failed

    def spend(self, cost_usd: float | None, most_usd: float | None) -> None:
        """Add an attempt. cost_usd: None if its tokens were not counted. most_usd: None without a bound."""
        if cost_usd is not None:
            self.spent_usd = (self.spent_usd or 0.0) + cost_usd
            return
        self.uncounted += 1
        if self.uncounted_usd is None or most_usd is None:
            self.uncounted_usd = None
        else:
            self.uncounted_usd += most_usd


class Tally(msgspec.Struct):
    """How the calls of this build ended.

    unparsed: of those made, verdicts that cannot be parsed. begun: judgments that took a second turn. left: neither
    known nor made, because they were out of scope or stopped. failed_probes: of those failed, the ones that ask for a
    canary.
    """

    made: int = 0
    unparsed: int = 0
    begun: int = 0
    reused: int = 0
    failed: int = 0
    failed_probes: int = 0
    left: int = 0


class Progress(msgspec.Struct, frozen=True):
    """Callbacks about the progress of a build; the defaults do nothing.

    on_meters gets the meters of all endpoints once, when they begin to count.
    """

    on_stage: Callable[[str], None] = lambda stage: None
    on_plan: Callable[[int], None] = lambda planned: None
    on_meters: Callable[[Collection[Meter]], None] = lambda meters: None
    on_call: Callable[[CallOutcome], None] = lambda outcome: None
    on_note: Callable[[str], None] = lambda note: None


class Stopwatch(msgspec.Struct):
    """Seconds spent in each stage of a command."""

    seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(time.perf_counter() - start, 3)

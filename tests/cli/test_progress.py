"""What a build tells about its calls, in lines and in events: exact words for figures and a clock of our own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from nullbench_site.cli.pace import Endpoint, Figures, Pace, duration, line
from nullbench_site.cli.progress import Events, Log
from nullbench_site.evaluation.meters import Meter, Progress

HOSTILE = "up\x1b[2J\rand [red]away[/red]\n\u202edone"
HARMLESS = "up\\x1b[2J\\rand [red]away[/red]\\n\\u202edone"


@dataclass
class Build:
    """A build that is followed by hand. written: every line so far."""

    kind: type[Log]
    now: float = 1000.0
    written: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.log = self.kind(self.written.append, lambda: self.now)

    @property
    def progress(self) -> Progress:
        return self.log.progress

    def tick_after(self, seconds: float) -> list[str]:
        """What a tick says that much later."""
        self.now += seconds
        before = len(self.written)
        self.log.tick()
        return self.written[before:]


def pace(*notes: tuple[float, int]) -> Pace:
    """A pace of which (seconds, new calls) were noted."""
    noted = Pace()
    for note in notes:
        noted.note(*note)
    return noted


def endpoint(meter: Meter, *notes: tuple[float, int]) -> Endpoint:
    """An endpoint of which (seconds, new calls) were noted."""
    return Endpoint(meter, pace(*notes))


def busy() -> Meter:
    return Meter(
        "router", expected=400, made=90, reused=8, failed=2, invalid=3, in_flight=16, retries=7, rate_limited=4,
        seconds=108.0, slowest=9.5, spent_usd=0.01234,
    )  # fmt: skip


# Rates


@pytest.mark.parametrize(
    ("notes", "per_second", "seconds_left"),
    [
        ([], None, None),
        ([(3.0, 0)], None, None),
        ([(3.0, 0), (3.5, 40)], None, None),
        ([(0.0, 0), (60.0, 0)], None, None),
        ([(0.0, 0), (60.0, 60)], 1.0, 10.0),
        ([(0.0, 0), (60.0, 60), (120.0, 60)], 0.5, 20.0),
        ([(0.0, 0), (10.0, 0), (20.0, 20), (310.0, 160), (320.0, 320)], 1.0, 10.0),
    ],
)
def test_a_rate_counts_the_new_calls_of_the_last_five_minutes(
    notes: list[tuple[float, int]], per_second: float | None, seconds_left: float | None
) -> None:
    noted = pace(*notes)
    assert (noted.per_second, noted.seconds_left(10), noted.seconds_left(0)) == (per_second, seconds_left, 0.0)


def test_a_call_a_minute_has_a_rate_a_time_left_and_the_age_of_its_last_answer() -> None:
    """The build is looked at four times a second, as bars do."""
    meter = Meter("slow", expected=63, in_flight=1)
    slow = Endpoint(meter)
    for quarter in range(4 * 200 + 1):
        now = quarter / 4
        if now in (60.0, 120.0, 180.0):
            meter.made, meter.answered_at = meter.made + 1, now
        slow.look(now)
    assert line(slow) == (
        "  slow: 3 of 63, 0.9 calls/min, 1 in flight, last answer 20 s ago, cost unknown, 1 h 6 min left"
    )


def test_the_memory_of_a_pace_does_not_grow() -> None:
    noted = pace(*((quarter / 4, quarter) for quarter in range(100_000)))
    assert len(noted._notes) <= 1202


# Words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "0 s"), (45, "45 s"), (59.7, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (7200, "2 h"),
        (273_600, "3 d 4 h"),
    ],
)  # fmt: skip
def test_durations_have_two_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words


UNCOUNTED = Meter("local", expected=4, made=1, spent_usd=0.25, uncounted=2, uncounted_usd=0.5)


@pytest.mark.parametrize(
    ("meter", "notes", "words"),
    [
        (Meter("new", expected=400, in_flight=64), (), "0 of 400, 64 in flight"),
        (
            busy(),
            ((0.0, 0), (10.0, 92)),
            "100 of 400, 9.2 calls/s, 16 in flight, 7 retries, 4 times 429, 3 invalid, 2 failed, 0.0123 USD, 33 s left",
        ),
        (
            Meter("vllm", expected=2, made=2, retries=1, rate_limited=1),
            (),
            "2 of 2, 0 in flight, 1 retry, 1 time 429, cost unknown",
        ),
        (Meter("free", expected=400, made=1, spent_usd=0.0), (), "1 of 400, 0 in flight, 0 USD"),
        (
            UNCOUNTED,
            (),
            "1 of 4, 0 in flight, 0.2500 USD, 2 attempts without a count of tokens (at most 0.5000 USD)",
        ),
        (Meter("gone", expected=400, in_flight=2, stopped="no key"), (), "0 of 400, 2 in flight"),
        (Meter("gone", expected=400, stopped="no key"), (), "0 of 400, 0 in flight, stopped"),
    ],
)
def test_a_line_leaves_out_what_is_zero_or_unknown(
    meter: Meter, notes: tuple[tuple[float, int], ...], words: str
) -> None:
    assert line(endpoint(meter, *notes)) == f"  {meter.endpoint}: {words}"


# A build told in lines


def test_programs_get_a_line_at_each_quarter_and_no_more() -> None:
    build = Build(Log)
    build.progress.on_stage("Evaluating")
    build.progress.on_plan(9)
    build.progress.on_meters([Meter("offline", expected=9)])
    for outcome in ("made", "reused", "failed", "made", "made", "made", "made", "made", "made"):
        build.progress.on_call(outcome)  # type: ignore[arg-type]
    assert build.tick_after(10) == []
    build.log.end()
    assert build.written == [
        "Evaluating ...",
        "  9 calls planned",
        "  2 of 9: 1 made, 1 reused, 0 failed",
        "  4 of 9: 2 made, 1 reused, 1 failed",
        "  6 of 9: 4 made, 1 reused, 1 failed",
        "  8 of 9: 6 made, 1 reused, 1 failed",
        "  9 of 9: 7 made, 1 reused, 1 failed",
    ]


def test_an_endpoint_has_a_line_at_each_tick_until_it_has_ended() -> None:
    build, router, vllm = Build(Log), Meter("router", expected=100), Meter("vllm", expected=10)
    build.progress.on_meters([router, vllm, Meter("offline", expected=5)])
    router.in_flight = 8
    assert build.tick_after(10) == [
        "  router: 0 of 100, 8 in flight",
        "  vllm: 0 of 10, 0 in flight",
    ]
    router.made, vllm.stopped = 50, "specs/endpoints.yaml:3:5: endpoint 'vllm' stopped: it is not there"
    assert build.tick_after(10) == [
        "  router: 50 of 100, 2.5 calls/s, 8 in flight, cost unknown, 20 s left",
        "  vllm: 0 of 10, 0 in flight, stopped",
    ]
    router.made, router.in_flight = 100, 0
    assert build.tick_after(10) == ["  router: 100 of 100, 3.3 calls/s, 0 in flight, cost unknown"]
    assert build.tick_after(10) == []


def test_notes_are_shown_without_control_characters() -> None:
    build = Build(Log)
    build.progress.on_note(HOSTILE)
    assert build.written == [HARMLESS]


def test_the_summary_names_the_slowest_and_the_most_failing_endpoint() -> None:
    build = Build(Log)
    big = Meter("big", expected=1000, made=990, failed=10, seconds=990.0, slowest=3.0, retries=30, spent_usd=1.5)
    small = Meter("small", expected=12, made=6, failed=2, seconds=3.0, slowest=1.0, stopped="small stopped: no quota")
    slow = Meter("slow", expected=4, made=4, seconds=50.0, slowest=21.25, invalid=1, stopped="no", models_stopped=2)
    idle = Meter("idle", expected=4, reused=4)
    build.progress.on_meters([big, small, slow, idle])
    build.now += 125
    build.progress.on_stage("Scoring")
    build.now += 1000
    build.log.end()
    assert build.written == [
        "Scoring ...",
        "Endpoints, in 2 min 5 s:",
        "  big: 990 calls made, 1.00 s on average, 3.00 s the longest, 30 retries, 10 failed, 1.50 USD",
        "  small: 6 calls made, 0.50 s on average, 1.00 s the longest, 2 failed, cost unknown, stopped",
        "  slow: 4 calls made, 12.50 s on average, 21.25 s the longest, 1 invalid, cost unknown, 2 models stopped",
        "Slowest: slow, 12.50 s a call",
        "Most failing: small, 2 of 8 calls",
    ]  # fmt: skip


def test_the_summary_of_one_endpoint_names_none() -> None:
    build, gone = Build(Log), Meter("gone", expected=5, stopped="gone stopped: the key was rejected (401)")
    build.progress.on_meters([gone, Meter("offline", made=5, expected=5)])
    build.log.end()
    assert build.written == ["Endpoints, in 0 s:", "  gone: 0 calls made, stopped"]


def test_there_is_no_summary_without_a_request() -> None:
    for meters in ([Meter("offline", made=5, expected=5)], [Meter("router", reused=5, expected=5)], []):
        build = Build(Log)
        build.progress.on_meters(meters)
        build.log.end()
        assert build.written == []


# A build told in events


def events(build: Build) -> list[dict[str, Any]]:
    assert all("\n" not in text and text.isascii() for text in build.written)
    return [json.loads(text) for text in build.written]


def test_a_build_in_events() -> None:
    build, router = Build(Events), Meter(HOSTILE, expected=2)
    progress = build.progress
    progress.on_stage("Evaluating")
    progress.on_plan(2)
    progress.on_meters([router, Meter("offline")])
    progress.on_note(HOSTILE + "\ud800")
    router.made, router.retries, router.in_flight, router.answered_at = 1, 1, 1, build.now + 8
    build.tick_after(10)
    router.made, router.in_flight, router.seconds, router.slowest, router.spent_usd = 2, 0, 3.0, 2.5, 0.00001
    progress.on_call("made")
    progress.on_call("made")
    build.now += 2
    build.log.end()
    counted = {
        "endpoint": HOSTILE, "expected": 2, "reused": 0, "failed": 0, "invalid": 0, "retries": 1, "rate_limited": 0,
        "stopped": None, "uncounted": 0, "uncounted_usd": 0.0,
    }  # fmt: skip
    first = {
        **counted, "made": 1, "in_flight": 1, "calls_per_second": 0.1, "calls_per_minute": 6.0,
        "seconds_since_answer": 2.0, "seconds_left": 10.0, "spent_usd": None,
    }  # fmt: skip
    then = {
        **counted, "made": 2, "in_flight": 0, "calls_per_second": 0.2, "calls_per_minute": 12.0,
        "seconds_since_answer": 2.0, "seconds_left": 0.0, "spent_usd": 0.00001,
    }  # fmt: skip
    last = {**counted, "made": 2, "spent_usd": 0.00001, "mean_seconds": 1.5, "slowest_seconds": 2.5}

    def calls(made: int) -> dict[str, int]:
        return {"planned": 2, "made": made, "reused": 0, "failed": 0}

    progress = {"event": "progress"}
    assert events(build) == [
        {"event": "stage", "stage": "Evaluating"},
        {"event": "plan", "planned": 2},
        {"event": "note", "text": HOSTILE + "\ud800"},
        {**progress, "seconds": 10.0, "calls": calls(0), "seconds_left": None, "endpoints": [first]},
        {**progress, "seconds": 10.0, "calls": calls(1), "seconds_left": 10.0, "endpoints": [then]},
        {**progress, "seconds": 10.0, "calls": calls(2), "seconds_left": 0.0, "endpoints": [then]},
        {
            "event": "summary", "seconds": 12.0, "calls": calls(2), "endpoints": [last],
            "slowest": HOSTILE, "most_failing": None,
        },
    ]  # fmt: skip


def test_a_build_of_programs_has_events_without_endpoints() -> None:
    build = Build(Events)
    build.progress.on_plan(1)
    build.progress.on_meters([Meter("offline")])
    build.progress.on_call("reused")
    build.log.end()
    assert events(build) == [
        {"event": "plan", "planned": 1},
        {
            "event": "progress", "seconds": 0.0, "seconds_left": 0.0, "endpoints": [],
            "calls": {"planned": 1, "made": 0, "reused": 1, "failed": 0},
        },
    ]  # fmt: skip


def test_counting_a_call_looks_at_no_endpoint() -> None:
    """It runs for every call, so what it costs must not grow with what there is to tell."""
    figures = Figures()
    figures.begin([Meter("router")], 0.0)
    figures.endpoints[0].meter = None  # type: ignore[assignment]
    figures.count("made")
    assert (figures.done, figures.counts["made"]) == (1, 1)


def test_a_second_plan_begins_to_count_again() -> None:
    """A build by looks has a plan for each look, of all calls up to it."""
    lines: list[str] = []
    progress = Log(lines.append).progress
    for planned in (2, 4):
        progress.on_plan(planned)
        for place in range(planned):
            progress.on_call("reused" if planned == 4 and place < 2 else "made")
    assert "  2 of 2: 2 made, 0 reused, 0 failed" in lines
    assert lines[-1] == "  4 of 4: 2 made, 2 reused, 0 failed"

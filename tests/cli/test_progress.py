"""What a build tells about its calls, in lines and in events: exact words for figures and a clock of our own."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from nullbench_site.cli.pace import HEADER, Endpoint, Figures, Pace, cells, clock, duration, line
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


def endpoint(meter: Meter, *notes: tuple[float, int, int]) -> Endpoint:
    """An endpoint of which (seconds, done, asked) were noted."""
    seen = Endpoint(meter)
    for note in notes:
        seen.pace.note(*note)
    return seen


def busy() -> Meter:
    return Meter(
        "router", expected=400, made=90, reused=8, failed=2, invalid=3, in_flight=16, retries=7, rate_limited=4,
        seconds=108.0, slowest=9.5, spent_usd=0.01234,
    )  # fmt: skip


# Rates


def test_a_rate_is_of_the_last_ten_seconds() -> None:
    pace = Pace()
    for second in range(31):
        pace.note(float(second), 100 * min(second, 20) + max(0, second - 20), 0)
    assert pace.seconds_left(60) == pytest.approx(60.0)


def test_a_rate_is_of_a_longer_time_where_nobody_looked_in_between() -> None:
    pace = Pace()
    pace.note(0.0, 0, 0)
    pace.note(60.0, 120, 60)
    assert (pace.per_second, pace.seconds_left(10)) == (1.0, 5.0)
    pace.note(120.0, 120, 60)
    assert (pace.per_second, pace.seconds_left(10)) == (0.5, 20.0)


def test_a_call_a_minute_has_a_rate_a_time_left_and_the_age_of_its_last_answer() -> None:
    """The build is looked at four times a second, as a live view does."""
    meter = Meter("slow", expected=63, in_flight=1)
    slow = Endpoint(meter)
    for quarter in range(4 * 200 + 1):
        now = quarter / 4
        if now in (60.0, 120.0, 180.0):
            meter.made, meter.answered_at = meter.made + 1, now
        slow.look(now)
    assert slow.pace.per_second == pytest.approx(3 / 200)
    assert slow.seconds_left == pytest.approx(60 * 200 / 3)
    assert slow.seconds_since_answer == 20.0
    assert line(slow) == (
        "  slow: 3 of 63, 0.9 calls/min, 1 in flight, last answer 20 s ago, cost unknown, 1 h 6 min left"
    )
    assert cells(slow)[2] == "0.9/min"


def test_before_the_first_answer_no_rate_is_told() -> None:
    slow = endpoint(Meter("slow", expected=60, in_flight=1), *((float(second), 0, 0) for second in range(60)))
    assert (slow.pace.per_second, slow.seconds_left, slow.seconds_since_answer) == (None, None, None)


def test_answers_that_were_known_make_no_slow_model_fast() -> None:
    pace = Pace()
    pace.note(0.0, 0, 0)
    pace.note(1.0, 1000, 0)
    pace.note(61.0, 1001, 1)
    pace.note(72.0, 1001, 1)
    assert pace.seconds_left(10) == pytest.approx(720.0)


def test_attempts_without_a_count_of_tokens_are_told_with_the_most_they_can_cost() -> None:
    meter = Meter("local", expected=4, made=1, spent_usd=0.25, uncounted=2, uncounted_usd=0.5)
    assert "0.2500 USD, 2 attempts without a count of tokens (at most 0.5000 USD)" in line(endpoint(meter))


def test_what_was_known_before_counts_as_done_and_not_as_asked() -> None:
    pace = Pace()
    pace.note(0.0, 0, 0)
    pace.note(5.0, 100, 20)
    assert (pace.per_second, pace.seconds_left(40)) == (4.0, 2.0)


@pytest.mark.parametrize("notes", [[], [(3.0, 0, 0)], [(3.0, 0, 0), (3.5, 40, 40)]])
def test_a_rate_over_less_than_a_second_is_not_told(notes: list[tuple[float, int, int]]) -> None:
    pace = Pace()
    for note in notes:
        pace.note(*note)
    assert (pace.per_second, pace.seconds_left(10), pace.seconds_left(0)) == (None, None, 0.0)


def test_the_memory_of_a_pace_does_not_grow() -> None:
    pace = Pace()
    for quarter in range(100_000):
        pace.note(quarter / 4, quarter, quarter)
    assert len(pace._noted) <= 42


# Words


@pytest.mark.parametrize(
    ("seconds", "words", "short"),
    [
        (0.2, "0 s", "0:00"), (45, "45 s", "0:45"), (59.7, "1 min", "1:00"), (200, "3 min 20 s", "3:20"),
        (7500, "2 h 5 min", "2:05:00"), (7200, "2 h", "2:00:00"), (273_600, "3 d 4 h", "76:00:00"),
    ],
)  # fmt: skip
def test_durations_are_told_in_two_units(seconds: float, words: str, short: str) -> None:
    assert (duration(seconds), clock(seconds)) == (words, short)


def test_a_row_has_a_cell_below_each_header() -> None:
    row = cells(endpoint(busy(), (0.0, 0, 0), (10.0, 100, 92)))
    assert row == ("router", "100/400", "9.2/s", "16", "7", "4", "3", "2", "0.0123", "0:30")
    assert len(row) == len(HEADER)


def test_what_is_not_known_is_no_number() -> None:
    untouched = cells(endpoint(Meter("new", expected=400)))
    assert untouched == ("new", "0/400", "—", "0", "0", "0", "0", "0", "—", "—")
    unpriced = cells(endpoint(Meter("local", expected=400, made=1)))
    assert unpriced[-2] == "unknown"
    free = cells(endpoint(Meter("free", expected=400, made=1, spent_usd=0.0)))
    assert free[-2] == "0"


def test_an_endpoint_stands_once_nothing_of_it_is_in_flight() -> None:
    meter = Meter("gone", expected=400, in_flight=2, stopped="the key was refused")
    assert cells(endpoint(meter))[-1] == "—"
    meter.in_flight = 0
    assert cells(endpoint(meter))[-1] == "stopped"


def test_a_line_leaves_out_what_is_zero_or_unknown() -> None:
    assert line(endpoint(Meter("new", expected=400, in_flight=64))) == "  new: 0 of 400, 64 in flight"
    assert line(endpoint(busy(), (0.0, 0, 0), (10.0, 100, 92))) == (
        "  router: 100 of 400, 9.2 calls/s, 16 in flight, 7 retries, 4 times 429, 3 invalid, 2 failed, 0.0123 USD, "
        "30 s left"
    )
    done = Meter("vllm", expected=2, made=2, retries=1, rate_limited=1)
    assert line(endpoint(done)) == "  vllm: 2 of 2, 0 in flight, 1 retry, 1 time 429, cost unknown"


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


def test_an_endpoint_is_told_of_at_each_tick_until_nothing_more_is_to_come() -> None:
    build, router, vllm = Build(Log), Meter("router", expected=100), Meter("vllm", expected=10)
    build.progress.on_meters([router, vllm, Meter("offline", expected=5)])
    router.in_flight = 8
    assert build.tick_after(10) == [
        "  router: 0 of 100, 8 in flight",
        "  vllm: 0 of 10, 0 in flight",
    ]
    router.made, vllm.stopped = 50, "specs/endpoints.yaml:3:5: endpoint 'vllm' stopped: it is not there"
    assert build.tick_after(10) == [
        "  router: 50 of 100, 5.0 calls/s, 8 in flight, cost unknown, 10 s left",
        "  vllm: 0 of 10, 0 in flight, stopped",
    ]
    router.made, router.in_flight = 100, 0
    assert build.tick_after(10) == ["  router: 100 of 100, 5.0 calls/s, 0 in flight, cost unknown"]
    assert build.tick_after(10) == []


def test_notes_are_shown_as_they_are_but_for_what_a_terminal_obeys() -> None:
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
    build, gone = Build(Log), Meter("gone", expected=5, stopped="gone stopped: the key was refused (401)")
    build.progress.on_meters([gone, Meter("offline", made=5, expected=5)])
    build.log.end()
    assert build.written == ["Endpoints, in 0 s:", "  gone: 0 calls made, stopped"]


def test_there_is_no_summary_where_no_request_was_put() -> None:
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

"""What a build shows on a terminal, and what is left there when it ends."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from io import StringIO

import pytest
from rich.console import Console
from support.commands import environment
from support.terminal import on_a_terminal

from nullbench_site.cli.progress import Bars, Ticker, build_progress
from nullbench_site.evaluation.meters import Meter

HOSTILE = "up\x1b[2J [red]away[/red]\n\x07"
HARMLESS = "up\\x1b[2J [red]away[/red]\\n\\x07"


def drawn(*meters: Meter, width: int = 120) -> list[str]:
    """The bars ten seconds into the calls of a build."""
    now = [0.0]
    console = Console(file=StringIO(), width=width, color_system=None)
    bars = Bars(console, lambda: now[0])
    made = [meter.made for meter in meters]
    for meter in meters:
        meter.made = 0
    progress = bars.progress
    progress.on_stage("Evaluating")
    progress.on_plan(400)
    progress.on_meters(meters)
    for meter, count in zip(meters, made, strict=True):
        meter.made = count
    for _ in range(100):
        progress.on_call("made")
    now[0] = 10.0
    bars.tick()
    paper = StringIO()
    Console(file=paper, width=width, color_system=None).print(bars.view.get_renderable())
    progress.on_stage("Scoring")
    assert len(bars.view.tasks) == 1, "the bars of endpoints are gone once calls are made"
    bars.end()
    return [line.rstrip() for line in paper.getvalue().splitlines()]


def test_programs_have_one_bar() -> None:
    assert drawn(Meter("offline", made=100)) == [
        "Evaluating ━━━━━                100/400 100 made, 0 reused, 0 failed, 30 s left"
    ]


def test_each_endpoint_has_a_bar_and_says_why_it_stopped() -> None:
    router = Meter("router", 300, made=90, in_flight=64, retries=7, rate_limited=4, spent_usd=1.25)
    gone = Meter(HOSTILE, 100, failed=2, stopped=f"place: endpoint stopped: {HOSTILE}")
    assert drawn(router, gone, Meter("offline", made=8), width=160) == [
        "Evaluating                      ━━━━━                100/400 100 made, 0 reused, 0 failed, 30 s left",
        "router                          ━━━━━━                90/300 9.0 calls/s, 64 in flight, 7 retries, "
        "4 times 429, 1.25 USD, 23 s left",
        f"{HARMLESS}                        2/100 0 in flight, 2 failed, stopped; place: endpoint stopped: {HARMLESS}",
    ]


def test_a_narrow_terminal_wraps_the_figures() -> None:
    assert drawn(Meter("router", 300, made=90, in_flight=64), width=60) == [
        "Evaluating ━━━━━                100/400 100 made, 0 reused,",
        "                                        0 failed, 30 s left",
        "router     ━━━━━━                90/300 9.0 calls/s, 64 in",
        "                                        flight, cost",
        "                                        unknown, 23 s left",
    ]


# A process on a terminal

PROGRAM = """
import sys
from nullbench_site.cli.progress import build_progress
from nullbench_site.evaluation.meters import Meter
router = Meter("router", expected=40)
try:
    with build_progress(as_json={as_json}) as progress:
        progress.on_stage("Evaluating")
        progress.on_plan(40)
        progress.on_meters([router])
        progress.on_call("made")
        router.made, router.seconds, router.slowest, router.spent_usd = 1, 2.0, 2.0, 0.5
        progress.on_note({note!r})
        print("for a program")
        raise {error}
except {error}:
    print("Interrupted", file=sys.stderr)
"""


def in_a_terminal(code: str, **variables: str) -> tuple[str, str]:
    """What Python code prints to stdout, a pipe, and to stderr, a terminal."""
    return on_a_terminal([sys.executable, "-c", code], COLUMNS="100", LINES="40", **variables)


SUMMARY = "  router: 1 call made, 2.00 s on average, 2.00 s the longest, 0.5000 USD"


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "ValueError"])
def test_a_terminal_shows_bars_that_are_gone_at_the_end(error: str) -> None:
    out, shown = in_a_terminal(PROGRAM.format(as_json=False, note=HOSTILE, error=error), TERM="xterm-256color")
    assert out == "for a program\n"
    assert "0/40" in shown
    assert shown.count(HARMLESS) == 1
    assert "\x1b[2J" not in shown
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1, "the cursor is back"
    end = shown[shown.index("\x1b[?25h") :]
    assert "calls/s" not in end
    lines = end.replace("\r", "").splitlines()
    assert lines[-3].endswith("Endpoints, in 0 s:")
    assert lines[-2:] == [SUMMARY, "Interrupted"]


@pytest.mark.parametrize("term", [{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}, {"TERM": "unknown"}])
def test_a_terminal_that_cannot_draw_gets_the_same_in_lines(term: dict[str, str]) -> None:
    _, shown = in_a_terminal(PROGRAM.format(as_json=False, note=HOSTILE, error="KeyboardInterrupt"), **term)
    assert shown.replace("\r", "").splitlines() == [
        "Evaluating ...", "  40 calls planned", HARMLESS, "Endpoints, in 0 s:", SUMMARY, "Interrupted",
    ]  # fmt: skip


def test_with_json_a_terminal_gets_events_like_any_other_reader() -> None:
    out, shown = in_a_terminal(PROGRAM.format(as_json=True, note=HOSTILE, error="KeyboardInterrupt"), TERM="xterm")
    assert out == "for a program\n"
    *events, last = shown.replace("\r", "").splitlines()
    assert [json.loads(line)["event"] for line in events] == ["stage", "plan", "note", "summary"]
    assert last == "Interrupted"


def test_without_json_or_a_terminal_rich_is_not_imported() -> None:
    """It costs a warm build more than all the rest."""
    code = (
        "import sys\nfrom nullbench_site.cli.progress import build_progress\n"
        "with build_progress() as progress:\n    progress.on_stage('Evaluating')\n"
        "print([name for name in sys.modules if name.partition('.')[0] == 'rich'])"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "Evaluating ...\n")


def test_an_error_ends_the_lines_with_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    router = Meter("router", expected=4, made=1, seconds=2.0, slowest=2.0)
    before = threading.active_count()

    def fail() -> None:
        with build_progress() as progress:
            progress.on_meters([router])
            assert threading.active_count() == before + 1
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert threading.active_count() == before
    assert capsys.readouterr().err.splitlines() == [
        "Endpoints, in 0 s:",
        "  router: 1 call made, 2.00 s on average, 2.00 s the longest, cost unknown",
    ]


def test_a_ticker_is_one_thread_that_ticks_until_it_is_stopped() -> None:
    """It may be stopped before it starts, as by the stages before the calls."""
    before, ticks, twice = threading.active_count(), [], threading.Event()

    def tick() -> None:
        ticks.append(0)
        if len(ticks) == 2:
            twice.set()

    ticker = Ticker(0.001, tick)
    ticker.stop()
    ticker.start()
    ticker.start()
    assert threading.active_count() == before + 1
    assert twice.wait(60)
    ticker.stop()
    ticker.stop()
    assert threading.active_count() == before

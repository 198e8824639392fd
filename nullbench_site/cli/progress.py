"""How far a build is: a bar on a terminal, plain lines elsewhere and with NO_COLOR, always on stderr."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from nullbench_site.api import Watcher
from nullbench_site.cli.options import say

_LINE_EVERY = 0.25
"""Share of the calls after which a plain line is printed; a log of CI wants few."""


@contextmanager
def build_progress(*, quiet: bool = False) -> Iterator[Watcher]:
    """A watcher that shows the stages and calls of a build while the block runs."""
    if quiet:
        yield Watcher(on_note=say)
    elif sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        with _bar() as watcher:
            yield watcher
    else:
        yield _plain_lines()


@contextmanager
def _bar() -> Iterator[Watcher]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:<14}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("Starting", total=None)
        yield Watcher(
            on_stage=lambda stage: progress.update(task, description=stage),
            on_plan=lambda planned: progress.update(task, total=planned),
            on_call=lambda outcome: progress.advance(task),
            on_note=lambda note: progress.console.print(note, markup=False, highlight=False),
        )


def _plain_lines() -> Watcher:
    counts: Counter[str] = Counter()
    planned = 0

    def on_plan(calls: int) -> None:
        nonlocal planned
        planned = calls
        say(f"  {calls} calls planned")

    def on_call(outcome: str) -> None:
        counts[outcome] += 1
        done, step = counts.total(), max(1, int(planned * _LINE_EVERY))
        if done % step == 0 or done == planned:
            say(f"  {done} of {planned}: {counts['made']} made, {counts['reused']} reused, {counts['failed']} failed")

    return Watcher(on_stage=lambda stage: say(f"{stage} ..."), on_plan=on_plan, on_call=on_call, on_note=say)

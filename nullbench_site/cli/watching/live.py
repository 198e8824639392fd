"""Figures on a terminal that are drawn anew four times a second. Imports rich, so it is imported when it is used."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from nullbench_site.cli.watching import words
from nullbench_site.cli.watching.figures import Endpoint, Figures
from nullbench_site.evaluation.progress import Meter, Progress

_PER_SECOND = 4
_BAR_WIDTH = 40
_TABLE_WIDTH = 80


def draw(figures: Figures, stage: str, width: int) -> RenderableType:
    """A bar for all calls; while calls are made of endpoints also how each of these does, and why any of them stopped.

    width: columns of the terminal; where a table has no room its rows become lines.
    """
    bar = _bar(figures, stage)
    if not figures.endpoints or not figures.calling:
        return bar
    stops = [endpoint.meter.stopped for endpoint in figures.endpoints if endpoint.meter.stopped is not None]
    return Group(
        bar,
        Text(f"  {words.outcomes(figures)}"),
        _table(figures.endpoints) if width >= _TABLE_WIDTH else Text("\n".join(map(words.line, figures.endpoints))),
        *(Text(words.plain(stop), style="red") for stop in stops),
    )


def _bar(figures: Figures, stage: str) -> RenderableType:
    row = Table.grid(padding=(0, 1, 0, 0))
    planned, left = figures.planned, figures.seconds_left
    done = "" if planned is None else f"{figures.done}/{planned}"
    row.add_row(
        Text(f"{stage:<14}"),
        ProgressBar(planned, figures.done, width=_BAR_WIDTH),
        Text(done, style="progress.download"),
        Text(f"{words.duration(left)} left" if left else "", style="progress.remaining"),
    )
    return row


def _table(endpoints: Collection[Endpoint]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    name, *figures = words.HEADER
    # Where the terminal is narrow the names are cut before the figures.
    table.add_column(name, overflow="ellipsis", min_width=len(name), vertical="bottom")
    for figure in figures:
        table.add_column(figure, justify="right", no_wrap=True, vertical="bottom")
    for endpoint in endpoints:
        meter = endpoint.meter
        style = "red" if endpoint.standing else "yellow" if meter.rate_limited or meter.failed else ""
        table.add_row(*(Text(cell) for cell in words.cells(endpoint)), style=style)
    return table


@contextmanager
def live_view(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """A view that is there while the block runs, and the summary after it, however the block ends."""
    figures, stage = Figures(), "Starting"

    def look_and_draw() -> RenderableType:
        if figures.calling:
            figures.look(clock())
        return draw(figures, stage, console.width)

    # stdout is left alone: what a program reads there must not be sent to the console of stderr.
    live = Live(
        console=console,
        get_renderable=look_and_draw,
        refresh_per_second=_PER_SECOND,
        transient=True,
        redirect_stdout=False,
    )

    def on_stage(name: str) -> None:
        nonlocal stage
        stage = name
        figures.end(clock())
        live.refresh()

    def on_plan(planned: int) -> None:
        figures.planned = planned
        live.refresh()

    def on_meters(meters: Collection[Meter]) -> None:
        figures.begin(meters, clock())
        live.refresh()

    def on_note(note: str) -> None:
        console.print(Text(words.plain(note)), soft_wrap=True)

    try:
        with live:
            yield Progress(
                on_plan=on_plan, on_meters=on_meters, on_call=figures.count, on_note=on_note, on_stage=on_stage
            )
    finally:
        now = clock()
        figures.end(now)
        for line in words.summary(figures, now):
            console.print(Text(line), soft_wrap=True)

"""Figures on a terminal that are drawn anew four times a second. Imports rich, so it is imported when it is used."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

import rich.progress
from rich.console import Console, RenderableType
from rich.progress import BarColumn, TextColumn
from rich.table import Table
from rich.text import Text

from nullbench_site.cli.pace import HEADER, Endpoint, Figures, cells, duration, line, outcomes, summary
from nullbench_site.evaluation.meters import Meter, Progress
from nullbench_site.text import escaped

_BAR_WIDTH = 40
_TABLE_WIDTH = 80
"""Columns; where the terminal has fewer, a table has no room and its rows become lines."""


class View(rich.progress.Progress):
    """A bar for all calls; while endpoints are asked also how each of these does, and why any of them stopped."""

    def __init__(self, console: Console, figures: Figures, clock: Callable[[], float] = time.monotonic) -> None:
        self._terminal, self._figures, self._clock = console, figures, clock
        super().__init__(
            TextColumn("{task.description:<14}"),
            BarColumn(_BAR_WIDTH),
            TextColumn("{task.fields[done]}", style="progress.download"),
            TextColumn("{task.fields[left]}", style="progress.remaining"),
            console=console,
            refresh_per_second=4,
            transient=True,
            # stdout is left alone: what a program reads there must not be sent to the console of stderr.
            redirect_stdout=False,
        )
        self._bar = self.add_task("Starting", total=None, done="", left="")

    def begin(self, stage: str) -> None:
        """The calls, if there were any, are over."""
        self._figures.end(self._clock())
        self.update(self._bar, description=stage, refresh=True)

    def get_renderables(self) -> Iterable[RenderableType]:
        figures = self._figures
        if figures.calling:
            figures.look(self._clock())
        planned, left = figures.planned, figures.seconds_left
        for bar in self.tasks:  # none yet while rich makes the view, else one
            bar.total, bar.completed = planned, figures.done
            bar.fields["done"] = "" if planned is None else f"{figures.done}/{planned}"
            bar.fields["left"] = f"{duration(left)} left" if left else ""
        yield self.make_tasks_table(self.tasks)
        if figures.endpoints and figures.calling:
            yield Text(f"  {outcomes(figures)}")
            narrow = self._terminal.width < _TABLE_WIDTH
            yield Text("\n".join(map(line, figures.endpoints))) if narrow else _table(figures.endpoints)
            stops = [endpoint.meter.stopped for endpoint in figures.endpoints if endpoint.meter.stopped is not None]
            yield from (Text(escaped(stop), style="red") for stop in stops)


def _table(endpoints: Collection[Endpoint]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    name, *figures = HEADER
    # Where the terminal is narrow the names are cut before the figures.
    table.add_column(name, overflow="ellipsis", min_width=len(name), vertical="bottom")
    for figure in figures:
        table.add_column(figure, justify="right", no_wrap=True, vertical="bottom")
    for endpoint in endpoints:
        meter = endpoint.meter
        style = "red" if endpoint.standing else "yellow" if meter.rate_limited or meter.failed else ""
        table.add_row(*map(Text, cells(endpoint)), style=style)
    return table


@contextmanager
def live_view(console: Console) -> Iterator[Progress]:
    """A view that is there while the block runs, and the summary after it, however the block ends."""
    figures = Figures()
    view = View(console, figures)

    def on_plan(planned: int) -> None:
        figures.planned = planned
        view.refresh()

    def on_meters(meters: Collection[Meter]) -> None:
        figures.begin(meters, time.monotonic())
        view.refresh()

    def on_note(note: str) -> None:
        console.print(Text(escaped(note)), soft_wrap=True)

    try:
        with view:
            yield Progress(view.begin, on_plan, on_meters, figures.count, on_note)
    finally:
        figures.end(time.monotonic())
        for each in summary(figures, time.monotonic()):
            console.print(Text(each), soft_wrap=True)

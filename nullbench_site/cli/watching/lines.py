"""Figures as lines of a log."""

from __future__ import annotations

from collections.abc import Iterator

from nullbench_site.cli.watching import words
from nullbench_site.cli.watching.figures import Figures
from nullbench_site.text import escaped


class Lines:
    """A Voice for people who read a log."""

    def __init__(self) -> None:
        self._over: set[str] = set()
        """Endpoints from which nothing more is to come, and that has been said."""

    def stage(self, stage: str) -> Iterator[str]:
        yield f"{stage} ..."

    def plan(self, planned: int) -> Iterator[str]:
        yield f"  {planned} calls planned"

    def quarter(self, figures: Figures, now: float) -> Iterator[str]:
        yield f"  {figures.done} of {figures.planned}: {words.outcomes(figures)}"

    def endpoints(self, figures: Figures, now: float) -> Iterator[str]:
        for endpoint in figures.endpoints:
            name = endpoint.meter.endpoint
            if name not in self._over:
                yield words.line(endpoint)
            if endpoint.idle:
                self._over.add(name)

    def note(self, note: str) -> Iterator[str]:
        yield escaped(note)

    def summary(self, figures: Figures, now: float) -> Iterator[str]:
        return words.summary(figures, now)

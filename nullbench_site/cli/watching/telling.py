"""Tells how a build goes line by line: at every stage, at each quarter of its calls, and now and then between."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from nullbench_site.cli.watching.figures import Figures
from nullbench_site.cli.watching.ticker import Ticker
from nullbench_site.evaluation.progress import Meter, Outcome, Progress

_QUARTER = 0.25
"""Share of the calls after which a line is said; a log of CI wants few."""
_SECONDS = 10.0
"""Between lines about endpoints, which may take hours for a quarter."""


class Voice(Protocol):
    """The lines for what there is to tell. Times are monotonic seconds."""

    def stage(self, stage: str) -> Iterable[str]: ...
    def plan(self, planned: int) -> Iterable[str]: ...
    def quarter(self, figures: Figures, now: float) -> Iterable[str]: ...
    def endpoints(self, figures: Figures, now: float) -> Iterable[str]: ...
    def note(self, note: str) -> Iterable[str]: ...
    def summary(self, figures: Figures, now: float) -> Iterable[str]: ...


class Teller:
    """Follows one build. say: puts one line out; it is called from two threads."""

    def __init__(self, voice: Voice, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._voice = voice
        self._say = say
        self._clock = clock
        self._figures = Figures()
        self._step = 1
        self._ticker = Ticker(_SECONDS, self.tick)

    @property
    def progress(self) -> Progress:
        return Progress(
            on_plan=self._on_plan,
            on_meters=self._on_meters,
            on_call=self._on_call,
            on_note=self._on_note,
            on_stage=self._on_stage,
        )

    def tick(self) -> None:
        """Tell about the endpoints as they are now."""
        now = self._clock()
        self._figures.look(now)
        self._tell(self._voice.endpoints(self._figures, now))

    def end(self) -> None:
        """Tell the summary; the build is over, in whatever way."""
        self._stop_calling()
        self._tell(self._voice.summary(self._figures, self._clock()))

    def _on_stage(self, stage: str) -> None:
        self._stop_calling()
        self._tell(self._voice.stage(stage))

    def _on_plan(self, planned: int) -> None:
        self._figures.planned = planned
        self._step = max(1, int(planned * _QUARTER))
        self._tell(self._voice.plan(planned))

    def _on_meters(self, meters: Collection[Meter]) -> None:
        self._figures.begin(meters, self._clock())
        if self._figures.endpoints:
            self._ticker.start()

    def _on_call(self, outcome: Outcome) -> None:
        figures = self._figures
        figures.count(outcome)
        if figures.done % self._step == 0 or figures.done == figures.planned:
            now = self._clock()
            figures.look(now)
            self._tell(self._voice.quarter(figures, now))

    def _on_note(self, note: str) -> None:
        self._tell(self._voice.note(note))

    def _stop_calling(self) -> None:
        self._ticker.stop()
        self._figures.end(self._clock())

    def _tell(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)

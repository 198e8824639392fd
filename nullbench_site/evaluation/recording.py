"""Puts records on disk. While the disk refuses them, what was paid for is held, and no new request is put.

So nothing is lost while the process lives: for as long as it takes where somebody sits before a terminal and may end
it, else for a time, since nobody wants a job of CI that waits for ever.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

import msgspec

from nullbench_site.evaluation.backends.base import BuildContext, UnavailableError
from nullbench_site.runs.known import Journal
from nullbench_site.runs.records import RecordT
from nullbench_site.runs.storage import DiskRefusal
from nullbench_site.text import plural

MOST_WAIT = 600.0
"""Seconds that a build without a terminal waits for a disk."""
_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0
"""Seconds between two attempts; each is twice as long as the one before."""


class Recorder(msgspec.Struct):
    """See the module. For one event loop.

    waits: whether answers are paid for; else a refusal is an error at once. most_wait: None: as long as it takes.
    """

    journal: Journal
    context: BuildContext
    waits: bool = False
    most_wait: float | None = MOST_WAIT
    lost: int = 0
    """Answers that were held until the end and stand nowhere."""
    _refusal: DiskRefusal | None = None
    _refused_since: float | None = None
    _held: int = 0
    _gave_up: bool = False
    _turn: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)

    async def keep(self, record: RecordT) -> None:
        """Put the record on disk unless it is there.

        Raises DiskRefusal where nothing is paid for, UnavailableError where the build ends before the disk takes it.
        """
        if not self._held:
            try:
                self.journal.keep(record)
            except DiskRefusal:
                if not self.waits:
                    raise
            else:
                return
        self._held += 1
        self.context.writable.clear()
        try:
            async with self._turn:
                await self._write(record)
        except BaseException as error:
            self.lost += record.state != "errored" and not self.journal.knows(record)
            if isinstance(error, DiskRefusal):
                raise UnavailableError(str(error)) from error
            raise
        finally:
            self._held -= 1
            if not self._held:
                self.context.writable.set()

    def close(self) -> None:
        """Close the files, and say what could not be written. Raises DiskRefusal where waiting was given up."""
        self.journal.close()
        if self._refusal is None or not (self.lost or self._gave_up):
            return
        answers = plural(self.lost, "answer")
        lost = f"{answers} could not be written; the next build asks for what is missing"
        if self._gave_up:
            raise DiskRefusal(f"{self._refusal.reason}; {lost}", self._refusal.advice)
        self.context.on_note(f"{self._refusal.reason}; {lost}")

    async def _write(self, record: RecordT) -> None:
        """Try until the disk takes it; while the build drains, once."""
        wait = _FIRST_WAIT
        while True:
            try:
                self.journal.keep(record)
            except DiskRefusal as refusal:
                self._refuse(refusal)
                if self.context.draining.is_set():
                    raise
            else:
                self._go_on()
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self.context.draining.wait()
            wait = min(2 * wait, _LONGEST_WAIT)

    def _refuse(self, refusal: DiskRefusal) -> None:
        self._refusal, now = refusal, time.monotonic()
        if self._refused_since is None:
            self._refused_since = now
            until = "" if self.most_wait is None else f" for {self.most_wait / 60:g} minutes at most"
            self.context.on_note(
                f"{refusal.reason}; {refusal.advice}. The build waits for that{until}: it holds what was answered and "
                "puts no new call; Ctrl-C ends it"
            )
        elif self.most_wait is not None and now - self._refused_since >= self.most_wait:
            self._gave_up = True
            self.context.draining.set()

    def _go_on(self) -> None:
        if self._refused_since is not None:
            self._refused_since = None
            self.context.on_note("The disk takes records again: what was held is written, and the build goes on")

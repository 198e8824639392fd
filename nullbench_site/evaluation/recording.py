"""Write records to disk. While the disk refuses them, keep paid answers in memory and send no new request.

On a terminal the build waits until the user ends it; elsewhere, such as in CI, it waits some minutes.
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
"""Seconds that a build without a terminal waits for the disk."""
_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0
"""Seconds between two attempts; each wait is twice the one before."""


class Recorder(msgspec.Struct):
    """Writes records, and waits while the disk refuses them. For one event loop.

    waits: True if answers are paid for; else a refusal is an error at once. most_wait: in seconds; None for no limit.
    """

    journal: Journal
    context: BuildContext
    waits: bool = False
    most_wait: float | None = MOST_WAIT
    lost: int = 0
    """Answers that were never written."""
    _refusal: DiskRefusal | None = None
    _refused_since: float | None = None
    _held: int = 0
    _gave_up: bool = False
    _turn: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)

    async def keep(self, record: RecordT) -> RecordT:
        """Write the record unless it is on disk, and return it as `Journal.keep` does.

        Raises DiskRefusal if answers are not paid for, UnavailableError if the build ends before it is written.
        """
        if not self._held:
            try:
                return self.journal.keep(record)
            except DiskRefusal:
                if not self.waits:
                    raise
        self._held += 1
        self.context.writable.clear()
        try:
            async with self._turn:
                return await self._write(record)
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
        """Close the files and report answers that could not be written. Raises DiskRefusal if the wait was too long."""
        self.journal.close()
        if self._refusal is None or not (self.lost or self._gave_up):
            return
        answers = plural(self.lost, "answer")
        lost = f"{answers} could not be written; the next build requests them again"
        if self._gave_up:
            raise DiskRefusal(f"{self._refusal.reason}; {lost}", self._refusal.advice)
        self.context.on_note(f"{self._refusal.reason}; {lost}")

    async def _write(self, record: RecordT) -> RecordT:
        """Try until the record is written, and return it; only once if the build drains."""
        wait = _FIRST_WAIT
        while True:
            try:
                written = self.journal.keep(record)
            except DiskRefusal as refusal:
                self._refuse(refusal)
                if self.context.draining.is_set():
                    raise
            else:
                self._go_on()
                return written
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
                f"{refusal.reason}; {refusal.advice}. The build waits{until}, keeps its answers in memory and makes no "
                "new calls; Ctrl-C stops it"
            )
        elif self.most_wait is not None and now - self._refused_since >= self.most_wait:
            self._gave_up = True
            self.context.draining.set()

    def _go_on(self) -> None:
        if self._refused_since is not None:
            self._refused_since = None
            self.context.on_note("The disk accepts records again: the answers are written and the build continues")

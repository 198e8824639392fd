"""The priced requests of an open run, written to disk before they are sent, so that a killed build loses no cost.

`private/in-flight.jsonl` has a line for each call, each attempt, what the attempt cost, and each record. A record
settles the lines before it. The file is not published, and is removed when all its calls are settled.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from io import FileIO
from pathlib import PurePath
from typing import Any, TypeAlias

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.folder import IN_FLIGHT, PRIVATE, SHARDS, RunFolder, open_lines
from nullbench_site.runs.records import Record, unanswered
from nullbench_site.runs.storage import storage_errors
from nullbench_site.specs.digest import NOT_JSON

_KINDS: dict[str, type[Any]] = {name: kind for kind, name in SHARDS.items()}
_KILLED = "the build was killed during the call"


class _Call(msgspec.Struct, tag="call"):
    n: int
    kind: str
    key: str
    place: dict[str, Any]


class _Sent(msgspec.Struct, tag="sent"):
    n: int
    most_usd: float | None


class _Cost(msgspec.Struct, tag="cost"):
    """The cost of the attempt that was sent last; None if the endpoint counted no tokens."""

    n: int
    usd: float | None


class _Recorded(msgspec.Struct, tag="recorded"):
    """The next record of the call: it is on disk if its shard has more bytes than these."""

    n: int
    private: bool
    size: int


_Line: TypeAlias = _Call | _Sent | _Cost | _Recorded


class Unsettled(msgspec.Struct):
    """A call whose last attempts are in no record. record: errored, with their cost.

    in_flight: True if the last attempt has no cost yet; most_usd: the most that it can cost, None without a bound.
    """

    call: CallInFlight
    record: Record
    in_flight: bool = False
    most_usd: float | None = 0.0

    def add(self, usd: float | None) -> None:
        """Add the cost of an attempt; None if it is unknown."""
        spent = {"failed_usd": (self.record.failed_usd or 0.0) + (usd or 0.0) or None}
        self.record = msgspec.structs.replace(self.record, **spent, uncounted=self.record.uncounted + (usd is None))

    def forget(self) -> None:
        self.record = msgspec.structs.replace(self.record, failed_usd=None, uncounted=0)
        self.in_flight, self.most_usd = False, 0.0


class CallInFlight(msgspec.Struct):
    """One call, whose lines are written when its first attempt is sent. n: its number; 0 before that.

    due: an attempt was sent after the last record. is_open: its cost is not written yet.
    """

    log: InFlight
    kind: type[Any]
    key: str
    place: dict[str, Any]
    n: int = 0
    due: bool = False
    is_open: bool = False

    def sent(self, most_usd: float | None) -> None:
        """Write that an attempt is about to be sent. most_usd: the most that it can cost; None without a bound."""
        if not self.n:
            self.n = self.log.last = self.log.last + 1
            self.log.write(_Call(self.n, SHARDS[self.kind], self.key, self.place))
        self.due = self.is_open = True
        self.log.write(_Sent(self.n, most_usd))

    def cost(self, usd: float | None) -> None:
        """Write what the attempt cost, if one was sent; None if the endpoint counted no tokens."""
        if self.is_open:
            self.log.write(_Cost(self.n, usd))
            self.is_open = False

    def before(self, record: Record, *, private: bool) -> None:
        """Write that this record of the call is next. It has the cost of all attempts until now."""
        if self.due:
            shard = self.log.folder.shard(type(record), record.model, private=private)
            size = shard.stat().st_size if shard.exists() else 0
            with storage_errors(self.log.path):
                self.log.put(_Recorded(self.n, private, size))
            self.due = False


class Unfollowed:
    """A call whose requests have no price, or that is in no run: nothing is written."""

    def sent(self, most_usd: float | None) -> None:
        pass

    def cost(self, usd: float | None) -> None:
        pass


CALL: ContextVar[CallInFlight | None] = ContextVar("call", default=None)
"""The call that the current task makes or records; None if its requests are not followed."""


@contextmanager
def followed(call: CallInFlight) -> Iterator[None]:
    """Make it the call of the current task during the block."""
    before = CALL.set(call)
    try:
        yield
    finally:
        CALL.reset(before)


class InFlight:
    """The file of an open run. Only one build writes it. last: the number of the last call."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder, self.path, self.last = folder, folder.path / PRIVATE / IN_FLIGHT, 0
        self._file: FileIO | None = None

    def call(self, kind: type[Any], key: str, place: dict[str, Any]) -> AbstractContextManager[None]:
        """Follow the requests and the records of a call during the block."""
        return followed(CallInFlight(self, kind, key, place))

    def write(self, line: _Line) -> None:
        """Write a line, except if the disk refuses: then it refuses the record too, and the user is told."""
        with suppress(OSError):
            self.put(line)

    def put(self, line: _Line) -> None:
        """Write a line. Raises OSError if the disk refuses."""
        if self._file is None:
            self._file = open_lines(self.path, mode=0o600)
        data = msgspec.json.encode(line) + b"\n"
        try:
            if self._file.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        except BaseException:
            self.close()  # the next use cuts the torn line
            raise

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def remove(self) -> None:
        """Delete the file. All its calls are settled."""
        self.close()
        with storage_errors(self.path):
            self.path.unlink(missing_ok=True)
            with suppress(OSError):  # it has private records, or does not exist
                self.path.parent.rmdir()

    def unsettled(self) -> list[Unsettled]:
        """Return the calls with attempts in no record. Raises RunError for a damaged line."""
        calls: dict[int, Unsettled] = {}
        if self.path.exists():
            decoder = msgspec.json.Decoder(_Line)
            for number, line in enumerate(self.path.read_bytes().split(b"\n")[:-1], start=1):
                try:
                    self._take(decoder.decode(line), calls)
                except (*NOT_JSON, ValueError, KeyError, TypeError) as error:
                    problem = f"{self.path}:{number}: not a line about a call in flight ({error})"
                    advice = "delete the file and build again; the cost of those calls is then in no record"
                    raise RunError(f"{problem}; {advice}") from error
        for each in calls.values():
            if each.in_flight:
                each.add(None)
        return [each for each in calls.values() if each.record.failed_usd or each.record.uncounted]

    def _take(self, line: _Line, calls: dict[int, Unsettled]) -> None:
        """Read a line. Raises ValueError, KeyError, TypeError if no build can have written it."""
        self.last = max(self.last, line.n)
        if isinstance(line, _Call):
            kind = _KINDS[line.kind]
            record = unanswered(kind, line.key, line.place, _KILLED)
            record = msgspec.convert(msgspec.to_builtins(record), kind)
            if PurePath(record.model).name != record.model or not record.model.isprintable():
                raise ValueError(f"{record.model!r} is no contestant")
            call = CallInFlight(self, kind, line.key, line.place, n=line.n, due=True)
            calls[line.n] = Unsettled(call, record)
            return
        found = calls.get(line.n)
        if found is None:  # the disk refused its first line
            return
        match line:
            case _Sent():
                found.in_flight, found.most_usd = True, line.most_usd
            case _Cost():
                found.in_flight, found.most_usd = False, 0.0
                found.add(line.usd)
            case _Recorded():
                shard = self.folder.shard(type(found.record), found.record.model, private=line.private)
                if shard.exists() and shard.stat().st_size > line.size:
                    found.forget()

"""What earlier runs already know: from a call key to the record of its answer, without holding any text in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import PRIVATE, SHARDS
from nullbench_site.runs.records import (
    Judgment,
    Record,
    RecordT,
    Response,
    damaged_line,
    is_answered,
    is_settled,
)
from nullbench_site.runs.verify import is_sealed

_PREFIX = b'{"key":"'
_KEY_END = len(_PREFIX) + 64
HIDDEN = b',"hidden":{'
"""Of a record without its words. In a text its quotation marks have backslashes, and no other field is like it."""


_Place: TypeAlias = tuple[int, int, int]
"""The number of a file, where in it a line begins, and its length. Plain, so that the garbage collector lets it be."""


@dataclass(frozen=True)
class Retry:
    """Verdicts to be asked for again: of these judges, if they could not be read and are not of this retry itself."""

    number: int = 0
    judges: Collection[str] = ()

    def wants(self, record: Record) -> bool:
        """Never where the number is 0, which is no retry."""
        if self.number == 0 or not isinstance(record, Judgment) or record.state != "unparsed":
            return False
        return record.retry != self.number and record.judge in self.judges


class _State(msgspec.Struct):
    state: str = ""


class KnownCalls:
    """An index over the shards of runs; of two answers to the same call that of the later run counts.

    Errored calls are not known: they are asked again. Nor are records of private items without their words, which stand
    in the private folder of a run.
    """

    def __init__(self, runs: Iterable[CatalogEntry], retry: Retry | None = None) -> None:
        """Raises RunError where a shard is not what was sealed: a copy of it would be sealed as if it were right."""
        self._retry = retry or Retry()
        self._places: dict[type[Record], dict[bytes, _Place]] = {Response: {}, Judgment: {}}
        self._files: list[Path] = []
        self._number: dict[Path, int] = {}
        for run in runs:
            for kind, folder in SHARDS.items():
                for path in sorted((run.path / folder).glob("*.jsonl")):
                    sha256 = self._index(path, self._places[kind])
                    if not is_sealed(run.manifest, f"{folder}/{path.name}", sha256):
                        advice = "restore it from git, or delete the run folder and build again"
                        raise RunError(f"{path}: the file was changed after the run was sealed; {advice}")
                for path in sorted((run.path / PRIVATE / folder).glob("*.jsonl")):
                    self._index(path, self._places[kind])

    def _index(self, path: Path, places: dict[bytes, _Place]) -> str:
        offset, digest, number = 0, hashlib.sha256(), self._number_of(path)
        with path.open("rb") as lines:
            for line in lines:
                digest.update(line)
                if line.startswith(_PREFIX) and line.endswith(b"\n") and HIDDEN not in line and not _is_errored(line):
                    places[line[len(_PREFIX) : _KEY_END]] = (number, offset, len(line))
                offset += len(line)
        return digest.hexdigest()

    def add(self, kind: type[Record], key: str, path: Path, offset: int, length: int) -> None:
        """A record that was written since: the line of `path` that begins at `offset` and has `length` bytes."""
        self._places[kind][key.encode()] = (self._number_of(path), offset, length)

    def forget(self, judges: Collection[str], *, but_in: Path) -> None:
        """Verdicts of these judges are known no more, except those that stand in the run `but_in`."""
        places = self._places[Judgment]
        for key, place in list(places.items()):
            if but_in not in self._files[place[0]].parents and self._read(place, Judgment).judge in judges:
                del places[key]

    def find(self, kind: type[RecordT], key: str) -> RecordT | None:
        """The record of an answered call, or None. Raises RunError where its line is damaged."""
        place = self._places[kind].get(key.encode())
        return None if place is None else self._read(place, kind)

    def is_answered(self, record: Record) -> bool:
        """Whether nobody is to be asked for it any more, now that this is known of a call."""
        return is_answered(record) and not self._retry.wants(record)

    def is_settled(self, record: Record) -> bool:
        """Whether the call of a record is done with."""
        return is_settled(record) and not self._retry.wants(record)

    def _number_of(self, path: Path) -> int:
        number = self._number.get(path)
        if number is None:
            number = self._number[path] = len(self._files)
            self._files.append(path)
        return number

    def _read(self, place: _Place, kind: type[RecordT]) -> RecordT:
        path, (_, offset, length) = self._files[place[0]], place
        with path.open("rb") as file:
            file.seek(offset)
            line = file.read(length)
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            number = path.read_bytes().count(b"\n", 0, offset) + 1
            raise damaged_line(path, number, kind, error) from error


def _is_errored(line: bytes) -> bool:
    """The quick look settles nearly every line; the slow one is for axes or reasons that happen to read like that."""
    if b'"state":"errored"' not in line:
        return False
    try:
        return msgspec.json.decode(line, type=_State).state == "errored"
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True

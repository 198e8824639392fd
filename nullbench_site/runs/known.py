"""What earlier runs already know: from a call key to the record of its answer, without holding any text in memory; and
the journal of an open run, in which each new answer is on disk before it counts."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import PRIVATE, SHARDS, RunFolder, shards_of
from nullbench_site.runs.records import (
    Judgment,
    Record,
    RecordT,
    Response,
    damaged_line,
    is_answered,
    is_settled,
    published,
    short_digest,
)
from nullbench_site.runs.verify import is_sealed
from nullbench_site.specs.digest import NOT_JSON

_MAPPED = 256
"""Shards kept mapped at once, of those that are searched."""
_PREFIX = b'{"key":"'
_KEY_END = len(_PREFIX) + 64
HIDDEN = b',"hidden":{'
"""Of a record without its words. In a text its quotation marks have backslashes, and no other field is like it."""


_Place: TypeAlias = tuple[int, int, int]
"""The number of a file, where in it a line begins, and its length. Plain, so that the garbage collector lets it be."""


class Retry(msgspec.Struct, frozen=True):
    """Verdicts to be asked for again: of these judges, if they could not be read and are not of this retry itself."""

    number: int = 0
    judges: Collection[str] = ()

    def wants(self, record: Record) -> bool:
        """Never where the number is 0, which is no retry."""
        if self.number == 0 or not isinstance(record, Judgment) or record.state != "unparsed":
            return False
        return record.retry != self.number and record.judge in self.judges

    def is_answered(self, record: Record) -> bool:
        """Whether nobody is to be asked for it any more."""
        return is_answered(record) and not self.wants(record)

    def is_settled(self, record: Record) -> bool:
        """Whether the call of a record is done with."""
        return is_settled(record) and not self.wants(record)


class _State(msgspec.Struct):
    state: str = ""


class KnownCalls:
    """An index over the shards of runs; of two answers to the same call that of the later run counts.

    Errored calls are not known: they are asked again. Nor are records of private items without their words, which stand
    in the private folder of a run.
    """

    def __init__(
        self, runs: Iterable[CatalogEntry], retry: Retry | None = None, searched: Sequence[CatalogEntry] = ()
    ) -> None:
        """searched: sealed runs, oldest first, whose records are not read: what no other run answers is looked up in
        them one by one, newest first.

        Raises RunError where a shard is not what was sealed: a copy of it would be sealed as if it were right.
        """
        self.retry = retry or Retry()
        self._searched = searched[::-1]
        self._mapped = lru_cache(_MAPPED)(_mapped)
        self._places: dict[type[Record], dict[bytes, _Place]] = {Response: {}, Judgment: {}}
        self._files: list[Path] = []
        self._number: dict[Path, int] = {}
        for run in runs:
            for kind, path in shards_of(run.path):
                _require_sealed(run, path, self._index(path, self._places[kind]))
            for kind, path in shards_of(run.path / PRIVATE):
                self._index(path, self._places[kind])

    def _index(self, path: Path, places: dict[bytes, _Place]) -> str:
        offset, digest, number = 0, hashlib.sha256(), self._number_of(path)
        with path.open("rb") as lines:
            for line in lines:
                digest.update(line)
                if line.startswith(_PREFIX) and line.endswith(b"\n") and _tells(line):
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

    def find(self, kind: type[RecordT], key: str, model: str = "") -> RecordT | None:
        """The record of an answered call, or None. Raises RunError where its line is damaged.

        model: in whose shards it would stand; runs that are searched are searched there alone, so that what they have
        of a contestant under an earlier id is not found.
        """
        place = self._places[kind].get(key.encode()) or self._search(kind, key.encode(), model)
        return None if place is None else self._read(place, kind)

    def answer(self, kind: type[RecordT], key: str, model: str = "") -> RecordT | None:
        """As `find`; None also where it is to be asked for again."""
        record = self.find(kind, key, model)
        return record if record is not None and self.retry.is_answered(record) else None

    def _search(self, kind: type[Record], key: bytes, model: str) -> _Place | None:
        """Of a shard that has the key all bytes are read, so that it is what was sealed."""
        for run in self._searched:
            for folder in (run.path / PRIVATE, run.path):
                path = folder / SHARDS[kind] / f"{model}.jsonl"
                for start, line in reversed([*_lines_with(self._mapped(path), key)]):
                    if _tells(line):
                        if path not in self._number and folder == run.path:
                            _require_sealed(run, path, hashlib.sha256(path.read_bytes()).hexdigest())
                        self.add(kind, key.decode(), path, start, len(line))
                        return self._places[kind][key]
        return None

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
        except NOT_JSON as error:
            number = path.read_bytes().count(b"\n", 0, offset) + 1
            raise damaged_line(path, number, kind, error) from error


def _require_sealed(run: CatalogEntry, shard: Path, sha256: str) -> None:
    if not is_sealed(run.manifest, f"{shard.parent.name}/{shard.name}", sha256):
        advice = "restore it from git, or delete the run folder and build again"
        raise RunError(f"{shard}: the file was changed after the run was sealed; {advice}")


def _mapped(shard: Path) -> mmap | bytes:
    """The bytes of a shard, read where they are looked at; none where it is not there."""
    try:
        with shard.open("rb") as file:
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except (FileNotFoundError, ValueError):  # an empty file cannot be mapped
        return b""


def _lines_with(shard: mmap | bytes, key: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of a sealed shard with a call key, each with the byte it begins at: sealing puts them in that order."""
    low, high = 0, len(shard)
    while low < high:
        start = shard.rfind(b"\n", low, (low + high) // 2) + 1 or low
        if shard[start + len(_PREFIX) : start + _KEY_END] < key:
            low = (shard.find(b"\n", start) + 1) or len(shard)
        else:
            high = start
    while shard[low + len(_PREFIX) : low + _KEY_END] == key:
        end = (shard.find(b"\n", low) + 1) or len(shard)
        yield low, shard[low:end]
        low = end


def _tells(line: bytes) -> bool:
    """Whether it is a record of an answered call, with its words."""
    return HIDDEN not in line and not _is_errored(line)


def _is_errored(line: bytes) -> bool:
    """The quick look settles nearly every line; the slow one is for axes or reasons that happen to read like that."""
    if b'"state":"errored"' not in line:
        return False
    try:
        return msgspec.json.decode(line, type=_State).state == "errored"
    except NOT_JSON:
        return True


class Journal:
    """Writes records into a run folder, each once. What it writes is known from then on."""

    def __init__(self, folder: RunFolder, known: KnownCalls, salts: Mapping[str, str]) -> None:
        """salts: of the private items that are here, by id; their records are published without words.

        Raises RunError where a record the folder holds cannot be read.
        """
        self._folder, self._known, self._salts = folder, known, salts
        self._present: set[bytes] = set()
        self._places: set[bytes] = set()
        self._lost: set[bytes] = set()
        self._failed_usd: dict[bytes, float] = {}
        """By place, what attempts cost that left an errored record; the record that replaces it takes that over."""
        self.written = 0
        """Records written since this journal was opened."""
        for model in folder.models():
            self._read(Response, model)
            self._read(Judgment, model)

    @property
    def answered(self) -> int:
        """How many calls have their answer in the folder, whenever it was given."""
        return len(self._places)

    def holds(self, place: tuple[str, ...]) -> bool:
        """Whether the folder has the answer at a place, be it without its words."""
        return short_digest(*place) in self._places

    def has_lost(self, place: tuple[str, ...]) -> bool:
        """Whether the folder has the answer at a place without its words, which stand nowhere."""
        return short_digest(*place) in self._lost

    def knows(self, record: Record) -> bool:
        """Whether the call of a record has an answer that stands, here or in another run."""
        kind: type[Any] = type(record)
        known = self._known.find(kind, record.key)
        return known is not None and is_answered(known)

    def keep(self, record: Record) -> None:
        """Put the record on disk unless it is there. Raises StorageError where the disk refuses."""
        if short_digest(*record.place, record.key) in self._present:
            return
        if failed_usd := self._failed_usd.pop(short_digest(*record.place), 0.0):
            record = msgspec.structs.replace(record, failed_usd=(record.failed_usd or 0.0) + failed_usd)
        salt = self._salts.get(record.item)
        # The words first: a record without them that nothing stands behind would have to be asked for again.
        place = self._folder.append(record, private=salt is not None)
        if salt is not None:
            self._folder.append(published(record, salt))
        self.written += 1
        if record.state != "errored":
            self._known.add(type(record), record.key, *place)
        self._note(record)

    def close(self) -> None:
        self._folder.close()

    def _read(self, kind: type[RecordT], model: str) -> None:
        behind = {
            published(record, self._salts[record.item]).hidden
            for record in self._folder.records(kind, model, private=True)
            if record.item in self._salts
        }
        for record in self._folder.records(kind, model):
            self._note(record, lost=record.hidden is not None and record.hidden not in behind)

    def _note(self, record: Record, *, lost: bool = False) -> None:
        if record.state == "errored" and record.failed_usd:
            self._failed_usd[short_digest(*record.place)] = record.failed_usd
        if not self._known.retry.is_settled(record):
            return
        place, call = short_digest(*record.place), short_digest(*record.place, record.key)
        self._places.add(place)
        if lost:
            self._lost.add(place)
            self._present.discard(call)
        else:
            self._lost.discard(place)
            self._present.add(call)

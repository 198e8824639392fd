"""The calls that earlier runs have answered, by call key, and the journal of an open run.

Both keep places in files in memory, never texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from itertools import product
from math import fsum
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import PRIVATE, SHARDS, RunFolder, shards_of
from nullbench_site.runs.in_flight import CALL, InFlight, followed
from nullbench_site.runs.records import (
    Judgment,
    ProbeAnswer,
    Record,
    RecordT,
    Response,
    StoredRecord,
    damaged_line,
    is_answered,
    is_settled,
    published,
    short_digest,
    stored_lines,
)
from nullbench_site.runs.verify import is_sealed, restored_by
from nullbench_site.specs.digest import NOT_JSON

_KeptT = TypeVar("_KeptT", bound=Record)


class Retry(msgspec.Struct, frozen=True):
    """The unparsed judgments to make again: those of these judges, except those that this retry has already made."""

    number: int = 0
    judges: Collection[str] = ()

    def wants(self, record: Record) -> bool:
        """Return True if a record is to be made again; number 0 means no retry."""
        if self.number == 0 or not isinstance(record, Judgment) or record.state != "unparsed":
            return False
        return record.retry != self.number and record.judge in self.judges

    def is_answered(self, record: Record) -> bool:
        """Return True if the call of a record need not be made again."""
        return is_answered(record) and not self.wants(record)

    def is_settled(self, record: Record) -> bool:
        """Return True if the record is also complete."""
        return is_settled(record) and not self.wants(record)


class _Line(msgspec.Struct):
    """The fields of a record that decide whether its call is known. A line without them is not an answer."""

    key: str = ""
    state: str = "errored"
    hidden: Any = None


class KnownCalls:
    """An index over the shards of runs, in their order: a later answer to a call replaces an earlier one.

    Errored calls are not known, so they are made again. Published records of private items are not known either,
    because they lack the text; the private folder of a run has the full ones.
    """

    def __init__(self, runs: Iterable[CatalogEntry], retry: Retry | None = None) -> None:
        """Raises RunError for a line that is not JSON, and for a changed shard of a sealed run.

        A copy of a changed record would be sealed as if it were right.
        """
        self.retry = retry or Retry()
        self._places: dict[type[Record], dict[str, StoredRecord]] = {Response: {}, Judgment: {}, ProbeAnswer: {}}
        for run in runs:
            for kind, path in shards_of(run.path):
                _require_sealed(run, path, self._index(path, kind))
            for kind, path in shards_of(run.path / PRIVATE):
                self._index(path, kind)

    def _index(self, path: Path, kind: type[Record]) -> str:
        """Index the complete lines of a shard; returns the sha256 of the file."""
        digest, decoder = hashlib.sha256(), msgspec.json.Decoder(_Line)
        for number, (stored, line) in enumerate(stored_lines(path), start=1):
            digest.update(line)
            if line.endswith(b"\n"):  # an open run may end in half a line
                try:
                    record = decoder.decode(line)
                except NOT_JSON as error:
                    raise damaged_line(path, number, kind, error) from error
                if record.state != "errored" and record.hidden is None:
                    self._places[kind][record.key] = stored
        return digest.hexdigest()

    def add(self, kind: type[Record], key: str, stored: StoredRecord) -> None:
        """Add a record that was written after the index was built."""
        self._places[kind][key] = stored

    def forget(self, judges: Collection[str], *, but_in: Path) -> None:
        """Forget the judgments of these judges, except those in the run `but_in`."""
        places = self._places[Judgment]
        for key, stored in list(places.items()):
            if but_in not in stored.path.parents and self._read(stored, Judgment).judge in judges:
                del places[key]

    def forget_others(self, contestants: Collection[str], judges: Collection[str], *, but_in: Path) -> None:
        """Forget all answers but those of these contestants and judges, and those in the run `but_in`."""
        for kind, places in self._places.items():
            for key, stored in list(places.items()):
                if but_in in stored.path.parents:
                    continue
                of_contestant = kind is not Judgment and stored.path.stem in contestants
                of_judge = kind is Judgment and judges and self._read(stored, Judgment).judge in judges
                if not (of_contestant or of_judge):
                    del places[key]

    def has(self, key: str) -> bool:
        """Return True if a call of any kind is answered."""
        return any(key in places for places in self._places.values())

    def find(self, kind: type[RecordT], key: str) -> RecordT | None:
        """Return the record of an answered call, or None. Raises RunError if its line is damaged."""
        stored = self._places[kind].get(key)
        return None if stored is None else self._read(stored, kind)

    def answer(self, kind: type[RecordT], key: str) -> RecordT | None:
        """Return the record of an answered call; None also if the call is to be made again."""
        record = self.find(kind, key)
        return record if record is not None and self.retry.is_answered(record) else None

    def _read(self, stored: StoredRecord, kind: type[RecordT]) -> RecordT:
        try:
            return msgspec.json.decode(stored.read(), type=kind)
        except NOT_JSON as error:
            number = stored.path.read_bytes().count(b"\n", 0, stored.offset) + 1
            raise damaged_line(stored.path, number, kind, error) from error


def _require_sealed(run: CatalogEntry, shard: Path, sha256: str) -> None:
    name = f"{shard.parent.name}/{shard.name}"
    if not is_sealed(run.manifest, name, sha256):
        if name in run.manifest.files and (advice := restored_by(shard, run.manifest.files[name].sha256)):
            raise RunError(f"{shard}: {advice}")
        advice = "restore it from git, or delete the run folder and build again"
        raise RunError(f"{shard}: the file was changed after the run was sealed; {advice}")


class Journal:
    """Writes records into a run folder, each once, and adds them to the known calls."""

    def __init__(self, folder: RunFolder, known: KnownCalls, salts: Mapping[str, str]) -> None:
        """salts: of private items by id; their records are published without text.

        Raises RunError if a record of the folder cannot be read.
        """
        self._folder, self._known, self._salts = folder, known, salts
        self._present: set[bytes] = set()
        self._places: set[bytes] = set()
        self._lost: set[bytes] = set()
        self._failed: dict[bytes, Record] = {}
        """Place -> the errored record; the one that replaces it includes its cost."""
        self.written = 0
        """Records written since this journal was opened."""
        for model, kind in product(folder.models(), SHARDS):
            self._read(kind, model)

    @property
    def answered(self) -> int:
        """The number of calls with an answer in the folder."""
        return len(self._places)

    def has(self, place: tuple[str, ...]) -> bool:
        """Return True if the folder has the answer at a place, even without its text."""
        return short_digest(*place) in self._places

    def has_lost(self, places: Iterable[tuple[str, ...]]) -> bool:
        """Return True if the text of the answer at one of the places is lost."""
        return bool(self._lost) and any(short_digest(*place) in self._lost for place in places)

    def knows(self, record: Record) -> bool:
        """Return True if the call of a record has an answer, here or in another run."""
        kind: type[Any] = type(record)
        known = self._known.find(kind, record.key)
        return known is not None and is_answered(known)

    def keep(self, record: _KeptT, *, is_copy: bool = False, again: bool = False) -> _KeptT:
        """Write the record to disk, unless it is already there, and return it with the cost of failed attempts.

        is_copy: True if it already includes the cost of the errored records at its place. again: write it also if it is
        there. Raises StorageError if the disk refuses.
        """
        place, call = _digests(record)
        if call in self._present and not again:
            return record
        if (failed := self._failed.get(place)) is not None:
            record = _with_cost(record, failed, is_copy=is_copy)
        salt = self._salts.get(record.item)
        if (followed := CALL.get()) is not None:
            followed.before(record, private=salt is not None)
        # The full record first: a published one without it would have to be made again.
        stored = self._folder.append(record, private=salt is not None)
        if salt is not None:
            self._folder.append(published(record, salt))
        self.written += 1
        if record.state != "errored":
            kind: type[Any] = type(record)
            self._known.add(kind, record.key, stored)
        self._note(record, place, call)
        return record

    def settle(self, in_flight: InFlight) -> tuple[int, float | None]:
        """Record the cost of attempts that are in no record, and delete their file.

        Returns how many were under way, and the most that these can have cost; None without a bound. Raises RunError if
        the file is damaged.
        """
        most: list[float | None] = []
        for each in in_flight.unsettled():
            failed = each.record
            kind: type[Any] = type(failed)
            if each.in_flight:
                most.append(each.most_usd)
            known: Record | None = self._known.find(kind, failed.key)
            record = (
                failed if known is None else with_spent(known, each.call.place, failed.failed_usd, failed.uncounted)
            )
            with followed(each.call):
                self.keep(record, again=True)
        self.close()
        in_flight.remove()
        bounded = [each for each in most if each is not None]
        return len(most), fsum(bounded) if len(bounded) == len(most) else None

    def close(self) -> None:
        self._folder.close()

    def _read(self, kind: type[RecordT], model: str) -> None:
        behind = {
            published(record, self._salts[record.item]).hidden
            for record in self._folder.records(kind, model, private=True)
            if record.item in self._salts
        }
        for record in self._folder.records(kind, model):
            self._note(record, *_digests(record), lost=record.hidden is not None and record.hidden not in behind)

    def _note(self, record: Record, place: bytes, call: bytes, *, lost: bool = False) -> None:
        if record.state != "errored":  # it includes the cost
            self._failed.pop(place, None)
        elif record.failed_usd or record.uncounted:
            self._failed[place] = msgspec.structs.replace(record, error=None)
        if not self._known.retry.is_settled(record):
            return
        self._places.add(place)
        if lost:
            self._lost.add(place)
            self._present.discard(call)
        else:
            self._lost.discard(place)
            self._present.add(call)


def with_spent(record: _KeptT, place: Mapping[str, Any], failed_usd: float | None, uncounted: int) -> _KeptT:
    """Return a record at a place with the cost of more attempts."""
    spent = (record.failed_usd or 0.0) + (failed_usd or 0.0) or None
    return msgspec.structs.replace(record, **place, failed_usd=spent, uncounted=record.uncounted + uncounted)


def _digests(record: Record) -> tuple[bytes, bytes]:
    """Return what identifies the place of a record, and its call at that place."""
    place = record.place
    return short_digest(*place), short_digest(*place, record.key)


def _with_cost(record: _KeptT, failed: Record, *, is_copy: bool) -> _KeptT:
    """Return the record with the cost of the errored one at its place; that of one line of a batch counts once."""
    usd, uncounted = record.failed_usd or 0.0, record.uncounted
    if is_copy:
        usd, uncounted = max(usd, failed.failed_usd or 0.0), max(uncounted, failed.uncounted)
    elif record.billed and set(record.billed) <= set(failed.billed):
        usd, uncounted = failed.failed_usd or 0.0, failed.uncounted
    else:
        usd, uncounted = usd + (failed.failed_usd or 0.0), uncounted + failed.uncounted
    billed = tuple(dict.fromkeys((*failed.billed, *record.billed))) if record.state == "errored" else ()
    return msgspec.structs.replace(record, failed_usd=usd or None, uncounted=uncounted, billed=billed)

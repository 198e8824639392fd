"""An open run as it is written: which calls it holds, and each new one on disk before it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Record, RecordT, Response, is_answered, published, short_digest


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

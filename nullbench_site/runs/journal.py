"""An open run as it is written: which calls it holds, and each new one on disk before it counts."""

from __future__ import annotations

from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Record, Response, is_settled, short_digest


class Journal:
    """Writes records into a run folder, each once. What it writes is known from then on."""

    def __init__(self, folder: RunFolder, known: KnownCalls) -> None:
        """Raises RunError where a record the folder holds cannot be read."""
        self._folder, self._known = folder, known
        self._present: set[bytes] = set()
        self._places: set[bytes] = set()
        self.written = 0
        """Records written since this journal was opened."""
        for model in folder.models():
            for response in folder.records(Response, model):
                self._note(response)
            for judgment in folder.records(Judgment, model):
                self._note(judgment)

    @property
    def answered(self) -> int:
        """How many calls have their answer in the folder, whenever it was given."""
        return len(self._places)

    def keep(self, record: Record) -> None:
        """Put the record on disk unless it is there. Raises StorageError where the disk refuses."""
        if short_digest(*record.place, record.key) in self._present:
            return
        place = self._folder.append(record)
        self.written += 1
        if record.state != "errored":
            self._known.add(type(record), record.key, *place)
        self._note(record)

    def close(self) -> None:
        self._folder.close()

    def _note(self, record: Record) -> None:
        if is_settled(record):
            self._present.add(short_digest(*record.place, record.key))
            self._places.add(short_digest(*record.place))

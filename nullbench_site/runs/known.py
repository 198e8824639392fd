"""What earlier runs already know: from a call key to the record of its answer, without holding any text in memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from nullbench_site.runs.records import Judgment, Record, RecordT, Response

_FOLDERS: dict[type[Record], str] = {Response: "responses", Judgment: "judgments"}
_PREFIX = b'{"key":"'
_KEY_END = len(_PREFIX) + 64


class _Place(NamedTuple):
    path: Path
    offset: int
    length: int


class KnownCalls:
    """An index over the shards of run folders. Errored calls are not known: they are asked again."""

    def __init__(self, run_dirs: Iterable[Path]) -> None:
        self._places: dict[type[Record], dict[bytes, _Place]] = {Response: {}, Judgment: {}}
        for run_dir in run_dirs:
            for kind, folder in _FOLDERS.items():
                for path in sorted((run_dir / folder).glob("*.jsonl")):
                    self._index(path, self._places[kind])

    @staticmethod
    def _index(path: Path, places: dict[bytes, _Place]) -> None:
        offset = 0
        with path.open("rb") as lines:
            for line in lines:
                if line.startswith(_PREFIX) and line.endswith(b"\n") and b'"state":"errored"' not in line:
                    places[line[len(_PREFIX) : _KEY_END]] = _Place(path, offset, len(line))
                offset += len(line)

    def find(self, kind: type[RecordT], key: str) -> RecordT | None:
        """The record of an answered call, or None."""
        place = self._places[kind].get(key.encode())
        if place is None:
            return None
        with place.path.open("rb") as file:
            file.seek(place.offset)
            return msgspec.json.decode(file.read(place.length), type=kind)

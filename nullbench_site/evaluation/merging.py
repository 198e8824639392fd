"""Copy the records of runs that were made elsewhere, such as the shards of one build, into the run of these specs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import RunError, UsageError
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.folder import PRIVATE, shards_of
from nullbench_site.runs.known import Journal
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.runs.records import Judgment, Record, damaged_line, is_answered, short_digest
from nullbench_site.runs.storage import storage_errors
from nullbench_site.runs.verify import is_sealed, restored_by
from nullbench_site.specs.digest import NOT_JSON, file_sha256


def runs_to_merge(builder: RequestBuilder, folders: Sequence[Path]) -> list[CatalogEntry]:
    """Return the runs in these folders.

    Raises UsageError for one that is named twice, is of other calls, or disagrees with another on a call; RunError for
    one that was changed.
    """
    entries: list[CatalogEntry] = []
    for folder in folders:
        if any(folder.resolve() == entry.path.resolve() for entry in entries):
            raise UsageError(f"{folder} is named twice; name each run once")
        entry = CatalogEntry(folder, read_manifest(folder))
        if entry.manifest.calls_digest != builder.calls_digest:
            theirs, ours = entry.manifest.calls_digest[:8], builder.calls_digest[:8]
            problem = (
                f"{folder}: its calls are those of other specs or of another version (digest {theirs}, here {ours})"
            )
            raise UsageError(f"{problem}; make every shard from one commit with one version")
        entries.append(entry)
        for _, path in shards_of(folder):
            with storage_errors(path):
                digest = file_sha256(path)
            name = f"{path.parent.name}/{path.name}"
            if not is_sealed(entry.manifest, name, digest):
                if name in entry.manifest.files and (advice := restored_by(path, entry.manifest.files[name].sha256)):
                    raise RunError(f"{path}: {advice}")
                raise RunError(f"{path}: the file was changed after the run was sealed; copy the run again")
    _check_agreement(folders)
    return entries


def _check_agreement(folders: Sequence[Path]) -> None:
    """Raises UsageError if two runs have different answers to one call: only one of them can be kept."""
    seen: dict[tuple[str, str, bool], tuple[bytes, Path]] = {}
    for folder in folders:
        here: dict[tuple[str, str, bool], tuple[bytes, Path]] = {}
        for shards in (folder, folder / PRIVATE):
            for kind, path in shards_of(shards):
                for record in _records(path, kind):
                    if is_answered(record):
                        here[kind.__name__, record.key, record.hidden is not None] = _content(record), path
        for name, (content, path) in here.items():
            before, other = seen.setdefault(name, (content, path))
            if content != before:
                problem = f"{path}: a second, different answer to call {name[1]!r}; the first is in {other}"
                raise UsageError(f"{problem}; merge only one of the two runs, then build what is missing")


def _content(record: Record) -> bytes:
    """Return a digest of what a record says; times and costs may differ."""
    said: list[Any] = [record.state, record.ended, record.hidden and record.hidden.runes]
    if isinstance(record, Judgment):
        said += [sorted(record.scores.items()), sorted(record.invalid), record.rationale]
    else:
        said += [record.text]
    return short_digest(msgspec.json.encode(said).decode())


def copy_records(folder: Path, journal: Journal, private: Collection[str]) -> int:
    """Copy the records of a run that are new here, one at a time; returns how many they are.

    private: the items whose texts are here. The full records of other private items stay where they are: only their
    published records are copied.
    """
    before = journal.written
    for kind, path in shards_of(folder / PRIVATE):
        for record in _records(path, kind):
            if record.item in private:
                journal.keep(record, is_copy=True)
    for kind, path in shards_of(folder):
        for record in _records(path, kind):
            if record.item not in private and not (record.state == "errored" and journal.has(record.place)):
                journal.keep(record, is_copy=True)
    journal.close()
    return journal.written - before


def _records(path: Path, kind: type[Any]) -> Iterator[Record]:
    """Yield the records of a file. The last line of a killed build may be incomplete; its call is made again.

    Raises RunError for a line that is no record of its contestant.
    """
    decoder = msgspec.json.Decoder(kind)
    with storage_errors(path), path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                record = decoder.decode(line)
            except NOT_JSON as error:
                raise damaged_line(path, number, kind, error) from error
            if record.model != path.stem:
                raise RunError(f"{path}:{number}: a record of contestant {record.model!r}; copy the run again")
            yield record

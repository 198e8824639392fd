"""A run folder: records are appended while it is open; sealing sorts and fixes them.

runs/<version>-<spec_digest[:8]>[.rN]/
  manifest.json   specs/   responses/<model>.jsonl   judgments/<model>.jsonl   probes/<model>.jsonl   results/<board>/
  private/        items/<domain>.jsonl, and responses/ and judgments/ of private items with their texts;
                  in-flight.jsonl of an open run: see `runs.in_flight`

The folder private/ is not published, so the manifest does not list it: a run is complete without it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import FileIO
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.manifest import NAME, FileDigest, ItemDates, Manifest, RecordTally, Stop, write_manifest
from nullbench_site.runs.records import (
    Judgment,
    ProbeAnswer,
    Record,
    RecordT,
    Response,
    StoredRecord,
    encode,
    encode_lines,
    read_lines,
    read_records,
)
from nullbench_site.runs.storage import OpenFiles, drop_temporary, storage_errors, write_atomically
from nullbench_site.specs.digest import canonical_json, file_sha256
from nullbench_site.specs.listing import listing
from nullbench_site.specs.types import PrivateText

SHARDS: dict[type[Any], str] = {Response: "responses", Judgment: "judgments", ProbeAnswer: "probes"}
"""The folders of records, in a run and in its private folder."""
_ITEMS = "items"
PRIVATE = "private"
IN_FLIGHT = "in-flight.jsonl"
"""In the private folder of an open run: see `runs.in_flight`."""
LINK = "this is a symlink, and a run may contain only its own files"


def shards_of(folder: Path) -> Iterator[tuple[Any, Path]]:
    """Yield the shards of a run or of its private folder, each with its type of record; responses first.

    Raises RunError for one that is not a file, such as a pipe, which would be read for ever.
    """
    for kind, name in SHARDS.items():
        for path in sorted((folder / name).glob("*.jsonl")):
            if not path.is_file():
                raise RunError(f"{path}: not a file; restore it from git, or move the run away")
            yield kind, path


class RunFolder:
    """One run on disk. Hold `storage.exclusive` around writing.

    Raises RunError if it contains a symlink, through which a file elsewhere would be read or written.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        if (link := next(links(path), None)) is not None:
            raise RunError(f"{link}: {LINK}; replace it with the file, or move the run away")
        self.path, self.manifest = path, manifest
        self._files = OpenFiles(open_lines)
        self._shard_paths: dict[tuple[type[Record], str, bool], Path] = {}

    @classmethod
    def create(cls, path: Path, manifest: Manifest, specs: Path) -> RunFolder:
        """Create an open run with the current specs. It appears complete or not at all."""
        if path.exists():
            advice = f"restore its {NAME} from git, or move the folder away, and build again"
            raise RunError(f"{path}: this folder has the name of the new run, but is not a run; {advice}")
        unfinished = path.with_name(f".{path.name}.new")
        with storage_errors(path):
            if unfinished.exists():
                shutil.rmtree(unfinished)
            _copy_specs(specs, unfinished / "specs")
            written = write_manifest(unfinished, manifest)
            unfinished.rename(path)
        return cls(path, written)

    def shard(self, kind: type[Record], model: str, *, private: bool = False) -> Path:
        """Return the path of a shard. private: the one with the full records of private items."""
        name = kind, model, private
        if name not in self._shard_paths:
            folder = (self.path / PRIVATE if private else self.path) / SHARDS[kind]
            self._shard_paths[name] = folder / f"{model}.jsonl"
        return self._shard_paths[name]

    def models(self) -> list[str]:
        """Return the ids of the contestants with responses."""
        return sorted(path.stem for path in (self.path / SHARDS[Response]).glob("*.jsonl"))

    def records(self, kind: type[RecordT], model: str, *, private: bool = False) -> Iterator[RecordT]:
        path = self.shard(kind, model, private=private)
        if path.is_file():
            yield from read_records(path, kind)

    def append(self, record: Record, *, private: bool = False) -> StoredRecord:
        """Write the record to disk. Once this returns, killing the process does not lose it."""
        path, line = self.shard(type(record), record.model, private=private), encode(record)
        with storage_errors(path):
            file = self._files[path]
            offset = file.tell()
            try:
                _write_whole(file, line)
            except BaseException:
                # The line may be torn now; the next writer cuts it.
                self._files.close(path)
                raise
            return StoredRecord(path, offset, len(line))

    def write_shard(self, records: Sequence[RecordT]) -> list[RecordT]:
        """Write all responses, or all judgments, of a contestant at once; none may be private.

        Returns them in the order of the file.
        """
        in_order = sorted(records, key=attrgetter("key"))
        if in_order:
            shard = self.shard(type(in_order[0]), in_order[0].model)
            with storage_errors(shard):
                shard.parent.mkdir(exist_ok=True)
                shard.write_bytes(encode_lines(in_order))
        return in_order

    def close(self) -> None:
        """Close the shards. Nothing is lost without it."""
        self._files.close()

    def drop_torn_lines(self) -> list[Path]:
        """Cut torn lines at the end of shards; returns the files."""
        return [path for _, path in self._shards if _cut_torn_line(path)]

    @property
    def _shards(self) -> list[tuple[Any, Path]]:
        """All shards, the published ones first."""
        return [*shards_of(self.path), *shards_of(self.path / PRIVATE)]

    def sort_shards(self) -> RecordTally:
        """Sort each shard by call key, keep the newest record of each place, and return the tally."""
        self.close()
        for kind, path in self._shards:
            _sort(path, kind)
        return self.tally()

    def keep_texts(self, texts: Mapping[str, Iterable[PrivateText]]) -> None:
        """Write the texts of private items, by domain, into the private folder, if it does not have them."""
        for domain, of_domain in texts.items():
            path = self.path / PRIVATE / _ITEMS / f"{domain}.jsonl"
            if not path.exists():
                write_atomically(path, (canonical_json(text) + b"\n" for text in of_domain))

    def tally(self) -> RecordTally:
        """Add up the records of the folder."""
        tally = RecordTally()
        for model, kind in product(self.models(), SHARDS):
            tally.add(self.records(kind, model))
        return tally

    def discard(self) -> None:
        """Delete the run. If killed meanwhile, it leaves nothing that looks like a run."""
        self.close()
        with storage_errors(self.path):
            doomed = self.path.rename(self.path.with_name(f".{self.path.name}.new"))
            shutil.rmtree(doomed)

    def resume(self, retry: int) -> None:
        """Write the number of the retry that resumes the run into its manifest, and remove the stops of a build."""
        if retry != self.manifest.retry or self.manifest.stops:
            self.manifest = write_manifest(self.path, msgspec.structs.replace(self.manifest, retry=retry, stops={}))

    def stop(self, stops: Mapping[str, Stop]) -> None:
        """Write into the manifest where a build stopped boards early."""
        self.manifest = write_manifest(self.path, msgspec.structs.replace(self.manifest, stops=dict(stops)))

    def note(self, tally: RecordTally) -> Manifest:
        """Write the tally of the records into the manifest."""
        usage = tally.usage
        noted = msgspec.structs.replace(self.manifest, counts=tally.counts, usage=usage, cost_usd=usage.cost_usd)
        self.manifest = write_manifest(self.path, noted)
        return self.manifest

    def date_items(self, dates: Mapping[str, ItemDates]) -> None:
        """Write the dates of the items of boards into the manifest."""
        if dates != self.manifest.item_dates:
            self.manifest = write_manifest(self.path, msgspec.structs.replace(self.manifest, item_dates=dict(dates)))

    def seal(self, now: str, scored_by: str | None = None) -> Manifest:
        """Write the digest of every file into the manifest. A sealed run keeps its time of sealing.

        scored_by: the program that computed the results; None keeps the former one.
        """
        self.close()
        drop_temporary(self.path)
        with storage_errors(self.path):
            (self.path / PRIVATE / IN_FLIGHT).unlink(missing_ok=True)
        sealed_at = self.manifest.sealed_at or now
        sealed = msgspec.structs.replace(
            self.manifest,
            state="sealed",
            sealed_at=sealed_at,
            files=file_digests(self.path),
            scored_by=scored_by or self.manifest.scored_by,
        )
        self.manifest = write_manifest(self.path, sealed)
        return self.manifest


def open_lines(path: Path, mode: int = 0o666) -> FileIO:
    """Open a file to append lines, without a torn last one. mode: of a new file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        _cut_torn_line(path)
    else:
        path.touch(mode)
    # Unbuffered: a buffer would keep data that a full disk refused, and write it later.
    return FileIO(path, "ab")


def _write_whole(file: FileIO, line: bytes) -> None:
    """Write all of a line: a nearly full disk takes only a part."""
    rest = memoryview(line)
    while rest:
        rest = rest[file.write(rest) :]


def _cut_torn_line(path: Path) -> bool:
    """Cut the last line if it is torn; returns True if it was."""
    with storage_errors(path), path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        if file.read(1) == b"\n":
            return False
        file.seek(0)
        whole = file.read().rfind(b"\n") + 1
        os.truncate(path, whole)
        return True


def _sort(path: Path, kind: type[RecordT]) -> None:
    """Sort the lines of a shard by call key, and keep only the newest line of each place."""
    newest = {record.place: (record.key, line) for record, line in read_lines(path, kind)}
    content = b"".join(line for _, line in sorted(newest.values()))
    if content != path.read_bytes():
        write_atomically(path, content)


def _copy_specs(specs: Path, target: Path) -> None:
    """Copy the specs only: a run is published. An error names the copy."""
    for path in listing(specs).specs:
        copy = target / path.relative_to(specs)
        with storage_errors(copy):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())


def links(run_dir: Path) -> Iterator[Path]:
    """Yield the symlinks in a run."""
    return (path for path in sorted(run_dir.rglob("*")) if path.is_symlink())


def file_digests(run_dir: Path, but_for: str | None = None) -> dict[str, FileDigest]:
    """Return the digest of every published file of a run except its manifest, by path below the run.

    but_for: the prefix of paths to leave out.
    """
    digests = {}
    for path in sorted(run_dir.rglob("*")):
        if not path.is_file() or path == run_dir / NAME or path.is_relative_to(run_dir / PRIVATE):
            continue
        name = path.relative_to(run_dir).as_posix()
        if but_for is not None and name.startswith(but_for):
            continue
        digests[name] = FileDigest(file_sha256(path), path.stat().st_size)
    return digests

"""A run folder: records are appended while it is open; sealing sorts and fixes them.

runs/<version>-<spec_digest[:8]>[.rN]/
  manifest.json   specs/   responses/<model>.jsonl   judgments/<model>.jsonl   results/<board>/
  private/        items/<domain>.jsonl, and responses/ and judgments/ once more: of private items, with all texts

What stands in private/ is not published, so the manifest says nothing of it: a run is whole without.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import FileIO
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.manifest import NAME, FileDigest, Manifest, RecordTally, write_manifest
from nullbench_site.runs.records import (
    Judgment,
    Record,
    RecordT,
    Response,
    encode,
    encode_lines,
    read_lines,
    read_records,
)
from nullbench_site.runs.storage import drop_temporary, storage_errors, write_atomically
from nullbench_site.specs.digest import canonical_json
from nullbench_site.specs.listing import listing
from nullbench_site.specs.types import PrivateText

SHARDS: dict[type[Record], str] = {Response: "responses", Judgment: "judgments"}
"""The folders of records, in a run and in its private folder."""
_ITEMS = "items"
PRIVATE = "private"
LINK = "this is a link, and a run holds nothing but files of its own"
_OPEN_FILES = 64
"""Shards kept open at once; far under the usual limit of 1,024, so that a thousand models need no more."""


def shards_of(folder: Path) -> Iterator[tuple[Any, Path]]:
    """The files of records in a run or in its private folder, each with the type of its lines; responses come first."""
    for kind, name in SHARDS.items():
        yield from ((kind, path) for path in sorted((folder / name).glob("*.jsonl")))


class RunFolder:
    """One run on disk. Not for two writers at once: hold `storage.exclusive` around writing.

    Raises RunError where a link stands in it, through which somebody else's file would be read or written.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        if (link := next(links(path), None)) is not None:
            raise RunError(f"{link}: {LINK}; put the file itself there, or move the run away")
        self.path, self.manifest = path, manifest
        self._files: OrderedDict[Path, FileIO] = OrderedDict()

    @classmethod
    def create(cls, path: Path, manifest: Manifest, specs: Path) -> RunFolder:
        """A new open run, with the specs as they are now. It appears whole or not at all."""
        if path.exists():
            advice = f"restore its {NAME} from git, or move the folder away, and build again"
            raise RunError(f"{path}: this folder stands where the new run belongs, and is no run; {advice}")
        unfinished = path.with_name(f".{path.name}.new")
        with storage_errors(path):
            if unfinished.exists():
                shutil.rmtree(unfinished)
            _copy_specs(specs, unfinished / "specs")
            written = write_manifest(unfinished, manifest)
            unfinished.rename(path)
        return cls(path, written)

    def shard(self, kind: type[Record], model: str, *, private: bool = False) -> Path:
        """private: that of the whole records of private items, which the published shard has without words."""
        return (self.path / PRIVATE if private else self.path) / SHARDS[kind] / f"{model}.jsonl"

    def models(self) -> list[str]:
        """The contestants with a shard of responses, by id."""
        return sorted(path.stem for path in (self.path / SHARDS[Response]).glob("*.jsonl"))

    def records(self, kind: type[RecordT], model: str, *, private: bool = False) -> Iterator[RecordT]:
        path = self.shard(kind, model, private=private)
        if path.is_file():
            yield from read_records(path, kind)

    def append(self, record: Record, *, private: bool = False) -> tuple[Path, int, int]:
        """Put the record on disk; when this returns, a killed process no longer loses it.

        Returns where it stands: the file, the byte it begins at, and its length.
        """
        path, line = self.shard(type(record), record.model, private=private), encode(record)
        with storage_errors(path):
            file = self._writer(path)
            offset = file.tell()
            try:
                _write_whole(file, line)
            except BaseException:
                # Half a line may stand there now; whoever opens the shard next cuts it.
                self._files.pop(path).close()
                raise
            return path, offset, len(line)

    def write_shard(self, records: Sequence[RecordT]) -> list[RecordT]:
        """Put all responses, or all judgments, of a contestant on disk at once. None may be private.

        Returns them in the order in which they stand there.
        """
        in_order = sorted(records, key=attrgetter("key"))
        if in_order:
            shard = self.shard(type(in_order[0]), in_order[0].model)
            with storage_errors(shard):
                shard.parent.mkdir(exist_ok=True)
                shard.write_bytes(encode_lines(in_order))
        return in_order

    def _writer(self, path: Path) -> FileIO:
        if path in self._files:
            self._files.move_to_end(path)
            return self._files[path]
        while len(self._files) >= _OPEN_FILES:
            self._files.popitem(last=False)[1].close()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            _cut_torn_line(path)
        # Without a buffer: what a full disk refused would stay in it, and be written whenever there is space.
        self._files[path] = FileIO(path, "ab")
        return self._files[path]

    def close(self) -> None:
        """Close the shards; nothing is lost without it."""
        while self._files:
            path, file = self._files.popitem()
            with storage_errors(path):
                file.close()

    def drop_torn_lines(self) -> list[Path]:
        """Cut what a killed process left half written at the end of a shard; returns the files mended."""
        return [path for _, path in self._shards if _cut_torn_line(path)]

    @property
    def _shards(self) -> list[tuple[Any, Path]]:
        """Those that are published, then the private ones."""
        return [*shards_of(self.path), *shards_of(self.path / PRIVATE)]

    def sort_shards(self) -> RecordTally:
        """Rewrite each shard by call key, one record a place (the newest), and add the records up."""
        self.close()
        for kind, path in self._shards:
            _sort(path, kind)
        return self.tally()

    def keep_texts(self, texts: Mapping[str, Iterable[PrivateText]]) -> None:
        """Put the texts of private items, by domain, beside the records that are about them.

        They stay those of the run when the benchmark has others.
        """
        for domain, of_domain in texts.items():
            path = self.path / PRIVATE / _ITEMS / f"{domain}.jsonl"
            if not path.exists():
                write_atomically(path, (canonical_json(text) + b"\n" for text in of_domain))

    def tally(self) -> RecordTally:
        """The records of the folder, added up."""
        tally = RecordTally()
        for model in self.models():
            tally.add(self.records(Response, model))
            tally.add(self.records(Judgment, model))
        return tally

    def discard(self) -> None:
        """Take the run away. Killed meanwhile, nothing is left that looks like a run."""
        self.close()
        with storage_errors(self.path):
            doomed = self.path.rename(self.path.with_name(f".{self.path.name}.new"))
            shutil.rmtree(doomed)

    def begin_retry(self, number: int) -> None:
        """Note which retry goes on with the run; nothing where that stands there."""
        if number != self.manifest.retry:
            self.manifest = write_manifest(self.path, msgspec.structs.replace(self.manifest, retry=number))

    def note(self, tally: RecordTally) -> Manifest:
        """Put what the records add up to into the manifest."""
        usage = tally.usage
        noted = msgspec.structs.replace(self.manifest, counts=tally.counts, usage=usage, cost_usd=usage.cost_usd)
        self.manifest = write_manifest(self.path, noted)
        return self.manifest

    def seal(self, now: str, scored_by: str | None = None) -> Manifest:
        """Fix the digest of every file of the run. Sealing a sealed run again keeps its time of sealing.

        scored_by: what worked out the results that stand there; None: that is as it was.
        """
        self.close()
        drop_temporary(self.path)
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


def _write_whole(file: FileIO, line: bytes) -> None:
    """A disk that is nearly full takes a part and refuses the rest."""
    rest = memoryview(line)
    while rest:
        rest = rest[file.write(rest) :]


def _cut_torn_line(path: Path) -> bool:
    """Cut the last line if it has no end; whether there was one."""
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
    """The specs alone, whatever else stands beside them: a run is published. The error names the copy."""
    for path in listing(specs).specs:
        copy = target / path.relative_to(specs)
        with storage_errors(copy):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())


def links(run_dir: Path) -> Iterator[Path]:
    """The links that stand in a run."""
    return (path for path in sorted(run_dir.rglob("*")) if path.is_symlink())


def file_digests(run_dir: Path, but_for: str | None = None) -> dict[str, FileDigest]:
    """The digest of every published file of a run but its manifest, by path below the run.

    but_for: paths that begin so are left out, and not read.
    """
    digests = {}
    for path in sorted(run_dir.rglob("*")):
        if not path.is_file() or path == run_dir / NAME or path.is_relative_to(run_dir / PRIVATE):
            continue
        name = path.relative_to(run_dir).as_posix()
        if but_for is not None and name.startswith(but_for):
            continue
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        digests[name] = FileDigest(sha256, path.stat().st_size)
    return digests

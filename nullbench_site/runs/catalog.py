"""The runs of a benchmark: the list of them, the newest for given specs, the name of the next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.git import Source, is_tracked_link
from nullbench_site.runs.manifest import NAME, RECORDS, FileDigest, Manifest, read_manifest
from nullbench_site.runs.storage import storage_errors

_NAME = re.compile(r"(?P<stem>[0-9]+\.[0-9]+\.[0-9]+-[0-9a-f]{8})(?:\.r(?P<repeat>[0-9]+))?\Z")


@dataclass(frozen=True)
class CatalogEntry:
    """A run folder and its manifest."""

    path: Path
    manifest: Manifest

    @property
    def is_ahead(self) -> bool:
        """Return True if the run is dated more than a day in the future: a clock was wrong."""
        return self.manifest.created_at > (datetime.now(UTC) + timedelta(days=1)).isoformat(timespec="milliseconds")

    @property
    def place(self) -> tuple[str, int]:
        """The common name of the runs of its specs, and 1 for the first of them, N for `.rN`."""
        match = _NAME.match(self.path.name)
        return (match["stem"], int(match["repeat"] or 1)) if match else (self.path.name, 1)


def count_records(entry: CatalogEntry) -> dict[str, int]:
    """Return the number of responses, of judgments and of answers to probes of a run.

    In an open run, only complete lines count.
    """
    counts = entry.manifest.counts
    if entry.manifest.sealed:
        judgments = counts.scored + counts.unparsed + counts.judge_errored
        each = (counts.answered + counts.errored, judgments, counts.probes or 0)
        return dict(zip(RECORDS, each, strict=True))
    return {kind: sum(_lines(path) for path in (entry.path / kind).glob("*.jsonl")) for kind in RECORDS}


def _lines(path: Path) -> int:
    with storage_errors(path), path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(partial(file.read, 1 << 20), b""))


class RunSummary(msgspec.Struct, frozen=True):
    """A summary of a run from its manifest. null: unknown in an open run.

    calls: its records so far. bytes: of its files. shards: its files of records; shared: how many of them are also in
    another run, so that git stores them once; shared_bytes: their size.
    """

    run: str
    date: str
    version: str
    profile: str | None
    state: Literal["open", "sealed"]
    digest: str
    spec_digest: str
    calls: int
    bytes: int | None
    shards: int | None
    shared: int | None
    shared_bytes: int | None
    commit: str | None
    dirty: bool | None


def summaries(entries: Sequence[CatalogEntry]) -> list[RunSummary]:
    """Return the summary of each run, in their order, without reading records."""
    shards = [
        {name: file for name, file in entry.manifest.files.items() if name.startswith(RECORDS)} for entry in entries
    ]
    copies = Counter(file for of_run in shards for file in set(of_run.values()))
    return [_summary(entry, of_run, copies) for entry, of_run in zip(entries, shards, strict=True)]


def _summary(entry: CatalogEntry, shards: dict[str, FileDigest], copies: Counter[FileDigest]) -> RunSummary:
    manifest, source = entry.manifest, entry.manifest.source or Source()
    known = manifest.sealed
    shared = [file for file in shards.values() if copies[file] > 1]
    return RunSummary(
        run=entry.path.name,
        date=manifest.date,
        version=manifest.version,
        profile=manifest.profile,
        state=manifest.state,
        digest=manifest.digest,
        spec_digest=manifest.spec_digest,
        calls=sum(count_records(entry).values()),
        bytes=sum(file.bytes for file in manifest.files.values()) if known else None,
        shards=len(shards) if known else None,
        shared=len(shared) if known else None,
        shared_bytes=sum(file.bytes for file in shared) if known else None,
        commit=source.commit,
        dirty=source.dirty,
    )


class Catalog(NamedTuple):
    """The runs, oldest first, and the problem of each folder whose manifest cannot be read."""

    entries: list[CatalogEntry]
    damaged: dict[str, str]


def list_runs(runs_dir: Path) -> list[CatalogEntry]:
    """Return the runs below `runs_dir`, oldest first. Raises RunError if a manifest cannot be read."""
    catalog = read_catalog(runs_dir)
    if catalog.damaged:
        raise RunError("\n".join(catalog.damaged.values()))
    return catalog.entries


def read_catalog(runs_dir: Path) -> Catalog:
    """Return every run below `runs_dir`, oldest first.

    Of runs of the same specs, the one with the higher number is newer, even if the clock was wrong. A run dated in the
    future comes first. Folders with a leading dot are leftovers of killed builds.
    """
    entries, damaged = [], {}
    for folder in sorted(path.parent for path in runs_dir.glob(f"[!.]*/{NAME}")):
        try:
            if link := next((path for path in (runs_dir, folder) if is_tracked_link(runs_dir.parent, path)), None):
                raise RunError(f"{link}: git tracks this link, so it is not followed; replace it with the folder")
            entries.append(CatalogEntry(folder, read_manifest(folder)))
        except RunError as error:
            damaged[folder.name] = str(error)
    latest: dict[str, str] = {}
    ages = {}
    for entry in sorted(entries, key=lambda entry: entry.place):
        stem, repeat = entry.place
        latest[stem] = max(latest.get(stem, ""), "" if entry.is_ahead else entry.manifest.created_at)
        ages[entry.path] = latest[stem], repeat, stem
    return Catalog(sorted(entries, key=lambda entry: ages[entry.path]), damaged)


def runs_of(entries: Sequence[CatalogEntry], version: str, spec_digest: str) -> list[CatalogEntry]:
    """Return the runs of these specs at this version, in the order of `entries`."""
    return [e for e in entries if e.manifest.spec_digest == spec_digest and e.manifest.version == version]


def best_run(entries: Sequence[CatalogEntry]) -> CatalogEntry | None:
    """Return the newest complete run, else the newest sealed run, else the newest. entries: of the same calls."""
    newest_first = reversed(entries)
    return max(newest_first, key=lambda entry: (entry.manifest.complete, entry.manifest.sealed), default=None)


def newest_run(entries: Sequence[CatalogEntry]) -> CatalogEntry | None:
    """Return the best run of the same calls as the newest sealed run, or as the newest if none is sealed."""
    sealed = [entry for entry in entries if entry.manifest.sealed] or entries
    if not sealed:
        return None
    newest = sealed[-1].manifest
    of_specs = runs_of(sealed, newest.version, newest.spec_digest)
    return best_run([entry for entry in of_specs if entry.manifest.calls_digest == newest.calls_digest])


def newest_of_profiles(entries: Sequence[CatalogEntry]) -> list[CatalogEntry]:
    """Return the newest sealed run of each profile, in the order of `entries`."""
    newest = {entry.manifest.profile: entry for entry in entries if entry.manifest.sealed}
    return [entry for entry in entries if newest.get(entry.manifest.profile) is entry]


def current(entries: Sequence[CatalogEntry]) -> list[CatalogEntry]:
    """Return the open runs and the newest sealed run of each profile, in the order of `entries`."""
    newest = newest_of_profiles(entries)
    return [entry for entry in entries if not entry.manifest.sealed or entry in newest]


def next_run_name(entries: list[CatalogEntry], version: str, spec_digest: str) -> str:
    """Return `<version>-<spec_digest[:8]>`, with `.rN` from the second run of the same specs on."""
    stem = f"{version}-{spec_digest[:8]}"
    taken = [entry.place[1] for entry in entries if entry.place[0] == stem]
    return stem if not taken else f"{stem}.r{max(taken) + 1}"

"""The runs of a benchmark: which there are, which is the newest for given specs, what the next one is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nullbench_site.runs.manifest import NAME, Manifest, read_manifest

_NAME = re.compile(r"(?P<stem>[0-9]+\.[0-9]+\.[0-9]+-[0-9a-f]{8})(?:\.r(?P<repeat>[0-9]+))?\Z")


@dataclass(frozen=True)
class CatalogEntry:
    """A run folder and its manifest."""

    path: Path
    manifest: Manifest

    @property
    def place(self) -> tuple[str, int]:
        """The name that runs of its specs have in common, and 1 for the first of them, N for `.rN`."""
        match = _NAME.match(self.path.name)
        return (match["stem"], int(match["repeat"] or 1)) if match else (self.path.name, 1)


def list_runs(runs_dir: Path) -> list[CatalogEntry]:
    """Every run below `runs_dir`, oldest first. Raises RunError where a manifest cannot be read.

    A clock that was put back makes no run older: of runs of the same specs the one with the higher number is newer.
    Folders with a dot in front are what a killed build had not finished making.
    """
    folders = sorted(path.parent for path in runs_dir.glob(f"[!.]*/{NAME}"))
    entries = [CatalogEntry(folder, read_manifest(folder)) for folder in folders]
    latest: dict[str, str] = {}
    ages = {}
    for entry in sorted(entries, key=lambda entry: entry.place):
        stem, repeat = entry.place
        latest[stem] = max(latest.get(stem, ""), entry.manifest.created_at)
        ages[entry.path] = latest[stem], repeat, stem
    return sorted(entries, key=lambda entry: ages[entry.path])


def runs_of(entries: Sequence[CatalogEntry], version: str, spec_digest: str) -> list[CatalogEntry]:
    """The runs of these specs at this version, in the order of `entries`."""
    return [e for e in entries if e.manifest.spec_digest == spec_digest and e.manifest.version == version]


def best_run(entries: Sequence[CatalogEntry]) -> CatalogEntry | None:
    """Of runs of the same calls, oldest first, the one to be done with, or to go on with: a sealed run, better one in
    which no call failed, though it be older; else the newest."""
    newest_first = reversed(entries)
    return max(
        newest_first, key=lambda entry: (entry.manifest.complete, entry.manifest.state == "sealed"), default=None
    )


def newest_run(entries: Sequence[CatalogEntry]) -> CatalogEntry | None:
    """The newest sealed run, or the newest where none is sealed; `best_run` of those of the same calls."""
    sealed = [entry for entry in entries if entry.manifest.state == "sealed"] or entries
    if not sealed:
        return None
    newest = sealed[-1].manifest
    of_specs = runs_of(sealed, newest.version, newest.spec_digest)
    return best_run([entry for entry in of_specs if entry.manifest.calls_digest == newest.calls_digest])


def next_run_name(entries: list[CatalogEntry], version: str, spec_digest: str) -> str:
    """`<version>-<spec_digest[:8]>`, with `.rN` from the second run of the same specs on."""
    stem = f"{version}-{spec_digest[:8]}"
    taken = [entry.place[1] for entry in entries if entry.place[0] == stem]
    return stem if not taken else f"{stem}.r{max(taken) + 1}"

"""The runs of a benchmark: which there are, which is the newest for given specs, what the next one is called."""

from __future__ import annotations

import re
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
    def repeat(self) -> int:
        """1 for the first run of its specs, N for `.rN`."""
        match = _NAME.match(self.path.name)
        return int(match["repeat"] or 1) if match else 1


def list_runs(runs_dir: Path) -> list[CatalogEntry]:
    """Every run below `runs_dir`, oldest first. Raises RunError where a manifest cannot be read.

    Folders with a dot in front are what a killed build had not finished making.
    """
    folders = sorted(path.parent for path in runs_dir.glob(f"[!.]*/{NAME}"))
    entries = [CatalogEntry(folder, read_manifest(folder)) for folder in folders]
    return sorted(entries, key=lambda entry: (entry.manifest.created_at, entry.repeat, entry.path.name))


def runs_of(entries: list[CatalogEntry], version: str, spec_digest: str) -> list[CatalogEntry]:
    """The runs of these specs at this version, newest last."""
    same = [e for e in entries if e.manifest.spec_digest == spec_digest and e.manifest.version == version]
    return sorted(same, key=lambda entry: entry.repeat)


def next_run_name(entries: list[CatalogEntry], version: str, spec_digest: str) -> str:
    """`<version>-<spec_digest[:8]>`, with `.rN` from the second run of the same specs on."""
    stem = f"{version}-{spec_digest[:8]}"
    taken = [e.repeat for e in entries if (match := _NAME.match(e.path.name)) and match["stem"] == stem]
    return stem if not taken else f"{stem}.r{max(taken) + 1}"

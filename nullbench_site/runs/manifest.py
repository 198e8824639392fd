"""What a run is: who made it, of which specs, and the digest of every file in it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

import msgspec

from nullbench_site.errors import RunError
from nullbench_site.runs.storage import write_atomically

FORMAT = 1
NAME = "manifest.json"


class FileDigest(msgspec.Struct, frozen=True):
    """A file of the run as it was when the run was sealed."""

    sha256: str
    bytes: int


class Counts(msgspec.Struct, frozen=True):
    """Records of a run by how they ended, and what the calls behind them were."""

    answered: int = 0
    errored: int = 0
    scored: int = 0
    unparsed: int = 0
    judge_errored: int = 0

    @property
    def calls(self) -> int:
        return self.answered + self.errored + self.scored + self.unparsed + self.judge_errored

    @property
    def failed(self) -> int:
        return self.errored + self.judge_errored


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The manifest of a run. `digest` is the sha256 of the manifest's own text with that field empty."""

    format: int
    run: str
    benchmark: str
    version: str
    spec_digest: str
    calls_digest: str
    tool: str
    state: Literal["open", "sealed"]
    fresh: bool
    created_at: str
    sealed_at: str | None = None
    counts: Counts = Counts()
    cost_usd: float | None = None
    files: dict[str, FileDigest] = {}
    digest: str = ""

    @property
    def complete(self) -> bool:
        """Whether every call of the specs has its answer here, for good."""
        return self.state == "sealed" and self.counts.failed == 0

    def text(self) -> bytes:
        """The bytes of manifest.json: one way to write it, so that any changed byte shows."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"

    def with_digest(self) -> Manifest:
        bare = msgspec.structs.replace(self, digest="")
        return msgspec.structs.replace(bare, digest=hashlib.sha256(bare.text()).hexdigest())


def write_manifest(run_dir: Path, manifest: Manifest) -> Manifest:
    """Write manifest.json whole or not at all; returns it as written."""
    written = manifest.with_digest()
    write_atomically(run_dir / NAME, written.text())
    return written


class _Format(msgspec.Struct):
    format: int


def read_manifest(run_dir: Path) -> Manifest:
    """The manifest of a run folder. Raises RunError where it is missing, damaged or of a newer format."""
    path = run_dir / NAME
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise RunError(f"{run_dir}: found no {NAME}; this is no run folder. Runs stand below runs/") from None
    restore = "restore it from git, or delete the run folder and build again"
    try:
        found = msgspec.json.decode(raw, type=_Format).format
        if found > FORMAT:
            message = f"the manifest has format {found}, this program reads up to {FORMAT}"
            raise RunError(f"{path}: {message}; update nullbench-site to read this run")
        manifest = msgspec.json.decode(raw, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: the manifest is damaged ({error}); {restore}") from error
    if manifest.with_digest().text() != raw:
        raise RunError(f"{path}: the manifest was changed after it was written (its digest does not fit); {restore}")
    return manifest

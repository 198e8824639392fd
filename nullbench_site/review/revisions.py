"""Open a side of a comparison: a folder, a run, or a commit, which is read from git without a checkout."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from nullbench_site.errors import RunError, UsageError
from nullbench_site.git import git, git_command, git_environment, is_tracked_link
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.manifest import NAME, read_manifest
from nullbench_site.specs.digest import sha256
from nullbench_site.text import quoted

MOST_BYTES = 2 * 1024**3
"""The most bytes read from a commit; specs and runs of 10,000 items have a tenth of it."""
_FILES = frozenset({"100644", "100755", "100664"})
"""Modes of plain files; other entries of a tree are links and submodules."""
_FETCH = "fetch the whole commit and run it again"
_UNSHALLOW = "fetch the history with `git fetch --unshallow`, or another branch by its name, and run it again"


@dataclass(frozen=True)
class _Blob:
    """A file of a commit."""

    oid: str
    bytes: int


@dataclass(frozen=True)
class Revision:
    """Specs and runs. root: the folder of both; no message names it.

    sealed: True if the specs belong to a run; these may break rules for new specs. damage: why no run can be read.
    linked: True if git tracks specs or runs as a link; neither is read then. contents: for a commit, a digest of the
    files of each run, by its name.
    """

    name: str
    root: Path
    specs: Path
    runs: Sequence[CatalogEntry]
    private: Path | None = None
    sealed: bool = False
    damage: str | None = None
    linked: bool = False
    contents: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def revision(root: Path, name: str, private: Path | None) -> Iterator[Revision]:
    """Open a folder with specs/, a run (its folder, or its name in runs/), or a commit.

    root: the repository of runs and commits. private: the folder of its private texts; only folders have them. Files
    read from a commit are deleted afterwards. Raises UsageError for any other name.
    """
    folder = Path(name)
    run = next((path for path in (folder, root / "runs" / name) if (path / NAME).is_file()), None)
    if name and run != folder and (folder / "specs" / "benchmark.yaml").is_file():
        own = private if folder.resolve() == root.resolve() else None
        yield _folder(name, folder, own)
    elif run is not None:
        yield Revision(name, run, run / "specs", [CatalogEntry(run, read_manifest(run))], sealed=True)
    else:
        with TemporaryDirectory(prefix="nullbench-diff-") as temporary:
            yield _commit(root, name, Path(temporary))


def work_tree(root: Path, private: Path | None) -> Revision:
    """Open the working tree."""
    return _folder("the working tree", root, private)


def _folder(name: str, root: Path, private: Path | None = None, elsewhere: Sequence[Path] = ()) -> Revision:
    """Open the specs and runs in a folder. elsewhere: folders of more runs."""
    link = next(
        filter(partial(is_tracked_link, root), (root / "specs", root / "runs", *(root / "runs").glob("*"))), None
    )
    if link is not None:
        why = f"{link}: git tracks this link, so it is not followed; replace it with the folder"
        return Revision(name, root, root / "specs", (), private, damage=why, linked=True)
    try:
        entries = [*list_runs(root / "runs"), *(CatalogEntry(path, read_manifest(path)) for path in elsewhere)]
    except RunError as error:
        return Revision(name, root, root / "specs", (), private, damage=str(error))
    # The order of list_runs, which does not read the folders elsewhere.
    runs = sorted(entries, key=lambda entry: (entry.manifest.created_at, entry.place)) if elsewhere else entries
    return Revision(name, root, root / "specs", runs, private)


def _commit(root: Path, name: str, into: Path) -> Revision:
    """Open the specs and runs of a commit. A sealed run that is also in the working tree is read there."""
    commit = _git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") if name[:1] not in {"", "-"} else None
    if not commit:
        shallow = (_git(root, "rev-parse", "--is-shallow-repository") or b"").strip() == b"true"
        where = f"this shallow clone; {_UNSHALLOW}" if shallow else "its repository"
        raise UsageError(f"{quoted(name)} is not a folder with specs/, a run in {root / 'runs'} or a commit of {where}")
    blobs = _blobs(root, name, commit.decode().strip())
    manifests = {path: blob for path, blob in blobs.items() if path.startswith("runs/") and path.endswith(f"/{NAME}")}
    _write(root, name, manifests, into)
    here: dict[str, Path] = {}
    for path in manifests:
        run = _run_of(path)
        own = root / path
        if own.is_file() and own.read_bytes() == (into / path).read_bytes():
            (into / path).unlink()
            here[run] = root / run
    rest = {
        path: blob
        for path, blob in blobs.items()
        if path not in manifests and "/".join(path.split("/")[:2]) not in here
    }
    _write(root, name, rest, into)
    side = _folder(name, into, elsewhere=tuple(here.values()))
    return replace(side, contents={Path(run).name: _digest(blobs, run) for run in map(_run_of, manifests)})


def _run_of(manifest: str) -> str:
    return manifest.removesuffix(f"/{NAME}")


def _digest(blobs: Mapping[str, _Blob], run: str) -> str:
    """Return a digest of the names and git ids of the files of a run."""
    return sha256(repr(sorted(each for each in blobs.items() if each[0].startswith(f"{run}/"))).encode())


def _blobs(root: Path, name: str, commit: str) -> dict[str, _Blob]:
    """Return each file in specs/ and runs/. Raises UsageError for links, submodules and missing objects."""
    listed = _git(root, "ls-tree", "-r", "-z", "-l", commit, "specs", "runs")
    if listed is None:
        raise UsageError(f"{name}: files of this commit are missing in this clone; {_FETCH}")
    blobs = {}
    for entry in filter(None, listed.split(b"\0")):
        about, _, raw = entry.partition(b"\t")
        mode, _, oid, length = about.decode().split()
        path = os.fsdecode(raw)
        if mode not in _FILES or {"", ".", ".."} & set(path.split("/")) or "\\" in path:
            raise UsageError(
                f"{name}: {quoted(path)} is not a plain file (mode {mode}); links and submodules are not read"
            )
        if not length.isdigit():  # how newer versions of git list a missing file
            raise UsageError(f"{name}: files of this commit are missing in this clone; {_FETCH}")
        blobs[path] = _Blob(oid, int(length))
    return blobs


def _write(root: Path, name: str, blobs: Mapping[str, _Blob], into: Path) -> None:
    """Write files as git stores them: no filter, attribute or hook applies."""
    if not blobs:
        return
    size = sum(blob.bytes for blob in blobs.values())
    if size > MOST_BYTES:
        problem = f"{name}: specs/ and the runs that the working tree lacks have {size:,} bytes; at most {MOST_BYTES:,}"
        raise UsageError(f"{problem} are read from git; check the commit out in another folder and name that folder")
    command = git_command(root, "cat-file", "--batch")
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=git_environment()
    ) as objects:
        assert objects.stdin is not None and objects.stdout is not None  # noqa: S101, PT018 - pipes
        for path, blob in blobs.items():
            objects.stdin.write(f"{blob.oid}\n".encode())
            objects.stdin.flush()
            head = objects.stdout.readline().split()
            content = objects.stdout.read(blob.bytes + 1)[:-1] if len(head) == 3 else None
            if content is None or len(content) != blob.bytes:  # missing or damaged
                raise UsageError(f"{quoted(path)}: this file is missing in this clone; {_FETCH}")
            file = into / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def _git(root: Path, *arguments: str) -> bytes | None:
    """Return the output of git; None if it fails."""
    try:
        return git(root, *arguments)
    except FileNotFoundError:
        raise UsageError("git is not installed; install it, or compare folders or runs") from None

"""The stamp of the last build: its run, its plan, and the names, sizes and times of the files that they depend on.

While no file changes, a build or plan reads no specs and no records.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec

from nullbench_site import __version__
from nullbench_site.extensions import others
from nullbench_site.packaged import PACKAGE
from nullbench_site.runs.storage import read_cache, write_cache
from nullbench_site.specs.digest import canonical_json, sha256

File: TypeAlias = tuple[bytes, int, int, int]
"""Name, size, mtime in ns, ctime in ns."""


class Noted(msgspec.Struct, frozen=True, array_like=True):
    """The run of a build, and its plan as in `Plan.encoded`. state: the digest of the files they depend on."""

    state: str
    run: str
    plan: bytes


class RunStamp(msgspec.Struct, frozen=True):
    """The stamp file of a repository.

    inputs: the digest of all that a run depends on except other runs, computed before any of it is read. None if files
    cannot show a change: with extensions, which may change within a version, and with private texts, which git may have
    begun to track.
    """

    path: Path
    runs: Path
    inputs: str | None

    @classmethod
    def of(cls, path: Path, runs: Path, specs: Path, private: Path, profile: str | None) -> RunStamp:
        """Return the stamp at `path`, for builds of the current specs into these runs."""
        try:
            if others() or (private.is_dir() and any(private.iterdir())):
                return cls(path, runs, None)
            inputs = [os.fsencode(specs.resolve()), files_at(specs), profile and os.fsencode(profile)]
        except (OSError, RuntimeError):  # reported by the code that reads them
            return cls(path, runs, None)
        program = [platform.python_version(), __version__, program_files()]
        return cls(path, runs, sha256(canonical_json([program, *inputs])))

    @property
    def noted(self) -> Noted | None:
        """Return the result that a build would leave now; None if that needs a build."""
        content = read_cache(self.path)
        if content is None:
            return None
        try:
            noted = msgspec.msgpack.decode(content, type=Noted)
            return noted if noted.state == self._state else None
        except (OSError, msgspec.DecodeError):  # of another version of the program, perhaps
            return None

    def note(self, run: str, plan: bytes) -> None:
        """Write the run and the plan of a build into the stamp."""
        if self.inputs is not None:
            write_cache(self.path, msgspec.msgpack.encode(Noted(self._state, run, plan)))

    @property
    def _state(self) -> str:
        return sha256(canonical_json([self.inputs, files_at(self.runs)]))


@cache
def program_files() -> list[File]:
    """Return the files of the program."""
    return files_at(PACKAGE)


def files_at(path: Path) -> list[File]:
    """Return the name, size and times of a file, or of each file in a folder, without names with a leading dot.

    A symlink counts in addition to its target. Folders have only a name, because editors create files in them.
    """
    if path.is_dir():
        return sorted(_below(str(path), ""))
    try:
        return [_file(".", path.stat())]
    except FileNotFoundError:
        return []


def _below(folder: str, above: str) -> Iterator[File]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            name = f"{above}{entry.name}"
            if entry.is_symlink():
                yield _file(name, entry.stat(follow_symlinks=False))
                if not Path(entry.path).exists():
                    continue
            if entry.is_dir():
                yield os.fsencode(f"{name}/"), 0, 0, 0
                yield from _below(entry.path, f"{name}/")
            else:
                with suppress(FileNotFoundError):  # deleted meanwhile
                    yield _file(name, entry.stat())


def _file(name: str, known: os.stat_result) -> File:
    # ctime cannot be set back.
    return os.fsencode(name), known.st_size, known.st_mtime_ns, known.st_ctime_ns

"""Which run a build found sealed, noted with all that this follows from: while that stands, nothing has to be read.

Files are told by their names, sizes and times, as make and git tell them.
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
"""Name, size, and times in ns of the last change: of the content, of any kind."""


class Noted(msgspec.Struct, frozen=True, array_like=True):
    """What a build left: the name of its run, and what `plan` says of it, as `Plan.encoded` has it.

    state: the digest of what both follow from.
    """

    state: str
    run: str
    plan: bytes


class RunStamp(msgspec.Struct, frozen=True):
    """The file in which a build notes what it left.

    inputs: the digest of all that a run follows from beside other runs, taken before any of it is read; None where
    files do not tell: other packages may answer otherwise than they did under the same version, and git may have come
    to take private texts.
    """

    path: Path
    runs: Path
    inputs: str | None

    @classmethod
    def of(cls, path: Path, runs: Path, specs: Path, private: Path, profile: str | None) -> RunStamp:
        """The stamp at `path`, for builds of these specs as they are now, and into these runs."""
        try:
            if others() or (private.is_dir() and any(private.iterdir())):
                return cls(path, runs, None)
            inputs = [os.fsencode(specs.resolve()), files_at(specs), profile and os.fsencode(profile)]
        except (OSError, RuntimeError):  # who reads them says what is wrong with them
            return cls(path, runs, None)
        program = [platform.python_version(), __version__, program_files()]
        return cls(path, runs, sha256(canonical_json([program, *inputs])))

    @property
    def noted(self) -> Noted | None:
        """What a build would leave as it stands; None where only a build can tell."""
        content = read_cache(self.path)
        if content is None:
            return None
        try:
            noted = msgspec.msgpack.decode(content, type=Noted)
            return noted if noted.state == self._state else None
        except (OSError, msgspec.DecodeError):  # of another version of the program, perhaps
            return None

    def note(self, run: str, plan: bytes) -> None:
        """Note that the run of this name, as all runs are now, is what a build leaves, and its plan."""
        if self.inputs is not None:
            write_cache(self.path, msgspec.msgpack.encode(Noted(self._state, run, plan)))

    @property
    def _state(self) -> str:
        return sha256(canonical_json([self.inputs, files_at(self.runs)]))


@cache
def program_files() -> list[File]:
    """Those of the program."""
    return files_at(PACKAGE)


def files_at(path: Path) -> list[File]:
    """The name, size and times of a file, or of each below a folder; names with a dot in front are nobody's input.

    A symlink counts for itself beside what it leads to. Of folders there is the name alone, as editors come and go in
    them.
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
                with suppress(FileNotFoundError):  # it went just now
                    yield _file(name, entry.stat())


def _file(name: str, known: os.stat_result) -> File:
    # The second time is that of the last change of any kind, which nobody can set back.
    return os.fsencode(name), known.st_size, known.st_mtime_ns, known.st_ctime_ns

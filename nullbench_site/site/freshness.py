"""Whether the run and the site that stand are those a build would make: then it leaves them alone.

Files are told by their names, sizes and times, as make and git tell them; nothing is read.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeAlias

import msgspec

from nullbench_site import __version__
from nullbench_site.extensions import others, version_of
from nullbench_site.packaged import PACKAGE, packaged
from nullbench_site.runs.storage import write_atomically
from nullbench_site.site.tree import Kept, environment, frame_settings
from nullbench_site.specs.digest import canonical_json, sha256

_LIBRARIES = ("altair", "itables", "jinja2", "latex2mathml", "mkdocs", "mkdocs-material", "pillow", "vl-convert-python")
"""What pages look like by."""
_DATA = ("runs", "specs")
"""What data files are made of, in a repository; pages are made of mkdocs.yml and site_templates, too."""
_File: TypeAlias = tuple[bytes, int, int, int]


class RunStamp(msgspec.Struct, frozen=True):
    """A file that notes which run a build found sealed, and what that followed from.

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
        if others() or _listing(private):
            return cls(path, runs, None)
        program = [platform.python_version(), __version__, _package()]
        told = [program, os.fsencode(specs.resolve()), _listing(specs), profile]
        return cls(path, runs, sha256(canonical_json(told)))

    def run(self) -> Path | None:
        """The run that a build would find sealed; None where only a build can tell."""
        if self.inputs is None or not self.path.is_file():
            return None
        state, _, name = self.path.read_text("utf-8", errors="replace").partition(" ")
        return self.runs / name if state == self._state else None

    def note(self, run: str) -> None:
        """Note that the run of this name, as all runs are now, is what a build leaves."""
        if self.inputs is not None:
            write_atomically(self.path, f"{self._state} {run}".encode())

    @property
    def _state(self) -> str:
        return sha256(canonical_json([self.inputs, _listing(self.runs)]))


def data_digest(root: Path, run: str) -> str:
    """The digest of all that the data files of the site of `run` follow from, those of the evidence among them."""
    program = [platform.python_version(), __version__, *(version_of(library) for library in _LIBRARIES), *others()]
    surroundings = [os.environ.get("SOURCE_DATE_EPOCH"), os.fsencode(root.resolve()), run]
    return sha256(canonical_json([program, surroundings, *(_listing(root / name) for name in _DATA), _package()]))


def inputs_digest(root: Path, run: str) -> str:
    """The digest of all that the site follows from. Raises ConfigError where mkdocs.yml cannot be read."""
    own = root / "mkdocs.yml"
    settings = frame_settings(own if own.exists() else packaged("mkdocs.yml"))
    files = [_listing(own), _listing(root / "site_templates"), _listing(packaged("site_templates"))]
    return sha256(canonical_json([data_digest(root, run), environment(settings), files]))


def kept_or_made(
    folder: Path, stamp: Path, inputs: str, make: Callable[[], Iterable[tuple[str, bytes]]]
) -> Iterator[tuple[str, bytes | Kept]]:
    """The files that `make` gives, by path below `folder`; kept where they stand as they followed from these inputs.

    Each is to be written before the next is taken. stamp: the file that notes them.
    """
    noted = _noted(stamp)
    if noted.inputs == inputs and all(_state(folder / name) == state for name, state in noted.files.items()):
        yield from ((name, Kept(size)) for name, (size, _) in noted.files.items())
        return
    states = {}
    for name, content in make():
        yield name, content
        states[name] = _state(folder / name)
    if None not in states.values():  # else somebody took the files and did not write them
        write_atomically(stamp, msgspec.json.encode({"inputs": inputs, "files": states}))


class _Noted(msgspec.Struct):
    """Files as they were written: name -> size and time."""

    inputs: str = ""
    files: dict[str, tuple[int, int]] = {}


def _noted(stamp: Path) -> _Noted:
    try:
        return msgspec.json.decode(stamp.read_bytes(), type=_Noted)
    except (FileNotFoundError, msgspec.DecodeError):
        return _Noted()


def _state(path: Path) -> tuple[int, int] | None:
    try:
        known = path.stat()
    except FileNotFoundError:
        return None
    return known.st_size, known.st_mtime_ns


def stands(site: Path, inputs: str, stamp: Path) -> bool:
    """Whether `site` is as it was when `remember` was told that it follows from these inputs."""
    return stamp.is_file() and stamp.read_text("utf-8") == _stamp(site, inputs)


def remember(site: Path, inputs: str, stamp: Path) -> None:
    """Note in the file `stamp` that `site`, as it is now, follows from these inputs."""
    write_atomically(stamp, _stamp(site, inputs).encode())


def _stamp(site: Path, inputs: str) -> str:
    return sha256(canonical_json([inputs, _listing(site)]))


@cache
def _package() -> list[_File]:
    return _listing(PACKAGE)


def _listing(path: Path) -> list[_File]:
    """The name, size and times of a file, or of each below a folder; names with a dot in front are nobody's input.

    A link to a folder in which it stands is not followed: that would lead round in a circle.
    """
    if path.is_dir() and not _leads_round(path):
        return sorted(_below(str(path), ""))
    try:
        known = path.lstat() if path.is_symlink() and path.is_dir() else path.stat()
    except FileNotFoundError:
        return []
    return [_file(".", known)]


def _below(folder: str, above: str) -> Iterator[_File]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            round_about = entry.is_symlink() and _leads_round(Path(entry.path))
            if entry.is_dir() and not round_about:
                yield from _below(entry.path, f"{above}{entry.name}/")
                continue
            with suppress(FileNotFoundError):  # a link to nowhere
                yield _file(f"{above}{entry.name}", entry.stat(follow_symlinks=not round_about))


def _file(name: str, known: os.stat_result) -> _File:
    # The second time is that of the last change of any kind, which nobody can set back.
    return os.fsencode(name), known.st_size, known.st_mtime_ns, known.st_ctime_ns


def _leads_round(path: Path) -> bool:
    return path.is_symlink() and path.parent.resolve().is_relative_to(path.resolve())

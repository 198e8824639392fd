"""The files in a folder of specs: those that are read and published, and those that do not belong there.

Symlinks in the folder are refused, because their targets would be read, shown in messages and copied into every run.
The folder itself may be a symlink.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import msgspec

from nullbench_site.errors import StorageError
from nullbench_site.specs.benchmark import BUILT_IN
from nullbench_site.specs.document import Data, read_document
from nullbench_site.specs.protocol import protocol_files, protocol_tables
from nullbench_site.specs.types import Endpoint, Judge, ModelFile
from nullbench_site.text import listed

_SINGLE = ("benchmark.yaml", "judges.yaml", "endpoints.yaml", "ledger.yaml", "questions.yaml")
_KINDS = {
    "boards": (".yaml",),
    "domains": (".yaml", ".jsonl"),
    "models": (".yaml",),
    "templates": (".txt", ".j2"),
    "overlap": (".yaml",),
    "labels": (".csv",),
}
"""Folder -> the endings of the specs in it. Protocols have further files and folders."""
_ENDINGS = (".yaml", ".yml", ".jsonl")
_LEFTOVER = re.compile(r"\..*|#.*#|.*~|.*\.(?:bak|orig|rej|sw[a-z]|tmp)|__pycache__|Thumbs\.db|desktop\.ini")
"""Files that version control, editors, file managers and Python leave behind."""
_NOTES = re.compile(r".*\.md|(?:readme|licen[cs]e|copying|notice|authors|changelog)(?:[.-].*)?", re.IGNORECASE)
_SCHEMA = "schema"
SCREENING = "screening"
"""The folder of results that `screen-judges --prompts` writes. They are no specs: only `add judge` reads them."""

_LINK = "symlinks are not allowed here; put the file itself in its place"
_FOLDER = "expected a file, found a folder"
_NO_FILE = "expected a file, found a pipe, a socket or a device; remove it"


class SpecListing(msgspec.Struct, frozen=True, dict=True):
    """The entries of a folder of specs, without the leftovers of editors and version control."""

    folder: Path
    files: set[Path] = set()
    refused: dict[Path, str] = {}
    """Entries that cannot be specs under any name -> the reason."""

    @cached_property
    def specs(self) -> list[Path]:
        """The files with the name and folder of a spec, sorted by path."""
        return sorted(filter(self._is_spec, self.files))

    def every(self, subfolder: str, ending: str) -> list[Path]:
        """Return the specs of a folder with this ending."""
        return [path for path in self.specs if path.parent == self.folder / subfolder and path.suffix == ending]

    def unread(self, read: set[Path]) -> Iterator[tuple[Path, str]]:
        """Yield the files that look like specs but were not read."""
        for path in self.files - read:
            if path.parent == self.folder / SCREENING:
                continue
            if self.is_table(path):
                yield path, f"no board is called {path.parent.name!r}; add it to boards/, or remove this folder"
            elif path.suffix.lower() in _ENDINGS:
                yield path, f"nothing reads this file; {self._places}"

    def foreign(self) -> Iterator[tuple[Path, str]]:
        """Yield the files that are neither specs, notes, nor schemas for editors."""
        for path in self.files:
            schema = path.parent == self.folder / _SCHEMA and path.suffix == ".json"
            known = schema or self._is_spec(path) or path.suffix.lower() in _ENDINGS
            if not known and not _NOTES.fullmatch(path.name):
                advice = "move it out of specs/, or keep notes in .md files"
                yield path, f"not a spec; {advice}. {self._places[0].upper()}{self._places[1:]}"

    def _is_spec(self, path: Path) -> bool:
        if path.parent == self.folder:
            return path.name in self._single
        if self.is_table(path):
            return True
        return path.parent.parent == self.folder and path.suffix in self._kinds.get(path.parent.name, ())

    def is_table(self, path: Path) -> bool:
        """Return True for a table file of a board."""
        of_protocol = path.parent.parent
        return of_protocol.parent == self.folder and path.name in protocol_tables().get(of_protocol.name, ())

    @cached_property
    def _single(self) -> tuple[str, ...]:
        own = (path for paths in protocol_files().values() for path in paths if "/" not in path)
        return (_SINGLE[0], *own, *_SINGLE[1:])

    @cached_property
    def _kinds(self) -> Mapping[str, tuple[str, ...]]:
        own = (path.split("/")[0] for paths in protocol_files().values() for path in paths if "/" in path)
        return _KINDS | dict.fromkeys(own, (".yaml",))

    @property
    def _places(self) -> str:
        folders = listed([f"{name}/" for name in sorted(self._kinds) if name not in ("templates", "labels")])
        return (
            f"specs are {', '.join(self._single)}, .yaml files in {folders}, templates/*.txt, labels/*.csv, and .jsonl "
            "files in domains/ that a category names as its items_file"
        )


def listing(folder: Path) -> SpecListing:
    """Return the entries below `folder`. Raise StorageError if a folder cannot be read."""
    entries = SpecListing(folder)
    _walk(folder, entries)
    return entries


def _walk(folder: Path, into: SpecListing) -> None:
    with readable(folder), os.scandir(folder) as entries:
        for entry in entries:
            path = folder / entry.name
            if _LEFTOVER.fullmatch(entry.name):
                continue
            if entry.is_symlink():
                into.refused[path] = _LINK
            elif entry.is_file():
                into.files.add(path)
            elif not entry.is_dir():
                into.refused[path] = _NO_FILE
            elif path.suffix in _ENDINGS:
                into.refused[path] = _FOLDER
            else:
                _walk(path, into)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Raise StorageError for an error of the disk."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{path}: cannot read ({reason}); fix this and run the command again") from error


def place_of(folder: Path, who: Endpoint | Judge | ModelFile, *steps: str | int) -> str:
    """Return the position of `who`, or of the value that `steps` lead to in it, such as `specs/judges.yaml:12:5`.

    The file is read again. Return only its name if it cannot be read.
    """
    name, group = _file_of(who)
    shown = f"{folder.resolve().name}/{name}"
    try:
        document, _ = read_document(shown, (folder / name).read_bytes())
    except OSError:
        document = None
    start = None if document is None else _start(document.data, group, who.id)
    if document is None or start is None:
        return f"the built-in endpoint {who.id}" if who in BUILT_IN.values() else shown
    problem = document.problem([*start, *steps], "")
    return f"{problem.file}:{problem.line}:{problem.column}"


def _file_of(who: Endpoint | Judge | ModelFile) -> tuple[str, str | None]:
    """Return the file that defines `who`, and the key of the list in it."""
    match who:
        case Endpoint():
            return "endpoints.yaml", "endpoints"
        case Judge():
            return "judges.yaml", "judges"
        case ModelFile():
            return f"models/{who.id}.yaml", None


def _start(data: Data, group: str | None, name: str) -> list[str | int] | None:
    """Return the path to the entry `name` of a list, or to the whole document if there is no list."""
    if group is None:
        return []
    entries = data.get(group) if isinstance(data, dict) else None
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and entry.get("id") == name:
            return [group, number]
    return None

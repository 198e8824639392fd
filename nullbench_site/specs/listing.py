"""What stands in a folder of specs: the files that are read and published, and what has no place among them.

Nothing here follows a link below the folder: what it points to would be read, shown in messages and copied into every
run, whoever put the link there. The folder itself may be one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from nullbench_site.errors import StorageError

_SINGLE = ("benchmark.yaml", "axes.yaml", "judges.yaml", "endpoints.yaml")
_KINDS = {
    "boards": (".yaml",),
    "domains": (".yaml", ".jsonl"),
    "goals": (".yaml",),
    "models": (".yaml",),
    "templates": (".j2",),
}
"""The endings of specs by the folder they stand in."""
_ENDINGS = (".yaml", ".yml", ".j2", ".jsonl")
_LEFTOVER = re.compile(r"\..*|#.*#|.*~|.*\.(?:bak|orig|rej|sw[a-z]|tmp)|Thumbs\.db|desktop\.ini")
"""What version control, editors and file managers put everywhere."""
_NOTES = re.compile(r".*\.md|(?:readme|licen[cs]e|copying|notice|authors|changelog)(?:[.-].*)?", re.IGNORECASE)
_SCHEMA = "schema"

_PLACES = (
    f"specs are {', '.join(_SINGLE)}, .yaml files in boards/, domains/, goals/ and models/, templates/*.j2, and .jsonl "
    "files in domains/ that a category names as its items_file"
)
_UNREAD = f"nothing reads this file; {_PLACES}"
_NO_SPEC = f"this is no spec; move it out of specs/, or keep notes in .md files. {_PLACES[0].upper()}{_PLACES[1:]}"
_LINK = "this is a link, and what it points to would be published; put the file itself here"
_FOLDER = "this is a folder; a file belongs here"
_NO_FILE = "this is no file but a pipe, a socket or a device; take it away"


@dataclass(frozen=True)
class Listing:
    """The entries of a folder of specs, those aside that editors and version control leave behind."""

    folder: Path
    files: set[Path] = field(default_factory=set)
    refused: dict[Path, str] = field(default_factory=dict)
    """What can be no spec whatever it is called, and why."""

    @cached_property
    def specs(self) -> list[Path]:
        """The files that have the name and the place of a spec, in the order of their paths."""
        return sorted(filter(self._is_spec, self.files))

    def every(self, subfolder: str, ending: str) -> list[Path]:
        """The specs of a folder with one ending."""
        return [path for path in self.specs if path.parent == self.folder / subfolder and path.suffix == ending]

    def unread(self, read: set[Path]) -> Iterator[tuple[Path, str]]:
        """The files that are no specs but look like some, and the specs that are not among those that were read."""
        for path in self.files - read:
            if path.suffix.lower() in _ENDINGS:
                yield path, _UNREAD

    def foreign(self) -> Iterator[tuple[Path, str]]:
        """The files that are neither specs nor notes nor the schemas that editors read."""
        for path in self.files:
            schema = path.parent == self.folder / _SCHEMA and path.suffix == ".json"
            if path.suffix.lower() not in _ENDINGS and not schema and not _NOTES.fullmatch(path.name):
                yield path, _NO_SPEC

    def _is_spec(self, path: Path) -> bool:
        if path.parent == self.folder:
            return path.name in _SINGLE
        return path.parent.parent == self.folder and path.suffix in _KINDS.get(path.parent.name, ())


def listing(folder: Path) -> Listing:
    """What stands below `folder`. Raises StorageError where a folder cannot be read."""
    entries = Listing(folder)
    _walk(folder, entries)
    return entries


def _walk(folder: Path, into: Listing) -> None:
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
    """Turn what the disk refuses into what to tell the user."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(f"{path}: cannot read ({reason}); mend that and run the command again") from error

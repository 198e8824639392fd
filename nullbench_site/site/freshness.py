"""Whether the site that stands is the one a render would make: then a build with nothing changed leaves it alone.

Files are told by their names, sizes and times, as make and git tell them; nothing is read.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from nullbench_site import __version__
from nullbench_site.packaged import PACKAGE, packaged
from nullbench_site.runs.storage import write_atomically
from nullbench_site.site.tree import environment, frame_settings
from nullbench_site.specs.digest import canonical_json, sha256

_LIBRARIES = ("altair", "itables", "jinja2", "latex2mathml", "mkdocs", "mkdocs-material", "pillow", "vl-convert-python")
"""What pages look like by."""
_SOURCES = ("mkdocs.yml", "runs", "site_templates", "specs")
"""What pages are made of, in a repository."""


def inputs_digest(root: Path, run: str) -> str:
    """The digest of all that the site of `run` follows from. Raises ConfigError where mkdocs.yml cannot be read."""
    own = root / "mkdocs.yml"
    settings = frame_settings(own if own.exists() else packaged("mkdocs.yml"))
    program = [platform.python_version(), __version__, *(version(library) for library in _LIBRARIES)]
    surroundings = [environment(settings), os.environ.get("SOURCE_DATE_EPOCH"), str(root.resolve()), run]
    files = [_listing(root / name) for name in _SOURCES] + [_listing(PACKAGE), _listing(packaged("site_templates"))]
    return sha256(canonical_json([program, surroundings, files]))


def stands(site: Path, inputs: str, stamp: Path) -> bool:
    """Whether `site` is as it was when `remember` was told that it follows from these inputs."""
    return stamp.is_file() and stamp.read_text() == _stamp(site, inputs)


def remember(site: Path, inputs: str, stamp: Path) -> None:
    """Note in the file `stamp` that `site`, as it is now, follows from these inputs."""
    write_atomically(stamp, _stamp(site, inputs).encode())


def _stamp(site: Path, inputs: str) -> str:
    return sha256(canonical_json([inputs, _listing(site)]))


def _listing(path: Path) -> list[tuple[str, int, int]]:
    """The name, size and time of a file, or of each below a folder; names with a dot in front are nobody's input."""
    return sorted(_files(path, path))


def _files(path: Path, root: Path) -> Iterator[tuple[str, int, int]]:
    if path.is_dir():
        with os.scandir(path) as entries:
            for entry in entries:
                if not entry.name.startswith(".") and entry.name != "__pycache__":
                    yield from _files(path / entry.name, root)
    elif path.exists():
        known = path.stat()
        yield path.relative_to(root).as_posix(), known.st_size, known.st_mtime_ns

"""Keep the site folder of a repository up to date with its runs, specs and templates. No file of it is read."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from nullbench_site import __version__
from nullbench_site.errors import UsageError
from nullbench_site.extensions import others, version_of
from nullbench_site.packaged import packaged
from nullbench_site.repository import AUDITS, Repository
from nullbench_site.runs.catalog import CatalogEntry, read_catalog
from nullbench_site.runs.stamp import files_at, program_files
from nullbench_site.runs.storage import exclusive, read_cache, write_cache
from nullbench_site.site.tree import Kept, environment, frame_of
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import canonical_json, sha256

_LIBRARIES = ("altair", "jinja2", "latex2mathml", "mkdocs", "mkdocs-material", "pillow", "vl-convert-python")
"""The libraries that shape pages."""
_DATA = ("runs", "specs")
"""The folders of a repository that data files depend on. Pages also depend on audits, mkdocs.yml and site_templates."""


def data_digest(root: Path, run: str) -> str:
    """Return the digest of everything that the site's data files of `run` depend on."""
    program = [platform.python_version(), __version__, *(version_of(library) for library in _LIBRARIES), *others()]
    surroundings = [os.environ.get("SOURCE_DATE_EPOCH"), os.fsencode(root.resolve()), run]
    return sha256(canonical_json([program, surroundings, *(files_at(root / name) for name in _DATA), program_files()]))


def inputs_digest(root: Path, run: str) -> str:
    """Return the digest of everything that the site depends on. Raises ConfigError if mkdocs.yml is unreadable."""
    settings = frame_of(root)
    own = [files_at(root / name) for name in ("mkdocs.yml", "site_templates", AUDITS)]
    files = [*own, files_at(packaged("site_templates"))]
    return sha256(canonical_json([data_digest(root, run), environment(settings), files]))


def kept_or_made(
    folder: Path, stamp: Path, inputs: str, make: Callable[[], Iterable[tuple[str, bytes]]]
) -> Iterator[tuple[str, bytes | Kept]]:
    """Yield the files that `make` returns, by path below `folder`; Kept for files that are up to date.

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
        write_cache(stamp, msgspec.json.encode({"inputs": inputs, "files": states}))


class _Noted(msgspec.Struct):
    """Files as they were written: name -> size and time."""

    inputs: str = ""
    files: dict[str, tuple[int, int]] = {}


def _noted(stamp: Path) -> _Noted:
    content = read_cache(stamp)
    try:
        return _Noted() if content is None else msgspec.json.decode(content, type=_Noted)
    except msgspec.DecodeError:  # of another version of the program
        return _Noted()


def _state(path: Path) -> tuple[int, int] | None:
    try:
        known = path.stat()
    except FileNotFoundError:
        return None
    return known.st_size, known.st_mtime_ns


def stands(site: Path, inputs: str, stamp: Path) -> bool:
    """Return True if `site` is unchanged since `remember` noted it for these inputs."""
    return read_cache(stamp) == _stamp_of(inputs, site)


def remember(site: Path, inputs: str, stamp: Path) -> None:
    """Note in the file `stamp` that `site`, as it is now, follows from these inputs."""
    write_cache(stamp, _stamp_of(inputs, site))


def _stamp_of(inputs: str, site: Path) -> bytes:
    return f"{inputs} {sha256(canonical_json(files_at(site)))}".encode()


def render_into(
    repository: Repository,
    entry: CatalogEntry,
    words: Callable[[], Benchmark],
    on_note: Callable[[str], None],
    *,
    keep: bool,
) -> Path:
    """Render the site of a run into the site folder of a repository; return that folder.

    words: the specs that give the pages their titles. on_note: for warnings. keep: return the existing site if its
    inputs are unchanged. Raises UsageError for symlinks, ConfigError, StorageError.
    """
    for folder in (repository.cache, repository.site):
        if folder.is_symlink():
            message = "this is a symlink, and rendering deletes files that it does not write; remove the symlink"
            raise UsageError(f"{folder}: {message}")
    # A lock of its own, because a site can be rendered from runs that are read-only.
    with exclusive(repository.cache):
        inputs, stamp = inputs_digest(repository.root, entry.path.name), repository.cache / "site.stamp"
        if keep and stands(repository.site, inputs, stamp):
            return repository.site
        # Slow to import, and not needed if the site is up to date.
        from nullbench_site.site.render import render_site  # noqa: PLC0415
        from nullbench_site.site.tree import unused_templates  # noqa: PLC0415

        for warning in unused_templates(repository.root / "site_templates" / "pages"):
            on_note(warning)
        site = render_site(
            benchmark=words(),
            entry=entry,
            catalog=read_catalog(repository.runs),
            root=repository.root,
            tree=repository.tree,
            site=repository.site,
            cache=repository.cache,
            inputs=data_digest(repository.root, entry.path.name),
        )
        remember(site, inputs, stamp)
        return site

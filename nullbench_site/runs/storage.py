"""Disk access: atomic writes, caches, one lock, and OS errors as messages for the user."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import RawIOBase
from pathlib import Path
from typing import IO, Generic, TypeVar

from nullbench_site.errors import StorageError

FileT = TypeVar("FileT", bound=IO[bytes] | RawIOBase)

_TEMPORARY = ".*.tmp"
"""The temporary files of `write_atomically`. Only a killed process leaves one."""
_DIGEST = 32
"""Bytes of a SHA-256."""
_OPEN_FILES = 64
"""The most files of a kind open at once, far below the usual limit of 1,024 files."""
_ADVICE = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space in your quota",
    errno.EFBIG: "raise the limit on file sizes",
    errno.EROFS: "make the file system writable",
    errno.EACCES: "make it readable and writable for you",
    errno.EPERM: "make it readable and writable for you",
    errno.EIO: "check the disk",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ELOOP: "remove the symlink that points to itself",
    errno.EEXIST: "move the file away to make room for a folder",
    errno.ENOTDIR: "move the file away to make room for a folder",
}


class DiskRefusal(StorageError):
    """The disk refused. advice: what to do before running the command again."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}; {advice} and run the command again")
        self.reason, self.advice = reason, advice


def is_refusal(error: OSError) -> bool:
    """Return True if the disk refused, and the program is not at fault."""
    return error.errno in _ADVICE


def refusal(error: OSError, path: Path | None = None) -> DiskRefusal:
    """Return the error for the user. path: for errors that name none."""
    place = f"{error.filename or path}: " if error.filename or path else ""
    advice = _ADVICE.get(error.errno or 0, "fix that")
    return DiskRefusal(f"{place}{error.strerror or error}", advice)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into a DiskRefusal, which says what to do."""
    try:
        yield
    except OSError as error:
        raise refusal(error, path) from error


class OpenFiles(Generic[FileT]):
    """Files that stay open for the next use, at most 64; the one unused for longest is closed first."""

    def __init__(self, opened: Callable[[Path], FileT]) -> None:
        """opened: opens a file."""
        self._opened = opened
        self._files: dict[Path, FileT] = {}

    def __getitem__(self, path: Path) -> FileT:
        file = self._files.pop(path, None)
        if file is None:
            while len(self._files) >= _OPEN_FILES:
                self.close(next(iter(self._files)))
            file = self._opened(path)
        self._files[path] = file  # now the last
        return file

    def close(self, path: Path | None = None) -> None:
        """Close a file if it is open; without a path, close all. Nothing is lost without it."""
        for each in [*self._files] if path is None else [path]:
            if (file := self._files.pop(each, None)) is not None:
                with storage_errors(each):
                    file.close()


def write_atomically(path: Path, data: bytes | Iterable[bytes], *, sure: bool = True) -> None:
    """Write a file completely or not at all, even if the process is killed.

    data: all of it, or its parts. sure: it also survives a crash of the machine.
    """
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
                if sure:
                    file.flush()
                    os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def holds(path: Path, content: bytes | None) -> bool:
    """Return True if a file has this content, or does not exist if it is None."""
    return (path.read_bytes() if path.is_file() else None) == content


def write_all(files: Mapping[Path, bytes | None]) -> None:
    """Write the files in this order, or delete those with None. On failure restore all."""
    before = {path: path.read_bytes() if path.is_file() else None for path in files}
    folders = [folder for folder in {path.parent for path in files} if not folder.exists()]
    try:
        for path, content in files.items():
            _put(path, content)
    except BaseException:
        for path, content in before.items():
            _put(path, content)
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _put(path: Path, content: bytes | None) -> None:
    if content is not None:
        write_atomically(path, content)
        return
    with storage_errors(path):
        path.unlink(missing_ok=True)


def write_cache(path: Path, content: bytes) -> None:
    """Write a cache file with its digest, which reveals damage."""
    write_atomically(path, _digest(content) + content, sure=False)


def read_cache(path: Path) -> bytes | None:
    """Return the content that `write_cache` wrote; None if it is missing or damaged."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    digest, content = whole[:_DIGEST], whole[_DIGEST:]
    return content if digest == _digest(content) else None


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def made_once(kept: Path, make: Callable[[], bytes]) -> bytes:
    """Return the content of the cache file `kept`; make and write it if it is missing or damaged."""
    content = read_cache(kept)
    if content is None:
        content = make()
        write_cache(kept, content)
    return content


def drop_temporary(folder: Path) -> None:
    """Delete temporary files that a killed process left in a folder."""
    with storage_errors(folder):
        for leftover in folder.rglob(_TEMPORARY):
            leftover.unlink()


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """Yield a new folder next to `folder`, which replaces the old one at the end of the block.

    After an error the old folder stays. Leftovers of a killed process are removed first.
    """
    target = folder.resolve()  # a symlink to the folder stays one
    new, old = (target.with_name(f".{target.name}.{which}") for which in ("new", "old"))
    with storage_errors(target):
        if old.is_dir() and not target.exists():  # killed between two renames
            old.rename(target)
        for leftover in (new, old):
            shutil.rmtree(leftover, ignore_errors=True)
        if target.exists() and not target.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(target))
    try:
        yield new
        with storage_errors(target):
            try:
                if target.exists():
                    target.rename(old)
            except OSError as error:
                if error.errno not in (errno.EBUSY, errno.EXDEV):
                    raise
                _refill(target, new)
            else:
                new.rename(target)
    finally:
        for leftover in (new, old):
            shutil.rmtree(leftover, ignore_errors=True)


def _refill(mounted: Path, new: Path) -> None:
    """Replace the files of a mount point, which cannot be renamed, with those of `new`."""
    inside = mounted / new.name
    shutil.rmtree(inside, ignore_errors=True)
    shutil.copytree(new, inside)
    for path in mounted.iterdir():
        if path != inside:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for path in inside.iterdir():
        path.rename(mounted / path.name)
    inside.rmdir()


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can use, and take away wider rights of what is in it.

    Raises StorageError for a symlink, and for what belongs to another user.
    """
    with storage_errors(folder):
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700, parents=True)
        for path in (folder, *folder.rglob("*")):
            found = path.lstat()
            if stat.S_ISLNK(found.st_mode):
                raise StorageError(f"{path}: this is a symlink; remove it, and move its target here if you need it")
            if found.st_uid != os.geteuid():
                advice = "become its owner (chown), or move the folder away"
                raise StorageError(f"{path}: belongs to another user, who could read or change paid answers; {advice}")
            is_folder = stat.S_ISDIR(found.st_mode)
            if path == folder and not is_folder:
                raise StorageError(f"{path}: this is a file; move it away to make room for a folder")
            if stat.S_IMODE(found.st_mode) & 0o077:
                path.chmod(0o700 if is_folder else 0o600)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, so that two builds cannot write the same run."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("ab")  # not "wb", which would empty the target of a symlink
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            message = f"{folder}: another build is writing here; wait until it has ended, then run the command again"
            raise StorageError(message) from None
        yield

"""Disk work that must not lose anything: atomic writes, one lock, and foreign errors named for the user."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nullbench_site.errors import StorageError

_TEMPORARY = ".*.tmp"
"""What `write_atomically` calls a file until it is whole. Only a killed process leaves one behind."""
_DIGEST = 32
"""Bytes of a SHA-256."""
_ADVICE = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space in your quota",
    errno.EFBIG: "raise the limit on file sizes",
    errno.EROFS: "make the file system writable",
    errno.EACCES: "make it readable and writable for you",
    errno.EPERM: "make it readable and writable for you",
    errno.EIO: "look after the disk",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ELOOP: "take away the link that leads to itself",
    errno.EEXIST: "a file stands where a folder belongs, so move it away",
    errno.ENOTDIR: "a file stands where a folder belongs, so move it away",
}


class DiskRefusal(StorageError):
    """The disk refused. advice: what to do about that, before the command is run again."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"{reason}; {advice} and run the command again")
        self.reason, self.advice = reason, advice


def is_refusal(error: OSError) -> bool:
    """Whether it is the disk that refused, and not the program that is wrong."""
    return error.errno in _ADVICE


def refusal(error: OSError, path: Path | None = None) -> DiskRefusal:
    """What to tell the user. path: what was worked on, for errors that do not say."""
    place = f"{error.filename or path}: " if error.filename or path else ""
    advice = _ADVICE.get(error.errno or 0, "mend that")
    return DiskRefusal(f"{place}{error.strerror or error}", advice)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of the disk into a DiskRefusal, which says what to do."""
    try:
        yield
    except OSError as error:
        raise refusal(error, path) from error


def write_atomically(path: Path, data: bytes | Iterable[bytes], *, sure: bool = True) -> None:
    """Write `path` whole or not at all, even when the process is killed meanwhile.

    data: all of it, or its pieces. sure: it also stays when the machine stops.
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


def write_cache(path: Path, content: bytes) -> None:
    """Write what can be made again, with its digest: a disk, or somebody, may change it."""
    write_atomically(path, _digest(content) + content, sure=False)


def read_cache(path: Path) -> bytes | None:
    """What `write_cache` wrote there, to the byte; None: it is to be made again."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    digest, content = whole[:_DIGEST], whole[_DIGEST:]
    return content if digest == _digest(content) else None


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def made_once(kept: Path, make: Callable[[], bytes]) -> bytes:
    """What was put into the file `kept`; made and put there where it is not, or not any more."""
    content = read_cache(kept)
    if content is None:
        content = make()
        write_cache(kept, content)
    return content


def drop_temporary(folder: Path) -> None:
    """Take away what a process that was killed while it wrote left below a folder."""
    with storage_errors(folder):
        for leftover in folder.rglob(_TEMPORARY):
            leftover.unlink()


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """Yield a new folder beside `folder` and put it in the place of the old one at the end of the block.

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
    """Replace the files of a mount point, which cannot be renamed, by those of `new`."""
    inside = mounted / new.name
    shutil.rmtree(inside, ignore_errors=True)
    shutil.copytree(new, inside)
    for path in mounted.iterdir():
        if path != inside:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for path in inside.iterdir():
        path.rename(mounted / path.name)
    inside.rmdir()


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the one lock of a runs folder, so that two builds cannot write the same run."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("ab")  # a link in its place would have another file emptied
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            message = f"{folder}: another build is writing here; wait until it has ended, then run the command again"
            raise StorageError(message) from None
        yield

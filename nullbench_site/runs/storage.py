"""Disk work that must not lose anything: atomic writes, one lock, and foreign errors named for the user."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nullbench_site.errors import StorageError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_TEMPORARY = ".*.tmp"
"""What `write_atomically` calls a file until it is whole. Only a killed process leaves one behind."""
_DIGEST = 32
"""Bytes of a SHA-256."""
_AT_FDCWD, _EXCHANGE = -100, 2
"""Of Linux, where the second is RENAME_EXCHANGE; macOS calls the same number RENAME_SWAP."""
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
    import hashlib  # noqa: PLC0415 - 2 ms, and most commands keep nothing

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


def remove_folder(folder: Path, *, ignore_errors: bool = False) -> None:
    """Take a folder away with all that is in it."""
    import shutil  # noqa: PLC0415 - with three libraries of compression, and most commands take nothing away

    shutil.rmtree(folder, ignore_errors=ignore_errors)


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its place at the end of the block; until then the old one stays.

    After an error the old one stays for good. What a killed process left beside it is taken away first.
    """
    target = folder.resolve()  # a link stays one
    new, old = (target.with_name(f".{target.name}.{which}") for which in ("new", "old"))
    with storage_errors(target):
        if old.is_dir() and not target.exists():  # killed between two renames
            old.rename(target)
        for leftover in (new, old):
            remove_folder(leftover, ignore_errors=True)
        if target.exists() and not target.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(target))
    try:
        yield new
        with storage_errors(target):
            if not target.exists():
                new.rename(target)
            elif not _exchanged(new, target):
                try:
                    target.rename(old)
                except OSError as error:
                    if error.errno not in (errno.EBUSY, errno.EXDEV):
                        raise
                    _refill(target, new)
                else:
                    new.rename(target)
    finally:
        for leftover in (new, old):
            remove_folder(leftover, ignore_errors=True)


def _refill(mounted: Path, new: Path) -> None:
    """Make a mount point, which cannot be renamed, hold the files of `new`: first copied beside the old ones."""
    import shutil  # noqa: PLC0415 - as above

    inside = mounted / new.name
    remove_folder(inside, ignore_errors=True)
    shutil.copytree(new, inside)
    for path in mounted.iterdir():
        if path != inside:
            remove_folder(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    for path in inside.iterdir():
        path.rename(mounted / path.name)
    inside.rmdir()


def _exchanged(one: Path, other: Path) -> bool:
    """Whether the two could be given each other's name in one step, so that no reader finds nothing."""
    import ctypes  # for a site that was made, which stands seldom in a command's way

    if sys.platform == "linux":
        exchange = getattr(ctypes.CDLL(None), "renameat2", None)
        return exchange is not None and exchange(_AT_FDCWD, bytes(one), _AT_FDCWD, bytes(other), _EXCHANGE) == 0
    if sys.platform == "darwin":
        return bool(ctypes.CDLL(None).renamex_np(bytes(one), bytes(other), _EXCHANGE) == 0)
    return False


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the one lock of a runs folder, so that two builds cannot write the same run."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("ab")  # a link in its place would have another file emptied
    with lock:
        try:
            if sys.platform == "win32":
                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            message = f"{folder}: another build is writing here; wait until it has ended, then run the command again"
            raise StorageError(message) from None
        yield

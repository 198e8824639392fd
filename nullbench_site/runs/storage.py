"""Disk work that must not lose anything: atomic writes, one lock, and foreign errors named for the user."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nullbench_site.errors import StorageError

TEMPORARY = ".*.tmp"
"""What `write_atomically` calls a file until it is whole. Only a killed process leaves one behind."""
_ADVICE = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space in your quota",
    errno.EFBIG: "raise the limit on file sizes",
    errno.EROFS: "make the file system writable",
    errno.EACCES: "make it readable and writable for you",
    errno.EPERM: "make it readable and writable for you",
    errno.EIO: "look after the disk",
    errno.EEXIST: "a file stands where a folder belongs, so move it away",
    errno.ENOTDIR: "a file stands where a folder belongs, so move it away",
}


def is_refusal(error: OSError) -> bool:
    """Whether it is the disk that refused, and not the program that is wrong."""
    return error.errno in _ADVICE


def refusal(error: OSError, path: Path | None = None) -> StorageError:
    """What to tell the user. path: what was worked on, for errors that do not say."""
    place = f"{error.filename or path}: " if error.filename or path else ""
    advice = _ADVICE.get(error.errno or 0, "mend that")
    return StorageError(f"{place}{error.strerror or error}; {advice} and run the command again")


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of the disk into a StorageError that says what to do."""
    try:
        yield
    except OSError as error:
        raise refusal(error, path) from error


def write_atomically(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write `path` whole or not at all, even when the process is killed meanwhile. data: all of it, or its pieces."""
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold the one lock of a runs folder, so that two builds cannot write the same run."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / ".lock").open("a")  # a link in its place would have another file emptied
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"{folder}: another build is writing here; wait until it has ended, then run the command again"
            raise StorageError(message) from None
        yield

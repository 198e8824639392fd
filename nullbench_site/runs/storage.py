"""Disk work that must not lose anything: atomic writes, one lock, and foreign errors named for the user."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nullbench_site.errors import StorageError


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of the disk into a StorageError that says what to do."""
    try:
        yield
    except OSError as error:
        advice = {
            errno.ENOSPC: "free some space",
            errno.EDQUOT: "free some space in your quota",
            errno.EFBIG: "raise the limit on file sizes",
            errno.EROFS: "make the file system writable",
            errno.EACCES: "make the folder writable for you",
            errno.EPERM: "make the folder writable for you",
        }.get(error.errno or 0, "mend that")
        reason = error.strerror or str(error)
        message = f"{error.filename or path}: cannot write ({reason}); {advice} and run the command again"
        raise StorageError(f"{message}. What was recorded stays and is not repeated") from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write `path` whole or not at all, even when the process is killed meanwhile."""
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            with temporary.open("wb") as file:
                file.write(data)
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
        lock = (folder / ".lock").open("w")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"{folder}: another build is writing here; wait until it has ended, then run the command again"
            raise StorageError(message) from None
        yield

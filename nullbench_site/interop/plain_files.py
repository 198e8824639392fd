"""Files of others, read and nothing else: no link is followed, no pipe waited for, nothing without an end read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

# No link is followed, no pipe waited for and no line end changed, where the system has a flag for that.
_PLAINLY = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
MOST_BYTES = 512 * 1024 * 1024


class NotPlainError(Exception):
    """Why a file was not read, in words for whoever put it there."""


def plain_bytes(path: Path) -> bytes:
    """What a plain file holds. Raises NotPlainError."""
    if path.is_symlink():
        raise NotPlainError("a symbolic link; put the file itself here")
    try:
        descriptor = os.open(path, _PLAINLY)
    except OSError as error:
        raise NotPlainError(f"cannot be read ({error.strerror})") from error
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:
        os.close(descriptor)
        raise NotPlainError(f"is no file of at most {MOST_BYTES // 1024**2} MB; put the file itself here")
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read()

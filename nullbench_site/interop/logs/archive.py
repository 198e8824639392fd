"""Read the members of an untrusted ZIP archive. Nothing is unpacked to disk."""

from __future__ import annotations

import sys
import zipfile
import zlib
from collections.abc import Mapping
from importlib import import_module
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from nullbench_site.errors import UsageError
from nullbench_site.interop.source_files import MOST_BYTES
from nullbench_site.text import quoted

MOST_IN_ALL = 4 * 1024**3
"""Unpacked bytes of an archive that are read; of one member, as many as of a file."""
_STEP = 4096
"""Bytes to ask for at a time: a frame that lies about its size can then expand to no more than 128 MB in memory."""
_ZSTANDARD, _METHODS = 93, frozenset((0, 8, 93))


def _module() -> Any:
    """Return a module with the interface of `zipfile` that reads Zstandard if this Python or an extra can."""
    try:
        return import_module("backports.zstd.zipfile")  # of the extra `zstd`, and not needed from Python 3.14
    except ImportError:
        return zipfile


class Archive:
    """The members of an archive by name. Raises UsageError for one that is damaged or hostile."""

    def __init__(self, file: str, raw: bytes) -> None:
        self.file, self._module, self._left = file, _module(), MOST_IN_ALL
        try:
            self._archive = self._module.ZipFile(BytesIO(raw))
        except (self._module.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise UsageError(f"{file}: a damaged or incomplete archive; copy the log again") from error
        self._members: Mapping[str, Any] = {member.filename: member for member in self._archive.infolist()}
        self._check(reads_zstandard=hasattr(self._module, "ZIP_ZSTANDARD"))

    def _check(self, *, reads_zstandard: bool) -> None:
        for name, member in self._members.items():
            if name.startswith("/") or "\\" in name or ".." in PurePosixPath(name).parts:
                raise UsageError(
                    f"{self.file}: the path of the member {quoted(name)} leaves the archive; do not use it"
                )
            if member.compress_type not in _METHODS or member.flag_bits & 1:
                raise UsageError(f"{self.file}: {quoted(name)}: unknown compression or encryption; write the log again")
            if member.compress_type == _ZSTANDARD and not reads_zstandard:
                version = ".".join(map(str, sys.version_info[:2]))
                remedy = "pip install 'nullbench-site[zstd]', or convert it: inspect log convert --to json"
                raise UsageError(f"{self.file}: Python {version} cannot read Zstandard by itself; {remedy}")

    @property
    def names(self) -> list[str]:
        """Return the names of all members, in order."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """Return the content of a member. Raises UsageError if it is damaged or too large."""
        parts, most = list[bytes](), min(MOST_BYTES, self._left)
        wrong = (self._module.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, *_zstd_errors())
        try:
            with self._archive.open(self._members[name]) as member:
                while most >= 0 and (part := member.read(_STEP)):
                    parts.append(part)
                    most -= len(part)
        except wrong as error:
            raise UsageError(f"{self.file}: {quoted(name)} is damaged; copy the log again") from error
        if most < 0:
            smaller = "unpacks to too many bytes; write a smaller log, for example with --no-log-images"
            raise UsageError(f"{self.file}: {quoted(name)} {smaller}")
        content = b"".join(parts)
        self._left -= len(content)
        return content


def _zstd_errors() -> tuple[type[Exception], ...]:
    for name in ("backports.zstd", "compression.zstd"):
        try:
            return (import_module(name).ZstdError,)
        except ImportError:
            continue
    return ()

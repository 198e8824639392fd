"""Bodies of answers, read and unpacked up to a limit: whatever a server sends, memory holds."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

from nullbench_site.evaluation.backends.openai.fault import Fault

MOST = 32 * 2**20
"""Bytes of an answer, unpacked. The longest outputs of models are below one megabyte."""
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_MOST_PARTS = 64
"""A body is one stream of gzip, or a few; each costs a copy of what follows it, and a million would take hours."""
_EITHER = 47
"""Tells zlib to take gzip and zlib, by what the first bytes say, with the largest window."""


async def read_body(chunks: AsyncIterator[bytes], encoding: str, most: int = MOST) -> bytes:
    """The body, unpacked. Raises Fault where it is larger than `most`, or is not packed as `encoding` says."""
    packed = bytearray()
    async for chunk in chunks:
        packed += chunk
        if len(packed) > most:
            raise _too_large(most)
    coding = encoding.strip().lower()
    if coding in {"", "identity"}:
        return bytes(packed)
    if coding not in _PACKED:
        raise Fault("attempt", "its answer came packed in a way that was not asked for")
    return _unpacked(bytes(packed), most)


def _unpacked(packed: bytes, most: int) -> bytes:
    plain = b""
    for _ in range(_MOST_PARTS):
        if not packed:
            return plain
        reader = zlib.decompressobj(_EITHER)
        try:
            plain += reader.decompress(packed, most + 1 - len(plain))
        except zlib.error:
            raise Fault("attempt", "its answer came in gzip that is damaged") from None
        if len(plain) > most:
            raise _too_large(most)
        if not reader.eof:
            raise Fault("attempt", "its answer came in gzip that is cut short")
        packed = reader.unused_data
    raise Fault("attempt", "its answer came in gzip that is damaged")


def _too_large(most: int) -> Fault:
    return Fault("call", f"its answer is larger than {most // 2**20} MiB")

"""Ports of this machine that are kept for one test."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held_port() -> Iterator[int]:
    """A port that nobody is given by chance meanwhile, and where connections are refused.

    A server may bind it all the same that sets SO_REUSEADDR, as those of asyncio do: only one of the two listens.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]

"""Room in memory for large response bodies, shared by all endpoints of a build."""

from __future__ import annotations

import asyncio

MOST_HELD = 64 * 2**20
"""Bytes of all large bodies together."""
SMALL = 64 * 2**10
"""Bytes. The rest of a body is large; answers that end before it wait for nobody."""


class Room:
    """For one event loop. A body takes all it may need at once, so that no two wait for each other."""

    def __init__(self) -> None:
        self._free = MOST_HELD
        self._turn = asyncio.Lock()
        self._left = asyncio.Event()

    async def take(self, amount: int) -> None:
        """Wait until there is room for so many bytes, MOST_HELD at most; first come, first served."""
        async with self._turn:
            while self._free < amount:
                self._left.clear()
                await self._left.wait()
            self._free -= amount

    def leave(self, amount: int) -> None:
        """Give back what was taken."""
        self._free += amount
        self._left.set()

"""Entries cut into files of a bounded size."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

ITEM_BYTES = 32_768
ANSWER_BYTES = 65_536
"""Of one file, before compression: an answer with its verdicts repeats itself more. One larger entry stands alone."""


class Parts:
    """Files of entries by id, and which of them has an entry. most: bytes of a file."""

    def __init__(self, entries: Iterable[tuple[str, bytes]], most: int) -> None:
        self.of: dict[str, int] = {}
        self._parts: list[dict[str, msgspec.Raw]] = []
        size = most
        for name, entry in entries:
            if size + len(entry) > most:
                self._parts.append({})
                size = 0
            self._parts[-1][name] = msgspec.Raw(entry)
            self.of[name] = len(self._parts) - 1
            size += len(name) + len(entry)

    @property
    def files(self) -> list[tuple[str, bytes]]:
        """Name -> content."""
        return [(f"{number}.json", msgspec.json.encode(part)) for number, part in enumerate(self._parts)]

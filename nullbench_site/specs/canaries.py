"""The canaries of a board's files: which part a model is shown, and which it can only know from training."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from nullbench_site.specs import templates, types
from nullbench_site.specs.benchmark import Benchmark, PlacedItem

_PREFIX = "nullbench-canary:"
_SHOWN = len(_PREFIX) + len("8d1f0c52-6b1e-4c07-")
BITS = 62
"""The random bits of the part that is not shown. A version 4 UUID has 122, 60 of them in the shown part (RFC 9562)."""
_NOT_A_DIGIT = re.compile(r"[^0-9a-z]")


class FileCanary(Struct, frozen=True):
    """The canary of a spec file. file: its path below specs/."""

    file: str
    text: str

    @property
    def shown(self) -> str:
        """Return the prefix and the first 16 of the 32 digits of the UUID."""
        return self.text[:_SHOWN]

    @property
    def rest(self) -> str:
        """Return the other 16 digits, which nobody can guess: one guess in 2^62 is right."""
        return self.text[_SHOWN:]

    def is_completed_by(self, answer: str) -> bool:
        """Return True if an answer contains the rest, with or without its hyphen and spaces."""
        return _digits(self.rest) in _digits(answer)


def _digits(text: str) -> str:
    return _NOT_A_DIGIT.sub("", text.casefold())


def canaries_of(benchmark: Benchmark, board: types.BoardFile) -> Iterator[FileCanary]:
    """Yield the canaries of the files whose texts contestants of a board see, and of the board's own file.

    Files of tables have no canary, and templates may have none.
    """
    own = {f"boards/{board.id}.yaml": board.canary}
    own |= {f"domains/{name}.yaml": benchmark.domains[name].canary for name in board.domains}
    for name in board.wordings:
        own[f"templates/{name}.txt"] = templates.canary(benchmark.templates.get(name, ""))
    yield from (FileCanary(file, text) for file, text in own.items() if text)


@dataclass(frozen=True)
class PlacedCanary(PlacedItem):
    """A canary in the place of an item. It is in no category and no domain, because it is no item."""

    canary: FileCanary = field(kw_only=True)

    @classmethod
    def of(cls, canary: FileCanary) -> PlacedCanary:
        """Return the place of a canary; its id is the path of its file, which no item can have."""
        none: Any = None
        return cls(types.Item(id=canary.file, difficulty="easy"), none, none, canary=canary)

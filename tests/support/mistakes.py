"""Mistakes in specs for tables of tests: what is edited, and what is said of it.

`▸` in what an edit puts in marks the place of a problem and is taken out before the file is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.benchmarks import edit

MARK = "▸"


@dataclass(frozen=True)
class Case:
    """Edits of a benchmark (file, old text, new text) and what is said of them, in file order."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    messages: tuple[str, ...]

    def expected(self, specs: Path) -> list[str]:
        """Make the edits; the lines that should be printed."""
        for file, old, new in self.edits:
            edit(specs, file, old, new)
        places = [place for file in sorted({file for file, _, _ in self.edits}) for place in _unmark(specs, file)]
        assert len(places) == len(self.messages), "a mark for each message"
        return [f"{place}: {message}" for place, message in zip(places, self.messages, strict=True)]


def _unmark(specs: Path, file: str) -> Iterator[str]:
    path = specs / file
    text = path.read_text("utf-8")
    while (at := text.find(MARK)) >= 0:
        yield f"specs/{file}:{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"
        text = text.replace(MARK, "", 1)
    path.write_text(text, "utf-8")


def bad(name: str, file: str, old: str, new: str, *messages: str) -> Case:
    return Case(name, ((file, old, new),), messages)


def bad_in_several(name: str, edits: list[tuple[str, str, str]], *messages: str) -> Case:
    return Case(name, tuple(edits), messages)

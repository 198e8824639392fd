"""Mistakes in specs for tables of tests: the edits of a benchmark and the exact messages.

`▸` in a new text marks the position of a problem and is removed before the file is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from support.benchmarks import edit

from nullbench_site.errors import SpecError
from nullbench_site.extensions import registered
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.sources import BackendNames

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


def assert_refused(case: Case, specs: Path, backends: BackendNames | None = None) -> None:
    """Make the edits of a case and compare the problems. A message that ends with `...` may go on."""
    expected = case.expected(specs)
    with pytest.raises(SpecError) as refused:
        load_benchmark(specs, backends=backends)
    found = [str(problem) for problem in refused.value.problems]
    for number, message in enumerate(expected):
        if message.endswith("...") and number < len(found):
            found[number] = found[number][: len(message) - 3] + "..."
    assert found == expected


def table(path: Path, **words: str) -> list[Case]:
    """Read a table of cases: lines `file: old text → new text`, then the messages, indented.

    ⏎ is a line end, {U+200D} a character, {NAME} the text `words[NAME]`, {PROTOCOLS} the names of all protocols.
    """
    cases: list[Case] = []
    lines = path.read_text("utf-8")
    for name, text in {"PROTOCOLS": ", ".join(registered("protocols")), **words}.items():
        lines = lines.replace(f"{{{name}}}", text)
    for number, line in enumerate(lines.splitlines(), start=1):
        if line.startswith("    "):
            message = _plain(line.removeprefix("    "))
            cases[-1] = replace(cases[-1], messages=(*cases[-1].messages, message))
        elif line and not line.startswith("# "):
            file, _, change = line.partition(": ")
            old, _, new = change.partition(" →")
            edit = (file, _plain(old), _plain(new.removeprefix(" ")))
            if cases and not cases[-1].messages:
                cases[-1] = replace(cases[-1], edits=(*cases[-1].edits, edit))
            else:
                cases.append(Case(f"{path.stem}-{number}", (edit,), ()))
    return cases


def _plain(text: str) -> str:
    return re.sub(r"\{U\+([0-9A-F]{4,6})\}", lambda code: chr(int(code[1], 16)), text.replace("⏎", "\n"))

"""The private folder: a file a domain, a line an item."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nullbench_site.errors import Problem
from nullbench_site.specs.document import Document
from nullbench_site.specs.listing import readable
from nullbench_site.specs.private.quiet import read_line
from nullbench_site.specs.types import PrivateText


@dataclass(frozen=True)
class PrivateLine:
    """A text and where it stands."""

    text: PrivateText
    document: Document


@dataclass(frozen=True)
class PrivateFiles:
    """The lines of each domain that has a file, and what is wrong with the others."""

    lines: Mapping[str, Sequence[PrivateLine]]
    problems: Sequence[Problem]


def read_private(folder: Path, kinds: Mapping[str, type[PrivateText]], beside: Path) -> PrivateFiles:
    """The files of a private folder. kinds: what a line is, by domain. beside: paths below it are told from there.

    Raises StorageError where a file cannot be read.
    """
    lines: dict[str, Sequence[PrivateLine]] = {}
    problems: list[Problem] = []
    for path in sorted(folder.glob("*.jsonl")):
        shown = path.relative_to(beside).as_posix() if path.is_relative_to(beside) else str(path)
        if path.stem not in kinds:
            message = "no domain whose items can be private has this id; a private file is called <domain id>.jsonl"
            problems.append(Problem(shown, 1, 1, message))
            continue
        lines[path.stem], wrong = _lines(path, shown, kinds[path.stem])
        problems += wrong
    return PrivateFiles(lines, problems)


def _lines(path: Path, shown: str, kind: type[PrivateText]) -> tuple[list[PrivateLine], list[Problem]]:
    found: list[PrivateLine] = []
    problems: list[Problem] = []
    first: dict[str, int] = {}
    with readable(path):
        raw_lines = path.read_bytes().split(b"\n")
    for number, raw in enumerate(raw_lines, start=1):
        if not raw.strip():
            continue
        text, document, wrong = read_line(shown, raw.rstrip(b"\r"), number, kind)
        problems += wrong
        if text is None or document is None:
            continue
        if text.id in first:
            message = f"the item {text.id!r} has a line already, {first[text.id]}; keep one of them"
            problems.append(document.problem(["id"], message))
            continue
        first[text.id] = number
        found.append(PrivateLine(text, dataclasses.replace(document, data=None)))
    return found, problems

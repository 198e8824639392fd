"""Rows of published files, JSON lines or CSV with a header: each value with its place, and what is wrong with it."""

from __future__ import annotations

import csv
import io
import os
import stat
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from nullbench_site.errors import Problem
from nullbench_site.interop.json_places import BrokenError, object_of_line, shown, text_problem, values_of_line
from nullbench_site.text import did_you_mean, not_utf8, quoted

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


@dataclass
class Row:
    """A row of a file. Each getter gives the value of a key, or None and keeps a problem; `broken` is then True.

    json: the object that the values are of, in which they have places; empty where they have none. null: whether the
    value may be null, or the key away, which gives None without a problem.
    """

    file: str
    line: int
    values: Mapping[str, Any]
    problems: list[Problem]
    json: str = ""
    broken: bool = False

    def note(self, key: str | None, message: str) -> None:
        """Keep what is wrong with the value of a key, or with the row."""
        at = object_of_line(self.json, "")[0][key][0] if self.json and key is not None and key in self.values else 0
        self.problems.append(Problem(self.file, self.line, at + 1, message))
        self.broken = True

    def text(self, key: str) -> str | None:
        value = self._value(key, null=False)
        if value is None:
            return None
        if (problem := text_problem(value)) is not None or not value.strip():
            self.note(key, f"{key}: {problem or 'the text is empty'}")
            return None
        return str(value)

    def alike(self, key: str, known: str, noun: str = "") -> str | None:
        """A text that is the same in all rows. known: that of the rows above, empty where there is none. noun: what it
        names, where that is not what the key says."""
        value, noun = self.text(key), noun or key
        if value is not None and value != (known or value):
            message = f"the {noun} is {value!r}, and above it is {known!r}"
            self.note(key, f"{message}; import the rows of one {noun} at a time")
        return value

    def one_of(self, key: str, allowed: Sequence[str], *, null: bool = False) -> str | None:
        value = self._value(key, null=null)
        if value is None or (isinstance(value, str) and value in allowed):
            return value
        known = did_you_mean(value, allowed) if isinstance(value, str) else f"expected one of {', '.join(allowed)}"
        self.note(key, f"{key}: found {shown(value)}; {known}")
        return None

    def flag(self, key: str, *, null: bool = False) -> bool | None:
        value = self._value(key, null=null)
        if value is not None and type(value) is not bool:
            self.note(key, f"{key}: found {shown(value)}; expected true or false{' or null' if null else ''}")
            return None
        return value

    def whole(self, key: str, *, low: int = 0) -> int | None:
        value = self._value(key, null=False)
        if value is None or (type(value) is int and low <= value < 2**53):
            return value
        self.note(key, f"{key}: found {shown(value)}; expected a whole number from {low} on")
        return None

    def number(self, key: str, low: float, high: float, *, null: bool = False) -> float | None:
        value = self._value(key, null=null)
        if value is None:
            return None
        if type(value) not in (int, float) or not isfinite(value) or not low <= value <= high:
            self.note(key, f"{key}: found {shown(value)}; expected a number from {low:g} to {high:g}")
            return None
        return float(value)

    def counts(self, key: str, n: int) -> tuple[int, ...] | None:
        """A list of so many whole numbers, or nothing where the key is away."""
        value = self._value(key, null=True)
        if value is None or (
            isinstance(value, list) and len(value) == n and all(type(one) is int and 0 <= one < 2**53 for one in value)
        ):
            return None if value is None else tuple(value)
        self.note(key, f"{key}: found {shown(value)}; expected a list of {n} whole numbers from 0 on")
        return None

    def _value(self, key: str, *, null: bool) -> Any:
        if (value := self.values.get(key)) is not None:
            return value
        if not null:
            known = ", ".join(sorted(self.values)) or "nothing"
            away = f"{key}: found null; write the value" if key in self.values else None
            self.note(key, away or f"the key {quoted(key)} is missing; the row has {known}")
        return None


@dataclass
class Source:
    """The folder of published files, and every problem of theirs."""

    folder: Path
    problems: list[Problem] = field(default_factory=list)

    def names(self, folder: str, ending: str) -> list[str]:
        """The files with this ending in a folder of it, by their path in it, sorted; a problem where there is none."""
        inside = self.folder / folder
        if inside.is_symlink() or not inside.is_dir():
            self.note(folder, "there is no such folder; name the folder that holds it")
            return []
        names = sorted(path.name for path in inside.iterdir() if path.name.endswith(ending))
        if not names:
            self.note(folder, f"holds no file *{ending}; put one a model here")
        return [f"{folder}/{name}" for name in names]

    def lines(self, file: str, expected: str) -> Iterator[Row]:
        """The rows of a file of JSON lines. expected: what a row is, for messages."""
        for number, raw in self._text_lines(file):
            try:
                values = values_of_line(raw, expected)
            except BrokenError as broken:
                self.note(file, broken.message, number, broken.at + 1)
            else:
                yield Row(file, number, values, self.problems, raw)

    def table(self, file: str, columns: Sequence[str]) -> Iterator[Row]:
        """The rows of a CSV file whose header has these columns; numbers are read as such."""
        rows = csv.reader(io.StringIO("\n".join(line for _, line in self._text_lines(file, blank=True))))
        header = next(rows, [])
        if missing := [name for name in columns if name not in header]:
            self.note(file, f"the header has no {', '.join(missing)}; it is the first line, with {', '.join(columns)}")
            return
        for cells in rows:
            if cells:
                values = {name: _cell(cell) for name, cell in zip(header, cells, strict=False)}
                yield Row(file, rows.line_num, values, self.problems)

    def note(self, file: str, message: str, line: int = 1, column: int = 1) -> None:
        """Keep what is wrong with a file."""
        self.problems.append(Problem(file, line, column, message))

    def has(self, file: str) -> bool:
        """Whether there is such a file, whatever it is."""
        return (self.folder / file).exists()

    def _text_lines(self, file: str, *, blank: bool = False) -> Iterator[tuple[int, str]]:
        try:
            raw = plain_bytes(self.folder / file)
        except NotPlainError as error:
            self.note(file, str(error))
            return
        for number, line in enumerate(raw.removeprefix(BOM_UTF8).split(b"\n"), start=1):
            if not line.strip() and not blank:
                continue
            try:
                yield number, line.decode().rstrip("\r")
            except UnicodeDecodeError as error:
                column = len(line[: error.start].decode()) + 1
                self.note(file, not_utf8(error), number, column)


def _cell(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            if isfinite(value := kind(text)):
                return value
        except (ValueError, OverflowError):
            continue
    return text

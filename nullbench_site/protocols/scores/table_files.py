"""Read the table files of a board. CSV with a header; an empty cell has no value. Every problem is collected."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import numpy as np

from nullbench_site.errors import Problem
from nullbench_site.specs.document import FORBIDDEN
from nullbench_site.specs.json_lines import JsonLine
from nullbench_site.specs.types import ID_FORM
from nullbench_site.stats.arrays import Floats
from nullbench_site.text import did_you_mean, hidden_character, not_utf8, plural, quoted

MOST_BYTES = 64 * 1024 * 1024
_REQUIRED = ("id", "title")
_TYPES: Mapping[str, type] = {"parameters_b": float, "open_weights": bool}
_AN_ID, _A_DATE = f"write an id: {ID_FORM.rstrip('.')}", "write a year, month or day, such as 2026-11-12"
_AN_ADDRESS = "write an address that begins with https:// or http://"
_FORMS: Mapping[str, str] = {
    "id": _AN_ID, "family": _AN_ID, "tags": "write ids with spaces between them",
    "kind": "write model, baseline or null", "difficulty": "write easy, medium or hard",
    "parameters_b": "write a number above 0", "open_weights": "write true or false", "homepage": _AN_ADDRESS,
    "link": _AN_ADDRESS, "date": _A_DATE, "released": _A_DATE, "training_cutoff": _A_DATE,
}  # fmt: skip
"""What to write in a column of models.csv or items.csv."""
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")


class Cells(NamedTuple):
    """A table of numbers, (models, items), NaN for an empty cell, with the ids of its rows and columns."""

    models: Sequence[str]
    items: Sequence[str]
    values: Floats


class TableRow(msgspec.Struct, frozen=True):
    """A row of models.csv or items.csv: its cells that are not empty, by column."""

    document: JsonLine
    cells: Mapping[str, str]

    @property
    def id(self) -> str:
        return self.cells.get("id", "")

    def problem(self, column: str, message: str) -> Problem:
        return self.document.problem([column], message)


@dataclass
class TableFiles:
    """The table files of a board, by name, and every problem in them."""

    folder: str
    files: Mapping[str, bytes]
    problems: list[Problem] = field(default_factory=list)

    def note(self, name: str, line: int, message: str, column: str = "") -> None:
        """Add a problem of a file."""
        self.problems.append(JsonLine(f"{self.folder}/{name}", line).problem([column] if column else [], message))

    def cells(self, name: str, *, required: bool = False) -> Cells | None:
        """Return a table of numbers; None if it is missing or cannot be read."""
        lines = self._lines(name, required=required)
        if not lines:
            return None
        models, items = [cells[0] for _, cells in lines[1:]], lines[0][1][1:]
        for noun, names in (("row", models), ("column", items)):
            for twice in [each for each, n in Counter(names).items() if n > 1]:
                self.note(name, 1, f"two {noun}s are called {quoted(twice)}; keep one")
        values = np.full((len(models), len(items)), np.nan)
        for place, (line, cells) in enumerate(lines[1:]):
            for column, cell in enumerate(cells[1:]):
                if cell and _NUMBER.match(cell) and np.isfinite(value := float(cell)):
                    values[place, column] = value
                elif cell:
                    advice = "write a number such as 0.5, or leave the cell empty"
                    self.note(name, line, f"found {quoted(cell)}; {advice}", items[column])
        return Cells(models, items, values)

    def rows(self, name: str, columns: Sequence[str]) -> list[TableRow]:
        """Return the rows of a table about contestants or items."""
        lines = self._lines(name, required=True)
        header = lines[0][1] if lines else []
        for column, n in Counter(header).items():
            if column not in columns:
                self.note(name, 1, f"unknown column {quoted(column)}; {did_you_mean(column, columns, limit=20)}")
            elif n > 1:
                self.note(name, 1, f"column {quoted(column)} is there twice; remove one")
        for column in _REQUIRED if lines else ():
            if column not in header:
                self.note(name, 1, f"the header has no {quoted(column)}; add the column")
        rows = []
        for line, cells in lines[1:]:
            texts = {column: cell.strip() for column, cell in zip(header, cells, strict=True) if cell.strip()}
            rows.append(TableRow(JsonLine(f"{self.folder}/{name}", line), texts))
            for column, text in texts.items():
                if found := FORBIDDEN.search(text.replace("\n", "\v")):
                    self.note(name, line, f"the text contains U+{ord(found[0]):04X}; write it on one line", column)
                elif hidden := hidden_character(text):
                    self.note(name, line, f"the text contains {hidden}, which is invisible; remove it", column)
        return rows

    def check_amount(self, row: TableRow, column: str) -> None:
        """Check that a cell is empty, or a cost or a time."""
        text = row.cells.get(column)
        if text is not None and not (_NUMBER.match(text) and 0 <= float(text) < np.inf):
            self.problems.append(row.problem(column, f"found {quoted(text)}; write a number from 0, such as 1.5"))

    def spec(self, row: TableRow, kind: Any, **fixed: Any) -> Any:
        """Return a row as a spec; None if a cell has the wrong form."""
        data: dict[str, Any] = {}
        for column, text in row.cells.items():
            of_type = _TYPES.get(column, str)
            if (of_type is bool and text not in ("true", "false")) or (of_type is float and not _NUMBER.match(text)):
                self.problems.append(row.problem(column, f"found {quoted(text)}; {_FORMS[column]}"))
            else:
                data[column] = text == "true" if of_type is bool else of_type(text)
        try:
            return msgspec.convert({**data, **fixed}, kind)
        except msgspec.ValidationError as error:
            message, _, path = str(error).partition(" - at `$.")
            column = re.split(r"[`\[.]", path)[0]
            form = _FORMS.get(column)
            found = message.replace("`", "") if form is None else f"found {quoted(row.cells.get(column, ''))}; {form}"
            self.problems.append(row.problem(column, found) if column else row.document.problem([], found))
            return None

    def _lines(self, name: str, *, required: bool) -> list[tuple[int, list[str]]]:
        """Return the lines of a file with their numbers; none if it cannot be read."""
        raw = self.files.get(name)
        if raw is None:
            if required:
                self.note(name, 1, "missing file; a board of the protocol 'scores' needs it")
            return []
        if len(raw) > MOST_BYTES:
            self.note(name, 1, f"the file is larger than {MOST_BYTES // 1024**2} MB; leave out items or contestants")
            return []
        try:
            reader = csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), strict=True)
            lines = [(reader.line_num, cells) for cells in reader if cells]
        except UnicodeDecodeError as error:
            self.note(name, 1 + raw.count(b"\n", 0, error.start), not_utf8(error))
            return []
        except csv.Error as error:
            self.note(name, 1, f"invalid CSV ({error}); put quotes around a text with a comma or a quote")
            return []
        if len(lines) <= 1:
            self.note(name, 1, "the table has no row; write a header, and a row for each entry")
            return []
        width = len(lines[0][1])
        if wrong := [(line, len(cells)) for line, cells in lines if len(cells) != width]:
            for line, n in wrong:
                self.note(name, line, f"found {plural(n, 'cell')}; the header has {width}")
            return []
        return lines

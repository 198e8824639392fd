"""Read the table files of a board. CSV with a header; an empty cell has no value. Every problem is collected.

Boards whose results come from tables have models.csv, one row per contestant, and items.csv, one row per item.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import msgspec
import numpy as np

from nullbench_site.errors import Problem
from nullbench_site.specs.document import FORBIDDEN
from nullbench_site.specs.json_lines import JsonLine
from nullbench_site.specs.sources import SpecFile
from nullbench_site.specs.types import ID_FORM, RECORDED, BoardFile, Category, DomainFile, ModelFile
from nullbench_site.stats.arrays import Floats
from nullbench_site.text import did_you_mean, hidden_character, not_utf8, plural, quoted, slug

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


OF_MODELS = (
    "id", "title", "kind", "model", "vendor", "family", "base", "released", "training_cutoff", "parameters_b",
    "license", "open_weights", "homepage", "cost_usd", "seconds",
)  # fmt: skip
"""The columns of models.csv; only id and title are required. The last two are no fields of a model."""
_NOT_OF_MODELS = ("cost_usd", "seconds")
_ABOUT_MODEL = "A contestant of imported results."
_NO_CANARY = "nullbench-canary:00000000-0000-0000-0000-000000000000"
"""A file of a model needs a canary; a row of a table has none."""
_LONGEST_ID = 80
_NOUNS = {"models.csv": "contestant", "items.csv": "item"}
ItemT = TypeVar("ItemT")


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

    def rows(self, name: str, columns: Sequence[str], required: Sequence[str] = _REQUIRED) -> list[TableRow]:
        """Return the rows of a table, such as that about contestants. required: columns of the header."""
        lines = self._lines(name, required=True)
        header = lines[0][1] if lines else []
        for column, n in Counter(header).items():
            if column not in columns:
                self.note(name, 1, f"unknown column {quoted(column)}; {did_you_mean(column, columns, limit=20)}")
            elif n > 1:
                self.note(name, 1, f"column {quoted(column)} is there twice; remove one")
        for column in required if lines else ():
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
                self.note(name, 1, "missing file; add it, as a board with tables has one")
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


def distinct_ids(names: Sequence[str], noun: str, prefix: str = "") -> list[str]:
    """Return an id for each of these names: its slug or, if nothing is left of it, the noun; numbered if taken."""
    ids: dict[str, None] = {}
    for name in names:
        own = wanted = f"{prefix}{slug(name) or noun}"[:_LONGEST_ID].rstrip("-._")
        number = 1
        while own in ids:
            number += 1
            own = f"{wanted[: _LONGEST_ID - 1 - len(str(number))]}-{number}"
        ids[own] = None
    return list(ids)


def check_names(source: TableFiles, name: str, rows: Sequence[TableRow], known: Sequence[str], of: str) -> None:
    """Check that models.csv or items.csv has one row for each contestant or item of the table `of`."""
    left, seen, noun = set(known), set[str](), _NOUNS[name]
    for row in rows:
        if row.id in seen:
            source.problems.append(row.problem("id", f"duplicate id {quoted(row.id)}; keep one row"))
        elif row.id not in left:
            message = f"{of} has no {noun} {quoted(row.id)}; {did_you_mean(row.id, known)}"
            source.problems.append(row.problem("id", message))
        seen.add(row.id)
    for own in sorted(left - seen):
        source.note(name, 1, f"no row for {noun} {quoted(own)} of {of}; add one")


def models_of(source: TableFiles, rows: Sequence[TableRow]) -> Iterator[SpecFile[ModelFile]]:
    """Yield the contestants in the rows of models.csv."""
    for row in rows:
        for name in _NOT_OF_MODELS:
            source.check_amount(row, name)
        defaults = {"kind": "model", "model": row.id, "family": row.id, "backend": RECORDED}
        cells = {name: text for name, text in row.cells.items() if name not in _NOT_OF_MODELS}
        about = TableRow(row.document, {**defaults, **cells})
        spec = source.spec(about, ModelFile, canary=_NO_CANARY, description=_ABOUT_MODEL)
        if spec is not None:
            yield SpecFile(msgspec.structs.replace(spec, canary=""), row.document)


def domains_of(
    board: BoardFile,
    file: str,
    items: Sequence[tuple[TableRow, ItemT]],
    domain_type: type[DomainFile],
    category_type: type[Category],
) -> list[SpecFile[Any]]:
    """Return the domains with their categories. Without these columns, a board has one domain and that one category."""
    domains = []
    for domain, title, own in _named(_grouped(items, "domain"), board.id, board.title, "domain", "-"):
        categories: list[Category] = []
        documents: dict[tuple[int, int], JsonLine] = {}
        for category, shown, inside in _named(_grouped(own, "category"), domain, title, "category", "."):
            documents |= {(len(categories), place): row.document for place, (row, _) in enumerate(inside)}
            own_items: Any = tuple(item for _, item in inside)
            categories.append(
                category_type(id=category, title=shown, description=f"Items of {shown}.", items=own_items)
            )
        spec = domain_type(
            canary="", id=domain, title=title, description=f"Items of {title}.", protocol=board.protocol,
            categories=tuple(categories),
        )  # fmt: skip
        domains.append(SpecFile(spec, JsonLine(file, 1), documents))
    return domains


def _grouped(items: Sequence[tuple[TableRow, ItemT]], column: str) -> dict[str, list[tuple[TableRow, ItemT]]]:
    groups: dict[str, list[tuple[TableRow, ItemT]]] = {}
    for row, item in items:
        groups.setdefault(row.cells.get(column, ""), []).append((row, item))
    return groups


def _named(
    groups: Mapping[str, list[tuple[TableRow, ItemT]]], parent: str, title: str, noun: str, joint: str
) -> Iterator[tuple[str, str, list[tuple[TableRow, ItemT]]]]:
    """Yield id, title and items of each group. One group without a name is the whole, with its parent's id."""
    names = list(groups)
    ids = [parent] if names == [""] else distinct_ids(names, noun, f"{parent}{joint}")
    yield from ((own, name or title, groups[name]) for own, name in zip(ids, names, strict=True))

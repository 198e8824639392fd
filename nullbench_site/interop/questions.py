"""Read the questions of a table, CSV or JSONL, as items of a protocol."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.errors import Problem, UsageError
from nullbench_site.interop.importer import ImportRefused, SourceProblem
from nullbench_site.interop.question_shapes import Shaped, flatten, plain, with_options, without_header
from nullbench_site.interop.table_rows import TableRows, open_table
from nullbench_site.specs.json_lines import read_line
from nullbench_site.specs.protocol import Column, Row, Starter, specs_of
from nullbench_site.specs.rewriting import item_line
from nullbench_site.specs.validate import hidden_texts, typed
from nullbench_site.text import escaped, listed, plural, quoted, slug, some_of

_MOST_PROBLEMS = 20
_NAMED = 12
_LEVELS = ("easy", "medium", "hard")
_ADVICE = "Fix the file and run the command again"


class Questions(msgspec.Struct, frozen=True):
    """The items of a table by the title of their category, and how the table was read. "": they have no category."""

    items: Mapping[str, Sequence[Mapping[str, Any]]]
    notes: Sequence[str]


def read_questions(path: Path, protocol: str, named: Mapping[str, str], prefix: str, answers: str = "") -> Questions:
    """Return the items of a table. named: headers by column, as the user names them; "" leaves a column out.

    prefix: of the ids of items that have none. answers: how answers are read where this is ambiguous. Raises UsageError
    for a file that is no table or lacks a column, ImportRefused with every problem of its rows.
    """
    starter = specs_of(protocol).starter
    if starter is None or not starter.columns:
        raise UsageError(
            f"items of the protocol {protocol!r} cannot be read from a table; write them in specs/domains/"
        )
    if answers and starter.items is None:
        raise UsageError(f"--answers is not for the protocol {protocol!r}; leave it out")
    with open_table(str(path)) as table:
        numbered = [each for block in table.blocks for each in zip(block.numbers, block.rows, strict=True)]
    shaped = Shaped(list(table.header), [number for number, _ in numbered], [list(row) for _, row in numbered])
    if starter.items is not None:
        known = {name for column in starter.every_column for name in (column.name, *column.names)}
        if not named and not known & {plain(header) for header in shaped.header}:
            without_header(shaped)
        flatten(shaped)
        if "options" not in named:
            with_options(shaped)
    table = replace(table, header=tuple(shaped.header))
    places = _places(table, starter, named)
    _without_other_levels(shaped, places, named)
    rows = _Rows(table.name, protocol, starter, places, prefix, answers=answers)
    rows.same = _same(table, starter, places, named)
    rows.problems += [Problem(table.name, number, 1, message) for number, message in shaped.problems]
    wrong = {number for number, _ in shaped.problems}
    items = rows.items([each for each in zip(shaped.numbers, shaped.rows, strict=True) if each[0] not in wrong])
    if rows.problems:
        raise ImportRefused(_some(sorted(rows.problems, key=lambda problem: problem.line)), _ADVICE)
    used = [f"{name} from {quoted(table.header[at])}" for name, at in places.items()]
    left = [
        quoted(header)
        for at, header in enumerate(table.header)
        if at not in places.values() and not header.endswith((" (option)", " (object)"))
    ]
    notes = [*table.notes, *shaped.notes, f"Columns: {', '.join(used)}"]
    notes += [f"Not used: {', '.join(some_of(left, _NAMED))}"] if left else []
    notes += ["No column has the difficulty: every item is 'medium'"] if "difficulty" not in places else []
    return Questions(items, [*notes, *rows.notes])


def _without_other_levels(shaped: Shaped, places: dict[str, int], named: Mapping[str, str]) -> None:
    """Leave out a column `level` that has no difficulty in any row, but grades of its own."""
    at = places.get("difficulty")
    if at is None or "difficulty" in named or plain(shaped.header[at]) == "difficulty":
        return
    if not any(str(cell).strip().lower() in _LEVELS for cell in shaped.cells(at)):
        del places["difficulty"]


def one_item(protocol: str, cells: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the data of one item from its cells by column. Raises UsageError with every problem."""
    starter = specs_of(protocol).starter
    if starter is None or not starter.columns:
        raise UsageError(f"items of the protocol {protocol!r} come from a table; see nullbench-site import --help")
    known = [column.name for column in starter.every_column]
    if unknown := [name for name in cells if name not in known]:
        raise UsageError(f"an item of the protocol {protocol!r} has no {listed(unknown)}; it has {listed(known)}")
    rows = _Rows("item", protocol, starter, {name: place for place, name in enumerate(cells)}, "", of_table=False)
    items = rows.items([(1, list(cells.values()))])
    if rows.problems:
        raise UsageError("\n".join(problem.message for problem in rows.problems))
    return items[""][0]


def _some(problems: Sequence[Problem]) -> Iterator[SourceProblem]:
    for problem in problems[:_MOST_PROBLEMS]:
        yield SourceProblem(problem.file, problem.line, "", problem.message)
    if (more := len(problems) - _MOST_PROBLEMS) > 0:
        yield SourceProblem(problems[-1].file, problems[-1].line, "", f"... and {plural(more, 'problem')} before this")


def _places(table: TableRows, starter: Starter, named: Mapping[str, str]) -> dict[str, int]:
    """Return the place of each column in the header. Raises UsageError for a column that is missing or not unique."""
    columns = {column.name: column for column in starter.every_column}
    for name, header in named.items():
        if name not in columns:
            raise UsageError(f"--column: there is no column {quoted(name)}; columns are {', '.join(columns)}")
        if header and header not in table.header:
            raise table.error(f"no column is called {quoted(header)}; the columns are {_headers(table)}")
    free = {at: plain(header) for at, header in enumerate(table.header) if header not in named.values()}
    places = {name: table.header.index(header) for name, header in named.items() if header}
    for column in columns.values():
        if column.name not in named and (at := _place(table, column, free)) is not None:
            places[column.name] = at
            del free[at]
    missing = [column for column in columns.values() if column.required and column.name not in places]
    if missing:
        wanted = listed([f"{column.name!r} ({column.about})" for column in missing])
        naming = " ".join(f"--column {column.name}=NAME" for column in missing)
        raise table.error(f"no column for {wanted}; the columns are {_headers(table)}. Name it with {naming}")
    return {name: places[name] for name in columns if name in places}


def _place(table: TableRows, column: Column, free: Mapping[int, str]) -> int | None:
    """Return the place of a column: that of its own name, else of its only other name. Raises UsageError for two."""
    own = [at for at, header in free.items() if header == column.name]
    others = [at for at, header in free.items() if header in column.names]
    found = own or others
    if len(found) > 1:
        headers = listed([quoted(table.header[at]) for at in found])
        advice = f"choose one with --column {shlex.quote(f'{column.name}={table.header[found[0]]}')}"
        raise table.error(f"{headers} may all be the column {column.name!r}; {escaped(advice)}")
    return found[0] if found else None


def _same(table: TableRows, starter: Starter, places: Mapping[str, int], named: Mapping[str, str]) -> dict[str, int]:
    """Return the place by header of the column that has the answer, and then of others that may have it too."""
    found: dict[str, int] = {}
    for column in starter.every_column:
        if column.same is not None and column.name in places and column.name not in named:
            found[table.header[places[column.name]]] = places[column.name]
            others = [(at, each) for at, each in enumerate(table.header) if at not in places.values()]
            found |= {each: at for at, each in others if column.same.fullmatch(plain(each).replace("_", ""))}
    return found


def _headers(table: TableRows) -> str:
    return ", ".join(some_of([quoted(header) for header in table.header], _NAMED))


class _Rows:
    """The rows of one table, their problems, and the ids and prompts seen so far."""

    def __init__(
        self,
        file: str,
        protocol: str,
        starter: Starter,
        places: Mapping[str, int],
        prefix: str,
        *,
        answers: str = "",
        of_table: bool = True,
    ) -> None:
        self.file, self.starter, self.places, self.prefix = file, starter, places, prefix
        self.answers, self.of_table = answers, of_table
        self.same: Mapping[str, int] = {}
        self.specs = specs_of(protocol)
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.ids: dict[str, int] = {}
        self.asked: dict[object, int] = {}

    def items(self, numbered: Sequence[tuple[int, Sequence[Any]]]) -> dict[str, list[Mapping[str, Any]]]:
        """Return the items by category, and note every problem."""
        if not numbered and not self.problems:
            self.problems.append(Problem(self.file, 1, 1, "the table has no row; write a row for each question"))
        digits = max(2, len(str(len(numbered))))
        rows: list[tuple[str, dict[str, Any], Row]] = []
        for place, (line, row) in enumerate(numbered, 1):
            cells = {name: row[at] for name, at in self.places.items() if not _is_empty(row[at])}
            if "id" not in self.places:
                cells["id"] = f"{self.prefix}-{place:0{digits}}"
            needed = [column.name for column in self.starter.every_column if column.required or column.name == "id"]
            if missing := [name for name in needed if name not in cells]:
                self._note(line, f"no {listed(missing)}; fill in the cell, or delete the row")
                continue
            category = " ".join(str(cells.pop("category", "")).split())
            shared, fields = self._cells(line, cells)
            same = {header: row[at] for header, at in self.same.items()}
            rows.append((category, shared, Row(line, fields, self.of_table, same)))
        items: dict[str, list[Mapping[str, Any]]] = {}
        for (category, shared, cells_of), own in zip(rows, self._own([each for *_, each in rows]), strict=True):
            if own is not None and (data := self._checked(cells_of.line, {**shared, **own})) is not None:
                items.setdefault(category, []).append(data)
        return items

    def _own(self, rows: Sequence[Row]) -> Sequence[dict[str, Any] | None]:
        """Return the fields of the protocol of each item, or None with its problem noted."""
        if self.starter.items is None or not rows:
            return [self.starter.item(row.cells) for row in rows]
        read = self.starter.items(rows, self.answers)
        self.notes += read.notes
        for line, message in read.problems:
            self._note(line, message)
        return read.data

    def _cells(self, line: int, cells: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the shared fields of an item and the cells of its protocol; note the problems of the first."""
        own, level = str(cells["id"]).strip(), str(cells.get("difficulty", "medium")).strip().lower()
        if slug(own) not in (own, own.lower()):
            advice = f"write {slug(own)!r}" if slug(own) else "write lower-case letters and digits"
            self._note(line, f"{quoted(own)} is no id; {advice}, or number the items with --column id=")
        elif (first := self.ids.setdefault(slug(own), line)) != line:
            self._note(line, f"id {quoted(slug(own))} is that of line {first} too; change one")
        if level not in _LEVELS:
            advice = "write easy, medium or hard, or leave the column out with --column difficulty="
            self._note(line, f"found the difficulty {quoted(level)}; {advice}")
            level = "medium"
        fields: dict[str, Any] = {}
        for column in self.starter.columns:
            if column.name in cells:
                value = cells[column.name] if column.raw else column.value(cells[column.name])
                keeps = column.raw or isinstance(value, list)
                fields[column.name] = value if keeps else str(value).replace("\r\n", "\n")
        return {"id": slug(own) or "x", "difficulty": level}, fields

    def _checked(self, line: int, data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the data of one item if its spec holds, or None with its problems noted."""
        document, problems = read_line(self.file, item_line(data).encode("utf-8", "surrogatepass"), line)
        item = None
        if document is not None and not problems:
            item, problems = typed(document, self.specs.item)
            problems += [] if item is None else hidden_texts(document, self.specs.item)
        self.problems += problems
        if item is not None:
            asked = self.specs.asked(item)
            if (first := self.asked.setdefault(asked, line)) != line:
                self._note(line, f"the same prompt as in line {first}; change or remove one")
        return None if problems else data

    def _note(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.file, line, 1, message))


def _is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())

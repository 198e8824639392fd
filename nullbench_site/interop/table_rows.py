"""Read the rows of a table, some at a time, from CSV, TSV, JSON, JSONL or Parquet, or from standard input."""

from __future__ import annotations

import csv
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import IO, Any, TypeAlias
from unicodedata import normalize

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.interop.file_kinds import is_markdown, markdown_rows, opened, piped, separator_of, turned
from nullbench_site.interop.source_files import beyond_limits
from nullbench_site.text import escaped, not_utf8, plural, quoted

STDIN = "-"
Cells: TypeAlias = Sequence[Any]
_AT_A_TIME = 2_000
"""Rows of a block: the cells of more of them do not fit the cache, and reading takes twice as long."""
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_PARQUET = b"PAR1"
_MOST_COLUMNS = 20_000
_LONGEST_CELL = 64 * 1024 * 1024
_PEEKED = 6
"""Lines that show what separates the cells."""
_SHAPES = "expected a list of objects, one a row; scores may also be an object with those of each model"


@dataclass(frozen=True)
class Block:
    """Some rows, with a cell for each column of the header. numbers: the line or row of each, from 1."""

    numbers: Sequence[int]
    rows: Sequence[Cells]


@dataclass(frozen=True)
class Stated:
    """What a log states of its scores. score: their column. scale: their two ends. means: each is a mean over items.

    clustered: the column `cluster` has the clusters of items.
    """

    score: str | None = None
    lower_is_better: bool = False
    scale: tuple[float, float] | None = None
    means: bool = False
    clustered: bool = False


@dataclass(frozen=True)
class TableRows:
    """The header of a table and its rows, which can be read once.

    by_line: whether the numbers of rows are lines of a file. by_column: whether they are columns, as in a transposed
    table. notes: the assumptions about the file. stated: of a log.
    """

    name: str
    header: tuple[str, ...]
    blocks: Iterator[Block]
    by_line: bool = True
    notes: list[str] = field(default_factory=list)
    stated: Stated = Stated()
    by_column: bool = False

    @property
    def unit(self) -> str:
        """The word before the number of a row in a message."""
        return "column" if self.by_column else "line" if self.by_line else "row"

    def error(self, message: str, number: int | None = None) -> UsageError:
        """Return an error at a line or row, or about the whole table."""
        return _error(self.name, message, number, self.unit)


def _error(name: str, message: str, number: int | None = None, unit: str = "line") -> UsageError:
    place = "" if number is None else f":{number}" if unit == "line" else f": {unit} {number}"
    return UsageError(f"{name}{place}: {message}")


@contextmanager
def open_table(path: str) -> Iterator[TableRows]:
    """Open a file, or standard input for `-`. Raises UsageError for a file that is not a table."""
    if path == STDIN:
        yield _opened(piped("standard input", sys.stdin.buffer), "standard input", path)
        return
    with opened(path) as stream:
        yield _opened(stream, escaped(path), path)


def _opened(stream: IO[bytes], name: str, path: str) -> TableRows:
    blank, first = 0, stream.readline()
    if first.startswith(_PARQUET):
        return _parquet(name, path)
    first, stream, notes = turned(name, first, stream)
    table = _read(name, first.removeprefix(BOM_UTF8), stream, blank)
    table.notes[:0] = notes
    return table


def _read(name: str, first: bytes, stream: IO[bytes], blank: int) -> TableRows:
    while first and not first.strip():
        blank, first = blank + 1, stream.readline()
    if not first:
        raise UsageError(f"{name}: the file is empty; expected a header and rows")
    start = first.lstrip()[:1]
    if start == b"{" and (row := _object(first)) is not None and not all(isinstance(of, dict) for of in row.values()):
        return _of_objects(name, _json_lines(name, chain([first], stream), blank), by_line=True)
    if start == b"{" and (problem := beyond_limits(first)):
        raise _error(name, problem[1], blank + 1)
    if start in (b"{", b"["):
        return _json(name, first + stream.read())
    lines = [first, *islice(stream, _PEEKED)]
    if is_markdown(name, first, lines[1] if len(lines) > 1 else b""):
        return _markdown(name, b"".join(chain(lines, stream)), blank)
    return _csv(name, lines, stream, blank)


def _markdown(name: str, raw: bytes, blank: int) -> TableRows:
    try:
        lines = raw.decode().splitlines()
    except UnicodeDecodeError as error:
        raise _error(name, not_utf8(error), raw.count(b"\n", 0, error.start) + blank + 1) from error
    (number, header), *rows = ((number + blank, row) for number, row in markdown_rows(name, lines))
    table = TableRows(name, header_of(name, header, number), iter(()), notes=["The table is Markdown."])
    return replace(table, blocks=_blocks(table, lambda: [rows.pop(0) for _ in rows[:_AT_A_TIME]]))


def _csv(name: str, lines: list[bytes], stream: Iterator[bytes], blank: int) -> TableRows:
    """Return the table in CSV. lines: the first ones. blank: the empty lines before its header."""
    separator = None
    if (stated := lines[0].strip().strip(b'"')).startswith(b"sep=") and len(stated) <= len("sep=;"):
        separator = stated[len("sep=") :].decode("utf-8", "replace") or "\t"
        lines, blank = lines[1:] or [b""], blank + 1
    separator = separator or separator_of(lines, list(_SEPARATORS))
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(map(bytes.decode, chain(lines, stream)), delimiter=separator, strict=True)
    (header,) = _csv_rows(name, reader, blank, 1) or [(blank, [])]
    columns = [column.strip() for column in header[1]]
    while len(columns) > 1 and not columns[-1] and all(_ends_empty(line, separator) for line in lines[1:]):
        columns.pop()
    table = TableRows(name, header_of(name, columns, header[0]), iter(()))
    if separator != ",":
        named = _SEPARATORS.get(separator, quoted(separator))
        table.notes.append(f"{named.capitalize()} separate the columns.")
    return replace(table, blocks=_blocks(table, lambda: _csv_rows(name, reader, blank, _AT_A_TIME)))


def _ends_empty(line: bytes, separator: str) -> bool:
    """Return True for a line whose last cell is empty, as spreadsheets write it."""
    return not line.strip() or line.rstrip(b"\r\n").endswith(separator.encode())


def _csv_rows(name: str, reader: Any, blank: int, most: int) -> list[tuple[int, list[str]]]:
    """Return the next rows, each with the line of its end."""
    try:
        return [(reader.line_num + blank, row) for row in islice(reader, most)]
    except csv.Error as error:
        raise _error(name, f"not CSV: {error}", reader.line_num + blank) from error
    except UnicodeDecodeError as error:
        raise _error(name, not_utf8(error), reader.line_num + blank + 1) from error


def _blocks(table: TableRows, more: Callable[[], list[tuple[int, list[str]]]]) -> Iterator[Block]:
    """Yield the rows of a table, as wide as its header. more: returns the next ones with their lines."""
    size, short = len(table.header), []
    while numbered := more():
        if any(len(row) != size for _, row in numbered):
            numbered = [(number, row) for number, row in numbered if row]
            for number, row in numbered:
                if any(row[size:]):
                    message = f"the row has {plural(len(row), 'cell')}, the header {size}; quote cells with separators"
                    raise table.error(message, number)
                if len(row) < size:
                    short.append(f"{number} has {len(row)} of {size} cells")
            numbered = [(number, [*row[:size], *[""] * (size - len(row))]) for number, row in numbered]
        yield Block([number for number, _ in numbered], [row for _, row in numbered])
    if short:
        others = f", and {plural(len(short) - 1, 'other line')} too few" if len(short) > 1 else ""
        table.notes.append(f"Line {short[0]}{others}; those at the end count as missing.")


def header_of(name: str, header: Sequence[str], number: int | None = None) -> tuple[str, ...]:
    """Return the names of columns. The first may have none, as in tables that pandas writes. Raises UsageError.

    name, number: of the table and of the line of its header, for messages.
    """
    if not header:
        raise _error(name, "the table has no column", number)
    if len(header) > _MOST_COLUMNS:
        message = f"the table has {plural(len(header), 'column')}, more than {_MOST_COLUMNS:,}"
        raise _error(name, f"{message}; write a row per score, with the columns model, item and score", number)
    names = [normalize("NFC", column) or ("" if place else "column 1") for place, column in enumerate(header)]
    seen = set[str]()
    for place, column in enumerate(names, 1):
        if not column:
            raise _error(name, f"column {place} has no name; name it or remove it", number)
        if column in seen:
            raise _error(name, f"two columns are called {quoted(column)}; rename or remove one", number)
        seen.add(column)
    return tuple(names)


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _json_lines(name: str, lines: Iterable[bytes], blank: int) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, raw in enumerate(lines, blank + 1):
        if not raw.strip():
            continue
        if (row := _object(raw)) is None:
            problem = beyond_limits(raw)
            other = "not a JSON object; write one object a line, without NaN or Infinity"
            raise _error(name, problem[1] if problem else other, number)
        yield number, row


def _json(name: str, raw: bytes) -> TableRows:
    try:
        rows = msgspec.json.decode(raw, type=list[msgspec.Raw] | dict[str, dict[str, Any]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if problem := beyond_limits(raw):
            raise _error(name, problem[1], problem[0]) from error
        raise _error(name, f"not a table: {error}; {_SHAPES}") from error
    if isinstance(rows, dict):
        objects: Iterator[tuple[int, dict[str, Any]]] = (
            (number, {"model": model, **scores}) for number, (model, scores) in enumerate(rows.items(), 1)
        )
        return _of_objects(name, objects, by_line=False)

    def decoded() -> Iterator[tuple[int, dict[str, Any]]]:
        for number, each in enumerate(rows, 1):
            if (row := _object(bytes(each))) is None:
                problem = beyond_limits(bytes(each))
                raise _error(name, problem[1] if problem else f"not an object; {_SHAPES}", number, "row")
            yield number, row

    return _of_objects(name, decoded(), by_line=False)


def _of_objects(name: str, objects: Iterator[tuple[int, dict[str, Any]]], *, by_line: bool) -> TableRows:
    """Return the table of objects; the keys of the first block are its columns."""
    first = list(islice(objects, _AT_A_TIME))
    header = tuple(dict.fromkeys(key for _, row in first for key in row))
    if not header:
        raise _error(name, f"the file has no row; {_SHAPES}")
    if len(header) == 1 and len(first) == 1 and isinstance(first[0][1][header[0]], list):
        message = f"the rows are in {quoted(header[0])} of an object; save that list alone as the file"
        raise _error(name, message)
    known = set(header)

    def blocks() -> Iterator[Block]:
        some = first
        while some:
            for number, row in some:
                if unknown := row.keys() - known:
                    message = (
                        f"the key {quoted(min(unknown))} is in no row before {_AT_A_TIME}; give all rows the same keys"
                    )
                    raise _error(name, message, number, "line" if by_line else "row")
            yield Block([number for number, _ in some], [[row.get(key) for key in header] for _, row in some])
            some = list(islice(objects, _AT_A_TIME))

    return TableRows(name, header_of(name, header, None), blocks(), by_line=by_line)


def _parquet(name: str, path: str) -> TableRows:
    if path == STDIN:
        raise UsageError("standard input: Parquet cannot be read from a pipe; name the file")
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 - of the extra `parquet`
    except ImportError as error:
        raise UsageError(f"{name}: reading Parquet needs pyarrow; pip install 'nullbench-site[parquet]'") from error
    try:
        file = parquet.ParquetFile(path)
    except ArrowException as error:
        raise UsageError(f"{name}: not a Parquet file: {error}") from error

    def blocks() -> Iterator[Block]:
        start = 1
        for batch in file.iter_batches(_AT_A_TIME):
            columns = [column.to_pylist() for column in batch.columns]
            yield Block(range(start, start + batch.num_rows), list(zip(*columns, strict=True)))
            start += batch.num_rows

    return TableRows(name, header_of(name, file.schema_arrow.names, None), blocks(), by_line=False)

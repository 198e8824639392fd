"""Write results as CSV files and results.json; texts that a spreadsheet would run as formulas are escaped."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, fields

from nullbench_site.errors import UsageError
from nullbench_site.extensions import registered
from nullbench_site.runs.storage import write_atomically
from nullbench_site.scoring.results import ALWAYS_THERE, Results
from nullbench_site.scoring.scorer import results_type

FIRST = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor",
)  # fmt: skip
"""The first columns of every leaderboard; other programs rely on them."""
_FORMULA_STARTS = ("=", "+", "-", "@")


def result_files(results: Results) -> dict[str, bytes]:
    """Return the content of each file: results.json, and a CSV file for each table."""
    files = {"results.json": _document(results)}
    return files | {f"{name}.csv": csv_table(columns) for name, columns in tables(results)}


def tables(results: Results) -> Iterator[tuple[str, Mapping[str, Sequence[Any]]]]:
    """Yield the name of each table and its columns in order."""
    spread = {**results.spread(), "derived": [(name, name) for name in results.derived]}
    yield "leaderboard", _columns(results.leaderboard, spread, (*FIRST, *results.FIRST, *results.COLUMNS))
    for name, column in results.GROUPS.items():
        groups = getattr(results, name)
        of_parts = _columns([row for group in groups for row in group.rows], spread, results.COLUMNS)
        ids = [group.id for group in groups for _ in group.rows]
        yield name, {column: ids, **of_parts} if ids else {}
    of_judges = ("components", "score_errors") if results.components else ()
    for name in ("items", "differences", *of_judges, *results.TABLES, *results.some):
        yield name, _columns(getattr(results, name), spread)


def write_results(run_dir: Path, results: Results) -> None:
    """Write the results of one board below results/<board>/, and remove tables that they no longer have."""
    folder, contents = run_dir / "results" / results.board, result_files(results)
    for name, content in contents.items():
        write_atomically(folder / name, content)
    for table in folder.glob("*.csv"):
        if table.name not in contents:
            table.unlink()


FORMAT = 2
"""The format of results.json: items are in columns. Files without a `format` have the first: a row for each item."""


class Texts(msgspec.Struct):
    """A column of texts that repeat. values: each text once. of: (rows,) the place of each row's text in `values`."""

    values: list[str | None]
    of: list[Annotated[int, msgspec.Meta(ge=0)]]


_TEXT = (str, str | None, str | UnsetType, str | UnsetType | None)


class _Head(msgspec.Struct):
    protocol: str
    format: int = 1


def _item_row(results: type[Results]) -> type[msgspec.Struct]:
    (row,) = get_args(next(field.type for field in fields(results) if field.name == "items"))
    return row  # type: ignore[no-any-return]


@cache
def stored_type(results: type[Results]) -> type[msgspec.Struct]:
    """Return the type of results.json: results with a column for each field of their items."""
    row, columns = _item_row(results), list[tuple[Any, ...]]()
    for field in fields(row):
        kinds = [kind for kind in get_args(field.type) if kind is not UnsetType]
        inner: Any = Union[tuple(kinds)] if UnsetType in get_args(field.type) else field.type  # noqa: UP007
        kind: Any = Texts if field.type in _TEXT else list[inner]
        columns.append((field.name, kind) if field.required else (field.name, kind | UnsetType, UNSET))
    items = msgspec.defstruct(f"{row.__name__}Columns", columns, namespace={"__doc__": row.__doc__})
    return msgspec.defstruct(
        f"Stored{results.__name__}",
        [("format", Literal[2]), ("items", items)],
        bases=(results,),
        namespace={"__doc__": results.__doc__},
        kw_only=True,
    )


def _document(results: Results) -> bytes:
    """Return results.json, with a line for each column of items."""
    head = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(results, items=UNSET)), indent=1)
    columns = []
    for field in fields(_item_row(type(results))):
        values: Any = [getattr(row, field.name) for row in results.items]
        if not field.required and (not values or values[0] is UNSET):
            continue
        if field.type in _TEXT:
            distinct = {text: place for place, text in enumerate(dict.fromkeys(values))}
            values = Texts(list(distinct), [distinct[text] for text in values])
        columns.append(f'"{field.name}": '.encode() + msgspec.json.encode(values))
    return b'{\n "format": %d,%b,\n "items": {\n  %b\n }\n}\n' % (FORMAT, head[1:-2], b",\n  ".join(columns))


def read_results(run_dir: Path, board: str) -> Results:
    """Read the results of one board, of this format or the first. Raises FileNotFoundError, msgspec.DecodeError."""
    raw = (run_dir / "results" / board / "results.json").read_bytes()
    head = msgspec.json.decode(raw, type=_Head)
    if head.protocol not in registered("protocols"):
        raise msgspec.DecodeError(f"results of an unknown protocol, {head.protocol[:40]!r}")
    kind = results_type(head.protocol)
    results: Results = msgspec.json.decode(raw, type=kind) if head.format == 1 else _read_columns(raw, kind)
    for place, row in enumerate(results.leaderboard):
        for name in ALWAYS_THERE:
            if getattr(row, name) is UNSET:
                raise msgspec.ValidationError(f"Object missing required field `{name}` - at `$.leaderboard[{place}]`")
    return results


def _read_columns(raw: bytes, kind: type[Results]) -> Results:
    stored: Any = msgspec.json.decode(raw, type=stored_type(kind))
    row, columns = _item_row(kind), asdict(stored.items)
    names = [name for name, column in columns.items() if column is not UNSET]
    try:
        lists = [
            [column.values[place] for place in column.of] if isinstance(column := columns[name], Texts) else column
            for name in names
        ]
        items = [row(**dict(zip(names, values, strict=True))) for values in zip(*lists, strict=True)]
    except (IndexError, ValueError) as error:
        raise msgspec.ValidationError("the columns do not fit together - at `$.items`") from error
    whole = {name: getattr(stored, name) for name in kind.__struct_fields__}
    return kind(**{**whole, "items": items})


def _columns(
    rows: Sequence[msgspec.Struct], spread: Mapping[str, Sequence[tuple[str, str]]], order: Sequence[str] = ()
) -> dict[str, Sequence[Any]]:
    """Return the columns of rows of one type: maps spread as in `Results.spread`, lists joined by spaces.

    order: the first fields; the others follow. Raises UsageError if two columns have the same name.
    """
    if not rows:
        return {}
    fields = dict.fromkeys((*order, *rows[0].__struct_fields__))
    columns: dict[str, Sequence[Any]] = {}
    for name in (name for name in fields if getattr(rows[0], name, UNSET) is not UNSET):
        values = [getattr(row, name) for row in rows]
        if isinstance(values[0], dict):
            made = {column: [value.get(key) for value in values] for key, column in spread.get(name, ())}
        else:
            made = {name: [" ".join(map(str, value)) if isinstance(value, list) else value for value in values]}
        if twice := columns.keys() & made:
            advice = "a number that a package adds needs another name"
            raise UsageError(f"two columns of a table are called {min(twice)!r}; {advice}")
        columns |= made
    return columns


def csv_table(columns: Mapping[str, Sequence[Any]]) -> bytes:
    """Return columns as CSV (UTF-8, comma, LF); None is an empty field, booleans are `true` and `false`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(spreadsheet_cell, row) for row in zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def spreadsheet_cell(value: Any) -> Any:
    """Return a value as a cell of a CSV file, which no spreadsheet takes for a formula."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    # Some readers end a line at a bare CR, which the writer does not quote; no id or reason needs one.
    text = value.replace("\r", " ")
    return f"'{text}" if text.lstrip().startswith(_FORMULA_STARTS) or text.lstrip(" ").startswith("\t") else text

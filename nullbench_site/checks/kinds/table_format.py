"""Whether the response is the Markdown table that was asked for."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from nullbench_site.checks.check import Check
from nullbench_site.checks.params import Count, Params, Patterns, readable
from nullbench_site.checks.reading.markdown import Table, tables
from nullbench_site.checks.reading.patterns import occurs, shown
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.reading.words import read_words
from nullbench_site.checks.result import Flag, Result, verdict


class TableFormat(Params, frozen=True, tag="table-format"):
    """Parameters of table-format. Rows are counted without the header, columns with the one that names the rows."""

    columns: Count | None = None
    rows: Count | None = None
    either_way: Annotated[
        bool,
        Meta(description="Whether rows and columns, headers included, may be exchanged, where the prompt is open."),
    ] = False
    only_table: Annotated[bool, Meta(description="Whether there may be no text around it.")] = False
    cells: Annotated[Patterns, Meta(description="What must occur in the header or in the first column.")] = ()

    def __post_init__(self) -> None:
        readable(self.cells)
        if self.either_way and (self.columns is None or self.rows is None):
            raise ValueError("either_way needs columns and rows")


def table_format(response: Response, params: TableFormat) -> Result:
    """Fails where there is not exactly one table outside code blocks, or it is not as asked for."""
    found, around = tables(response.prose)
    if not found:
        fenced = any(tables(fence.code.split("\n"))[0] for fence in response.fences)
        return verdict(
            Flag("in_code_block", "the table stands in a code block, where it is not shown as one")
            if fenced
            else Flag("no_table", "holds no Markdown table")
        )
    table = found[0]
    flags = [] if _shaped(table, params) else _wrong_shape(table, params)
    if len(found) > 1:
        flags.append(Flag("more_tables", f"{len(found)} tables, expected one"))
    ragged = sum(len(row) != len(table.header) for row in table.rows)
    if ragged:
        flags.append(Flag("ragged", f"{ragged} of {len(table.rows)} rows have not as many cells as the header"))
    if params.only_table and (response.fences or any(map(str.strip, around))):
        flags.append(Flag("text_around", "there is text around the table; only the table was asked for"))
    flags += _missing(table, params)
    return verdict(*flags)


def _shaped(table: Table, params: TableFormat) -> bool:
    columns, rows = len(table.header), len(table.rows)
    if params.columns in (None, columns) and params.rows in (None, rows):
        return True
    return params.either_way and (params.columns, params.rows) == (rows + 1, columns - 1)


def _wrong_shape(table: Table, params: TableFormat) -> list[Flag]:
    flags = []
    if params.columns not in (None, len(table.header)):
        flags.append(Flag("column_count", f"{len(table.header)} columns, expected {params.columns}"))
    if params.rows not in (None, len(table.rows)):
        flags.append(Flag("row_count", f"{len(table.rows)} rows below the header, expected {params.rows}"))
    return flags


def _missing(table: Table, params: TableFormat) -> list[Flag]:
    if not params.cells:
        return []
    heads = [*table.header, *(row[0] for row in table.rows)]
    words = read_words([line for head in heads for line in (head, "")])
    missing = [text for text in params.cells if not occurs(words, (text,))]
    return [Flag("missing_cells", f"no header or first column has: {shown(*missing)}")] if missing else []


CHECK = Check(
    title="Table format",
    looks_at="The Markdown table of the response: its columns, its rows below the header, whether each row has all "
    "cells, what its heads say, and whether anything stands around it.",
    cannot_see="Whether the cells are true, tables in HTML or drawn with other characters.",
    params=TableFormat,
    function=table_format,
)

"""Data frames: the tables, records, trust marks and metrics of a run, and the ranks of a table of scores.

A frame has the columns of the CSV file of the same name, in the same order, with the same numbers. If rows give
reasons for missing numbers, the last column, `absent`, has them: a dict from column to reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec.structs import fields

from nullbench_site.errors import UsageError
from nullbench_site.interop.rank_report import columns, findings
from nullbench_site.interop.score_table import Chosen, table_of
from nullbench_site.interop.table_rows import Block, TableRows, header_of
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, RecordT, Response, read_records
from nullbench_site.scoring.columns import MetricEntry
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.ranked_table import RankedRow, rank_table
from nullbench_site.scoring.results import Group, Results
from nullbench_site.scoring.tables import tables
from nullbench_site.site.pages.trust_marks import trust
from nullbench_site.site.views import BoardView

if TYPE_CHECKING:
    import pandas as pd


_BESIDE = ("responses", "judgments", "trust", "metrics")
"""The frames that are not tables of the results."""


def frame_names(view: BoardView) -> tuple[str, ...]:
    """Return the names of the frames of a board."""
    return (*(name for name, _ in tables(view.results)), *_BESIDE)


def frame_of_board(folder: RunFolder, view: BoardView, name: str) -> pd.DataFrame:
    """Return a frame of a board by its name. Raises KeyError for another name."""
    match name:
        case "responses":
            return record_frame(folder, view.board.id, Response)
        case "judgments":
            return record_frame(folder, view.board.id, Judgment)
        case "trust":
            return trust_frame(view)
        case "metrics":
            return metric_frame(view.board.protocol)
    return table_frame(view.results, name)


def table_frame(results: Results, table: str) -> pd.DataFrame:
    """Return a table of the results of a board. Raises KeyError for a table that it does not have."""
    columns = next((dict(columns) for name, columns in tables(results) if name == table), None)
    if columns is None:
        raise KeyError(table)
    kind = _row_type(type(results), table)
    rows = getattr(results, table)
    if table in results.GROUPS:
        rows = [row for group in rows for row in group.rows]
    if not rows:
        own = [
            each.name for each in fields(kind) if each.default is not msgspec.UNSET and dict not in _kinds(each.type)
        ]
        part = [results.GROUPS[table]] if table in results.GROUPS else []
        columns = {name: [] for name in (*part, *own)}
    elif isinstance(getattr(rows[0], "absent", None), dict):
        columns["absent"] = [row.absent for row in rows]
    return frame_of(
        columns, {field.name: field.type for field in fields(kind)} | dict.fromkeys(results.GROUPS.values(), str)
    )


def record_frame(folder: RunFolder, board: str, kind: type[RecordT]) -> pd.DataFrame:
    """Return the records of a board, by model and in the order of their files.

    A mapping is spread over a column per key, `scores.<name>`; `checks` has a list of dicts.
    """
    found = [
        record
        for model in folder.models()
        if (shard := folder.shard(kind, model)).is_file()
        for record in read_records(shard, kind)
        if record.board == board
    ]
    columns: dict[str, Sequence[Any]] = {}
    for field in fields(kind):
        values = [getattr(record, field.name) for record in found]
        if field.name == "hidden":
            columns["hidden"] = [None if value is None else value.hash for value in values]
        elif dict in _kinds(field.type):
            keys = sorted({key for value in values for key in value})
            columns |= {f"{field.name}.{key}": [value.get(key) for value in values] for key in keys}
        else:
            columns[field.name] = msgspec.to_builtins(values) if field.name == "checks" else values
    return frame_of(columns, {field.name: field.type for field in fields(kind)} | {"hidden": str | None})


def trust_frame(view: BoardView) -> pd.DataFrame:
    """Return the trust marks of a board, five a contestant.

    state: high, medium, low, does not apply, or why it was not measured. low: whether it counts as low. declared:
    whether a spec says so, with a source. why: one sentence with the figure, its source, or what is missing.
    """
    marks = [(model, mark) for model, row in view.rows.items() for mark in trust(view, row)]
    columns: dict[str, Sequence[Any]] = {
        "model": [model for model, _ in marks],
        "dimension": [mark.dimension for _, mark in marks],
        "state": [mark.state for _, mark in marks],
        "low": [mark.is_low for _, mark in marks],
        "declared": [mark.declared for _, mark in marks],
        "why": [mark.why for _, mark in marks],
    }
    return frame_of(columns, dict.fromkeys(columns, str) | {"low": bool, "declared": bool})


def metric_frame(protocol: str) -> pd.DataFrame:
    """Return the metrics of the boards of a protocol: title, unit, direction, explanation, formula, columns."""
    entries = [MetricEntry.of(metric) for metric in METRICS.values() if protocol in metric.protocols]
    columns: dict[str, Sequence[Any]] = {
        field.name: [getattr(entry, field.name) for entry in entries]
        for field in fields(MetricEntry)
        if field.name != "protocols"
    }
    columns["columns"] = [" ".join(names) for names in columns["columns"]]
    return frame_of(columns, {field.name: field.type for field in fields(MetricEntry)})


def _row_type(of: type[msgspec.Struct], table: str) -> Any:
    """Return the type of the rows of a table; of a table of groups, that of the rows in them."""
    (kind,) = _structs(next(field.type for field in fields(of) if field.name == table))
    return _row_type(kind, "rows") if (get_origin(kind) or kind) is Group else kind


def _structs(kind: Any) -> Iterator[Any]:
    """Yield the structs that an annotation names."""
    own = get_origin(kind) or kind
    if isinstance(own, type) and issubclass(own, msgspec.Struct):
        yield kind
    else:
        for inner in get_args(kind):
            yield from _structs(inner)


def _kinds(annotation: Any) -> set[Any]:
    """Return the types that a value may have."""
    own, inner = get_origin(annotation), get_args(annotation)
    if own is Literal:
        return {type(value) for value in inner}
    if own is Annotated:
        return _kinds(inner[0])
    if own in (Union, UnionType):
        return set().union(*map(_kinds, inner))
    return {own or annotation}


def frame_of(columns: Mapping[str, Sequence[Any]], annotations: Mapping[str, Any]) -> pd.DataFrame:
    """Return columns as a frame. annotations: of those whose type does not follow from their values."""
    import pandas as pd

    kinds = {name: _kinds(annotations[name]) if name in annotations else set(map(type, values)) | {NoneType}
             for name, values in columns.items()}  # fmt: skip
    series = {name: pd.Series(values, dtype=_dtype(kinds[name])) for name, values in columns.items()}
    return pd.DataFrame(series)


def _dtype(kinds: set[Any]) -> str:
    """Return the dtype of values of these types. Whole numbers, truths and texts that may be absent are nullable; the
    gaps of other numbers are NaN."""
    nullable, kinds = NoneType in kinds, kinds - {NoneType, msgspec.UnsetType}
    if kinds == {bool}:
        return "boolean" if nullable else "bool"
    if kinds == {int}:
        return "Int64" if nullable else "int64"
    if kinds <= {int, float, bool}:
        return "float64"
    return "string" if kinds <= {str, list} else "object"


def rank(
    frame: pd.DataFrame,
    *,
    model: str | None = None,
    item: str | None = None,
    score: str | Sequence[str] | None = None,
    group: str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    cluster: str | None = None,
    family: str | None = None,
    scale: tuple[float, float] | None = None,
    lower_is_better: bool = False,
    coverage: float = 1.0,
    seed: int = 0,
    transpose: bool = False,
) -> pd.DataFrame:
    """Rank the models of a table of scores, as `nullbench-site rank` does. The arguments are its options.

    frame: a row per model and a column per item, or a row per score. Named levels of its index are columns too.
    score: a column, or several columns or patterns such as "task_*". groups: the items of each group. scale: the two
    ends of all scores. transpose: the frame has a row per task and a column per model.

    The result has a row per model, best first, and models without all items at the end. Its `attrs` has two lists:
    `findings`, sentences about the table that begin with the claim, and `notes`, the assumptions.
    Raises UsageError for a table with a problem.
    """
    chosen = Chosen(
        model=model, item=item, score=score, group=group, groups=groups, cluster=cluster, family=family, scale=scale,
        transpose=transpose,
    )  # fmt: skip
    table = table_of(_rows(frame), chosen)
    ranked = rank_table(table, scale=scale, lower_is_better=lower_is_better, coverage=coverage, seed=seed)
    made = columns(ranked)
    kinds = {field.name: field.type | None for field in fields(RankedRow)}
    result = frame_of(made, {name: kinds.get(name, float | None) for name in made})
    result.attrs = {"findings": list(findings(ranked)), "notes": ranked.notes}
    return result


def _rows(frame: pd.DataFrame) -> TableRows:
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"rank takes a data frame, not {type(frame).__name__}; read a file with pandas first")
    # Numbers without a name count rows, and say nothing of models.
    if any(frame.index.names) or frame.index.dtype.kind not in "iu":
        frame = frame.reset_index()
    cells = [column.astype(object).where(column.notna(), None).tolist() for _, column in frame.items()]
    rows = list(zip(*cells, strict=True))
    blocks = [Block(range(1, len(rows) + 1), rows)] if rows else []
    return TableRows("frame", header_of("frame", list(map(str, frame.columns))), iter(blocks), by_line=False)

"""Write results as CSV files and results.json; texts that a spreadsheet would run as formulas are escaped."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

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
    files = {"results.json": msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"}
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


class _Protocol(msgspec.Struct):
    protocol: str


def read_results(run_dir: Path, board: str) -> Results:
    """Read the results of one board. Raises FileNotFoundError, msgspec.DecodeError."""
    raw = (run_dir / "results" / board / "results.json").read_bytes()
    protocol = msgspec.json.decode(raw, type=_Protocol).protocol
    if protocol not in registered("protocols"):
        raise msgspec.DecodeError(f"results of an unknown protocol, {protocol[:40]!r}")
    results: Results = msgspec.json.decode(raw, type=results_type(protocol))
    for place, row in enumerate(results.leaderboard):
        for name in ALWAYS_THERE:
            if getattr(row, name) is UNSET:
                raise msgspec.ValidationError(f"Object missing required field `{name}` - at `$.leaderboard[{place}]`")
    return results


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
    writer.writerows(map(_safe, row) for row in zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def _safe(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    # Some readers end a line at a bare CR, which the writer does not quote; no id or reason needs one.
    text = value.replace("\r", " ")
    return f"'{text}" if text.lstrip().startswith(_FORMULA_STARTS) or text.lstrip(" ").startswith("\t") else text

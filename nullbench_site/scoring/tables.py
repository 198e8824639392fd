"""Results -> CSV files and results.json in a run folder. Texts that a spreadsheet would run as formulas are defused."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET

from nullbench_site.extensions import registered
from nullbench_site.runs.storage import write_atomically
from nullbench_site.scoring.results import Results
from nullbench_site.scoring.scorer import results_type

T = TypeVar("T")
FIRST = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor",
)  # fmt: skip
"""The columns that every leaderboard begins with: others rely on them."""
_FORMULA_STARTS = ("=", "+", "-", "@")
_NUMBERS = frozenset({int, float, type(None)})
"""Types of which nothing has to be defused; most of a table is of them."""


def result_files(results: Results) -> dict[str, bytes]:
    """File name -> content: results.json with all, and a CSV a table for spreadsheets."""
    files = {"results.json": msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"}
    return files | {f"{name}.csv": csv_table(rows) for name, rows in tables(results)}


def tables(results: Results) -> Iterator[tuple[str, Iterable[Mapping[str, Any]]]]:
    """Each table and its rows, from column to value, in the order of its columns."""
    derived = next((row.derived for row in results.leaderboard if row.derived), {})
    spread = {**results.spread(), "derived": [(name, name) for name in derived]}
    yield "leaderboard", _flat(results.leaderboard, spread, (*FIRST, *results.FIRST, *results.COLUMNS))
    for name, column in results.GROUPS.items():
        groups = getattr(results, name)
        rows = _flat((row for group in groups for row in group.rows), spread, results.COLUMNS)
        ids = (group.id for group in groups for _ in group.rows)
        yield name, ({column: group, **row} for group, row in zip(ids, rows, strict=True))
    of_judges = ("components",) if results.components else ()
    for name in ("items", "differences", *of_judges, *results.TABLES, *results.some):
        yield name, _flat(getattr(results, name), spread)


def write_results(run_dir: Path, results: Results) -> None:
    """Write the results of one board below results/<board>/."""
    for name, content in result_files(results).items():
        write_atomically(run_dir / "results" / results.board / name, content)


class _Protocol(msgspec.Struct):
    protocol: str


def read_results(run_dir: Path, board: str) -> Results:
    """The results of one board as they were written. Raises FileNotFoundError, msgspec.DecodeError."""
    raw = (run_dir / "results" / board / "results.json").read_bytes()
    protocol = msgspec.json.decode(raw, type=_Protocol).protocol
    if protocol not in registered("protocols"):
        raise msgspec.DecodeError(f"results of an unknown protocol, {protocol[:40]!r}")
    return msgspec.json.decode(raw, type=results_type(protocol))


def _flat(
    rows: Iterable[msgspec.Struct], spread: Mapping[str, Sequence[tuple[str, str]]], order: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Rows of one type as columns: maps spread as `Results.spread` says, lists in one text with spaces between.

    order: of the fields; those that it does not name come behind.
    """
    first, remaining = _first(rows)
    if first is None:
        return
    names = [name for name in dict.fromkeys((*order, *first.__struct_fields__)) if hasattr(first, name)]
    of_row = attrgetter(*names)
    for row in remaining:
        flat: dict[str, Any] = {}
        for name, value in zip(names, of_row(row), strict=True):
            if value is UNSET:
                continue
            if type(value) in _NUMBERS:
                flat[name] = value
            elif isinstance(value, dict):
                flat |= {column: value.get(key) for key, column in spread.get(name, ())}
            else:
                flat[name] = " ".join(value) if isinstance(value, list) else value
        yield flat


def csv_table(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows of one shape, columns in one order, as CSV (UTF-8, comma, LF); None is an empty field, true and false are
    words."""
    first, remaining = _first(rows)
    if first is None:
        return b"\n"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(first)
    writer.writerows(
        [value if type(value) in _NUMBERS else _safe(value) for value in row.values()] for row in remaining
    )
    return text.getvalue().encode()


def _first(rows: Iterable[T]) -> tuple[T | None, Iterator[T]]:
    """The first of the rows, None where there is none, and all of them."""
    remaining = iter(rows)
    first = next(remaining, None)
    return first, remaining if first is None else chain([first], remaining)


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return _safe_text(value)
    return str(value).lower() if isinstance(value, bool) else value


@lru_cache(maxsize=4096)
def _safe_text(text: str) -> str:
    # Some readers end a line at a bare CR, which the writer does not quote; no id or reason needs one.
    text = text.replace("\r", " ")
    return f"'{text}" if text.lstrip().startswith(_FORMULA_STARTS) or text.startswith("\t") else text

"""Results -> CSV files and results.json in a run folder. Texts that a spreadsheet would run as formulas are defused."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.runs.storage import write_atomically
from nullbench_site.scoring.axes.results import AxesResults
from nullbench_site.scoring.axes.tables import axes_tables
from nullbench_site.scoring.oracle.results import OracleResults
from nullbench_site.scoring.oracle.tables import oracle_tables
from nullbench_site.scoring.results import RESULTS, AnyResults
from nullbench_site.scoring.rubric.results import RubricResults
from nullbench_site.scoring.rubric.tables import rubric_tables

_FORMULA_STARTS = ("=", "+", "-", "@")
_NUMBERS = frozenset({int, float, type(None)})
"""Types of which nothing has to be defused; most of a table is of them."""


def result_files(results: AnyResults) -> dict[str, bytes]:
    """File name -> content: results.json with all, and a CSV a table for spreadsheets."""
    files = {"results.json": msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n"}
    return files | {f"{name}.csv": csv_table(rows) for name, rows in _tables(results).items()}


def _tables(results: AnyResults) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    match results:
        case AxesResults():
            return axes_tables(results)
        case RubricResults():
            return rubric_tables(results)
        case OracleResults():
            return oracle_tables(results)


def write_results(run_dir: Path, results: AnyResults) -> None:
    """Write the results of one board below results/<board>/."""
    for name, content in result_files(results).items():
        write_atomically(run_dir / "results" / results.board / name, content)


class _Protocol(msgspec.Struct):
    protocol: str


def read_results(run_dir: Path, board: str) -> AnyResults:
    """The results of one board as they were written. Raises FileNotFoundError, msgspec.DecodeError."""
    raw = (run_dir / "results" / board / "results.json").read_bytes()
    protocol = msgspec.json.decode(raw, type=_Protocol).protocol
    if protocol not in RESULTS:
        raise msgspec.DecodeError(f"results of an unknown protocol, {protocol[:40]!r}")
    return msgspec.json.decode(raw, type=RESULTS[protocol])


def csv_table(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows of one shape, columns in one order, as CSV (UTF-8, comma, LF); None is an empty field, true and false are
    words."""
    remaining = iter(rows)
    first = next(remaining, None)
    if first is None:
        return b"\n"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(first)
    writer.writerows(
        [value if type(value) in _NUMBERS else _safe(value) for value in row.values()]
        for row in chain([first], remaining)
    )
    return text.getvalue().encode()


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return _safe_text(value)
    return str(value).lower() if isinstance(value, bool) else value


@lru_cache(maxsize=4096)
def _safe_text(text: str) -> str:
    # Some readers end a line at a bare CR, which the writer does not quote; no id or reason needs one.
    text = text.replace("\r", " ")
    return f"'{text}" if text.lstrip().startswith(_FORMULA_STARTS) or text.startswith("\t") else text

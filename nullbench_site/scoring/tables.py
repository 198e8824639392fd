"""Results -> CSV files and results.json in a run folder. Texts that a spreadsheet would run as formulas are defused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.runs.storage import write_atomically
from nullbench_site.scoring.results import BoardResults, Group

_FIRST_COLUMNS = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor", "goal_alignment", "quality",
)  # fmt: skip
_FORMULA_STARTS = ("=", "+", "-", "@")


def result_files(results: BoardResults) -> dict[str, bytes]:
    """File name -> content: results.json with all, and a CSV a table for spreadsheets."""
    leaderboard = [_flat(row, results.axes) for row in results.leaderboard]
    leaderboard = [
        {name: row[name] for name in (*_FIRST_COLUMNS, *(n for n in row if n not in _FIRST_COLUMNS))}
        for row in leaderboard
    ]
    return {
        "results.json": msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n",
        "leaderboard.csv": csv_table(leaderboard),
        "domains.csv": csv_table(_group_rows("domain", results.domains, results.axes)),
        "categories.csv": csv_table(_group_rows("category", results.categories, results.axes)),
        "items.csv": csv_table(_flat(row, results.axes) for row in results.items),
        "judges.csv": csv_table(_flat(row, ()) for row in results.judges),
        "judge_models.csv": csv_table(_flat(row, ()) for row in results.judge_models),
        "agreement.csv": csv_table(_flat(row, ()) for row in results.agreement),
    }


def write_results(run_dir: Path, results: BoardResults) -> None:
    """Write the results of one board below results/<board>/."""
    for name, content in result_files(results).items():
        write_atomically(run_dir / "results" / results.board / name, content)


def read_results(run_dir: Path, board: str) -> BoardResults:
    """The results of one board as they were written. Raises FileNotFoundError, msgspec.DecodeError."""
    return msgspec.json.decode((run_dir / "results" / board / "results.json").read_bytes(), type=BoardResults)


def csv_table(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows of one shape as CSV (UTF-8, comma, LF); None is an empty field, true and false are words."""
    import pandas as pd

    safe = [{name: _safe(value) for name, value in row.items()} for row in rows]
    return pd.DataFrame(safe, dtype=object).to_csv(index=False, lineterminator="\n").encode()


def _safe(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # Some readers end a line at a bare CR, which the writer does not quote; no id or reason needs one.
        value = value.replace("\r", " ")
        return f"'{value}" if value.lstrip().startswith(_FORMULA_STARTS) or value.startswith("\t") else value
    return value


def _flat(row: msgspec.Struct, axes: Iterable[str]) -> dict[str, Any]:
    """A row with its maps spread into columns.

    An axis stands under its id, its standard error under `se.<axis>`, its normalised mean under `normalised.<axis>`.
    Maps by other names than ours, of reasons and of models that answered, stand in results.json alone.
    """
    flat: dict[str, Any] = {}
    for name in row.__struct_fields__:
        value = getattr(row, name)
        if name == "axes":
            flat |= {axis: value.get(axis) for axis in axes}
        elif name == "axes_se":
            flat |= {f"se.{axis}": value.get(axis) for axis in axes}
        elif name == "normalised_axes":
            flat |= {f"normalised.{axis}": value.get(axis) for axis in axes}
        elif not isinstance(value, dict):
            flat[name] = value
    return flat


def _group_rows(column: str, groups: Iterable[Group], axes: Iterable[str]) -> Iterable[dict[str, Any]]:
    axes = list(axes)
    return ({column: group.id, **_flat(row, axes)} for group in groups for row in group.rows)

"""The tables of an `axes` board, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from nullbench_site.scoring.axes.results import AxesResults, Group

_FIRST_COLUMNS = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor", "goal_alignment", "quality",
)  # fmt: skip


def axes_tables(results: AxesResults) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Table -> its rows, each from column to value."""
    leaderboard = [_flat(row, results.axes) for row in results.leaderboard]
    return {
        "leaderboard": [
            {name: row[name] for name in (*_FIRST_COLUMNS, *(n for n in row if n not in _FIRST_COLUMNS))}
            for row in leaderboard
        ],
        "domains": _group_rows("domain", results.domains, results.axes),
        "categories": _group_rows("category", results.categories, results.axes),
        "difficulties": _group_rows("difficulty", results.difficulties, results.axes),
        "items": (_flat(row, results.axes) for row in results.items),
        "judges": (_flat(row, ()) for row in results.judges),
        "judge_models": (_flat(row, ()) for row in results.judge_models),
        "agreement": (_flat(row, ()) for row in results.agreement),
    }


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

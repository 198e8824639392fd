"""The tables of a `rubric` board, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from nullbench_site.scoring.rubric.results import RubricGroup, RubricResults

_FIRST_COLUMNS = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor", "judge_mean", "geval_mean", "composite", "composite_of", "efficiency",
)  # fmt: skip


def rubric_tables(results: RubricResults) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Table -> its rows, each from column to value."""
    flat = _Flat([row.judge for row in results.judges], results.geval_metrics)
    leaderboard = [flat.row(row) for row in results.leaderboard]
    return {
        "leaderboard": [
            {name: row[name] for name in (*_FIRST_COLUMNS, *(n for n in row if n not in _FIRST_COLUMNS))}
            for row in leaderboard
        ],
        "domains": flat.groups("domain", results.domains),
        "categories": flat.groups("category", results.categories),
        "difficulties": flat.groups("difficulty", results.difficulties),
        "items": map(flat.row, results.items),
        "judges": map(flat.row, results.judges),
        "judge_models": map(flat.row, results.judge_models),
        "judge_pairs": map(flat.row, results.judge_pairs),
        "agreement": map(flat.row, results.agreement),
        "divergence": map(flat.row, results.divergence),
        "checks": map(flat.row, results.checks),
    }


class _Flat:
    """Rows with their maps spread into columns.

    The mean of a judge, or its mark, stands under `judge.<id>`, that of a metric under `geval.<metric>`, what failed of
    an item in one column with spaces between. Maps by other names than ours, of reasons, of models that answered and of
    incomplete judges, stand in results.json alone.
    """

    def __init__(self, judges: Iterable[str], metrics: Iterable[str]) -> None:
        self.columns = {
            "judges": [(judge, f"judge.{judge}") for judge in judges],
            "geval": [(metric, f"geval.{metric}") for metric in metrics],
        }
        self.columns["marks"] = self.columns["judges"]

    def row(self, row: msgspec.Struct) -> dict[str, Any]:
        flat: dict[str, Any] = {}
        for name, value in zip(row.__struct_fields__, msgspec.structs.astuple(row), strict=True):
            kind = type(value)
            if kind is dict:
                for key, column in self.columns.get(name, ()):
                    flat[column] = value.get(key)
            else:
                flat[name] = " ".join(value) if kind is list else value
        return flat

    def groups(self, column: str, groups: Iterable[RubricGroup]) -> Iterable[dict[str, Any]]:
        return ({column: group.id, **self.row(row)} for group in groups for row in group.rows)

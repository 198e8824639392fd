"""The tables of a `rubric` board, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import takewhile
from typing import Any, get_origin

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
        flat = {name: value for name, value in msgspec.structs.asdict(row).items() if value is not msgspec.UNSET}
        for name in _from_first_map(type(row)):
            value = flat.pop(name)
            if isinstance(value, dict):
                for key, column in self.columns.get(name, ()):
                    flat[column] = value.get(key)
            else:
                flat[name] = " ".join(value) if isinstance(value, list) else value
        return flat

    def groups(self, column: str, groups: Iterable[RubricGroup]) -> Iterable[dict[str, Any]]:
        return ({column: group.id, **self.row(row)} for group in groups for row in group.rows)


@cache
def _from_first_map(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of a row from its first map or list on; those before are columns as they stand."""
    fields = msgspec.structs.fields(kind)
    plain = takewhile(lambda field: get_origin(field.type) not in (dict, list), fields)
    return kind.__struct_fields__[len(list(plain)) :]

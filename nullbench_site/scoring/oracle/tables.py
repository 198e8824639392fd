"""The tables of an `oracle` board, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from nullbench_site.scoring.oracle.results import OracleGroup, OracleResults

_FIRST_COLUMNS = (
    "rank", "rank_low", "rank_high", "model", "overall", "se", "ci_low", "ci_high", "n_items", "refusal_rate",
    "error_rate", "above_null_floor", "accuracy", "accuracy_low", "accuracy_high", "valid_share", "invalid_rate",
    "contrast_consistency", "outcome_consistency", "n_bundles",
)  # fmt: skip


def oracle_tables(results: OracleResults) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Table -> its rows, each from column to value."""
    leaderboard = [_flat(row) for row in results.leaderboard]
    return {
        "leaderboard": [
            {name: row[name] for name in (*_FIRST_COLUMNS, *(n for n in row if n not in _FIRST_COLUMNS))}
            for row in leaderboard
        ],
        "domains": _group_rows("domain", results.domains),
        "categories": _group_rows("category", results.categories),
        "difficulties": _group_rows("difficulty", results.difficulties),
        "key_types": _group_rows("key", results.key_types),
        "items": map(_flat, results.items),
        "keys": map(_flat, results.keys),
    }


def _flat(row: msgspec.Struct) -> dict[str, Any]:
    """A row without its maps, of reasons and of models that answered, which stand in results.json alone."""
    columns = {name: getattr(row, name) for name in row.__struct_fields__}
    return {name: value for name, value in columns.items() if not isinstance(value, dict)}


def _group_rows(column: str, groups: Iterable[OracleGroup]) -> Iterable[dict[str, Any]]:
    return ({column: group.id, **_flat(row)} for group in groups for row in group.rows)

"""Several audits of one board as one: its matrix has what each of them tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.site.views import Audit, BoardView
from nullbench_site.site.wording import known

_KEYS: dict[str, Callable[[Any], Any]] = {
    "leaderboard": lambda row: row.model,
    "attacks": lambda row: (row.model, row.judge),
    "attacked_judges": lambda row: row.judge,
    "defences": lambda row: (row.defence, row.judge),
    "defended_attacks": lambda row: (row.defence, row.judge, row.model),
}
"""The tables of an audit, and what a row is of. The newest row of each counts."""


def merged(parts: Sequence[tuple[CatalogEntry, BoardView]], *, current: bool) -> Audit:
    """Return several audits of a board, newest first, as one."""
    (entry, newest), views = parts[0], [view for _, view in parts]
    if len(views) == 1:
        return Audit(entry, newest, current, parts)
    tables = {name: _first(key, (known(getattr(view.results, name)) for view in views)) for name, key in _KEYS.items()}
    judges = {judge.id: judge for view in reversed(views) for judge in view.judges}
    panels = dict(newest.benchmark.panels)
    if newest.panel is not None:
        panels[newest.panel.id] = msgspec.structs.replace(newest.panel, judges=tuple(judges))
    benchmark = replace(
        newest.benchmark,
        judges={**newest.benchmark.judges, **judges},
        models={name: model for view in reversed(views) for name, model in view.benchmark.models.items()},
        panels=panels,
    )
    view = replace(newest, benchmark=benchmark, results=msgspec.structs.replace(newest.results, **tables))
    return Audit(entry, view, current, parts)


def _first(key: Callable[[Any], Any], tables: Iterable[Sequence[Any]]) -> list[Any]:
    """Return the rows of all tables; of several with one key, the first."""
    rows: dict[Any, Any] = {}
    for table in tables:
        for row in table:
            rows.setdefault(key(row), row)
    return [*rows.values()]

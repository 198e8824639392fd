"""Several audits of one board, and the board itself, as one: its matrix has what each of them tried."""

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
"""The tables of an audit, and what a row is of. The newest measured row of each counts."""


def merged(parts: Sequence[tuple[CatalogEntry, BoardView]], *, current: bool) -> Audit:
    """Return several audits of a board, newest first, as one."""
    return Audit(parts[0][0], together([view for _, view in parts]), current, parts)


def together(views: Sequence[BoardView]) -> BoardView:
    """Return the first view with the attacks and judges of all. Rows of all judges are only of views that ask all."""
    newest = views[0]
    if len(views) == 1:
        return newest
    asked = [_asked(view) for view in views]
    whole = set[str]().union(*asked)
    tables = {
        name: _first(
            key,
            (
                [
                    row
                    for row in known(getattr(view.results, name))
                    if of == whole or getattr(row, "judge", "") is not None
                ]
                for view, of in zip(views, asked, strict=True)
            ),
        )
        for name, key in _KEYS.items()
    }
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
    return replace(newest, benchmark=benchmark, results=msgspec.structs.replace(newest.results, **tables))


def _asked(view: BoardView) -> set[str]:
    """Return the judges of the specs that a view asks, in any wording."""
    return {getattr(judge, "base", judge.id) for judge in view.judges}


def _first(key: Callable[[Any], Any], tables: Iterable[Sequence[Any]]) -> list[Any]:
    """Return the rows of all tables; of several with one key, the first that is measured, or else the first."""
    rows: dict[Any, Any] = {}
    for table in tables:
        for row in table:
            if not _is_measured(rows.setdefault(key(row), row)) and _is_measured(row):
                rows[key(row)] = row
    return [*rows.values()]


def _is_measured(row: Any) -> bool:
    """Return False for a row that says why all of it is absent. Other rows say so by column, or are always measured."""
    return not isinstance(getattr(row, "absent", None), str)

"""What programs found in the answers of a `rubric` board, by type of check."""

from __future__ import annotations

from typing import Any

from nullbench_site.checks.registry import CHECKS
from nullbench_site.protocols.rubric.results import CheckRow
from nullbench_site.site import words
from nullbench_site.site.views import RubricView


def checked(view: RubricView) -> list[dict[str, str]]:
    """A row a type of check that stands on public items, those that decided most often first."""
    rows = sorted(view.results.checks, key=lambda row: (-_decided(row), row.type))
    return [_row(row) for row in rows if row.n_items]


def _row(row: CheckRow) -> dict[str, Any]:
    decided = _decided(row)
    return {
        "title": CHECKS[row.type].title if row.type in CHECKS else row.type,
        "n_items": words.number(row.n_items, 0),
        "passed": words.of(row.passed, decided) if decided else "–",
        "failed": words.of(row.failed, decided) if decided else "–",
        "not_applicable": words.number(row.not_applicable, 0),
    }


def _decided(row: CheckRow) -> int:
    return row.passed + row.failed

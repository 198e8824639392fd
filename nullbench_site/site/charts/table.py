"""The numbers behind a chart, as a table for readers who do not see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """caption: what the table holds. Every cell is in words; the first of a row names it."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

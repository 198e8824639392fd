"""The items of a domain in one table: what each is, and how contestants and judges fared on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from nullbench_site.protocols.axes.results import AxesItemRow
from nullbench_site.protocols.oracle.results import OracleItemRow
from nullbench_site.scoring.metrics import METRICS, Metric
from nullbench_site.site import paths, words
from nullbench_site.site.views import BoardView, OracleView
from nullbench_site.site.views.board import AnyItemRow, is_private
from nullbench_site.specs.types import Item

_SHOWN_OF_HASH = 19


@dataclass(frozen=True)
class ItemLine:
    """An item. Its texts stand in the evidence, at `link`, those of a private one nowhere.

    notes: what its protocol tells of it. hash: of a private item; shown: as much of it as a table has room for.
    mean: over contestants, null models aside. spread: how far judges are apart on an answer, over the same.
    """

    id: str
    link: str
    category: str
    difficulty: str
    notes: Sequence[str]
    visibility: str
    hash: str
    shown: str
    mean: str
    spread: str


@dataclass(frozen=True)
class ItemTable:
    """The items of a domain.

    notes: the heads of what the protocol tells. hides: whether some are private. spread: None where no judge scores.
    """

    caption: str
    notes: Sequence[str]
    hides: bool
    mean: Metric
    spread: Metric | None
    lines: Sequence[ItemLine]


def item_table(
    view: BoardView,
    domain: Any,
    heads: Sequence[str] = (),
    notes: Callable[[Any], Sequence[str]] = lambda item: (),
) -> ItemTable:
    """The items of `domain` in the order of its categories. notes: what stands under `heads` of an item."""
    lines = [
        _line(view, domain.id, category.title, item, notes(item))
        for category in domain.categories
        for item in category.items
    ]
    return ItemTable(
        caption=f"Items of {domain.title}",
        notes=heads,
        hides=any(line.visibility == "private" for line in lines),
        mean=METRICS["item_mean"],
        spread=None if isinstance(view, OracleView) else METRICS["item_disagreement"],
        lines=lines,
    )


def _line(view: BoardView, domain: str, category: str, item: Any, notes: Sequence[str]) -> ItemLine:
    private = isinstance(item, Item) and is_private(item)
    rows = [row for row in view.rows_of_items.get(item.id, ()) if row.model not in view.nulls]
    hash_of_text = (item.hash or "") if private else ""
    return ItemLine(
        id=item.id,
        link=paths.evidence_url(view.board.id, domain=domain, item=item.id),
        category=category,
        difficulty=item.difficulty,
        notes=notes,
        visibility="private" if private else "public",
        hash=hash_of_text,
        shown=f"{hash_of_text[:_SHOWN_OF_HASH]}…" if hash_of_text else "",
        mean=words.number(_mean(map(_score, rows))),
        spread=words.number(_mean(map(_spread, rows))),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _score(row: AnyItemRow) -> float | None:
    return row.goal_alignment if isinstance(row, AxesItemRow) else row.overall


def _spread(row: AnyItemRow) -> float | None:
    return None if isinstance(row, OracleItemRow) else row.spread

"""The pages of boards of the `scores` protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.protocols.scores.metrics import ScoresItemRow, ScoresResults, ScoresRow
from nullbench_site.protocols.scores.specs import ScoredPlacedItem, ScoresBoardFile
from nullbench_site.protocols.scores.tables import Scores
from nullbench_site.site import words
from nullbench_site.site.evidence import BoardEvidence, ItemShown, Sample
from nullbench_site.site.pages.methodology import sizes
from nullbench_site.site.protocol import Context, Layout, ProtocolPages
from nullbench_site.site.views import BoardView


@dataclass(frozen=True)
class ScoresView(BoardView):
    """The view of a `scores` board."""

    board: ScoresBoardFile
    results: ScoresResults
    asked: ClassVar[bool] = False

    @property
    def thick_line(self) -> str:
        return "for cells like these" if self.board.cells == "means" else "for items like these"

    def cluster(self, placed: Any) -> Any:
        own = placed.item.cluster
        return super().cluster(placed) if own is None else ("cluster", own)

    def group(self, placed: Any) -> str:
        return str(placed.domain.id)

    def lacking(self, row: ScoresRow) -> str:
        n_items = self.results.n_items
        return "" if not self.is_whole(row) or row.n_items == n_items else f"{words.of(row.n_items, n_items)} items"


class ScoredItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """An item of which only the name is known."""

    difficulty: str | None = None  # type: ignore[assignment]  # few tables state it
    title: str | UnsetType = UNSET
    date: str | UnsetType | None = UNSET
    link: str | UnsetType | None = UNSET
    cluster: str | UnsetType | None = UNSET


class CellShown(msgspec.Struct):
    """The score of a contestant on an item: 0-100, and in the unit of the table."""

    overall: float
    raw: float


class ScoresEvidence(BoardEvidence[ScoresView, ScoredPlacedItem, ScoresItemRow]):
    """The evidence of a `scores` board: the cells of its table."""

    item_type, score_type, sample_type = ScoredItemShown, CellShown, Sample
    unrecorded = True
    states = {"scored": "scored", "missing": "not in the table"}  # noqa: RUF012

    def begins(self, placed: ScoredPlacedItem) -> str:
        return placed.item.title

    def item_fields(self, placed: ScoredPlacedItem) -> dict[str, Any]:
        item = placed.item
        return {"title": item.title, "date": item.date, "link": item.link, "cluster": item.cluster}


LAYOUT: Layout[ScoresView] = Layout(
    overall="scores_overall",
    in_part="scores_overall",
    interval="scores_ci",
    remarks=lambda view, row, whole_board: [lacking] if (lacking := view.lacking(row)) else [],
)


def _board(view: ScoresView) -> Context:
    return {"template": "scores/board.md.j2", **_about(view)}


def _about(view: ScoresView) -> Context:
    board, tables = view.board, view.benchmark.tables[view.board.id]
    n_left = tables.n_left if isinstance(tables, Scores) else 0
    return {
        "unit": board.unit,
        "scale": (words.number(board.scale.low, 0), words.number(board.scale.high, 0)),
        "lower": board.lower_is_better,
        "cells": board.cells == "means",
        "n_items": view.results.n_items,
        "n_domains": len(view.domains),
        "n_clusters": len({view.cluster(placed) for placed in view.items}),
        "n_left": n_left,
        "incomplete": view.results.incomplete,
    }


PAGES: ProtocolPages[ScoresView] = ProtocolPages(
    view=ScoresView,
    layout=LAYOUT,
    board=_board,
    fingerprint=lambda view, model: {"template": "scores/model.md.j2"},
    method=lambda view: {"template": "scores/methodology.md.j2", "sizes": sizes(view, "item"), **_about(view)},
    failures=lambda view: "",
    verdict="score",
    judged="scored",
    not_asked="The scores come from a table; no model was run here.",
    evidence=ScoresEvidence,
    holds="its domains, categories, difficulties and items with their scores",
)

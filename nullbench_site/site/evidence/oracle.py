"""The evidence of an `oracle` board. Of a private item it tells its hash and its marks, and no text at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from nullbench_site.keys import KEYS
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.evidence import calls
from nullbench_site.site.views.board import is_private
from nullbench_site.site.views.oracle import OracleView
from nullbench_site.specs.benchmark import OraclePlacedItem


class OracleEvidence:
    """Prompts with their keys; answers with their marks, and why each has it."""

    def __init__(self, view: OracleView) -> None:
        self.view = view
        self.scores = {(row.model, row.item): row for row in view.results.items}
        self.private = {placed.id for placed in view.items if is_private(placed.item)}

    def about(self) -> dict[str, Any]:
        return {"keys": {kind.id: kind.title for kind in KEYS.values()}}

    def items(self, domain: str) -> dict[str, Any]:
        return {placed.id: _item(placed) for placed in self.view.items if placed.domain.id == domain}

    def score(self, model: str, item: str) -> dict[str, Any] | None:
        row = self.scores.get((model, item))
        return None if row is None else {"state": row.outcome, "overall": row.overall}

    def sample(self, response: Response, judgments: Sequence[Judgment]) -> dict[str, Any]:
        if response.item in self.private or response.hidden is not None:
            outcomes = [{"outcome": mark.outcome} for mark in response.checks]
            return {"sample": response.sample, "state": response.state, "hidden": True, "marks": outcomes}
        marks = [{"outcome": str(mark.outcome), "why": "; ".join(mark.flags)} for mark in response.checks]
        return {**calls.sample(response), "marks": marks}


def _item(placed: OraclePlacedItem) -> dict[str, Any]:
    item = placed.item
    about = {
        "category": placed.category.title,
        "difficulty": item.difficulty,
        "bundle": item.bundle,
        "visibility": item.visibility,
        "hash": item.hash,
    }
    if is_private(item):
        return about
    return {**about, "salt": item.salt, "tags": item.tags, "prompt": item.prompt, "key": msgspec.to_builtins(item.key)}

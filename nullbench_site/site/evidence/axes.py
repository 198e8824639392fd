"""The evidence of an `axes` board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.evidence import calls
from nullbench_site.site.views.axes import AxesView
from nullbench_site.specs import templates


class AxesEvidence:
    """Items with their source, facts and goal; answers with their ratings on every axis."""

    def __init__(self, view: AxesView) -> None:
        self.view = view
        self.scores = {(row.model, row.item): row for row in view.results.items}

    def about(self) -> dict[str, Any]:
        return {"axes": {axis: self.view.benchmark.axes[axis].short for axis in self.view.results.axes}}

    def items(self, domain: str) -> dict[str, Any]:
        template = self.view.benchmark.templates[self.view.board.template]
        return {
            placed.id: {
                "category": placed.category.title,
                "difficulty": placed.item.difficulty,
                "tags": placed.item.tags,
                "task": placed.item.task,
                "source": placed.item.source,
                "prompt": templates.prompt(template, task=placed.item.task, source=placed.item.source),
                "facts": [{"kind": fact.kind, "text": fact.text} for fact in placed.item.facts],
                "constraints": msgspec.to_builtins(placed.item.constraints),
                "axes": placed.category.axes,
                "goal": {
                    "title": placed.goal.title,
                    "alignment_target": placed.goal.alignment_target,
                    "rules": [{"dimension": rule.dimension, "rule": rule.rule} for rule in placed.goal.rules],
                },
            }
            for placed in self.view.benchmark.axes_items(self.view.board)
            if placed.domain.id == domain
        }

    def score(self, model: str, item: str) -> dict[str, Any] | None:
        row = self.scores.get((model, item))
        if row is None:
            return None
        return {
            "state": row.state,
            "goal_alignment": row.goal_alignment,
            "quality": row.quality,
            "axes": row.axes,
            "spread": row.spread,
        }

    def sample(self, response: Response, judgments: Sequence[Judgment]) -> dict[str, Any]:
        return {**calls.sample(response), "verdicts": [calls.verdict(judgment) for judgment in judgments]}

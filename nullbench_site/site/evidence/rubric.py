"""The evidence of a `rubric` board. Of a private item it tells its hash and its scores, and no text at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nullbench_site.checks import CHECKS
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.evidence import calls
from nullbench_site.site.views.board import is_private
from nullbench_site.site.views.rubric import RubricView, check_types, geval_title
from nullbench_site.specs.benchmark import RubricPlacedItem


class RubricEvidence:
    """Prompts with their ideal answers and criteria; answers with what checks found, marks and G-Eval scores."""

    def __init__(self, view: RubricView) -> None:
        self.view = view
        self.scores = {(row.model, row.item): row for row in view.results.items}
        self.metrics = {metric: place for place, metric in enumerate(view.results.geval_metrics)}
        self.private = {placed.id for placed in view.items if is_private(placed.item)}

    def about(self) -> dict[str, Any]:
        judge = self.view.geval_judge
        metrics = {metric: geval_title(metric) for metric in self.view.results.geval_metrics}
        return {
            "checks": {check.id: check.title for check in CHECKS.values()},
            "geval": None if judge is None else {"judge": judge.title, "metrics": metrics},
        }

    def items(self, domain: str) -> dict[str, Any]:
        return {placed.id: _item(placed) for placed in self.view.items if placed.domain.id == domain}

    def score(self, model: str, item: str) -> dict[str, Any] | None:
        row = self.scores.get((model, item))
        if row is None:
            return None
        return {
            "state": row.state,
            "overall": row.overall,
            "judge_mean": row.judge_mean,
            "geval_mean": row.geval_mean,
            "spread": row.spread,
        }

    def sample(self, response: Response, judgments: Sequence[Judgment]) -> dict[str, Any]:
        marks = [judgment for judgment in judgments if judgment.judge_template is None]
        geval = sorted(
            (judgment for judgment in judgments if judgment.judge_template is not None),
            key=lambda judgment: self.metrics.get(str(judgment.judge_template).removeprefix("geval."), 0),
        )
        if response.item in self.private or response.hidden is not None:
            return {
                "sample": response.sample,
                "state": response.state,
                "hidden": True,
                "verdicts": [_score_alone(judgment) for judgment in marks],
                "geval": [_score_alone(judgment) for judgment in geval],
            }
        checks = [{"type": check.type, "outcome": check.outcome, "flags": check.flags} for check in response.checks]
        return {**calls.sample(response), "checks": checks, "verdicts": _whole(marks), "geval": _whole(geval)}


def _item(placed: RubricPlacedItem) -> dict[str, Any]:
    item = placed.item
    about = {
        "category": placed.category.title,
        "difficulty": item.difficulty,
        "visibility": item.visibility,
        "hash": item.hash,
    }
    if is_private(item):
        return about
    return {
        **about,
        "salt": item.salt,
        "tags": item.tags,
        "prompt": item.prompt,
        "ideal": item.ideal,
        "criteria": item.criteria,
        "checks": check_types(item),
    }


def _whole(judgments: Iterable[Judgment]) -> list[dict[str, Any]]:
    return [calls.verdict(judgment) for judgment in judgments]


def _score_alone(judgment: Judgment) -> dict[str, Any]:
    return {"judge": judgment.judge, "state": judgment.state, "scores": judgment.scores}

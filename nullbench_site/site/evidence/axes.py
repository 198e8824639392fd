"""The evidence of an `axes` board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from nullbench_site.protocols.axes.results import AxesItemRow
from nullbench_site.protocols.axes.specs import AxesPlacedItem
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.evidence import calls
from nullbench_site.site.evidence.protocol import Answer, Apart, Cell, Kind
from nullbench_site.site.views.axes import AxesView
from nullbench_site.specs import templates


class ShownFact(msgspec.Struct):
    """What is known to be in a source."""

    kind: str
    text: str


class ShownRule(msgspec.Struct):
    """What a goal expects."""

    dimension: str
    rule: str


class ShownGoal(msgspec.Struct):
    """What a good answer is."""

    title: str
    alignment_target: dict[str, int]
    rules: list[ShownRule]


class AxesItemShown(msgspec.Struct):
    """An item: the prompt as it was sent, and what judges were told beside it."""

    category: str
    difficulty: str
    tags: tuple[str, ...]
    task: str
    source: str
    prompt: str
    facts: list[ShownFact]
    constraints: dict[str, Any]
    axes: tuple[str, ...]
    goal: ShownGoal


class AxesScore(msgspec.Struct):
    """The score of an answer: 0-100, axes 1-5. spread: highest goal alignment that a judge gave less the lowest."""

    state: str
    goal_alignment: float
    quality: float
    axes: dict[str, float | None]
    spread: float | None


class AxesSample(calls.Sample, kw_only=True, omit_defaults=True):
    """An answer with what each judge said of it."""

    verdicts: list[calls.Verdict]


class AxesEvidence:
    """Items with their source, facts and goal; answers with their ratings on every axis."""

    kind = Kind(
        item=AxesItemShown,
        answer=Answer[AxesScore, AxesSample],
        states={
            "scored": "scored",
            "refused": "refused",
            "errored": "failed",
            "unparsed": "verdict not readable",
            "unjudged": "not judged yet",
        },
        apart=Apart("point", 100),
    )

    def __init__(self, view: AxesView) -> None:
        self.view = view
        self.template = view.benchmark.templates[view.board.template]
        self.scores = {(row.model, row.item): row for row in view.results.items}

    def about(self) -> dict[str, Any]:
        return {"axes": {axis: self.view.benchmark.axes[axis].short for axis in self.view.results.axes}}

    def item(self, placed: AxesPlacedItem) -> AxesItemShown:
        item, goal = placed.item, placed.goal
        return AxesItemShown(
            category=placed.category.title,
            difficulty=item.difficulty,
            tags=item.tags,
            task=item.task,
            source=item.source,
            prompt=templates.prompt(self.template, task=item.task, source=item.source),
            facts=[ShownFact(fact.kind, fact.text) for fact in item.facts],
            constraints=msgspec.to_builtins(item.constraints),
            axes=placed.category.axes,
            goal=ShownGoal(
                goal.title, dict(goal.alignment_target), [ShownRule(rule.dimension, rule.rule) for rule in goal.rules]
            ),
        )

    def begins(self, placed: AxesPlacedItem) -> str:
        return placed.item.source

    def cell(self, model: str, item: str) -> Cell | None:
        row = self.scores.get((model, item))
        return None if row is None else Cell(row.state, row.goal_alignment, row.spread)

    def answer(
        self, model: str, item: str, samples: Sequence[tuple[Response, Sequence[Judgment]]]
    ) -> Answer[AxesScore, AxesSample]:
        row = self.scores.get((model, item))
        return Answer(None if row is None else _score(row), [_sample(*sample) for sample in samples])


def _score(row: AxesItemRow) -> AxesScore:
    return AxesScore(row.state, row.goal_alignment, row.quality, row.axes, row.spread)


def _sample(response: Response, judgments: Sequence[Judgment]) -> AxesSample:
    return AxesSample(**calls.sample(response), verdicts=[calls.verdict(judgment) for judgment in judgments])

"""The evidence of an `axes` board: items with their source, facts and goal, answers with ratings on every axis."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.protocols.axes.results import AxesItemRow
from nullbench_site.protocols.axes.specs import AxesPlacedItem
from nullbench_site.protocols.axes.view import AxesView
from nullbench_site.site.evidence.shown import Apart, BoardEvidence, Sample, Titles, Verdict
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


class AxesItemShown(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An item: the prompt as it was sent, and what judges were told beside it; of a private one its hash alone."""

    category: str
    difficulty: str
    visibility: str = "public"
    hash: str | None = None
    salt: str | None = None
    tags: tuple[str, ...] | UnsetType = UNSET
    task: str | UnsetType = UNSET
    source: str | UnsetType = UNSET
    prompt: str | UnsetType = UNSET
    facts: list[ShownFact] | UnsetType = UNSET
    constraints: dict[str, Any] | UnsetType = UNSET
    axes: tuple[str, ...] | UnsetType = UNSET
    goal: ShownGoal | UnsetType = UNSET


class AxesScore(msgspec.Struct):
    """The score of an answer: 0-100, axes 1-5. spread: highest goal alignment that a judge gave less the lowest."""

    state: str
    goal_alignment: float
    quality: float
    axes: dict[str, float | None]
    spread: float | None


class AxesSample(Sample, kw_only=True, omit_defaults=True):
    """An answer with what each judge said of it."""

    verdicts: list[Verdict]


class AxesTitles(Titles, kw_only=True, omit_defaults=True):
    """The axes of the board."""

    axes: dict[str, str] = msgspec.field(default_factory=dict)


class AxesEvidence(BoardEvidence[AxesView, AxesPlacedItem, AxesItemRow]):
    """What it adds to that of every board."""

    item_type, score_type, sample_type, titles_type = AxesItemShown, AxesScore, AxesSample, AxesTitles
    apart = Apart("point", 100)

    def titles(self) -> Titles:
        return AxesTitles(axes={axis: self.view.benchmark.axes[axis].short for axis in self.view.results.axes})

    def item_fields(self, placed: AxesPlacedItem) -> dict[str, Any]:
        goal = placed.goal
        template = self.view.benchmark.templates[self.view.board.template]
        rules = [ShownRule(rule.dimension, rule.rule) for rule in goal.rules]
        return {
            "task": placed.task,
            "source": placed.source,
            "prompt": templates.prompt(template, task=placed.task, source=placed.source),
            "facts": [ShownFact(fact.kind, fact.text) for fact in placed.facts],
            "constraints": msgspec.to_builtins(placed.constraints),
            "axes": placed.category.axes,
            "goal": ShownGoal(goal.title, dict(goal.alignment_target), rules),
        }

    def begins(self, placed: AxesPlacedItem) -> str:
        return placed.source

    def score(self, row: AxesItemRow) -> AxesScore:
        return AxesScore(row.state, row.goal_alignment, row.quality, row.axes, row.spread)

"""The view of an `axes` board and its evidence: items with source, facts and goal; answers with ratings on axes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.judging.short_questions.asking import is_question
from nullbench_site.judging.short_questions.sentences import LeftOut
from nullbench_site.programs.english import normalise
from nullbench_site.programs.passages import Passage, TaskConstraints, within
from nullbench_site.programs.source_case import CaseFact, stated
from nullbench_site.protocols.axes.judging import GOAL_ALIGNMENT, panel_gate
from nullbench_site.protocols.axes.metrics import AxesItemRow, AxesResults, AxesRow
from nullbench_site.protocols.axes.question_pages import AxesAnswersOfJudge, answered
from nullbench_site.protocols.axes.scoring import group_of, group_weights
from nullbench_site.protocols.axes.specs import AxesBoardFile, AxesPlacedItem, Axis, axes_of, baseline_axes
from nullbench_site.runs.records import Response, Score
from nullbench_site.scoring.question_tables import QuestionRow
from nullbench_site.site.charts.radar import LIKERT
from nullbench_site.site.evidence import Apart, BoardEvidence, Sample, Titles, Verdict
from nullbench_site.site.views import BoardView, RadarSpec, known
from nullbench_site.specs import templates
from nullbench_site.stats.scores import Gate


@dataclass(frozen=True)
class AxesView(BoardView):
    """The view of an `axes` board. Its radars show the baseline axes against the goals."""

    board: AxesBoardFile
    results: AxesResults

    @property
    def gate(self) -> Gate:
        """Return the refusal gate of the whole panel."""
        return panel_gate(self.benchmark.panels[self.board.panel])

    @cached_property
    def smaller_gates(self) -> Mapping[str, Gate]:
        """Return the gates of contestants that have judges of their own family, which may not score them."""
        panel = self.benchmark.panels[self.board.panel]
        judges = {
            model: len(self.benchmark.judges_for(self.board, self.benchmark.models[model])) for model in self.rows
        }
        return {model: panel_gate(panel, n) for model, n in judges.items() if 0 < n < len(panel.judges)}

    def cluster(self, placed: AxesPlacedItem) -> Hashable:
        """Items of one source text are a cluster."""
        return placed.cluster

    def group(self, placed: AxesPlacedItem) -> str:
        return group_of(self.board, placed)

    def group_weights(self) -> Mapping[str, float] | None:
        return group_weights(self.board, self.items)

    @cached_property
    def axes(self) -> Mapping[str, Axis]:
        """Return every axis by id, the baseline axes first."""
        return axes_of(self.benchmark)

    def mark_title(self, mark: str) -> str:
        """Return the title of an axis or a metric."""
        return self.axes[mark].title if mark in self.axes else super().mark_title(mark)

    @cached_property
    def radar_spec(self) -> RadarSpec:
        """Return the baseline axes as spokes. Goals are the mean targets over the items that have an axis."""
        axes = {axis: self.axes[axis].short for axis in baseline_axes(self.benchmark)}
        goals = _mean_targets(self.items)
        return RadarSpec(
            axes, LIKERT, goals, metric="axis", field="axes", caption="Mean ratings by axis", spoke="Axis",
            unit="points on the axes", digits=2,
        )  # fmt: skip

    @cached_property
    def medians(self) -> Mapping[str, float | None]:
        """Return the median of each axis on the whole board, also of special axes."""
        return {axis: self.median_axis(self.results.leaderboard, axis) for axis in self.results.axes}

    def on_spoke(self, model: str, spoke: str) -> float | None:
        value: float | None = self.rows[model].axes.get(spoke)
        return value

    def fingerprint(self, model: str) -> list[float | None]:
        """Return the mean on every axis in every domain."""
        rows = [of_domain.get(model) for of_domain in self.in_domains.values()]
        return [None if row is None else row.axes.get(axis) for row in rows for axis in self.results.axes]

    @cached_property
    def of_one_judge(self) -> Sequence[str]:
        """Return the axes that only one judge rates, so there is no agreement to measure."""
        if not any(row.n_scores for row in self.results.judges):
            return ()
        return [axis for axis in self.results.axes if not self.agreement(axis=axis).units]

    @cached_property
    def domain_goals(self) -> Mapping[str, Mapping[str, float]]:
        """Return the mean target of each axis by domain, over the items that have the axis."""
        placed_by_domain: dict[str, list[AxesPlacedItem]] = {}
        for placed in self.items:
            placed_by_domain.setdefault(placed.domain.id, []).append(placed)
        return {domain: _mean_targets(placed) for domain, placed in placed_by_domain.items()}

    def median_axis(self, rows: Sequence[AxesRow], axis: str) -> float | None:
        """Return the median of an axis over the contestants, without null models."""
        values = [value for row in rows if not self.is_null(row.model) and (value := row.axes.get(axis)) is not None]
        return median(values) if values else None


def _mean_targets(items: Iterable[AxesPlacedItem]) -> dict[str, float]:
    targets: dict[str, list[int]] = {}
    for placed in items:
        for axis in placed.category.axes:
            targets.setdefault(axis, []).append(placed.goal.alignment_target[axis])
    return {axis: sum(values) / len(values) for axis, values in targets.items()}


class ShownFact(msgspec.Struct):
    """A reference fact of a source."""

    kind: str
    text: str


class ShownRule(msgspec.Struct):
    """A rule of a goal."""

    dimension: str
    rule: str


class ShownGoal(msgspec.Struct):
    """The goal of an item."""

    title: str
    alignment_target: dict[str, int]
    rules: list[ShownRule]


class AxesItemShown(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An item: the prompt in its first wording, and what judges saw with it; for a private one only its hash."""

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
    """The score of an answer: 0-100, axes 1-5. spread: highest less lowest goal alignment of the judges."""

    state: str
    goal_alignment: float
    quality: float | None
    axes: dict[str, float | None]
    spread: float | None


class AxesSample(Sample, kw_only=True, omit_defaults=True):
    """An answer with the verdict of each judge.

    found: whether it states each fact of the item, in the room that the task gives. added: the places of its words and
    figures that are not in the source: start and end in characters. Both are absent for a private item. answers: of
    judges that are asked short questions. left_out: the sentences that they are not asked about. not_drawn: how many
    further sentences were not drawn.
    """

    verdicts: list[Verdict]
    answers: list[AxesAnswersOfJudge] | UnsetType = UNSET
    left_out: tuple[LeftOut, ...] = ()
    not_drawn: int = 0
    found: list[bool] | UnsetType = UNSET
    added: list[tuple[int, int]] | UnsetType = UNSET


class AxesTitles(Titles, kw_only=True, omit_defaults=True):
    """The axes of the board."""

    axes: dict[str, str] = msgspec.field(default_factory=dict)


class _Asked(msgspec.Struct, frozen=True):
    """What an answer to an item is held against."""

    source: Passage
    facts: tuple[CaseFact, ...]
    constraints: TaskConstraints

    @classmethod
    def of(cls, placed: AxesPlacedItem) -> _Asked:
        facts, constraints = msgspec.to_builtins((placed.facts, placed.constraints))
        return cls(
            Passage.of(placed.source),
            msgspec.convert(facts, tuple[CaseFact, ...]),
            msgspec.convert(constraints, TaskConstraints),
        )


class AxesEvidence(BoardEvidence[AxesView, AxesPlacedItem, AxesItemRow]):
    """The evidence of an `axes` board."""

    item_type, score_type, sample_type, titles_type = AxesItemShown, AxesScore, AxesSample, AxesTitles
    apart = Apart("point", 100)
    marked = "goal alignment"

    def __init__(self, view: AxesView) -> None:
        super().__init__(view)
        self._placed = {placed.id: placed for placed in view.items}
        self._asked = {placed.id: _Asked.of(placed) for placed in view.items if not placed.private}
        self._questions: dict[str, dict[tuple[str, str], QuestionRow]] = {}
        for row in known(view.results.questions):
            self._questions.setdefault(row.item, {})[row.judge, row.question] = row

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        of_questions = {wording: given for wording, given in verdicts.items() if is_question(wording)}
        plain = {wording: given for wording, given in verdicts.items() if wording not in of_questions}
        own, asked = super().sample_fields(response, plain, hidden=hidden), self._asked.get(response.item)
        if hidden or asked is None:
            return own
        rows = self._questions.get(response.item, {})
        own |= answered(self.view.benchmark, self._placed[response.item], response.text, rows, of_questions)
        room = normalise(" ".join(within(response.text, asked.constraints).sentences))
        return {**own, "found": stated(asked.facts, room), "added": asked.source.added(response.text)}

    def marks(self, sample: AxesSample) -> Iterable[Score | None]:
        return (verdict.scores.get(GOAL_ALIGNMENT) for verdict in sample.verdicts)

    def titles(self) -> Titles:
        return AxesTitles(axes={axis: self.view.axes[axis].short for axis in self.view.results.axes})

    def item_fields(self, placed: AxesPlacedItem) -> dict[str, Any]:
        goal = placed.goal
        template = self.view.benchmark.templates[self.view.board.wordings[0]]
        rules = [ShownRule(rule.dimension, rule.rule) for rule in goal.rules]
        return {
            "task": placed.task,
            "source": placed.source,
            "prompt": templates.filled(template, {"task": placed.task, "source": placed.source}),
            "facts": [ShownFact(fact.kind, fact.text) for fact in placed.facts],
            "constraints": msgspec.to_builtins(placed.constraints),
            "axes": placed.category.axes,
            "goal": ShownGoal(goal.title, dict(goal.alignment_target), rules),
        }

    def begins(self, placed: AxesPlacedItem) -> str:
        return placed.source

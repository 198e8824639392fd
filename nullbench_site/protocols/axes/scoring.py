"""From the observations of an `axes` board to its results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isnan
from typing import Annotated, Any

import msgspec
import numpy as np

from nullbench_site.judging.short_questions.asking import YES
from nullbench_site.protocols.axes.contestant import (
    SCORES,
    AxesContestant,
    ItemColumns,
    Measurable,
    axes_judge_rows,
    board_moments,
    goal_alignments,
    judge_model_rows,
    judge_tallies,
    normalised_axes,
    unit_scores,
)
from nullbench_site.protocols.axes.judging import GATES, panel_gate
from nullbench_site.protocols.axes.metrics import AxesItemRow, AxesResults, AxesRow
from nullbench_site.protocols.axes.question_marks import AxesQuestions, parts
from nullbench_site.protocols.axes.questions_asked import SENTENCE, number_of
from nullbench_site.protocols.axes.specs import AxesBoardFile, AxesPlacedItem, axes_of
from nullbench_site.runs.records import Score
from nullbench_site.scoring.agreement import ALL, Part, Rated, Ratings, Scale, Votes
from nullbench_site.scoring.columns import Number
from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.ranking import Strata
from nullbench_site.scoring.results import known
from nullbench_site.scoring.scorer import Contestant, Scorer, judge_rows
from nullbench_site.scoring.short_questions import QuestionsOfBoard
from nullbench_site.scoring.states import ERRORED, NO_ANSWER, REFUSED, SCORED, STATES, UNPARSED, AnswerSlice, of_items
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import EMPTY, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import Estimate, estimate_of, means
from nullbench_site.stats.judges import JudgeMoments, mark_places, nearest_mark, overall
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.scores import AXIS_MAX, AXIS_MIN
from nullbench_site.stats.telemetry import qpr_pct, quality_per_resource

_FAR = 10**9
"""Integers of judges are limited to this: it is far outside 0..100, and sums of it are still exact in a float."""
_PERCENT = Annotated[int, msgspec.Meta(ge=-_FAR, le=_FAR)]
_SHARE = Annotated[float, msgspec.Meta(ge=0, le=1)]
_RATING = Annotated[int, msgspec.Meta(ge=AXIS_MIN, le=AXIS_MAX)]


class AxesSlice(AnswerSlice[AxesContestant]):
    """The answers of a contestant to some items."""

    @cached_property
    def own(self) -> Bools:
        """Which of the contestant's items are in the slice, in the order of `ItemColumns`."""
        return self.chosen[self.contestant.items.number]

    def mean(self, column: Floats) -> float | None:
        """Return the mean over items of a column of `ItemColumns`; None without a value."""
        mean = float(column[self.own].mean())
        return None if isnan(mean) else mean

    @property
    def quality(self) -> float | None:
        """The mean quality over the items that have one; with short questions, some have none."""
        own = self.contestant.items.quality[self.own]
        known_ones = own[~np.isnan(own)]
        return float(known_ones.mean()) if known_ones.size else None

    @cached_property
    def axes(self) -> dict[str, float | None]:
        """The mean of each axis over the items that have it; None if no judge gave a valid score."""
        slots, names = self.scorer.slots, self.scorer.axes
        of_items = slots[self.chosen]
        there = np.bincount(of_items[of_items >= 0], minlength=len(names))
        ratings, axis = self.contestant.items.axes[self.own], slots[self.contestant.items.number[self.own]]
        rated = (axis >= 0) & ~np.isnan(ratings)
        total = np.bincount(axis[rated], ratings[rated], minlength=len(names))
        times = np.bincount(axis[rated], minlength=len(names))
        return {
            names[each]: total[each] / times[each] if times[each] else None for each in np.flatnonzero(there).tolist()
        }

    @property
    def seconds(self) -> float | None:
        """The mean response time."""
        return self.mean(self.contestant.items.seconds)

    @property
    def qpr(self) -> Measure:
        """Quality per resource."""
        quality, memory = self.quality, self.scorer.memory_gb.get(self.contestant.model)
        return quality_per_resource(quality, self.seconds, memory)

    @property
    def disk_gb(self) -> Number:
        """The size of the model's files."""
        size = self.scorer.disk_gb[self.contestant.model]
        return "the backend reports no size" if size is None else size


class AxesScorer(Scorer[AxesBoardFile, AxesContestant, AxesRow]):
    """Goal alignment and quality 0-100, axes 1-5. Standard errors cluster by source text."""

    results = AxesResults
    SLICE = AxesSlice
    revision = 2
    REFUSALS = None

    def __init__(self, benchmark: Benchmark, board: AxesBoardFile) -> None:
        super().__init__(benchmark, board)
        self.panel = benchmark.panels[board.panel]
        used = {axis for item in self.placed for axis in item.category.axes}
        self.axes = tuple(axis for axis in axes_of(benchmark) if axis in used)
        self.memory_gb = {model.id: model.memory_gb for model in benchmark.contestants(board)}
        self.disk_gb = {model.id: model.disk_gb for model in benchmark.contestants(board)}
        self.moments: Mapping[str, JudgeMoments | None] = {}
        self.of_axes: Mapping[tuple[str, str], Estimate] = {}

    @cached_property
    def asked_questions(self) -> AxesQuestions | None:
        """The short questions of the board; None if its judges give verdicts."""
        if not any(self.benchmark.judges[judge].asks_questions for judge in self.panel.judges):
            return None
        return AxesQuestions(self.benchmark, self.board, self.placed, self.axes, self.slots)

    @cached_property
    def answers(self) -> QuestionsOfBoard | None:
        """What judges answered to short questions so far; None if they give verdicts."""
        questions = self.asked_questions
        return None if questions is None else questions.of_board(self.panel.judges)

    @cached_property
    def recorded_tasks(self) -> Sequence[tuple[str, str | None]]:
        return self.tasks if self.answers is None else self.answers.recorded(self.tasks)

    def due_as_recorded(self, model: ModelFile) -> Sequence[bool]:
        may = {judge.id for judge in self.benchmark.judges_for(self.board, model)}
        return [judge in may for judge, _ in self.recorded_tasks]

    @property
    def base(self) -> str | None:
        return None if self.answers is None else EMPTY

    def settled(self, observations: Observations, base: Observations | None) -> Observations:
        return observations if self.answers is None else self.answers.settled(observations, base, self.tasks, yes=0)

    def parts(self, placed: AxesPlacedItem, text: str) -> Sequence[float]:
        return parts(placed, text)

    def part_of(self, template: str | None) -> int | None:
        number = None if template is None else number_of(template, SENTENCE)
        return None if number is None else number - 1

    @cached_property
    def text(self) -> Ints:
        """(items,) the number of each item's source text, by which it is clustered."""
        return np.unique([item.cluster for item in self.placed], return_inverse=True)[1].astype(np.int64)

    @cached_property
    def slots(self) -> Ints:
        """(items, most axes of a category) the axes of each item's category as places in `axes`; -1 for none."""
        place = {axis: number for number, axis in enumerate(self.axes)}
        table = np.full((len(self.placed), max(len(item.category.axes) for item in self.placed)), -1)
        for number, item in enumerate(self.placed):
            table[number, : len(item.category.axes)] = [place[axis] for axis in item.category.axes]
        return table

    @property
    def grouping(self) -> Groups:
        """The groups over whose means the overall score is taken."""
        return self.layout.domains if self.board.aggregation.groups == "domain" else self.layout.categories

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        return [(judge, None) for judge in self.panel.judges]

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        assert isinstance(placed, AxesPlacedItem)  # noqa: S101 - the board is of this protocol
        if self.asked_questions is not None:
            return {YES: _SHARE}
        kinds = (_PERCENT, _PERCENT, bool, bool)
        return {**dict(zip(SCORES, kinds, strict=True)), **dict.fromkeys(placed.category.axes, _RATING)}

    def valid_scores(self, scores: Mapping[str, Score], placed: PlacedItem) -> dict[str, Score]:
        near = {name: min(max(of, -_FAR), _FAR) if type(of) is int else of for name, of in scores.items()}
        return super().valid_scores(near, placed)

    def scores_by(self, observations: Observations, contestant: AxesContestant, judges: Collection[str]) -> Floats:
        due = self.due(self.benchmark.answerer(observations.model))
        tasks = [place for place, judge in enumerate(self.panel.judges) if judge in judges and due[place]]
        if not tasks:
            return np.full((len(self.placed), self.board.draws), np.nan)
        votes = panel_gate(self.panel, len(tasks)).votes
        given = observations.values[:, tasks, : len(SCORES)]
        alignments = goal_alignments(observations.answered, given, votes).reshape(-1, self.board.draws)
        alignments[:, self.n_draws(observations.model) :] = np.nan
        return alignments

    def reduce(self, observations: Observations) -> AxesContestant:
        judges = sum(self.due(self.benchmark.answerer(observations.model)))
        votes = panel_gate(self.panel, judges).votes if judges else 1
        scores = unit_scores(observations.answered, observations.values, votes, self._measurable)
        counted = observations.present & ~observations.silent & ~self._unasked
        slots = self.slots.repeat(self.board.draws, axis=0)
        ratings = observations.values[:, :, len(SCORES) :]
        return AxesContestant(
            **Contestant.common(observations),
            state=np.where(counted, scores.state, NO_ANSWER),
            items=ItemColumns.of(scores, observations.seconds, counted, self.board.draws),
            refused_by={gate: int((fired & counted).sum()) for gate, fired in scores.refused_by.items()},
            tallies=judge_tallies(observations, self.panel.judges, ratings, slots, self.axes),
            ungated=self._ungated(observations),
        )

    @cached_property
    def _measurable(self) -> Measurable | None:
        """What answers can have on a board of short questions; None if judges give verdicts."""
        questions, draws = self.asked_questions, self.board.draws
        if questions is None:
            return None
        return Measurable(questions.has_facts.repeat(draws), questions.rated.repeat(draws, axis=0))

    @property
    def _unasked(self) -> Bools:
        """(units,) answers to items of which no judge can answer enough, so that they have no score."""
        answers, n = self.answers, len(self.placed) * self.board.draws
        return np.zeros(n, np.bool_) if answers is None else answers.unasked.repeat(self.board.draws)

    def _ungated(self, observations: Observations) -> Floats | None:
        if self.benchmark.answerer(observations.model).kind != "null":
            return None
        never = len(self.tasks) + 1
        alignment = np.nan_to_num(goal_alignments(observations.answered, observations.values, never))
        means: Floats = alignment.reshape(-1, self.board.draws)[:, : self.n_draws(observations.model)].mean(axis=1)
        return means

    def rated(self, observations: Observations, contestant: AxesContestant) -> Rated:
        """Return how the judges rated each axis of each response that counts, and their votes of each refusal gate."""
        counted = contestant.counted
        slots = self.slots.repeat(self.board.draws, axis=0)
        units, slot = np.nonzero((slots >= 0) & counted[:, np.newaxis])
        marks = observations.values[units, :, len(SCORES) + slot]
        return Rated(
            marks=nearest_mark(marks),
            places=mark_places(marks),
            item=units // self.board.draws,
            scored=contestant.state[units] == SCORED,
            axis=slots[units, slot],
            gates=self._votes(observations, np.flatnonzero(counted & observations.answered)),
        )

    def _votes(self, observations: Observations, units: Ints) -> Mapping[str, Votes]:
        item = units // self.board.draws
        return {
            name: Votes(votes=observations.values[units, :, SCORES.index(name)], item=item) for name in GATES.values()
        }

    def prepare(self, contestants: Sequence[AxesContestant]) -> None:
        self.moments = board_moments([each.tallies for each in contestants], self.panel.judges)
        self.of_axes = {(model, axis): estimate for model, axis, estimate in self._axes_estimates(contestants)}

    def row(self, contestant: AxesContestant, chosen: Bools) -> AxesRow | None:
        of = AxesSlice(self, contestant, chosen)
        if not of.own.any():
            return None
        axes = of.axes
        row = self.filled(
            AxesRow,
            of,
            {},
            model=contestant.model,
            n_items=int(of.own.sum()),
            n_scored=of.n(SCORED),
            n_refused=of.n(REFUSED),
            n_errored=of.n(ERRORED),
            n_unparsed=of.n(UNPARSED),
            goal_alignment=of.mean(contestant.items.goal_alignment),
            quality=of.quality,
            axes=axes,
            qpr_pct=None,
        )
        unrated = () if self.asked_questions is None else {*axes} - {*self.asked_questions.file.axes}
        row.absent |= {
            axis: "no question is about this axis" if axis in unrated else "no judge gave a valid score"
            for axis, mean in axes.items()
            if mean is None
        }
        if row.quality is None:
            row.absent["quality"] = "no question about a fact counts for its items"
        return row

    def relate(self, rows: Sequence[AxesRow]) -> None:
        relative = qpr_pct({row.model: row.qpr for row in rows})
        for row in rows:
            row.qpr_pct = relative[row.model].value
            if reason := relative[row.model].reason:
                row.absent["qpr_pct"] = reason

    def finish(self, row: AxesRow, contestant: AxesContestant) -> None:
        items, grouping = contestant.items, self.grouping
        groups = grouping.of_item[items.number]
        names = [grouping.names[group] for group in np.unique(groups)]
        of_group = {
            grouping.names[group]: items.goal_alignment[groups == group].tolist() for group in np.unique(groups)
        }
        weights = self._weights(names)
        row.overall = overall(of_group, None if weights is None else dict(zip(names, weights, strict=True)))
        of_axes = {axis: self.of_axes[row.model, axis] for axis in self.axes}
        row.axes_se = {axis: estimate.se for axis, estimate in of_axes.items()}
        sure = {axis: estimate for axis, estimate in of_axes.items() if estimate.reason is None}
        row.axes_low = {axis: estimate.low for axis, estimate in sure.items()}
        row.axes_high = {axis: estimate.high for axis, estimate in sure.items()}
        row.normalised_axes = normalised_axes(contestant.tallies, self.axes, self.moments)

    def _axes_estimates(self, contestants: Sequence[AxesContestant]) -> Iterator[tuple[str, str, Estimate]]:
        """Yield the model, the axis, and the estimate of its mean over the items that have the axis.

        The scale starts at 0 if an answer failed.
        """
        models = np.array([each.model for each in contestants])
        ratings = np.full((len(models), *self.slots.shape), np.nan)
        for own, each in zip(ratings, contestants, strict=True):
            own[each.items.number] = each.items.axes
        for place, axis in enumerate(self.axes):
            rated, slot = np.nonzero(self.slots == place)
            of_axis = ratings[:, rated, slot]
            failed = (of_axis < AXIS_MIN).any(axis=1)
            for lowest, alike in ((0, failed), (AXIS_MIN, ~failed)):
                averages = means(of_axis[alike], None, self.text[rated])
                for model, estimate in zip(
                    models[alike].tolist(), estimate_of(averages, (lowest, AXIS_MAX)), strict=True
                ):
                    yield model, axis, estimate

    def _weights(self, groups: Sequence[str]) -> list[float] | None:
        """Return the weight of each group if constructs are weighted; None for the unweighted mean."""
        weights = group_weights(self.board, self.placed)
        return None if weights is None else [weights[group] for group in groups]

    def lacking(self, contestant: AxesContestant, row: AxesRow) -> str | None:
        if self.answers is not None and self.answers.unasked.any():
            return self.answers.no_score
        if row.n_responses < len(self.placed) * self.n_draws(row.model):
            return "answers are missing"
        return "verdicts are missing" if row.judge_missing else None

    def item_scores(self, contestant: AxesContestant) -> Floats:
        scores = np.full(len(self.placed), np.nan)
        scores[contestant.items.number] = contestant.items.goal_alignment
        return scores

    def ungated(self, contestant: AxesContestant) -> Floats | None:
        return contestant.ungated

    @cached_property
    def strata(self) -> Strata:
        groups = self.grouping.of_item
        return Strata(groups, self.text, self._weights([self.grouping.names[group] for group in np.unique(groups)]))

    def item_rows(self, contestants: Sequence[AxesContestant]) -> Iterator[AxesItemRow]:
        """Yield rows with the axes of the item's category."""
        places = [(p.id, p.category.id, p.domain.id, p.category.axes) for p in self.placed]
        for contestant in contestants:
            items, states = contestant.items, of_items(contestant.state, self.board.draws).tolist()
            means = known(np.column_stack([items.goal_alignment, items.quality, items.spread, items.axes]))
            for number, (alignment, quality, spread, *ratings) in zip(items.number.tolist(), means, strict=True):
                item, category, domain, axes = places[number]
                yield AxesItemRow(
                    model=contestant.model,
                    item=item,
                    category=category,
                    domain=domain,
                    state=STATES[states[number]],
                    goal_alignment=alignment,
                    quality=quality,
                    axes=dict(zip(axes, ratings, strict=False)),
                    spread=spread,
                )

    def tables(self, contestants: Sequence[AxesContestant]) -> Mapping[str, Any]:
        tallies = {each.model: each.tallies for each in contestants}
        return {
            "panel": self.board.panel,
            "axes": list(self.axes),
            "judges": axes_judge_rows(judge_rows(self.tasks, contestants), list(tallies.values()), self.moments),
            "judge_models": judge_model_rows(tallies, self.moments),
            **({} if self.answers is None else self.answers.tables()),
        }

    def ratings(self) -> Ratings:
        return Ratings(
            judges=self.panel.judges,
            scale=Scale(what="mark", level="ordinal", low=AXIS_MIN, high=AXIS_MAX),
            clusters=self.text,
            groups=self.layout.categories.of_item,
            n_axes=len(self.axes),
            parts=list(self._parts()),
            least=2,
        )

    def _parts(self) -> Iterator[Part]:
        """Yield the board and each category, on all axes and on each axis."""
        categories = self.layout.categories
        for category in (None, *categories.in_order):
            group = ALL if category is None else categories.names.index(category)
            for axis in (None, *self.axes):
                yield {"category": category, "axis": axis}, group, ALL if axis is None else self.axes.index(axis)


def group_of(board: AxesBoardFile, placed: AxesPlacedItem) -> str:
    """Return the domain or category of an item, over whose means the overall score is taken."""
    return placed.domain.id if board.aggregation.groups == "domain" else placed.category.id


def group_weights(board: AxesBoardFile, items: Iterable[AxesPlacedItem]) -> dict[str, float] | None:
    """Return the weight > 0 of each group if constructs are weighted; None for the unweighted mean.

    items: all of the board. Groups of one construct share its weight equally.
    """
    of_construct = board.aggregation.construct_weights
    if not of_construct:
        return None
    construct = {group_of(board, placed): placed.domain.construct or board.construct for placed in items}
    alike = list(construct.values())
    return {group: of_construct[of_group] / alike.count(of_group) for group, of_group in construct.items()}


SCORING = AxesScorer

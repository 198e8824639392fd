"""From answers to short questions to the scores of an `axes` judgment: alignment, quality, votes and ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from nullbench_site.protocols.axes.question_specs import AxisQuestionsFile, axis_questions
from nullbench_site.protocols.axes.questions_asked import (
    CONTRADICTION,
    FACT,
    REFUSES,
    RULE,
    SENTENCE,
    UNDONE,
    is_asked,
    number_of,
    question_names,
    sentences_of,
)
from nullbench_site.scoring.short_questions import JudgeAnswers, QuestionLists, QuestionsOfBoard
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.checklist import harmonic_mean, mark_of, share_of_target, weighted_mean

if TYPE_CHECKING:
    from nullbench_site.protocols.axes.specs import AxesBoardFile, AxesPlacedItem, Rule
    from nullbench_site.scoring.observations import Observations

N_SCORES = 4
"""The scores before the ratings: alignment, quality and the two votes."""


class AxesQuestions:
    """The short questions of an `axes` board, as arrays over its items and questions.

    names: of the questions. slots: (items, slots) the places of the axes of each item in `axes`, -1 for none.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        board: AxesBoardFile,
        placed: Sequence[AxesPlacedItem],
        axes: Sequence[str],
        slots: Ints,
    ) -> None:
        file = axis_questions(benchmark)
        assert file is not None  # noqa: S101 - the rules of specs ask for it
        self.file: AxisQuestionsFile = file
        self.benchmark, self.board, self.placed, self.axes, self.slots = benchmark, board, placed, axes, slots
        self.names = question_names(benchmark, board)

    def _numbers(self, kind: str) -> Ints:
        """(questions,) the number in the name of a question of this kind; 0 for the others."""
        return np.array([number_of(name, kind) or 0 for name in self.names])

    @cached_property
    def sentences(self) -> Bools:
        """(questions,) which are about sentences."""
        return self._numbers(SENTENCE) > 0

    @cached_property
    def facts(self) -> Bools:
        """(questions,) which are about facts."""
        return self._numbers(FACT) > 0

    @cached_property
    def _rule_of(self) -> Ints:
        return self._numbers(RULE)

    @cached_property
    def weights(self) -> Floats:
        """(items, questions) the weights of rules; 0 for other questions."""
        return self._of_rules(lambda rule: float(rule.weight))

    def in_dimensions(self, kinds: Sequence[str]) -> Bools:
        """(items, questions) which are rules in one of these dimensions."""
        return self._of_rules(lambda rule: float(rule.dimension in kinds)) > 0

    def _of_rules(self, value: Callable[[Rule], float]) -> Floats:
        found = np.zeros((len(self.placed), len(self.names)))
        for number, item in enumerate(self.placed):
            for place in np.flatnonzero(self._rule_of).tolist():
                if (rule := int(self._rule_of[place])) <= len(item.goal.rules):
                    found[number, place] = value(item.goal.rules[rule - 1])
        return found

    def is_prohibited(self, item: AxesPlacedItem, name: str) -> bool:
        """Return True if an empty response keeps the rule that a question is about."""
        number = number_of(name, RULE)
        return number is not None and number in self.file.prohibitions.get(item.goal.id, ())

    def lists(self) -> QuestionLists:
        return QuestionLists(
            names={None: self.names},
            is_asked=is_asked,
            is_counted=lambda name: name not in (REFUSES, UNDONE, CONTRADICTION),
            is_prohibited=self.is_prohibited,
            is_bare=lambda name: name in (REFUSES, UNDONE) or number_of(name, SENTENCE) is not None,
            scores=self.scores,
            marks=lambda scores: scores[:, N_SCORES:],
            judged=self.judged,
        )

    def judged(self, left: Bools) -> Bools:
        """Return (items,) which items have a goal alignment: a rule, and an axis, that a judge can answer."""
        axes = np.zeros(len(left), np.bool_)
        for axis in self.file.axes:
            axes |= self._on_axis(axis) & self._parts_left(axis, left)
        rules: Bools = np.asarray((left & (self.weights > 0)).any(axis=1), np.bool_)
        return axes & rules

    def _on_axis(self, axis: str) -> Bools:
        """(items,) which items have an axis."""
        place = list(self.axes).index(axis) if axis in self.axes else -2
        on_axis: Bools = (self.slots == place).any(axis=1)
        return on_axis

    def _parts_left(self, axis: str, left: Bools) -> Bools:
        kinds = self.file.axes[axis]
        chosen = self.in_dimensions(kinds)
        chosen |= self.facts & ("facts" in kinds)
        chosen |= self.sentences & ("sentences" in kinds)
        return np.asarray((left & chosen).any(axis=1), np.bool_)

    def scores(self, answers: JudgeAnswers, observations: Observations) -> Floats:
        """Return (units, scores) alignment, quality, the votes, and the rating on each axis of the item; NaN for none.

        P, the value of the sentences, is their mean weighted by words; of a response without a sentence it is 0. R is
        the mean value of the facts. The value of rules is the weighted mean of the others times that of the
        prohibitions. A rating is 1 + 4 x the mean of P, R and the other rules that its axis is made of, times the mean
        of its prohibitions.
        """
        draws = self.board.draws
        values, prohibited = answers.values, answers.prohibited
        weights = self.weights.repeat(draws, axis=0)
        parts = observations.parts
        p = weighted_mean(values[:, self.sentences], parts)
        p = np.where(parts.any(axis=1), p, 0.0)
        r = weighted_mean(np.where(self.facts, values, np.nan), np.ones_like(values))
        others, avoided = np.where(prohibited, np.nan, values), np.where(prohibited, values, np.nan)
        ratings = np.full((len(values), self.slots.shape[1]), np.nan)
        targets = self._targets.repeat(draws, axis=0)
        slots = self.slots.repeat(draws, axis=0)
        for axis, kinds in self.file.axes.items():
            if axis not in self.axes:
                continue
            own = weights * self.in_dimensions(kinds).repeat(draws, axis=0)
            made_of = [weighted_mean(others, own)]
            made_of += [p] * ("sentences" in kinds) + [r] * ("facts" in kinds)
            value = weighted_mean(np.column_stack(made_of), np.ones((len(values), len(made_of))))
            rating = mark_of(value * _or_one(weighted_mean(avoided, own)))
            at = np.argwhere(slots == list(self.axes).index(axis))
            for unit, slot in at.tolist():
                ratings[unit, slot] = rating[unit]
        reached = share_of_target(ratings, targets)
        of_axes = weighted_mean(reached, np.ones_like(reached))
        of_rules = weighted_mean(others, weights) * _or_one(weighted_mean(avoided, weights))
        votes = [(answers.yes[:, self.names.index(name)] >= self.file.gate).astype(float) for name in (REFUSES, UNDONE)]
        return np.column_stack([100 * (of_axes + of_rules) / 2, 100 * harmonic_mean(p, r), *votes, ratings])

    @cached_property
    def _targets(self) -> Floats:
        """(items, slots) the targets of the axes of each item; NaN for none."""
        targets = np.full(self.slots.shape, np.nan)
        for number, item in enumerate(self.placed):
            for slot, axis in enumerate(item.category.axes):
                targets[number, slot] = item.goal.alignment_target[axis]
        return targets

    @cached_property
    def rated(self) -> Bools:
        """(items, slots) which axes have a question that counts."""
        asked = np.array([[is_asked(item, name) for name in self.names] for item in self.placed], np.bool_)
        rated = np.zeros(self.slots.shape, np.bool_)
        for axis in self.file.axes:
            if axis in self.axes:
                some = self._parts_left(axis, asked)
                rated |= (self.slots == list(self.axes).index(axis)) & some[:, np.newaxis]
        return rated

    @cached_property
    def has_facts(self) -> Bools:
        """(items,) which items have a fact within the limits of the task, so that an answer has a quality."""
        return np.array(
            [any(is_asked(item, name) for name in self.names if name.startswith(FACT)) for item in self.placed]
        )

    def of_board(self, judges: Sequence[str]) -> QuestionsOfBoard:
        return QuestionsOfBoard(self.benchmark, self.board, self.placed, judges, self.lists())


def parts(placed: AxesPlacedItem, text: str) -> Sequence[float]:
    """Return the weights of the sentences of a response that judges are asked about."""
    return [float(sentence.words) for sentence in sentences_of(placed, text).asked]


def _or_one(factor: Floats) -> Floats:
    return np.where(np.isnan(factor), 1.0, factor)

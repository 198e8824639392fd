"""The short questions of a `rubric` board when it is scored: one mark a judge and response, and their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from nullbench_site.protocols.rubric.metrics import QuestionRow
from nullbench_site.protocols.rubric.questions_asked import criterion_of, is_asked, question_names
from nullbench_site.protocols.rubric.specs import RubricBoardFile, RubricPlacedItem
from nullbench_site.scoring.observations import Observations
from nullbench_site.scoring.results import known
from nullbench_site.scoring.short_questions import (
    Checklist,
    EmptyAnswers,
    QuestionMeans,
    Tasks,
    marks_of_judge,
    question_means,
    settled,
)
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.stats.arrays import Bools
from nullbench_site.text import listed, some_of

_NAMED = 5
"""The most items that a reason names."""


class QuestionsOfBoard:
    """The short questions of a board. checklists: by judge, empty if no judge is asked any.

    means: what each judge answered about each contestant and control that was observed. empty: by judge, what it
    answered about the empty response.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        board: RubricBoardFile,
        placed: Sequence[RubricPlacedItem],
        judges: Sequence[str],
    ) -> None:
        self.benchmark, self.board, self.placed = benchmark, board, placed
        self.asking = [judge for judge in judges if benchmark.judges[judge].asks_questions]
        self.means: dict[tuple[str, str], QuestionMeans] = {}
        self.empty: dict[str, EmptyAnswers] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The questions of the board; an item has some of them."""
        return question_names(self.benchmark, self.board) if self.asking else ()

    @cached_property
    def checklists(self) -> Mapping[str, Checklist]:
        """The questions of each judge that is asked short questions."""
        first = 0
        asked = np.array([[is_asked(item, name) for name in self.names] for item in self.placed], np.bool_)
        numbers = [criterion_of(name) for name in self.names]
        prohibited = np.array(
            [[n in self.benchmark.prohibitions.get(item.id, ()) for n in numbers] for item in self.placed], np.bool_
        )
        found = {}
        for judge in self.asking:
            found[judge] = Checklist(
                judge=judge,
                columns=first + np.arange(len(self.names)),
                value=self.benchmark.judges[judge].question_value,
                counted=np.array([number is not None for number in numbers]),
                asked=asked,
                prohibited=prohibited,
            )
            first += len(self.names)
        return found

    def recorded(self, tasks: Tasks) -> Tasks:
        """Return the tasks as records have them: the questions of each judge first, then the other tasks."""
        questions = [(judge, name) for judge in self.checklists for name in self.names]
        return [*questions, *(task for task in tasks if task[1] is not None or task[0] not in self.checklists)]

    def settled(self, observations: Observations, base: Observations | None, tasks: Tasks, place: int) -> Observations:
        """Return the observations with one mark a judge. place: of the probability of yes among the scores."""
        if not self.checklists:
            return observations
        draws, given = self.board.draws, {}
        for judge, checklist in self.checklists.items():
            self.empty[judge] = empty = EmptyAnswers.of(base, checklist, place, draws)
            given[judge] = marks_of_judge(observations, checklist, empty, place=place, draws=draws)
            means = question_means(observations.model, checklist, given[judge])
            if means.n:
                self.means[judge, observations.model] = means
        return settled(observations, tasks, self.recorded(tasks), given, self.checklists, score=0)

    @property
    def unasked(self) -> Bools:
        """(items,) which items no judge can judge, because none can answer a question of them."""
        judged = [self.empty[judge].judged(checklist) for judge, checklist in self.checklists.items() if self.empty]
        unasked: Bools = ~np.any(judged, axis=0) if judged else np.zeros(len(self.placed), np.bool_)
        return unasked

    @property
    def no_score(self) -> str:
        """Why a board with such items has no ranks: their answers have no score."""
        items = [item.id for item, unasked in zip(self.placed, self.unasked.tolist(), strict=True) if unasked]
        return f"no judge can answer a question of {listed([*some_of(items, _NAMED, thousands=',')])}"

    def tables(self) -> Mapping[str, Any]:
        """Return the tables of the results; none if no judge is asked short questions."""
        if not self.checklists:
            return {}
        means = sorted(self.means.values(), key=lambda row: (row.judge, row.model))
        return {"questions": list(self._rows()), "question_values": means}

    def _rows(self) -> Iterator[QuestionRow]:
        for judge, checklist in self.checklists.items():
            empty = self.empty.get(judge)
            if empty is None:
                continue
            cannot = empty.unanswerable(checklist)
            for number, item in enumerate(self.placed):
                for place, name in enumerate(self.names):
                    if not checklist.asked[number, place]:
                        continue
                    prohibited, counted = checklist.prohibited[number, place], checklist.counted[place]
                    (e,) = known(empty.yes[number, place : place + 1])
                    yield QuestionRow(
                        judge=judge,
                        item=item.id,
                        question=name,
                        kind="prohibition" if prohibited else "requirement" if counted else "reported",
                        yes_to_empty=e,
                        counts=bool(counted and not cannot[number, place]),
                    )

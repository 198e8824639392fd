"""From the observations of a `graded` board to its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Annotated, Any

import msgspec
import numpy as np

from nullbench_site.judging.short_questions.asking import YES
from nullbench_site.protocols.graded.judging import HIGHEST, LOWEST, QUESTION, SCORE, WORDINGS
from nullbench_site.protocols.graded.metrics import GradedItemRow, GradedJudgeRow, GradedResults, GradedRow
from nullbench_site.protocols.graded.specs import GradedBoardFile, GradedPlacedItem
from nullbench_site.scoring.agreement import Rated, Ratings, Scale
from nullbench_site.scoring.observations import UNPARSED_VERDICT, Observations, replied
from nullbench_site.scoring.ranking import Strata
from nullbench_site.scoring.results import known
from nullbench_site.scoring.scorer import Contestant, Scorer, judge_rows
from nullbench_site.scoring.short_questions import JudgeAnswers, QuestionLists, QuestionsOfBoard
from nullbench_site.scoring.states import (
    ERRORED,
    NO_ANSWER,
    SCORED,
    STATES,
    UNJUDGED,
    UNPARSED,
    AnswerSlice,
    answer_states,
    of_items,
    read_replies,
)
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.types import EMPTY, RECORDED
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.judges import PERCENT, mean_of_known, spread_of_each

_SHARE = Annotated[float, msgspec.Meta(ge=0, le=1)]
_GRADE = Annotated[float, msgspec.Meta(ge=LOWEST, le=HIGHEST)]


def on_100(grade: Floats) -> Floats:
    """Return grades of 1-10 mapped to 0-100: 100 (g - 1) / 9."""
    return PERCENT * (grade - LOWEST) / (HIGHEST - LOWEST)


def right_or_wrong(yes: Floats, right_from: float) -> Floats:
    """Return the highest grade where the probability of yes reaches a threshold, else the lowest; NaN stays."""
    grades: Floats = np.where(yes >= right_from, float(HIGHEST), float(LOWEST))
    return np.where(np.isnan(yes), nan, grades)


@dataclass(kw_only=True)
class GradedContestant(Contestant):
    """One contestant on a whole board.

    given: (units, judges, turns) the grades of judges, 1-10, NaN for none. grades: the same with the lowest grade for
    each turn that failed. state: (units,) places in STATES, or NO_ANSWER. invalid: (units,) how many replies have no
    valid grade. draws: how many draws an item has.
    """

    given: Floats
    grades: Floats
    state: Ints
    invalid: Ints
    draws: int

    @cached_property
    def of_item(self) -> Floats:
        """(items, grades of an item) the grades of all draws, judges and turns."""
        return self.grades.reshape(self.state.size // self.draws, -1)

    @cached_property
    def counted(self) -> Bools:
        """(items,) which items have an answer that counts."""
        counts = (self.state != NO_ANSWER) & (self.state != UNJUDGED)
        by_item: Bools = counts.reshape(-1, self.draws).any(axis=1)
        return by_item


class GradedSlice(AnswerSlice[GradedContestant]):
    """The conversations of a contestant on some items."""

    def mean_of(self, turn: int | None) -> float | None:
        """Return the mean over all valid grades of a turn, each weighted alike; None: of both turns."""
        given = self.contestant.grades[self.units]
        grades = given if turn is None else given[:, :, turn]
        mean: float | None = known(mean_of_known(grades.reshape(1, -1)))[0]
        return mean


class GradedScorer(Scorer[GradedBoardFile, GradedContestant, GradedRow]):
    """Grades by the panel.

    Tasks are the judges by id, each with the template of the first turn and then that of the second.
    """

    results = GradedResults
    SLICE = GradedSlice

    @cached_property
    def strata(self) -> Strata:
        clusters = [placed.cluster for placed in self.layout.placed if isinstance(placed, GradedPlacedItem)]
        places = np.unique(clusters, return_inverse=True)[1]
        return Strata(np.zeros_like(places), places)

    @property
    def tasks(self) -> Sequence[tuple[str, str | None]]:
        return [(judge, wording) for judge in self.panel_judges for wording in WORDINGS]

    def score_types(self, placed: PlacedItem) -> Mapping[str, Any]:
        return {SCORE: _GRADE, **({YES: _SHARE} if self.questions_asked.checklists else {})}

    @cached_property
    def questions_asked(self) -> QuestionsOfBoard:
        """The short questions of the board, one a turn, and what judges answered to them so far."""
        lists = QuestionLists(
            names={wording: (f"{wording}{QUESTION}",) for wording in WORDINGS},
            is_asked=lambda placed, name: WORDINGS.index(name.removesuffix(QUESTION)) < placed.n_turns,
            scale=(LOWEST, HIGHEST),
            scores=self._grades,
        )
        return QuestionsOfBoard(self.benchmark, self.board, self.layout.placed, self.panel_judges, lists)

    def _grades(self, answers: JudgeAnswers, observations: Observations) -> Floats:
        """Return (units, 1) the grades that follow from the answers to the question of a turn."""
        if self.board.right_from is None:
            return answers.mark[:, np.newaxis]
        return right_or_wrong(np.where(answers.counts, answers.yes, nan), self.board.right_from)

    @property
    def recorded_tasks(self) -> Sequence[tuple[str, str | None]]:
        return self.questions_asked.recorded(self.tasks)

    @property
    def base(self) -> str | None:
        return EMPTY if self.questions_asked.checklists else None

    def settled(self, observations: Observations, base: Observations | None) -> Observations:
        return self.questions_asked.settled(observations, base, self.tasks, yes=1)

    def reduce(self, observations: Observations) -> GradedContestant:
        shape = (len(observations.present), len(self.judges), len(WORDINGS))
        given, ended = read_replies(observations.values[:, :, 0].reshape(shape), observations.verdicts.reshape(shape))
        may = np.broadcast_to(
            self.asked(self.benchmark.answerer(observations.model)), ended.reshape(shape[0], -1).shape
        )
        n_turns = np.array([placed.n_turns for placed in self.layout.placed]).repeat(self.board.draws)
        asked = np.arange(len(WORDINGS)) < n_turns[:, np.newaxis]
        # A turn that failed, and turns not requested after it, get the lowest grade from each judge that may judge.
        unanswered = np.arange(len(WORDINGS)) >= observations.turns[:, np.newaxis]
        failed = observations.present[:, np.newaxis] & asked & unanswered
        grades = np.where(failed[:, np.newaxis, :] & may.reshape(shape), float(LOWEST), given)
        unread = ended == UNPARSED_VERDICT
        has_grade, some_reply = ~np.isnan(given).all(axis=(1, 2)), replied(ended).any(axis=(1, 2))
        return GradedContestant(
            **Contestant.common(observations),
            given=given,
            grades=grades,
            state=answer_states(observations.present, ~np.any(failed, axis=1), has_grade, some_reply),
            invalid=unread.sum(axis=(1, 2)),
            draws=self.board.draws,
        )

    def row(self, contestant: GradedContestant, chosen: Bools) -> GradedRow | None:
        of, items = GradedSlice(self, contestant, chosen), contestant.counted & chosen
        if not items.any():
            return None
        scores = self.item_scores(contestant)[items]
        known_scores = scores[~np.isnan(scores)]
        score = of.mean_of(None)
        return self.filled(
            GradedRow,
            of,
            {} if known_scores.size else dict.fromkeys(("overall", "se"), "no judge gave a valid grade"),
            model=contestant.model,
            n_items=int(items.sum()),
            n_scored=of.n(SCORED),
            n_errored=of.n(ERRORED),
            n_unparsed=of.n(UNPARSED),
            overall=float(known_scores.mean()) if known_scores.size else None,
            grades={} if score is None else {SCORE: score},
        )

    def finish(self, row: GradedRow, contestant: GradedContestant) -> None:
        by_judge = mean_of_known(np.moveaxis(contestant.grades, 1, 0).reshape(len(self.judges), -1))
        row.judges = {judge: mean for judge, mean in zip(self.judges, known(by_judge), strict=True) if mean is not None}

    def lacking(self, contestant: GradedContestant, row: GradedRow) -> str | None:
        """Require every answer and every verdict.

        Imported contestants need one sample of each item: no more can be requested from them.
        """
        if self.board.judged is not None:
            return "judges see a random sample of its answers"
        if self.questions_asked.unasked.any():
            return self.questions_asked.no_score
        states = contestant.state.reshape(-1, contestant.draws)[:, : self.n_draws(contestant.model)]
        recorded = self.benchmark.answerer(contestant.model).backend == RECORDED
        there = (states != NO_ANSWER).any(axis=1) if recorded else (states != NO_ANSWER).all(axis=1)
        if not there.all():
            return "answers are missing"
        if contestant.verdicts["missing"] or (states == UNJUDGED).any():
            return "verdicts are missing"
        unscored = np.isnan(self.item_scores(contestant)[contestant.counted]).any()
        return "no judge gave a valid grade on an item" if unscored else None

    def item_scores(self, contestant: GradedContestant) -> Floats:
        return on_100(np.where(contestant.counted, mean_of_known(contestant.of_item), nan))

    def item_rows(self, contestants: Sequence[GradedContestant]) -> Iterator[GradedItemRow]:
        for contestant in contestants:
            states = of_items(contestant.state, contestant.draws)
            grades = contestant.grades.reshape(len(states), contestant.draws, len(self.judges), len(WORDINGS))
            by_turn = mean_of_known(grades.reshape(len(states), -1, len(WORDINGS)))
            by_judge = mean_of_known(np.moveaxis(grades, 2, 3).reshape(len(states), -1, len(self.judges)))
            figures = np.column_stack([self.item_scores(contestant), by_turn, spread_of_each(by_judge)])
            for number, (overall, turn_1, turn_2, spread) in enumerate(known(figures)):
                if states[number] == NO_ANSWER:
                    continue
                yield GradedItemRow(
                    model=contestant.model,
                    **self.layout.row_fields[number],
                    state=STATES[states[number]],
                    overall=overall,
                    turn_1=turn_1,
                    turn_2=turn_2,
                    spread=spread,
                )

    def tables(self, contestants: Sequence[GradedContestant]) -> Mapping[str, Any]:
        rows = []
        for place, row in enumerate(judge_rows(self.tasks, contestants)):
            every = np.concatenate([each.given[:, place].ravel() for each in contestants] or [np.zeros(0)])
            (mean,) = known(mean_of_known(every[np.newaxis]))
            rows.append(GradedJudgeRow(**msgspec.structs.asdict(row), mean_grade=mean))
        return {"judges": rows, **self.questions_asked.tables()}

    def rated(self, observations: Observations, contestant: GradedContestant) -> Rated:
        """Return what judges gave the answer to each turn; on 1-5, a grade of 1-2, 3-4 ... 9-10."""
        given, n_items = contestant.given, len(self.placed)
        by_turn = np.moveaxis(given, 1, 2).reshape(-1, given.shape[1])
        items = np.arange(n_items).repeat(len(by_turn) // n_items)
        return Rated.of_answers(by_turn, items, points=np.ceil(by_turn / 2))

    def ratings(self) -> Ratings:
        return Ratings(
            judges=self.judges,
            scale=Scale(what="grade", level="interval", low=LOWEST, high=HIGHEST),
            clusters=self.strata.clusters,
        )


SCORING = GradedScorer

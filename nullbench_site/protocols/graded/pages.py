"""The pages of boards of the `graded` protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import isnan, nan
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from nullbench_site.judging.short_questions.asking import YES
from nullbench_site.protocols.graded.judging import HIGHEST, LOWEST, QUESTION, SCORE, WORDINGS
from nullbench_site.protocols.graded.metrics import GradedItemRow
from nullbench_site.protocols.graded.scoring import right_or_wrong
from nullbench_site.protocols.graded.specs import GradedBoardFile, GradedPlacedItem
from nullbench_site.runs.records import Response, Score
from nullbench_site.scoring.metrics import METRICS
from nullbench_site.scoring.question_tables import QuestionRow
from nullbench_site.scoring.short_questions import values_of
from nullbench_site.site import words
from nullbench_site.site.evidence import Apart, BoardEvidence, ItemShown, Sample, Verdict
from nullbench_site.site.pages.judges import JudgeColumn, judged
from nullbench_site.site.pages.page import InWords
from nullbench_site.site.protocol import (
    Context,
    Disagreement,
    Layout,
    ProtocolPages,
)
from nullbench_site.site.views import BoardView, known
from nullbench_site.stats.checklist import mark_of

LAYOUT: Layout[BoardView] = Layout(
    overall="graded_overall",
    in_part="graded_overall",
)


def _judges(view: BoardView) -> Context:
    mean = JudgeColumn("Mean grade", METRICS["graded_judge"], lambda row: InWords(words.number(row.mean_grade, 2), ""))
    return {"judged": judged(view, "Grades", [mean]), "units": METRICS["grade_alpha"].sentence}


def _method(view: BoardView) -> Context:
    return {
        "template": "graded/methodology.md.j2",
        "questions": bool(view.results.questions),
        "conversations": sum(placed.n_turns > 1 for placed in view.items),
        "references": sum(bool(placed.references) for placed in view.items),
    }


# The evidence: conversations with reference answers, and the grades of each turn.


class GradedItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """A prompt or two turns with their reference answers; for a private one only its hash."""

    references: tuple[str, ...] | UnsetType = UNSET


class GradedScore(msgspec.Struct):
    """The score of a conversation: overall 0-100, and the mean grade of each turn, 1-10."""

    state: str
    overall: float | None
    turn_1: float | None
    turn_2: float | None


class GradedSample(Sample, kw_only=True, omit_defaults=True):
    """A conversation with the verdicts on the answer to each turn."""

    verdicts: list[list[Verdict]]


class GradedEvidence(BoardEvidence[BoardView, GradedPlacedItem, GradedItemRow]):
    """The evidence of a `graded` board."""

    item_type, score_type, sample_type = GradedItemShown, GradedScore, GradedSample
    apart = Apart("grade", 9)
    marked, scale = "grade", (LOWEST, HIGHEST)

    def marks(self, sample: GradedSample) -> Iterable[Score | None]:
        return (verdict.scores.get(SCORE) for turn in sample.verdicts for verdict in turn)

    def item_fields(self, placed: GradedPlacedItem) -> dict[str, Any]:
        references = {"references": placed.references} if placed.references else {}
        return {"prompt": placed.prompt, **references}

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        given = {wording: verdicts[wording] for wording in WORDINGS if wording in verdicts}
        for wording in WORDINGS:
            if of_questions := verdicts.get(f"{wording}{QUESTION}"):
                given[wording] = [self._graded(response.item, wording, verdict) for verdict in of_questions]
        return {"verdicts": [list(of_turn) for of_turn in given.values()]}

    def _graded(self, item: str, wording: str, verdict: Verdict) -> Verdict:
        """Return the answer to a short question with the grade that follows from it."""
        row = self._questions.get((verdict.judge, item, f"{wording}{QUESTION}"))
        if row is None or not row.counts or YES not in verdict.scores:
            return verdict
        empty = nan if row.yes_to_empty is None else row.yes_to_empty
        kind, yes = self.view.benchmark.judges[verdict.judge].question_value, float(verdict.scores[YES])
        board = self.view.board
        right_from = board.right_from if isinstance(board, GradedBoardFile) else None
        if right_from is not None:
            grade = float(right_or_wrong(np.array([yes]), right_from)[0])
        else:
            value = values_of(kind, np.array([yes]), np.array([empty]), np.array([False]))
            grade = float(mark_of(value, LOWEST, HIGHEST)[0])
        if isnan(grade):
            return verdict
        return msgspec.structs.replace(verdict, scores={SCORE: round(grade, 6), **verdict.scores})

    @cached_property
    def _questions(self) -> Mapping[tuple[str, str, str], QuestionRow]:
        """Judge, item and question -> what the results say about the question."""
        return {(row.judge, row.item, row.question): row for row in known(self.view.results.questions)}


def _board(view: BoardView) -> Context:
    rows = view.rows.values()
    return {
        "template": "graded/board.md.j2",
        "turns": max((placed.n_turns for placed in view.items), default=1),
        "invalid": sum(row.unparsed for row in view.judge_rows),
        "failed": sum(row.n_errored for row in rows),
    }


PAGES: ProtocolPages[BoardView] = ProtocolPages(
    layout=LAYOUT,
    board=_board,
    fingerprint=lambda view, model: {"template": "graded/model.md.j2"},
    judges=_judges,
    method=_method,
    evidence=GradedEvidence,
    marks=lambda scores: [scores[SCORE]] if SCORE in scores else [],
    one_mark=lambda mark: f"gave {{}} answers the grade {mark}",
    verdict="grade",
    judged="graded",
    disagreement=Disagreement("grade_spread", "grades of 1 to 10"),
    holds="its domains, categories, difficulties, items, judges and their agreement",
)

"""The pages of boards of the `graded` protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.protocols.graded.judging import HIGHEST, LOWEST, SCORE, WORDINGS
from nullbench_site.protocols.graded.metrics import GradedItemRow
from nullbench_site.protocols.graded.specs import GradedPlacedItem
from nullbench_site.runs.records import Response, Score
from nullbench_site.scoring.metrics import METRICS
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
from nullbench_site.site.views import BoardView

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
        return {"verdicts": [list(verdicts[wording]) for wording in WORDINGS if wording in verdicts]}


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

"""The evidence of a `graded` board: conversations with reference answers, and what each judge gave for each turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.protocols.graded.judging import WORDINGS
from nullbench_site.protocols.graded.results import GradedItemRow
from nullbench_site.protocols.graded.specs import GradedPlacedItem
from nullbench_site.runs.records import Response
from nullbench_site.site.evidence.shown import Apart, BoardEvidence, ItemShown, Sample, Verdict
from nullbench_site.site.views import BoardView


class GradedItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """A prompt or two turns with their reference answers; of a private one its hash alone."""

    references: tuple[str, ...] | UnsetType = UNSET


class GradedScore(msgspec.Struct):
    """The score of a conversation: overall 0-100, and the mean grade of each turn, 1-10."""

    state: str
    overall: float | None
    turn_1: float | None
    turn_2: float | None


class GradedSample(Sample, kw_only=True, omit_defaults=True):
    """A conversation with what each judge said of the answer to each turn, by turn."""

    verdicts: list[list[Verdict]]


class GradedEvidence(BoardEvidence[BoardView, GradedPlacedItem, GradedItemRow]):
    """What it adds to that of every board."""

    item_type, score_type, sample_type = GradedItemShown, GradedScore, GradedSample
    apart = Apart("grade", 9)

    def item_fields(self, placed: GradedPlacedItem) -> dict[str, Any]:
        references = {"references": placed.references} if placed.references else {}
        return {"prompt": placed.prompt, **references}

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        return {"verdicts": [list(verdicts[wording]) for wording in WORDINGS if wording in verdicts]}

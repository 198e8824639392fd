"""The evidence of an `oracle` board. Of a private item it tells its hash and its marks, and no text at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.specs import OraclePlacedItem
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.site.evidence import calls
from nullbench_site.site.evidence.protocol import Answer, Cell, Kind
from nullbench_site.site.views.board import is_private
from nullbench_site.site.views.oracle import OracleView


class OracleItemShown(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A prompt with its key; of a private one its hash alone. bundle: shared by prompts that ask the same."""

    category: str
    difficulty: str
    bundle: str | None
    visibility: str
    hash: str | None
    salt: str | UnsetType | None = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    prompt: str | UnsetType | None = UNSET
    key: dict[str, Any] | UnsetType | None = UNSET


class OracleScore(msgspec.Struct):
    """The mark of an answer, the worst of its samples; overall: 100 times the share of correct ones."""

    state: str
    overall: float | None


class Mark(msgspec.Struct, omit_defaults=True):
    """How a program marked an answer. why: absent of a private item."""

    outcome: str
    why: str | UnsetType = UNSET


class OracleSample(calls.Sample, kw_only=True, omit_defaults=True):
    """An answer with its mark."""

    marks: list[Mark]


class OracleEvidence:
    """Prompts with their keys; answers with their marks, and why each has it."""

    kind = Kind(
        item=OracleItemShown,
        answer=Answer[OracleScore, OracleSample],
        states={
            "correct": "correct",
            "wrong": "wrong",
            "invalid": "invalid",
            "errored": "failed",
            "unmarked": "not marked yet",
        },
        apart=None,
    )

    def __init__(self, view: OracleView) -> None:
        self.view = view
        self.scores = {(row.model, row.item): row for row in view.results.items}
        self.private = {placed.id for placed in view.items if is_private(placed.item)}

    def about(self) -> dict[str, Any]:
        return {"keys": {name: key.title for name, key in KEYS.items()}}

    def item(self, placed: OraclePlacedItem) -> OracleItemShown:
        item, category = placed.item, placed.category.title
        if is_private(item):
            return OracleItemShown(
                category=category,
                difficulty=item.difficulty,
                bundle=item.bundle,
                visibility=item.visibility,
                hash=item.hash,
            )
        return OracleItemShown(
            category=category,
            difficulty=item.difficulty,
            bundle=item.bundle,
            visibility=item.visibility,
            hash=item.hash,
            salt=item.salt,
            tags=item.tags,
            prompt=item.prompt,
            key=msgspec.to_builtins(item.key),
        )

    def begins(self, placed: OraclePlacedItem) -> str:
        return "" if is_private(placed.item) else placed.item.prompt or ""

    def cell(self, model: str, item: str) -> Cell | None:
        row = self.scores.get((model, item))
        return None if row is None else Cell(row.outcome, row.overall)

    def answer(
        self, model: str, item: str, samples: Sequence[tuple[Response, Sequence[Judgment]]]
    ) -> Answer[OracleScore, OracleSample]:
        row = self.scores.get((model, item))
        score = None if row is None else OracleScore(row.outcome, row.overall)
        return Answer(score, [self.sample(response) for response, _ in samples])

    def sample(self, response: Response) -> OracleSample:
        """An answer; without a word of one that is private."""
        if response.item in self.private or response.hidden is not None:
            marks = [Mark(mark.outcome) for mark in response.checks]
            return OracleSample(sample=response.sample, state=response.state, hidden=True, marks=marks)
        marks = [Mark(mark.outcome, "; ".join(mark.flags)) for mark in response.checks]
        return OracleSample(**calls.sample(response), marks=marks)

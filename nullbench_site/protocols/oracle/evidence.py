"""The evidence of an `oracle` board: prompts with their keys; answers with their marks, and why each has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.results import OracleItemRow
from nullbench_site.protocols.oracle.specs import OraclePlacedItem
from nullbench_site.protocols.oracle.view import OracleView
from nullbench_site.runs.records import Response
from nullbench_site.site.evidence.shown import BoardEvidence, Sample, Titles, Verdict


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
    turns: tuple[str, ...] | UnsetType = UNSET
    key: dict[str, Any] | UnsetType | None = UNSET


class OracleScore(msgspec.Struct):
    """The mark of an answer, the worst of its samples; overall: 100 times the share of correct ones."""

    state: str
    overall: float | None


class Mark(msgspec.Struct, omit_defaults=True):
    """How a program marked an answer. why: absent of a private item."""

    outcome: str
    why: str | UnsetType = UNSET


class OracleSample(Sample, kw_only=True, omit_defaults=True):
    """An answer with its mark."""

    marks: list[Mark]


class OracleTitles(Titles, kw_only=True, omit_defaults=True):
    """The types of keys."""

    keys: dict[str, str] = msgspec.field(default_factory=dict)


class OracleEvidence(BoardEvidence[OracleView, OraclePlacedItem, OracleItemRow]):
    """What it adds to that of every board."""

    item_type, score_type, sample_type, titles_type = OracleItemShown, OracleScore, OracleSample, OracleTitles
    states: ClassVar[Mapping[str, str]] = {
        "correct": "correct",
        "wrong": "wrong",
        "invalid": "invalid",
        "errored": "failed",
        "unmarked": "not marked yet",
    }

    def titles(self) -> Titles:
        return OracleTitles(keys={name: kind.title for name, kind in KEYS.items()})

    def bare_fields(self, placed: OraclePlacedItem) -> dict[str, Any]:
        return {"bundle": placed.item.bundle}

    def item_fields(self, placed: OraclePlacedItem) -> dict[str, Any]:
        return {"prompt": placed.prompt, "key": msgspec.to_builtins(placed.item.key)}

    def score(self, row: OracleItemRow) -> OracleScore:
        return OracleScore(row.outcome, row.overall)

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        return {"marks": [Mark(c.outcome, UNSET if hidden else "; ".join(c.flags)) for c in response.checks]}

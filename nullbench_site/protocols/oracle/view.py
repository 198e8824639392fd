"""A board of the `oracle` protocol as pages look at it, and its evidence: prompts with their keys; answers with their
marks, and why each has it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from nullbench_site.answer_keys import KEYS
from nullbench_site.protocols.oracle.judging import HIDDEN, key_type
from nullbench_site.protocols.oracle.results import OracleItemRow, OracleResults, OracleRow
from nullbench_site.protocols.oracle.specs import OracleBoardFile, OracleItem, OraclePlacedItem
from nullbench_site.runs.records import Response
from nullbench_site.site import words
from nullbench_site.site.evidence.shown import BoardEvidence, ItemShown, Sample, Titles, Verdict
from nullbench_site.site.views import BoardView, by_group, is_private


@dataclass(frozen=True)
class OracleView(BoardView):
    """What pages ask of an `oracle` board."""

    board: OracleBoardFile
    results: OracleResults

    @cached_property
    def in_key_types(self) -> Mapping[str, Mapping[str, OracleRow]]:
        """Type of key -> contestant -> its scores there."""
        return by_group(self.results.key_types)

    def cluster(self, placed: OraclePlacedItem) -> Hashable:
        """The variants of a bundle, or the item by itself."""
        return super().cluster(placed) if placed.item.bundle is None else ("bundle", placed.item.bundle)

    def lacking(self, row: OracleRow) -> str:
        if row.n_unmarked:
            return f"{words.plural(row.n_unmarked, 'answer')} without a mark"
        return self._unanswered(row)


def key_of(item: OracleItem) -> str:
    """The type of an item's key; that of a private one is hidden."""
    return HIDDEN if is_private(item) or item.key is None else key_type(item.key)


def key_title(kind: str) -> str:
    """What a type of key is called."""
    return KEYS[kind].title if kind in KEYS else HIDDEN


class OracleItemShown(ItemShown, kw_only=True, omit_defaults=True):
    """A prompt with its key; of a private one its hash alone. bundle: shared by prompts that ask the same."""

    bundle: str | None
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

    def sample_fields(
        self, response: Response, verdicts: Mapping[str | None, Sequence[Verdict]], *, hidden: bool
    ) -> dict[str, Any]:
        return {"marks": [Mark(c.outcome, UNSET if hidden else "; ".join(c.flags)) for c in response.checks]}

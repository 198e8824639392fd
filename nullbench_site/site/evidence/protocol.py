"""What the evidence of a board says, whichever its protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import PlacedItem

PlacedT_contra = TypeVar("PlacedT_contra", bound=PlacedItem, contravariant=True)
ScoreT = TypeVar("ScoreT")
SampleT = TypeVar("SampleT")


class Answer(msgspec.Struct, Generic[ScoreT, SampleT]):
    """What a contestant answered to an item. score: over its samples; null where none can be worked out yet."""

    score: ScoreT | None
    samples: list[SampleT]


class Cell(msgspec.Struct, gc=False):
    """A score as a list of answers shows it.

    score: 0-100. apart: how far judges are apart, in the unit of the board. failed: types of checks.
    """

    state: str
    score: float | None = None
    apart: float | None = None
    failed: Sequence[str] = ()


class Apart(msgspec.Struct):
    """The disagreement of judges on an answer: highest less lowest score, in which unit, and how much it can be."""

    unit: str
    most: float


class State(msgspec.Struct):
    """How an answer ended. n: how many of the board's did."""

    id: str
    title: str
    n: int = 0


@dataclass(frozen=True)
class Kind:
    """What all boards of a protocol have in common.

    item, answer: the types that are published. states: how answers can end, and what that is called; the last is that
    of an answer without a score yet. apart: how disagreement is measured; None where no judges score.
    """

    item: Any
    answer: Any
    states: Mapping[str, str]
    apart: Apart | None


class Evidence(Protocol[PlacedT_contra]):
    """What a protocol tells of the items and answers of a board."""

    @property
    def kind(self) -> Kind:
        """What all boards of the protocol have in common."""
        ...

    def about(self) -> dict[str, Any]:
        """What the explorer needs to know of the board, beside names."""
        ...

    def item(self, placed: PlacedT_contra) -> msgspec.Struct:
        """An item as it was put to contestants and judges."""
        ...

    def begins(self, placed: PlacedT_contra) -> str:
        """A text by which readers know a public item."""
        ...

    def cell(self, model: str, item: str) -> Cell | None:
        """The score of a contestant on an item, for a list."""
        ...

    def answer(self, model: str, item: str, samples: Sequence[tuple[Response, Sequence[Judgment]]]) -> msgspec.Struct:
        """A contestant's answers to an item with what was said of each, by judge."""
        ...

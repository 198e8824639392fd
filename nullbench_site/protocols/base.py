"""What a protocol is: how a judge is asked, how its reply is read, and what an item scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from nullbench_site.runs.records import Judgment, Response, Score
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import Axis, Panel

UnitState = Literal["scored", "refused", "errored", "unparsed"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A judge's reply as read: what was valid, why the rest was not, and its rationale."""

    scores: Mapping[str, Score]
    invalid: Mapping[str, str]
    rationale: str

    @property
    def parsed(self) -> bool:
        return bool(self.scores)


@dataclass(frozen=True, slots=True)
class UnitScore:
    """The score of one response. Absent axes are None: no judge gave a valid score.

    refused_by: the gates that fired, of "answer" and "prompt".
    """

    state: UnitState
    goal_alignment: float
    quality: float
    axes: tuple[float | None, ...]
    refused_by: tuple[str, ...] = ()


class JudgingProtocol(Protocol):
    """One way of judging. Everything peculiar to it lives in the one module that implements this."""

    revision: int
    """Raised when the same reply would be asked for or read differently."""

    def judge_fields(
        self, placed: PlacedItem, axes: Sequence[Axis], response: str, *, gates: bool
    ) -> dict[str, Any]: ...

    def reply_schema(self, axes: Sequence[Axis], *, gates: bool) -> dict[str, Any]: ...

    def read_reply(self, text: str, axes: Sequence[Axis], *, gates: bool) -> Reply: ...

    def gate_judges(self, panel: Panel, judges: Sequence[str], response: Response) -> tuple[str, ...]: ...

    def unit_score(
        self, response: Response, judgments: Sequence[Judgment], axes: Sequence[str], panel: Panel
    ) -> UnitScore: ...


def category_axes(benchmark: Benchmark, placed: PlacedItem) -> tuple[Axis, ...]:
    """The axes of an item's category, in their order."""
    return tuple(benchmark.axes[axis] for axis in placed.category.axes)

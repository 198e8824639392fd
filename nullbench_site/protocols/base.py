"""What a protocol is: how a judge is asked, how its reply is read, and what an item scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from nullbench_site.protocols.request import Message
from nullbench_site.runs.records import Response, Score
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import Axis, Panel

if TYPE_CHECKING:
    from nullbench_site.protocols.votes import Bools, Floats, Ints, RatingPatterns, Votes

STATES = ("scored", "refused", "errored", "unparsed")
"""How a response ended, by number."""
SCORED, REFUSED, ERRORED, UNPARSED = range(len(STATES))


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
class UnitScores:
    """The scores of responses: arrays whose first dimension is the responses.

    state: numbers of STATES. axes: (responses, axes of its category), NaN where no judge gave a valid score.
    spread: points between the judges' highest and lowest goal alignment, NaN with fewer than two. refused_by: gate,
    "answer" or "prompt" -> where it fired. ratings: how the judges' ratings fell on each axis.
    """

    state: Ints
    goal_alignment: Floats
    quality: Floats
    axes: Floats
    spread: Floats
    refused_by: Mapping[str, Bools]
    ratings: RatingPatterns


class JudgingProtocol(Protocol):
    """One way of judging. Everything peculiar to it lives in the one module that implements this."""

    revision: int
    """Raised when the same reply would be asked for or read differently."""

    def judge_fields(
        self, placed: PlacedItem, axes: Sequence[Axis], response: str, *, gates: bool
    ) -> dict[str, Any]: ...

    def judge_messages(
        self, placed: PlacedItem, axes: Sequence[Axis], response: str, *, gates: bool
    ) -> tuple[Message, ...]: ...

    def reply_schema(self, axes: Sequence[Axis], *, gates: bool) -> dict[str, Any]: ...

    def read_reply(self, text: str, axes: Sequence[Axis], *, gates: bool) -> Reply: ...

    def gate_judges(self, panel: Panel, judges: Sequence[str], response: Response) -> tuple[str, ...]: ...

    def score_types(self, axes: Sequence[str]) -> Mapping[str, Any]: ...

    def valid_scores(self, scores: Mapping[str, Score], axes: Sequence[str]) -> dict[str, Score]: ...

    def score_units(self, answered: Bools, votes: Votes, panel: Panel) -> UnitScores: ...


def category_axes(benchmark: Benchmark, placed: PlacedItem) -> tuple[Axis, ...]:
    """The axes of an item's category, in their order."""
    return tuple(benchmark.axes[axis] for axis in placed.category.axes)

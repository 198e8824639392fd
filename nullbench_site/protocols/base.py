"""What a protocol is: how contestants and judges are asked, and how a judge's reply is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from nullbench_site.extensions import protocol_part, registered
from nullbench_site.protocols.request import Message
from nullbench_site.runs.records import Response, Score
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.types import BoardFile, Judge, ModelFile


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
class Prompt:
    """What a contestant is asked: the one user message, and the fields that programs read instead."""

    text: str
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Seat:
    """A judge of a response, and for what: a judge may be asked more than once, by different wordings."""

    judge: Judge
    template: str | None = None


class Question(Protocol):
    """What one judge is asked about one response."""

    @property
    def seat(self) -> Seat: ...

    def fields(self) -> dict[str, Any]:
        """All that the judge may know."""
        ...

    def reply_schema(self) -> dict[str, Any]: ...


@runtime_checkable
class WordedQuestion(Question, Protocol):
    """One that the protocol puts into words, and whose reply it reads."""

    def messages(self) -> tuple[Message, ...]:
        """The fields in words, for judges that are chatted with."""
        ...

    def read(self, text: str) -> Reply: ...


class MeasuredQuestion(Question, Protocol):
    """One that DeepEval words, and of whose reply it makes a score: G-Eval. Its fields make the call's key."""

    @property
    def metric(self) -> str: ...

    @property
    def texts(self) -> Mapping[str, str]:
        """The prompt, the ideal answer and the response, by these names."""
        ...


AnyQuestion: TypeAlias = WordedQuestion | MeasuredQuestion


class JudgingProtocol(Protocol):
    """One way of judging. Everything peculiar to it lives in the modules behind the one that implements this."""

    revision: int
    """Raised when the same reply would be asked for or read differently."""
    in_every_digest: bool
    """Whether digests of calls name it where no board is of it, as those of the first runs do."""

    def template(self, board: BoardFile) -> str:
        """The id of the wording in which contestants are asked."""
        ...

    def prompt(self, benchmark: Benchmark, board: BoardFile, placed: PlacedItem) -> Prompt:
        """What a contestant is asked about an item."""
        ...

    def seats(self, benchmark: Benchmark, board: BoardFile, model: ModelFile) -> tuple[Seat, ...]:
        """Who judges each answer of a contestant."""
        ...

    def has_checks(self, placed: PlacedItem) -> bool:
        """Whether programs look at the responses to an item."""
        ...

    def checked(self, placed: PlacedItem, response: Response, *, execute: bool = True) -> Response:
        """The response with what programs find in it, which is worked out again only where that is out of date.

        execute: whether checks that run code of the response take part.
        """
        ...

    def questions(
        self, benchmark: Benchmark, board: BoardFile, model: ModelFile, placed: PlacedItem, response: Response
    ) -> Iterator[AnyQuestion]:
        """What each seat is asked about a checked response, in the order of the seats."""
        ...

    def blank_questions(
        self, benchmark: Benchmark, board: BoardFile, placed: PlacedItem, seat: Seat
    ) -> Iterator[AnyQuestion]:
        """What a seat is asked about an empty response, in every way it may be asked; for estimates."""
        ...


def protocol_revisions(benchmark: Benchmark) -> dict[str, int]:
    """The revision of each protocol that the digest of a benchmark's calls names."""
    used = {board.protocol for board in benchmark.boards.values()}
    revisions = {name: judging(name) for name in registered("protocols")}
    return {name: each.revision for name, each in revisions.items() if name in used or each.in_every_digest}


def judging(protocol: str) -> JudgingProtocol:
    """How contestants and judges are asked on boards of a protocol."""
    found: JudgingProtocol = protocol_part(protocol, "judging")
    return found

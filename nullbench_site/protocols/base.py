"""What a protocol is: how contestants and judges are asked, and how a judge's reply is read; and one call to a backend,
with the key that covers all that can change its answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

import msgspec

from nullbench_site.extensions import load, load_all, protocol_part, registered
from nullbench_site.programs.program import Program
from nullbench_site.runs.records import CheckOutcome, CheckResult, Response, Score
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import BoardFile, Decoding, Judge, ModelFile, Parameter


class Message(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: str
    content: str


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a backend. Programs read `fields`; models read `messages`, made from the same fields.

    backend: its name and revision, `offline@1`: a changed program is another answerer. salt: of a private item, so that
    its published key cannot be tried against guesses of the text; it is sent to nobody. top_logprobs: of how many of
    the likeliest first tokens the log probability is asked for.
    """

    backend: str
    model: str
    params: dict[str, Parameter]
    messages: tuple[Message, ...]
    fields: dict[str, Any]
    decoding: Decoding
    sample: int
    reply_schema: dict[str, Any] | None = None
    salt: str | msgspec.UnsetType = msgspec.UNSET
    top_logprobs: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def private(self) -> bool:
        """Whether its words, and words about them, are for nobody else."""
        return self.salt is not msgspec.UNSET

    def key(self) -> str:
        """The sha256, in hex, of the whole request: not of an address, not of the time."""
        return sha256(canonical_json(self))


class Reply(msgspec.Struct, frozen=True):
    """A judge's reply as read: what was valid, why the rest was not, and its rationale."""

    scores: Mapping[str, Score]
    invalid: Mapping[str, str]
    rationale: str

    @property
    def parsed(self) -> bool:
        return bool(self.scores)


class Prompt(msgspec.Struct, frozen=True):
    """What a contestant is asked: the one user message, and the fields that programs read instead."""

    text: str
    fields: Mapping[str, str]


class Reference(msgspec.Struct, frozen=True):
    """An answer to an item that is known to be right, and the source it is about, where there is one."""

    text: str
    source: str = ""


class Seat(msgspec.Struct, frozen=True):
    """A judge of a response, and for what: a judge may be asked more than once, by different wordings.

    opponent: the contestant whose answer to the same item the judge is shown beside; None where it is shown one answer.
    position: where the contestant's own then stands, 0 first, 1 second; None where that differs from item to item.
    """

    judge: Judge
    template: str | None = None
    opponent: str | None = None
    position: int | None = None


class Question(Protocol):
    """What one judge is asked about one response. Its kinds are told apart by what they have.

    With hasattr: isinstance takes 20 us to look up the members of a Protocol, eight times a judgment.
    """

    @property
    def seat(self) -> Seat: ...

    def fields(self) -> dict[str, Any]:
        """All that the judge may know."""
        ...

    def reply_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the reply; None where it is no JSON."""
        ...


@runtime_checkable
class WordedQuestion(Question, Protocol):
    """One that the protocol puts into words, and whose reply it reads."""

    def messages(self) -> tuple[Message, ...]:
        """The fields in words, for judges that are chatted with."""
        ...

    def read(self, text: str) -> Reply: ...


class TokenQuestion(WordedQuestion, Protocol):
    """One whose reply is a single token: how likely each was is asked for, and read where the endpoint tells."""

    @property
    def top_logprobs(self) -> int: ...

    def weigh(self, logprobs: Mapping[str, float]) -> Reply:
        """logprobs: token -> natural log of its probability, of the likeliest first tokens."""
        ...


class Comparison(WordedQuestion, Protocol):
    """One about two answers. A verdict on them holds in the order in which they are shown, whoever gave them."""

    @property
    def position(self) -> int:
        """Where the contestant's own answer stands: 0 first, 1 second."""
        ...

    def settled(self) -> Reply | None:
        """The reply that follows without asking anybody, where one does."""
        ...


class MeasuredQuestion(Question, Protocol):
    """One that DeepEval words, and of whose reply it makes a score: G-Eval. Its fields make the call's key."""

    @property
    def metric(self) -> str: ...

    @property
    def texts(self) -> Mapping[str, str]:
        """The prompt, the ideal answer and the response, by these names."""
        ...


AnyQuestion: TypeAlias = WordedQuestion | MeasuredQuestion
JudgedItems: TypeAlias = Mapping[tuple[str, str | None], Collection[str]]
"""Judge and wording -> the ids of the items that this seat judges; seats that judge all are not in it."""


BoardT = TypeVar("BoardT", bound=BoardFile)
PlacedT = TypeVar("PlacedT", bound=PlacedItem)

VERBATIM = "verbatim"
"""The id of the wording of prompts that are asked as they stand."""


class JudgingProtocol(Generic[BoardT, PlacedT]):
    """How contestants are asked on boards of a protocol, and judges about their answers.

    As it stands here nobody is asked about answers, and no program looks at them. asks, shows: the fields of what
    contestants and judges that are programs read. words: for these fields, where they are not `the <name>`. drawn:
    those that follow from the response.
    """

    asks: ClassVar[tuple[str, ...]] = ("prompt",)
    shows: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[Mapping[str, str]] = {}
    drawn: ClassVar[tuple[str, ...]] = ()

    def template(self, board: BoardT) -> str:
        """The id of the wording in which contestants are asked."""
        return VERBATIM

    def prompt(self, benchmark: Benchmark, board: BoardT, placed: PlacedT) -> Prompt:
        """What a contestant is asked at the turn of an item: its prompt, and nothing else."""
        fields = {name: getattr(placed, name) for name in self.asks}
        return Prompt(fields["prompt"], fields)

    def reference(self, placed: PlacedT) -> Reference | None:
        """A right answer at the turn of an item: controls are made from it. None where there is none."""
        return None

    def turn(self, placed: PlacedItem, template: str | None) -> int | None:
        """The turn of an item the answer to which the seats of a wording judge: the last. None where they judge none.

        What a contestant answered before is in context: `placed.said`.
        """
        return placed.n_turns

    def seats(self, benchmark: Benchmark, board: BoardT, model: ModelFile) -> tuple[Seat, ...]:
        """Who judges each answer of a contestant: the judges of the board's panel that may, where it has one."""
        return tuple(Seat(judge) for judge in benchmark.judges_for(board, model))

    def judged_items(self, benchmark: Benchmark, board: BoardT, model: ModelFile) -> JudgedItems:
        """The items of the seats of a contestant that judge its answers to some alone: of programs that can check
        nothing on the others."""
        return {
            (seat.judge.id, seat.template): items
            for seat in self.seats(benchmark, board, model)
            if (items := self._checkable(benchmark, board, seat)) is not None
        }

    def _checkable(self, benchmark: Benchmark, board: BoardT, seat: Seat) -> Collection[str] | None:
        """The ids of the items on which a judge can check something; None for one that never abstains.

        It is asked about every private item: where the text is not here, nobody could tell.
        """
        name = seat.judge.model
        if not seat.judge.is_program or name not in registered("programs"):
            return None
        program: Program = load("programs", name)
        if program.abstains is None:
            return None
        place = board.id, seat.judge.id, seat.template
        if place not in benchmark.checkable:
            benchmark.checkable[place] = frozenset(
                placed.id
                for placed in benchmark.items(board)
                if (turn := self.turn(placed, seat.template)) is not None
                for question in self.blank_questions(benchmark, board, placed.at(*[""] * (turn - 1)), seat)
                if placed.private or program.can_check(question.fields())
            )
        return benchmark.checkable[place]

    def measured(self, board: BoardT) -> bool:
        """Whether DeepEval is to measure answers, beside judges that are asked in our words."""
        return False

    def has_checks(self, placed: PlacedT) -> bool:
        """Whether programs look at the responses to an item, of several turns to the last."""
        return False

    def executes(self, placed: PlacedT) -> bool:
        """Whether one of them runs code of a response."""
        return False

    def is_checked(self, placed: PlacedT, response: Response) -> bool:
        """Whether a response holds what the checks of its item find in it as they are."""
        return True

    def checked(self, placed: PlacedT, response: Response, *, execute: bool = True) -> Response:
        """The response with what programs find in it, which is worked out again only where that is out of date.

        execute: whether checks that run code of the response take part.
        """
        return response

    def questions(
        self, benchmark: Benchmark, board: BoardT, model: ModelFile, placed: PlacedT, response: Response
    ) -> Iterator[AnyQuestion]:
        """What each seat is asked about a checked response, in the order of the seats."""
        return iter(())

    def comparisons(
        self,
        benchmark: Benchmark,
        board: BoardT,
        model: ModelFile,
        placed: PlacedT,
        *,
        response: Response,
        others: Mapping[str, Sequence[Response]],
    ) -> Iterator[Comparison]:
        """What each seat with an opponent is asked. others: by contestant what opponents answered turn by turn, the
        last at this turn; without those that did not."""
        return iter(())

    def blank_questions(
        self, benchmark: Benchmark, board: BoardT, placed: PlacedT, seat: Seat
    ) -> Iterator[AnyQuestion]:
        """What a seat is asked about an empty response, in every way it may be asked; for estimates."""
        return iter(())


def with_results(
    response: Response,
    programs: Sequence[tuple[str, int, object]],
    run: Callable[[str], Iterable[tuple[CheckOutcome, Iterable[object]]]],
) -> Response:
    """The response with what programs find in its text; one that holds that of the same programs is returned as it is.

    programs: type, revision and parameters of each. run: the text -> outcome and flags of each. A response that failed,
    or whose text is not here, has nothing to be looked at.
    """
    if has_results(response, programs):
        return response
    results = tuple(
        CheckResult(kind, digest, outcome, tuple(map(str, flags)))
        for (kind, digest), (outcome, flags) in zip(_digests(programs), run(response.text), strict=True)
    )
    return msgspec.structs.replace(response, checks=results)


def has_results(response: Response, programs: Sequence[tuple[str, int, object]]) -> bool:
    """Whether a response holds what these programs find in it, or has nothing to be looked at."""
    unseen = response.state == "errored" or response.hidden is not None
    return unseen or [(result.type, result.params) for result in response.checks] == _digests(programs)


def _digests(programs: Sequence[tuple[str, int, object]]) -> list[tuple[str, str]]:
    return [(kind, sha256(canonical_json([revision, params]))[:16]) for kind, revision, params in programs]


def protocol_revisions(benchmark: Benchmark) -> dict[str, int]:
    """The revision of each protocol that the digest of a benchmark's calls names.

    The package of a protocol has them: REVISION, 1 if there is none, is raised where the same reply would be asked for
    or read differently; IN_EVERY_DIGEST names it where no board is of it, too, as the digests of the first runs do.
    """
    used = {board.protocol for board in benchmark.boards.values()}
    return {
        name: getattr(package, "REVISION", 1)
        for name, package in load_all("protocols").items()
        if name in used or getattr(package, "IN_EVERY_DIGEST", False)
    }


def judging(protocol: str) -> JudgingProtocol[Any, Any]:
    """How contestants and judges are asked on boards of a protocol."""
    part: JudgingProtocol[Any, Any] = protocol_part(protocol, "judging")
    return part

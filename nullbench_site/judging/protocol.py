"""The interface of a protocol's judging: the questions to contestants and judges, and the parsing of replies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from nullbench_site.extensions import load, load_all, protocol_part, registered
from nullbench_site.judging.calls import AnyQuestion, Comparison, JudgeTask, Prompt, Reference
from nullbench_site.programs.program import Program
from nullbench_site.runs.records import Cause, CheckOutcome, CheckResult, Judgment, Record, Response
from nullbench_site.specs import templates
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import VERBATIM, BoardFile, ModelFile

JudgedItems: TypeAlias = Mapping[tuple[str, str | None], Collection[str]]
"""Judge and wording -> the items of a task that judges only some."""


BoardT = TypeVar("BoardT", bound=BoardFile)
PlacedT = TypeVar("PlacedT", bound=PlacedItem)


class JudgingProtocol(Generic[BoardT, PlacedT]):
    """How contestants and judges of boards of a protocol are called. This base has no judges and no checks.

    asks, shows: the fields that contestants and judges read if they are programs. words: for fields that are not
    `the <name>`. drawn: fields that follow from the response.
    calls: False if no model is called, because the specs have the scores.
    """

    calls: ClassVar[bool] = True
    asks: ClassVar[tuple[str, ...]] = ("prompt",)
    shows: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[Mapping[str, str]] = {}
    drawn: ClassVar[tuple[str, ...]] = ()

    def prompt(self, benchmark: Benchmark, board: BoardT, placed: PlacedT) -> Prompt:
        """Return the prompt of a contestant at a turn of an item, without a template."""
        fields = {name: getattr(placed, name) for name in self.asks}
        return Prompt(fields.get("prompt", ""), fields)

    def worded(self, benchmark: Benchmark, board: BoardT, placed: PlacedT, template: str) -> Prompt:
        """Return the prompt of a contestant at a turn of an item, in a wording of the board."""
        prompt = self.prompt(benchmark, board, placed)
        if template == VERBATIM:
            return prompt
        return Prompt(templates.filled(benchmark.templates[template], prompt.fields), prompt.fields)

    def reference(self, placed: PlacedT) -> Reference | None:
        """Return a right answer at a turn of an item, the base of controls; None if there is none."""
        return None

    def turn(self, placed: PlacedItem, template: str | None) -> int | None:
        """Return the turn of an item that the tasks of a wording judge; None if they judge none.

        Earlier answers are in `placed.earlier`.
        """
        return placed.n_turns

    def tasks(self, benchmark: Benchmark, board: BoardT, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Return the tasks that judge each answer of a contestant: the judges of the panel that may."""
        return tuple(JudgeTask(judge) for judge in benchmark.judges_for(board, model))

    def is_optional(self, template: str | None) -> bool:
        """Return True if an answer may lack what the tasks of a wording ask about; `questions` then leaves them out."""
        return False

    def judged_items(self, benchmark: Benchmark, board: BoardT, model: ModelFile) -> JudgedItems:
        """Return the items of tasks that judge only some: of programs that can check nothing on the others."""
        return {
            (task.judge.id, task.template): items
            for task in self.tasks(benchmark, board, model)
            if (items := self._checkable(benchmark, board, task)) is not None
        }

    def _checkable(self, benchmark: Benchmark, board: BoardT, task: JudgeTask) -> Collection[str] | None:
        """Return the items on which a judge can check something; None for one that never abstains.

        It judges every private item, because the text may be missing on this machine.
        """
        name = task.judge.model
        if not task.judge.is_program or name not in registered("programs"):
            return None
        program: Program = load("programs", name)
        if program.abstains is None:
            return None
        place = board.id, task.judge.id, task.template
        if place not in benchmark.checkable:
            benchmark.checkable[place] = frozenset(
                placed.id
                for placed in benchmark.items(board)
                if (turn := self.turn(placed, task.template)) is not None
                for question in self.blank_questions(benchmark, board, placed.at(*[""] * (turn - 1)), task)
                if placed.private or program.can_check(question.fields())
            )
        return benchmark.checkable[place]

    def won(self, judgment: Judgment) -> float | None:
        """Return the probability, by a scored judgment, that the contestant's answer beats the other; None for one."""
        return None

    def value(self, judgment: Judgment) -> float | None:
        """Return how good a scored judgment says the response is, higher for better; None without one number for it."""
        return self.won(judgment)

    def counts(self, question: str) -> bool:
        """Return True if a short question is in the mark. question: its template."""
        return True

    def prohibits(self, benchmark: Benchmark, item: str, question: str) -> bool:
        """Return True if the empty response passes a short question about an item by design."""
        return False

    def contradicts(self, judgment: Judgment) -> bool:
        """Return True if the parts of a judgment contradict each other."""
        return False

    def recorded(self, benchmark: Benchmark, board: BoardT) -> Iterator[Record]:
        """Yield the records that the tables of a board contain. Such a board has no calls."""
        return iter(())

    def measured(self, board: BoardT) -> bool:
        """Return True if DeepEval measures answers in addition to judges with our own questions."""
        return False

    def has_checks(self, placed: PlacedT) -> bool:
        """Return True if programs check the responses to an item; with several turns, the response to the last."""
        return False

    def executes(self, placed: PlacedT) -> bool:
        """Return True if one of them runs code of a response."""
        return False

    def is_checked(self, placed: PlacedT, response: Response) -> bool:
        """Return True if a response has the results of the current checks of its item."""
        return True

    def checked(self, placed: PlacedT, response: Response, *, execute: bool = True) -> Response:
        """Return the response with the results of its checks, computed again if they are out of date.

        execute: whether checks may run code of the response.
        """
        return response

    def question(self, placed: PlacedT, task: JudgeTask, response: Response | None) -> AnyQuestion:
        """Return the question of a task without an opponent about a checked response; None: an empty one."""
        raise NotImplementedError

    def questions(
        self, benchmark: Benchmark, board: BoardT, model: ModelFile, placed: PlacedT, response: Response
    ) -> Iterator[AnyQuestion]:
        """Yield the questions about a checked response at its turn, in the order of the tasks."""
        for task in self.tasks(benchmark, board, model):
            if task.opponent is None and self.turn(placed, task.template) == placed.turn:
                yield self.question(placed, task, response)

    def question_text(self, placed: PlacedT, template: str) -> str:
        """Return what a short question of an item asks, for pages. template: its name in records."""
        return template

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
        """Yield the questions of tasks with an opponent. others: the answers of opponents up to this turn."""
        return iter(())

    def blank_questions(
        self, benchmark: Benchmark, board: BoardT, placed: PlacedT, task: JudgeTask
    ) -> Iterator[AnyQuestion]:
        """Yield every question that a task may ask about an empty response; for estimates."""
        yield self.question(placed, task, None)


class Found(NamedTuple):
    """What a check program finds in a response: its result and flags, and the cause if no answer can be read."""

    outcome: CheckOutcome
    flags: Iterable[object]
    cause: Cause | None = None


def with_results(
    response: Response,
    programs: Sequence[tuple[str, int, object]],
    run: Callable[[str], Iterable[Found]],
) -> Response:
    """Return the response with the results of check programs, unchanged if it already has them.

    programs: type, revision and parameters of each. run: the text -> what each finds. An errored response, or one
    without its text, is not checked.
    """
    if has_results(response, programs):
        return response
    results = tuple(
        CheckResult(kind, digest, found.outcome, tuple(map(str, found.flags)), found.cause)
        for (kind, digest), found in zip(_digests(programs), run(response.text), strict=True)
    )
    return msgspec.structs.replace(response, checks=results)


def has_results(response: Response, programs: Sequence[tuple[str, int, object]]) -> bool:
    """Return True if a response has the results of these programs, or cannot be checked."""
    unseen = response.state == "errored" or response.hidden is not None
    return unseen or [(result.type, result.params) for result in response.checks] == _digests(programs)


def recorded_results(response: Response, programs: Sequence[tuple[str, int, object]]) -> list[CheckResult | None]:
    """Return the result that a response has of each of these programs, None if it has none."""
    recorded = {(result.type, result.params): result for result in response.checks}
    return [recorded.get(digest) for digest in _digests(programs)]


def _digests(programs: Sequence[tuple[str, int, object]]) -> list[tuple[str, str]]:
    return [(kind, sha256(canonical_json([revision, params]))[:16]) for kind, revision, params in programs]


def protocol_revisions(benchmark: Benchmark) -> dict[str, int]:
    """Return the revision of each protocol that is part of the digest of a benchmark's calls.

    A protocol's package has REVISION (default 1), increased if the same reply would be requested or parsed differently.
    IN_EVERY_DIGEST includes it even without a board, as in the digests of the first runs.
    """
    used = {board.protocol for board in benchmark.boards.values()}
    return {
        name: getattr(package, "REVISION", 1)
        for name, package in load_all("protocols").items()
        if name in used or getattr(package, "IN_EVERY_DIGEST", False)
    }


def judging(protocol: str) -> JudgingProtocol[Any, Any]:
    """Return the judging of a protocol."""
    part: JudgingProtocol[Any, Any] = protocol_part(protocol, "judging")
    return part

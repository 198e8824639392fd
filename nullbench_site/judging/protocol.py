"""How contestants and judges are asked on the boards of a protocol, and how a judge's reply is read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import msgspec

from nullbench_site.extensions import load, load_all, protocol_part, registered
from nullbench_site.judging.calls import AnyQuestion, Comparison, JudgeTask, Prompt, Reference
from nullbench_site.programs.program import Program
from nullbench_site.runs.records import CheckOutcome, CheckResult, Response
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.digest import canonical_json, sha256
from nullbench_site.specs.types import BoardFile, ModelFile

JudgedItems: TypeAlias = Mapping[tuple[str, str | None], Collection[str]]
"""Judge and wording -> the ids of the items that this task judges; tasks that judge all are not in it."""


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
        """The turn of an item the answer to which the tasks of a wording judge: the last. None where they judge none.

        What a contestant answered before is in context: `placed.earlier`.
        """
        return placed.n_turns

    def tasks(self, benchmark: Benchmark, board: BoardT, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Who judges each answer of a contestant: the judges of the board's panel that may, where it has one."""
        return tuple(JudgeTask(judge) for judge in benchmark.judges_for(board, model))

    def judged_items(self, benchmark: Benchmark, board: BoardT, model: ModelFile) -> JudgedItems:
        """The items of the tasks of a contestant that judge its answers to some alone: of programs that can check
        nothing on the others."""
        return {
            (task.judge.id, task.template): items
            for task in self.tasks(benchmark, board, model)
            if (items := self._checkable(benchmark, board, task)) is not None
        }

    def _checkable(self, benchmark: Benchmark, board: BoardT, task: JudgeTask) -> Collection[str] | None:
        """The ids of the items on which a judge can check something; None for one that never abstains.

        It is asked about every private item: where the text is not here, nobody could tell.
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
        """What each task is asked about a checked response, in the order of the tasks."""
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
        """What each task with an opponent is asked. others: by contestant what opponents answered turn by turn, the
        last at this turn; without those that did not."""
        return iter(())

    def blank_questions(
        self, benchmark: Benchmark, board: BoardT, placed: PlacedT, task: JudgeTask
    ) -> Iterator[AnyQuestion]:
        """What a task is asked about an empty response, in every way it may be asked; for estimates."""
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

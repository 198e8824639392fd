"""One walk over the calls of a benchmark: each target, its turns, the answers compared with it, the judgments.

The plan, the runner, `plan --why`, `verify` and the review of a change all use it. `steps` is the walk itself: it
yields the next step, and the caller sends the answer. `recorded_calls` is the walk over records on disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target, Who
from nullbench_site.judging.calls import JudgeCall, JudgeTask, Request
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Record, Response
from nullbench_site.specs.types import Control, JudgedBoardFile


class AnswerStep(msgspec.Struct, frozen=True):
    """The walk needs the answer of a contestant at a turn. Send it, or None if there is none.

    is_opponent: the answer is only shown in a comparison with another contestant's. is_unseen: an earlier answer is
    missing, so keys replace the earlier answers, and there can be no answer to send.
    """

    turn: Target
    request: Request
    is_opponent: bool = False
    is_unseen: bool = False


class JudgeStep(msgspec.Struct, frozen=True, dict=True):
    """The judgments of an answer. Send nothing.

    answer: None if it is missing. tasks: those whose judgment can be requested. unseen: those without a prompt, because
    an answer that it shows is missing. write: how to write the judgments.
    """

    turn: Target
    answer: Response | None
    tasks: Sequence[JudgeTask]
    unseen: Sequence[JudgeTask]
    write: Callable[[], Iterable[JudgeCall]] = tuple

    @cached_property
    def calls(self) -> Sequence[JudgeCall]:
        """Return the judgments that can be requested, written when they are first needed."""
        return tuple(self.write())


Steps: TypeAlias = Generator[AnswerStep | JudgeStep, Response | None, None]


def steps(builder: RequestBuilder, target: Target) -> Steps:
    """Walk one target: turn by turn its answer, the answers of its opponents and the judgments."""
    turn: Target | None = target
    while turn is not None:
        request = builder.response_request(turn)
        answer = yield AnswerStep(turn, request)
        if turn.is_probe:
            return
        if answer is None:
            yield from _unseen(builder, turn, request.key())
            return
        if answer.state == "errored":
            return
        others: dict[str, Sequence[Response]] = {}
        tasks = builder.tasks_at(turn)
        for opponent in builder.opponents(turn, tasks):
            given = yield from _answers(builder, opponent, turn.placed.turn)
            if given is not None:
                others[opponent.model.id] = given
        unseen = [task for task in tasks if task.opponent and task.opponent not in others]
        failed = {None: False} | {opponent: given[-1].state == "errored" for opponent, given in others.items()}
        due = [task for task in tasks if not failed.get(task.opponent, True)]
        yield JudgeStep(turn, answer, due, unseen, partial(builder.judge_calls, turn, answer, others))
        turn = turn.after(answer)


def _answers(
    builder: RequestBuilder, first: Target, last: int
) -> Generator[AnswerStep, Response | None, Sequence[Response] | None]:
    """Return the answers of an opponent up to a turn, or to one that failed; None if one is missing."""
    answers: list[Response] = []
    turn: Target | None = first
    while turn is not None and len(answers) < last:
        answer = yield AnswerStep(turn, builder.response_request(turn), is_opponent=True)
        if answer is None:
            return None
        answers.append(answer)
        turn = turn.after(answer)
    return answers


def _unseen(builder: RequestBuilder, target: Target, key: str) -> Steps:
    """Walk the rest of a target whose answer is missing. key: of its call; it replaces the answer in later turns."""
    yield JudgeStep(target, None, (), builder.tasks_at(target))
    placed = target.placed
    for later in target.later_turns:
        turn = replace(later, placed=placed.at(*placed.earlier, *[key] * (later.placed.turn - placed.turn)))
        yield AnswerStep(turn, builder.response_request(turn), is_unseen=True)
        yield JudgeStep(turn, None, (), builder.tasks_at(turn))


class Call(msgspec.Struct, frozen=True):
    """One call of the walk, with its record if there is one.

    request: None for a judgment that shows a missing answer. checked: the answer with the results of its checks. task:
    for all judgments. judge_call: for judgments whose answers exist.
    """

    turn: Target
    record: Record | None
    request: Request | None
    checked: Response | None = None
    task: JudgeTask | None = None
    judge_call: JudgeCall | None = None
    is_unseen: bool = False

    @property
    def who(self) -> Who:
        return ("contestant", self.turn.model.id) if self.task is None else ("judge", self.task.judge.id)

    @property
    def is_settled(self) -> bool:
        """Return True for a judgment whose result is known without a call."""
        return self.judge_call is not None and self.judge_call.settled is not None

    def key(self, builder: RequestBuilder) -> bytes:
        """Return a digest that is equal for equal calls: of the request, or of the keys of the missing answers."""
        if self.request is not None:
            return bytes.fromhex(self.request.key())
        assert self.task is not None  # noqa: S101 - each answer has a request
        return _unseen_key(builder, self.turn, self.task)


class Records(Protocol):
    """The records that the walk looks up."""

    def answer(self, turn: Target, request: Request) -> Response | None: ...

    def judgment(self, turn: Target, call: JudgeCall) -> Judgment | None: ...


class KnownRecords(msgspec.Struct, frozen=True):
    """The records of known calls, found by call key, with the place in the walk."""

    known: KnownCalls

    def answer(self, turn: Target, request: Request) -> Response | None:
        record = self.known.find(turn.record_type, request.key())
        return None if record is None else replace(record, **turn.dimensions)

    def judgment(self, turn: Target, call: JudgeCall) -> Judgment | None:
        record = self.known.answer(Judgment, call.request.key())
        return None if record is None else replace(record, **turn.dimensions, **call.dimensions)


def recorded_calls(builder: RequestBuilder, target: Target, records: Records) -> Iterator[Call]:
    """Walk one target over records: each call with its record. A hidden answer ends the walk."""
    walk = steps(builder, target)
    sent: Response | None = None
    with suppress(StopIteration):
        while True:
            step, sent = walk.send(sent), None
            turn = step.turn
            if isinstance(step, JudgeStep):
                yield from (Call(turn, None, None, task=task, is_unseen=True) for task in step.unseen)
                for call in step.calls:
                    judgment, task = records.judgment(turn, call), call.question.task
                    yield Call(turn, judgment, call.request, task=task, judge_call=call)
            elif step.is_opponent:
                sent = records.answer(turn, step.request)
            elif step.is_unseen:
                yield Call(turn, None, step.request, is_unseen=True)
            else:
                answer = records.answer(turn, step.request)
                sent = answer if answer is None else builder.checked(turn, answer)
                yield Call(turn, answer, step.request, checked=sent)
                if answer is not None and answer.hidden is not None:
                    return
                if answer is None and isinstance(turn.model, Control):  # its answer is known without a call
                    sent = builder.control_response(turn)


def spared(step: JudgeStep) -> int:
    """Return how many planned questions about an answer are not asked, because it lacks what they ask about."""
    is_optional = judging(step.turn.board.protocol).is_optional
    optional = {(task.judge.id, task.template) for task in step.tasks if is_optional(task.template)}
    return len(optional - {(call.judge.id, call.template) for call in step.calls}) if optional else 0


def spared_calls(builder: RequestBuilder, known: KnownCalls) -> int:
    """Return how many planned questions about known answers are not asked."""
    if not any(judge.asks_questions for judge in builder.benchmark.judges.values()):
        return 0
    total = 0
    for target in builder.targets(Selection()):
        optional = judging(target.board.protocol).is_optional
        tasks = () if target.is_probe else builder.tasks_of(target)
        if any(optional(task.template) for task in tasks):
            calls = (call.judge_call for call in recorded_calls(builder, target, KnownRecords(known)))
            asked = [call.template for call in calls if call is not None]
            if asked:
                total += sum(optional(task.template) for task in tasks) - sum(map(optional, asked))
    return total


def known_records(builder: RequestBuilder, target: Target, known: KnownCalls) -> Iterator[Record]:
    """Yield the known records of a target, turn by turn, up to the first missing answer."""
    for call in recorded_calls(builder, target, KnownRecords(known)):
        record = call.checked or call.record
        if record is not None:
            yield record
        elif call.task is None:
            return


def _unseen_key(builder: RequestBuilder, turn: Target, task: JudgeTask) -> bytes:
    """Return the digest of a judgment that shows a missing answer; keys of calls replace the answers."""
    texts, wording = [builder.response_request(turn).key()], str(task.template)
    if task.opponent is not None:
        opponent = turn.by(builder.benchmark.answerer(task.opponent))
        texts.append(builder.response_request(opponent).key())
        if task.position == 1 or (task.position is None and texts[1] < texts[0]):
            texts.reverse()
        wording = "in this order"
    panel = turn.board.panel if isinstance(turn.board, JudgedBoardFile) else ""
    same = "\n".join((*texts, panel, turn.placed.id, task.judge.id, wording))
    return hashlib.blake2b(same.encode(), digest_size=32).digest()

"""What must be called: every contestant on every item, every judge on every response; and what is known already."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends.base import Backend
from nullbench_site.evaluation.estimate import (
    Estimate,
    Lengths,
    Range,
    Who,
    answer_tokens,
    estimate,
    program_tokens,
    prompt_tokens,
)
from nullbench_site.protocols.base import (
    AnyQuestion,
    JudgingProtocol,
    Prompt,
    Seat,
    WordedQuestion,
    judging,
    protocol_revisions,
)
from nullbench_site.protocols.request import Message, Request
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.digest import canonical_json, sha256, spec_digest
from nullbench_site.specs.private.hashing import withheld_words
from nullbench_site.specs.types import BoardFile, Judge, JudgedBoardFile, ModelFile
from nullbench_site.text import did_you_mean


@dataclass(frozen=True, slots=True)
class Target:
    """One response to be had: a contestant on an item of a board, one sample."""

    board: BoardFile
    model: ModelFile
    placed: PlacedItem
    sample: int

    @property
    def template(self) -> str:
        """The id of the wording in which the contestant is asked."""
        return protocol_of(self.board).template(self.board)

    @property
    def dimensions(self) -> dict[str, Any]:
        """What a record of the response, or of a verdict on it, is about, by field."""
        return {
            "board": self.board.id,
            "model": self.model.id,
            "item": self.placed.id,
            "template": self.template,
            "sample": self.sample,
        }

    @property
    def place(self) -> tuple[str, ...]:
        """What a record of the response is about."""
        return (self.board.id, self.model.id, self.placed.id, self.template, str(self.sample))

    def judged_by(self, seat: Seat) -> tuple[str, ...]:
        """What a record of a judgment of the response is about."""
        return (*self.place, seat.judge.id, str(seat.template), str(None))


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """One judgment to be had: what is asked, and the request that asks it."""

    question: AnyQuestion
    request: Request

    @property
    def judge(self) -> Judge:
        return self.question.seat.judge

    @property
    def template(self) -> str | None:
        """The wording in which the judge is asked, where there are several."""
        return self.question.seat.template


@dataclass(frozen=True)
class Selection:
    """Which boards and models are to be asked; empty means all. What is known of the others is taken all the same."""

    boards: Collection[str] = ()
    models: Collection[str] = ()

    def check(self, benchmark: Benchmark) -> None:
        """Raises UsageError for names that do not exist."""
        for name in self.boards:
            if name not in benchmark.boards:
                raise UsageError(f"there is no board {name!r} in the specs; {did_you_mean(name, benchmark.boards)}")
        boards = [benchmark.boards[board] for board in self.boards or benchmark.boards]
        on_boards = {model.id for board in boards for model in benchmark.contestants(board)}
        for name in self.models:
            if name not in on_boards:
                where = " and ".join(repr(board.id) for board in boards)
                others = ", ".join(sorted(set(benchmark.profiles) - {benchmark.profile}))
                elsewhere = f"; a board may have it under another --profile: {others}" if others else ""
                raise UsageError(f"{name!r} is no contestant of {where}; {did_you_mean(name, on_boards)}{elsewhere}")

    @property
    def everything(self) -> bool:
        return not self.boards and not self.models

    def has(self, board: BoardFile, model: ModelFile) -> bool:
        """Whether a contestant of a board is selected."""
        return (not self.boards or board.id in self.boards) and (not self.models or model.id in self.models)


@dataclass(frozen=True)
class Scope:
    """Which missing calls may be made; what is known is copied whatever the scope. judges: None means all."""

    contestants: bool = True
    judges: Collection[str] | None = None

    def check(self, benchmark: Benchmark) -> None:
        """Raises UsageError for a judge that no panel in use has."""
        for name in self.judges or ():
            if name not in benchmark.judges:
                known = did_you_mean(name, benchmark.judges)
                raise UsageError(f"no panel of these boards has a judge {name!r}; {known}")

    def asks(self, judge: Judge) -> bool:
        return self.judges is None or judge.id in self.judges


@dataclass(frozen=True)
class Caller:
    """Makes the requests of a benchmark for the backends there are."""

    benchmark: Benchmark
    backends: Mapping[str, Backend]

    def targets(self, selection: Selection) -> Iterator[Target]:
        """Every response of the selection, model by model so that a shard is written in one go."""
        for board, model in self.contestants(selection):
            for placed in self.benchmark.items(board):
                for sample in range(board.samples):
                    yield Target(board, model, placed, sample)

    def expected(self, selection: Selection) -> Counter[tuple[str, str]]:
        """How many calls each ("contestant" or "judge", id) has to answer if every response is answered.

        A response that fails is not judged.
        """
        items = {board.id: sum(1 for _ in self.benchmark.items(board)) for board in self.benchmark.boards.values()}
        calls: Counter[tuple[str, str]] = Counter()
        for board, model in self.contestants(selection):
            responses = items[board.id] * board.samples
            calls["contestant", model.id] += responses
            for seat in self.seats(board, model):
                calls["judge", seat.judge.id] += responses
        return calls

    def planned(self, selection: Selection) -> int:
        """How many calls that is in all."""
        return self.expected(selection).total()

    def contestants(self, selection: Selection) -> Iterator[tuple[BoardFile, ModelFile]]:
        """The contestants of the selection, board by board."""
        for board in self.benchmark.boards.values():
            for model in self.benchmark.contestants(board):
                if selection.has(board, model):
                    yield board, model

    def seats(self, board: BoardFile, model: ModelFile) -> tuple[Seat, ...]:
        """Who judges each answer of a contestant."""
        return protocol_of(board).seats(self.benchmark, board, model)

    def prompt(self, target: Target) -> Prompt:
        """What a contestant is asked."""
        return protocol_of(target.board).prompt(self.benchmark, target.board, target.placed)

    def response_request(self, target: Target) -> Request:
        """The call for a response. It holds the prompt and nothing else."""
        prompt, backend = self.prompt(target), self.backends[target.model.backend]
        return Request(
            backend=backend.identity,
            model=target.model.model,
            params=target.model.params,
            messages=(Message("user", prompt.text),),
            fields={} if backend.chats else dict(prompt.fields),
            decoding=target.model.decoding or target.board.decoding,
            sample=target.sample,
            salt=_salt(target.placed),
        )

    def has_checks(self, board: BoardFile, placed: PlacedItem) -> bool:
        """Whether programs look at the responses to an item."""
        return protocol_of(board).has_checks(placed)

    def checked(self, target: Target, response: Response) -> Response:
        """The response with what programs find in it."""
        found = protocol_of(target.board).checked(target.placed, response)
        return msgspec.structs.replace(found, checks_due=False) if found.checks_due else found

    def judge_calls(self, target: Target, response: Response) -> Iterator[JudgeCall]:
        """The calls for the judgments of a checked response, in the order of its seats; none of one that errored."""
        if response.state == "errored":
            return
        protocol = protocol_of(target.board)
        for question in protocol.questions(self.benchmark, target.board, target.model, target.placed, response):
            yield JudgeCall(question, self._judge_request(question, target))

    def blank_requests(self, target: Target, seat: Seat) -> Iterator[Request]:
        """How a seat may be asked about an empty response, the shortest request first."""
        protocol = protocol_of(target.board)
        for question in protocol.blank_questions(self.benchmark, target.board, target.placed, seat):
            yield self._judge_request(question, target)

    def _judge_request(self, question: AnyQuestion, target: Target) -> Request:
        judge = question.seat.judge
        backend = self.backends[judge.backend]
        # DeepEval words a measurement when it is asked for, so its key is made from what goes into the words.
        messages = question.messages() if backend.chats and isinstance(question, WordedQuestion) else ()
        return Request(
            backend=backend.identity,
            model=judge.model,
            params=judge.params,
            messages=messages,
            fields={} if messages else question.fields(),
            decoding=judge.decoding,
            sample=target.sample,
            reply_schema=question.reply_schema(),
            salt=_salt(target.placed),
        )

    def endpoints(self, selection: Selection) -> dict[Who, str]:
        """The endpoints of the contestants and judges of the selection that answer at one; programs have none."""
        found: dict[Who, str] = {}
        for board, model in self.contestants(selection):
            answering: list[tuple[str, ModelFile | Judge]] = [("contestant", model)]
            answering += (("judge", seat.judge) for seat in self.seats(board, model))
            for kind, who in answering:
                if self.backends[who.backend].chats:
                    found[kind, who.id] = self.benchmark.endpoint_of(who).id
        return found

    @cached_property
    def spec_digest(self) -> str:
        """That of the benchmark; worked out once, for many items take a while."""
        return spec_digest(self.benchmark)

    @cached_property
    def calls_digest(self) -> str:
        """sha256, in hex, of what fixes every call: the specs, the programs that answer, the protocols."""
        revisions: dict[str, Any] = {
            "specs": self.spec_digest,
            "backends": {name: self.backends[name].identity for name in self.backends_in_use},
            "protocols": protocol_revisions(self.benchmark),
        }
        return sha256(canonical_json(revisions))

    @property
    def backends_in_use(self) -> set[str]:
        """Names of the backends that contestants and judges of these specs answer by."""
        everybody: list[ModelFile | Judge] = [*self.benchmark.models.values(), *self.benchmark.judges.values()]
        return {who.backend for who in everybody}


def _panel(board: BoardFile) -> str:
    return board.panel if isinstance(board, JudgedBoardFile) else ""


def _salt(placed: PlacedItem) -> str | msgspec.UnsetType:
    """An item that was private keeps its salt when it is published, and so its calls stay known."""
    return msgspec.UNSET if placed.salt is None else placed.salt


def protocol_of(board: BoardFile) -> JudgingProtocol:
    """How the board is judged."""
    return judging(board.protocol)


def known_of_others(
    caller: Caller, selection: Selection, known: KnownCalls
) -> Iterator[tuple[Response, list[Judgment]]]:
    """What is known of the contestants outside a selection: each answer with the verdicts on it, at their places."""
    if selection.everything:
        return
    for target in caller.targets(Selection()):
        if selection.has(target.board, target.model) or target.placed.withheld:
            continue
        found = known.find(Response, caller.response_request(target).key())
        if found is None:
            continue
        response = caller.checked(target, msgspec.structs.replace(found, **target.dimensions))
        judgments = []
        for call in caller.judge_calls(target, response):
            judgment = known.find(Judgment, call.request.key())
            if judgment is not None and known.is_answered(judgment):
                asked = {"judge": call.judge.id, "judge_template": call.template}
                judgments.append(msgspec.structs.replace(judgment, **target.dimensions, **asked))
        yield response, judgments


@dataclass
class Plan:
    """Calls by who answers them: to make and known.

    endpoints: of those that answer at one. estimates: what their calls to make may take; absent where there is none.
    withheld: why calls are neither to make nor known, where the texts of private items are not here.
    """

    endpoints: dict[Who, str]
    to_make: Counter[Who] = field(default_factory=Counter)
    known: Counter[Who] = field(default_factory=Counter)
    estimates: dict[Who, Estimate] = field(default_factory=dict)
    withheld: str | None = None

    @property
    def planned(self) -> int:
        return self.to_make.total() + self.known.total()


def plan_of_known(caller: Caller, selection: Selection) -> Plan:
    """The plan where a sealed run has every call, without a look at any; those that failed are done with too."""
    return Plan(caller.endpoints(selection), known=caller.expected(selection))


def make_plan(
    caller: Caller, selection: Selection, known: KnownCalls, lengths: Callable[[], Lengths] = Lengths
) -> Plan:
    """What the selection needs, and what is known of the others.

    Judgments of a response that is not known yet all count as calls to make.

    lengths: of earlier answers; asked for when an answer at an endpoint is to be estimated.
    """
    planner = _Planner(caller, known, lengths, Plan(caller.endpoints(selection)))
    for target in caller.targets(selection):
        planner.add(target)
    for response, judgments in known_of_others(caller, selection, known):
        planner.plan.known["contestant", response.model] += 1
        planner.plan.known.update(("judge", judgment.judge) for judgment in judgments)
    return planner.plan


@dataclass
class _Planner:
    """Adds calls up as they come. Of a call to make only its key is kept: the same one elsewhere is paid for once."""

    caller: Caller
    known: KnownCalls
    read_lengths: Callable[[], Lengths]
    plan: Plan
    _seen: set[bytes] = field(default_factory=set)
    _frames: dict[tuple[str, str, str], Range] = field(default_factory=dict)

    def add(self, target: Target) -> None:
        """The response and its judgments."""
        if target.placed.withheld:
            self.plan.withheld = withheld_words(self.caller.benchmark)
            return
        request = self.caller.response_request(target)
        key, contestant = request.key(), ("contestant", target.model.id)
        response = self.known.find(Response, key)
        if response is not None:
            self.plan.known[contestant] += 1
            self._judgments_of(target, response)
            return
        if self._is_to_make(contestant, bytes.fromhex(key)):
            self._estimate(contestant, target, prompt_tokens(request), request.decoding.max_tokens)
        for seat in self.caller.seats(target.board, target.model):
            # Its key is not known before the response is; but of the same response it will be the same.
            frame = (_panel(target.board), target.placed.id, seat.judge.id, str(seat.template))
            same = "\n".join((key, *frame)).encode()
            if self._is_to_make(("judge", seat.judge.id), hashlib.blake2b(same, digest_size=32).digest()):
                self._estimate_unseen(target, seat, request)

    def _judgments_of(self, target: Target, response: Response) -> None:
        for call in self.caller.judge_calls(target, self.caller.checked(target, response)):
            key, judge = call.request.key(), ("judge", call.judge.id)
            if (judgment := self.known.find(Judgment, key)) is not None and self.known.is_answered(judgment):
                self.plan.known[judge] += 1
            elif self._is_to_make(judge, bytes.fromhex(key)):
                self._estimate(judge, target, prompt_tokens(call.request), call.judge.decoding.max_tokens)

    def _is_to_make(self, who: Who, key: bytes) -> bool:
        """Count a call that is not known: to make, or known once the same call of another place is made."""
        to_make = key not in self._seen
        self._seen.add(key)
        (self.plan.to_make if to_make else self.plan.known)[who] += 1
        return to_make

    def _estimate_unseen(self, target: Target, seat: Seat, asked: Request) -> None:
        """What a judge takes for a response that is not there yet."""
        who = ("judge", seat.judge.id)
        if who not in self.plan.endpoints:
            return
        contestant = ("contestant", target.model.id)
        if contestant in self.plan.endpoints:
            response = answer_tokens(self._lengths.of(contestant, target.board.id), asked.decoding.max_tokens)
        else:
            prompt = self.caller.prompt(target).text
            response = program_tokens(self._lengths.of_program(contestant), prompt)
        self._estimate(who, target, self._frame(target, seat) + response, seat.judge.decoding.max_tokens)

    def _frame(self, target: Target, seat: Seat) -> Range:
        """Tokens that a judge is shown beside the response; of an empty one, whichever way it might be asked."""
        name = (target.board.id, target.placed.id, str(seat.template))
        if name not in self._frames:
            tokens = [prompt_tokens(request) for request in self.caller.blank_requests(target, seat)]
            self._frames[name] = Range(tokens[0].low, tokens[-1].high)
        return self._frames[name]

    def _estimate(self, who: Who, target: Target, prompt: Range, max_tokens: int | None) -> None:
        if who not in self.plan.endpoints:
            return
        kind, name = who
        benchmark = self.caller.benchmark
        asked: ModelFile | Judge = benchmark.models[name] if kind == "contestant" else benchmark.judges[name]
        answer = answer_tokens(self._lengths.of(who, target.board.id), max_tokens)
        call = estimate(asked.prices, prompt, answer)
        self.plan.estimates[who] = self.plan.estimates[who] + call if who in self.plan.estimates else call

    @cached_property
    def _lengths(self) -> Lengths:
        return self.read_lengths()

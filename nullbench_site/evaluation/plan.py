"""What must be called: every contestant on every item, every judge on every response; and what is known already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends.base import Backend
from nullbench_site.protocols import PROTOCOLS
from nullbench_site.protocols.base import JudgingProtocol, category_axes
from nullbench_site.protocols.request import Message, Request
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs import templates
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.digest import canonical_json, sha256, spec_digest
from nullbench_site.specs.types import BoardFile, Decoding, Judge, ModelFile
from nullbench_site.specs.validate import did_you_mean


@dataclass(frozen=True, slots=True)
class Target:
    """One response to be had: a contestant on an item of a board, in one wording, one sample."""

    board: BoardFile
    model: ModelFile
    placed: PlacedItem
    template: str
    sample: int


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """One judgment to be had."""

    judge: Judge
    gates: bool
    request: Request


@dataclass(frozen=True)
class Selection:
    """Which boards and models a command is about; empty means all. Raises UsageError for names that do not exist."""

    boards: Collection[str] = ()
    models: Collection[str] = ()

    def check(self, benchmark: Benchmark) -> None:
        for noun, names, known in (
            ("board", self.boards, benchmark.boards),
            ("model", self.models, benchmark.models),
        ):
            for name in names:
                if name not in known:
                    raise UsageError(f"there is no {noun} {name!r} in the specs; {did_you_mean(name, known)}")
        boards = [benchmark.boards[board] for board in self.boards or benchmark.boards]
        on_boards = {model.id for board in boards for model in benchmark.contestants(board)}
        for name in self.models:
            if name not in on_boards:
                where = " and ".join(repr(board.id) for board in boards)
                raise UsageError(f"{name!r} is no contestant of {where}; {did_you_mean(name, on_boards)}")

    @property
    def everything(self) -> bool:
        return not self.boards and not self.models


@dataclass(frozen=True)
class Caller:
    """Makes the requests of a benchmark for the backends there are."""

    benchmark: Benchmark
    backends: Mapping[str, Backend]

    def targets(self, selection: Selection) -> Iterator[Target]:
        """Every response of the selection, model by model so that a shard is written in one go."""
        for board, model in self._contestants(selection):
            for placed in self.benchmark.items(board):
                for sample in range(board.samples):
                    yield Target(board, model, placed, board.template, sample)

    def planned(self, selection: Selection) -> int:
        """How many calls the selection needs if every response is answered; one that fails is not judged."""
        items = {board.id: sum(1 for _ in self.benchmark.items(board)) for board in self.benchmark.boards.values()}
        return sum(
            items[board.id] * board.samples * (1 + len(self.benchmark.judges_for(board, model)))
            for board, model in self._contestants(selection)
        )

    def _contestants(self, selection: Selection) -> Iterator[tuple[BoardFile, ModelFile]]:
        for board in self.benchmark.boards.values():
            if not selection.boards or board.id in selection.boards:
                for model in self.benchmark.contestants(board):
                    if not selection.models or model.id in selection.models:
                        yield board, model

    def response_request(self, target: Target) -> Request:
        """The call for a response. The prompt holds the task and the source and nothing else."""
        item = target.placed.item
        fields = {"task": item.task, "source": item.source}
        prompt = templates.prompt(self.benchmark.templates[target.template], **fields)
        return Request(
            backend=self.backends[target.model.backend].identity,
            model=target.model.model,
            params=target.model.params,
            messages=(Message("user", prompt),),
            fields=fields,
            decoding=target.board.decoding,
            sample=target.sample,
        )

    def judge_calls(self, target: Target, response: Response) -> Iterator[JudgeCall]:
        """The calls for the judgments of a response, in the panel's order; none of one that errored."""
        if response.state == "errored":
            return
        protocol = _protocol(target.board)
        judges = self.benchmark.judges_for(target.board, target.model)
        panel = self.benchmark.panels[target.board.panel]
        asked = protocol.gate_judges(panel, [judge.id for judge in judges], response)
        axes = category_axes(self.benchmark, target.placed)
        for judge in judges:
            gates = judge.id in asked
            request = Request(
                backend=self.backends[judge.backend].identity,
                model=judge.model,
                params=judge.params,
                messages=(),
                fields=protocol.judge_fields(target.placed, axes, response.text, gates=gates),
                decoding=Decoding(),
                sample=target.sample,
                reply_schema=protocol.reply_schema(axes, gates=gates),
            )
            yield JudgeCall(judge, gates, request)

    def calls_digest(self) -> str:
        """sha256, in hex, of what fixes every call: the specs, the programs that answer, the protocols."""
        revisions: dict[str, Any] = {
            "specs": spec_digest(self.benchmark),
            "backends": {name: backend.identity for name, backend in self.backends.items()},
            "protocols": {name: protocol.revision for name, protocol in PROTOCOLS.items()},
        }
        return sha256(canonical_json(revisions))


def _protocol(board: BoardFile) -> JudgingProtocol:
    return PROTOCOLS[board.protocol]


@dataclass
class Plan:
    """Calls by who answers them: contestants and judges, to make and known."""

    to_make: Counter[tuple[str, str]] = field(default_factory=Counter)
    known: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def planned(self) -> int:
        return self.to_make.total() + self.known.total()


def make_plan(caller: Caller, selection: Selection, known: KnownCalls) -> Plan:
    """What the selection needs. Judgments of a response that is not known yet all count as calls to make."""
    plan = Plan()
    for target in caller.targets(selection):
        contestant = ("contestant", target.model.id)
        response = known.find(Response, caller.response_request(target).key())
        if response is None:
            plan.to_make[contestant] += 1
            for judge in caller.benchmark.judges_for(target.board, target.model):
                plan.to_make["judge", judge.id] += 1
            continue
        plan.known[contestant] += 1
        for call in caller.judge_calls(target, response):
            tally = plan.known if known.find(Judgment, call.request.key()) else plan.to_make
            tally["judge", call.judge.id] += 1
    return plan

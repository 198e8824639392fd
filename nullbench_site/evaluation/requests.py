"""The requests of a benchmark: to every contestant on every item, to every judge on every response."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import msgspec
from msgspec.structs import replace

from nullbench_site.evaluation.backends.base import Backend
from nullbench_site.evaluation.targets import Selection, Target, Who, protocol_of
from nullbench_site.judging.bridges import REVISION as BRIDGES
from nullbench_site.judging.bridges import BoardBridge, bridges_of
from nullbench_site.judging.calls import AnyQuestion, JudgeCall, JudgeTask, Message, Prompt, Request
from nullbench_site.judging.controls import REVISION, BoardControls
from nullbench_site.judging.protocol import JudgedItems, protocol_revisions
from nullbench_site.judging.short_questions import REVISION as QUESTIONS
from nullbench_site.runs.records import Record, Response
from nullbench_site.specs import templates
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.canaries import FileCanary, PlacedCanary, canaries_of
from nullbench_site.specs.digest import canonical_json, sha256, spec_digest
from nullbench_site.specs.judging_prompts import FULL
from nullbench_site.specs.judging_prompts import REVISION as PROMPTS
from nullbench_site.specs.types import BoardFile, Control, Judge, ModelFile, WordedJudge
from nullbench_site.thinking import split_thinking

_CANARIES = 1
"""Increased when the request to complete a canary changes; part of the digest of the calls of a benchmark that asks."""
CANARY_TEMPLATE = "canary"
"""The template in records of probes."""
_ASKED = "Continue this line. Reply with the rest of the line and nothing else."
_TOKENS = 64
"""The least limit on output tokens: the missing part has 17 characters, and a tokenizer may split it into as many."""


class RequestBuilder(msgspec.Struct, frozen=True, dict=True):
    """Makes the requests of a benchmark for its backends.

    execute: whether checks may run code of a response. Without it, judgments that depend on unrecorded results of such
    checks are unknown.
    """

    benchmark: Benchmark
    backends: Mapping[str, Backend]
    execute: bool = True

    def targets(self, selection: Selection) -> Iterator[Target]:
        """Yield every response of the selection at its first turn, model by model, as records are written.

        The answers to probes come after those to items.
        """
        return (target for target in self._in_every_shard(selection) if self.in_shard(target, selection))

    def in_shard(self, target: Target, selection: Selection) -> bool:
        """Return True if the shard of the selection has a response at its first turn, and so all that follows from it.

        The key of the call decides, so equal calls are in one shard. Without its text an item is in every shard.
        """
        if selection.shard is None or target.placed.withheld:
            return True
        number, n = selection.shard
        return int(self.response_request(target).key(), 16) % n == number - 1

    def _in_every_shard(self, selection: Selection) -> Iterator[Target]:
        for board, model in self.contestants(selection):
            for placed in selection.items_of(self.benchmark, board):
                first = Target(board, model, placed, board.wordings[0], sample=0)
                if not isinstance(model, Control):
                    yield from () if model.lacks(board.id, placed.id) else _draws(first)
                elif self.controls[board.id].asks(model, placed):
                    yield first
            if not selection.part_of_items:
                yield from self.probes(board, model)

    def probes(self, board: BoardFile, model: ModelFile) -> Iterator[Target]:
        """Yield the canaries that a contestant is asked to complete, if the board asks and it can be asked."""
        if (
            board.ask_canaries
            and not isinstance(model, Control)
            and self.backends[model.backend].completes(model.model)
        ):
            for canary in canaries_of(self.benchmark, board):
                yield Target(board, model, PlacedCanary.of(canary), CANARY_TEMPLATE, sample=0)

    def targets_of_others(self, selection: Selection) -> Iterator[Target]:
        """Yield the same for contestants outside a selection, for items whose text is on this machine."""
        if selection.everything:
            return
        boards = self.benchmark.boards.items() if selection.part_of_items else ()
        chosen = {name: {placed.id for placed in selection.items_of(self.benchmark, board)} for name, board in boards}
        for target in self.targets(Selection()):
            selected = selection.has(target.board, target.model)
            if chosen:
                selected = selected and target.placed.id in chosen[target.board.id]
            selected = selected and self.in_shard(target, selection)
            if not selected and not target.placed.withheld:
                yield target

    def expected(self, selection: Selection) -> Counter[Who]:
        """Return how many calls contestants and judges have to answer if every response is answered.

        A response that fails is not judged.
        """
        calls: Counter[Who] = Counter()
        if selection.shard is not None:
            for target in self.targets(selection):
                whos = (who for who, _ in self.places(target))
                calls.update(("judge" if isinstance(who, Judge) else "contestant", who.id) for who in whos)
            return calls
        for board, model in self.contestants(selection):
            draws = 1 if isinstance(model, Control) else len(board.wordings_for(model)) * board.samples
            calls.update(self._expected(board, model, draws, selection))
            if n_probes := 0 if selection.part_of_items else len([*self.probes(board, model)]):
                calls["contestant", model.id] += n_probes
        return calls

    def further_wordings(self, selection: Selection) -> dict[str, int]:
        """Return how many of the expected calls the wordings after the first take, by board with several."""
        further: dict[str, int] = {}
        for board, model in self.contestants(selection):
            if len(board.wordings) > 1:
                more = 0 if isinstance(model, Control) else len(board.wordings_for(model)) - 1
                calls = self._expected(board, model, more * board.samples, selection).total()
                further[board.id] = further.get(board.id, 0) + calls
        return further

    def _expected(self, board: BoardFile, model: ModelFile, draws: int, selection: Selection) -> Counter[Who]:
        """Return the calls for this many answers of a contestant to each selected item of a board."""
        calls: Counter[Who] = Counter()
        turn = protocol_of(board).turn
        of_control = self.controls[board.id].items[model.id] if isinstance(model, Control) else None
        selected = list(selection.items_of(self.benchmark, board))
        if of_control is not None:
            names = {placed.id for placed in selected}
            selected = [placed for placed in of_control if placed.id in names]
        for placed in selected:
            if model.lacks(board.id, placed.id):
                continue
            calls["contestant", model.id] += draws * placed.n_turns
            for task in self.tasks_of(Target(board, model, placed, board.wordings[0], sample=0)):
                if turn(placed, task.template) is not None:
                    calls["judge", task.judge.id] += draws
        return calls

    def planned(self, selection: Selection) -> int:
        """Return the sum of the expected calls."""
        return self.expected(selection).total()

    def contestants(self, selection: Selection) -> Iterator[tuple[BoardFile, ModelFile]]:
        """Yield the contestants of the selection that are called, board by board, then its controls.

        Boards whose results are in tables have no calls.
        """
        for board in self.benchmark.boards.values():
            if board.id in self.benchmark.tables or not protocol_of(board).calls:
                continue
            for model in (*self.benchmark.contestants(board), *self.controls[board.id].all):
                if selection.has(board, model):
                    yield board, model

    @cached_property
    def controls(self) -> Mapping[str, BoardControls]:
        """Board -> its controls."""
        return {name: BoardControls(self.benchmark, board) for name, board in self.benchmark.boards.items()}

    @cached_property
    def bridges(self) -> Mapping[str, Sequence[BoardBridge]]:
        """Board -> the judges that also judge some of its items before they replace a judge of its panel."""
        return {name: tuple(bridges_of(self.benchmark, board)) for name, board in self.benchmark.boards.items()}

    def _bridges_at(self, target: Target) -> Iterator[BoardBridge]:
        for bridge in () if isinstance(target.model, Control) else self.bridges[target.board.id]:
            if target.placed.id in bridge.items:
                yield bridge

    def recorded(self) -> Iterator[Record]:
        """Yield the records that tables of boards contain."""
        for board in self.benchmark.boards.values():
            if board.id in self.benchmark.tables:
                yield from protocol_of(board).recorded(self.benchmark, board)

    def asked(self, who: Who) -> ModelFile | Judge:
        """Return the contestant, control or judge of this name."""
        kind, name = who
        return self.benchmark.answerer(name) if kind == "contestant" else self.benchmark.judges[name]

    def tasks(self, board: BoardFile, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Return the tasks that judge all answers of a contestant: those of the panel and of the protocol."""
        return self._of_panel(board, model)[0]

    def every_task(self, board: BoardFile, model: ModelFile) -> tuple[JudgeTask, ...]:
        """Return the tasks that judge any answer of a contestant."""
        bridges = () if isinstance(model, Control) else self.bridges[board.id]
        return (
            *self.tasks(board, model),
            *(task for bridge in bridges for task in bridge.tasks(model)),
        )

    def tasks_of(self, target: Target) -> tuple[JudgeTask, ...]:
        """Return the tasks that judge the answers of a contestant to this item; none for a probe."""
        if target.is_probe:
            return ()
        bridging = (task for bridge in self._bridges_at(target) for task in bridge.tasks(target.model))
        tasks, few = self._of_panel(target.board, target.model)
        tasks = (*tasks, *bridging)
        return tuple(task for task in tasks if self._judges(task, target)) if few else tasks

    def _judges(self, task: JudgeTask, target: Target) -> bool:
        """Return True if a task judges this item; some judge a few items only."""
        _, few = self._of_panel(target.board, target.model)
        return target.placed.id in few.get((task.judge.id, task.template), (target.placed.id,))

    def _of_panel(self, board: BoardFile, model: ModelFile) -> tuple[tuple[JudgeTask, ...], JudgedItems]:
        """Return the tasks of the panel, and the items of those that judge only a few, cached by contestant."""
        name = board.id, model.id
        if name not in self._panels:
            protocol, place = protocol_of(board), (self.benchmark, board, model)
            self._panels[name] = protocol.tasks(*place), protocol.judged_items(*place)
        return self._panels[name]

    @cached_property
    def _panels(self) -> dict[tuple[str, str], tuple[tuple[JudgeTask, ...], JudgedItems]]:
        return {}

    def tasks_at(self, target: Target) -> tuple[JudgeTask, ...]:
        """Return the tasks that judge this target, at its turn."""
        turn, placed = protocol_of(target.board).turn, target.placed
        return tuple(task for task in self.tasks_of(target) if turn(placed, task.template) == placed.turn)

    def places(self, target: Target) -> Iterator[tuple[ModelFile | Judge, tuple[str, ...]]]:
        """Yield the places of all records of a target's turns, each with the contestant or judge."""
        for turn in target.every_turn:
            yield turn.model, turn.place
            yield from ((task.judge, turn.judged_by(task)) for task in self.tasks_at(turn))

    def prompt(self, target: Target) -> Prompt:
        """Return the prompt of a target."""
        return protocol_of(target.board).worded(self.benchmark, target.board, target.placed, target.template)

    def response_request(self, target: Target) -> Request:
        """Return the request for a response: prompt and earlier turns, or for a control its reference answer."""
        if isinstance(target.placed, PlacedCanary):
            return _canary_request(target.board, target.model, target.placed.canary, self.backends)
        prompt, backend = self.prompt(target), self.backends[target.model.backend]
        before = list(self._before(target))
        fields: dict[str, Any] = {} if backend.chats else dict(prompt.fields)
        if before and not backend.chats:
            fields["before"] = [{"prompt": asked, "response": answer} for asked, answer in before]
        if target.model.kind == "seen" and not backend.chats:
            fields |= self._known_answer(target)
        if isinstance(target.model, Control):
            controls = self.controls[target.board.id]
            if target.model.floor is None:
                reference = controls.reference(target.placed)
                fields = {"reference": reference.text, "source": reference.source}
            else:
                fields = {"reference": controls.answer(target.model, target.placed) or "", "source": ""}
        context = (
            Message(role, text) for turn in before for role, text in zip(("user", "assistant"), turn, strict=True)
        )
        return Request(
            backend=backend.identity,
            model=target.model.model,
            params=target.model.params,
            messages=(*context, Message("user", prompt.text)),
            fields=fields,
            decoding=target.model.decoding or target.board.decoding,
            sample=target.sample,
            salt=_salt(target.placed),
        )

    def _known_answer(self, target: Target) -> Mapping[str, str]:
        """Return the fields that a control of probes for contamination also reads: the item and a right answer."""
        placed = target.placed
        reference = None if placed.private else protocol_of(target.board).reference(placed)
        return {} if reference is None else {"item": placed.id, "reference": reference.text}

    def _before(self, target: Target) -> Iterator[tuple[str, str]]:
        """Yield the prompt and the answer of each earlier turn."""
        said = target.placed.earlier
        for number, answer in enumerate(said):
            earlier = replace(target, placed=target.placed.at(*said[:number]))
            yield self.prompt(earlier).text, answer

    def control_response(self, target: Target) -> Response:
        """Return the answer of a control, which needs no call."""
        assert isinstance(target.model, Control)  # noqa: S101 - for controls alone
        text = self.controls[target.board.id].answer(target.model, target.placed) or ""
        key = self.response_request(target).key()
        return Response(key=key, **target.dimensions, state="answered", text=text, error=None, started_at="", seconds=0)

    def has_checks(self, board: BoardFile, placed: PlacedItem, model: ModelFile | None = None) -> bool:
        """Return True if responses to an item have checks. Controls have none: a reference answer may describe one."""
        if isinstance(model, Control) or isinstance(placed, PlacedCanary):
            return False
        return placed.is_last_turn and protocol_of(board).has_checks(placed)

    def checked(self, target: Target, response: Response) -> Response:
        """Return the response with the results of its checks."""
        if isinstance(target.model, Control) or target.is_probe or not target.placed.is_last_turn:
            return response
        protocol = protocol_of(target.board)
        execute = self.execute or protocol.is_checked(target.placed, response)
        answered = _answered(response)
        checked = protocol.checked(target.placed, answered, execute=execute)
        if answered is not response:
            checked = replace(checked, text=response.text)
        return replace(checked, checks_due=False) if checked.checks_due else checked

    def opponents(self, target: Target, tasks: Iterable[JudgeTask]) -> Iterator[Target]:
        """Yield the opponents that tasks compare a target with, each at its first turn."""
        for opponent in dict.fromkeys(task.opponent for task in tasks if task.opponent is not None):
            yield replace(target.by(self.benchmark.answerer(opponent)), placed=target.placed.at())

    def judge_calls(
        self, target: Target, response: Response, others: Mapping[str, Sequence[Response]]
    ) -> Iterator[JudgeCall]:
        """Yield the judgments of a checked response, in the order of its tasks; none for an errored response.

        others: the answers of its opponents turn by turn. A response is not compared with an errored one.
        """
        if response.state == "errored":
            return
        response = _answered(response)
        answered = {
            model: [_answered(turn) for turn in turns]
            for model, turns in others.items()
            if turns[-1].state != "errored"
        }
        asked = [*self._questions(self.benchmark, target, response, answered)]
        for bridge in self._bridges_at(target):
            in_its_place = self._questions(bridge.after, target, response, answered)
            asked += (question for question in in_its_place if question.task.judge.id == bridge.judge.id)
        turn = protocol_of(target.board).turn
        for question in asked:
            task = question.task
            if turn(target.placed, task.template) == target.placed.turn and self._judges(task, target):
                yield JudgeCall(question, partial(self._judge_request, target))

    def _questions(
        self, benchmark: Benchmark, target: Target, response: Response, answered: Mapping[str, Sequence[Response]]
    ) -> Iterator[AnyQuestion]:
        protocol, shown = protocol_of(target.board), (benchmark, target.board, target.model, target.placed)
        yield from protocol.questions(*shown, response)
        if answered:
            yield from protocol.comparisons(*shown, response=response, others=answered)

    def blank_requests(self, target: Target, task: JudgeTask) -> Iterator[Request]:
        """Yield the requests that a task may make about an empty response, the shortest first."""
        protocol = protocol_of(target.board)
        bridging = (each.after for each in self._bridges_at(target) if each.judge.id == task.judge.id)
        benchmark = next(bridging, self.benchmark)
        for question in protocol.blank_questions(benchmark, target.board, target.placed, task):
            yield self._judge_request(target, question)

    def _judge_request(self, target: Target, question: AnyQuestion) -> Request:
        judge = question.task.judge
        backend = self.backends[judge.backend]
        # deepeval writes the prompt when the call is made, so the key covers the fields used for it.
        messages = question.messages() if backend.chats and hasattr(question, "messages") else ()
        if isinstance(judge, WordedJudge) and messages:
            wrap = partial(self._in_wording, judge.template)
            *before, last = messages
            worded = getattr(question, "worded", None)  # of short questions only the part after the response
            messages = worded(wrap) if worded else (*before, replace(last, content=wrap(last.content)))
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
            top_logprobs=question.top_logprobs if messages and hasattr(question, "top_logprobs") else msgspec.UNSET,
        )

    def _in_wording(self, template: str, question: str) -> str:
        """Return a question to a judge in a wording of the board."""
        return templates.filled(self.benchmark.templates[template], {"question": question})

    def endpoints(self, selection: Selection) -> dict[Who, str]:
        """Return the endpoints of the contestants and judges of the selection; programs have none."""
        endpoints: dict[Who, str] = {}
        for board, model in self.contestants(selection):
            answering: list[tuple[str, ModelFile | Judge]] = [("contestant", model)]
            answering += (("judge", task.judge) for task in self.every_task(board, model))
            for kind, who in answering:
                if self.backends[who.backend].chats:
                    endpoints[kind, who.id] = self.benchmark.endpoint_of(who).id
        return endpoints

    @cached_property
    def spec_digest(self) -> str:
        """Return the digest of the specs."""
        return spec_digest(self.benchmark)

    @cached_property
    def calls_digest(self) -> str:
        """Return the sha256, in hex, of all that sets the calls: specs, backends, protocols, controls and the rest."""
        revisions: dict[str, Any] = {
            "specs": self.spec_digest,
            "backends": self.revisions,
            "protocols": protocol_revisions(self.benchmark),
        }
        if any(controls.all for controls in self.controls.values()):
            revisions["controls"] = REVISION
        if any(self.bridges.values()):
            revisions["bridges"] = BRIDGES
        if any(judge.prompt not in (None, FULL) for judge in self.benchmark.judges.values()):
            revisions["prompts"] = PROMPTS
        if any(judge.asks_questions for judge in self.benchmark.judges.values()):
            revisions["questions"] = QUESTIONS
        if any(board.ask_canaries for board in self.benchmark.boards.values()):
            revisions["canaries"] = _CANARIES
        return sha256(canonical_json(revisions))

    @property
    def revisions(self) -> dict[str, str]:
        """Return the backends in use, each with its revision."""
        return {name: self.backends[name].identity for name in sorted(self.backends_in_use)}

    @property
    def backends_in_use(self) -> set[str]:
        """Return the names of the backends of all contestants, controls and judges."""
        everybody: list[ModelFile | Judge] = [*self.benchmark.models.values(), *self.benchmark.judges.values()]
        controls = (control for of_board in self.controls.values() for control in of_board.all)
        return {who.backend for who in (*everybody, *controls)}


def _draws(first: Target) -> Iterator[Target]:
    """Yield a target in each wording that its contestant answers, and at each sample."""
    for template in first.board.wordings_for(first.model):
        for sample in range(first.board.samples):
            yield replace(first, template=template, sample=sample)


def _answered(response: Response) -> Response:
    """Return a response without the thinking that records of older versions have in their text."""
    split = split_thinking(response.text)
    return replace(response, text=split.answer) if split.found else response


def _salt(placed: PlacedItem) -> str | msgspec.UnsetType:
    """Return the salt of an item. A published item keeps it, so its calls stay known."""
    return msgspec.UNSET if placed.salt is None else placed.salt


def _canary_request(board: BoardFile, model: ModelFile, canary: FileCanary, backends: Mapping[str, Backend]) -> Request:
    """Return the request to complete a canary, of which the known prefix and half of its unique part are shown.

    It has the decoding of the contestant. Programs that have seen the file get the rest too.
    """
    backend, own = backends[model.backend], model.decoding or board.decoding
    limit = own.max_tokens if own.max_tokens is None else max(own.max_tokens, _TOKENS)
    return Request(
        backend=backend.identity,
        model=model.model,
        params=model.params,
        messages=(Message("user", f"{_ASKED}\n\n{canary.shown}"),),
        fields={} if backend.chats else {"canary": canary.shown, "rest": canary.rest, "file": canary.file},
        decoding=msgspec.structs.replace(own, max_tokens=limit, logprobs=False),
        sample=0,
    )

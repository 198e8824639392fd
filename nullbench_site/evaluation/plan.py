"""What a build would do, before it does it: the calls to make, those known, and what they may take."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

import msgspec
from msgspec.structs import replace

from nullbench_site.evaluation.conversations import known_others, known_records
from nullbench_site.evaluation.forecast import (
    NOTHING,
    Lengths,
    Range,
    answer_tokens,
    estimate,
    program_tokens,
    prompt_tokens,
)
from nullbench_site.evaluation.order import BuildOptions, known_to, last_sealed, retry_number, retry_of, run_to_use
from nullbench_site.evaluation.plan_report import Plan
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target, Who
from nullbench_site.judging.calls import JudgeCall, JudgeTask
from nullbench_site.runs.catalog import CatalogEntry, current, list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Record, Response
from nullbench_site.specs.private import withheld_words
from nullbench_site.specs.rules.lifecycle import is_alias, is_past
from nullbench_site.specs.types import RECORDED, BoardFile, Control, JudgedBoardFile, ModelFile


def _panel(board: BoardFile) -> str:
    return board.panel if isinstance(board, JudgedBoardFile) else ""


def plan_of_known(builder: RequestBuilder, selection: Selection, run: RunFolder) -> Plan:
    """The plan where a sealed run has every call; those that failed are done with too.

    Of controls, and of contestants that were brought, its records are counted where it has them all: of these there
    are fewer than others would be asked for, and to work out how many takes longer.
    """
    endpoints = builder.endpoints(selection)
    models = {model.id: model for _, model in builder.contestants(selection)}.values()
    of_controls = _recorded(run, filter(_is_control, models), selection)
    known = builder.expected(selection, lambda model: not _is_control(model) and model.backend != RECORDED)
    known += of_controls + _recorded(run, (model for model in models if model.backend == RECORDED), selection)
    return Plan(endpoints, known=known, controls=Plan(endpoints, known=of_controls) if of_controls else None)


def _is_control(model: ModelFile) -> bool:
    return isinstance(model, Control)


def _recorded(run: RunFolder, models: Iterable[ModelFile], selection: Selection) -> Counter[Who]:
    """How many records of these contestants there are."""
    counts: Counter[Who] = Counter()
    for model in models:
        records: Iterable[Record] = chain(run.records(Response, model.id), run.records(Judgment, model.id))
        for record in records:
            if not selection.boards or record.board in selection.boards:
                counts[("judge", record.judge) if isinstance(record, Judgment) else ("contestant", model.id)] += 1
    return counts


class Watcher:
    """Is told of each call that is planned. This one does nothing with it."""

    def on_known(self, target: Target, record: Response | Judgment, call: JudgeCall | None = None) -> None:
        """A call that is answered by this record, which may be of another place. call: of a verdict, what is asked."""

    def on_settled(self, target: Target, call: JudgeCall) -> None:
        """A verdict that follows without asking anybody."""

    def on_unknown(self, target: Target, who: Who, key: bytes, task: JudgeTask | None = None) -> bool:
        """A call that is not answered; of a verdict on an answer that is not there the key stands for the real one.
        task: of a verdict.

        False: it is not for this plan to make, and stands nowhere in it.
        """
        return True


def make_plan(
    builder: RequestBuilder,
    selection: Selection,
    known: KnownCalls,
    lengths: Callable[[], Lengths] = Lengths,
    watcher: Watcher | None = None,
) -> Plan:
    """What the selection needs, and what is known of the others.

    Judgments of a response that is not known yet all count as calls to make.

    lengths: of earlier answers; asked for when an answer at an endpoint is to be estimated.
    """
    planner = _Planner(builder, known, lengths, Plan(builder.endpoints(selection)), watcher or Watcher())
    for target in builder.targets(selection):
        planner.add(target)
    for target in builder.targets_of_others(selection):
        for record in known_records(builder, target, known):
            who = ("judge", record.judge) if isinstance(record, Judgment) else ("contestant", record.model)
            planner.count_known(target, who)
    return planner.plan


class _Planner(msgspec.Struct, dict=True):
    """Adds calls up as they come. Of a call to make only its key is kept: the same one elsewhere is paid for once."""

    builder: RequestBuilder
    known: KnownCalls
    read_lengths: Callable[[], Lengths]
    plan: Plan
    watcher: Watcher
    _seen: set[bytes] = set()
    _frames: dict[tuple[str, str, str], Range] = {}

    def add(self, target: Target) -> None:
        """The response and its judgments."""
        if target.placed.withheld:
            self.plan.withheld = withheld_words(self.builder.benchmark)
            return
        turn: Target | None = target
        while turn is not None:
            turn = self._turn(turn)

    def _turn(self, target: Target) -> Target | None:
        """The response at one turn and its judgments; the next turn, where what it asks is known."""
        request = self.builder.response_request(target)
        key, contestant = request.key(), ("contestant", target.model.id)
        response = self.known.find(Response, key)
        if response is not None:
            self.count_known(target, contestant)
            checked = self.builder.checked(target, response)
            self.watcher.on_known(target, checked)
            self._judgments_of(target, checked)
            return target.after(checked)
        if self._is_to_make(target, contestant, bytes.fromhex(key)):
            self._estimate(contestant, target, prompt_tokens(request), request.decoding.max_tokens)
        if isinstance(target.model, Control):  # what it will answer is known before
            answer = self.builder.control_response(target)
            self._judgments_of(target, answer)
            return target.after(answer)
        self._judgments_unseen(target, self.builder.tasks_at(target))
        for turn in target.later_turns:
            # As for verdicts: of the same answers its key will be the same, and so they stand for them here.
            unseen = replace(
                turn, placed=target.placed.at(*target.placed.said, *[key] * (turn.placed.turn - target.placed.turn))
            )
            self._turn_unseen(unseen)
        return None

    def _turn_unseen(self, target: Target) -> None:
        """The call at a turn while the answers before it are not there, and its judgments."""
        request, contestant = self.builder.response_request(target), ("contestant", target.model.id)
        if self._is_to_make(target, contestant, bytes.fromhex(request.key())):
            tokens_before = sum(
                (self._response_tokens(turn) for turn in target.every_turn if turn.placed.turn < target.placed.turn),
                NOTHING,
            )
            self._estimate(contestant, target, prompt_tokens(request) + tokens_before, request.decoding.max_tokens)
        self._judgments_unseen(target, self.builder.tasks_at(target))

    def _judgments_unseen(self, target: Target, tasks: Iterable[JudgeTask]) -> None:
        """The verdicts of tasks while an answer that they are to be shown is not there.

        Their keys are not known before it is; but of the same answers they will be the same, whoever's they are.
        """
        request = self.builder.response_request(target)
        for task in tasks:
            texts, wording = [request.key()], str(task.template)
            if task.opponent is not None:
                model = self.builder.benchmark.answerer(task.opponent)
                texts.append(self.builder.response_request(replace(target, model=model)).key())
                if task.position == 1 or (task.position is None and texts[1] < texts[0]):
                    texts.reverse()
                wording = "in this order"
            frame = (_panel(target.board), target.placed.id, task.judge.id, wording)
            same = "\n".join((*texts, *frame)).encode()
            key = hashlib.blake2b(same, digest_size=32).digest()
            if self._is_to_make(target, ("judge", task.judge.id), key, task):
                self._estimate_unseen(target, task)

    def _judgments_of(self, target: Target, response: Response) -> None:
        others = known_others(self.builder, target, self.known)
        if response.state != "errored":
            tasks = self.builder.tasks_at(target)
            self._judgments_unseen(target, (each for each in tasks if each.opponent and each.opponent not in others))
        for call in self.builder.judge_calls(target, response, others):
            key, judge = call.request.key(), ("judge", call.judge.id)
            if call.settled is not None:
                self.count_known(target, judge)
                self.watcher.on_settled(target, call)
            elif (judgment := self.known.answer(Judgment, key)) is not None:
                self.count_known(target, judge)
                self.watcher.on_known(target, judgment, call)
            elif self._is_to_make(target, judge, bytes.fromhex(key), call.question.task):
                self._estimate(judge, target, prompt_tokens(call.request), call.judge.decoding.max_tokens)

    def count_known(self, target: Target, who: Who) -> None:
        """Count a call that is known."""
        for plan in self._plans(target):
            plan.known[who] += 1

    def _is_to_make(self, target: Target, who: Who, key: bytes, task: JudgeTask | None = None) -> bool:
        """Count a call that is not known: to make, or known once the same call of another place is made."""
        if not self.watcher.on_unknown(target, who, key, task):
            return False
        to_make = key not in self._seen
        self._seen.add(key)
        for plan in self._plans(target):
            (plan.to_make if to_make else plan.known)[who] += 1
        return to_make

    def _plans(self, target: Target) -> Sequence[Plan]:
        """Where the calls of a target are added up."""
        if not isinstance(target.model, Control):
            return [self.plan]
        if self.plan.controls is None:
            self.plan.controls = Plan(self.plan.endpoints)
        return [self.plan, self.plan.controls]

    def _estimate_unseen(self, target: Target, task: JudgeTask) -> None:
        """What a judge takes for responses that are not there yet."""
        who = ("judge", task.judge.id)
        if who not in self.plan.endpoints:
            return
        before = (self._response_tokens(turn) for turn in target.every_turn if turn.placed.turn <= target.placed.turn)
        shown = self._frame(target, task) + sum(before, NOTHING)
        if task.opponent is not None:
            shown += self._response_tokens(replace(target, model=self.builder.benchmark.answerer(task.opponent)))
        self._estimate(who, target, shown, task.judge.decoding.max_tokens)

    def _response_tokens(self, target: Target) -> Range:
        contestant = ("contestant", target.model.id)
        if contestant in self.plan.endpoints:
            decoding = target.model.decoding or target.board.decoding
            return answer_tokens(self._lengths.of(contestant, target.board.id), decoding.max_tokens)
        return program_tokens(self._lengths.of_program(contestant), self.builder.prompt(target).text)

    def _frame(self, target: Target, task: JudgeTask) -> Range:
        """Tokens that a judge is shown beside the response; of an empty one, whichever way it might be asked."""
        name = (target.board.id, target.placed.id, str(task.template))
        if name not in self._frames:
            tokens = [prompt_tokens(request) for request in self.builder.blank_requests(target, task)]
            self._frames[name] = Range(tokens[0].low, tokens[-1].high)
        return self._frames[name]

    def _estimate(self, who: Who, target: Target, prompt: Range, max_tokens: int | None) -> None:
        if who not in self.plan.endpoints:
            return
        asked = self.builder.asked(who)
        answer = answer_tokens(self._lengths.of(who, target.board.id), max_tokens)
        call = estimate(asked.prices, prompt, answer)
        for plan in self._plans(target):
            plan.estimates[who] = plan.estimates[who] + call if who in plan.estimates else call

    @cached_property
    def _lengths(self) -> Lengths:
        return self.read_lengths()


def plan_calls(
    builder: RequestBuilder,
    runs_dir: Path,
    selection: Selection,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
    watcher: Watcher | None = None,
) -> Plan:
    """What `evaluate` would call and what it would reuse. Raises UsageError for names that do not exist."""
    selection.check(builder.benchmark)
    entries = list_runs(runs_dir)
    plan = _plan_of(builder, entries, selection, watcher, fresh=fresh, retry_failed=retry_failed)
    sealed = last_sealed(builder, entries)
    plan.run = None if sealed is None else sealed.path.name
    asked = [judge for judge in builder.benchmark.judges.values() if plan.to_make["judge", judge.id]]
    plan.retired = {judge.id: str(judge.retires) for judge in asked if is_past(judge)}
    at_endpoints = [judge for judge in asked if ("judge", judge.id) in plan.endpoints]
    plan.aliases = {judge.id: judge.model for judge in at_endpoints if is_alias(judge.model)}
    return plan


def keyless(builder: RequestBuilder, plan: Plan, environ: Mapping[str, str]) -> dict[str, str]:
    """Endpoints that a plan has calls for and whose key is not set, with the variable that is to hold it."""
    reached = (builder.benchmark.endpoint_of(builder.asked(who)) for who in plan.endpoints if plan.to_make[who])
    keys = {endpoint.id: endpoint.key_env for endpoint in reached if endpoint.key_env}
    return {endpoint: key for endpoint, key in sorted(keys.items()) if not environ.get(key)}


def _plan_of(
    builder: RequestBuilder,
    entries: list[CatalogEntry],
    selection: Selection,
    watcher: Watcher | None,
    *,
    fresh: bool,
    retry_failed: bool,
) -> Plan:
    order = BuildOptions(selection, fresh=fresh, retry_failed=retry_failed)
    entry = run_to_use(builder, entries, order)
    if entry is not None and entry.manifest.sealed:
        return plan_of_known(builder, selection, RunFolder(entry.path, entry.manifest))
    retry = retry_of(builder, retry_number(entries, entry, order))
    known = KnownCalls([] if fresh else entries, retry) if entry is None else known_to(entry, entries, retry)
    at_endpoints = builder.endpoints(Selection())
    return make_plan(builder, selection, known, lambda: Lengths.of_runs(current(entries), at_endpoints), watcher)

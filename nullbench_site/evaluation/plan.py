"""Make the plan of a build: the calls to make, the known calls, and what they may cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

import msgspec

from nullbench_site.evaluation.forecast import (
    NOTHING,
    Lengths,
    Range,
    answer_tokens,
    estimate,
    program_tokens,
    prompt_tokens,
)
from nullbench_site.evaluation.options import BuildOptions, known_to, last_sealed, retry_number, retry_of, run_to_use
from nullbench_site.evaluation.plan_report import Plan
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target, Who
from nullbench_site.evaluation.walk import Call, KnownRecords, known_records, recorded_calls
from nullbench_site.judging.calls import JudgeTask
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.catalog import current, list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, ProbeAnswer, Record, Response
from nullbench_site.specs.private import withheld_words
from nullbench_site.specs.rules.lifecycle import is_alias, is_past
from nullbench_site.specs.types import Control


def plan_of_known(builder: RequestBuilder, selection: Selection, run: RunFolder) -> Plan:
    """Return the plan if a sealed run has every call: the records of the selection count as known, failed ones too."""
    plan, of_controls = Plan(builder.endpoints(selection)), Plan(builder.endpoints(selection))
    boards = builder.benchmark.boards.items() if selection.part_of_items else ()
    chosen = {name: {placed.id for placed in selection.items_of(builder.benchmark, board)} for name, board in boards}
    for model in {model.id: model for _, model in builder.contestants(selection)}.values():
        answers = chain(run.records(Response, model.id), run.records(ProbeAnswer, model.id))
        records: Iterable[Record] = chain(answers, run.records(Judgment, model.id))
        for record in records:
            if (not selection.boards or record.board in selection.boards) and (
                not chosen or record.item in chosen[record.board]
            ):
                who = ("judge", record.judge) if isinstance(record, Judgment) else ("contestant", model.id)
                plan.known[who] += 1
                plan.of_board[record.board] += 1
                of_controls.known[who] += isinstance(model, Control)
    of_controls.known = +of_controls.known
    plan.controls = of_controls if of_controls.known else None
    return plan


def make_plan(
    builder: RequestBuilder,
    selection: Selection,
    known: KnownCalls,
    lengths: Callable[[], Lengths] = Lengths,
    takes: Callable[[Call], bool] = lambda call: True,
) -> Plan:
    """Return the calls that the selection needs, and the known calls of the other contestants.

    All judgments of a missing response count as calls to make. lengths: of earlier answers, read when an estimate needs
    them. takes: a filter; the plan omits calls for which it returns False.
    """
    planner = _Planner(builder, lengths, Plan(builder.endpoints(selection)))
    records = KnownRecords(known)
    for target in builder.targets(selection):
        if target.placed.withheld:
            planner.plan.withheld = withheld_words(builder.benchmark)
            continue
        for call in recorded_calls(builder, target, records):
            if takes(call):
                planner.add(call)
    for target in builder.targets_of_others(selection):
        for record in known_records(builder, target, known):
            who = ("judge", record.judge) if isinstance(record, Judgment) else ("contestant", record.model)
            planner.count_known(target, who)
    return planner.plan


class _Planner(msgspec.Struct, dict=True):
    """Adds calls up. It keeps the key of each call to make, because equal calls are paid once."""

    builder: RequestBuilder
    read_lengths: Callable[[], Lengths]
    plan: Plan
    _to_make: set[bytes] = set()
    _frames: dict[tuple[str, str, str], Range] = {}

    def add(self, call: Call) -> None:
        if call.record is not None or call.is_settled:
            self.count_known(call.turn, call.who)
            return
        key = call.key(self.builder)
        if key in self._to_make:
            self.count_known(call.turn, call.who)
            return
        self._to_make.add(key)
        if call.is_unseen and call.task is not None:
            self.plan.at_most += judging(call.turn.board.protocol).is_optional(call.task.template)
        for plan in self._plans(call.turn):
            plan.to_make[call.who] += 1
            plan.of_board[call.turn.board.id] += 1
        if call.who in self.plan.endpoints:
            self._estimate(call)

    def count_known(self, target: Target, who: Who) -> None:
        for plan in self._plans(target):
            plan.known[who] += 1
            plan.of_board[target.board.id] += 1

    def _plans(self, target: Target) -> Sequence[Plan]:
        """Return the plans that count the calls of a target: the calls of controls have a subtotal."""
        if not isinstance(target.model, Control):
            return [self.plan]
        if self.plan.controls is None:
            self.plan.controls = Plan(self.plan.endpoints)
        return [self.plan, self.plan.controls]

    def _estimate(self, call: Call) -> None:
        """Add the tokens and the cost of a call at an endpoint."""
        turn, asked = call.turn, self.builder.asked(call.who)
        earlier = partial(self._answer_tokens, turn)
        if call.task is None:
            max_tokens = (turn.model.decoding or turn.board.decoding).max_tokens
            prompt = earlier(turn.placed.turn - 1) if call.is_unseen else NOTHING
        else:
            max_tokens, prompt = call.task.judge.decoding.max_tokens, NOTHING
        if call.request is not None:
            prompt += prompt_tokens(call.request)
        elif call.task is not None:
            prompt = self._frame(turn, call.task) + earlier(turn.placed.turn)
            if call.task.opponent is not None:
                opponent = turn.by(self.builder.benchmark.answerer(call.task.opponent))
                prompt += self._response_tokens(opponent)
        answer = answer_tokens(self._lengths.of(call.who, turn.board.id), max_tokens)
        added = estimate(asked.prices, prompt, answer, self._lengths.seconds(call.who, turn.board.id))
        for plan in self._plans(turn):
            plan.estimates[call.who] = plan.estimates[call.who] + added if call.who in plan.estimates else added

    def _answer_tokens(self, target: Target, last: int) -> Range:
        """Return the tokens of the answers of a target up to a turn."""
        return sum((self._response_tokens(turn) for turn in target.every_turn if turn.placed.turn <= last), NOTHING)

    def _response_tokens(self, target: Target) -> Range:
        contestant = ("contestant", target.model.id)
        if contestant in self.plan.endpoints:
            decoding = target.model.decoding or target.board.decoding
            return answer_tokens(self._lengths.of(contestant, target.board.id), decoding.max_tokens)
        return program_tokens(self._lengths.of_program(contestant), self.builder.prompt(target).text)

    def _frame(self, target: Target, task: JudgeTask) -> Range:
        """Return the tokens that a judge is shown in addition to the response, for every form of the task."""
        name = (target.board.id, target.placed.id, str(task.template))
        if name not in self._frames:
            tokens = [prompt_tokens(request) for request in self.builder.blank_requests(target, task)]
            self._frames[name] = Range(tokens[0].low, tokens[-1].high)
        return self._frames[name]

    @cached_property
    def _lengths(self) -> Lengths:
        return self.read_lengths()


def plan_calls(
    builder: RequestBuilder,
    runs_dir: Path,
    options: BuildOptions,
    takes: Callable[[Call], bool] = lambda call: True,
) -> Plan:
    """Return the calls that `evaluate` would make and those it would reuse. Raises UsageError for unknown names.

    takes: as in `make_plan`.
    """
    options.selection.check(builder.benchmark)
    entries = list_runs(runs_dir)
    entry = run_to_use(builder, entries, options)
    if entry is not None and entry.manifest.sealed:
        plan = plan_of_known(builder, options.selection, RunFolder(entry.path, entry.manifest))
    else:
        retry = retry_of(builder, retry_number(entries, entry, options))
        others = options.known_runs(entries)
        known = known_to(entry, others, retry) if entry else KnownCalls([] if options.fresh else others, retry)
        lengths = partial(Lengths.of_runs, current(entries), builder.endpoints(Selection()))
        plan = make_plan(builder, options.selection, known, lengths, takes)
    sealed = last_sealed(builder, entries)
    plan.run = None if sealed is None else sealed.path.name
    plan.both_orders = tuple(_in_both_orders(builder, options.selection))
    asked = [judge for judge in builder.benchmark.judges.values() if plan.to_make["judge", judge.id]]
    plan.retired = {judge.id: str(judge.retires) for judge in asked if is_past(judge)}
    at_endpoints = [judge for judge in asked if ("judge", judge.id) in plan.endpoints]
    plan.aliases = {judge.id: judge.model for judge in at_endpoints if is_alias(judge.model)}
    plan.further_wordings = builder.further_wordings(options.selection)
    return plan


def _in_both_orders(builder: RequestBuilder, selection: Selection) -> dict[str, None]:
    """Return the ids of the boards whose judges see two answers in both orders, in order."""
    boards: dict[str, None] = {}
    for board, model in builder.contestants(selection):
        if board.id not in boards:
            tasks = judging(board.protocol).tasks(builder.benchmark, board, model)
            boards |= dict.fromkeys([board.id] if any(task.position is not None for task in tasks) else [])
    return boards


def keyless(builder: RequestBuilder, plan: Plan, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the endpoints with planned calls but without a key, each with the variable of the key."""
    reached = (builder.benchmark.endpoint_of(builder.asked(who)) for who in plan.endpoints if plan.to_make[who])
    keys = {endpoint.id: endpoint.key_env for endpoint in reached if endpoint.key_env}
    return {endpoint: key for endpoint, key in sorted(keys.items()) if not environ.get(key)}

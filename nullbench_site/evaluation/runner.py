"""Make the calls of a plan: a window of workers for each endpoint, each answer on disk before it counts."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from nullbench_site.errors import NullbenchError
from nullbench_site.evaluation.askers import Askers, Window, windows
from nullbench_site.evaluation.backends.base import BuildContext, UnavailableError
from nullbench_site.evaluation.cut_replies import CutReplies
from nullbench_site.evaluation.endpoints.batch_files import BatchAsker
from nullbench_site.evaluation.meters import CallOutcome, Meter, Progress, Tally
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.recording import MOST_WAIT, Recorder
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.search_stages import SearchStopped, stages
from nullbench_site.evaluation.targets import Scope, Selection, Target, Who
from nullbench_site.evaluation.walk import JudgeStep, Steps, spared, steps
from nullbench_site.judging.calls import JudgeCall, Request
from nullbench_site.judging.judgment import JudgmentMaker
from nullbench_site.runs.known import Journal, KnownCalls, with_spent
from nullbench_site.runs.records import Judgment, ProbeAnswer, Record, RecordT, Response, unanswered
from nullbench_site.specs.private import withheld_words
from nullbench_site.specs.types import Control, Judge, ModelFile

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(repr=False)  # the handler of a signal prints the result of the task, which would be the whole benchmark
class Runner:
    """Makes calls and records them in a run folder. It copies known records and skips those that the folder has."""

    builder: RequestBuilder
    recorder: Recorder
    known: KnownCalls
    askers: Askers
    context: BuildContext
    scope: Scope = field(default_factory=Scope)
    retry: int = 0
    on_call: Callable[[CallOutcome], None] = lambda outcome: None
    silent: Collection[Who] = ()
    """The contestants and judges whose servers are on this machine and not running."""
    cut_replies: CutReplies = field(init=False)
    tally: Tally = field(default_factory=Tally)
    unasked: Counter[str] = field(default_factory=Counter)
    """Contestant -> the probes that were left out."""
    stops: dict[str, None] = field(default_factory=dict)
    """Why calls were not made, each message once, in order."""
    open: dict[str, dict[str, None]] = field(default_factory=dict)
    """Contestant -> the items that it could not be asked, each once, in order."""
    _asking: dict[str, asyncio.Event] = field(default_factory=dict)
    _ahead: dict[tuple[str, ...], asyncio.Future[Response | None]] = field(default_factory=dict)
    """Opponents' responses requested before their own turn, by place."""
    _without: dict[tuple[str, ...], Response | None] = field(default_factory=dict)
    """Responses that errored or are missing, so that no comparison requests them again."""
    _failed: dict[str, Any] = field(default_factory=dict)
    """Key -> the record of a call that failed in this build."""
    spared: dict[tuple[str, ...], int] = field(default_factory=dict)
    """Place of an answer -> how many planned questions about it are not asked, because it lacks what they ask about."""
    _ingested: set[str] = field(default_factory=set)
    """The keys of the answers that this pass took from files that came back."""
    _is_first_pass: bool = True
    _selection: Selection = field(default_factory=Selection)
    # Separate threads: the event loop resolves host names in its own, and a check may take seconds.
    _checkers: ThreadPoolExecutor = field(default_factory=ThreadPoolExecutor)

    def __post_init__(self) -> None:
        self.cut_replies = CutReplies(self.context)

    async def run(self, selection: Selection) -> Tally:
        """Make every call of the selection. Cancelling loses the calls in flight only.

        If calls wait for batches, another pass makes the calls that follow from their answers.

        Raises StorageError if the disk refuses, RunError if a known answer cannot be read.
        """
        self._selection = selection
        try:
            await self._pass(selection)
            while await self._answers_came():
                await self._pass(selection)
        except BaseExceptionGroup as failures:
            known, bugs = failures.split(NullbenchError)
            if known is None or bugs is not None:
                raise
            # A full disk stops several workers at once; one message is enough.
            raise _first(known) from None
        finally:
            self._checkers.shutdown(wait=False, cancel_futures=True)
            self.recorder.close()
        return self.tally

    async def _pass(self, selection: Selection) -> None:
        for stage in self._stages(selection):
            async with asyncio.TaskGroup() as group:
                for window in stage:
                    for _ in range(window.workers):
                        group.create_task(self._work(window))

    async def _answers_came(self) -> bool:
        """Wait for batches. Return True if another pass has to record their answers."""
        endpoints, batch = self.context.endpoints, self.context.batch
        if endpoints is None or self.context.draining.is_set():
            return False
        if batch is not None:  # judges may have answered too, if files of several waves came back together
            came = bool(self._ingested) and bool(batch.answers.unknown(self.known.has))
        else:
            came = await endpoints.advance(self.known.has)
        if not came:
            return False
        self._ingested.clear()
        self._is_first_pass, self.tally.left = False, 0
        for each in (self.stops, self.open, self.unasked, self.spared, self._without, self._ahead):
            each.clear()
        return not self.context.draining.is_set()

    def _stages(self, selection: Selection) -> Iterator[Iterable[Window]]:
        """Yield the windows of all targets at once, or of each step of a search, which needs the verdicts before it."""
        staged = False
        try:
            for targets in stages(self.builder, selection, self.recorder.journal, self.known):
                staged = True
                yield [Window({"": iter(targets)}, len(targets))]
        except SearchStopped as stop:
            if not self.stops:  # otherwise they say why its judge was not asked
                self.stops[str(stop)] = None
            self.tally.left += stop.left
        if not staged:
            yield windows(self.builder, self.askers, selection)

    async def _work(self, targets: Iterable[Target]) -> None:
        for target in targets:
            # Programs answer without waiting. Without this, a Ctrl-C would wait for the whole plan.
            await asyncio.sleep(0)
            if self.context.draining.is_set():
                return
            if target.is_probe and self._is_left_out(target):
                self.unasked[target.model.id] += 1
            elif not self._is_by_place(target):
                await self._walk(steps(self.builder, target))

    async def _walk(self, walk: Steps) -> None:
        """Request each answer and judgment of a target; the next build gets those that cannot be requested."""
        answer: Response | None = None
        with suppress(StopIteration):
            while True:
                step, answer = walk.send(answer), None
                if isinstance(step, JudgeStep):
                    self._leave(step)
                    await self._judge_all(step.turn, self._due(step))
                elif step.is_opponent:
                    answer = await self._opponent(step.turn, step.request)
                elif step.is_unseen:
                    self.tally.left += 1
                else:
                    ahead = self._ahead.pop(step.turn.place, None)
                    answer = await (self._respond(step.turn, step.request) if ahead is None else ahead)

    def _leave(self, step: JudgeStep) -> None:
        """Count the judgments that show a missing answer."""
        self.tally.left += len(step.unseen)
        for opponent in dict.fromkeys(task.opponent for task in step.unseen if step.answer is not None):
            self.stops.setdefault(f"{opponent} has not answered all that others are compared on")

    def _due(self, step: JudgeStep) -> Sequence[JudgeCall]:
        """Return the judgments to make now. If the answer just came from a file, no model can have judged it."""
        if n := spared(step):
            self.spared[step.turn.place] = n
        if step.answer is None or step.answer.key not in self._ingested:
            return step.calls
        due = [task for task in step.tasks if not isinstance(self.askers.of(task.judge), BatchAsker)]
        self.tally.left += len(step.tasks) - len(due)
        return [call for call in step.calls if call.question.task in due] if due else ()

    async def _opponent(self, target: Target, request: Request) -> Response | None:
        """Return the response of an opponent: known, or requested before its turn. None if it may not be requested.

        Its own turn records and counts the response, unless it is requested here.
        """
        key, place = request.key(), target.place
        if key in self._asking and place not in self._ahead:  # this is its turn
            await self._asking[key].wait()
        if place in self._without:
            return self._without[place]
        if (known := self.known.answer(Response, key)) is not None:
            return msgspec.structs.replace(known, **target.dimensions)
        if place in self._ahead:
            return await self._ahead[place]
        elsewhere = target.placed.turn == 1 and not self.builder.in_shard(target, self._selection)
        if elsewhere or not self._selection.has(target.board, target.model):
            return None
        asked = self._ahead[place] = asyncio.get_running_loop().create_future()
        try:
            response = await self._respond(target, request)
            asked.set_result(response)
            return response
        finally:
            asked.cancel()  # no future if the result is already known

    def _is_left_out(self, target: Target) -> bool:
        """Return True for an unknown probe of a contestant that is not asked now: a run does not wait for probes."""
        if self.scope.contestants and ("contestant", target.model.id) not in self.silent:
            return False
        return self.known.answer(target.record_type, self.builder.response_request(target).key()) is None

    def _is_by_place(self, target: Target) -> bool:
        """Return True if the records on disk are all we can get for this target, and count them as reused.

        Without the text of an item, no call key can be computed. If the text of a response is lost, its stored
        judgments stay; if one is missing, the contestant is called again.
        """
        withheld, journal = target.placed.withheld, self.recorder.journal
        if not withheld and not journal.has_lost(turn.place for turn in target.every_turn):
            return False
        places = list(self.builder.places(target))
        stored = [who for who, place in places if journal.has(place)]
        missing = len(places) - len(stored)
        if missing and not withheld:
            return False
        if missing:
            self.tally.left += missing
            self.stops.setdefault(f"{withheld_words(self.builder.benchmark)}, and build again")
        for who in stored if self._is_first_pass else ():
            self._count_reused(who)
        return True

    def _count_reused(self, who: ModelFile | Judge) -> None:
        for counter in (self.tally, self.askers.of(who).meter):
            counter.reused += 1
        self.on_call("reused")

    async def _judge_all(self, target: Target, calls: Sequence[JudgeCall]) -> None:
        if not any(call.request.messages for call in calls):  # programs answer at once
            for call in calls:
                await self._judge(target, call)
            return
        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(self._judge(target, call))

    async def _respond(self, target: Target, request: Request) -> Response | None:
        key, place, kind = request.key(), target.dimensions, target.record_type

        async def ask(_: Response | None) -> Response:
            asked = await self.askers.ask(target.model, request)
            answer = asked.answer
            if self.context.batch is not None and isinstance(self.askers.of(target.model), BatchAsker):
                self._ingested.add(key)
            response = kind(
                key=key,
                **place,
                state="errored" if answer is None else "answered",
                text=answer.text if answer else "",
                checks_due=answer is not None and self.builder.has_checks(target.board, target.placed, target.model),
                confidence=answer.confidence if answer else None,
                **asked.fields,
            )
            if response.checks_due:
                return await self.recorder.keep(response)
            return response

        # A control measures the panel, and its answer needs no call.
        asks = ask if self.scope.contestants or isinstance(target.model, Control) else None
        finished = partial(self._checked, target)
        response = await self._settle(target.model, kind, key, place, asks, finished=finished)
        if response is None or response.state == "errored":
            self._without[target.place] = response
        return response

    async def _checked(self, target: Target, response: Response) -> Response:
        """Return the response with the results of its checks, computed in a thread: they may take seconds."""
        stale = response.checks or response.checks_due
        if not stale and not self.builder.has_checks(target.board, target.placed, target.model):
            return response

        def check() -> Response:
            if self.context.draining.is_set():
                raise UnavailableError("checks were left to the next build")
            return self.builder.checked(target, response)

        return await asyncio.get_running_loop().run_in_executor(self._checkers, check)

    async def _judge(self, target: Target, call: JudgeCall) -> Judgment | None:
        place = {**target.dimensions, **call.dimensions}

        async def begin(first_turn: Judgment) -> Judgment:
            self.tally.begun += 1
            return await self.recorder.keep(first_turn)

        maker = JudgmentMaker(self.askers.ask, call, place, begin, self.retry)
        if maker.settled is not None:
            return await self._keep(call.judge, maker.settled, "reused", None)

        async def ask(begun: Judgment | None) -> Judgment:
            made = await maker.make(begun)
            if made is not begun:
                self.cut_replies.add(call, self.askers.of(call.judge), made)
            return made

        asks = ask if self.scope.asks(call.judge) else None
        return await self._settle(call.judge, Judgment, call.request.key(), place, asks)

    async def _settle(
        self,
        who: ModelFile | Judge,
        kind: type[RecordT],
        key: str,
        place: dict[str, Any],
        ask: Callable[[RecordT | None], Awaitable[RecordT]] | None,
        *,
        finished: Callable[[RecordT], Awaitable[RecordT]] | None = None,
    ) -> RecordT | None:
        """Return the record of a call, known or made now, and write it to disk. None if the call may not be made.

        ask: makes the call; it gets the record of an unfinished one. finished: completes a record before it is kept.
        """
        while key in self._asking:
            # The same call is in flight for another place; it is paid once.
            await self._asking[key].wait()
        if not self._is_first_pass and key in self._failed:
            again: RecordT = msgspec.structs.replace(self._failed[key], **place)
            return again
        known = self.known.find(kind, key)
        begun = None if known is None else msgspec.structs.replace(known, **place)
        settled = self._asking[key] = asyncio.Event()
        in_flight = self.context.in_flight
        try:
            if begun is not None and self.known.retry.is_answered(begun):
                return await self._keep(who, begun, "reused", finished)
            if ask is None:
                self.tally.left += 1
                return None
            with nullcontext() if in_flight is None else in_flight.call(kind, key, place):
                try:
                    record = await ask(begun)
                except UnavailableError as reason:
                    if reason.failed_usd or reason.uncounted:
                        await self._keep_cost(kind, key, place, reason)
                    raise
                failed = record.state == "errored" or _stays(begun, record)
                if failed:
                    self._failed[key] = record
                return await self._keep(who, record, "failed" if failed else "made", finished)
        except UnavailableError as reason:
            self.stops.setdefault(str(reason))
            self.tally.left += 1
            if kind is Response:
                self.open.setdefault(who.id, {})[place["item"]] = None
            return None
        finally:
            del self._asking[key]
            settled.set()

    async def _keep_cost(self, kind: type[RecordT], key: str, place: dict[str, Any], reason: UnavailableError) -> None:
        """Record the cost of a call that is left to the next build, with its first turn if there is one."""
        begun = self.known.find(kind, key)
        spent, uncounted = reason.failed_usd, reason.uncounted
        billed: tuple[str, ...] = (reason.billed,) if reason.billed else ()
        if begun is None:
            failed = {"failed_usd": spent or None, "uncounted": uncounted, "billed": billed}
            await self.recorder.keep(unanswered(kind, key, place, str(reason), **failed))
            return
        before: tuple[str, ...] = begun.billed
        if not set(billed) & set(before):  # else a build that was killed after this has recorded it
            changed = {**place, "billed": before + billed}
            await self.recorder.keep(with_spent(begun, changed, spent, uncounted))

    async def _keep(
        self,
        who: ModelFile | Judge,
        record: RecordT,
        outcome: CallOutcome,
        finished: Callable[[RecordT], Awaitable[RecordT]] | None,
    ) -> RecordT:
        """Write the finished record to disk unless it is already there, and count the call."""
        counted = not self._is_first_pass and self.recorder.journal.has(record.place)
        record = record if finished is None else await finished(record)
        await self.recorder.keep(record)
        if counted:
            return record
        self._count(self.askers.of(who).meter, record, outcome)
        self.on_call(outcome)
        return record

    def _count(self, meter: Meter, record: Record, outcome: CallOutcome) -> None:
        for counter in (self.tally, meter):
            setattr(counter, outcome, getattr(counter, outcome) + 1)
        self.tally.failed_probes += outcome == "failed" and isinstance(record, ProbeAnswer)
        if outcome == "made" and isinstance(record, Judgment):
            meter.invalid += bool(record.invalid)
            self.tally.unparsed += record.state == "unparsed"


def _stays(begun: Record | None, record: Record) -> bool:
    """Return True if a record is an unparsed judgment that a retry could not make again."""
    if not isinstance(begun, Judgment) or begun.repair_due:
        return False
    return record.started_at == begun.started_at


def _first(group: BaseExceptionGroup[NullbenchError]) -> NullbenchError:
    """Return the first error of nested groups."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def run_session(
    builder: RequestBuilder,
    options: BuildOptions,
    progress: Progress,
    context: BuildContext,
    expected: Mapping[Who, int],
    *,
    journal: Journal,
    known: KnownCalls,
    silent: Collection[Who] = (),
) -> Runner:
    """Make the calls of a build. expected: how many, by contestant and judge. silent: as in `Runner`.

    Raises KeyboardInterrupt after a Ctrl-C, once the calls in flight are recorded.
    """

    async def run() -> Runner:
        async with AsyncExitStack() as stack:
            stack.enter_context(interrupts(context))
            connections = {
                name: await stack.enter_async_context(builder.backends[name].connect(builder.benchmark, context))
                for name in sorted(builder.backends_in_use)
            }
            at_endpoints = {name for name in connections if builder.backends[name].chats}
            askers = Askers(connections, at_endpoints, options.budget)
            for who, calls in expected.items():
                askers.of(builder.asked(who)).meter.expected += calls
            progress.on_meters(askers.meters)
            most_wait = None if _has_terminal() else MOST_WAIT
            recorder = Recorder(journal, context, waits=bool(at_endpoints), most_wait=most_wait)
            asked = (options.scope, known.retry.number, progress.on_call, silent)
            runner = Runner(builder, recorder, known, askers, context, *asked)
            await runner.run(options.selection)
            return runner

    try:
        runner = asyncio.run(run())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    if context.draining.is_set():
        raise KeyboardInterrupt
    if context.in_flight is not None:
        journal.settle(context.in_flight)  # before the shards are sorted
    return runner


def _has_terminal() -> bool:
    """Return True if a user can read the output and end the build."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


@contextmanager
def interrupts(context: BuildContext) -> Iterator[None]:
    """Handle SIGINT and SIGTERM during the block: the first sets `draining`, the next cancels this task.

    Only the main thread gets signals; in another thread the block runs without handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def hear() -> None:
        if not context.draining.is_set():
            context.draining.set()
            context.on_note("Stopping: calls in flight are finished first; press Ctrl-C again to stop at once")
        elif task is not None:
            task.cancel()

    before = {number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(hear)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)

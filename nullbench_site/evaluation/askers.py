"""Send requests to their backends within the budget, meter them, and choose the number of targets in parallel."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from math import fsum, isnan

import msgspec

from nullbench_site.evaluation.backends.base import Asker, BackendError, Connection
from nullbench_site.evaluation.cost import Budget, cost_usd, most_usd
from nullbench_site.evaluation.endpoints.batch_files import BatchAsker
from nullbench_site.evaluation.endpoints.local_server import is_local
from nullbench_site.evaluation.meters import Meter
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target
from nullbench_site.judging.calls import CallResult, Request
from nullbench_site.specs.types import Judge, ModelFile

_MOST_WORKERS = 2048
_MOST_UNCHECKED = 128
"""Answers that may wait for their checks at once."""


class Askers(msgspec.Struct):
    """The askers of the contestants and judges of a benchmark.

    connections: by the name of their backend. endpoints: the backends that send requests to servers; programs cost
    nothing and have no budget.
    """

    connections: Mapping[str, Connection]
    endpoints: Collection[str]
    budget: Budget
    _unlimited: Budget = msgspec.field(default_factory=Budget)
    _askers: dict[tuple[type, str], Asker] = {}

    def of(self, who: ModelFile | Judge) -> Asker:
        """Return the asker of a contestant or judge."""
        name = (type(who), who.id)
        if name not in self._askers:
            self._askers[name] = self.connections[who.backend].asker(who)
        return self._askers[name]

    @property
    def meters(self) -> tuple[Meter, ...]:
        """Return the meters of all endpoints in use, each once."""
        return tuple({id(asker.meter): asker.meter for asker in self._askers.values()}.values())

    @property
    def spent_usd(self) -> float | None:
        """Return the cost at all endpoints; None if no price is known."""
        spent = [meter.spent_usd for meter in self.meters if meter.spent_usd is not None]
        return fsum(spent) if spent else None

    @property
    def uncounted(self) -> tuple[int, float | None]:
        """Return the sums of `uncounted` and `uncounted_usd` of all meters."""
        most = [meter.uncounted_usd for meter in self.meters]
        bounded = [each for each in most if each is not None]
        return sum(meter.uncounted for meter in self.meters), fsum(bounded) if len(bounded) == len(most) else None

    async def ask(self, who: ModelFile | Judge, request: Request) -> CallResult:
        """Send the request and return its result or failure. Raises UnavailableError if it may not be sent."""
        asker = self.of(who)
        # Calls of a batch reserve room when they are sent, not when their answers are read.
        reserves = who.backend in self.endpoints and not isinstance(asker, BatchAsker)
        budget = self.budget if reserves else self._unlimited
        most = budget.most_usd(who.prices, request)
        await budget.reserve(most)
        answer = error = cost = None
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        start = time.perf_counter()
        try:
            answer = await asker.ask(request)
            failed = answer.failed_usd, answer.uncounted
        except BackendError as failure:
            error, failed = str(failure), (failure.failed_usd, failure.uncounted)
        except BaseException:  # the call was not made, or was abandoned
            budget.settle(most, 0.0)
            raise
        seconds = time.perf_counter() - start
        if answer is None:
            budget.settle(most, 0.0)
            return CallResult(answer, error, started_at, round(seconds, 6), cost, *failed)
        meter, cost = asker.meter, cost_usd(who.prices, answer)
        budget.settle(most, cost)
        if who.prices is not None:
            meter.spend(cost, most_usd(who.prices, request))
        meter.answered_at = time.monotonic()
        if answer.seconds is not None:
            if isnan(answer.seconds):
                return CallResult(answer, error, started_at, None, cost, *failed)
            seconds = answer.seconds
        meter.seconds += seconds
        meter.slowest = max(meter.slowest, seconds)
        return CallResult(answer, error, started_at, round(seconds, 6), cost, *failed)


class Window:
    """The targets of the contestants at one endpoint, and the number that workers handle at once.

    The next target is of the contestant with the fewest in work. So a contestant whose calls hang or are retried
    occupies only its own share of the workers. by_item: among equals, take the one with the fewest targets so far, so
    that all contestants are at about the same item.
    """

    def __init__(self, targets: Mapping[str, Iterator[Target]], workers: int, *, by_item: bool = False) -> None:
        self.workers = workers
        self._targets = dict(targets)
        self._at_work = dict.fromkeys(targets, 0)
        self._taken = dict.fromkeys(targets, 0)
        self._by_item = by_item

    def __iter__(self) -> Iterator[Target]:
        """Yield the targets of one worker, each when the previous one is done."""
        while self._targets:
            name = min(self._targets, key=lambda name: (self._at_work[name], self._by_item and self._taken[name]))
            target = next(self._targets[name], None)
            if target is None:
                del self._targets[name]
                continue
            self._at_work[name] += 1
            self._taken[name] += 1
            yield target
            self._at_work[name] -= 1


def windows(builder: RequestBuilder, askers: Askers, selection: Selection) -> Iterator[Window]:
    """Yield one window per endpoint, so that a slow one does not delay the others.

    It is wide enough to keep the judges' endpoints and the checks busy too. There is not one task per call, because
    memory must not grow with the plan.

    If a judge is a server on this machine, programs and imported contestants go item by item. All responses to an item
    are then judged together, and the server's prompt cache helps. Contestants at endpoints do not take turns, since a
    server may have to load another model for each.
    """
    boards = builder.benchmark.boards.values()
    have_checks = any(
        builder.has_checks(board, placed) for board in boards for placed in builder.benchmark.items(board)
    )
    at_checks = _MOST_UNCHECKED if have_checks else 0
    models_at: dict[int, dict[str, ModelFile]] = {}
    judges_at: dict[int, Judge] = {}
    for board, model in builder.contestants(selection):
        models_at.setdefault(id(askers.of(model).meter), {})[model.id] = model
        for task in builder.every_task(board, model):
            judges_at[id(askers.of(task.judge).meter)] = task.judge
    models_judging = (judge for judge in judges_at.values() if builder.backends[judge.backend].chats)
    at_local = any(is_local(builder.benchmark.endpoint_of(judge)) for judge in models_judging)
    at_judges = sum(askers.of(who).concurrency for who in judges_at.values())
    for models in models_at.values():
        at_contestants = askers.of(next(iter(models.values()))).concurrency
        targets = {name: builder.targets(msgspec.structs.replace(selection, models=[name])) for name in models}
        by_item = at_local and not any(builder.backends[model.backend].chats for model in models.values())
        workers = at_contestants + at_judges + at_checks
        if by_item:  # all responses to an item wait for the judge at once
            workers = max(workers, len(models))
        yield Window(targets, min(workers, _MOST_WORKERS), by_item=by_item)

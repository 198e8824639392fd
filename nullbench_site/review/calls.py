"""Which calls a change of specs asks anew, on whose account, and what is known of all others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from nullbench_site.evaluation.estimate import Lengths
from nullbench_site.evaluation.order import Order, run_to_use
from nullbench_site.evaluation.plan import Plan, Watcher, make_plan, plan_of_known
from nullbench_site.evaluation.requests import RequestBuilder, Selection, Target, Who
from nullbench_site.protocols.base import Seat
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change
from nullbench_site.specs.types import Control

Spec = tuple[str, str]
"""The kind and id of a spec."""
_NARROW = (
    "item", "contestant", "judge", "category", "goal", "axis", "template", "panel", "domain", "axes", "board",
)  # fmt: skip
"""The kinds of specs that a call is made of, those that most calls are made of last."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call to be made: a contestant on an item of a board, or a judge on its answer."""

    board: str
    model: str
    item: str
    judge: str | None


@dataclass
class KnownAnswers(Watcher):
    """What of the calls of a benchmark is known, as it would stand in a run of it, and what is not.

    open: keys of calls that an earlier benchmark had not answered either. asked: the others. left: how many were open.
    records: of each board and contestant, answers and verdicts; controls, which have no rank, aside.
    """

    open: Collection[bytes] = frozenset()
    asked: list[Asked] = field(default_factory=list)
    left: int = 0
    unknown: dict[str, dict[str, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    """Board -> contestant -> the items of which not every answer and verdict is known."""
    records: dict[tuple[str, str], tuple[list[Response], list[Judgment]]] = field(
        default_factory=lambda: defaultdict(lambda: ([], []))
    )

    def on_known(self, target: Target, record: Response | Judgment, seat: Seat | None = None) -> None:
        if isinstance(target.model, Control):
            return
        dimensions = target.dimensions
        answers, verdicts = self.records[target.board.id, target.model.id]
        if isinstance(record, Response):
            answers.append(msgspec.structs.replace(record, **dimensions))
        elif seat is not None:
            asked = {"judge": seat.judge.id, "judge_template": seat.template}
            verdicts.append(msgspec.structs.replace(record, **dimensions, **asked))

    def on_unknown(self, target: Target, who: Who, key: bytes) -> bool:
        if not isinstance(target.model, Control):
            self.unknown[target.board.id][target.model.id].add(target.placed.id)
        if key in self.open:
            self.left += 1
            return False
        judge = who[1] if who[0] == "judge" else None
        self.asked.append(Asked(target.board.id, target.model.id, target.placed.id, judge))
        return True


@dataclass
class _Keys(Watcher):
    keys: set[bytes] = field(default_factory=set)

    def on_unknown(self, target: Target, who: Who, key: bytes) -> bool:
        self.keys.add(key)
        return True


def sealed_run(builder: RequestBuilder, runs: Sequence[CatalogEntry]) -> CatalogEntry | None:
    """The sealed run that has every call of a benchmark, if there is one."""
    entry = run_to_use(builder, list(runs), Order())
    return entry if entry is not None and entry.manifest.state == "sealed" else None


def calls_of(
    before: RequestBuilder | None, after: RequestBuilder, runs: Sequence[CatalogEntry]
) -> tuple[Plan, KnownAnswers]:
    """The calls that a benchmark needs beyond what the runs of an earlier one hold, and what these hold of it.

    A call that the earlier one had not made either is nobody's doing: it stands in neither. before: None where nothing
    can be said of it. Raises RunError where a shard is not what was sealed.
    """
    sealed = before is not None and sealed_run(before, runs) is not None
    if before is not None and sealed and before.calls_digest == after.calls_digest:
        return plan_of_known(after, Selection()), KnownAnswers()
    known = KnownCalls(runs)
    keys = _Keys()
    if before is not None and not sealed:
        make_plan(before, Selection(), known, watcher=keys)
    answers = KnownAnswers(frozenset(keys.keys))
    plan = make_plan(
        after, Selection(), known, lambda: Lengths.of_runs(runs, after.endpoints(Selection())), watcher=answers
    )
    return plan, answers


def calls_by_change(changes: Sequence[Change], asked: Sequence[Asked], after: Benchmark) -> dict[Spec, int]:
    """How many calls each change asks anew; a call that several of them reach counts for the one that reaches fewest,
    of as many for the narrower kind.

    Calls that no change of specs reaches are those of ("", "").
    """
    moving: set[Spec] = {(change.kind, change.id) for change in changes if change.scored and _moves(change)}
    reached: list[list[Spec]] = []
    reach: Counter[Spec] = Counter()
    above = _Above(after)
    for call in asked:
        reaching: list[Spec] = [spec for spec in above.specs(call) if spec in moving]
        reached.append(reaching)
        reach.update(reaching)
    return Counter(
        min(specs, key=lambda spec: (reach[spec], _NARROW.index(spec[0])), default=("", "")) for specs in reached
    )


def _moves(change: Change) -> bool:
    """Whether more than a name is new."""
    return change.what != "renamed" or any(one.scored for one in change.fields)


class _Above:
    """The specs that a call is made of."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.of_item: Mapping[str, Sequence[Spec]] = dict(self._of_items())

    def _of_items(self) -> Iterator[tuple[str, Sequence[Spec]]]:
        for domain in self.benchmark.domains.values():
            for category in domain.categories:
                described: Any = category  # a goal and axes are what categories of some protocols have
                specs: list[Spec] = [
                    ("domain", domain.id),
                    ("category", f"{domain.id}/{category.id}"),
                    ("axes", "axes"),
                ]
                specs += [("axis", axis) for axis in getattr(described, "axes", ())]
                specs += [("goal", goal)] if (goal := getattr(described, "goal", None)) else []
                for item in category.items:
                    yield item.id, [("item", item.id), *specs]

    def specs(self, call: Asked) -> Iterator[Spec]:
        board: Any = self.benchmark.boards[call.board]
        yield from self.of_item[call.item]
        yield "board", call.board
        yield "contestant", call.model
        yield "template", str(getattr(board, "template", ""))
        if call.judge is not None:
            yield "judge", call.judge
            yield "panel", str(getattr(board, "panel", ""))

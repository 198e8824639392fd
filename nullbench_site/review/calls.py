"""Find the new calls of a change of specs, the change that causes each, and the recorded answers of the other calls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from nullbench_site.evaluation.forecast import Lengths
from nullbench_site.evaluation.options import BuildOptions, run_to_use
from nullbench_site.evaluation.plan import make_plan, plan_calls, plan_of_known
from nullbench_site.evaluation.plan_report import Plan
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection, Target, Who
from nullbench_site.evaluation.walk import Call
from nullbench_site.judging.calls import JudgeCall, Reply
from nullbench_site.runs.catalog import CatalogEntry, current, list_runs, newest_of_profiles
from nullbench_site.runs.folder import RunFolder, shards_of
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.records import Judgment, ProbeAnswer, Record, Response, is_answered, read_records
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change, changes
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import BoardFile, Control, Judge, JudgedBoardFile, WordedJudge, WordedPanel

Spec = tuple[str, str]
"""The kind and id of a spec."""
_NARROW = (
    "item", "contestant", "judge", "category", "goal", "axis", "template", "panel", "domain", "axes", "board",
)  # fmt: skip
"""The kinds of specs that a call depends on, from the narrowest to the widest."""


@dataclass(frozen=True, slots=True)
class NewCall:
    """A call without a recorded answer. judge: None if a contestant answers. opponent: the other side of a game."""

    board: str
    model: str
    item: str
    template: str
    judge: str | None
    opponent: str | None = None

    @classmethod
    def of(cls, call: Call) -> NewCall:
        """Return the names of a call of the walk."""
        turn, task = call.turn, call.task
        names = (None, None) if task is None else (task.judge.id, task.opponent)
        return cls(turn.board.id, turn.model.id, turn.placed.id, turn.template, *names)


@dataclass
class KnownAnswers:
    """The recorded answers of a benchmark's calls, and the calls without one.

    open: keys of calls that the earlier benchmark had not answered either; left: how many of these occur. asked: the
    other calls without an answer. bridging: boards and judges whose marks are in no score. records: answers and
    verdicts by board and contestant or control. uncounted: calls on private items whose texts are not on this machine.
    """

    open: Collection[bytes] = frozenset()
    bridging: Collection[tuple[str, str]] = frozenset()
    asked: list[NewCall] = field(default_factory=list)
    left: int = 0
    _asked: set[bytes] = field(default_factory=set)
    unknown: dict[str, dict[str, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    """Board -> contestant -> the items without complete records."""
    records: dict[tuple[str, str], tuple[list[Response], list[Judgment]]] = field(
        default_factory=lambda: defaultdict(lambda: ([], []))
    )
    uncounted: int = 0

    def takes(self, builder: RequestBuilder, call: Call) -> bool:
        """Add a call of the plan. Return False if an earlier benchmark had not answered it either."""
        record = call.checked or call.record
        if call.judge_call is not None and call.judge_call.settled is not None:
            record = _settled(call.turn, call.judge_call, call.judge_call.settled)
        if record is None:
            return self._takes_unknown(call, call.key(builder))
        self.keep(record)
        return True

    def keep(self, record: Record) -> None:
        """Add a known record; no score contains an answer to a probe."""
        if isinstance(record, ProbeAnswer):
            return
        answers, verdicts = self.records[record.board, record.model]
        answers.append(record) if isinstance(record, Response) else verdicts.append(record)

    def _takes_unknown(self, call: Call, key: bytes) -> bool:
        self.lack(call.turn, None if call.task is None else call.task.judge.id)
        if key in self.open:
            self.left += 1
            return False
        if key not in self._asked:  # an equal call elsewhere is made only once
            self.asked.append(NewCall.of(call))
        self._asked.add(key)
        return True

    def lack(self, target: Target, judge: str | None) -> None:
        """Add an item on which a contestant has no complete records."""
        if (
            not isinstance(target.model, Control)
            and not target.is_probe
            and (target.board.id, judge) not in self.bridging
        ):
            self.unknown[target.board.id][target.model.id].add(target.placed.id)


def _settled(turn: Target, call: JudgeCall, reply: Reply) -> Judgment:
    """Return the record of a judgment that is known without a call."""
    return Judgment(
        key=call.request.key(), **turn.dimensions, **call.dimensions,
        state="scored" if reply.parsed else "unparsed", scores=dict(reply.scores), invalid=dict(reply.invalid),
        rationale=reply.rationale, raw=None, error=None, started_at="", seconds=0.0,
    )  # fmt: skip


def sealed_run(builder: RequestBuilder, runs: Sequence[CatalogEntry]) -> CatalogEntry | None:
    """Return the sealed run with every call of a benchmark, if there is one."""
    entry = run_to_use(builder, list(runs), BuildOptions())
    return entry if entry is not None and entry.manifest.sealed else None


def known_calls(runs: Sequence[CatalogEntry], own: CatalogEntry | None = None) -> KnownCalls:
    """Return the calls that runs have answered. Answers of `own` come before those of current runs, then of others."""
    recent = current(runs)
    older = [run for run in runs if run not in recent]
    return KnownCalls([run for run in (*older, *recent) if run != own] + ([own] if own else []))


def calls_of(
    before: RequestBuilder | None,
    after: RequestBuilder,
    runs: Sequence[CatalogEntry],
    changes: Sequence[Change],
    brought: Sequence[CatalogEntry] = (),
) -> tuple[Plan, KnownAnswers, Plan]:
    """Return the calls the new specs add, the recorded answers, and the calls that remain after the `brought` runs.

    Neither plan has a call that the earlier specs had not made either. before: the earlier specs, None if they cannot
    be read. changes: between both specs. Raises RunError if a shard does not match its seal.
    """
    sealed = None if before is None else sealed_run(before, runs)
    same = before is not None and before.calls_digest == after.calls_digest
    if sealed is not None and same and not brought:
        plan = plan_of_known(after, Selection(), RunFolder(sealed.path, sealed.manifest))
        return plan, KnownAnswers(), plan
    known = known_calls(runs, sealed)
    still_open: set[bytes] = set()
    if before is not None and sealed is None:

        def note(call: Call) -> bool:
            if call.record is None and not call.is_settled:
                still_open.add(call.key(before))
            return True

        make_plan(before, Selection(), known, takes=note)
    bridging = frozenset((name, each.judge.id) for name, bridges in after.bridges.items() for each in bridges)
    answers = KnownAnswers(frozenset(still_open), bridging)

    def planned(known: KnownCalls, answers: KnownAnswers) -> Plan:
        lengths = partial(Lengths.of_runs, current(runs), after.endpoints(Selection()))
        return make_plan(after, Selection(), known, lengths, partial(answers.takes, after))

    for record in after.recorded():
        answers.keep(record)
    plan = rest = planned(known, answers)
    if plan.to_make and sealed_run(after, brought):
        rest = Plan({})
    elif plan.to_make and brought:
        rest = planned(known_calls([*runs, *brought]), KnownAnswers(answers.open))
    _count_withheld(after, sealed, changes, plan, answers)
    return plan, answers, rest


_MEMBERS = frozenset({"contestants", "domains", "judges", "bootstrap", "order"})
"""Fields that list the members of a spec. They do not affect the calls of the other members."""


def _count_withheld(
    after: RequestBuilder, sealed: CatalogEntry | None, changes: Sequence[Change], plan: Plan, answers: KnownAnswers
) -> None:
    """Count the calls on private items whose texts are not on this machine.

    A call is known if none of its specs changed. Without the text there is no key, so the hash of the text decides.
    sealed: the run of the earlier specs.
    """
    if plan.withheld is None:
        return
    hidden = [target for target in after.targets(Selection()) if target.placed.withheld]
    due = {place: (target, who) for target in hidden for who, place in after.places(target)}
    moved = moving(change for change in changes if not _of_members(change))
    above = _Above(after.benchmark)
    for record in () if sealed is None else _hidden_records(sealed):
        target, _ = due.get(record.place, (None, None))
        if target is None or not is_answered(record):
            continue
        judge = record.judge if isinstance(record, Judgment) else None
        opponent = None if judge is None else _opponent(after, target, record.place)
        call = NewCall(record.board, record.model, record.item, record.template, judge, opponent)
        if not moved.isdisjoint(above.specs(call)):
            continue
        del due[record.place]
        plan.known["contestant" if judge is None else "judge", judge or record.model] += 1
        own = answers.records[record.board, record.model]
        own[0].append(record) if isinstance(record, Response) else own[1].append(record)
    answers.uncounted = len(due)
    for target, who in due.values():
        answers.lack(target, who.id if isinstance(who, Judge) else None)


def _opponent(builder: RequestBuilder, target: Target, place: tuple[str, ...]) -> str | None:
    """Return the opponent of the verdict at this place."""
    turns = ((turn, task) for turn in target.every_turn for task in builder.tasks_at(turn))
    return next((task.opponent for turn, task in turns if turn.judged_by(task) == place), None)


def _hidden_records(run: CatalogEntry) -> Iterator[Record]:
    """Yield the published records of private items."""
    for kind, path in shards_of(run.path):
        yield from (record for record in read_records(path, kind) if record.hidden is not None)


def _of_members(change: Change) -> bool:
    """Return True if only the members of a spec changed."""
    return change.what == "changed" and all(field.path[0] in _MEMBERS for field in change.fields if field.scored)


def causes(changes: Iterable[Change], asked: Sequence[NewCall], after: Benchmark) -> list[Spec]:
    """Return for each call the changed spec that causes it.

    If several changes reach a call, it is the one that reaches the fewest calls, then the narrowest kind. ("", "") if
    no change reaches it.
    """
    moved = moving(changes)
    reached: list[list[Spec]] = []
    reach: Counter[Spec] = Counter()
    above = _Above(after)
    for call in asked:
        reaching: list[Spec] = [spec for spec in above.specs(call) if spec in moved]
        reached.append(reaching)
        reach.update(reaching)
    return [min(specs, key=lambda spec: (reach[spec], _NARROW.index(spec[0])), default=("", "")) for specs in reached]


@dataclass
class Reasons:
    """Collect the new calls of a plan, and explain each one."""

    builder: RequestBuilder
    asked: dict[bytes, NewCall] = field(default_factory=dict)

    def takes(self, call: Call) -> bool:
        if call.record is None and not call.is_settled:
            self.asked.setdefault(call.key(self.builder), NewCall.of(call))
        return True

    def of(self, runs: Sequence[CatalogEntry], profile: str | None, *, fresh: bool) -> dict[Who, Counter[str]]:
        """Return the reasons of the calls of each contestant and judge, with the number of calls.

        A reason is a change of specs since the newest sealed run of the profile.
        """
        after = self.builder.benchmark
        sealed = [run for run in newest_of_profiles(runs) if run.manifest.profile == profile]
        asked, why = list(self.asked.values()), ["there is no sealed run yet"] * len(self.asked)
        if sealed:
            found = list(changes(load_benchmark(sealed[-1].path / "specs", profile=profile), after))
            what: dict[Spec, str] = {
                (change.kind, change.id): f"{change.kind} {change.id} {change.what}" for change in found
            }
            none = "nothing is reused" if fresh else f"no usable answer in run {sealed[-1].path.name}"
            why = [what.get(spec, none) for spec in causes(found, asked, after)]
        reasons: dict[Who, Counter[str]] = defaultdict(Counter)
        for call, reason in zip(asked, why, strict=True):
            reasons["contestant" if call.judge is None else "judge", call.judge or call.model][reason] += 1
        return dict(reasons)


def plan_with_reasons(builder: RequestBuilder, runs_dir: Path, options: BuildOptions, profile: str | None) -> Plan:
    """Return the plan of a build, with the reasons for its calls."""
    reasons = Reasons(builder)
    plan = plan_calls(builder, runs_dir, options, reasons.takes)
    plan.why = reasons.of(list_runs(runs_dir), profile, fresh=options.fresh)
    return plan


def moving(changes: Iterable[Change]) -> set[Spec]:
    """Return the specs that changed in more than their names."""
    return {
        (change.kind, change.id)
        for change in changes
        if change.scored and (change.what != "renamed" or any(field.scored for field in change.fields))
    }


def specs_of_board(benchmark: Benchmark, name: str) -> set[Spec]:
    """Return the specs that the scores of a board depend on."""
    board: Any = benchmark.boards[name]
    above = _Above(benchmark)
    judges = benchmark.panels[board.panel].judges if isinstance(board, JudgedBoardFile) else ()
    specs: set[Spec] = {("board", name), *(("template", each) for each in board.wordings)}
    specs.update(*(_of_judge(benchmark, board, judge) for judge in judges))
    specs |= {("contestant", model.id) for model in benchmark.contestants(board)}
    return specs.union(*(above.of_item[placed.id] for placed in benchmark.items(board)))


def _of_judge(benchmark: Benchmark, board: BoardFile, name: str) -> Iterator[Spec]:
    """Yield the specs of the files that the verdicts of a judge depend on: itself, its panel and its wording."""
    judge = benchmark.judges[name]
    yield "judge", judge.base if isinstance(judge, WordedJudge) else name
    if isinstance(judge, WordedJudge):
        yield "template", judge.template
    if isinstance(board, JudgedBoardFile):
        panel = benchmark.panels[board.panel]
        yield "panel", panel.base if isinstance(panel, WordedPanel) else panel.id


class _Above:
    """The specs that a call depends on."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.of_item: Mapping[str, Sequence[Spec]] = dict(self._of_items())

    def _of_items(self) -> Iterator[tuple[str, Sequence[Spec]]]:
        for domain in self.benchmark.domains.values():
            for category in domain.categories:
                described: Any = category  # only some protocols have goals and axes
                specs: list[Spec] = [
                    ("domain", domain.id),
                    ("category", f"{domain.id}/{category.id}"),
                    ("axes", "axes"),
                ]
                specs += [("axis", axis) for axis in getattr(described, "axes", ())]
                specs += [("goal", goal)] if (goal := getattr(described, "goal", None)) else []
                for item in category.items:
                    yield item.id, [("item", item.id), *specs]

    def specs(self, call: NewCall) -> Iterator[Spec]:
        board: Any = self.benchmark.boards[call.board]
        yield from self.of_item.get(call.item, ())  # a canary is no item
        yield "board", call.board
        yield "contestant", call.model
        yield "template", call.template
        if call.opponent is not None:
            yield "contestant", call.opponent
        if call.judge is not None:
            yield from _of_judge(self.benchmark, board, call.judge)

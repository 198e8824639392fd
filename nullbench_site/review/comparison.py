"""Two revisions of a benchmark compared: calls, money, specs and ranks, without a call and without a key."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import msgspec

from nullbench_site import __version__
from nullbench_site.errors import NullbenchError, SpecError
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.plan import Plan, report
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.review.calls import KnownAnswers, Spec, calls_by_change, calls_of, sealed_run
from nullbench_site.review.reranking import BoardRanks, RankChange, Side, rank_changes
from nullbench_site.review.revisions import Revision
from nullbench_site.runs.catalog import CatalogEntry, newest_run, runs_of
from nullbench_site.scoring.verify import run_problems
from nullbench_site.site.change_words import fields_in_words
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change, Kind, What, changes
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.types import CONTROLS
from nullbench_site.text import one_line, shortened

_MOST_BYTES = 600_000
"""Of JSON, for the changes that are told one by one, those with most calls first."""
_MOST_TITLE = 120
_MOST_FIELDS = 12
_MOST_PROBLEM = 400


class Calls(msgspec.Struct, frozen=True):
    """asked: that the head needs and nothing of the base has answered. reused: those answered. open: those that the
    base needs just as much, and has not answered either. judges, contestants: who is asked; controls: whether these
    are, which measure the panel.
    """

    asked: int
    reused: int
    open: int
    judges: tuple[str, ...]
    contestants: tuple[str, ...]
    controls: bool

    @property
    def all(self) -> int:
        return self.asked + self.reused + self.open


class Cost(msgspec.Struct, frozen=True):
    """US dollars for the calls that are asked anew. null: not known; high: without an upper bound."""

    low: float | None
    high: float | None


class SpecChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A spec that is not the same. place: its id; of a private item the beginning of the hash of its text.

    calls: that it alone asks anew, or that it reaches as the narrowest of several changes. scored: whether it can move
    a score; the others are cosmetic. before: the id that it had. fields: what of it changed; of texts their names.
    """

    kind: Kind
    place: str
    what: What
    calls: int
    scored: bool
    title: str = ""
    before: str = ""
    fields: tuple[str, ...] = ()


class RunFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run folder that the two sides do not have alike, by its manifest. records: that the head's has.

    problems: how it is not what was sealed, and what its records do not give, at most some of them; null where nobody
    looked (`diff --verify` does), or the head has it no more.
    """

    run: str
    what: What
    records: int
    sealed: bool
    problems: tuple[str, ...] | None = None


class Diff(msgspec.Struct, frozen=True):
    """What `diff --format json` prints. calls, cost_usd: null where the head cannot be planned.

    problems: what could not be read or compared, a line each. more_changes: how many are not told one by one.
    unexplained: calls asked anew on account of no spec: earlier attempts failed, or the program asks otherwise now.
    withheld: why calls on private items are in no count; null where all are. ranks: who moves; boards: on how much of
    a board that is known. head_run: the sealed run of its specs that the head brings. runs: which are not the same.
    """

    base: str
    head: str
    tool: str
    problems: tuple[str, ...] = ()
    calls: Calls | None = None
    cost_usd: Cost | None = None
    changes: tuple[SpecChange, ...] = ()
    more_changes: int = 0
    unexplained: int = 0
    withheld: str | None = None
    boards: tuple[BoardRanks, ...] = ()
    ranks: tuple[RankChange, ...] = ()
    head_run: str | None = None
    runs: tuple[RunFile, ...] = ()

    @property
    def compared(self) -> bool:
        """Whether the head could be read."""
        return self.calls is not None


def compare(base: Revision, head: Revision, profile: str | None, *, verify: bool = False) -> Diff:
    """What `head` changes. What cannot be read on either side is a problem of the result and raises nothing.

    verify: whether the runs that it brings are looked at byte for byte.
    """
    problems: list[str] = []
    before, after = _benchmark(base, "base", profile, problems), _benchmark(head, "head", profile, problems)
    runs = tuple(_run_files(base, head, verify=verify))
    bare = Diff(base=_bounded(base.name), head=_bounded(head.name), tool=f"nullbench-site {__version__}", runs=runs)
    if after is None:
        return msgspec.structs.replace(bare, problems=tuple(problems))
    for which, side in (("base", base), ("head", head)):
        if side.damage is not None:
            problems.append(_line(f"no run of the {which} can be read: {side.damage}", side))
        elif not side.runs and side is base:
            problems.append("the base has no run: nothing is known of any call")
    try:
        found = _compared(base, head, before, after)
    except (NullbenchError, OSError) as error:
        problems.append(_line(f"not compared: {error}", base, head))
        return msgspec.structs.replace(bare, problems=tuple(problems))
    return msgspec.structs.replace(bare, problems=tuple(problems), **found)


def _compared(base: Revision, head: Revision, before: Benchmark | None, after: Benchmark) -> dict[str, Any]:
    """The fields of a Diff that come of comparing."""
    builder = RequestBuilder(after, backends(), execute=False)
    of_base = None if before is None else RequestBuilder(before, backends(), execute=False)
    plan, answers = calls_of(of_base, builder, base.runs)
    specs = [] if before is None else list(changes(before, after))
    own = sealed_run(builder, head.runs)
    head_run = None if own is None or own.path.name in {entry.path.name for entry in base.runs} else own
    boards: Sequence[BoardRanks] = ()
    ranks: Sequence[RankChange] = ()
    if before is not None:
        boards, ranks = rank_changes(Side(before, _run_of(before, base)), Side(after, head_run, answers), specs)
    by_change = calls_by_change(specs, answers.asked, after)
    told, more = within_bounds(specs, by_change, _private(before, after))
    return {
        "calls": _calls(plan, answers),
        "cost_usd": _cost(plan),
        "changes": told,
        "more_changes": more,
        "unexplained": by_change.get(("", ""), 0),
        "withheld": plan.withheld,
        "boards": tuple(boards),
        "ranks": tuple(ranks),
        "head_run": None if head_run is None else head_run.path.name,
    }


def _run_files(base: Revision, head: Revision, *, verify: bool) -> Iterator[RunFile]:
    """The run folders of two repositories that are not the same; nothing where a side is a run, or not known."""
    if any(side.sealed or side.damage is not None for side in (base, head)):
        return
    before, after = ({entry.path.name: entry for entry in side.runs} for side in (base, head))
    for name, entry in after.items():
        if name in before and before[name].manifest == entry.manifest:
            continue
        sealed = entry.manifest.state == "sealed"
        problems = tuple(_run_problems(entry, head)) if verify and sealed else None
        what: What = "changed" if name in before else "added"
        yield RunFile(_bounded(name), what, entry.manifest.counts.calls, sealed, problems)
    for name, entry in before.items():
        if name not in after:
            yield RunFile(_bounded(name), "removed", 0, entry.manifest.state == "sealed")


def _run_problems(entry: CatalogEntry, side: Revision) -> Iterator[str]:
    try:
        problems = run_problems(entry.path)
    except (NullbenchError, OSError) as error:
        problems = [str(error)]
    yield from (_line(problem, side) for problem in problems[:_MOST_FIELDS])
    if len(problems) > _MOST_FIELDS:
        yield f"{len(problems) - _MOST_FIELDS} more"


def _run_of(benchmark: Benchmark, side: Revision) -> CatalogEntry | None:
    """The sealed run of these specs whose records say where everybody stands."""
    sealed = [entry for entry in side.runs if entry.manifest.state == "sealed"]
    return newest_run(runs_of(sealed, benchmark.about.version, spec_digest(benchmark)))


def _benchmark(side: Revision, which: str, profile: str | None, problems: list[str]) -> Benchmark | None:
    """The benchmark of a side; None and a line where there is none that can be read."""
    try:
        # The base is what it is, as the specs of a run are: only the head must keep today's rules.
        names = backend_names() if which == "head" and not side.sealed else None
        benchmark = load_benchmark(side.specs, backends=names, profile=profile, private=side.private)
    except SpecError as error:
        first = str(error.problems[0])
        more = f" (and {len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
        older = f", or is of a version that {__version__} cannot read" if which == "base" else ""
        problems.append(_line(f"the {which} does not load{older}: {first}{more}", side))
    except NullbenchError as error:
        problems.append(_line(f"the {which} does not load: {error}", side))
    else:
        used = RequestBuilder(benchmark, backends()).backends_in_use
        absent = sorted(used - set(backends()))
        if not absent:
            return benchmark
        problems.append(f"the {which} asks by {', '.join(absent)}, which is not installed here")
    return None


def _calls(plan: Plan, answers: KnownAnswers) -> Calls:
    asked = [who for who, count in sorted(plan.to_make.items()) if count]
    return Calls(
        asked=plan.to_make.total(),
        reused=plan.known.total(),
        open=answers.left,
        judges=tuple(name for kind, name in asked if kind == "judge"),
        contestants=tuple(name for kind, name in asked if kind == "contestant" and name not in CONTROLS),
        controls=any(name in CONTROLS for _, name in asked),
    )


def _cost(plan: Plan) -> Cost:
    """Programs cost nothing; where somebody has no price the lower end is that of the others."""
    if not any(plan.to_make[who] for who in plan.endpoints):
        return Cost(0.0, 0.0)
    cost = report(plan).all.cost_usd
    return Cost(None, None) if cost is None else Cost(cost.low, cost.high)


def _private(before: Benchmark | None, after: Benchmark) -> Mapping[str, str]:
    """The hashes of the items that are private on a side, by id."""
    sides = [after] if before is None else [before, after]
    items = (item for side in sides for _, item in side.every_item)
    return {item.id: (item.hash or "no hash")[:19] for item in items if item.visibility == "private"}


def within_bounds(
    specs: Sequence[Change], calls: Mapping[Spec, int], private: Mapping[str, str]
) -> tuple[tuple[SpecChange, ...], int]:
    """The changes that are told one by one, and how many more there are. private: the hashes of hidden items, by id."""
    told = _told(specs, calls, private)
    sizes = accumulate(len(msgspec.json.encode(change)) for change in told)
    fitting = sum(1 for size in sizes if size <= _MOST_BYTES)
    return tuple(told[:fitting]), len(told) - fitting


def _told(specs: Sequence[Change], calls: Mapping[Spec, int], private: Mapping[str, str]) -> list[SpecChange]:
    """Those with most calls first, then those that can move a score, then the others."""
    told = []
    for change in specs:
        hidden = private.get(change.id) if change.kind == "item" else None
        place = _bounded(change.id) if hidden is None else hidden
        title = "" if hidden is not None or change.title == change.id else _bounded(change.title)
        renamed = "" if hidden is not None else _bounded(change.before)
        fields = [_bounded(field) for field in fields_in_words(change)]
        if len(fields) > _MOST_FIELDS:
            fields = [*fields[:_MOST_FIELDS], f"{len(fields) - _MOST_FIELDS} more"]
        asked = 0 if change.what == "removed" else calls.get((change.kind, change.id), 0)
        scored = change.scored
        told.append(SpecChange(change.kind, place, change.what, asked, scored, title, renamed, tuple(fields)))
    return sorted(told, key=lambda change: (-change.calls, not change.scored))


def _bounded(text: str) -> str:
    return shortened(one_line(text), _MOST_TITLE)


def _line(text: str, *sides: Revision) -> str:
    """A message on one line, without the folders of this machine."""
    for side in sides:
        for folder in (side.root, side.root.resolve()):
            text = text.replace(f"{folder}{os.sep}", "")
    return shortened(one_line(text), _MOST_PROBLEM)


def json_schema() -> bytes:
    """The JSON Schema of a Diff."""
    from nullbench_site.site.data_files import schema_of

    return schema_of(Diff)

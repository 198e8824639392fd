"""Two revisions of a benchmark compared: calls, money, specs, ranks, submissions; without a call and a key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from nullbench_site import __version__
from nullbench_site.errors import NullbenchError, Problem, RunError, SpecError
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.plan_report import Plan, report
from nullbench_site.evaluation.record_keys import key_problems
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.review import ledger
from nullbench_site.review.calls import KnownAnswers, calls_by_change, calls_of, sealed_run
from nullbench_site.review.evidence import altered
from nullbench_site.review.report import (
    MOST_CONTESTANTS,
    Calls,
    Cost,
    Diff,
    Places,
    RunFile,
    Trust,
    bounded,
    within_bounds,
)
from nullbench_site.review.reranking import Reranked, Side, reranked, submissions
from nullbench_site.review.revisions import Revision
from nullbench_site.runs.catalog import CatalogEntry, newest_run, runs_of
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import RECORDS
from nullbench_site.runs.verify import integrity_problems
from nullbench_site.scoring.recomputation import run_problems
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.changes import Change, What, changes
from nullbench_site.specs.load import load_benchmark, read_specs
from nullbench_site.specs.types import CONTROLS
from nullbench_site.text import listed, plural, short_line, some_of

_MOST_PROBLEM = 400
_MOST_NAMED = 12


def compare(base: Revision, head: Revision, profile: str | None, *, verify: bool = False, places: bool = False) -> Diff:
    """What `head` changes. What cannot be read on either side is a problem of the result and raises nothing.

    verify: whether the runs that it brings are looked at byte for byte. places: whether changes have file and line.
    """
    evidence, problems = list(ledger.edited(base, head)), list[str]()
    before, after = _benchmark(base, "base", profile, problems), _benchmark(head, "head", profile, problems)
    runs = tuple(_run_files(base, head, verify=verify))
    tool = f"nullbench-site {__version__}"
    diff = Diff(bounded(base.name), bounded(head.name), tool, runs=runs, base_read=before is not None)

    def told(**more: Any) -> Diff:
        return msgspec.structs.replace(diff, problems=tuple(problems), evidence=tuple(evidence), **more)

    if after is None:
        return told()
    evidence += () if evidence else ledger.continued(before, after)
    for which, side in (("base", base), ("head", head)):
        if side.damage is not None and not side.linked:
            problems.append(_line(f"no run of the {which} can be read: {side.damage}", side))
        elif not side.runs and side is base and not side.linked:
            problems.append("the base has no run: nothing is known of any call")
    if head.damage is not None:  # or one damaged run would hide what is wrong with others
        return told()
    try:
        unsound: list[str] = []
        brought = list(_brought(base, head, unsound))
        evidence += () if any(run.problems for run in runs) else unsound
        waiting = "the run that it brings is not what was sealed" if unsound else "its answers are not judged yet"
        compared = _compared(base, head, before, after, brought, waiting=waiting, places=places)
    except (NullbenchError, OSError) as error:
        problems.append(_line(str(error), base, head))
        return told()
    return told(**compared)


def _compared(
    base: Revision,
    head: Revision,
    before: Benchmark | None,
    after: Benchmark,
    brought: Sequence[CatalogEntry],
    *,
    waiting: str,
    places: bool,
) -> dict[str, Any]:
    """The fields of a Diff that come of comparing. brought: the runs of the head that count. waiting: why submissions
    that nobody has placed have no place.
    """
    builder = RequestBuilder(after, backends(), execute=False)
    of_base = None if before is None else RequestBuilder(before, backends(), execute=False)
    specs = [] if before is None else list(changes(before, after))
    plan, answers, rest = calls_of(of_base, builder, base.runs, specs, brought)
    head_run = sealed_run(builder, brought)
    scored = Reranked([], [], [], {})
    if of_base is not None:
        scored = reranked(Side(of_base.benchmark, _run_of(of_base, base)), Side(after, head_run, answers), specs)
    by_change = calls_by_change(specs, answers.asked, after)
    private = _private(before, after)
    listed_changes, more = within_bounds(specs, by_change, private, _place_of(head) if places else lambda change: None)
    points = [change.points for change in scored.trust]
    measured = any(board.not_measured is None for board in scored.boards) or not scored.boards
    noticed = () if before is None else (*ledger.notices(before, after, specs, private), *_claims(before, after))
    return {
        "calls": _calls(plan, answers, rest),
        "cost_usd": _cost(rest),
        "changes": listed_changes,
        "more_changes": more,
        "notices": tuple(short_line(notice, _MOST_PROBLEM) for notice in noticed),
        "unexplained": 0 if before is None else by_change.get(("", ""), 0),
        "withheld": plan.withheld if answers.uncounted else None,
        "uncounted": answers.uncounted,
        "boards": tuple(scored.boards),
        "ranks": tuple(scored.ranks[:MOST_CONTESTANTS]),
        "more_ranks": max(0, len(scored.ranks) - MOST_CONTESTANTS),
        "trust": Trust(sum(each > 0 for each in points), sum(each < 0 for each in points))
        if measured and before is not None
        else None,
        "trust_changes": tuple(scored.trust[:MOST_CONTESTANTS]),
        "more_trust": max(0, len(scored.trust) - MOST_CONTESTANTS),
        "submissions": tuple(submissions(specs, builder, scored.views, waiting)),
        "altered": altered(builder, brought, base.runs, answers, private) if brought else None,
        "head_run": None if head_run is None else bounded(head_run.path.name),
    }


def _claims(before: Benchmark, after: Benchmark) -> Iterator[str]:
    """What contestants say of themselves in other words than before: it moves no score, and is beside each name."""
    for name, model in after.models.items():
        was = before.models.get(name)
        if was is None:
            continue
        if was.provenance != model.provenance:
            claims = [f"provenance {one.provenance or 'not claimed'}" for one in (was, model)]
            yield f"contestant {name}: {claims[0]} -> {claims[1]}; nothing verifies it"
        if (was.provisional is None) != (model.provisional is None):
            yield f"contestant {name}: {'no longer' if model.provisional is None else 'now'} marked provisional"


def _run_files(base: Revision, head: Revision, *, verify: bool) -> Iterator[RunFile]:
    """The run folders of two repositories that are not the same; nothing where a side is a run, or not known."""
    if any(side.sealed or side.damage is not None for side in (base, head)):
        return
    before, after = ({entry.path.name: entry for entry in side.runs} for side in (base, head))
    for name, entry in after.items():
        same = name in before and before[name].manifest == entry.manifest and not _edited(base, head, name)
        sealed = entry.manifest.sealed
        was = None if same else before.get(name)
        problems = tuple(_run_problems(entry, head, was, recompute=not same)) if verify and sealed else None
        if same and not problems:
            continue
        what: What = "changed" if name in before else "added"
        digest = entry.manifest.digest if sealed else ""
        yield RunFile(bounded(name), what, entry.manifest.counts.calls, sealed, problems, digest)
    for name, entry in before.items():
        if name not in after:
            yield RunFile(bounded(name), "removed", 0, entry.manifest.sealed)


def _run_problems(entry: CatalogEntry, side: Revision, was: CatalogEntry | None, *, recompute: bool) -> Iterator[str]:
    """was: the same run in the base."""
    try:
        problems = (
            run_problems(entry.path) or [line for lines in key_problems(entry) for line in lines]
            if recompute
            else integrity_problems(entry.path)[1]
        )
        problems = [*_rewritten(was, entry), *_misnamed(was, entry), *problems]
    except (NullbenchError, OSError) as error:
        problems = [str(error)]
    yield from some_of([_line(problem, side) for problem in problems], _MOST_NAMED, thousands="")


def _rewritten(was: CatalogEntry | None, entry: CatalogEntry) -> Iterator[str]:
    """A line where a run was sealed anew over other records or specs: only its results are ever worked out again."""
    if was is None or not was.manifest.sealed:
        return
    old, new = was.manifest.files, entry.manifest.files
    fixed = sorted(name for name in old.keys() | new.keys() if name.startswith((*RECORDS, "specs/")))
    others = [name for name in fixed if old.get(name) != new.get(name)]
    if others:
        yield f"{plural(len(others), 'file')} of it not as the base has sealed it: {listed(others[:_MOST_NAMED])}"


def _misnamed(was: CatalogEntry | None, entry: CatalogEntry) -> Iterator[str]:
    """A line where a new folder is called otherwise than the run in it: a copy of a run would pass for another one."""
    if was is None and entry.manifest.run != entry.path.name:
        yield f"its manifest is that of the run {bounded(entry.manifest.run)}"


def _edited(base: Revision, head: Revision, run: str) -> bool:
    """Whether files of a run are others in two commits, whatever its manifest says of them."""
    before, after = base.contents.get(run), head.contents.get(run)
    return before is not None and after is not None and before != after


def _place_of(head: Revision) -> Callable[[Change], Problem | None]:
    """Where changes stand. The specs are read once more: their texts are kept for this alone."""
    return Places(read_specs(head.specs, new=False)).of


def _brought(base: Revision, head: Revision, unsound: list[str]) -> Iterator[CatalogEntry]:
    """The runs that the head brings and that are what was sealed, or open; of others a line."""
    of_base = {entry.path.name: entry for entry in base.runs}
    for entry in head.runs:
        was = of_base.get(entry.path.name)
        wrong = _wrong(was, entry)
        if wrong:
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            line = f"the run {bounded(entry.path.name)} of the head is not what was sealed: {wrong[0]}{more}"
            unsound.append(_line(line, head))
        elif was is None or was.manifest.state == "open":
            yield entry


def _wrong(was: CatalogEntry | None, entry: CatalogEntry) -> Sequence[str]:
    if was is not None and was.manifest.sealed:
        return list(_rewritten(was, entry))
    try:
        RunFolder(entry.path, entry.manifest)  # which has no links
        problems = [] if entry.manifest.state == "open" else integrity_problems(entry.path)[1]
        return [*_misnamed(was, entry), *problems]
    except RunError as error:
        return [str(error)]


def _run_of(builder: RequestBuilder, side: Revision) -> CatalogEntry | None:
    """The sealed run of these specs whose records say where everybody stands."""
    sealed = [entry for entry in side.runs if entry.manifest.sealed]
    return newest_run(runs_of(sealed, builder.benchmark.about.version, builder.spec_digest))


def _benchmark(side: Revision, which: str, profile: str | None, problems: list[str]) -> Benchmark | None:
    """The benchmark of a side; None and a line where there is none that can be read."""
    try:
        if side.linked:
            raise RunError(side.damage or "")
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


def _calls(plan: Plan, answers: KnownAnswers, rest: Plan) -> Calls:
    asked = [who for who, count in sorted(plan.to_make.items()) if count]
    return Calls(
        asked=plan.to_make.total(),
        reused=plan.known.total(),
        open=answers.left,
        judges=tuple(name for kind, name in asked if kind == "judge"),
        contestants=tuple(name for kind, name in asked if kind == "contestant" and name not in CONTROLS),
        controls=any(name in CONTROLS for _, name in asked),
        brought=max(0, plan.to_make.total() - rest.to_make.total()),
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


def _line(text: str, *sides: Revision) -> str:
    """A message on one line, without the folders of this machine."""
    for side in sides:
        for folder in (side.root, side.root.resolve()):
            text = text.replace(f"{folder}{os.sep}", "")
    return short_line(text, _MOST_PROBLEM)

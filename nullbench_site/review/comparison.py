"""Compare two revisions of a benchmark: calls, money, specs, ranks, evidence, submissions. No call is made."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from nullbench_site import __version__
from nullbench_site.errors import NullbenchError, Problem, RunError, SpecError
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.plan_report import Plan, report
from nullbench_site.evaluation.record_keys import key_problems
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.review.calls import KnownAnswers, calls_of, causes, sealed_run
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
from nullbench_site.specs.document import MAX_BYTES
from nullbench_site.specs.load import load_benchmark, read_specs
from nullbench_site.specs.types import CONTROLS
from nullbench_site.text import listed, plural, short_line, some_of

_MOST_PROBLEM = 400
_MOST_NAMED = 12
_LEDGER = "ledger.yaml"
_TOLD = frozenset({"contestant", "judge", "item"})
"""Kinds of specs whose changes need an entry in the ledger."""
_MOST_ENTRIES = 8


def compare(base: Revision, head: Revision, profile: str | None, *, verify: bool = False, places: bool = False) -> Diff:
    """Return what `head` changes. A side that cannot be read is a problem in the result, not an exception.

    verify: True to check every byte of the runs that `head` brings. places: True to give changes a file and line.
    """
    evidence, problems = list(_ledger_edits(base, head)), list[str]()
    before, after = _benchmark(base, "BASE", profile, problems), _benchmark(head, "HEAD", profile, problems)
    runs = tuple(_run_files(base, head, verify=verify))
    tool = f"nullbench-site {__version__}"
    diff = Diff(bounded(base.name), bounded(head.name), tool, runs=runs, base_read=before is not None)

    def result(**more: Any) -> Diff:
        return msgspec.structs.replace(diff, problems=tuple(problems), evidence=tuple(evidence), **more)

    if after is None:
        return result()
    evidence += () if evidence else _continued_entry(before, after)
    for which, side in (("BASE", base), ("HEAD", head)):
        if side.damage is not None and not side.linked:
            problems.append(_line(f"cannot read the runs of {which}: {side.damage}", side))
        elif not side.runs and side is base and not side.linked:
            problems.append("BASE has no run, so every call is new")
    if head.damage is not None:  # a damaged run could hide problems of the others
        return result()
    try:
        unsound: list[str] = []
        brought = list(_brought(base, head, unsound))
        evidence += () if any(run.problems for run in runs) else unsound
        waiting = "its run does not match its seal" if unsound else "its answers are not judged yet"
        compared = _compared(base, head, before, after, brought, waiting=waiting, places=places)
    except (NullbenchError, OSError) as error:
        problems.append(_line(str(error), base, head))
        return result()
    return result(**compared)


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
    """Return the fields of a Diff that need both sides.

    brought: the valid new runs of the head. waiting: why a submission has no place.
    """
    builder = RequestBuilder(after, backends(), execute=False)
    of_base = None if before is None else RequestBuilder(before, backends(), execute=False)
    specs = [] if before is None else list(changes(before, after))
    plan, answers, rest = calls_of(of_base, builder, base.runs, specs, brought)
    head_run = sealed_run(builder, brought)
    side, scored = Side(after, head_run, answers), Reranked([], [], [], {})
    if of_base is not None:
        scored = reranked(Side(of_base.benchmark, _run_of(of_base, base)), side, specs)
    by_change = Counter(causes(specs, answers.asked, after))
    private = _private(before, after)
    listed_changes, more = within_bounds(specs, by_change, private, _place_of(head) if places else lambda change: None)
    points = [change.points for change in scored.trust]
    measured = any(board.not_measured is None for board in scored.boards) or not scored.boards
    noticed = () if before is None else (*_ledger_notices(before, after, specs, private), *_claims(before, after))
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
        "submissions": tuple(submissions(specs, side, scored.views, waiting)),
        "altered": altered(builder, brought, base.runs, answers, private) if brought else None,
        "head_run": None if head_run is None else bounded(head_run.path.name),
    }


def _claims(before: Benchmark, after: Benchmark) -> Iterator[str]:
    """Report new claims of contestants about themselves. They move no score, but the pages show them."""
    for name, model in after.models.items():
        was = before.models.get(name)
        if was is None:
            continue
        if was.provenance != model.provenance:
            claims = [f"provenance {one.provenance or 'not claimed'}" for one in (was, model)]
            yield f"contestant {name}: {claims[0]} -> {claims[1]}; not verified"
        if (was.provisional is None) != (model.provisional is None):
            yield f"contestant {name}: {'no longer' if model.provisional is None else 'now'} marked provisional"


def _run_files(base: Revision, head: Revision, *, verify: bool) -> Iterator[RunFile]:
    """Return the run folders that differ; none if a side is a run or cannot be read."""
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
    """Check a run. was: the same run in the base."""
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
    """Report a run that was sealed again over other records or specs. Only results may change."""
    if was is None or not was.manifest.sealed:
        return
    old, new = was.manifest.files, entry.manifest.files
    fixed = sorted(name for name in old.keys() | new.keys() if name.startswith((*RECORDS, "specs/")))
    others = [name for name in fixed if old.get(name) != new.get(name)]
    if others:
        yield f"{plural(len(others), 'file')} other than BASE sealed: {listed(others[:_MOST_NAMED])}"


def _misnamed(was: CatalogEntry | None, entry: CatalogEntry) -> Iterator[str]:
    """Report a folder with the manifest of another run: a copy could pass for a new run."""
    if was is None and entry.manifest.run != entry.path.name:
        yield f"the manifest belongs to the run {bounded(entry.manifest.run)}"


def _edited(base: Revision, head: Revision, run: str) -> bool:
    """Return True if two commits have different files for a run, even with equal manifests."""
    before, after = base.contents.get(run), head.contents.get(run)
    return before is not None and after is not None and before != after


def _place_of(head: Revision) -> Callable[[Change], Problem | None]:
    """Return a function that finds the place of a change in the specs, which it reads again."""
    return Places(read_specs(head.specs, new=False)).of


def _brought(base: Revision, head: Revision, unsound: list[str]) -> Iterator[CatalogEntry]:
    """Yield the new runs of the head that are open or match their seal.

    unsound: gets a line for each other new run.
    """
    of_base = {entry.path.name: entry for entry in base.runs}
    for entry in head.runs:
        was = of_base.get(entry.path.name)
        wrong = _wrong(was, entry)
        if wrong:
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            line = f"the run {bounded(entry.path.name)} of HEAD does not match its seal: {wrong[0]}{more}"
            unsound.append(_line(line, head))
        elif was is None or was.manifest.state == "open":
            yield entry


def _wrong(was: CatalogEntry | None, entry: CatalogEntry) -> Sequence[str]:
    if was is not None and was.manifest.sealed:
        return list(_rewritten(was, entry))
    try:
        RunFolder(entry.path, entry.manifest)  # refuses links
        problems = [] if entry.manifest.state == "open" else integrity_problems(entry.path)[1]
        return [*_misnamed(was, entry), *problems]
    except RunError as error:
        return [str(error)]


def _run_of(builder: RequestBuilder, side: Revision) -> CatalogEntry | None:
    """Return the newest sealed run of these specs."""
    sealed = [entry for entry in side.runs if entry.manifest.sealed]
    return newest_run(runs_of(sealed, builder.benchmark.about.version, builder.spec_digest))


def _benchmark(side: Revision, which: str, profile: str | None, problems: list[str]) -> Benchmark | None:
    """Load the benchmark of a side; None, and a line in `problems`, if that fails."""
    try:
        if side.linked:
            raise RunError(side.damage or "")
        # Only the head must follow the current rules. The base and the specs of runs are history.
        names = backend_names() if which == "HEAD" and not side.sealed else None
        benchmark = load_benchmark(side.specs, backends=names, profile=profile, private=side.private)
    except SpecError as error:
        first = str(error.problems[0])
        more = f" (and {len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
        older = f", or belong to a version that {__version__} cannot read" if which == "BASE" else ""
        problems.append(_line(f"the specs of {which} have errors{older}: {first}{more}", side))
    except NullbenchError as error:
        problems.append(_line(f"cannot read {which}: {error}", side))
    else:
        used = RequestBuilder(benchmark, backends()).backends_in_use
        absent = sorted(used - set(backends()))
        if not absent:
            return benchmark
        problems.append(f"{which} needs the backend {', '.join(absent)}, which is not installed")
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
    """Return the cost. Programs cost nothing; without a price for some calls, the lower end is that of the others."""
    if not any(plan.to_make[who] for who in plan.endpoints):
        return Cost(0.0, 0.0)
    cost = report(plan).all.cost_usd
    return Cost(None, None) if cost is None else Cost(cost.low, cost.high)


def _private(before: Benchmark | None, after: Benchmark) -> Mapping[str, str]:
    """Return the hashes of the items that are private on either side, by id."""
    sides = [after] if before is None else [before, after]
    items = (item for side in sides for _, item in side.every_item)
    return {item.id: (item.hash or "no hash")[:19] for item in items if item.visibility == "private"}


def _line(text: str, *sides: Revision) -> str:
    """Return a message on one line, without folders of this machine."""
    for side in sides:
        for folder in (side.root, side.root.resolve()):
            text = text.replace(f"{folder}{os.sep}", "")
    return short_line(text, _MOST_PROBLEM)


def _ledger_edits(base: Revision, head: Revision) -> Iterator[str]:
    """Report a ledger that does not start with the bytes of the base's."""
    before, after = _ledger(base), _ledger(head)
    if before is None or (after is not None and after.startswith(before)):
        return
    if after is None:
        yield f"HEAD has no specs/{_LEDGER}; restore it, entries are never removed"
        return
    lines = zip_longest(before.splitlines(keepends=True), after.splitlines(keepends=True))
    line = next((number for number, (old, new) in enumerate(lines, start=1) if old != new), 1)
    yield f"specs/{_LEDGER} differs from BASE at line {line}; only add entries at the end"


def _continued_entry(before: Benchmark | None, after: Benchmark) -> Iterator[str]:
    """Report added lines that change the last entry of the base, such as more lines of its text."""
    if before is not None and after.ledger[: len(before.ledger)] != before.ledger:
        yield f"lines added to specs/{_LEDGER} change the entry above them; start a new entry"


def _ledger_notices(
    before: Benchmark, after: Benchmark, changes: Sequence[Change], private: Mapping[str, str]
) -> Iterator[str]:
    """Report changes without an entry, and entries about specs that never existed. No ledger, no notice.

    private: the hashes of private items, by id.
    """
    if not after.ledger:
        return
    added = after.ledger[len(before.ledger) :]
    entries = {(entry.kind, entry.id) for entry in added}
    untold = [
        f"{change.kind} {private.get(change.id, change.id)}"
        for change in changes
        if change.kind in _TOLD
        and change.scored
        and not entries & {(change.kind, change.id), (change.kind, change.before)}
    ]
    if untold:
        yield f"specs/{_LEDGER} has no new entry about {_some(untold)}"
    went = (change for change in changes if change.what in ("removed", "renamed"))
    gone = {(change.kind, (change.before or change.id).rpartition("/")[2]) for change in went}
    withdrawn = (entry for entry in added if entry.what == "withdrawn" and before.ledger)
    strange = [entry for entry in withdrawn if (entry.kind, entry.id) not in gone]
    if strange:
        names = [f"{entry.kind} {private.get(entry.id, entry.id)}" for entry in strange]
        yield f"specs/{_LEDGER} withdraws specs that no board of BASE has: {_some(names)}"


def _some(names: Sequence[str]) -> str:
    return listed(some_of(names, _MOST_ENTRIES, thousands=","))


def _ledger(side: Revision) -> bytes | None:
    path = side.specs / _LEDGER
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None  # a link or a pipe
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError:
        return None

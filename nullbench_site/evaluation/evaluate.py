"""From specs to a run folder full of records: choose or open the run, then make what calls are missing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from nullbench_site import __version__
from nullbench_site.evaluation.plan import Caller, Plan, Selection, make_plan
from nullbench_site.evaluation.runner import Outcome, Runner, Tally
from nullbench_site.runs.catalog import CatalogEntry, list_runs, next_run_name, runs_of
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.manifest import FORMAT, Manifest
from nullbench_site.specs.digest import spec_digest


@dataclass(frozen=True)
class Evaluation:
    """A run folder and what it took. `complete`: every call of the whole benchmark is recorded."""

    folder: RunFolder
    planned: int
    tally: Tally
    complete: bool
    mended: tuple[Path, ...] = ()

    @property
    def sealed(self) -> bool:
        return self.folder.manifest.state == "sealed"


def evaluate(
    caller: Caller,
    specs: Path,
    runs_dir: Path,
    selection: Selection,
    *,
    fresh: bool = False,
    on_plan: Callable[[int], None] = lambda planned: None,
    on_call: Callable[[Outcome], None] = lambda outcome: None,
) -> Evaluation:
    """The run of these specs, with every call of the selection answered from earlier runs or made now.

    fresh: reuse no earlier run; an interrupted fresh run is resumed. Hold `storage.exclusive(runs_dir)` around it.
    Raises StorageError where the disk refuses; what was recorded stays for the next build.
    """
    selection.check(caller.benchmark)
    planned = caller.planned(selection)
    entries = list_runs(runs_dir)
    entry = _run_to_use(caller, entries, fresh=fresh)
    if entry is not None and entry.manifest.state == "sealed":
        return Evaluation(RunFolder(entry.path, entry.manifest), planned, Tally(reused=planned), complete=True)

    entry = entry or _new_run(caller, specs, runs_dir, entries, fresh=fresh)
    folder = RunFolder(entry.path, entry.manifest)
    mended = tuple(folder.drop_torn_lines())
    on_plan(planned)
    runner = Runner(caller, folder, _known_to(entry, entries), on_call)
    tally = asyncio.run(runner.run(caller.targets(selection)))
    complete = selection.everything or runner.answered == caller.planned(Selection())
    return Evaluation(folder, planned, tally, complete, mended)


def plan(caller: Caller, runs_dir: Path, selection: Selection, *, fresh: bool = False) -> Plan:
    """What `evaluate` would call and what it would reuse."""
    selection.check(caller.benchmark)
    entries = list_runs(runs_dir)
    entry = _run_to_use(caller, entries, fresh=fresh)
    if entry is None:
        return make_plan(caller, selection, KnownCalls([] if fresh else entries))
    return make_plan(caller, selection, _known_to(entry, entries))


def _run_to_use(caller: Caller, entries: list[CatalogEntry], *, fresh: bool) -> CatalogEntry | None:
    """The newest run that has every call of these specs answered, or else one to go on with; None: a new one is due."""
    calls = caller.calls_digest()
    of_specs = runs_of(entries, caller.benchmark.about.version, spec_digest(caller.benchmark))
    same = [entry for entry in reversed(of_specs) if entry.manifest.calls_digest == calls]
    complete = (e for e in same if e.manifest.complete and not fresh)
    begun = (e for e in same if e.manifest.state == "open" and (e.manifest.fresh or not fresh))
    return next(chain(complete, begun), None)


def _known_to(entry: CatalogEntry, entries: list[CatalogEntry]) -> KnownCalls:
    """What may be reused in a run: nothing of others if it is a fresh one; its own answers before those of others."""
    others = [] if entry.manifest.fresh else [other for other in entries if other.path != entry.path]
    return KnownCalls([*others, entry])


def _new_run(caller: Caller, specs: Path, runs_dir: Path, entries: list[CatalogEntry], *, fresh: bool) -> CatalogEntry:
    about, digest = caller.benchmark.about, spec_digest(caller.benchmark)
    name = next_run_name(entries, about.version, digest)
    manifest = Manifest(
        format=FORMAT,
        run=name,
        benchmark=about.id,
        version=about.version,
        spec_digest=digest,
        calls_digest=caller.calls_digest(),
        tool=f"nullbench-site {__version__}",
        state="open",
        fresh=fresh,
        # Milliseconds, so that of two runs of one second the newer one is known.
        created_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )
    folder = RunFolder.create(runs_dir / name, manifest, specs)
    return CatalogEntry(folder.path, folder.manifest)

"""From specs to a run folder full of records: choose or open the run, then make what calls are missing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
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


def complete_run(caller: Caller, runs_dir: Path) -> CatalogEntry | None:
    """The newest sealed run that holds every call of these specs without a failure; None if there is none."""
    about = caller.benchmark.about
    same = runs_of(list_runs(runs_dir), about.version, spec_digest(caller.benchmark))
    calls = caller.calls_digest()
    return next((entry for entry in reversed(same) if _is_complete(entry, calls)), None)


def _is_complete(entry: CatalogEntry, calls_digest: str) -> bool:
    manifest = entry.manifest
    return manifest.state == "sealed" and manifest.calls_digest == calls_digest and manifest.counts.failed == 0


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
    reusable = None if fresh else complete_run(caller, runs_dir)
    if reusable is not None:
        folder = RunFolder(reusable.path, reusable.manifest)
        calls = reusable.manifest.counts.calls
        return Evaluation(folder, calls, Tally(reused=calls), complete=True)

    folder = _open_run(caller, specs, runs_dir, fresh=fresh)
    mended = tuple(folder.drop_torn_lines())
    earlier = [] if folder.manifest.fresh else [entry.path for entry in list_runs(runs_dir)]
    known = KnownCalls(dict.fromkeys([*earlier, folder.path]))
    # Errored responses need no judgments, so the count is of calls if all goes well.
    planned = sum(
        1 + len(caller.benchmark.judges_for(target.board, target.model)) for target in caller.targets(selection)
    )
    on_plan(planned)
    runner = Runner(caller, folder, known, on_call)
    tally = asyncio.run(runner.run(caller.targets(selection)))
    complete = selection.everything or _nothing_left(caller, folder)
    return Evaluation(folder, planned, tally, complete, mended)


def plan(caller: Caller, runs_dir: Path, selection: Selection, *, fresh: bool = False) -> Plan:
    """What `evaluate` would call and what it would reuse."""
    selection.check(caller.benchmark)
    return make_plan(caller, selection, KnownCalls([] if fresh else [entry.path for entry in list_runs(runs_dir)]))


def _open_run(caller: Caller, specs: Path, runs_dir: Path, *, fresh: bool) -> RunFolder:
    entries = list_runs(runs_dir)
    about, digest, calls = caller.benchmark.about, spec_digest(caller.benchmark), caller.calls_digest()
    for entry in reversed(runs_of(entries, about.version, digest)):
        manifest = entry.manifest
        if manifest.state == "open" and manifest.calls_digest == calls and (manifest.fresh or not fresh):
            return RunFolder(entry.path, manifest)
    name = next_run_name(entries, about.version, digest)
    manifest = Manifest(
        format=FORMAT,
        run=name,
        benchmark=about.id,
        version=about.version,
        spec_digest=digest,
        calls_digest=calls,
        tool=f"nullbench-site {__version__}",
        state="open",
        fresh=fresh,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return RunFolder.create(runs_dir / name, manifest, specs)


def _nothing_left(caller: Caller, folder: RunFolder) -> bool:
    return not make_plan(caller, Selection(), KnownCalls([folder.path])).to_make

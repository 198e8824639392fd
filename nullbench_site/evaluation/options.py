"""The options of a build, and the run that it uses: a finished one, an open one to resume, or a new one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Scope, Selection, Who, is_named, protocol_of
from nullbench_site.git import source_of
from nullbench_site.runs.catalog import CatalogEntry, best_run, list_runs, next_run_name, runs_of
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import KnownCalls, Retry
from nullbench_site.runs.manifest import FORMAT, TOOL, Manifest, used_extensions
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile

if TYPE_CHECKING:
    from nullbench_site.evaluation.endpoints.batch_files import Batch


StopWhen: TypeAlias = Literal["separated"]
"""When a build may stop before all items are answered: every pair of ranked contestants is decided."""


class BuildOptions(msgspec.Struct, frozen=True):
    """The options of a build.

    fresh: reuse no earlier run, except for answers whose server is on this machine and not running. judges_anew: reuse
    no earlier judgment of these judges. retry_failed: make failed calls and unparsed judgments of a sealed run again;
    otherwise a sealed run is done. batch: files in the place of servers. merged: the folders of runs of
    these specs that were made elsewhere; their records are copied. reused: further folders with runs whose calls are
    reused. stop_when: "separated" stops a board at the first of its looks at which every pair is decided.
    """

    selection: Selection = msgspec.field(default_factory=Selection)
    scope: Scope = msgspec.field(default_factory=Scope)
    budget: Budget = msgspec.field(default_factory=Budget)
    fresh: bool = False
    judges_anew: Collection[str] = ()
    retry_failed: bool = False
    batch: Batch | None = None
    merged: tuple[Path, ...] = ()
    reused: tuple[Path, ...] = ()
    stop_when: StopWhen | None = None

    def check(self, benchmark: Benchmark) -> None:
        """Raises UsageError for names that are not in these specs."""
        self.selection.check(benchmark)
        self.scope.check(benchmark)
        if self.stop_when is not None:
            self._check_stop(benchmark)

    def boards_with_looks(self, benchmark: Benchmark) -> list[BoardFile]:
        """Return the selected boards that have looks."""
        return [board for board in self._asking(benchmark) if board.looks is not None]

    def _asking(self, benchmark: Benchmark) -> Iterator[BoardFile]:
        """Yield the selected boards that make calls."""
        for name, board in benchmark.boards.items():
            selected = not self.selection.boards or name in self.selection.boards
            if selected and name not in benchmark.tables and protocol_of(board).calls:
                yield board

    def _check_stop(self, benchmark: Benchmark) -> None:
        """Raises UsageError if a stop would depend on a choice of items or contestants, or a board has no looks."""
        for option, chosen in (
            ("--limit", self.selection.limit is not None),
            ("--model", self.selection.models),
            ("--item", self.selection.items),
            ("--domain", self.selection.domains),
            ("--shard", self.selection.shard is not None),
        ):
            if chosen:
                raise UsageError(
                    f"--stop-when compares all contestants on whole looks, so it does not work with {option}; "
                    f"leave out {option}, or build without --stop-when"
                )
        lacking = [board.id for board in self._asking(benchmark) if board.looks is None]
        if lacking or not self.boards_with_looks(benchmark):
            which = f"board {lacking[0]!r} has" if lacking else "no selected board has"
            raise UsageError(
                f"--stop-when needs looks, and {which} none; add looks: [0.25, 0.5, 1] to its file in specs/boards/, "
                "or choose boards that have looks with --board"
            )

    def known_runs(self, entries: Iterable[CatalogEntry]) -> list[CatalogEntry]:
        """Return the runs whose calls may be reused. entries: those next to the run."""
        return [*chain.from_iterable(map(list_runs, self.reused)), *entries]


def run_to_use(builder: RequestBuilder, entries: list[CatalogEntry], options: BuildOptions) -> CatalogEntry | None:
    """Return the best finished run, or else the run to resume; None if the build needs a new run."""

    def serves(manifest: Manifest) -> bool:
        if options.fresh or options.judges_anew:
            return manifest.state == "open" and _wanted(builder, options) == (manifest.fresh, manifest.judged_anew)
        if manifest.sealed and manifest.stops and options.stop_when is None:
            return False
        nothing_to_retry = manifest.complete and not manifest.counts.unparsed
        return manifest.state == "open" or nothing_to_retry or not options.retry_failed

    return best_run([entry for entry in runs_of_same_calls(builder, entries) if serves(entry.manifest)])


def runs_of_same_calls(builder: RequestBuilder, entries: list[CatalogEntry]) -> list[CatalogEntry]:
    """Return the runs of these specs whose calls have not changed since, oldest first."""
    calls = builder.calls_digest
    of_specs = runs_of(entries, builder.benchmark.about.version, builder.spec_digest)
    return [entry for entry in of_specs if entry.manifest.calls_digest == calls]


def last_sealed(builder: RequestBuilder, entries: list[CatalogEntry]) -> CatalogEntry | None:
    """Return the newest sealed run of these specs that has every item."""
    of_specs = reversed(runs_of_same_calls(builder, entries))
    return next((entry for entry in of_specs if entry.manifest.sealed and not entry.manifest.stops), None)


def _wanted(builder: RequestBuilder, options: BuildOptions) -> tuple[bool, tuple[str, ...]]:
    judges = builder.benchmark.judges.values()
    return options.fresh, tuple(sorted(judge.id for judge in judges if is_named(judge, options.judges_anew)))


def retry_number(entries: list[CatalogEntry], entry: CatalogEntry | None, options: BuildOptions) -> int:
    """Return the number of the retry that resumes or begins a run; 0 for none.

    An open run keeps its number, so an interrupted retry makes no call twice.
    """
    own = entry.manifest.retry if entry is not None else 0
    if own or not options.retry_failed:
        return own
    return 1 + max((other.manifest.retry for other in entries), default=0)


def retry_of(builder: RequestBuilder, number: int) -> Retry:
    """Return the judgments that a retry makes again: only those of models, because a program gives the same reply."""
    judges = builder.benchmark.judges.values()
    return Retry(number, {judge.id for judge in judges if builder.backends[judge.backend].chats})


def known_to(
    entry: CatalogEntry, entries: list[CatalogEntry], retry: Retry, silent: Collection[Who] = ()
) -> KnownCalls:
    """Return the calls that a run may reuse: its own answers first, then those of others.

    silent: whose servers are not running. A fresh run reuses only their answers in other runs.
    """
    fresh = entry.manifest.fresh
    others = [] if fresh and not silent else [other for other in entries if other.path != entry.path]
    known = KnownCalls([*others, entry], retry)
    if fresh and silent:
        of_kind = {kind: {name for each, name in silent if each == kind} for kind in ("contestant", "judge")}
        known.forget_others(of_kind["contestant"], of_kind["judge"], but_in=entry.path)
    if entry.manifest.judged_anew:
        known.forget(entry.manifest.judged_anew, but_in=entry.path)
    return known


def new_run(
    builder: RequestBuilder, specs: Path, runs_dir: Path, entries: list[CatalogEntry], options: BuildOptions
) -> CatalogEntry:
    """Create the folder of an open run of these specs."""
    about, digest = builder.benchmark.about, builder.spec_digest
    name = next_run_name(entries, about.version, digest)
    fresh, judged_anew = _wanted(builder, options)
    manifest = Manifest(
        format=FORMAT,
        run=name,
        benchmark=about.id,
        version=about.version,
        spec_digest=digest,
        calls_digest=builder.calls_digest,
        tool=TOOL,
        source=source_of(specs),
        backends=builder.revisions,
        extensions=used_extensions(builder.benchmark),
        state="open",
        fresh=fresh,
        profile=builder.benchmark.profile,
        judged_anew=judged_anew,
        retry=retry_number(entries, None, options),
        created_at=_created_at(entries),
    )
    folder = RunFolder.create(runs_dir / name, manifest, specs)
    return CatalogEntry(folder.path, folder.manifest)


def _created_at(entries: list[CatalogEntry]) -> str:
    """Return the time now; if the newest run has a later time, return the millisecond after that."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    newest = max((entry.manifest.created_at for entry in entries if not entry.is_ahead), default="")
    if now <= newest:
        with suppress(ValueError, OverflowError):
            return (datetime.fromisoformat(newest) + timedelta(milliseconds=1)).isoformat(timespec="milliseconds")
    return now

"""From specs to a run folder full of records: choose or open the run, then make what calls are missing."""

from __future__ import annotations

from pathlib import Path

import msgspec

from nullbench_site.errors import StoppedEarly
from nullbench_site.evaluation.backends.base import BuildContext
from nullbench_site.evaluation.conversations import known_records
from nullbench_site.evaluation.meters import Progress, Tally
from nullbench_site.evaluation.order import (
    BuildOptions,
    known_to,
    last_sealed,
    new_run,
    retry_number,
    retry_of,
    run_to_use,
)
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.known import Journal, KnownCalls

_NO_RESPONSES = "no earlier run holds a response to judge; have them made with: nullbench-site build"


class Evaluation(msgspec.Struct, frozen=True):
    """A run folder and what it took. `complete`: every call of the whole benchmark is recorded.

    stops: why calls were left unmade, a message each. spent_usd, uncounted, uncounted_usd: as of a Meter, by this
    evaluation.
    """

    folder: RunFolder
    planned: int
    tally: Tally
    complete: bool
    mended: tuple[Path, ...] = ()
    stops: tuple[str, ...] = ()
    spent_usd: float | None = None
    uncounted: int = 0
    uncounted_usd: float | None = 0.0

    @classmethod
    def of_sealed(cls, entry: CatalogEntry, planned: int) -> Evaluation:
        """A run in which every call is known."""
        return cls(RunFolder(entry.path, entry.manifest), planned, Tally(reused=planned), complete=True)

    @property
    def sealed(self) -> bool:
        return self.folder.manifest.sealed


def evaluate(
    builder: RequestBuilder,
    specs: Path,
    runs_dir: Path,
    order: BuildOptions,
    progress: Progress | None = None,
    *,
    private: Path | None = None,
) -> Evaluation:
    """The run of these specs, with every call of the order answered from earlier runs or made now.

    private: the folder of what is not published. An interrupted fresh run is resumed. Hold
    `storage.exclusive(runs_dir)` around it.
    What was recorded stays for the next build. Raises UsageError where a budget cannot be kept or git would publish
    private texts, RunError where an earlier run is not what was sealed, StorageError where the disk refuses,
    StoppedEarly where nothing could be recorded, KeyboardInterrupt after a Ctrl-C.
    """
    progress = progress or Progress()
    order.check(builder.benchmark)
    if order.budget.max_usd is not None:
        from nullbench_site.evaluation.requirements import check_bounded  # noqa: PLC0415 - as below

        check_bounded(builder, order.selection, specs)
    entries = list_runs(runs_dir)
    existing = run_to_use(builder, entries, order)
    if existing is not None and existing.manifest.sealed:
        # Of everything the manifest tells; to count what controls would be asked takes longer than the whole build.
        everything = order.selection.everything
        planned = existing.manifest.counts.calls if everything else builder.planned(order.selection)
        return Evaluation.of_sealed(existing, planned)

    planned = builder.planned(order.selection)
    from nullbench_site.evaluation.requirements import check_needs, check_private, texts_by_domain  # noqa: PLC0415 - a build that finds everything known needs none
    from nullbench_site.evaluation.session import run_session  # noqa: PLC0415 - nor this

    check_needs(builder, order.selection)
    check_private(builder, runs_dir, entries)
    entry = existing or new_run(builder, specs, runs_dir, entries, order)
    folder = RunFolder(entry.path, entry.manifest)
    folder.begin_retry(retry_number(entries, entry, order))
    folder.keep_texts(texts_by_domain(builder.benchmark))
    mended = tuple(folder.drop_torn_lines())
    progress.on_plan(planned)
    controls = BuildContext(specs, private, budget=order.budget, on_note=progress.on_note)
    known = known_to(entry, entries, retry_of(builder, folder.manifest.retry))
    journal = Journal(folder, known, {name: text.salt for name, text in builder.benchmark.private.items()})
    taken = _take_known_of_others(builder, order.selection, journal, known)
    copied = journal.written
    retry = folder.manifest.retry
    runner = run_session(builder, order, progress, controls, journal=journal, known=known, retry=retry)
    tally, stops = runner.tally, tuple(runner.stops)
    spent = (runner.askers.spent_usd, *runner.askers.uncounted)
    planned, tally.reused = planned + taken, tally.reused + taken
    if existing is None and journal.written == copied:
        folder.discard()
        reasons = stops or (_NO_RESPONSES,)
        raise StoppedEarly("\n".join([*reasons, "nothing was recorded; mend that and run the same command again"]))
    goes_on = tally.left and (tally.made or tally.begun)
    nothing_gained = tally.made == tally.unparsed and not goes_on
    if existing is None and nothing_gained and not entry.manifest.anew:
        before = last_sealed(builder, entries)
        if before is not None:  # what failed in it, or could not be read, did so again
            folder.discard()
            return Evaluation(RunFolder(before.path, before.manifest), planned, tally, True, mended, stops, *spent)
    everything = order.selection.everything or journal.answered == builder.planned(Selection())
    return Evaluation(folder, planned, tally, everything and not tally.left, mended, stops, *spent)


def _take_known_of_others(builder: RequestBuilder, selection: Selection, journal: Journal, known: KnownCalls) -> int:
    """Copy what is known of contestants that are not selected, so that they stay on their boards; returns how much.

    What stands at its place already is not looked up again.
    """
    taken = 0
    for target in builder.targets_of_others(selection):
        places = [place for _, place in builder.places(target)]
        if all(map(journal.holds, places)) and not any(map(journal.has_lost, places)):
            taken += len(places)
            continue
        for record in known_records(builder, target, known):
            journal.keep(record)
            taken += 1
    journal.close()
    return taken

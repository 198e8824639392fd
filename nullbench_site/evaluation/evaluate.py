"""Fill a run folder with records: choose or open the run, check what the calls need, make the missing calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from nullbench_site.checks.sandbox import SandboxUnavailableError, sandbox_problem
from nullbench_site.errors import RunError, StoppedEarly, UsageError
from nullbench_site.evaluation.backends.base import BuildContext
from nullbench_site.evaluation.endpoints.local_server import START, is_stopped
from nullbench_site.evaluation.merging import copy_records, runs_to_merge
from nullbench_site.evaluation.meters import Progress, Tally
from nullbench_site.evaluation.options import (
    BuildOptions,
    known_to,
    last_sealed,
    new_run,
    retry_number,
    retry_of,
    run_to_use,
)
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.runner import Runner, run_session
from nullbench_site.evaluation.targets import Selection, Who
from nullbench_site.evaluation.walk import known_records, spared_calls
from nullbench_site.judging import geval
from nullbench_site.judging.protocol import judging
from nullbench_site.runs.catalog import CatalogEntry, list_runs
from nullbench_site.runs.folder import PRIVATE, RunFolder
from nullbench_site.runs.in_flight import InFlight
from nullbench_site.runs.known import Journal, KnownCalls
from nullbench_site.runs.verify import private_problems
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.listing import place_of
from nullbench_site.specs.private import left_to_git
from nullbench_site.specs.types import Decoding, Judge, ModelFile, PrivateText
from nullbench_site.text import listed, plural, some_of

_NO_RESPONSES = "no earlier run has a response to judge; make responses with: nullbench-site build"


_SHOWN = 5


class Evaluation(msgspec.Struct, frozen=True):
    """A run folder, and the cost of its calls. complete: every call of the benchmark is recorded.

    stops: why calls were not made, one message each. kept: the contestants and judges of a fresh run whose recorded
    answers were reused, because their servers are not running. spent_usd, uncounted, uncounted_usd: as in Meter, of
    this build.
    """

    folder: RunFolder
    planned: int
    tally: Tally
    complete: bool
    stops: tuple[str, ...] = ()
    spent_usd: float | None = None
    uncounted: int = 0
    uncounted_usd: float | None = 0.0
    kept: tuple[str, ...] = ()

    @classmethod
    def of_sealed(cls, entry: CatalogEntry, planned: int) -> Evaluation:
        """Return the evaluation of a sealed run: every call is known."""
        return cls(RunFolder(entry.path, entry.manifest), planned, Tally(reused=planned), complete=True)

    @property
    def sealed(self) -> bool:
        return self.folder.manifest.sealed


def evaluate(
    builder: RequestBuilder,
    specs: Path,
    runs_dir: Path,
    options: BuildOptions,
    progress: Progress | None = None,
    *,
    private: Path | None = None,
) -> Evaluation:
    """Return the run of these specs, with every selected call reused from earlier runs or made now.

    private: the folder of private texts. An interrupted fresh run is resumed. Hold `storage.exclusive(runs_dir)` around
    the call. After any error, records stay for the next build.

    Raises UsageError if a budget cannot be kept or git would publish private texts, RunError if an earlier run was
    changed after it was sealed, StorageError if the disk refuses, StoppedEarly if nothing could be recorded,
    KeyboardInterrupt after a Ctrl-C.
    """
    progress = progress or Progress()
    options.check(builder.benchmark)
    if options.budget.max_usd is not None:
        _check_bounded(builder, options.selection, specs)
    entries = list_runs(runs_dir)
    _note_dates(entries, progress)
    merged_runs = runs_to_merge(builder, options.merged)
    existing = run_to_use(builder, entries, options)
    if existing is not None and existing.manifest.sealed:
        # The manifest has the number of all calls; counting those of controls takes longer than the build.
        everything = options.selection.everything
        planned = existing.manifest.counts.calls if everything else builder.planned(options.selection)
        return Evaluation.of_sealed(existing, planned)

    expected = builder.expected(options.selection)
    planned = expected.total()
    _check_needs(builder, options.selection)
    _check_private(builder, runs_dir, entries)
    entry = existing or new_run(builder, specs, runs_dir, entries, options)
    folder = RunFolder(entry.path, entry.manifest)
    folder.resume(retry_number(entries, entry, options))
    folder.keep_texts(_texts_by_domain(builder.benchmark))
    for path in folder.drop_torn_lines():
        progress.on_note(f"{path}: dropped a last line that an interrupted build had left half written")
    progress.on_plan(planned)
    silent = _silent(builder, options.selection, progress, fresh=entry.manifest.fresh)
    known = known_to(entry, options.known_runs(entries), retry_of(builder, folder.manifest.retry), silent)
    context = BuildContext(specs, options.budget, private, on_note=progress.on_note, builds=options.selection.n_shards)
    context.batch, context.batches, context.is_known = options.batch, runs_dir / ".batches", known.has
    journal = Journal(folder, known, {name: text.salt for name, text in builder.benchmark.private.items()})
    context.in_flight, recorded = _settle_killed(folder, journal, progress), _take_recorded(builder, journal)
    merged = sum(copy_records(each.path, journal, builder.benchmark.private) for each in merged_runs)
    taken = recorded + _take_known_of_others(builder, options.selection, journal, known)
    copied = journal.written - merged
    runner = run_session(builder, options, progress, context, expected, journal=journal, known=known, silent=silent)
    tally, stops = runner.tally, tuple(runner.stops)
    _note_unanswered(runner, progress)
    spent = (runner.askers.spent_usd, *runner.askers.uncounted)
    unasked = runner.unasked.total() + sum(runner.spared.values())
    planned, tally.reused = planned + taken - unasked, tally.reused + taken
    if existing is None and planned > recorded and journal.written == copied:
        folder.discard()
        reasons = stops or (_NO_RESPONSES,)
        raise StoppedEarly("\n".join([*reasons, "nothing was recorded; fix that and run the same command again"]))
    goes_on = tally.left and (tally.made or tally.begun)
    nothing_gained = tally.made == tally.unparsed and not goes_on
    if existing is None and nothing_gained and not entry.manifest.anew:
        before = last_sealed(builder, entries)
        if before is not None:  # the same calls failed, or could not be parsed, again
            folder.discard()
            return Evaluation(RunFolder(before.path, before.manifest), planned, tally, True, stops, *spent)
    everything = options.selection.everything or (
        journal.answered + runner.unasked.total() + spared_calls(builder, known)
        == builder.planned(Selection()) + recorded
    )
    kept = tuple(sorted({name for _, name in silent})) if entry.manifest.fresh else ()
    return Evaluation(folder, planned, tally, everything and not tally.left, stops, *spent, kept)


def _settle_killed(folder: RunFolder, journal: Journal, progress: Progress) -> InFlight:
    """Record what the calls of a killed build may have cost, and say so. Return the file for those of this build."""
    in_flight = InFlight(folder)
    n, most = journal.settle(in_flight)
    if n:
        were = f"{plural(n, 'call')} {'was' if n == 1 else 'were'} under way when the last build was killed"
        cost = "there is no bound on their cost" if most is None else f"they may have cost up to ${most:.4f}"
        progress.on_note(f"{were}; {cost.replace('they', 'it').replace('their', 'its') if n == 1 else cost}")
    return in_flight


def _note_dates(entries: Sequence[CatalogEntry], progress: Progress) -> None:
    """Say which runs are dated in the future."""
    for entry in entries:
        if entry.is_ahead:
            day = entry.manifest.created_at[:10]
            progress.on_note(f"{entry.path}: dated {day}, in the future; later runs take no date from it")


def _silent(builder: RequestBuilder, selection: Selection, progress: Progress, *, fresh: bool) -> tuple[Who, ...]:
    """Return the contestants and judges whose servers are on this machine and not running.

    Only fresh runs and probes need to know. A fresh run says that it keeps recorded answers.
    """
    if not fresh and not any(board.ask_canaries for board in builder.benchmark.boards.values()):
        return ()
    asked: dict[str, list[Who]] = {}
    for who, endpoint in builder.endpoints(selection).items():
        asked.setdefault(endpoint, []).append(who)
    silent: list[Who] = []
    for name, at_endpoint in asked.items():
        if is_stopped(builder.benchmark.endpoint_of(builder.asked(at_endpoint[0]))):
            silent += at_endpoint
            if fresh:
                kept = f"recorded answers of {listed(sorted({who for _, who in at_endpoint}))} are kept"
                progress.on_note(f"endpoint {name!r} is not running: {kept}; for new ones, {START} and repeat --fresh")
    return tuple(silent)


def _note_unanswered(runner: Runner, progress: Progress) -> None:
    """Say which items have no answer yet, and which contestants were not asked to complete canaries."""
    for model, items in runner.open.items():
        shown = listed(some_of([*map(repr, items)], _SHOWN, thousands=""))
        progress.on_note(f"{model} has no answer yet to {shown}; the next build requests what is missing")
    if left_out := sorted({name for _, name in runner.silent} & runner.unasked.keys()):
        why = "because no server is running on this machine"
        progress.on_note(f"canaries were not asked of {listed(left_out)}, {why}; to ask, {START} and build --fresh")


def _take_recorded(builder: RequestBuilder, journal: Journal) -> int:
    """Write the records of boards whose results are in tables; returns how many they are."""
    taken = 0
    for record in builder.recorded():
        journal.keep(record)
        taken += 1
    journal.close()
    return taken


def _take_known_of_others(builder: RequestBuilder, selection: Selection, journal: Journal, known: KnownCalls) -> int:
    """Copy known records of contestants that are not selected, so that their boards keep them; returns how many.

    Records that the run already has are not looked up again.
    """
    taken = 0
    for target in builder.targets_of_others(selection):
        places = [place for _, place in builder.places(target)]
        if all(map(journal.has, places)) and not journal.has_lost(places):
            taken += len(places)
            continue
        for record in known_records(builder, target, known):
            journal.keep(record)
            taken += 1
    journal.close()
    return taken


def _check_needs(builder: RequestBuilder, selection: Selection) -> None:
    """Raises UsageError before any paid call, if answers could not be checked or measured."""
    boards = [
        board for name, board in builder.benchmark.boards.items() if not selection.boards or name in selection.boards
    ]
    if any(judging(board.protocol).measured(board) for board in boards):
        if advice := geval.missing():
            raise UsageError(advice)
        geval.prepare()  # takes seconds, which would block the event loop
    executes = any(
        judging(board.protocol).executes(placed) for board in boards for placed in builder.benchmark.items(board)
    )
    if executes and (problem := sandbox_problem()):
        raise SandboxUnavailableError(f"{problem}; or remove `run` from the checks, to check the syntax only")


def _check_bounded(builder: RequestBuilder, selection: Selection, specs: Path) -> None:
    """Raises UsageError naming every contestant and judge whose calls have no bound on their cost."""
    problems = []
    for who, decoding in _asked_at_endpoints(builder, selection):
        if who.prices is None:
            problems.append(
                f"{place_of(specs, who)}: --max-cost needs to know the prices of {who.id!r}; add prices here"
            )
        elif decoding.max_tokens is None:
            problem = f"--max-cost needs a limit on the output of {who.id!r}; add max_tokens to its decoding"
            problems.append(f"{place_of(specs, who)}: {problem}")
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))


def _asked_at_endpoints(builder: RequestBuilder, selection: Selection) -> Iterator[tuple[ModelFile | Judge, Decoding]]:
    for board, model in builder.contestants(selection):
        if builder.backends[model.backend].chats:
            yield model, model.decoding or board.decoding
        for task in builder.every_task(board, model):
            if builder.backends[task.judge.backend].chats:
                yield task.judge, task.judge.decoding


def _check_private(builder: RequestBuilder, runs_dir: Path, entries: Sequence[CatalogEntry]) -> None:
    """Raises UsageError if git would publish private records, RunError if private records of a sealed run changed.

    A copy of a changed record would be sealed as if it were right.
    """
    if builder.benchmark.private and left_to_git(runs_dir.parent, [runs_dir / "any" / PRIVATE / "responses"]):
        advice = f"add the line /{runs_dir.name}/*/{PRIVATE}/ to .gitignore"
        raise UsageError(f"{runs_dir}: git would publish the private records of runs; {advice}")
    sealed = (entry for entry in entries if entry.manifest.sealed)
    problems = [problem for entry in sealed for problem in private_problems(entry.path)]
    if problems:
        raise RunError("\n".join([*problems, f"or remove the folder {PRIVATE} of that run, and build again"]))


def _texts_by_domain(benchmark: Benchmark) -> Mapping[str, Sequence[PrivateText]]:
    """Return the private texts on this machine by domain, in the order of the specs."""
    texts: dict[str, list[PrivateText]] = {}
    for domain, item in benchmark.every_item:
        if item.id in benchmark.private:
            texts.setdefault(domain.id, []).append(benchmark.private[item.id])
    return texts

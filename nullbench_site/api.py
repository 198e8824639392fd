"""One function per command, without the command line.

Drawing, scoring, importing and reviewing are imported inside functions, because other commands do not need them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from nullbench_site.build_report import BuildReport
from nullbench_site.errors import Problem, RunError, SpecError, UsageError, naming
from nullbench_site.evaluation.backends import backend_names, backends
from nullbench_site.evaluation.evaluate import Evaluation, evaluate
from nullbench_site.evaluation.judge_methods import check_methods
from nullbench_site.evaluation.meters import Progress, Stopwatch
from nullbench_site.evaluation.options import BuildOptions, StopWhen
from nullbench_site.evaluation.plan import keyless, plan_calls, plan_of_known
from nullbench_site.evaluation.plan_report import Plan, detectable
from nullbench_site.evaluation.record_keys import key_problems
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.planned_power import add_power
from nullbench_site.repository import AUDITS, Repository
from nullbench_site.runs.catalog import (
    CatalogEntry,
    RunSummary,
    list_runs,
    newest_run,
    read_catalog,
    runs_of,
    summaries,
)
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.manifest import TOOL, read_manifest
from nullbench_site.runs.stamp import RunStamp
from nullbench_site.runs.storage import exclusive, write_atomically
from nullbench_site.runs.verify import (
    Verified,
    check_sealed,
    integrity_problems,
    misnamed,
    not_sealed,
    other_digest,
    private_text_problems,
)
from nullbench_site.specs.benchmark import Benchmark, not_ready
from nullbench_site.specs.digest import spec_digest
from nullbench_site.specs.load import load_benchmark
from nullbench_site.specs.rewriting import missing_canaries
from nullbench_site.specs.schema import write_schemas as write_schema_files
from nullbench_site.text import did_you_mean

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from nullbench_site.audit.derived import Audited, AuditRepository
    from nullbench_site.audit.judge_decisions import Screened
    from nullbench_site.audit.prompt_results import BoardResult
    from nullbench_site.audit.prompt_study import StudiedBoard
    from nullbench_site.audit.search_specs import Found
    from nullbench_site.interop.answers.checking import SubmissionReport
    from nullbench_site.interop.answers.importing import AnswersReport, ImportRequest
    from nullbench_site.interop.exports import ExportForm, ExportReport
    from nullbench_site.interop.importer import ImportReport
    from nullbench_site.reproduction import RepeatedAnswers
    from nullbench_site.review.report import Diff
    from nullbench_site.scoring.reference import Reference
    from nullbench_site.stats.assumption import Assumption
    from nullbench_site.visibility import Hidden


def init(
    directory: Path,
    *,
    title: str | None = None,
    protocol: str | None = None,
    source: Path | None = None,
    columns: Mapping[str, str] | None = None,
    empty: bool = False,
    answers: str | None = None,
) -> Sequence[str]:
    """Write a new repository into `directory`; return notes on how `source`, a table of questions, was read.

    protocol: of its board. columns: headers of the table by column. empty: write no example. answers: how the answers
    of the table are read if two readings fit: letter, index-0, index-1, text or number. Raises UsageError,
    ImportRefused with every problem of the table, StorageError.
    """
    from nullbench_site.starter import start

    return start(
        directory,
        title=title,
        protocol=protocol,
        source=source,
        columns=columns or {},
        empty=empty,
        answers=answers or "",
    )


def validate(repository: Repository, profile: str | None = None) -> Benchmark:
    """Return the checked benchmark under a profile. Raises SpecError with every problem."""
    with naming(repository.specs):
        benchmark = load_benchmark(
            repository.specs, backends=backend_names(), profile=profile, private=repository.private
        )
    check_methods(benchmark, repository.specs, repository.runs)
    return benchmark


def _builder(repository: Repository, profile: str | None, *, execute: bool = True) -> RequestBuilder:
    """Return the requests of the benchmark under a profile. Raises SpecError with every problem."""
    benchmark = validate(repository, profile)
    for problem in not_ready(benchmark):
        raise UsageError(problem)
    return RequestBuilder(benchmark, backends(), execute=execute)


def check_answers(repository: Repository, benchmark: Benchmark) -> Sequence[Problem]:
    """Return warnings about imported answers. Raises SpecError if a file is not the one that its spec names."""
    from nullbench_site.interop.answers.kept import check_answers as check

    return check(repository.specs, benchmark)


def check_publication(repository: Repository) -> None:
    """Check that each board reports what a comparative claim needs, in the sealed run of the specs.

    Raises SpecError with everything that is missing, UsageError without such a run, and RunError without any.
    """
    from nullbench_site.site.gather import gather
    from nullbench_site.site.reporting_minimum import check as check_all

    entry = find_run(repository, None)
    current = _current_specs(repository, entry.manifest.profile)
    if current is None or not entry.manifest.sealed or spec_digest(current) != entry.manifest.spec_digest:
        raise UsageError("there is no sealed run of these specs to publish; make one with: nullbench-site build")
    with naming(repository.specs):
        check_all(repository.specs, gather(current.asking(entry.manifest.asked), entry, [entry]).views)


def hide(repository: Repository, domain: str, items: Sequence[str]) -> Hidden:
    """Make public items of a domain private, with the imported answers to them."""
    from nullbench_site.visibility import hide as hide_items

    # A build reads answers while it runs. Without a folder of runs there is no build.
    with exclusive(repository.runs) if repository.runs.is_dir() else nullcontext():
        return hide_items(repository.specs, repository.private, domain, items)


def reveal(repository: Repository, domain: str, items: Sequence[str]) -> None:
    """Make private items of a domain public, with the proof that their text was not changed."""
    from nullbench_site.visibility import reveal as reveal_items

    reveal_items(repository.specs, repository.private, domain, items)


def add_canaries(repository: Repository) -> list[Path]:
    """Add a canary to each spec without one; returns the files."""
    added = list(missing_canaries(repository.specs))
    for path, content in added:
        write_atomically(path, content)
    return [path for path, _ in added]


def write_schemas(repository: Repository) -> list[Path]:
    """Write the JSON Schemas for editors into specs/schema/; returns the files. Raises UsageError without specs."""
    if not repository.specs.is_dir():
        advice = "run the command in a benchmark's folder, or make one with: nullbench-site init DIR"
        raise UsageError(f"{repository.specs}: there is no such folder; {advice}")
    return write_schema_files(repository.specs / "schema")


def plan(
    repository: Repository,
    selection: Selection,
    *,
    profile: str | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    stop_when: StopWhen | None = None,
    why: bool = False,
    detect: float | None = None,
    assumed: Assumption | None = None,
) -> Plan:
    """Return the calls that `build` would make and those it would reuse. why: with the reasons for the calls.

    stop_when: of the build; the plan has the calls of all looks, which are the most that it makes.
    detect: a difference in points, for which the plan says what each board takes to detect it. assumed: of boards
    without an earlier run.
    """
    simple = detect is None and assumed is None
    if simple and selection.everything and not fresh and not retry_failed and stop_when is None:
        noted = _stamp(repository, profile).noted
        if noted is not None:
            calls = Plan.decoded(noted.plan)
            calls.run = noted.run
            calls.detectable = detectable(repository.runs / noted.run, ())
            return calls
    builder = _builder(repository, profile, execute=False)
    options = BuildOptions(
        selection, fresh=fresh, retry_failed=retry_failed, stop_when=stop_when, reused=repository.reused
    )
    options.check(builder.benchmark)
    if why:
        from nullbench_site.review.calls import plan_with_reasons

        calls = plan_with_reasons(builder, repository.runs, options, profile)
    else:
        calls = plan_calls(builder, repository.runs, options)
    calls.keyless = keyless(builder, calls, {**repository.variables, **os.environ})
    if simple and calls.run is not None and not selection.part_of_items:
        calls.detectable = detectable(repository.runs / calls.run, selection.boards)
    else:
        add_power(calls, builder.benchmark, selection, repository.runs, detect=detect, assumed=assumed)
    return calls


def diff(
    repository: Repository,
    base: str,
    head: str | None = None,
    *,
    profile: str | None = None,
    verify: bool = False,
    places: bool = False,
) -> Diff:
    """Return the changes of `head` against `base`: commits, folders or runs. Without `head`, the working tree.

    verify: check the runs that it brings. places: give the file and line of each change. Raises UsageError for a name
    that is none of these.
    """
    from nullbench_site.review.comparison import compare
    from nullbench_site.review.revisions import revision, work_tree

    private = repository.private
    with revision(repository.root, base, private) as before:
        if head is None:
            return compare(before, work_tree(repository.root, private), profile, verify=verify, places=places)
        with revision(repository.root, head, private) as after:
            return compare(before, after, profile, verify=verify, places=places)


def build(
    repository: Repository,
    options: BuildOptions | None = None,
    *,
    profile: str | None = None,
    render_site: bool = True,
    progress: Progress | None = None,
) -> BuildReport:
    """Make the missing calls, score, seal and render."""
    options, progress, clock = options or BuildOptions(), progress or Progress(), Stopwatch()
    usual = options == BuildOptions()  # compared now, because the build will spend from its budget
    options = msgspec.structs.replace(options, reused=repository.reused)
    os.environ |= {**repository.variables, **os.environ}

    @cache
    def builder() -> RequestBuilder:
        return _builder(repository, profile)

    with clock.stage("specs"):
        progress.on_stage("Reading specs")
        stamp = _stamp(repository, profile)
        known = stamp.noted if usual else None
        if known is None:
            options.check(builder().benchmark)
            if any(board.looks is not None for board in builder().benchmark.boards.values()):
                from nullbench_site.early_stop import check_looks

                check_looks(builder().benchmark, repository.specs, list_runs(repository.runs))
    with exclusive(repository.runs):
        with clock.stage("evaluate"):
            progress.on_stage("Evaluating")
            if known is not None:
                entry = find_run(repository, known.run)
                evaluation = Evaluation.of_sealed(entry, entry.manifest.counts.calls)
            else:
                evaluation = _evaluated(repository, builder(), options, progress)
        with clock.stage("score"):
            if not evaluation.sealed:
                progress.on_stage("Scoring")
                _score_and_seal(repository, evaluation, later=options.batch is not None)
        if known is None and usual and evaluation.sealed and evaluation.complete:
            plan = plan_of_known(builder(), options.selection, evaluation.folder)
            stamp.note(evaluation.folder.path.name, plan.encoded)
    entry = CatalogEntry(evaluation.folder.path, evaluation.folder.manifest)
    site_dir: Path | None = None
    repeated: tuple[RepeatedAnswers, ...] = ()
    if render_site:
        from nullbench_site.site.freshness import render_into

        with clock.stage("render"):
            progress.on_stage("Rendering")
            site_dir = render_into(
                repository,
                entry,
                lambda: builder().benchmark.without_texts.asking(entry.manifest.asked),
                progress.on_note,
                keep=True,
            )
    if options.fresh:
        from nullbench_site.reproduction import repeated_answers

        models = sorted(name for kind, name in builder().endpoints(Selection()) if kind == "contestant")
        repeated = tuple(repeated_answers(repository.runs, entry, models))
    return BuildReport.of(evaluation, site_dir, clock.seconds, repeated)


def _evaluated(
    repository: Repository, builder: RequestBuilder, options: BuildOptions, progress: Progress
) -> Evaluation:
    """Make the calls of a build, look by look if it may stop."""

    def made(builder: RequestBuilder) -> Evaluation:
        specs, runs, private = repository.specs, repository.runs, repository.private
        return evaluate(builder, specs, runs, options, progress, private=private)

    if options.stop_when is None:
        return made(builder)
    from nullbench_site.early_stop import evaluate_by_looks

    return evaluate_by_looks(builder, options, made)


def audits(repository: Repository, audited: Audited, run: str | None = None) -> Iterator[AuditRepository]:
    """Yield a repository for the audit of each board: plan or build it. Raises UsageError if nothing can be audited."""
    from nullbench_site.audit.derived import audit_repositories

    yield from audit_repositories(repository, find_run(repository, run), audited)


def prompt_studies(
    repository: Repository, judge: str, boards: Sequence[str] = (), items: int | None = None
) -> Iterator[StudiedBoard]:
    """Yield the study of judging prompts for each board: plan or build its repository. Raises UsageError as
    `studied_boards`."""
    from nullbench_site.audit.prompt_study import studied_boards

    yield from studied_boards(repository, judge, boards, items)


def prompt_results(studied: StudiedBoard, run: str) -> BoardResult:
    """Return what the records of the run of a study say. run: its folder."""
    from nullbench_site.audit.prompt_results import results_of

    path = Path(run)
    return results_of(studied.board, studied.protocol, studied.judge, RunFolder(path, read_manifest(path)))


def screened_judges(repository: Repository) -> Sequence[Screened]:
    """Return which judges pass the screening, by which prompt or by short questions, by all studies in audits/."""
    from nullbench_site.audit.recorded_studies import recorded_studies, screened

    return screened(recorded_studies(repository.root / AUDITS))


def search_result(repository: Repository, audit: str, run: str | None = None) -> Found:
    """Return what the search of a sealed audit of a run found, by its folder in audits/. Raises UsageError without."""
    from nullbench_site.audit.search_specs import found_by

    return found_by(repository, audit, find_run(repository, run).manifest.run)


def _stamp(repository: Repository, profile: str | None) -> RunStamp:
    """Return the stamp of a build under a profile."""
    return RunStamp.of(repository.cache / "run.stamp", repository.runs, repository.specs, repository.private, profile)


def _score_and_seal(repository: Repository, evaluation: Evaluation, *, later: bool) -> None:
    """Score a run, and seal it if it is complete. later: an open run without results is left to the next build."""
    evaluation.folder.note(evaluation.folder.sort_shards())
    if evaluation.complete or not later or (evaluation.folder.path / "results").exists():
        _write_results(repository, evaluation.folder)
    if evaluation.complete:
        evaluation.folder.seal(datetime.now(UTC).isoformat(timespec="seconds"), TOOL)


def _write_results(repository: Repository, folder: RunFolder, executor: Executor | None = None) -> None:
    from nullbench_site.runs.item_dates import dates_of_items
    from nullbench_site.scoring.recomputation import run_benchmark, score_run
    from nullbench_site.scoring.tables import write_results

    folder.date_items(dates_of_items(run_benchmark(folder.path), folder.path))
    for results in score_run(folder, cache=repository.cache / "summaries", executor=executor):
        write_results(folder.path, results)


def reproduction(repository: Repository, run: str) -> tuple[str, list[str]] | None:
    """Return the newest other complete run of the same specs, and a line for each score that differs in `run`.

    None if `run` is not complete or there is no other.
    """
    from nullbench_site.reproduction import changed_scores, earlier_run

    entry = find_run(repository, run)
    earlier = earlier_run(repository.runs, entry) if entry.manifest.complete else None
    return None if earlier is None else (earlier.manifest.run, changed_scores(entry, earlier))


def score(repository: Repository, run: str | None, executor: Executor | None = None) -> Path:
    """Compute the results of a run again from its records; returns the run folder.

    executor: the workers that read and score; None means this process.
    Raises RunError if records or specs of a sealed run were changed: they would be sealed again.
    """
    path = find_run(repository, run).path
    with exclusive(path.parent):
        folder = RunFolder(path, read_manifest(path))
        sealed = folder.manifest.sealed
        if sealed and (problems := integrity_problems(path, but_for="results/")[1]):
            raise not_sealed(path, problems)
        _write_results(repository, folder, executor)
        if sealed:
            folder.seal(folder.manifest.sealed_at or "", TOOL)
    return path


def render(repository: Repository, run: str | None = None, on_note: Callable[[str], None] = lambda _: None) -> Path:
    """Render the site of a run into site/; returns that folder. run: as in `find_run`. on_note: for warnings."""
    entry = find_run(repository, run)
    from nullbench_site.site.freshness import render_into

    return render_into(repository, entry, lambda: words_of(repository, entry), on_note, keep=False)


def words_of(repository: Repository, entry: CatalogEntry) -> Benchmark:
    """Return the current specs if they differ from those of the run only in titles; else the copy in the run."""
    profile = entry.manifest.profile
    current = _current_specs(repository, profile)
    if current is not None and spec_digest(current) == entry.manifest.spec_digest:
        return current.asking(entry.manifest.asked)
    return load_benchmark(entry.path / "specs", profile=profile).asking(entry.manifest.asked)


def _current_specs(repository: Repository, profile: str | None) -> Benchmark | None:
    """Return the current specs under a profile of a run; None if they have errors or lack that profile."""
    if (repository.specs / "benchmark.yaml").is_file():
        with suppress(UsageError, SpecError):
            return load_benchmark(repository.specs, profile=profile)
    return None


def find_run(repository: Repository, run: str | None) -> CatalogEntry:
    """Return the run of that name or path; without one the newest sealed run, else the newest.

    If the current specs are those of an earlier run, return that one, as a build does.
    """
    if run is not None:
        path = repository.runs / run if (repository.runs / run).is_dir() else Path(run)
        if path.is_dir():
            return CatalogEntry(path, read_manifest(path))
    entries, damaged = read_catalog(repository.runs)
    if damaged and run is None:
        unknown = "the newest run is unknown; name a run to continue"
        raise RunError("\n".join([*damaged.values(), unknown]))
    newest = newest_run(entries)
    if newest is None:
        raise RunError(f"{repository.runs}: there is no run yet; make one with: nullbench-site build")
    if run is not None:
        names = [entry.path.name for entry in entries]
        raise UsageError(f"there is no run {run!r} in {repository.runs}; {did_you_mean(run, names)}")
    sealed = [entry for entry in entries if entry.manifest.sealed]
    if len({entry.manifest.spec_digest for entry in sealed}) > 1:
        current = _current_specs(repository, newest.manifest.profile)
        if current is not None:
            return newest_run(runs_of(sealed, current.about.version, spec_digest(current))) or newest
    return newest


def verify(repository: Repository, run: str | None, expect: str | None = None) -> Verified:
    """Check the files of a run against its manifest, its results against its records, and these against its specs.

    expect: the digest of the manifest, if it is known.
    """
    entry = find_run(repository, run)
    manifest, problems = integrity_problems(entry.path)
    expected = [] if expect is None else other_digest(entry.path, manifest, expect)
    problems = [*expected, *misnamed(entry, repository.runs), *problems]
    if problems:
        return Verified(entry, problems, [])
    from nullbench_site.scoring.recomputation import recomputed

    recomputation = recomputed(entry.path, manifest)
    problems, notes = key_problems(entry)
    problems = [*recomputation.problems, *problems, *private_text_problems(entry)]
    return Verified(entry, problems, [*recomputation.notes, *notes])


def recompute_agreement(repository: Repository, run: str | None) -> Reference:
    """Recompute the agreement of judges in a run with the package `krippendorff`; return the largest difference.

    Raises UsageError if the package is not installed, RunError.
    """
    from nullbench_site.scoring.reference import recompute

    entry = find_run(repository, run)
    return recompute(entry.path, entry.manifest)


def run_summaries(repository: Repository) -> tuple[list[RunSummary], Mapping[str, str]]:
    """Return a summary of each run, newest first, and the problem of each run with an unreadable manifest."""
    entries, damaged = read_catalog(repository.runs)
    return summaries(entries)[::-1], damaged


def import_results(form: str, source: Path, into: Path, *, lenient: bool = False) -> ImportReport:
    """Make the benchmark repository `into` from results of another program in `source`; returns the report.

    lenient: leave out data with problems. Raises UsageError for wrong formats and folders, ImportRefused with every
    problem.
    """
    from nullbench_site.interop.importer import Importer, importer

    chosen = importer(form)
    if not isinstance(chosen, Importer):
        raise UsageError(f"{form!r} is a format of answers; call import_answers")
    with naming(source):
        return chosen.make(source, into, lenient)


def import_scores(form: str, file: str, options: Mapping[str, Any]) -> ImportReport:
    """Make or update a board from a table of scores; return what was imported. options: as in TableImporter.

    Raises UsageError for unusable tables and folders, ImportRefused if the specs would break a rule, StorageError.
    """
    from nullbench_site.interop.importer import TableImporter, importer

    chosen = importer(form)
    if not isinstance(chosen, TableImporter):
        raise UsageError(f"{form!r} is not a format of tables of scores")
    return chosen.make(file, options)


def import_answers(repository: Repository, form: str, submission: ImportRequest) -> AnswersReport:
    """Import the answers in a file of a format as a recorded contestant, or change nothing.

    Raises UsageError for wrong names and for answers that exist already, ImportRefused with every problem of the file,
    SpecError, StorageError.
    """
    from nullbench_site.interop.answers.importing import import_answers as bring_in
    from nullbench_site.interop.importer import AnswersImporter, importer

    chosen = importer(form)
    if not isinstance(chosen, AnswersImporter):
        raise UsageError(f"{form!r} is a format of whole benchmarks; call import_results")
    return bring_in(chosen, repository.specs, repository.private, repository.runs, submission)


def export(
    repository: Repository,
    form: ExportForm,
    into: Path,
    run: str | None,
    options: Mapping[str, Any],
) -> ExportReport:
    """Write a sealed run into the new folder `into`, in a format. run: as in `find_run`. options: of the format.

    Raises UsageError for wrong names and folders, RunError if the run is not sealed or was changed, StorageError.
    """
    from nullbench_site.interop.exports import every_eval_ever, export, hugging_face, run_tables
    from nullbench_site.site.gather import gather

    writer = {"eee": every_eval_ever.records_of, "hf": hugging_face.results_of, "tables": run_tables.tables_of}[form]
    entry = find_run(repository, run)
    check_sealed(entry.path, entry.manifest)
    return export(gather(words_of(repository, entry), entry, [entry]), writer, into, options)


def check_submission(repository: Repository, folder: Path, model: str | None = None) -> SubmissionReport:
    """Report on a contestant and its answers in a folder, before they are merged.

    Raises UsageError if the folder has no submission, SpecError if the specs of the repository have errors.
    """
    from nullbench_site.interop.answers.checking import check_submission as check

    return check(folder, model, repository.specs, repository.private, repository.runs)

"""One function a command: what the command line does, without the command line."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from nullbench_site.errors import Problem, RunError, SpecError, UsageError
from nullbench_site.evaluation.meters import Progress
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.requests import RequestBuilder
from nullbench_site.evaluation.targets import Selection
from nullbench_site.runs.catalog import (
    CatalogEntry,
    RunSummary,
    list_runs,
    newest_run,
    read_catalog,
    runs_of,
    summaries,
)
from nullbench_site.runs.folder import PRIVATE, RunFolder
from nullbench_site.runs.manifest import TOOL, read_manifest
from nullbench_site.runs.stamp import RunStamp
from nullbench_site.runs.storage import exclusive, write_atomically
from nullbench_site.runs.verify import integrity_problems, not_sealed, other_digest, private_problems
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import spec_digest
from nullbench_site.text import did_you_mean

if TYPE_CHECKING:
    from nullbench_site.evaluation.evaluate import Evaluation
    from nullbench_site.evaluation.plan_report import Plan
    from nullbench_site.interop.answers.checking import SubmissionReport
    from nullbench_site.interop.answers.importing import AnswersReport, Submission
    from nullbench_site.interop.importer import ImportReport
    from nullbench_site.review.report import Diff
    from nullbench_site.specs.sources import BackendNames
    from nullbench_site.visibility import Hidden

_PRIVATE = "NULLBENCH_PRIVATE"


class Repository(msgspec.Struct, frozen=True):
    """A benchmark repository: where its specs, runs, caches and pages stand."""

    root: Path

    @property
    def specs(self) -> Path:
        return self.root / "specs"

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    @property
    def private(self) -> Path:
        """Where the texts of private items are: the folder that NULLBENCH_PRIVATE names, else private/ beside specs/.

        The variable may stand in the file .env too. Raises UsageError where it names no folder.
        """
        named = os.environ.get(_PRIVATE) or self.variables.get(_PRIVATE)
        if not named:
            return self.root / "private"
        folder = self.root / Path(named).expanduser()
        if not folder.is_dir():
            raise UsageError(f"{_PRIVATE} names {folder}, and there is no such folder; correct it, or take it away")
        return folder

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables of the file .env beside specs/, as they are written: a $ in a key is part of the key.

        Raises UsageError where it holds what no variable can.
        """
        path = self.root / ".env"
        if not path.is_file():
            return {}
        from dotenv import dotenv_values

        try:
            variables = dotenv_values(path, interpolate=False, encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise UsageError(f"{path}: the file is not in UTF-8; write it anew, a line NAME=value each") from None
        if any("\0" in f"{name}{value}" for name, value in variables.items()):
            raise UsageError(f"{path}: the file holds a NUL character; write it anew, a line NAME=value each")
        return {name: value for name, value in variables.items() if value is not None}

    @property
    def cache(self) -> Path:
        """Git-ignored; deleting it costs time and nothing else."""
        return self.root / ".nullbench"

    @property
    def tree(self) -> Path:
        """The generated MkDocs project: plain Markdown, assets and mkdocs.yml."""
        return self.cache / "tree"

    @property
    def site(self) -> Path:
        return self.root / "site"


class Stopwatch(msgspec.Struct):
    """Seconds spent in each stage of a command."""

    seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = round(time.perf_counter() - start, 3)


class Calls(msgspec.Struct, frozen=True, omit_defaults=True):
    """Calls of a build: planned = made + reused + failed + left; fewer if responses failed, which are then not judged.

    left: neither known nor made, because the build stopped early or was not to make them.
    """

    planned: int
    made: int
    reused: int
    failed: int
    left: int = 0


class BuildReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What `build --json` prints. cost_usd is what this build spent, None where no call of it has a price.

    uncounted: priced attempts whose tokens the endpoint did not count; absent if there are none. uncounted_usd: the
    most they can have cost; absent if that has no bound.
    stopped: why calls were left unmade; absent where none was.
    """

    run: str
    run_dir: str
    site_dir: str | None
    calls: Calls
    cost_usd: float | None
    seconds: dict[str, float]
    stopped: tuple[str, ...] = ()
    uncounted: int = 0
    uncounted_usd: float | None = None


def validate(repository: Repository, profile: str | None = None) -> Benchmark:
    """The benchmark, checked, under a profile. Raises SpecError with every problem."""
    from nullbench_site.evaluation.backends import backend_names

    return _load(repository.specs, profile, repository.private, backend_names())


def _load(
    specs: Path, profile: str | None, private: Path | None = None, backends: BackendNames | None = None
) -> Benchmark:
    """As `load_benchmark`, imported here: a build that finds nothing changed reads no specs."""
    from nullbench_site.specs.load import load_benchmark

    return load_benchmark(specs, backends=backends, profile=profile, private=private)


def _builder(repository: Repository, profile: str | None, *, execute: bool = True) -> RequestBuilder:
    """The requests of the benchmark under a profile. Raises SpecError with every problem."""
    from nullbench_site.evaluation.backends import backends

    return RequestBuilder(validate(repository, profile), backends(), execute=execute)


def check_answers(repository: Repository, benchmark: Benchmark) -> Sequence[Problem]:
    """What is to be warned of in answers that were brought. Raises SpecError where a file is not that of its spec."""
    from nullbench_site.interop.answers.kept import check_answers as check

    return check(repository.specs, benchmark)


def hide(repository: Repository, domain: str, items: Sequence[str]) -> Hidden:
    """Make public items of a domain private, with the answers to them that were brought."""
    from nullbench_site.visibility import hide as hide_items

    # A build reads answers while it runs; where no folder of runs is, there is none.
    with exclusive(repository.runs) if repository.runs.is_dir() else nullcontext():
        return hide_items(repository.specs, repository.private, domain, items)


def reveal(repository: Repository, domain: str, items: Sequence[str]) -> None:
    """Make private items of a domain public, with what proves that their text was not changed."""
    from nullbench_site.visibility import reveal as reveal_items

    reveal_items(repository.specs, repository.private, domain, items)


def add_canaries(repository: Repository) -> list[Path]:
    """Give each spec without a canary a fresh one, and change nothing else; returns the files."""
    from nullbench_site.specs.rewriting import missing_canaries

    added = list(missing_canaries(repository.specs))
    for path, content in added:
        write_atomically(path, content)
    return [path for path, _ in added]


def write_schemas(repository: Repository) -> list[Path]:
    """Write the JSON Schemas that editors read into specs/schema/; returns the files.

    Raises UsageError where there are no specs.
    """
    if not repository.specs.is_dir():
        advice = "run the command in a benchmark's folder, or make one with: nullbench-site init DIR"
        raise UsageError(f"{repository.specs}: there is no such folder; {advice}")
    from nullbench_site.specs.schema import write_schemas as write_schema_files

    return write_schema_files(repository.specs / "schema")


def plan(
    repository: Repository,
    selection: Selection,
    *,
    profile: str | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    why: bool = False,
) -> Plan:
    """Return what `build` would call and what it would reuse. why: with the reasons for the calls."""
    from nullbench_site.evaluation.plan_report import Plan, detectable

    if selection.everything and not fresh and not retry_failed:
        noted = _stamp(repository, profile).noted
        if noted is not None:
            calls = Plan.decoded(noted.plan)
            calls.run = noted.run
            calls.detectable = detectable(repository.runs / noted.run, ())
            return calls
    from nullbench_site.evaluation.plan import keyless, plan_calls

    builder = _builder(repository, profile, execute=False)
    options = BuildOptions(selection, fresh=fresh, retry_failed=retry_failed)
    if why:
        from nullbench_site.review.calls import Reasons

        reasons = Reasons(builder)
        calls = plan_calls(builder, repository.runs, options, reasons.takes)
        calls.why = reasons.of(list_runs(repository.runs), profile, fresh=fresh)
    else:
        calls = plan_calls(builder, repository.runs, options)
    calls.keyless = keyless(builder, calls, {**repository.variables, **os.environ})
    if calls.run is not None:
        calls.detectable = detectable(repository.runs / calls.run, selection.boards)
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
    """What `head` (the working tree, if none is named) changes against `base`: commits, folders or runs.

    verify: whether runs that it brings are checked as `verify` does. places: whether changes have file and line.
    Raises UsageError for a name that is none of these.
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
    """Evaluate what is missing, score, seal, render."""
    from nullbench_site.evaluation.evaluate import Evaluation, evaluate

    options, progress, clock = options or BuildOptions(), progress or Progress(), Stopwatch()
    usual = options == BuildOptions()  # asked now: its budget is spent
    for name, value in repository.variables.items():
        os.environ.setdefault(name, value)

    @cache
    def builder() -> RequestBuilder:
        return _builder(repository, profile)

    with clock.stage("specs"):
        progress.on_stage("Reading specs")
        stamp = _stamp(repository, profile)
        known = stamp.noted if usual else None
        if known is None:
            options.check(builder().benchmark)
    with exclusive(repository.runs):
        with clock.stage("evaluate"):
            progress.on_stage("Evaluating")
            folders = (repository.specs, repository.runs)
            if known is not None:
                path = repository.runs / known.run
                entry = CatalogEntry(path, read_manifest(path))
                evaluation = Evaluation.of_sealed(entry, entry.manifest.counts.calls)
            else:
                evaluation = evaluate(builder(), *folders, options, progress, private=repository.private)
                for entry in read_catalog(repository.runs).entries:
                    if entry.is_ahead:
                        day = entry.manifest.created_at[:10]
                        progress.on_note(f"{entry.path}: dated {day}, in the future; later runs take no date from it")
            for path in evaluation.mended:
                progress.on_note(f"{path}: dropped a last line that an interrupted build had left half written")
        with clock.stage("score"):
            if not evaluation.sealed:
                progress.on_stage("Scoring")
                _score_and_seal(repository, evaluation)
        if known is None and usual and evaluation.sealed and evaluation.complete:
            from nullbench_site.evaluation.plan import plan_of_known

            plan = plan_of_known(builder(), options.selection, evaluation.folder)
            stamp.note(evaluation.folder.path.name, plan.encoded)
    site_dir = None
    if render_site:
        with clock.stage("render"):
            progress.on_stage("Rendering")
            entry = CatalogEntry(evaluation.folder.path, evaluation.folder.manifest)
            site_dir = _render(
                repository, entry, lambda: builder().benchmark.without_texts, progress.on_note, keep=True
            )
    tally = evaluation.tally
    return BuildReport(
        run=evaluation.folder.manifest.run,
        run_dir=str(evaluation.folder.path),
        site_dir=str(site_dir) if site_dir else None,
        calls=Calls(evaluation.planned, tally.made, tally.reused, tally.failed, tally.left),
        cost_usd=evaluation.spent_usd,
        seconds=clock.seconds,
        stopped=evaluation.stops,
        uncounted=evaluation.uncounted,
        uncounted_usd=evaluation.uncounted_usd if evaluation.uncounted else None,
    )


def _stamp(repository: Repository, profile: str | None) -> RunStamp:
    """Of what the last build under a profile left, were it made now."""
    return RunStamp.of(repository.cache / "run.stamp", repository.runs, repository.specs, repository.private, profile)


def _score_and_seal(repository: Repository, evaluation: Evaluation) -> None:
    evaluation.folder.note(evaluation.folder.sort_shards())
    _write_results(repository, evaluation.folder)
    if evaluation.complete:
        evaluation.folder.seal(datetime.now(UTC).isoformat(timespec="seconds"), TOOL)


def _write_results(repository: Repository, folder: RunFolder) -> None:
    from nullbench_site.scoring.recomputation import score_run
    from nullbench_site.scoring.tables import write_results

    for results in score_run(folder, cache=repository.cache / "summaries"):
        write_results(folder.path, results)


def reproduction(repository: Repository, run: str) -> tuple[str, list[str]] | None:
    """The newest other sealed run of the same specs, and a line for each score in which `run` differs from it.

    None where `run` is not complete, or there is no other run that is to compare with.
    """
    from nullbench_site.scoring.recomputation import score_differences
    from nullbench_site.scoring.tables import read_results

    entry = find_run(repository, run)
    same = [
        other
        for other in list_runs(repository.runs)
        if other.manifest.spec_digest == entry.manifest.spec_digest
        and other.manifest.complete
        and other.path.name != entry.path.name
    ]
    if not same or not entry.manifest.complete:
        return None
    boards = sorted(path.name for path in (entry.path / "results").iterdir())
    differences = [
        line
        for board in boards
        for line in score_differences(read_results(same[-1].path, board), read_results(entry.path, board))
    ]
    return same[-1].manifest.run, differences


def score(repository: Repository, run: str | None) -> Path:
    """Work the results of a run out again from its records and write them; returns the run folder.

    Raises RunError where a sealed run has other records or specs than were sealed: they are not sealed anew.
    """
    path = find_run(repository, run).path
    with exclusive(path.parent):
        folder = RunFolder(path, read_manifest(path))
        sealed = folder.manifest.sealed
        if sealed and (problems := integrity_problems(path, but_for="results/")[1]):
            raise not_sealed(path, problems)
        _write_results(repository, folder)
        if sealed:
            folder.seal(folder.manifest.sealed_at or "", TOOL)
    return path


def render(repository: Repository, run: str | None = None, on_note: Callable[[str], None] = lambda _: None) -> Path:
    """Render the site of a run (`find_run` says which, if none is named) into site/; returns that folder.

    on_note: is told what is to be warned of.
    """
    entry = find_run(repository, run)
    return _render(repository, entry, lambda: _words_of(repository, entry), on_note, keep=False)


def _render(
    repository: Repository,
    entry: CatalogEntry,
    words: Callable[[], Benchmark],
    on_note: Callable[[str], None],
    *,
    keep: bool,
) -> Path:
    """words: the specs that pages are worded by. keep: leave the site that stands where nothing has changed that it is
    made of."""
    from nullbench_site.site.freshness import data_digest, inputs_digest, remember, stands

    for folder in (repository.cache, repository.site):
        if folder.is_symlink():
            message = "this is a link, and rendering takes away what it does not write; take the link away"
            raise UsageError(f"{folder}: {message}")
    # A lock of its own: a site can be rendered where runs may only be read.
    with exclusive(repository.cache):
        inputs, stamp = inputs_digest(repository.root, entry.path.name), repository.cache / "site.stamp"
        if keep and stands(repository.site, inputs, stamp):
            return repository.site
        from nullbench_site.site.render import render_site
        from nullbench_site.site.tree import unused_templates

        for warning in unused_templates(repository.root / "site_templates" / "pages"):
            on_note(warning)
        site = render_site(
            benchmark=words(),
            entry=entry,
            catalog=read_catalog(repository.runs),
            root=repository.root,
            tree=repository.tree,
            site=repository.site,
            cache=repository.cache,
            inputs=data_digest(repository.root, entry.path.name),
        )
        remember(site, inputs, stamp)
        return site


def _words_of(repository: Repository, entry: CatalogEntry) -> Benchmark:
    """The specs as they are now if they are those of the run, titles aside; else as the run has them."""
    profile = entry.manifest.profile
    current = _current_specs(repository, profile)
    if current is not None and spec_digest(current) == entry.manifest.spec_digest:
        return current
    return _load(entry.path / "specs", profile)


def _current_specs(repository: Repository, profile: str | None) -> Benchmark | None:
    """The specs as they are now under a profile of a run; None where they are broken or lack that profile."""
    if (repository.specs / "benchmark.yaml").is_file():
        with suppress(UsageError, SpecError):
            return _load(repository.specs, profile)
    return None


def find_run(repository: Repository, run: str | None) -> CatalogEntry:
    """The run of that name or path; without one the newest sealed run, else the newest.

    Specs that were put back to those of an earlier run have that one, as a build has.
    """
    if run is not None:
        path = repository.runs / run if (repository.runs / run).is_dir() else Path(run)
        if path.is_dir():
            return CatalogEntry(path, read_manifest(path))
    entries, damaged = read_catalog(repository.runs)
    if damaged and run is None:
        unknown = "which run is meant cannot be told without that; name one to go on with it"
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


class Verified(NamedTuple):
    """A run, a line for every way in which it is not what was sealed or not what its records give, and for what of it
    could not be held against them."""

    entry: CatalogEntry
    problems: list[str]
    notes: list[str]


def verify(repository: Repository, run: str | None, expect: str | None = None) -> Verified:
    """Check that a run agrees with its manifest, its results with its records, and these with requests of its specs.

    expect: the digest of its manifest, if one is known.
    """
    entry = find_run(repository, run)
    manifest, problems = integrity_problems(entry.path)
    expected = [] if expect is None else other_digest(entry.path, manifest, expect)
    problems = [*expected, *_name_problems(repository, entry), *problems]
    if problems:
        return Verified(entry, problems, [])
    from nullbench_site.evaluation.record_keys import key_problems
    from nullbench_site.scoring.recomputation import recomputed

    recomputation = recomputed(entry.path, manifest)
    problems, notes = key_problems(entry)
    problems = [*recomputation.problems, *problems, *_private_problems(entry)]
    return Verified(entry, problems, [*recomputation.notes, *notes])


def run_summaries(repository: Repository) -> tuple[list[RunSummary], Mapping[str, str]]:
    """What manifests tell of each run, newest first; of those whose manifest cannot be read what is wrong."""
    entries, damaged = read_catalog(repository.runs)
    return summaries(entries)[::-1], damaged


def _name_problems(repository: Repository, entry: CatalogEntry) -> list[str]:
    """That a run among the others has not its own name, and so may have that of another. Elsewhere it may have any."""
    folder, name = entry.path.resolve(), entry.manifest.run
    if folder.parent != repository.runs.resolve() or folder.name == name:
        return []
    advice = f"call it {name} again, or delete it if it is a copy"
    return [f"{entry.path}: the folder {folder.name!r} holds the run {name!r}, and no two may have one name; {advice}"]


def _private_problems(entry: CatalogEntry) -> list[str]:
    """What of the private part of a run, where it is here, is not what the published part names."""
    items = entry.path / PRIVATE / "items"
    if not items.is_dir():
        return private_problems(entry.path)
    try:
        _load(entry.path / "specs", entry.manifest.profile, items)
    except SpecError as error:
        return [f"{entry.path}/{problem}" for problem in error.problems]
    return private_problems(entry.path)


def import_results(form: str, source: Path, into: Path, *, lenient: bool = False) -> ImportReport:
    """Make the benchmark repository `into` from results of another program in `source`; returns what was imported.

    Raises UsageError for formats and folders that will not do, ImportRefused with every problem unless `lenient` leaves
    it out.
    """
    from nullbench_site.interop.importer import Importer, importer

    chosen = importer(form)
    if not isinstance(chosen, Importer):
        raise UsageError(f"{form!r} is a format of answers, which come into a repository and make none")
    return chosen.make(source, into, lenient)


def import_answers(repository: Repository, form: str, submission: Submission) -> AnswersReport:
    """Make a recorded contestant of the answers in a file of a format, or change nothing.

    Raises UsageError for names that will not do and for answers that are there already, ImportRefused with every
    problem of the file, SpecError, StorageError.
    """
    from nullbench_site.interop.answers.importing import import_answers as bring_in
    from nullbench_site.interop.importer import AnswersImporter, importer

    chosen = importer(form)
    if not isinstance(chosen, AnswersImporter):
        raise UsageError(f"{form!r} is a format of whole benchmarks; a repository is made of it")
    return bring_in(chosen, repository.specs, repository.private, repository.runs, submission)


def check_submission(repository: Repository, folder: Path, model: str | None = None) -> SubmissionReport:
    """What there is to say of a contestant and its answers in a folder, before anybody takes them.

    Raises UsageError where the folder holds no submission, SpecError where the repository's own specs do not hold.
    """
    from nullbench_site.interop.answers.checking import check_submission as check

    return check(folder, model, repository.specs, repository.private, repository.runs)

"""Calls that are made elsewhere: files for a batch service and their answers, and the runs of shards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.errors import StoppedEarly
from nullbench_site.evaluation.endpoints.batch_files import Batch, BatchAnswers, BatchFiles
from nullbench_site.evaluation.meters import Progress
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.evaluation.targets import Selection
from nullbench_site.repository import Repository
from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.known import KnownCalls
from nullbench_site.runs.manifest import read_manifest


class Exported(msgspec.Struct, frozen=True):
    """Batch files. files: the number of requests in each. private: how many requests show private texts."""

    files: Mapping[str, int]
    private: int


class Ingested(msgspec.Struct, frozen=True):
    """What was read from batch files. problems: of the files. missing: keys of calls without an answer.

    Judgments of answers that just came are not among them: they were in no file. The report counts them as left.
    """

    report: BuildReport
    problems: tuple[str, ...]
    missing: tuple[str, ...]


def export_batch(repository: Repository, selection: Selection, folder: Path, *, profile: str | None = None) -> Exported:
    """Write the missing calls to endpoints that can be made now. Programs answer, and their answers are recorded.

    Raises StorageError if the folder has files.
    """
    files = BatchFiles(folder)
    with suppress(StoppedEarly):  # no program has answered, so there is no run yet
        api.build(repository, BuildOptions(selection, batch=Batch(files=files)), profile=profile, render_site=False)
    return Exported(files.close(), files.private)


def ingest(
    repository: Repository, files: Sequence[Path], *, profile: str | None = None, progress: Progress | None = None
) -> Ingested:
    """Record the answers in batch files. Failed and missing calls are left to the next batch or build.

    Raises UsageError for a line that is none and for two different answers to one call, before anything is recorded;
    StoppedEarly if the files answer no call.
    """
    batch = Batch(answers=BatchAnswers(files))
    report = api.build(repository, BuildOptions(batch=batch), profile=profile, render_site=False, progress=progress)
    run = Path(report.run_dir)
    known = KnownCalls([CatalogEntry(run, read_manifest(run))])
    return Ingested(report, tuple(batch.problems(known.has)), tuple(batch.missing))


def merge(
    repository: Repository, folders: Sequence[Path], *, profile: str | None = None, progress: Progress | None = None
) -> BuildReport:
    """Copy the records of runs of the same specs that were made elsewhere. No endpoint is called.

    Raises UsageError for a run of other specs, RunError for a run that was changed after it was sealed.
    """
    options = BuildOptions(batch=Batch(), merged=tuple(folders))
    return api.build(repository, options, profile=profile, render_site=False, progress=progress)

"""Merge the runs of shards, which other machines made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.evaluation.endpoints.batch_files import Batch
from nullbench_site.evaluation.meters import Progress
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.repository import Repository


def merge(
    repository: Repository, folders: Sequence[Path], *, profile: str | None = None, progress: Progress | None = None
) -> BuildReport:
    """Copy the records of runs of the same specs that were made elsewhere. No endpoint is called.

    Raises UsageError for a run of other specs, RunError for a run that was changed after it was sealed.
    """
    options = BuildOptions(batch=Batch(), merged=tuple(folders))
    return api.build(repository, options, profile=profile, render_site=False, progress=progress)

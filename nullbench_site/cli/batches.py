"""The commands `ingest` and `merge`, for calls that were made elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from nullbench_site import batches
from nullbench_site.cli.app import InputFile, profile_option, say
from nullbench_site.cli.build import DONE_WITH_FAILURES, say_report
from nullbench_site.cli.progress import build_progress
from nullbench_site.repository import Repository
from nullbench_site.text import plural

_SHOWN = 5


@click.command()
@click.argument("files", nargs=-1, required=True, type=InputFile())
@profile_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object on stdout.")
@click.pass_obj
def ingest(repository: Repository, files: tuple[Path, ...], *, profile: str | None, as_json: bool) -> None:
    """Record the answers in batch files that came back.

    FILES are those that a batch service wrote, answers and errors, in any order. Calls without an answer stay missing:
    the next export or build makes them. Nothing is sent. --json names each missing call.

    \b
    Examples:
      nullbench-site plan --export-batch batch-1
      nullbench-site ingest batch-1-output.jsonl batch-1-errors.jsonl
    """
    with build_progress(as_json=as_json) as progress:
        ingested = batches.ingest(repository, files, profile=profile, progress=progress)
    report, missing = msgspec.structs.replace(ingested.report, stopped=()), ingested.missing
    say_report(report, as_json=as_json, problems=ingested.problems, missing=missing)
    for problem in ingested.problems:
        say(f"Warning: {problem}")
    if missing:
        shown = ", ".join(missing[:_SHOWN]) + (", ..." if len(missing) > _SHOWN else "")
        say(f"Missing: {plural(len(missing), 'call')} that can be made now: {shown}")
    if left := report.calls.left:
        say(f"Left:    {plural(left, 'call')}; go on with nullbench-site plan --export-batch, or nullbench-site build")
    if ingested.problems:
        sys.exit(DONE_WITH_FAILURES)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@profile_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object on stdout.")
@click.pass_obj
def merge(repository: Repository, runs: tuple[Path, ...], *, profile: str | None, as_json: bool) -> None:
    """Put the runs of shards together.

    RUNS are run folders of the same specs, copied from other machines. Their records are added to the run here, each
    once. No endpoint is called: calls that no run has stay missing, and a build makes them.

    \b
    Examples:
      nullbench-site build --shard 1/2
      nullbench-site merge ../other-machine/runs/1.0.0-0123abcd
    """
    with build_progress(as_json=as_json) as progress:
        report = batches.merge(repository, runs, profile=profile, progress=progress)
    say_report(msgspec.structs.replace(report, stopped=()), as_json=as_json)
    if report.calls.left:
        say(f"Missing: {plural(report.calls.left, 'call')}; merge the other shards, or run nullbench-site build")

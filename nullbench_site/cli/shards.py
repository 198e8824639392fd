"""The command `merge`."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from nullbench_site import shards
from nullbench_site.cli.app import profile_option, say
from nullbench_site.cli.build import say_report
from nullbench_site.cli.progress import build_progress
from nullbench_site.repository import Repository
from nullbench_site.text import plural


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
        report = shards.merge(repository, runs, profile=profile, progress=progress)
    say_report(msgspec.structs.replace(report, stopped=()), as_json=as_json)
    if report.calls.left:
        say(f"Missing: {plural(report.calls.left, 'call')}; merge the other shards, or run nullbench-site build")

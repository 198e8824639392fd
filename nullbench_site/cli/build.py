"""`nullbench-site build`."""

from __future__ import annotations

import sys

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.options import say, selection, selection_options
from nullbench_site.cli.progress import build_progress

DONE_WITH_FAILURES = 1
_SHOWN_DIFFERENCES = 10


@click.command()
@selection_options
@click.option("--fresh", is_flag=True, help="Evaluate everything anew, into a new run; reuse no earlier answer.")
@click.option("--no-render", is_flag=True, help="Stop after scoring; leave site/ as it is.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a call failed, or if --fresh gave other scores.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object on stdout; no progress.")
@click.pass_obj
def command(
    repository: api.Repository,
    *,
    boards: tuple[str, ...],
    models: tuple[str, ...],
    fresh: bool,
    no_render: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Evaluate what is missing, score it, and render the site.

    Answers of earlier runs are reused; a build of unchanged specs makes no call. An interrupted build goes on where it
    stopped.

    \b
    Examples:
      nullbench-site build
      nullbench-site build --model lead-3 --no-render
      nullbench-site build --fresh --strict --json
    """
    with build_progress(quiet=as_json) as watcher:
        report = api.build(
            repository, selection(boards, models), fresh=fresh, render_site=not no_render, watcher=watcher
        )
    if as_json:
        click.echo(msgspec.json.encode(report).decode())
    else:
        calls = report.calls
        say(f"Calls: {calls.planned} planned, {calls.made} made, {calls.reused} reused, {calls.failed} failed")
        say(f"Run:   {report.run_dir}")
        if report.site_dir:
            say(f"Site:  {report.site_dir} (look at it with: nullbench-site serve)")
    reproduced = _say_whether_reproduced(repository, report.run) if fresh else True
    if report.calls.failed:
        say(f"Warning: {report.calls.failed} calls failed; their items count as 0. Build again to retry them.")
    if strict and (report.calls.failed or not reproduced):
        sys.exit(DONE_WITH_FAILURES)


def _say_whether_reproduced(repository: api.Repository, run: str) -> bool:
    """Compare a fresh run with the one before it: whoever evaluates anew wants to know whether the scores hold."""
    compared = api.reproduction(repository, run)
    if compared is None:
        return True
    other, differences = compared
    if not differences:
        say(f"Reproduced: every score equals that of run {other}, times aside")
        return True
    say(f"Not reproduced: {len(differences)} scores differ from run {other}:")
    for line in differences[:_SHOWN_DIFFERENCES]:
        say(f"  {line}")
    return False

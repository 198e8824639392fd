"""`nullbench-site rejudge`."""

from __future__ import annotations

import click

from nullbench_site import api
from nullbench_site.cli.evaluating import evaluating_options, exit_as, say_report
from nullbench_site.cli.options import say, selection
from nullbench_site.cli.progress import build_progress
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.order import Order
from nullbench_site.evaluation.requests import Scope


@click.command()
@evaluating_options
@click.option("--judge", "judges", multiple=True, required=True, help="A judge of the panel; may be repeated.")
@click.option("--fresh", is_flag=True, help="Ask these judges anew, also where their verdict is known, into a new run.")
@click.pass_obj
def command(
    repository: api.Repository,
    *,
    boards: tuple[str, ...],
    models: tuple[str, ...],
    profile: str | None,
    max_usd: float | None,
    max_calls: int | None,
    no_render: bool,
    strict: bool,
    as_json: bool,
    judges: tuple[str, ...],
    fresh: bool,
) -> None:
    """Have stored responses judged after a change of the panel; no contestant is asked again.

    The run is that of the specs as they are now. Verdicts that earlier runs hold are reused, the judges named here are
    asked for theirs that are missing, and all other calls are left to the next build.

    \b
    Examples:
      nullbench-site rejudge --judge gpt-large
      nullbench-site rejudge --judge gpt-large --fresh --max-cost 2
    """
    order = Order(
        selection(boards, models),
        scope=Scope(contestants=False, judges=judges),
        budget=Budget(max_usd, max_calls),
        judges_anew=judges if fresh else (),
    )
    with build_progress(as_json=as_json) as progress:
        report = api.build(repository, order, profile=profile, render_site=not no_render, progress=progress)
    say_report(report, as_json=as_json)
    if report.calls.left:
        say("The next build makes the calls that are left")
    exit_as(report, strict=strict)

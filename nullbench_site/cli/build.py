"""`nullbench-site build`."""

from __future__ import annotations

import click

from nullbench_site import api
from nullbench_site.cli.evaluating import evaluating_options, exit_as, say_report
from nullbench_site.cli.options import say, selection
from nullbench_site.cli.plan import show_plan
from nullbench_site.cli.progress import build_progress
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.order import Order

_SHOWN_DIFFERENCES = 10


@click.command()
@evaluating_options
@click.option("--fresh", is_flag=True, help="Evaluate everything anew, into a new run; reuse no earlier answer.")
@click.option(
    "--retry-failed", is_flag=True, help="Ask again what failed or could not be read in the last run, into a new run."
)
@click.option(
    "--dry-run", is_flag=True, help="Show what would be called and what it may cost, as plan does; call nobody."
)
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
    fresh: bool,
    retry_failed: bool,
    dry_run: bool,
) -> None:
    """Evaluate what is missing, score it, and render the site.

    Answers of earlier runs are reused; a build of unchanged specs makes no call. With --model or --board nobody else is
    asked, and what is known of the others stays on the site. An interrupted build goes on where it stopped: Ctrl-C once
    finishes the calls in flight, twice stops at once.

    \b
    Examples:
      nullbench-site build
      nullbench-site build --model lead-3 --no-render
      nullbench-site build --profile live --max-cost 5
      nullbench-site build --fresh --strict --json
    """
    chosen = selection(boards, models)
    if dry_run:
        plan = api.plan(repository, chosen, profile=profile, fresh=fresh, retry_failed=retry_failed)
        show_plan(plan, as_json=as_json)
        return
    order = Order(chosen, budget=Budget(max_usd, max_calls), fresh=fresh, retry_failed=retry_failed)
    with build_progress(as_json=as_json) as progress:
        report = api.build(repository, order, profile=profile, render_site=not no_render, progress=progress)
    say_report(report, as_json=as_json)
    reproduced = _say_whether_reproduced(repository, report.run) if fresh else True
    exit_as(report, strict=strict, reproduced=reproduced)


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

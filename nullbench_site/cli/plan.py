"""`nullbench-site plan`."""

from __future__ import annotations

import click

from nullbench_site import api
from nullbench_site.cli.options import selection, selection_options


@click.command()
@selection_options
@click.option("--fresh", is_flag=True, help="Plan as if nothing were known.")
@click.pass_obj
def command(repository: api.Repository, boards: tuple[str, ...], models: tuple[str, ...], fresh: bool) -> None:
    """Show which calls a build would make and which it would reuse; make none.

    \b
    Examples:
      nullbench-site plan
      nullbench-site plan --model lead-3 --fresh
    """
    plan = api.plan(repository, selection(boards, models), fresh=fresh)
    who = sorted({*plan.known, *plan.to_make})
    width = max((len(f"{kind} {name}") for kind, name in who), default=10)
    click.echo(f"{'':{width}}  {'to make':>8}  {'known':>8}")
    for kind, name in who:
        click.echo(f"{f'{kind} {name}':{width}}  {plan.to_make[kind, name]:>8}  {plan.known[kind, name]:>8}")
    click.echo(f"{'all':{width}}  {plan.to_make.total():>8}  {plan.known.total():>8}")
    click.echo("Estimated cost: none; every call is answered by a program of this machine")

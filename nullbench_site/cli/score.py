"""`nullbench-site score`."""

from __future__ import annotations

import click

from nullbench_site import api
from nullbench_site.cli.options import run_argument, say


@click.command()
@run_argument
@click.pass_obj
def command(repository: api.Repository, run: str | None) -> None:
    """Work the results of a run out again from its records; make no call.

    RUN is a run's name or folder. If it is left out: the newest sealed run, of the specs as they are where these have
    one; or the newest open run where none is sealed.

    \b
    Examples:
      nullbench-site score
      nullbench-site score 1.0.0-7c1bd32e
    """
    say(f"scored {api.score(repository, run)}")

"""`nullbench-site init`."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from nullbench_site.cli.options import say
from nullbench_site.starter import make_repository


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--title", help="The title of the benchmark; the folder's name if it is left out.")
def command(directory: Path, title: str | None) -> None:
    """Make a new benchmark repository in DIRECTORY that builds at once.

    It has one board with two domains, the rule-based judges, baselines, null models and a GitHub Pages workflow: change
    what you like, `nullbench-site validate` says what no longer fits.

    \b
    Examples:
      nullbench-site init my-board
      nullbench-site init my-board --title "How our models summarise"
    """
    made = make_repository(directory, title)
    say(f"made {made}. Next: cd {shlex.quote(str(made))} && nullbench-site build && nullbench-site serve")

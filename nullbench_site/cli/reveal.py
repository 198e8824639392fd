"""`nullbench-site reveal`."""

from __future__ import annotations

import click

from nullbench_site import api
from nullbench_site.cli.options import say
from nullbench_site.text import plural


@click.command()
@click.argument("domain")
@click.argument("items", nargs=-1, required=True, metavar="ITEM...")
@click.pass_obj
def command(repository: api.Repository, domain: str, items: tuple[str, ...]) -> None:
    """Publish private items of DOMAIN: their text moves back to specs/, with its hash and its salt.

    With both, `validate` checks for everybody that the text is the one that was private. The next build publishes the
    answers too and asks nobody again, as long as runs/*/private/ is here.

    \b
    Examples:
      nullbench-site reveal practical-coding coding-03
    """
    api.reveal(repository, domain, items)
    say(f"published the text of {plural(len(set(items)), 'item')} in specs/; the next build publishes the answers")

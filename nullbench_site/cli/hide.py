"""`nullbench-site hide`."""

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
    """Make public items of DOMAIN private: their text moves to the private folder, a salted hash stays in specs/.

    The private folder is the one that NULLBENCH_PRIVATE names, else private/. Keep a copy of it: nothing else has the
    text. Comments above, beside and inside what is hidden go with it.

    \b
    Examples:
      nullbench-site hide practical-coding coding-03
      nullbench-site hide practical-coding coding-03 coding-07
    """
    path = api.hide(repository, domain, items)
    say(f"moved the text of {plural(len(set(items)), 'item')} to {path}; keep a copy of that file")
    say("What git and runs/ have of them already stays there, and the next build asks them again")

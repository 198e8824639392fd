"""`nullbench-site diff`."""

from __future__ import annotations

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.options import profile_option


@click.command()
@click.argument("base")
@click.argument("head", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json", "schema"]),
    default="text",
    show_default=True,
    help="For readers, for a comment, for programs; or the JSON Schema of what programs get.",
)
@profile_option
@click.pass_context
def diff(context: click.Context, base: str, head: str | None, *, form: str, profile: str | None) -> None:
    """Say what a change of specs means: the calls it asks anew, what they may cost, the ranks it already moves.

    BASE and HEAD are commits, folders with specs/, or runs; HEAD is the working tree if it is left out. No call is
    made, no key is needed, commits are read without being checked out, and no program of either side is run.

    \b
    Examples:
      nullbench-site diff main
      nullbench-site diff v1.0.0 main --format markdown
      nullbench-site diff 1.0.0-7c1bd32e --format json
    """
    from nullbench_site.review import comparison, rendering

    if form == "schema":
        click.echo(comparison.json_schema(), nl=False)
        return
    found = api.diff(context.obj, base, head, profile=profile)
    match form:
        case "json":
            click.echo(msgspec.json.encode(found).decode())
        case "markdown":
            click.echo(rendering.markdown(found))
        case _:
            click.echo(rendering.text(found))
    context.exit(0 if found.compared else 2)

"""`nullbench-site import`: a subcommand for each format that somebody has registered an importer for."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.options import say
from nullbench_site.interop.importer import formats, importer


class _Formats(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return formats()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return _import_of(cmd_name) if cmd_name in formats() else None


@click.group("import", cls=_Formats)
def import_() -> None:
    """Make a benchmark repository of the recorded results of another program.

    \b
    Examples:
      nullbench-site import benchpress --help
    """


def _import_of(form: str) -> click.Command:
    @click.command(form, help=importer(form).help)
    @click.argument("source", type=click.Path(file_okay=False, exists=True, path_type=Path), metavar="SRC")
    @click.option(
        "--into", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
        help="The repository to make: a new or empty folder.",
    )  # fmt: skip
    @click.option(
        "--lenient", is_flag=True, help="Leave out what is broken and say so, instead of refusing everything."
    )
    @click.option("--json", "as_json", is_flag=True, help="Print what was imported as one JSON object on stdout.")
    def import_results(source: Path, into: Path, *, lenient: bool, as_json: bool) -> None:
        made = api.import_results(form, source, into, lenient=lenient)
        for line in made.skipped:
            say(f"skipped {line}")
        if as_json:
            click.echo(json.dumps(msgspec.to_builtins(made)))
            return
        for line in made.lines():
            say(line)
        say(f"Run:      {Path(made.directory) / 'runs' / made.run}")
        say(f"Next: cd {shlex.quote(made.directory)} && nullbench-site build && nullbench-site serve")

    return import_results

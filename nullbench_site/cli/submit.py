"""`nullbench-site submit`: what somebody brings, before it is taken."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.options import NamesBelow


@click.group()
def submit() -> None:
    """Look at submissions: contestants whose answers were given elsewhere.

    \b
    Example:
      nullbench-site submit check ../their-answers
    """


@submit.command()
@click.argument("directory", type=click.Path(file_okay=False, exists=True, path_type=Path), metavar="DIR")
@click.option(
    "--model", type=NamesBelow("model", "specs/models/*.yaml"),
    help="The contestant that is meant, where DIR has several, as a repository does.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was found as one JSON object on stdout.")
@click.pass_context
def check(context: click.Context, directory: Path, *, model: str | None, as_json: bool) -> None:
    """Check a submission against this repository: specs/models/<id>.yaml and answers/<id>.jsonl below DIR.

    Told are, each with its file, line and column: digests that do not fit, items without an answer or with several,
    answers to another wording, answers that are those of somebody known or that stand several times, response ids that
    do, private items in plain words, judges of its own family. Nothing is written and nothing of it is executed. Who
    gave the answers, and how, cannot be checked. Exit code 2: it cannot be taken as it is.

    \b
    Examples:
      nullbench-site submit check ../their-answers
      nullbench-site submit check . --model our-model --json
    """
    found = api.check_submission(context.obj, directory, model)
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
    else:
        click.echo("\n".join(found.lines()))
    context.exit(0 if found.taken else 2)

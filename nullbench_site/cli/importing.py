"""`nullbench-site import`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from nullbench_site import api
from nullbench_site.cli.options import say
from nullbench_site.site.words import listed, plural

if TYPE_CHECKING:
    from nullbench_site.interop.benchpress.importing import Imported


@click.group("import")
def import_() -> None:
    """Make a benchmark repository of the recorded results of another program.

    \b
    Examples:
      nullbench-site import benchpress --help
    """


@import_.command()
@click.argument("source", type=click.Path(file_okay=False, exists=True, path_type=Path), metavar="SRC")
@click.option(
    "--into", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="The repository to make: a new or empty folder.",
)  # fmt: skip
@click.option("--lenient", is_flag=True, help="Leave out what is broken and say so, instead of refusing everything.")
@click.option("--json", "as_json", is_flag=True, help="Print what was imported as one JSON object on stdout.")
def benchpress(source: Path, into: Path, *, lenient: bool, as_json: bool) -> None:
    """Import a checkout of BenchPress with its recorded answers, verdicts and G-Eval scores.

    SRC holds evals/general.json and results/*.json. DIR becomes a benchmark repository with specs and a sealed run,
    whose scores are worked out from those verdicts; it builds a site at once and asks nobody. DIR appears whole or not
    at all.

    \b
    Examples:
      nullbench-site import benchpress ../BenchPress --into practical
      nullbench-site import benchpress ../BenchPress --into practical --lenient --json
    """
    imported = api.import_benchpress(source, into, lenient=lenient)
    for line in imported.skipped:
        say(f"skipped {line}")
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(imported)))
        return
    for line in _lines(imported):
        say(line)


def _lines(imported: Imported) -> Iterator[str]:
    commit = f"commit {imported.commit[:12]}" if imported.commit else "commit unknown"
    models, prompts = plural(imported.models, "model"), plural(imported.prompts, "prompt")
    yield f"imported {models} and {prompts} of BenchPress ({commit})"
    earlier = f"; {plural(imported.earlier, 'earlier answer')} kept as further samples" if imported.earlier else ""
    yield f"Answers:  {plural(imported.answers, 'answer')}{earlier}"
    geval = ", and G-Eval" if imported.geval else ""
    yield f"Judges:   {plural(imported.verdicts, 'verdict')}; the panel is {listed(list(imported.judges))}{geval}"
    if imported.missing:
        missing = plural(imported.missing, "verdict")
        yield f"Note:     {missing} of the panel missing: kept as unparsed; a judge counts where it has scored all"
    if imported.former_judges:
        yield f"Note:     {listed(list(imported.former_judges))} judged earlier answers alone"
    if imported.elsewhere:
        where = plural(imported.elsewhere, "history", "histories")
        yield f"Note:     {where} of prompts that are not in evals/general.json: another suite, left out"
    yield f"Run:      {Path(imported.directory) / 'runs' / imported.run}"
    yield f"Next: cd {shlex.quote(imported.directory)} && nullbench-site build && nullbench-site serve"

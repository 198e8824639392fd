"""The commands `label plan` and `label sheet`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from nullbench_site import api
from nullbench_site.cli.app import InputFile, NamesBelow, say
from nullbench_site.repository import Repository
from nullbench_site.runs.storage import write_atomically

_run = click.option(
    "--run", type=NamesBelow("run", "runs/*"), help="The run with the answers; by default the newest sealed one."
)


def _output(name: str) -> Callable[[Any], Any]:
    return click.option(
        "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default=Path(name), show_default=True
    )


@click.group()
def label() -> None:
    """Draw answers for people to label, and write them on a blind sheet.

    \b
    From a plan to corrected scores:
      nullbench-site label plan main
      nullbench-site label sheet plan.csv
      nullbench-site import labels sheet.csv --plan plan.csv --board main --rater ann
      nullbench-site build
    """


@label.command()
@click.argument("board", type=NamesBelow("board", "specs/boards/*.yaml"))
@click.option("--model", "models", multiple=True, metavar="ID", help="A contestant; default: all but null models.")
@click.option(
    "--points", type=click.FloatRange(1, 50), default=10, show_default=True,
    help="Half the width of the wished interval of a score, in points of 100.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of the draw.")
@_run
@_output("plan.csv")
@click.pass_obj
def plan(
    repository: Repository,
    board: str,
    *,
    models: tuple[str, ...],
    points: float,
    seed: int,
    run: str | None,
    output: Path,
) -> None:
    """Draw answers of BOARD to label, as many as the wished interval needs and at least 100 of each contestant.

    Keep the plan: it has the contestants and the draw probabilities, which the sheet does not show.

    \b
    Examples:
      nullbench-site label plan main
      nullbench-site label plan main --model our-model --points 5
    """
    from nullbench_site.interop.labels import plan as draw
    from nullbench_site.stats.labels import LEAST_LABELS

    content, drawn = draw(api.find_run(repository, run), board, models, points, seed)
    write_atomically(output, content)
    for each in drawn:
        few = f"; a score is corrected from {LEAST_LABELS} labels" if each.n < LEAST_LABELS else ""
        say(f"{each.contestant}: {each.n} of {each.of} answers{few}")
    say(f"wrote {output}")


@label.command()
@click.argument("plan", type=InputFile())
@_run
@_output("sheet.csv")
@click.pass_obj
def sheet(repository: Repository, plan: Path, *, run: str | None, output: Path) -> None:
    """Write the answers of PLAN on a sheet for a rater, without contestants and scores.

    \b
    Example:
      nullbench-site label sheet plan.csv -o sheet-for-ann.csv
    """
    from nullbench_site.interop.labels import sheet as make

    content, rows = make(api.find_run(repository, run), plan)
    write_atomically(output, content)
    say(f"{rows} answers; fill in the column value, with | between several values")
    say(f"wrote {output}")

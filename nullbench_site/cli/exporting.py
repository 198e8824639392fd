"""The commands `export eee`, `export hf` and `export tables`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nullbench_site import api
from nullbench_site.cli.app import NamesBelow, say

if TYPE_CHECKING:
    from nullbench_site.interop.exports import ExportForm

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


@click.group()
def export() -> None:
    """Write a sealed run in the format of another program. The specs and the run stay as they are.

    \b
    Examples:
      nullbench-site export eee ../records
      nullbench-site export tables ../tables
    """


def _arguments(command: CommandT) -> CommandT:
    """Add DIR and --run."""
    run = click.option("--run", type=NamesBelow("run", "runs/*"), help="The run; by default the newest sealed one.")
    return click.argument("into", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")(run(command))


def _write(context: click.Context, into: Path, run: str | None, kind: ExportForm, **options: Any) -> None:
    for line in api.export(context.obj, kind, into, run, options).lines():
        say(line)


@export.command()
@_arguments
@click.pass_context
def eee(context: click.Context, into: Path, run: str | None) -> None:
    """Write records of Every Eval Ever 0.3.0 into DIR, a new folder.

    Each ranked contestant of each board gets an aggregate (JSON) and its samples (JSON Lines), below data/ as in the
    datastore of that project. The texts of private items are left out. `nullbench-site rank DIR/data/<board>` reads the
    records of a board back.

    \b
    Example:
      nullbench-site export eee ../records
    """
    _write(context, into, run, "eee")


@export.command()
@_arguments
@click.option("--dataset", required=True, metavar="ORG/NAME", help="The dataset on the Hub that is the benchmark.")
@click.option("--task", metavar="ID", help="The task in its eval.yaml; by default the board.")
@click.option("--board", type=NamesBelow("board", "specs/boards/*.yaml"), help="The board, if there are several.")
@click.option("--url", metavar="URL", help="Where the results are published; written as their source.")
@click.pass_context
def hf(context: click.Context, /, into: Path, run: str | None, **options: Any) -> None:
    """Write the score of each model of a board as DIR/<model>/.eval_results/<board>.yaml, for its page on the Hub.

    The Hub shows scores only if --dataset is registered there as a benchmark. Programs and contestants without a rank
    are left out.

    \b
    Example:
      nullbench-site export hf ../results --dataset our-org/our-benchmark --board practical
    """
    _write(context, into, run, "hf", **options)


@export.command()
@_arguments
@click.option(
    "--format", "form", type=click.Choice(["csv", "parquet"]), default="csv", show_default=True, help="The format."
)
@click.pass_context
def tables(context: click.Context, into: Path, run: str | None, form: str) -> None:
    """Write every table and every record of a run to DIR/<board>/<table>, a new folder.

    The tables have the columns of the CSV files of the run and of the library's frames. Cells with several values are
    JSON. Parquet needs pip install 'nullbench-site[parquet]'.

    \b
    Examples:
      nullbench-site export tables ../tables
      nullbench-site export tables ../tables --format parquet --run 2.4.0-af1f6fad
    """
    _write(context, into, run, "tables", form=form)

"""The command `rank`, and the options of commands that read a table of scores."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from nullbench_site.cli.app import InputFile, say

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


class Scale(click.ParamType):
    """Two numbers, LOW:HIGH."""

    name = "LOW:HIGH"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        if isinstance(value, tuple):
            return value
        try:
            low, high = map(float, str(value).split(":"))
        except ValueError:
            self.fail(f"{value!r} is not LOW:HIGH, as in 0:100", param, ctx)
        if not low < high:
            self.fail(f"{value!r} is invalid: the first end must be lower than the second", param, ctx)
        return low, high


_ROLES = (
    click.option("--model", metavar="COLUMN", help="The column that names the model."),
    click.option("--item", metavar="COLUMN", help="The column that names the item."),
    click.option(
        "--score",
        metavar="COLUMN",
        multiple=True,
        help="The column with the score, or the metric of a log. For a table with a row per model it may be repeated, "
        "and may be a pattern such as 'task_*'.",
    ),
    click.option("--transpose", is_flag=True, help="The table has a row per task and a column per model."),
    click.option("--group", metavar="COLUMN", help="The column with the group of each item; `none` for no groups."),
    click.option(
        "--groups",
        type=InputFile(),
        metavar="FILE.json",
        help="A JSON object with a list of items for each group.",
    ),
    click.option("--cluster", metavar="COLUMN", help="The column with the source of each item, if sources repeat."),
    click.option(
        "--family", metavar="COLUMN|REGEX", help="Group the variants of a model and correct the best of them."
    ),
    click.option("--scale", type=Scale(), help="The ends of the scale of all scores."),
)
_RANKING = (
    click.option("--lower-is-better", is_flag=True, help="Rank the lowest score first."),
    click.option(
        "--coverage",
        type=click.FloatRange(0, 1, min_open=True),
        default=1.0,
        show_default=True,
        metavar="SHARE",
        help="The share of items that a model needs for a rank.",
    ),
)


def table_options(command: CommandT) -> CommandT:
    """Add the options for the columns of a table (the fields of Chosen) and for how it is ranked."""
    for option in reversed((*_ROLES, *_RANKING)):
        command = option(command)
    return command


_FORMATS = ("table", "markdown", "csv", "json", "html")


@click.command()
@click.argument("file", metavar="FILE")
@table_options
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table", show_default=True, help="The output.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of the sign flips.")
@click.option(
    "--into", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Make a board of the table in DIR instead, as `import scores` does.",
)  # fmt: skip
def rank(
    file: str,
    *,
    lower_is_better: bool,
    coverage: float,
    form: str,
    seed: int,
    into: Path | None,
    **roles: Any,
) -> None:
    """Rank the models of a table of scores: rank ranges, ties and intervals. Needs no repository.

    FILE is CSV, TSV, JSON, JSONL or Parquet; `-` reads standard input. It has a row per model and a column per item, or
    a row per score. Columns are recognised by name; the output says how each was used. FILE can also be a log of
    Inspect, lm-evaluation-harness, promptfoo, HELM or Every Eval Ever, or a folder of logs.

    \b
    Examples:
      nullbench-site rank scores.csv
      nullbench-site rank table.csv --groups categories.json --family '^(.+?)-(low|high)$'
      nullbench-site rank results.jsonl --cluster source --format html > ranks.html
      nullbench-site rank logs/ --score includes
    """
    if into is not None:
        from nullbench_site.cli.importing import import_scores

        import_scores("scores", file, {**roles, "into": into, "lower_is_better": lower_is_better, "coverage": coverage})
        return
    from nullbench_site.interop.rank_report import FORMATS
    from nullbench_site.interop.score_table import Chosen, read_table
    from nullbench_site.scoring.ranked_table import rank_table

    chosen = Chosen(**roles, command=f"nullbench-site rank {shlex.quote(file)}")
    table = read_table(file, chosen)
    ranked = rank_table(table, scale=chosen.scale, lower_is_better=lower_is_better, coverage=coverage, seed=seed)
    click.echo(FORMATS[form](ranked), nl=False)
    if form == "csv":
        for note in ranked.notes:
            say(note)

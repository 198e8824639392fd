"""The command `rank`."""

from __future__ import annotations

from pathlib import Path

import click

from nullbench_site.cli.app import say

_FORMATS = ("table", "markdown", "csv", "json", "html")


class _Scale(click.ParamType):
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
            self.fail(f"{value!r} has no lower end before a higher one", param, ctx)
        return low, high


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--model", metavar="COLUMN", help="The column that names the model.")
@click.option("--item", metavar="COLUMN", help="The column that names the item.")
@click.option("--score", metavar="COLUMN", help="The column with the score.")
@click.option("--group", metavar="COLUMN", help="The column with the group of each item; `none` for no groups.")
@click.option(
    "--groups", type=click.Path(dir_okay=False, exists=True, path_type=Path), metavar="FILE.json",
    help="A JSON object with a list of items for each group.",
)  # fmt: skip
@click.option("--cluster", metavar="COLUMN", help="The column with the source of each item, if sources repeat.")
@click.option("--family", metavar="COLUMN|REGEX", help="Group the variants of a model and correct the best of them.")
@click.option("--scale", type=_Scale(), help="The ends of the scale of all scores.")
@click.option("--lower-is-better", is_flag=True, help="Rank the lowest score first.")
@click.option(
    "--coverage", type=click.FloatRange(0, 1, min_open=True), default=1.0, show_default=True, metavar="SHARE",
    help="The share of items that a model needs for a rank.",
)  # fmt: skip
@click.option("--format", "form", type=click.Choice(_FORMATS), default="table", show_default=True, help="The output.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The seed of the sign flips.")
def rank(
    file: str,
    *,
    model: str | None,
    item: str | None,
    score: str | None,
    group: str | None,
    groups: Path | None,
    cluster: str | None,
    family: str | None,
    scale: tuple[float, float] | None,
    lower_is_better: bool,
    coverage: float,
    form: str,
    seed: int,
) -> None:
    """Rank the models of a table of scores: rank ranges, ties and intervals. Needs no repository.

    FILE is CSV, TSV, JSON, JSONL or Parquet; `-` reads standard input. It has a row per model and a column per item, or
    a row per score. Columns are recognised by name; the output says how each was used.

    \b
    Examples:
      nullbench-site rank scores.csv
      nullbench-site rank table.csv --groups categories.json --family '^(.+?)-(low|high)$'
      nullbench-site rank results.jsonl --cluster source --format html > ranks.html
    """
    from nullbench_site.interop.rank_report import FORMATS
    from nullbench_site.interop.score_table import Chosen, read_table
    from nullbench_site.scoring.ranked_table import rank_table

    chosen = Chosen(
        model=model, item=item, score=score, group=group, groups=groups, cluster=cluster, family=family, scale=scale
    )
    table = read_table(file, chosen)
    ranked = rank_table(table, scale=scale, lower_is_better=lower_is_better, coverage=coverage, seed=seed)
    click.echo(FORMATS[form](ranked), nl=False)
    if form == "csv":
        for note in ranked.notes:
            say(note)

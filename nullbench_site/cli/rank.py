"""The command `rank`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nullbench_site.cli.app import say
from nullbench_site.cli.importing import table_options

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

    chosen = Chosen(**roles)
    table = read_table(file, chosen)
    ranked = rank_table(table, scale=chosen.scale, lower_is_better=lower_is_better, coverage=coverage, seed=seed)
    click.echo(FORMATS[form](ranked), nl=False)
    if form == "csv":
        for note in ranked.notes:
            say(note)

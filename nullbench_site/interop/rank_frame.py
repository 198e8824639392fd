"""The function `rank` of the library: a data frame of scores in, a data frame of ranks out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import fields

from nullbench_site.errors import UsageError
from nullbench_site.interop.frames import frame_of
from nullbench_site.interop.rank_report import columns, findings
from nullbench_site.interop.score_table import Chosen, table_of
from nullbench_site.interop.table_rows import Block, TableRows, header_of
from nullbench_site.scoring.ranked_table import RankedRow, rank_table

if TYPE_CHECKING:
    import pandas as pd


def rank(
    frame: pd.DataFrame,
    *,
    model: str | None = None,
    item: str | None = None,
    score: str | None = None,
    group: str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    cluster: str | None = None,
    family: str | None = None,
    scale: tuple[float, float] | None = None,
    lower_is_better: bool = False,
    coverage: float = 1.0,
    seed: int = 0,
) -> pd.DataFrame:
    """Rank the models of a table of scores. The figures are those of `nullbench-site rank`, and so are the arguments.

    frame: a row per model and a column per item, or a row per score. Named levels of its index are columns too.
    groups: the items of each group. scale: the two ends of all scores.

    The result has a row per model, best first, and models without all items at the end. Its `attrs` have `findings`,
    the sentences on the table, the first of which is the claim, and `notes`, the assumptions.
    Raises UsageError for a table with a problem.
    """
    chosen = Chosen(
        model=model, item=item, score=score, group=group, groups=groups, cluster=cluster, family=family, scale=scale
    )
    table = table_of(_rows(frame), chosen)
    ranked = rank_table(table, scale=scale, lower_is_better=lower_is_better, coverage=coverage, seed=seed)
    made = columns(ranked)
    kinds = {field.name: field.type | None for field in fields(RankedRow)}
    result = frame_of(made, {name: kinds.get(name, float | None) for name in made})
    result.attrs = {"findings": list(findings(ranked)), "notes": ranked.notes}
    return result


def _rows(frame: pd.DataFrame) -> TableRows:
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"rank takes a data frame, not {type(frame).__name__}; read a file with pandas first")
    # Numbers without a name count rows, and say nothing of models.
    if any(frame.index.names) or frame.index.dtype.kind not in "iu":
        frame = frame.reset_index()
    cells = [column.astype(object).where(column.notna(), None).tolist() for _, column in frame.items()]
    rows = list(zip(*cells, strict=True))
    blocks = [Block(range(1, len(rows) + 1), rows)] if rows else []
    return TableRows("frame", header_of("frame", list(map(str, frame.columns))), iter(blocks), by_line=False)

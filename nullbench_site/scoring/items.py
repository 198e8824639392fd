"""Summaries -> the items table: one row a contestant and item, the ground on which every group is scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, Any

from nullbench_site.scoring.shard import ShardSummary, UnitRow
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import BoardFile

if TYPE_CHECKING:
    import pandas as pd

_WORST_FIRST = ("errored", "unparsed", "refused", "scored")


def items_table(
    benchmark: Benchmark, board: BoardFile, summaries: Iterable[ShardSummary], axes: Sequence[str]
) -> pd.DataFrame:
    """Columns: model, item, domain, category, cluster (source text), state; how many samples ended in each state;
    goal_alignment, quality, spread, seconds: means over samples; one column an axis, NaN where the item has none.
    """
    import pandas as pd

    placed = {item.id: item for item in benchmark.items(board)}
    texts = {text: number for number, text in enumerate(sorted({item.item.source for item in placed.values()}))}
    rows: list[dict[str, Any]] = []
    for summary in summaries:
        for item_id, samples in groupby(summary.rows, key=lambda row: row.item):
            item = placed[item_id]
            rows.append(
                {
                    "model": summary.model,
                    "item": item_id,
                    "domain": item.domain.id,
                    "category": item.category.id,
                    "cluster": texts[item.item.source],
                    **_over_samples(list(samples), item.category.axes),
                }
            )
    columns = ["model", "item", "domain", "category", "cluster", "state", *_WORST_FIRST]
    columns += ["goal_alignment", "quality", "spread", "seconds"]
    table = pd.DataFrame(rows, columns=[*columns, *axes])
    return table.astype(dict.fromkeys([*axes, "spread"], "float64"))


def _over_samples(samples: Sequence[UnitRow], axes: Sequence[str]) -> dict[str, Any]:
    states = [row.state for row in samples]
    return {
        "state": next(state for state in _WORST_FIRST if state in states),
        **{state: states.count(state) for state in _WORST_FIRST},
        "goal_alignment": fmean(row.goal_alignment for row in samples),
        "quality": fmean(row.quality for row in samples),
        "spread": _mean_of_known([row.spread for row in samples]),
        "seconds": fmean(row.seconds for row in samples),
        **{axis: _mean_of_known([row.axes[place] for row in samples]) for place, axis in enumerate(axes)},
    }


def _mean_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None

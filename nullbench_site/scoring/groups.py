"""Contestants on a group of items: means, standard errors, intervals, quality per resource."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import msgspec

from nullbench_site.scoring.results import GroupRow
from nullbench_site.stats.interval import clustered_standard_error, normal_interval
from nullbench_site.stats.resources import qpr_pct, quality_per_resource

if TYPE_CHECKING:
    import pandas as pd

STATES = ("scored", "refused", "errored", "unparsed")
FEW_TEXTS = "fewer than two source texts"


@dataclass(frozen=True)
class GroupScorer:
    """Scores groups of a board's items table (see scoring.items for its columns)."""

    axes: Sequence[str]
    memory_gb: Mapping[str, float | None]

    def rows(self, items: pd.DataFrame, axes: Sequence[str]) -> list[GroupRow]:
        """A row a contestant of `items`, best goal alignment first. qpr_pct is relative to this table alone."""
        rows = [self.row(str(model), of_model, axes) for model, of_model in items.groupby("model", sort=True)]
        return with_relative_qpr(sorted(rows, key=lambda row: (-(row.goal_alignment or 0.0), row.model)))

    def row(self, model: str, items: pd.DataFrame, axes: Sequence[str]) -> GroupRow:
        """One contestant on `items`, which are all its own."""
        absent: dict[str, str] = {}
        alignment = float(items["goal_alignment"].mean())
        se = clustered_standard_error(items["goal_alignment"].to_numpy(), items["cluster"].to_numpy())
        if se is None:
            absent["se"] = FEW_TEXTS
        interval = None if se is None else normal_interval(alignment, se, lower=0.0, upper=100.0)
        quality, mean_time = float(items["quality"].mean()), float(items["seconds"].mean())
        qpr = quality_per_resource(quality, mean_time, self.memory_gb.get(model))
        if qpr.reason:
            absent["qpr"] = qpr.reason
        means = {axis: _mean(items[axis]) for axis in axes}
        absent |= {axis: "no judge gave a valid score" for axis, mean in means.items() if mean is None}
        return GroupRow(
            model=model,
            n_items=len(items),
            **{f"n_{state}": int(items[state].sum()) for state in STATES},
            goal_alignment=alignment,
            se=se,
            ci_low=interval.low if interval else None,
            ci_high=interval.high if interval else None,
            quality=quality,
            axes=means,
            mean_time_s=mean_time,
            qpr=qpr.value,
            qpr_pct=None,
            absent=absent,
        )


def _mean(column: pd.Series[Any]) -> float | None:
    mean = float(column.mean())
    return None if isnan(mean) else mean


def with_relative_qpr(rows: list[Any]) -> list[Any]:
    """`rows` with qpr_pct, which compares the rows of one table with each other."""
    relative = qpr_pct({row.model: row.qpr for row in rows})
    for row in rows:
        row.qpr_pct = relative[row.model].value
        reason = relative[row.model].reason
        if reason:
            row.absent["qpr_pct"] = reason
    return rows


def rounded(value: Any, digits: int = 6) -> Any:
    """`value` with every float in it rounded, so that the last bits of a machine's arithmetic reach no file."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, msgspec.Struct):
        changes = {name: rounded(getattr(value, name), digits) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **changes)
    if isinstance(value, dict):
        return {key: rounded(inner, digits) for key, inner in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [rounded(inner, digits) for inner in value]
    return value

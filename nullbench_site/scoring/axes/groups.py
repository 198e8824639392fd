"""Contestants on a group of items: means, standard errors, intervals, quality per resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nullbench_site.protocols.axes.scores import STATES
from nullbench_site.scoring.axes.columns import ItemColumns
from nullbench_site.scoring.axes.layout import Layout
from nullbench_site.scoring.axes.results import GroupRow
from nullbench_site.stats.arrays import Bools, Ints
from nullbench_site.stats.interval import clustered_standard_error, normal_interval
from nullbench_site.stats.resources import qpr_pct, quality_per_resource

FEW_TEXTS = "fewer than two source texts"


@dataclass(frozen=True)
class GroupScorer:
    """Scores groups of a board's items."""

    layout: Layout
    memory_gb: Mapping[str, float | None]

    def rows(self, contestants: Mapping[str, ItemColumns], members: Bools) -> list[GroupRow]:
        """A row a contestant that has some of the items `members`, (items of the board,), best goal alignment first.

        qpr_pct is relative to this table alone.
        """
        axes = np.unique(self.layout.slots[members])
        chosen = {model: columns.take(members[columns.number]) for model, columns in contestants.items()}
        rows = [self.row(model, columns, axes[axes >= 0]) for model, columns in chosen.items() if len(columns)]
        return with_relative_qpr(sorted(rows, key=lambda row: (-(row.goal_alignment or 0.0), row.model)))

    def row(self, model: str, items: ItemColumns, axes: Ints) -> GroupRow:
        """One contestant on `items`, with the means on `axes`, places in Layout.axes."""
        absent: dict[str, str] = {}
        alignment = float(items.goal_alignment.mean())
        se = clustered_standard_error(items.goal_alignment, self.layout.text[items.number])
        if se is None:
            absent["se"] = FEW_TEXTS
        interval = None if se is None else normal_interval(alignment, se, lower=0.0, upper=100.0)
        quality, mean_time = float(items.quality.mean()), float(items.seconds.mean())
        qpr = quality_per_resource(quality, mean_time, self.memory_gb.get(model))
        if qpr.reason:
            absent["qpr"] = qpr.reason
        means = self._axis_means(items, axes)
        absent |= {axis: "no judge gave a valid score" for axis, mean in means.items() if mean is None}
        return GroupRow(
            model=model,
            n_items=len(items),
            **{f"n_{state}": n for state, n in zip(STATES, items.states.sum(axis=0).tolist(), strict=True)},
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

    def _axis_means(self, items: ItemColumns, axes: Ints) -> dict[str, float | None]:
        """The mean of each axis over the items that have it; None if no judge rated any."""
        slots = self.layout.slots[items.number]
        rated = (slots >= 0) & ~np.isnan(items.axes)
        axis_of, size = slots[rated], len(self.layout.axes)
        total, n = np.bincount(axis_of, items.axes[rated], minlength=size), np.bincount(axis_of, minlength=size)
        return {self.layout.axes[axis]: float(total[axis] / n[axis]) if n[axis] else None for axis in axes}


def with_relative_qpr(rows: list[Any]) -> list[Any]:
    """`rows` with qpr_pct, which compares the rows of one table with each other."""
    relative = qpr_pct({row.model: row.qpr for row in rows})
    for row in rows:
        row.qpr_pct = relative[row.model].value
        reason = relative[row.model].reason
        if reason:
            row.absent["qpr_pct"] = reason
    return rows

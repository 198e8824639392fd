"""One contestant's columns -> a row an item, for item-level evidence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nullbench_site.protocols.axes.scores import ERRORED, REFUSED, SCORED, STATES, UNPARSED
from nullbench_site.scoring.axes.columns import ItemColumns
from nullbench_site.scoring.axes.layout import Layout
from nullbench_site.scoring.axes.results import ItemRow
from nullbench_site.scoring.rounding import known

_WORST_FIRST = (ERRORED, UNPARSED, REFUSED, SCORED)


def item_rows(layout: Layout, model: str, items: ItemColumns) -> Iterator[ItemRow]:
    """The rows of `model` by item id, each with the axes of its category. An item's state is its samples' worst."""
    item, category, domain = layout.words[items.number].T.tolist()
    axes_of = [placed.category.axes for placed in layout.placed]
    axes = [axes_of[number] for number in items.number.tolist()]
    worst = np.argmax(items.states[:, _WORST_FIRST] > 0, axis=1)
    return map(
        ItemRow,
        [model] * len(items),
        item,
        category,
        domain,
        [STATES[_WORST_FIRST[place]] for place in worst.tolist()],
        known(items.goal_alignment),
        known(items.quality),
        # Each zip ends where the category has no more axes.
        map(dict, map(zip, axes, zip(*map(known, items.axes.T), strict=True))),
        known(items.spread),
    )

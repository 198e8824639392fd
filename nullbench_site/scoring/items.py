"""One contestant's columns -> a row an item, for item-level evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from nullbench_site.protocols.base import ERRORED, REFUSED, SCORED, STATES, UNPARSED
from nullbench_site.protocols.votes import Floats
from nullbench_site.scoring.columns import ItemColumns
from nullbench_site.scoring.layout import Layout
from nullbench_site.scoring.results import ItemRow

_WORST_FIRST = (ERRORED, UNPARSED, REFUSED, SCORED)
_DIGITS = 6


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
        _known(items.goal_alignment),
        _known(items.quality),
        # Each zip ends where the category has no more axes.
        map(dict, map(zip, axes, zip(*map(_known, items.axes.T), strict=True))),
        _known(items.spread),
    )


def _known(values: Floats) -> list[Any]:
    """`values` as lists, rounded as all results are, None for NaN."""
    rounded: npt.NDArray[Any] = np.round(values, _DIGITS)
    unknown = np.isnan(rounded)
    if unknown.any():
        rounded = rounded.astype(object)
        rounded[unknown] = None
    listed: list[Any] = rounded.tolist()
    return listed

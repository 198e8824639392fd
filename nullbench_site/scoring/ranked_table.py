"""A table of scores, a row per model and a column per item; later its ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nullbench_site.stats.arrays import Floats


@dataclass(frozen=True)
class ScoreTable:
    """The score of each model on each item, and what else a table says about models, items and cells.

    name: of the file, for messages. values: (models, items) in the unit of the table, NaN where a cell is missing.
    groups, clusters: (items,) the group and the cluster of each item; None if the table is ranked without them.
    families: (models,) the family of each model; None without `--family`. item_columns, model_columns: the other
    columns by name, (items,) or (models,) texts, empty where there is none. cell_columns: the other numbers by name,
    (models, items), NaN where there is none. scale: the two ends if the table itself shows them. notes: which column
    was used for what, and every assumption, a sentence each.
    """

    name: str
    models: tuple[str, ...]
    items: tuple[str, ...]
    values: Floats
    groups: tuple[str, ...] | None = None
    clusters: tuple[str, ...] | None = None
    families: tuple[str, ...] | None = None
    item_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    model_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cell_columns: Mapping[str, Floats] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()

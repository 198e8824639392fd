"""Rotation: whether contestants score less on the items that were added since an earlier run than on the older ones."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nullbench_site.runs.catalog import CatalogEntry
from nullbench_site.runs.verify import sealed_content
from nullbench_site.scoring.dates import related_contestants
from nullbench_site.site.gather import SiteData
from nullbench_site.site.score_vectors import score_vectors
from nullbench_site.site.views import BoardView
from nullbench_site.specs.types import ModelFile
from nullbench_site.stats.contamination import DatedDifference, difference_in_differences


@dataclass(frozen=True)
class Rotation:
    """The comparison with the newest earlier run that lacks some of the items. run: its name; None if none lacks one.

    n_earlier: how many earlier runs have the board. rows: the contestants with a score on every item.
    """

    n_earlier: int
    run: str | None = None
    n_old: int = 0
    n_fresh: int = 0
    rows: Sequence[tuple[ModelFile, DatedDifference]] = ()


def rotation(site: SiteData, view: BoardView) -> Rotation:
    """Return how scores on fresh items differ from those on old ones, by the scores of the shown run.

    The value of a row is how much more a contestant drops on fresh items than others do, as fresh items can be harder.
    Runs whose results of items are missing or were changed are passed over.
    """
    vectors, n_earlier = score_vectors(view), 0
    ids = [item.id for item in vectors.items.items]
    for entry in reversed(site.runs):
        if entry.path == site.entry.path or entry.manifest.date > site.entry.manifest.date:
            continue
        had = _items(entry, view.board.id)
        n_earlier += bool(had)
        fresh = np.array([item not in had for item in ids])
        if had and fresh.any() and not fresh.all():
            models = [view.benchmark.models[name] for name, row in view.rows.items() if row.rank is not None]
            scores = np.array([vectors.of_model[model.id] for model in models], np.float64).reshape(len(models), -1)
            clusters = np.array([item.cluster for item in vectors.items.items])
            found = difference_in_differences(scores, fresh, clusters, related_contestants(models))
            rows = list(zip(models, found, strict=True))
            return Rotation(n_earlier, entry.path.name, int((~fresh).sum()), int(fresh.sum()), rows)
    return Rotation(n_earlier)


def _items(entry: CatalogEntry, board: str) -> set[str]:
    """Return the ids of the items of a board in a sealed run; none if they cannot be read."""
    try:
        raw = sealed_content(entry.path, entry.manifest, f"results/{board}/items.csv")
        return {row["item"] for row in csv.DictReader(io.StringIO(raw.decode()), strict=True)}
    except (OSError, ValueError, KeyError, csv.Error):
        return set()

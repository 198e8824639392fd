"""What missing scores could change on a board: bounds of the score and the rank of each contestant that lacks some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nullbench_site.scoring.ranking import SCALE, Strata
from nullbench_site.site.score_vectors import group_shares, score_vectors
from nullbench_site.site.views import AnyRow, BoardView
from nullbench_site.specs.types.answerers import UNRANKED
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.worst_case import WorstCase, worst_case

_ROUNDING = 0.01
"""In points. Scores of items in results are rounded."""


@dataclass(frozen=True)
class Bounded:
    """A contestant without a rank, how many of the items it has scores on, and the bounds; n_ranked: of the rank."""

    row: AnyRow
    n_items: int
    of_items: int
    bounds: WorstCase
    n_ranked: int


def missing_scores(view: BoardView) -> Sequence[Bounded]:
    """Return the contestants that lack scores, highest possible score first.

    Empty where judges see a sample of answers, and on boards whose score is not a mean over items.
    """
    if getattr(view.board, "judged", None) is not None:
        return []
    models = view.benchmark.models
    lacking = [
        row
        for row in view.rows.values()
        if row.rank is None and row.score is not None and models[row.model].kind not in UNRANKED and view.lacking(row)
    ]
    ranked = [row for row in view.rows.values() if row.rank is not None]
    if not lacking or not ranked:
        return []
    vectors = score_vectors(view)
    groups = np.array([item.group for item in vectors.items.items], dtype=np.int64)
    strata = Strata(groups, np.arange(groups.size), group_shares(view, [view.group(item) for item in view.items]))

    def mean(scores: Floats) -> float | None:
        return strata.mean(scores).value

    of = {row.model: np.array(vectors.of_model[row.model], dtype=float) for row in (*ranked, *lacking)}
    means = {row.model: mean(of[row.model]) for row in ranked}
    for row in ranked:
        own = means[row.model]
        if own is None or abs(own - (row.score or 0.0)) > _ROUNDING:
            return []
    others = np.array([row.score for row in ranked], dtype=float)
    found = []
    for row in lacking:
        scores = of[row.model]
        n_known = int((~np.isnan(scores)).sum())
        bounds = worst_case(scores, others, mean, SCALE) if 0 < n_known < scores.size else None
        if bounds is not None:
            found.append(Bounded(row, n_known, scores.size, bounds, len(ranked)))
    return sorted(found, key=lambda each: (-each.bounds.high, each.row.model))

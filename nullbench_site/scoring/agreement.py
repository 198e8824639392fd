"""How far the judges of a board agree, as its tables have it: on parts of the board, and how sure that of all is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from nullbench_site.scoring.board_tables import AgreementBounds
from nullbench_site.scoring.results import AgreementRow
from nullbench_site.stats.agreement import alpha_interval, alphas_without, coincidences, ordinal_alpha
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.estimate import unsure
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.trust import agreement_level


def agreement_row(
    every: Measure, scored: Measure, units: int, units_scored: int, **slice_of: str | None
) -> AgreementRow:
    """Agreement on all answers and on scored ones. slice_of: which answers, by the fields of the row."""
    return AgreementRow(
        **slice_of,
        units=units,
        alpha=every.value,
        label=agreement_level(every.value),
        absent=every.reason,
        units_scored=units_scored,
        alpha_scored=scored.value,
        label_scored=agreement_level(scored.value),
        absent_scored=scored.reason,
    )


def agreement_bounds(scored: Iterable[tuple[str, Floats]]) -> AgreementBounds:
    """How sure the alpha on scored answers is. scored: of each contestant, its id and the coincidences of its scored
    answers by cluster, (clusters, 5, 5); nobody else's are to be in that alpha."""
    bounds, names, of_each = AgreementBounds(absent={}), [], []
    by_cluster: Floats = np.zeros((0, 5, 5))
    for name, tables in scored:
        by_cluster = by_cluster + tables if len(by_cluster) else tables
        names.append(name)
        of_each.append(tables.sum(axis=0))
    if (ends := alpha_interval(by_cluster)) is not None:
        bounds.low, bounds.high = ends
    else:
        n_clusters = int(by_cluster.any(axis=(1, 2)).sum())
        bounds.absent["low"] = unsure(0.0, n_clusters) or "the judges gave one rating only, but for one source"
    without = alphas_without(np.array(of_each)) if len(of_each) > 1 else np.empty(0)
    if not without.size or np.isnan(without).any():
        bounds.absent["least"] = "without one of the contestants there is no alpha"
        return bounds
    least, most = int(without.argmin()), int(without.argmax())
    bounds.least, bounds.least_without = float(without[least]), names[least]
    bounds.most, bounds.most_without = float(without[most]), names[most]
    return bounds


def agreement_of_board(
    counts: Mapping[str, tuple[Ints, Ints]], null_models: Collection[str], n_items: int
) -> dict[str, Any]:
    """The tables of agreement of a board without those of its parts. counts: of each contestant, by id, how many judges
    gave each answer which of five ratings, (answers, 5), and the item of each answer, (answers,)."""
    nothing = np.zeros((0, 5), np.int64)
    every = np.concatenate([nothing, *(of_answers for of_answers, _ in counts.values())])
    scored = {model: each for model, each in counts.items() if model not in null_models}
    of_scored = np.concatenate([nothing, *(of_answers for of_answers, _ in scored.values())])
    row = agreement_row(ordinal_alpha(every), ordinal_alpha(of_scored), len(every), len(of_scored))
    bounds = agreement_bounds((model, coincidences(*each, n_items)) for model, each in scored.items())
    return {"agreement": [row], "agreement_bounds": bounds}

"""The agreement of the judges of a board: on the board and its parts, and its uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from nullbench_site.scoring.board_tables import AgreementBounds
from nullbench_site.scoring.results import AgreementRow
from nullbench_site.stats.agreement import alpha_interval, alphas_without, coincidences, ordinal_alpha
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.estimate import unsure
from nullbench_site.stats.measure import Measure
from nullbench_site.stats.trust import agreement_level


@dataclass(frozen=True, kw_only=True)
class Rated:
    """How the judges rated the answers of one contestant.

    counts: (ratings, 5) how many judges gave 1, 2, 3, 4 and 5. item: (ratings,) the number of the item. scored:
    (ratings,) whether the answer was scored. axis: (ratings,) the number of the axis, on boards with axes.
    """

    counts: Ints
    item: Ints
    scored: Bools
    axis: Ints

    @classmethod
    def of_answers(cls, counts: Ints, item: Ints) -> Rated:
        """Return the ratings of answers that a judge rated; all of them are scored."""
        rated = np.flatnonzero(counts.any(axis=1))
        yes, none = np.ones(rated.size, np.bool_), np.zeros(rated.size, np.int64)
        return cls(counts=counts[rated], item=item[rated], scored=yes, axis=none)


Part: TypeAlias = tuple[Mapping[str, str | None], Bools]
"""A part of the board: the fields of its row, and which ratings it has."""


def agreement_of_board(
    rated: Mapping[str, Rated],
    null_models: Collection[str],
    clusters: Ints,
    parts: Callable[[Rated], Iterable[Part]] = lambda every: [({}, np.ones(len(every.item), np.bool_))],
    least: int = 1,
) -> dict[str, Any]:
    """Return the agreement of a board and of its parts, with the uncertainty of that of the board.

    Each is computed on all answers, and on the scored answers of contestants other than null models: judges agree more
    easily on the others.

    rated: for each contestant, by id. clusters: (items,) the cluster of each. least: how many judges a unit needs.
    """
    every = Rated(
        counts=np.concatenate([np.zeros((0, 5), np.int64), *(each.counts for each in rated.values())]),
        item=np.concatenate([np.zeros(0, np.int64), *(each.item for each in rated.values())]),
        axis=np.concatenate([np.zeros(0, np.int64), *(each.axis for each in rated.values())]),
        scored=np.concatenate(
            [np.zeros(0, np.bool_), *(each.scored & (model not in null_models) for model, each in rated.items())]
        ),
    )
    rows = []
    for fields, chosen in parts(every):
        on_all, on_scored = every.counts[chosen], every.counts[chosen & every.scored]
        alphas = ordinal_alpha(on_all), ordinal_alpha(on_scored)
        units = [int((counts.sum(axis=1) >= least).sum()) for counts in (on_all, on_scored)]
        rows.append(_row(fields, *alphas, *units))
    n_clusters = int(clusters.max()) + 1
    bounds = agreement_bounds(
        (model, coincidences(each.counts[each.scored], clusters[each.item[each.scored]], n_clusters))
        for model, each in rated.items()
        if model not in null_models
    )
    return {"agreement": rows, "agreement_bounds": bounds}


def _row(
    fields: Mapping[str, str | None], every: Measure, scored: Measure, units: int, units_scored: int
) -> AgreementRow:
    return AgreementRow(
        **fields,
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
    """Return the uncertainty of the alpha on scored answers.

    scored: each contestant that the alpha includes, with the coincidences of its scored answers by cluster, (clusters,
    5, 5).
    """
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

"""The difference of any two contestants of a board, paired by item, as the page of comparison shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from nullbench_site.scoring.board_tables import Difference
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.results import rounded
from nullbench_site.site.score_vectors import ScoreVectors, score_vectors
from nullbench_site.site.views import BoardView
from nullbench_site.stats.estimate import differences_of, group_mean, means
from nullbench_site.stats.ranking import cluster_parts, flip_statistic

NO_COMMON_ITEM = "no item has a score of both"


@dataclass(frozen=True)
class Paired:
    """The difference of two contestants, and what it is the difference of.

    n_items: the items on which both have a score. score_a, score_b: their scores on these, 0-100.
    """

    difference: Difference
    n_items: int
    score_a: float | None
    score_b: float | None


def paired(view: BoardView, a: str, b: str) -> Paired:
    """Return the score of `a` less that of `b`, on the items on which both have a score.

    It is the difference of the results, if they have it. Otherwise it is computed from the scores of items; other
    judges are not looked at then.
    """
    differences = view.differences
    found = differences.get((a, b)) or _turned(differences.get((b, a)))
    if found is not None:
        return Paired(found, view.results.n_items, view.rows[a].score, view.rows[b].score)
    return _computed(view, a, b)


def _turned(difference: Difference | None) -> Difference | None:
    """Return the same difference, the second less the first."""
    if difference is None:
        return None
    ends = {"low": "high", "high": "low", "panel_low": "panel_high", "panel_high": "panel_low", "value": "value"}
    turned = {end: None if (of := getattr(difference, other)) is None else -of or 0.0 for end, other in ends.items()}
    return msgspec.structs.replace(difference, a=difference.b, b=difference.a, **turned)


def _computed(view: BoardView, a: str, b: str) -> Paired:
    return _on_items(view, score_vectors(view), a, b)


def to_next(view: BoardView, domain: str) -> Mapping[str, Difference]:
    """Return the difference of each contestant from the next in a domain, by the first; null models are left out."""
    if not view.to_next and view.results.domains:
        vectors = score_vectors(view)
        for group in view.results.domains:
            listed = [row.model for row in group.rows if row.score is not None and not view.is_null(row.model)]
            view.to_next[group.id] = {a: _on_items(view, vectors, a, b, group).difference for a, b in pairwise(listed)}
    return view.to_next[domain]


def _on_items(view: BoardView, vectors: ScoreVectors, a: str, b: str, domain: Any = None) -> Paired:
    """Return the difference on the items of a board or, as a mean over all of them, of a domain of its results."""
    asked = [place for place, item in enumerate(vectors.items.items) if domain is None or item.domain == domain.id]
    table = np.array([vectors.parts[a], vectors.parts[b]], dtype=float)[:, asked]
    both = ~np.isnan(table).any(axis=0)
    if not both.any():
        nothing = Difference(
            a=a, b=b, value=None, se=None, df=None, low=None, high=None, absent={"value": NO_COMMON_ITEM}
        )
        return Paired(nothing, 0, None, None)
    items = [vectors.items.items[place] for place in asked]
    groups, clusters = (np.array([getattr(item, of) for item in items])[both] for of in ("group", "cluster"))
    if domain is not None:
        groups = np.zeros_like(groups)
    weights = np.array(vectors.items.weights)[np.unique(groups)] if domain is None else None
    critical, ours = (view.results if domain is None else domain).pair_critical, table[:, both]
    apart = ours[:1] - ours[1:]
    averages = means(apart, groups, clusters, weights=weights)
    (estimate,) = differences_of(averages, SCALE)
    difference = Difference(
        a=a, b=b, value=estimate.value, se=estimate.se, df=estimate.df, low=estimate.low, high=estimate.high,
        robustness=view.robustness_of_parts, absent={} if estimate.reason is None else {"low": estimate.reason},
    )  # fmt: skip
    if estimate.reason is None and critical is not None and estimate.low is not None:
        beyond = flip_statistic(cluster_parts(apart, groups, clusters, weights))[0] > critical
        difference.significant = bool(beyond) and not (bool(estimate.se) and estimate.low <= 0 <= (estimate.high or 0))
    scores = [group_mean(of, groups, clusters, weights=weights).value for of in ours]
    return Paired(rounded(difference), int(both.sum()), *rounded(scores))

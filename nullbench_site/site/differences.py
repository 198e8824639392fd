"""The difference of any two contestants of a board, paired by item, as the page of comparison shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from nullbench_site.scoring.board_tables import Difference
from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.results import rounded
from nullbench_site.site.score_vectors import ItemPlace, ScoreVectors, score_vectors
from nullbench_site.site.views import BoardView
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.estimate import LEVEL, differences_of, means
from nullbench_site.stats.ranking import Comparisons, cluster_parts, flip_statistic
from nullbench_site.stats.sequential import NO_BOUND
from nullbench_site.text import plural

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
    vectors = score_vectors(view)
    (difference,) = _differences(view, vectors, [(a, b)])
    table = np.array([vectors.parts[a], vectors.parts[b]], dtype=float)
    both = ~np.isnan(table).any(axis=0)
    if not both.any():
        return Paired(difference, 0, None, None)
    groups, clusters = _labels(vectors.items.items, both)
    scores: list[float] = means(table[:, both], groups, clusters, weights=_weights(vectors, groups)).value.tolist()
    return Paired(difference, int(both.sum()), *rounded(scores))


def compared(view: BoardView, group: Any) -> list[Any]:
    """Return the rows of a domain with a score, without null models and those that the board itself does not rank."""
    return [
        row
        for row in group.rows
        if row.score is not None
        and not view.is_null(row.model)
        and (view.rows[row.model].rank is not None or not view.n_ranked)
    ]


@dataclass(frozen=True)
class Next:
    """The difference to the next in a domain. shared: the items that it is a mean over, if one of the two has more."""

    difference: Difference
    shared: int | None

    @property
    def on(self) -> str:
        """Return `on 7 shared items`; empty if both have the same items."""
        return "" if self.shared is None else f"on {plural(self.shared, 'shared item')}"


def to_next(view: BoardView, domain: str) -> Mapping[str, Next]:
    """Return the difference of each of the `compared` from the next in a domain, by the first."""
    if not view.to_next and view.results.domains:
        vectors = score_vectors(view)
        for group in view.results.domains:
            places = [place for place, item in enumerate(vectors.items.items) if item.domain == group.id]
            known = {
                row.model: ~np.isnan(np.array([vectors.parts[row.model][place] for place in places], dtype=float))
                for row in compared(view, group)
            }
            found = _differences(view, vectors, [*pairwise(known)], group)
            view.to_next[group.id] = {each.a: Next(each, _shared(known[each.a], known[each.b])) for each in found}
    return view.to_next[domain]


def _shared(one: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> int | None:
    return None if (one == other).all() else int((one & other).sum())


def _differences(
    view: BoardView, vectors: ScoreVectors, pairs: Sequence[tuple[str, str]], domain: Any = None
) -> list[Difference]:
    """Return the difference of each pair on the items of a board or, as a mean over all of them, of a domain of its
    results."""
    critical = (view.results if domain is None else domain).pair_critical
    places = [place for place, item in enumerate(vectors.items.items) if domain is None or item.domain == domain.id]
    items = [vectors.items.items[place] for place in places]
    scores = {
        model: np.array([vectors.parts[model][place] for place in places], dtype=float)
        for pair in pairs
        for model in pair
    }
    apart = np.array([scores[a] - scores[b] for a, b in pairs]).reshape(len(pairs), len(places))
    found = [
        Difference(a=a, b=b, value=None, se=None, df=None, low=None, high=None, absent={"value": NO_COMMON_ITEM})
        for a, b in pairs
    ]
    known, which = np.unique(~np.isnan(apart), axis=0, return_inverse=True)
    for alike, both in enumerate(known):  # pairs with scores on the same items
        if not both.any():
            continue
        those: list[int] = np.flatnonzero(which.reshape(-1) == alike).tolist()
        groups, clusters = _labels(items, both)
        if domain is not None:
            groups = np.zeros_like(groups)
        weights = _weights(vectors, groups) if domain is None else None
        ours = apart[np.ix_(those, both)]
        alpha = repeated_alpha(view, critical, np.unique(clusters).size)
        averages = means(ours, groups, clusters, weights=weights)
        estimates = differences_of(averages, SCALE, 1 - alpha if alpha else LEVEL)
        statistics = flip_statistic(cluster_parts(ours, groups, clusters, weights))
        if view.results.pair_test == "bootstrap":
            statistics = np.array([abs(each.value or 0) / each.se if each.se else np.inf for each in estimates])
        for place, estimate, statistic in zip(those, estimates, statistics, strict=True):
            a, b = pairs[place]
            difference = Difference(
                a=a, b=b, value=estimate.value, se=estimate.se, df=estimate.df, low=estimate.low, high=estimate.high,
                robustness=view.robustness_of_parts, absent={} if estimate.reason is None else {"low": estimate.reason},
            )  # fmt: skip
            if alpha == 0 and estimate.reason is None:
                difference.low, difference.high, difference.absent = None, None, {"low": NO_BOUND}
            if estimate.reason is None and critical is not None and estimate.low is not None:
                inside = bool(estimate.se) and estimate.low <= 0 <= (estimate.high or 0)
                difference.significant = bool(statistic > critical) and not inside
            found[place] = rounded(difference)
    return found


def repeated_alpha(view: BoardView, critical: float | None, n_clusters: int) -> float | None:
    """Return 1 - the level of the intervals of differences on a board that a build stopped; None on other boards.

    0 if no difference could be significant, and then there is no interval. critical: of the board or the domain.
    """
    if view.results.stopped is msgspec.UNSET:
        return None
    nothing = np.zeros((0, 0), np.bool_)
    return Comparisons(nothing, nothing, critical, n_clusters).alpha or 0.0


def _labels(items: Sequence[ItemPlace], those: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return the groups and the clusters of some items."""
    groups, clusters = (np.array([getattr(item, of) for item in items])[those] for of in ("group", "cluster"))
    return groups, clusters


def _weights(vectors: ScoreVectors, groups: Ints) -> Floats:
    """Return how much each of these groups counts, in the order of their numbers."""
    return np.array(vectors.items.weights)[np.unique(groups)]

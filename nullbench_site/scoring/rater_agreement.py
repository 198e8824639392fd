"""The agreement of judges by kappas and alphas: of the panel and of each two judges, on all and on borderline items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, combinations
from typing import Any, Literal

import numpy as np

from nullbench_site.scoring.agreement import Ratings, Scale
from nullbench_site.scoring.board_tables import RaterAgreementRow
from nullbench_site.scoring.executors import Map
from nullbench_site.stats.agreement import (
    RatingLevel,
    alpha_interval,
    cohen_kappa,
    coincidences,
    distances,
    fleiss_kappa,
    krippendorff_label,
    landis_koch,
    pair_tables,
    places,
)
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.measure import Bounded

BORDERLINE = 0.25, 0.75
"""The middle half of a scale, as shares of it. An item is borderline if its mean rating lies there."""
NOBODY_ALL = "no answer was rated by every judge"


@dataclass(frozen=True)
class Rating:
    """What the judges of a board say about the answers of contestants other than null models.

    marks: (answers, judges), NaN for nothing. item: (answers,). clusters: (items,).
    """

    scale: Scale
    marks: Floats
    item: Ints
    clusters: Ints

    @cached_property
    def borderline(self) -> Bools:
        """(items,) whether the mean rating of an item, over answers, then judges, is in the middle half of the scale.

        Single answers would not do: a split vote is in the middle because the judges disagree.
        """
        rated, size = ~np.isnan(self.marks), self.clusters.size
        n = np.bincount(self.item, rated.sum(axis=1), size)
        total = np.bincount(self.item, np.where(rated, self.marks, 0.0).sum(axis=1), size)
        mean = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
        share = (mean - self.scale.low) / (self.scale.high - self.scale.low)
        chosen: Bools = (share >= BORDERLINE[0]) & (share <= BORDERLINE[1])
        return chosen


def ratings_of(ratings: Ratings, null_models: Collection[str]) -> Iterator[Rating]:
    """Yield the marks of scored answers, and the votes of each refusal gate that was asked about on all answers."""
    scored = {
        model: (each.marks[each.scored], each.item[each.scored])
        for model, each in ratings.rated.items()
        if model not in null_models
    }
    yield _joined(ratings, ratings.scale, scored)
    for gate, votes in ratings.gates.items():
        own = {model: (each.votes, each.item) for model, each in votes.items() if model not in null_models}
        joined = _joined(ratings, Scale(what=gate, level="nominal", low=0, high=1), own)
        if not np.isnan(joined.marks).all():
            yield joined


def _joined(ratings: Ratings, scale: Scale, of: Mapping[str, tuple[Floats, Ints]]) -> Rating:
    marks = np.concatenate([np.zeros((0, len(ratings.judges))), *(marks for marks, _ in of.values())])
    item = np.concatenate([np.zeros(0, np.int64), *(item for _, item in of.values())])
    return Rating(scale, marks, item, ratings.clusters)


def rater_agreement_rows(ratings: Ratings, null_models: Collection[str], *, do: Map) -> Iterator[RaterAgreementRow]:
    """Yield the rows of a board with two judges or more. Workers begin at once. do: as in `executors.mapped`."""
    return chain.from_iterable(do(partial(_rows, ratings.judges), ratings_of(ratings, null_models)))


def _rows(judges: Sequence[str], rating: Rating) -> list[RaterAgreementRow]:
    values, given = places(rating.marks.T)
    by_item = pair_tables(given, values.size, rating.item, rating.clusters.size)
    chosen = rating.borderline
    borderline = {n: table * chosen[:, np.newaxis, np.newaxis] for n, table in by_item.items()}
    return [
        *_panel(rating, values, by_item, "all"),
        *_pairs(rating, values, given, judges),
        *_panel(rating, values, borderline, "borderline"),
    ]


def _panel(
    rating: Rating, values: Floats, by_item: Mapping[int, Ints], items: Literal["all", "borderline"]
) -> Iterator[RaterAgreementRow]:
    """Yield alpha at the level of the ratings and, on answers that every judge rated, Fleiss' kappa.

    by_item: `pair_tables` of the answers to each of these items.
    """
    what, level, n_judges = rating.scale.what, rating.scale.level, rating.marks.shape[1]
    tables = {n: _by_cluster(table, rating.clusters) for n, table in by_item.items()}
    units = {n: int(table.sum()) // (n * (n - 1) // 2) for n, table in tables.items()}
    n_every = units.get(n_judges, 0)
    if items == "borderline" and not rating.borderline.any():
        alpha = kappa = Bounded.undefined("no item is borderline")
    else:
        alpha = alpha_interval(coincidences(tables), None if level == "ordinal" else distances(values, level))
        kappa = fleiss_kappa(tables[n_judges]) if n_every else Bounded.undefined(NOBODY_ALL)
    yield RaterAgreementRow(
        what=what, coefficient="alpha", level=level, items=items, n=sum(units.values()), **_figures(alpha)
    )
    yield RaterAgreementRow(what=what, coefficient="fleiss", level="nominal", items=items, n=n_every, **_figures(kappa))


def _by_cluster(tables: Ints, clusters: Ints) -> Ints:
    """Return the sums of tables of items in each cluster."""
    of_clusters = np.zeros((int(clusters.max(initial=-1)) + 1, *tables.shape[1:]), np.int64)
    np.add.at(of_clusters, clusters, tables)
    return of_clusters


def _pairs(rating: Rating, values: Floats, given: Ints, judges: Sequence[str]) -> Iterator[RaterAgreementRow]:
    """Yield Cohen's kappa of each two judges; of ordered ratings, weighted by squared distance."""
    level: RatingLevel = "nominal" if rating.scale.level == "nominal" else "interval"
    apart, cluster = distances(values, level), rating.clusters[rating.item]
    for one, other in combinations(sorted(range(len(judges)), key=judges.__getitem__), 2):
        tables = pair_tables(given[[one, other]], values.size, cluster, int(rating.clusters.max(initial=-1)) + 1)[2]
        yield RaterAgreementRow(
            what=rating.scale.what,
            coefficient="cohen",
            level="nominal" if level == "nominal" else "quadratic",
            judge=judges[one],
            other=judges[other],
            items="all",
            n=int(tables.sum()),
            **_figures(cohen_kappa(tables, apart)),
        )


def _figures(found: Bounded) -> dict[str, Any]:
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "landis_koch": landis_koch(found.value),
        "krippendorff": krippendorff_label(found.value),
        "absent": found.reason,
    }

"""The agreement of judges by kappas and alphas: of the panel and of each two judges, on all and on borderline items."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations
from typing import Any, Literal

import numpy as np

from nullbench_site.scoring.agreement import Ratings, Scale
from nullbench_site.scoring.board_tables import RaterAgreementRow
from nullbench_site.scoring.executors import Map
from nullbench_site.stats.agreement import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    krippendorff_label,
    landis_koch,
)
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.measure import Bounded

BORDERLINE = 0.25, 0.75
"""The middle half of a scale, as shares of it. An item is borderline if its mean rating lies there."""
NOBODY_ALL = "no answer was rated by every judge"


@dataclass(frozen=True)
class Rating:
    """What the judges of a board say about the answers of contestants other than null models.

    marks: (answers, judges), NaN for nothing. item, cluster: (answers,).
    """

    scale: Scale
    marks: Floats
    item: Ints
    cluster: Ints

    @property
    def borderline(self) -> Bools:
        """(answers,) those to borderline items: whose mean rating, over answers, then judges, is in the middle half.

        Single answers would not do: a split vote is in the middle because the judges disagree.
        """
        rated = ~np.isnan(self.marks)
        n = np.bincount(self.item, rated.sum(axis=1))
        total = np.bincount(self.item, np.where(rated, self.marks, 0.0).sum(axis=1))
        mean = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
        share = (mean - self.scale.low) / (self.scale.high - self.scale.low)
        chosen: Bools = ((share >= BORDERLINE[0]) & (share <= BORDERLINE[1]))[self.item]
        return chosen

    def of(self, chosen: Bools) -> Rating:
        """Return the ratings of some answers."""
        return Rating(self.scale, self.marks[chosen], self.item[chosen], self.cluster[chosen])


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
    return Rating(scale, marks, item, ratings.clusters[item])


def rater_agreement_rows(ratings: Ratings, null_models: Collection[str], *, do: Map) -> Iterator[RaterAgreementRow]:
    """Yield the rows of a board with two judges or more. do: as in `executors.mapped`."""
    yield from chain.from_iterable(do(partial(_rows, ratings.judges), ratings_of(ratings, null_models)))


def _rows(judges: Sequence[str], rating: Rating) -> list[RaterAgreementRow]:
    borderline = rating.of(rating.borderline)
    return [*_panel(rating, "all"), *_pairs(rating, judges), *_panel(borderline, "borderline")]


def _panel(rating: Rating, items: Literal["all", "borderline"]) -> Iterator[RaterAgreementRow]:
    """Yield alpha at the level of the ratings and, on answers that every judge rated, Fleiss' kappa."""
    marks, n_rated = rating.marks, (~np.isnan(rating.marks)).sum(axis=1)
    some, every = n_rated > 1, n_rated == marks.shape[1]
    if items == "borderline" and not len(marks):
        alpha = kappa = Bounded.undefined("no item is borderline")
    else:
        alpha = krippendorff_alpha(marks.T, rating.scale.level, rating.cluster)
        of_all = np.ascontiguousarray(marks[every].T)
        counts = np.array([(of_all == value).sum(axis=0) for value in np.unique(of_all)]).T
        kappa = fleiss_kappa(counts, rating.cluster[every]) if every.any() else Bounded.undefined(NOBODY_ALL)
    what, level = rating.scale.what, rating.scale.level
    yield RaterAgreementRow(
        what=what, coefficient="alpha", level=level, items=items, n=int(some.sum()), **_figures(alpha)
    )
    yield RaterAgreementRow(
        what=what, coefficient="fleiss", level="nominal", items=items, n=int(every.sum()), **_figures(kappa)
    )


def _pairs(rating: Rating, judges: Sequence[str]) -> Iterator[RaterAgreementRow]:
    """Yield Cohen's kappa of each two judges; of ordered ratings, weighted by squared distance."""
    nominal = rating.scale.level == "nominal"
    for one, other in combinations(sorted(range(len(judges)), key=judges.__getitem__), 2):
        first, second = rating.marks[:, one], rating.marks[:, other]
        kappa = cohen_kappa(first, second, None if nominal else "quadratic", rating.cluster)
        yield RaterAgreementRow(
            what=rating.scale.what,
            coefficient="cohen",
            level="nominal" if nominal else "quadratic",
            judge=judges[one],
            other=judges[other],
            items="all",
            n=int((~np.isnan(first) & ~np.isnan(second)).sum()),
            **_figures(kappa),
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

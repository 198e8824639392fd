"""The agreement of judges by kappas and alphas: of the panel and of each two judges, on all and on borderline items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any, Literal

import numpy as np

from nullbench_site.scoring.agreement import Pairs, Ratings
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
)
from nullbench_site.stats.arrays import Ints
from nullbench_site.stats.measure import Bounded

NOBODY_ALL = "no answer was rated by every judge"


def rater_agreement_rows(ratings: Ratings, *, do: Map) -> Iterator[RaterAgreementRow]:
    """Yield the rows of a board with two judges or more. Workers begin at once. do: as in `executors.mapped`.

    A refusal gate has rows if a judge was asked about it.
    """
    asked = [pairs for what, pairs in ratings.pairs.items() if what == ratings.scale.what or pairs.values.size]
    return chain.from_iterable(do(partial(_rows, ratings.judges, ratings.clusters), asked))


def _rows(judges: Sequence[str], clusters: Ints, pairs: Pairs) -> list[RaterAgreementRow]:
    return [
        *_panel(pairs, judges, clusters, "all"),
        *_pairs(pairs, judges, clusters),
        *_panel(pairs, judges, clusters, "borderline"),
    ]


def _panel(
    pairs: Pairs, judges: Sequence[str], clusters: Ints, items: Literal["all", "borderline"]
) -> Iterator[RaterAgreementRow]:
    """Yield alpha at the level of the ratings and, on answers that every judge rated, Fleiss' kappa."""
    what, level, n_judges = pairs.scale.what, pairs.scale.level, len(judges)
    chosen = pairs.borderline if items == "borderline" else np.ones(clusters.size, np.bool_)
    tables = pairs.by_number(chosen, clusters)
    units = {n: int(table.sum()) // (n * (n - 1) // 2) for n, table in tables.items()}
    n_every = units.get(n_judges, 0)
    if not chosen.any():
        alpha = kappa = Bounded.undefined("no item is borderline")
    else:
        alpha = alpha_interval(coincidences(tables), None if level == "ordinal" else distances(pairs.values, level))
        kappa = fleiss_kappa(tables[n_judges]) if n_every else Bounded.undefined(NOBODY_ALL)
    yield RaterAgreementRow(
        what=what, coefficient="alpha", level=level, items=items, n=sum(units.values()), **_figures(alpha)
    )
    yield RaterAgreementRow(what=what, coefficient="fleiss", level="nominal", items=items, n=n_every, **_figures(kappa))


def _pairs(pairs: Pairs, judges: Sequence[str], clusters: Ints) -> Iterator[RaterAgreementRow]:
    """Yield Cohen's kappa of each two judges; of ordered ratings, weighted by squared distance."""
    level: RatingLevel = "nominal" if pairs.scale.level == "nominal" else "interval"
    apart = distances(pairs.values, level)
    for two in combinations(sorted(range(len(judges)), key=judges.__getitem__), 2):
        tables = pairs.of_two(*two, clusters)
        yield RaterAgreementRow(
            what=pairs.scale.what,
            coefficient="cohen",
            level="nominal" if level == "nominal" else "quadratic",
            judge=judges[two[0]],
            other=judges[two[1]],
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

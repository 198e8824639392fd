"""How sure the scores of a slice are, and the order they give: errors, intervals, ranks, ties; the null floor;
the best of a family."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import TypeVar

import numpy as np
from msgspec import UNSET, UnsetType

from nullbench_site.scoring.findings import Floor, VariantRow
from nullbench_site.scoring.results import Row
from nullbench_site.scoring.rounding import rounded
from nullbench_site.specs.types import Bootstrap, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.comparison import best_of
from nullbench_site.stats.estimate import Estimate, estimate_of, means
from nullbench_site.stats.ranking import over_best, ranks_of

RowT = TypeVar("RowT", bound=Row)
SCALE = (0.0, 100.0)
"""Of every score that contestants are ordered by."""


@dataclass(frozen=True)
class Strata:
    """How the scores of items become the score of a board: the mean, weighted, over groups of the mean in each.

    groups, clusters: (items,) numbers; what is independent are clusters. weights: of the groups in the order of their
    numbers; None for equal ones.
    """

    groups: Ints
    clusters: Ints
    weights: Sequence[float] | None = None


@dataclass(frozen=True)
class Ranking:
    """Puts into the rows of any slice how sure their scores are and, where they may have one, their ranks.

    scores: contestant -> (items,) its score on each item of the board, 0-100, NaN where it has none. lacking:
    contestant -> what keeps it from a rank; those that nothing keeps are not in it. reach: contestant -> by how much
    its score on the board may be off where its items do not show it, in points.
    """

    strata: Strata
    scores: Mapping[str, Floats]
    lacking: Mapping[str, str]
    bootstrap: Bootstrap
    reach: Mapping[str, float]

    def of_board(self, rows: Mapping[str, Row]) -> tuple[list[str], float | None]:
        """The possible best and the level of one comparison; the score of a row is its mean over the board's groups."""
        everywhere = np.ones(self.strata.groups.size, np.bool_)
        return self._put(rows, everywhere, self.strata.groups, self.strata.weights, ties=True)

    def of_part(self, rows: Mapping[str, Row], chosen: Bools) -> tuple[list[str], float | None]:
        """The same of the items `chosen`, (items,), of which the score of a row is the mean; rounded as results are."""
        best = self._put(rows, chosen, np.zeros_like(self.strata.groups), None, ties=False)
        for row in rows.values():
            row.se, row.df, row.ci_low, row.ci_high = rounded((row.se, row.df, row.ci_low, row.ci_high))
        return best

    def floor(self, rows: Mapping[str, Row], null_models: Collection[str]) -> Floor | None:
        """The best of the ranked null models; into every row whether it is above it."""
        ranked = [row for _, row in sorted(rows.items()) if row.rank is not None and row.overall is not None]
        nulls = [place for place, row in enumerate(ranked) if row.model in null_models]
        for row in rows.values():
            row.absent["above_null_floor"] = "not ranked"
        if not nulls:
            why = "no null model of the board is ranked" if null_models else "no null model is on the board"
            for row in rows.values():
                row.absent["above_null_floor"] = why
            return None
        over = over_best(
            [self.scores[row.model] for row in ranked], nulls, self.strata.groups, self.strata.clusters,
            self.bootstrap.seed, resamples=self.bootstrap.resamples, weights=self.strata.weights,
            reach=np.array([self.reach[row.model] for row in ranked]),
        )  # fmt: skip
        for row, low in zip(ranked, over.low.tolist(), strict=True):
            if over.reason is None:
                row.above_null_floor = low > 0
                del row.absent["above_null_floor"]
            else:
                row.absent["above_null_floor"] = over.reason
        best = min((ranked[place] for place in nulls), key=lambda row: (-(row.overall or 0.0), row.model))
        low, high = (None, None) if over.reason else (over.best_low, over.best_high)
        return Floor(model=best.model, overall=best.overall or 0.0, low=low, high=high)

    def _put(
        self, rows: Mapping[str, Row], chosen: Bools, groups: Ints, weights: Sequence[float] | None, *, ties: bool
    ) -> tuple[list[str], float | None]:
        models = sorted(rows)
        if not models:
            return [], None
        groups, clusters = groups[chosen], self.strata.clusters[chosen]
        table = np.array([self.scores[model][chosen] for model in models])
        values = np.array([nan if rows[model].score is None else rows[model].score for model in models])
        averages = means(table, groups, clusters, weights=weights)
        for model, estimate in zip(models, estimate_of(averages, SCALE, values), strict=True):
            _put_estimate(rows[model], estimate)
        for model in models:
            if model in self.lacking:
                rows[model].absent["rank"] = self.lacking[model]
        ranked = np.flatnonzero([model not in self.lacking for model in models])
        if not ranked.size:
            return [], None
        if ranked.size < len(models):
            averages = means(table[ranked], groups, clusters, weights=weights)
        # Of fewer items a part shows as much less.
        reach = np.array([self.reach[models[number]] for number in ranked]) * (chosen.size / chosen.sum())
        averages = averages.beyond(np.minimum(reach, SCALE[1] - SCALE[0]))
        ranks = ranks_of(averages, self.bootstrap.seed, resamples=self.bootstrap.resamples, values=values[ranked])
        for place, number in enumerate(ranked.tolist()):
            row = rows[models[number]]
            row.rank = ranks.rank[place]
            if ranks.reason is not None:
                row.absent |= dict.fromkeys(("rank_low", "tie_group") if ties else ("rank_low",), ranks.reason)
                continue
            row.rank_low, row.rank_high = ranks.low[place], ranks.high[place]
            if ties:
                row.tie_group = ranks.ties[place]
        best = [rows[models[ranked[place]]] for place in ranks.best_set]
        return [row.model for row in best_first(best)], None if ranks.alpha is None else float(f"{ranks.alpha:.6g}")


def _put_estimate(row: Row, estimate: Estimate) -> None:
    if row.score is not None and "se" in row.absent:
        return  # its protocol says why: a score by definition was not measured, and has no error
    row.se, row.df = estimate.se, estimate.df
    if estimate.reason is None:
        row.ci_low, row.ci_high = estimate.low, estimate.high
    else:
        row.absent.setdefault("se" if estimate.se is None else "ci_low", estimate.reason)


def best_first(rows: Collection[RowT]) -> list[RowT]:
    """The rows by rank, those without one last."""
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, row.model))


def best_variants(
    ranked: Sequence[tuple[ModelFile, Row]], scores: Mapping[str, Floats], strata: Strata, seed: int
) -> list[VariantRow] | UnsetType:
    """A row a family of which two or more models are ranked, by id; unset where there is none.

    ranked: with their rows on the board, highest first. Programs, and models that do nothing, are no variants of a
    product: nobody chose among them.
    """
    families: dict[str, list[Row]] = {}
    for model, row in ranked:
        if model.kind == "model":
            families.setdefault(model.family, []).append(row)
    rows = [_row(family, of, scores, strata, seed) for family, of in sorted(families.items()) if len(of) > 1]
    return rows or UNSET


def _row(family: str, rows: Sequence[Row], scores: Mapping[str, Floats], strata: Strata, seed: int) -> VariantRow:
    models, values = [row.model for row in rows], [nan if row.score is None else row.score for row in rows]
    table = np.array([scores[model] for model in models])
    best = best_of(table, strata.groups, strata.clusters, seed, weights=strata.weights, scale=SCALE, values=values)
    return VariantRow(
        family=family, variants=list(models), n_variants=len(models), best=models[best.place], overall=best.value,
        corrected=best.corrected, low=best.low, high=best.high, absent=best.reason,
    )  # fmt: skip

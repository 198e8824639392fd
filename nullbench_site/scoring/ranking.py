"""The errors, intervals, ranks and ties of the scores of a slice, and the best model of a family."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isnan, nan
from typing import Any, TypeVar, get_args

import numpy as np
from msgspec import UNSET, UnsetType

from nullbench_site.scoring.board_tables import Detectable, JointCheck, LeadFragility, Separation, VariantRow
from nullbench_site.scoring.results import NULL_MODEL, Row, rounded
from nullbench_site.specs.types import Bootstrap, ModelFile
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.comparison import best_of
from nullbench_site.stats.estimate import Estimate, Means, estimate_of, group_mean, means, paired_difference
from nullbench_site.stats.joint_error import LEAST_DRAWS, MOST_DRAWS, WORK, FamilyError, family_error
from nullbench_site.stats.measure import JointTest
from nullbench_site.stats.ranking import Comparisons, compared, ranks_of
from nullbench_site.stats.robustness import fewest_items, smallest_difference
from nullbench_site.stats.sequential import Looks

RowT = TypeVar("RowT", bound=Row)
SCALE = (0.0, 100.0)
"""The scale of every score that orders contestants."""
NOBODY = "nobody to compare"
NO_PAIR = "no two contestants that differ on some item"
TOO_FEW_ITEMS = "too few items to tell any two apart"
NO_SCORE = "no score on these items"
_FEW_ITEMS, _SHARE_OF_ITEMS, _MANY_ITEMS = 10, 0.1, 50
"""How many items count as few: a share of all items, but at least the first and at most the last number."""
_CELLS = 4_000_000
"""The most numbers in an array at a time."""


@dataclass(frozen=True)
class Strata:
    """How the scores of items become the score of a board: the weighted mean over groups of the mean in each group.

    groups, clusters: (items,) numbers; clusters are independent of each other. weights: those of the groups, in the
    order of their numbers; None for equal weights.
    """

    groups: Ints
    clusters: Ints
    weights: Sequence[float] | None = None

    def means(self, table: Floats) -> Means:
        """Return the means of rows, (k, items)."""
        return means(table, self.groups, self.clusters, weights=self.weights)

    def mean(self, scores: Floats, scale: tuple[float, float] | None = None) -> Estimate:
        """Return the mean of scores, (items,), as `group_mean`."""
        return group_mean(scores, self.groups, self.clusters, scale=scale, weights=self.weights)

    def difference(self, ours: Floats, theirs: Floats, scale: tuple[float, float] | None = None) -> Estimate:
        """Return the mean of ours - theirs, (items,), as `paired_difference`."""
        return paired_difference(ours, theirs, self.groups, self.clusters, scale=scale, weights=self.weights)

    def of(self, chosen: Bools | Ints) -> Strata:
        """Return those of the chosen items; a group without one counts no more."""
        kept, groups = np.unique(self.groups[chosen], return_inverse=True)
        weights = None if self.weights is None else [self.weights[group] for group in kept]
        return Strata(groups, self.clusters[chosen], weights)

    def by_name(self, items: Sequence[str]) -> Strata:
        """Return the same with clusters numbered by the names of their items: random signs are drawn in this order."""
        order = np.argsort(np.array(items))
        _, first, cluster = np.unique(self.clusters[order], return_index=True, return_inverse=True)
        return replace(self, clusters=np.argsort(np.argsort(first))[cluster][np.argsort(order)])


@dataclass(frozen=True)
class Tested:
    """The differences of a slice, tested together. models: the place of each contestant; controls come last."""

    models: Mapping[str, int]
    found: Comparisons
    best_set: list[str] = field(default_factory=list)

    @property
    def critical(self) -> float | None:
        return None if self.found.critical is None else float(f"{self.found.critical:.9g}")

    @property
    def alpha(self) -> float | None:
        return None if self.found.alpha is None else float(f"{self.found.alpha:.6g}")

    def better(self, a: str, b: str) -> bool:
        """Return True if `a` scores significantly more than `b`."""
        return bool(self.found.better[self.models[a], self.models[b]])

    def significant(self, a: str, b: str) -> bool | None:
        """Return whether two contestants differ significantly; None if nothing was tested."""
        return None if self.found.reason is not None else self.better(a, b) or self.better(b, a)

    def separation(self, ranked: Sequence[str]) -> Separation | None:
        """Return how many of the ranked pairs, and of the neighbours among them, differ. ranked: highest first."""
        if self.found.reason is not None or len(ranked) < 2:
            return None
        places = [self.models[model] for model in ranked]
        together, alone = ((found | found.T)[np.ix_(places, places)] for found in (self.found.better, self.found.alone))
        n = len(places)
        return Separation(
            pairs=n * (n - 1) // 2,
            together=int(together.sum()) // 2,
            alone=int(alone.sum()) // 2,
            neighbours=n - 1,
            neighbours_together=int(together.diagonal(1).sum()),
            neighbours_alone=int(alone.diagonal(1).sum()),
        )


@dataclass(frozen=True)
class Ranking:
    """Puts errors into the rows of any slice, and ranks into the rows that may have one.

    scores: (items,) for each contestant, its score on each item of the board, 0-100; NaN without a score. lacking: for
    contestants without a rank, the reason. reach: for each contestant, how many points its score on the board may be
    off without its items showing it. null_models: compared with all, but without a rank. controls: (items,) for each
    control; compared with ranked contestants on slices where it has all items. scale: the ends of all
    scores; None if they have none, and then a `reach` is not limited. test: the joint test of all slices. checks: the
    measured errors of this test and of those that were tried before it. looks: the look of each item, on boards that
    may stop early; differences must exceed the boundary of the last look. silent: whether no two are told apart,
    because that test did not hold.
    """

    strata: Strata
    scores: Mapping[str, Floats]
    lacking: Mapping[str, str]
    bootstrap: Bootstrap
    reach: Mapping[str, float]
    null_models: Collection[str] = ()
    controls: Mapping[str, Floats] = field(default_factory=dict)
    scale: tuple[float, float] | None = SCALE
    test: JointTest = "flips"
    checks: Sequence[FamilyError] = ()
    looks: Looks | None = None
    silent: bool = False
    _found: dict[Any, Comparisons] = field(init=False, default_factory=dict)

    def checked(
        self,
        rows: Mapping[str, Row],
        *,
        most_draws: int = MOST_DRAWS,
        least_draws: int = LEAST_DRAWS,
        most_work: int = WORK,
    ) -> Ranking:
        """Return the ranking with the joint test that holds its error on this board.

        rows: of the board, with scores. The first of the tests that holds is taken: flips of signs; the bootstrap, if
        it separates a pair; betting. Flips are kept if their error cannot be measured. A board with looks has flips
        only: if they do not hold, it tells no two apart. Other arguments as in `family_error`.
        """
        everywhere = np.ones(self.strata.groups.size, np.bool_)
        ranked, nulls, _ = self._sorted(rows)
        if len(ranked) < 2:
            return self
        values, checks = _scores(rows, ranked), list[FamilyError]()
        table = np.array([self.scores[model] for model in ranked])
        trial = self
        for test in get_args(JointTest) if self.looks is None else ("flips",):
            trial = replace(self, test=test)
            tested = trial._tested(ranked, nulls, everywhere, self.strata.groups, self.strata.weights)
            if tested.found.reason is not None:
                return self
            better = tested.found.better[: len(ranked), : len(ranked)]
            ties = np.array(ranks_of(values, better).ties)
            families = {tuple(np.flatnonzero(ties == tie).tolist()) for tie in ties} | {tuple(range(len(ranked)))}
            error = family_error(
                table, self.strata.groups, self.strata.clusters, [np.array(each) for each in sorted(families)],
                self.bootstrap.seed, test=test, weights=self.strata.weights, scale=self.scale, most_draws=most_draws,
                least_draws=least_draws, most_work=most_work,
            )  # fmt: skip
            if error is None and not checks:
                return self
            checks += [] if error is None else [error]
            if error is not None and error.holds and (test == "flips" or better.any()):
                break
        return replace(trial, checks=checks, silent=self.looks is not None and not checks[-1].holds)

    @property
    def joint_checks(self) -> list[JointCheck]:
        """The checks as rows of the results."""
        return [
            JointCheck(
                test=each.test, error=each.share, low=each.low, high=each.high, draws=each.draws,
                draws_dealt=each.dealt, holds=each.holds,
            )
            for each in self.checks
        ]  # fmt: skip

    def of_board(self, rows: Mapping[str, Row]) -> Tested:
        """Put errors and ranks into the rows of the board.

        The score of a row is its mean over the groups of the board.
        """
        everywhere = np.ones(self.strata.groups.size, np.bool_)
        return self._put(rows, everywhere, self.strata.groups, self.strata.weights, ties=True)

    def ranked(self, scores: Mapping[str, Floats]) -> dict[str, Row]:
        """Return rows with errors and ranks for other scores, (items,), of contestants of which none lacks a rank."""
        table = np.array(list(scores.values()))
        rows = {
            model: Row(model=model, n_items=table.shape[1], overall=None if isnan(mean) else mean, absent={})
            for model, mean in zip(scores, self.strata.means(table).value.tolist(), strict=True)
        }
        replace(self, scores=scores, lacking={}, controls={}).of_board(rows)
        return rows

    def of_part(self, rows: Mapping[str, Row], chosen: Bools) -> Tested:
        """Put errors and ranks into the rows of a part, rounded as in results.

        chosen: (items,) the items of the part. The score of a row is the mean of these.
        """
        tested = self._put(rows, chosen, np.zeros_like(self.strata.groups), None, ties=False)
        for row in rows.values():
            row.se, row.df, row.ci_low, row.ci_high = rounded((row.se, row.df, row.ci_low, row.ci_high))
        return tested

    def detectable(self, ranked: Sequence[str], pair_alpha: float | None) -> Detectable:
        """Return the smallest differences that the board detects, from the errors of those of neighbours.

        ranked: contestants with a rank, best first. pair_alpha: the level at which a pair is tested, `Tested.alpha`.
        """
        pairs = list(pairwise(ranked))
        if pairs and not pair_alpha:
            return Detectable(absent=TOO_FEW_ITEMS)
        smallest: list[float] = []
        at_a_time = max(1, _CELLS // max(self.strata.groups.size, 1))
        for start in range(0, len(pairs), at_a_time):
            some = pairs[start : start + at_a_time]
            apart = self.strata.means(np.array([self.scores[a] - self.scores[b] for a, b in some]))
            apart = apart.beyond(np.hypot(*np.array([[self.reach[a], self.reach[b]] for a, b in some]).T))
            smallest += [
                smallest_difference(se, df, level=1 - (pair_alpha or 0.0))
                for se, df in zip(apart.se.tolist(), apart.df.tolist(), strict=True)
                if se > 0 and df > 0
            ]
        if not smallest:
            return Detectable(absent=NO_PAIR)
        return Detectable(
            n_pairs=len(smallest), low=min(smallest), median=float(np.median(smallest)), high=max(smallest)
        )

    def lead(self, ranked: Sequence[str], items: Sequence[str]) -> LeadFragility | None:
        """Return the fewest items without which the first no longer leads, and who has caught up with it then.

        ranked: contestants with a rank, best first. items: the names of the items.
        """
        if len(ranked) < 2:
            return None
        leader, limit = ranked[0], few_items(len(items))
        fragility = LeadFragility(leader=leader, beyond=limit)
        for other in ranked[1:]:
            apart = (self.scores[leader] - self.scores[other])[np.newaxis]
            (fewer,) = fewest_items(apart, self.strata.groups, limit=limit, weights=self.strata.weights)
            if fewer is not None:
                fragility.other, fragility.lead = other, fewer.lead
                fragility.items = [items[place] for place in fewer.items]
                limit = len(fewer.items) - 1
            if limit < 1:
                break
        return fragility

    def _put(
        self, rows: Mapping[str, Row], chosen: Bools, groups: Ints, weights: Sequence[float] | None, *, ties: bool
    ) -> Tested:
        models = sorted(rows)
        groups, clusters = groups[chosen], self.strata.clusters[chosen]
        if models:
            table = np.array([self.scores[model][chosen] for model in models])
            values = _scores(rows, models)
            averages = means(table, groups, clusters, weights=weights)
            for model, estimate in zip(models, estimate_of(averages, self.scale, values), strict=True):
                _put_estimate(rows[model], estimate)
        ranked, nulls, others = self._sorted(rows)
        for model, reason in (*others.items(), *((model, NULL_MODEL) for model in nulls)):
            rows[model].absent["rank"] = reason
        tested = self._tested(ranked, nulls, chosen, groups, weights)
        if not ranked:
            return tested
        ranks = ranks_of(_scores(rows, ranked), tested.found.better[: len(ranked), : len(ranked)])
        for place, model in enumerate(ranked):
            row = rows[model]
            row.rank = ranks.rank[place]
            if (why := tested.found.reason) is not None:
                row.absent |= dict.fromkeys(("rank_low", "tie_group") if ties else ("rank_low",), why)
                continue
            row.rank_low, row.rank_high = ranks.low[place], ranks.high[place]
            if ties:
                row.tie_group = ranks.ties[place]
        best = [] if tested.found.reason is not None else [rows[ranked[place]] for place in ranks.best_set]
        return replace(tested, best_set=[row.model for row in best_first(best)])

    def _sorted(self, rows: Mapping[str, Row]) -> tuple[list[str], list[str], dict[str, str]]:
        """Return the contestants that get a rank, the null models, and why each of the others gets none."""
        ranked, nulls, others = list[str](), list[str](), dict[str, str]()
        for model in sorted(rows):
            row = rows[model]
            if (why := self.lacking.get(model)) is not None or row.score is None:
                others[model] = why or row.absent.get("overall", NO_SCORE)
            else:
                (nulls if model in self.null_models else ranked).append(model)
        return ranked, nulls, others

    def _tested(
        self,
        ranked: Sequence[str],
        nulls: Sequence[str],
        chosen: Bools,
        groups: Ints,
        weights: Sequence[float] | None,
    ) -> Tested:
        """Test each two contestants, null models included, and each control with each ranked contestant."""
        contestants = [*ranked, *nulls]
        of_slice = {name: scores[chosen] for name, scores in self.controls.items()}
        controls = {name: scores for name, scores in of_slice.items() if not np.isnan(scores).any()}
        places = {name: place for place, name in enumerate((*contestants, *controls))}
        if not contestants:
            nothing = np.zeros((len(places), len(places)), np.bool_)
            return Tested(places, Comparisons(nothing, nothing, None, 0, NOBODY))
        # A domain of one category, for example, is the same slice twice.
        same = *places, chosen.tobytes(), groups.tobytes(), tuple(weights or ()) if groups.any() else ()
        if same in self._found:
            return Tested(places, self._found[same])
        table = np.array([*(self.scores[model][chosen] for model in contestants), *controls.values()])
        clusters = self.strata.clusters[chosen]
        # On a part of the items, the score may be off by more in proportion.
        reach = np.array([self.reach[model] for model in contestants] + [0.0] * len(controls))
        reach = reach * (chosen.size / chosen.sum())
        if self.scale is not None:
            reach = np.minimum(reach, self.scale[1] - self.scale[0])
        first, second = np.triu_indices(len(table), 1)
        pairs = (second < len(contestants)) | (first < len(ranked)) & (second >= len(contestants))
        self._found[same] = compared(
            table, groups, clusters, self.bootstrap.seed, weights=weights, scale=self.scale, reach=reach,
            pairs=(first[pairs], second[pairs]), least_flips=self.bootstrap.resamples, test=self.test,
            looks=None if self.looks is None else self.looks.of(chosen),
        )  # fmt: skip
        if self.silent:
            nothing = np.zeros((len(table), len(table)), np.bool_)
            self._found[same] = replace(self._found[same], better=nothing, alone=nothing, critical=None)
        return Tested(places, self._found[same])


def _scores(rows: Mapping[str, Row], models: Sequence[str]) -> Floats:
    return np.array([rows[model].score for model in models], np.float64)


def _put_estimate(row: Row, estimate: Estimate) -> None:
    if row.score is not None and "se" in row.absent:
        return  # its protocol says why: a score by definition was not measured, and has no error
    row.se, row.df = estimate.se, estimate.df
    if estimate.reason is None:
        row.ci_low, row.ci_high = estimate.low, estimate.high
    else:
        row.absent.setdefault("se" if estimate.se is None else "ci_low", estimate.reason)


def few_items(n: int) -> int:
    """Return how many of n items count as few. A lead that takes more items to undo is not fragile."""
    return min(n, max(_FEW_ITEMS, int(_SHARE_OF_ITEMS * n)), _MANY_ITEMS)


def best_first(rows: Collection[RowT]) -> list[RowT]:
    """Return the rows by score, null models included. Rows that lack something come last."""
    return sorted(rows, key=lambda row: (not row.compared, -(row.score or 0.0) if row.compared else 0.0, row.model))


def best_variants(
    ranked: Sequence[tuple[ModelFile, Row]], scores: Mapping[str, Floats], strata: Strata, seed: int
) -> list[VariantRow] | UnsetType:
    """Return a row for each family with two or more ranked models, by id; unset if there is none.

    ranked: the models with their rows on the board, highest first. Programs and null models are left out: nobody chose
    one of them as the best variant of a product.
    """
    families: dict[str, list[Row]] = {}
    for model, row in ranked:
        if model.kind == "model":
            families.setdefault(model.family, []).append(row)
    rows = [best_variant(family, of, scores, strata, seed) for family, of in sorted(families.items()) if len(of) > 1]
    return rows or UNSET


def best_variant(
    family: str,
    rows: Sequence[Row],
    scores: Mapping[str, Floats],
    strata: Strata,
    seed: int,
    *,
    scale: tuple[float, float] | None = SCALE,
) -> VariantRow:
    """Return the best model of one family, corrected for their number. rows: two or more, highest first."""
    models, values = [row.model for row in rows], [nan if row.score is None else row.score for row in rows]
    table = np.array([scores[model] for model in models])
    best = best_of(table, strata.groups, strata.clusters, seed, weights=strata.weights, scale=scale, values=values)
    return VariantRow(
        family=family, variants=list(models), n_variants=len(models), best=models[best.place], overall=best.value,
        corrected=best.corrected, low=best.low, high=best.high, absent=best.reason,
    )  # fmt: skip

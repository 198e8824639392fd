"""Judges as a sample: scores under other judges, the severity of each, and the study of items and judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, Ints, group_shares
from nullbench_site.stats.estimate import LEVEL, ONE_CLUSTER, quantile
from nullbench_site.stats.measure import Measure

ONE_JUDGE = "a panel of one judge says nothing of other judges"
NO_SAMPLE = "these judges are not a sample of judges like them"
SAME_OF_ALL = "the score is the same whichever judge is left out, and how other judges would differ is not measured"
"""A variance of 0 among a few judges does not show that similar judges never differ."""


def jackknife_variance(left_out: npt.ArrayLike) -> Floats:
    """Return the variance of each score for the choice of judges, (k,), by leaving out one at a time.

    In the unit of the score squared.
    left_out: (k, J) the score without each of J judges, NaN for a judge that has no part in it.
    (J-1)/J * sum_j (theta_-j - mean)^2 over the J judges of a score. For a mean over judges this is s^2 / J, s^2 the
    variance of single judges' scores with the divisor J - 1. NaN for fewer than two judges.
    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, 11.2.
    """
    theta = np.asarray(left_out, dtype=np.float64)
    n = (~np.isnan(theta)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = theta - (np.nansum(theta, axis=1) / n)[:, np.newaxis]
        variance: Floats = np.where(n > 1, (n - 1) / n * np.nansum(np.square(off), axis=1), np.nan)
    return variance


def panel_errors(se: Floats, df: Floats, variance: Floats, judges: Ints) -> tuple[Floats, Floats]:
    """Return standard errors for other items and judges like these, and half the widths of 95 % intervals; (k,) each.

    The rows are scores, or differences of two. se, df: for other items with this panel. variance: for the choice of
    judges, as `jackknife_variance`. judges: how many, >= 2.
    The variance of the result is the sum of both, V_i for items and V_j for judges. Both contain the interaction item x
    judge, so the sum is too large by that variance over items and judges, and never negative.
    Half the width is sqrt(V_i + V_j) (V_i t_i + V_j t_j) / (V_i + V_j), t_i and t_j Student's quantiles for df and for
    judges - 1. Chosen by measurement: with degrees of freedom by Satterthwaite's rule, 95 % intervals cover 87 of 100
    scores or differences of two judges that differ much, and 93 of three (benchmarks/panels.py).
    Source: Cameron, Gelbach & Miller (2011), Robust inference with multiway clustering, section 2, without the term of
    both, which they subtract; Cochran (1964), Approximate significance levels of the Behrens-Fisher test.
    """
    of_items, of_judges = np.square(se), np.asarray(variance, dtype=np.float64)
    both = of_items + of_judges
    t_items, t_judges = quantile(LEVEL, df), quantile(LEVEL, judges - 1)
    share = np.divide(of_items, both, out=np.ones(both.shape), where=both > 0)
    errors = np.sqrt(both)
    return errors, errors * (share * t_items + (1 - share) * t_judges)


def severity_adjustment(cells: Floats, fitted: Bools) -> Floats | str:
    """Return the gain of each contestant's score if every judge of the panel judged it, or why it is unknown.

    cells: (contestants, judges) the score from each judge alone, NaN if the judge may not judge the contestant. fitted:
    (contestants,) the contestants from whom severities are estimated.
    The model is score = contestant + judge, fitted by least squares over the cells. A contestant gains the mean
    severity of all judges less that of its own judges; if all judged it, it gains 0. In the unit of the scores; NaN for
    a contestant without a judge.
    Source: the additive model of two factors with missing cells, Searle (1971), Linear Models, 7.1; for judges as in
    Linacre (1989), Many-facet Rasch measurement, on the raw scale.
    """
    there = ~np.isnan(cells)
    used = there & fitted[:, np.newaxis]
    n = used.sum(axis=1)
    some = n > 0
    values = np.where(used, cells, 0.0)[some]
    weights, n = used[some].astype(np.float64), n[some]
    normal = np.diag(weights.sum(axis=0)) - (weights / n[:, np.newaxis]).T @ weights
    judges = cells.shape[1]
    if np.linalg.matrix_rank(normal) < judges - 1:
        return "no contestant that two judges share ties them together"
    right = (values - weights * (values.sum(axis=1) / n)[:, np.newaxis]).sum(axis=0)
    severity = np.linalg.pinv(normal) @ right
    with np.errstate(invalid="ignore"):
        own = np.where(there, severity, 0.0).sum(axis=1) / there.sum(axis=1)
    gain: Floats = severity.mean() - own
    gain[there.all(axis=1)] = 0.0
    return gain


TOO_FEW = "too few scores"
COMPONENTS: Mapping[str, str] = {
    "contestant": "one contestant",
    "item": "",
    "judge": "one judge",
    "contestant x item": "one contestant",
    "contestant x judge": "one contestant or one judge",
    "item x judge": "one judge",
    "contestant x item x judge": "one contestant or one judge",
    "sample": "one sample an item",
    "sample x judge": "one sample an item or one judge",
}
"""The sources of variance of one judge's score of one answer, each with the reason if it cannot be separated.

The last separable one contains the rest.
"""


class Effect(NamedTuple):
    """A random effect, or a grouping of scores: by contestant, by judge and by sample, 0 or 1; by a level of items."""

    contestant: int
    judge: int
    level: int
    sample: int = 0


@dataclass(frozen=True)
class Study:
    """The components of variance, >= 0, in points squared, and standard errors of scores on the board, in points.

    absolute: of a score alone. relative: of a score in a comparison, without effects that are equal for all
    contestants.
    The first of each is for other items with these judges, the second for other items and other judges like these.
    one_more_item, one_more_judge: the absolute and the relative errors that the board would have with one item or one
    judge more.
    """

    components: dict[str, Measure]
    absolute: tuple[Measure, Measure]
    relative: tuple[Measure, Measure]
    one_more_item: tuple[tuple[Measure, Measure], tuple[Measure, Measure]]
    one_more_judge: tuple[tuple[Measure, Measure], tuple[Measure, Measure]]

    @property
    def errors(self) -> tuple[tuple[Measure, Measure], tuple[Measure, Measure]]:
        """The absolute and the relative errors of the board as it is."""
        return self.absolute, self.relative


def crossed_study(
    scores: Floats, groups: npt.ArrayLike, clusters: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> Study:
    """Return the study of scores of (contestants, judges, items, samples), NaN for a missing score.

    groups, clusters: (items,) integers; weights: (groups,), None for equal ones.
    Random effects: contestants, judges, clusters of items, items and samples, with all interactions. Samples are of one
    contestant's answer to one item. Groups are fixed: their common effect is in no component, and their effect on one
    contestant or judge is averaged over groups, as the score is. Clusters and their items are shown as one component,
    their sum.
    Each sum of squares is set equal to its expectation, so cells may be missing; without missing cells this is the
    analysis of variance. An estimate below 0 counts as 0. A component that cannot be separated from another is absent.
    Source: Henderson (1953), Estimation of variance and covariance components, method 1; Brennan (2001),
    Generalizability theory, chapter 4, for the errors and for fixed facets.
    """
    order = np.lexsort((np.asarray(clusters), np.asarray(groups)))
    group, cluster = np.asarray(groups)[order], np.asarray(clusters)[order]
    starts = np.diff(group, prepend=-1) != 0
    of_group = np.cumsum(starts) - 1
    of_cluster = np.cumsum(starts | (np.diff(cluster, prepend=-1) != 0)) - 1
    several = [of_group] if of_group.max(initial=0) > 0 else []
    grouped = [of_cluster] if of_cluster.max(initial=0) + 1 < order.size else []
    table = _Table(scores[:, :, order], [np.zeros_like(group), *several, *grouped, np.arange(order.size)])
    solved = TOO_FEW if of_cluster.max(initial=0) > of_group.max(initial=0) else ONE_CLUSTER
    variances = table.variances() if solved == TOO_FEW else None
    if variances is None:
        none = Measure.undefined(solved)
        errors = (none, none), (none, none)
        return Study(dict.fromkeys(COMPONENTS, none), *errors, errors, errors)
    share = np.square(group_shares(weights, int(of_group.max()) + 1))
    first = [np.unique(level, return_index=True)[1] for level in table.levels]
    averaged = [1.0, *(float((share / np.bincount(of_group[at])).sum()) for at in first[1:])]
    return _study(variances, averaged, 1 + len(several), table.scores.shape)


def _study(
    variances: Mapping[Effect, float], averaged: Sequence[float], of_items: int, shape: tuple[int, ...]
) -> Study:
    """Return the study.

    averaged: (levels,) the divisor of each variance in the mean over the board. of_items: the first level of items.
    """
    components: dict[str, float] = {}
    for effect, variance in variances.items():
        by_item = effect.level >= of_items
        if by_item or effect.contestant or effect.judge:  # else it is fixed
            parts = {"contestant": effect.contestant, "item": by_item, "judge": effect.judge}
            parts = {"sample": True, "judge": effect.judge} if effect.sample else parts
            name = " x ".join(part for part, there in parts.items() if there)
            components[name] = components.get(name, 0.0) + variance * (1.0 if by_item else averaged[effect.level])
    contestants, judges, items, samples = shape
    fewer = [mean * items / (items + 1) if level >= of_items else mean for level, mean in enumerate(averaged)]
    more_judges = contestants, judges + 1, items, samples
    as_it_is, one_more_item, one_more_judge = (
        _errors(variances, *of, of_items) for of in ((averaged, shape), (fewer, shape), (averaged, more_judges))
    )
    if judges == 1:  # its interactions are in the components of items
        one = Measure.undefined(ONE_JUDGE)
        one_more_judge = (one, one), (one, one)
    return Study(
        {
            name: Measure(components[name]) if name in components else Measure.undefined(why)
            for name, why in COMPONENTS.items()
        },
        *as_it_is,
        one_more_item,
        one_more_judge,
    )


def _errors(
    variances: Mapping[Effect, float], averaged: Sequence[float], shape: Sequence[int], of_items: int
) -> tuple[tuple[Measure, Measure], tuple[Measure, Measure]]:
    """Return the absolute and the relative errors of means over a board of a `shape`, as in `Study`.

    averaged, of_items: as in `_study`.
    Source: Brennan (2001), Generalizability theory, chapter 4, the decision study.
    """
    contestants, judges, _, samples = shape
    error = np.zeros((2, 2))  # absolute and relative; of items and of judges
    for effect, variance in variances.items():
        by_item = effect.level >= of_items
        mean = variance * averaged[effect.level] / (judges if effect.judge else 1) / (samples if effect.sample else 1)
        if by_item or effect.judge:
            error[: 2 if effect.contestant or effect.sample else 1, 0 if by_item else 1] += mean
    these, like_these = np.sqrt(error[:, 0]).tolist(), np.sqrt(error.sum(axis=1)).tolist()
    alone = Measure.undefined("one contestant")
    absolute, relative = (
        (Measure(one), Measure.undefined(ONE_JUDGE) if judges == 1 else Measure(other))
        for one, other in zip(these, like_these, strict=True)
    )
    return absolute, relative if contestants > 1 else (alone, alone)


class _Table:
    """Scores, (contestants, judges, items, samples), and levels of items, coarse to fine.

    Each level has (items,) labels in ascending order. The first has one label, the last has one label per item.
    """

    def __init__(self, scores: Floats, levels: Sequence[Ints]) -> None:
        self.scores, self.levels = scores, levels
        self._known = ~np.isnan(scores)
        self._n = cache(lambda effect: self._sums(self._known.astype(np.float64), effect))
        self._starts = cache(self._first)

    def variances(self) -> dict[Effect, float] | None:
        """Return the variance of each separable effect, >= 0; None if there are too few scores."""
        contestants, judges, _, samples = self.scores.shape
        whether, which = [range(min(n, 2)) for n in (contestants, judges)], range(len(self.levels))
        effects = [Effect(c, j, level) for level, c, j in product(which, *whether)][1:]
        effects += [Effect(len(whether[0]) - 1, j, which[-1], 1) for j in whether[1] if samples > 1]
        mean = Effect(0, 0, 0)
        squares = np.array([self._squares(effect) for effect in (mean, *effects)])
        expected = np.array([[self._expected(of, effect) for effect in effects] for of in (mean, *effects)])
        squares, expected = squares[1:] - squares[0], expected[1:] - expected[0]
        if not effects or np.linalg.matrix_rank(expected) < len(effects):
            return None
        return dict(zip(effects, np.maximum(np.linalg.solve(expected, squares), 0.0).tolist(), strict=True))

    def _squares(self, of: Effect) -> float:
        """Return the uncorrected sum of squares of a grouping."""
        n, total = self._n(of), self._sums(np.where(self._known, self.scores, 0.0), of)
        return float((np.square(total[n > 0]) / n[n > 0]).sum())

    def _expected(self, of: Effect, effect: Effect) -> float:
        """Return the weight of an effect's variance in the sum of squares of a grouping: sum_l sum_m n_lm^2 / n_l."""
        both = Effect(*map(max, of, effect))
        n, within = self._n(of), self._sums(np.square(self._n(both)), of, both.level)
        return float((within[n > 0] / n[n > 0]).sum())

    def _sums(self, values: Floats, of: Effect, level: int = -1) -> Floats:
        """Return the sums of values of a grouping, whose items are grouped by `level`."""
        over = tuple(axis for axis, kept in ((0, of.contestant), (1, of.judge), (3, of.sample)) if not kept)
        starts = self._starts(of.level, level % len(self.levels))
        sums: Floats = np.add.reduceat(values.sum(axis=over, keepdims=True), starts, axis=2)
        return sums

    def _first(self, level: int, within: int) -> Ints:
        """Return the first place of each group of a level among the groups of a finer one."""
        first = np.flatnonzero(np.diff(self.levels[within], prepend=-1))
        return np.flatnonzero(np.diff(self.levels[level][first], prepend=-1))

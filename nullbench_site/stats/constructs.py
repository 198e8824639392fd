"""Convergent and discriminant validity: correlations of tasks over contestants, within constructs and across."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, finite, labels
from nullbench_site.stats.estimate import LEVEL, quantile
from nullbench_site.stats.measure import LEAST_CLUSTERS, Bounded
from nullbench_site.stats.panel import jackknife_variance
from nullbench_site.text import plural

LEAST_FAMILIES = LEAST_CLUSTERS
AGREE = sqrt(0.5)
"""Two boards agree if the interval of their correlation lies above this: they share half of their variance."""


def correlation(a: npt.ArrayLike, b: npt.ArrayLike, families: npt.ArrayLike) -> Bounded:
    """Return Pearson's correlation of two scores of the same contestants with its 95 % interval, -1..1.

    a, b: (contestants,) finite scores. families: (contestants,) integers; those of a family are not independent.
    The interval leaves out one family at a time: tanh(z -+ t s) with z = atanh(r), s^2 the jackknife variance of z, and
    t Student's quantile for families - 1 degrees of freedom. benchmarks/constructs.py measures its coverage.
    Undefined with a reason for fewer than 6 families, and for scores that are all equal.
    Source: Pearson (1895); Fisher (1921) for z; Efron & Tibshirani (1993), An Introduction to the Bootstrap, 11.2.
    """
    table = np.column_stack([finite("a", a, ndim=1), finite("b", b, ndim=1)])
    matrices, why = _matrices(table, families)
    return Bounded.undefined(why) if why else jackknifed_correlation(matrices[:, 0, 1])


@dataclass(frozen=True)
class TaskCorrelations:
    """Mean correlations of tasks: of one group, of different groups, and the first less the second.

    within_rest, across_rest, apart_rest: without the first factor, which is what all tasks share. families: how many.
    """

    within: Bounded
    across: Bounded
    apart: Bounded
    within_rest: Bounded
    across_rest: Bounded
    apart_rest: Bounded
    families: int


def task_correlations(
    scores: npt.ArrayLike, groups: npt.ArrayLike, families: npt.ArrayLike, *, of_group: int | None = None
) -> TaskCorrelations:
    """Return the mean correlations of tasks within a group, which should be high, and across groups, which should not.

    scores: (contestants, tasks) finite. groups: (tasks,) integers, the construct or category of each task. families: as
    in `correlation`. of_group: only pairs with a task of this group, as numbered in `groups`.
    A mean is that of the correlations of all pairs of tasks. Intervals are those of `correlation`; the difference has
    value -+ t s. `without_first_factor` says what is left without the first factor.
    Undefined with a reason, as `correlation`, and if there is no such pair of tasks.
    Source: Campbell & Fiske (1959), Convergent and discriminant validation by the multitrait-multimethod matrix.
    """
    table = finite("scores", scores, ndim=2)
    group = np.asarray(groups)
    matrices, why = _matrices(table, families)
    first, second = np.triu_indices(table.shape[1], 1)
    if of_group is not None:
        chosen = (group[first] == of_group) | (group[second] == of_group)
        first, second = first[chosen], second[chosen]
    same: Bools = group[first] == group[second]
    n_families = np.unique(np.asarray(families)).size
    found = []
    for rest in (False, True):
        if why or (rest and table.shape[1] < _FEWEST_TASKS):
            nothing = Bounded.undefined(why or f"fewer than {_FEWEST_TASKS} tasks")
            found += [nothing] * 3
            continue
        values = (without_first_factor(matrices) if rest else matrices)[:, first, second]
        found += _means(values, same)
    within, across, apart, within_rest, across_rest, apart_rest = found
    return TaskCorrelations(within, across, apart, within_rest, across_rest, apart_rest, n_families)


_FEWEST_TASKS = 3
"""Two tasks have no others to make a first factor from."""


def without_first_factor(matrices: Floats) -> Floats:
    """Return the partial correlation of every two tasks given the first factor of all others, (..., tasks, tasks).

    matrices: (..., tasks, tasks) correlations of three tasks or more.
    The first factor of tasks is the sum of their standardised scores, g. With g of all tasks but i and j, the partial
    correlation is (r_ij - r_ig r_jg) / sqrt((1 - r_ig^2) (1 - r_jg^2)). Leaving out both tasks keeps them from being
    correlated with themselves.
    Source: Thurstone (1931), Multiple factor analysis, for the centroid factor; leaving out both tasks is ours.
    """
    sums = matrices.sum(axis=-1)
    one, other = sums[..., :, np.newaxis], sums[..., np.newaxis, :]
    total = sums.sum(axis=-1)[..., np.newaxis, np.newaxis] - 2 * (one + other) + 2 + 2 * matrices
    with np.errstate(invalid="ignore", divide="ignore"):
        of_one, of_other = (each - 1 - matrices for each in (one, other))
        of_one, of_other = of_one / np.sqrt(total), of_other / np.sqrt(total)
        partial: Floats = (matrices - of_one * of_other) / np.sqrt((1 - of_one**2) * (1 - of_other**2))
    diagonal = np.arange(matrices.shape[-1])
    partial[..., diagonal, diagonal] = 1.0
    return partial


def _matrices(table: Floats, families: npt.ArrayLike) -> tuple[Floats, str]:
    """Return the correlations of all contestants, and without each family in turn; with why there are none, or ""."""
    family = labels("families", families, size=len(table))
    n = np.unique(family).size
    if n < LEAST_FAMILIES:
        return np.empty(
            0
        ), f"too few: {plural(n, 'family', 'families')} of models, and a correlation needs {LEAST_FAMILIES}"
    samples = [table, *(table[family != each] for each in range(n))]
    if any((np.ptp(sample, axis=0) == 0).any() for sample in samples):
        return np.empty(0), "all contestants, but for one family, have the same score"
    return np.array([np.corrcoef(sample, rowvar=False) for sample in samples]), ""


def _means(values: Floats, same: Bools) -> list[Bounded]:
    """Return the means of one group, of different groups, and their difference. values: (1 + families, pairs)."""
    means, found = [], []
    for chosen, what in ((same, "one group"), (~same, "different groups")):
        if chosen.any():
            means.append(values[:, chosen].mean(axis=1))
            found.append(jackknifed_correlation(means[-1]))
        else:
            found.append(Bounded.undefined(f"no two tasks of {what}"))
    if len(means) < 2:
        return [*found, next(each for each in found if each.value is None)]
    apart = means[0] - means[1]
    half = _half(apart[1:])
    return [*found, Bounded(float(apart[0]), float(apart[0]) - half, float(apart[0]) + half)]


def jackknifed_correlation(values: Floats) -> Bounded:
    """Return a correlation with its interval. values: of everything, then without each cluster, such as a family."""
    value = float(values[0])
    z = np.arctanh(np.clip(values, -1 + _DUST, 1 - _DUST))
    low, high = np.tanh([z[0] - _half(z[1:]), z[0] + _half(z[1:])]).tolist()
    return Bounded(value, low, high)


_DUST = 1e-12


def _half(without: Floats) -> float:
    """Return half the width of the 95 % interval from the values without each family."""
    (variance,) = jackknife_variance(without[np.newaxis])
    return float(quantile(LEVEL, without.size - 1.0)) * sqrt(variance)

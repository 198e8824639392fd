"""The sensitivity of a score to the wording of the prompt: its standard deviation over wordings, and ranks by wording.

Source: the mathematical treatment of LLM evaluation, section 2, Prompt Sensitivity: mean and standard deviation of a
score over k >= 5 reasonable templates.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isnan, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincinv

from nullbench_site.stats.arrays import Floats, finite
from nullbench_site.stats.estimate import LEVEL, ONE_CLUSTER, means, unsure
from nullbench_site.stats.measure import LEAST_WORDINGS, Bounded, Measure

SAME_IN_ALL = "the same scores in every wording, so nothing shows how much they can vary"
_TIE_DECIMALS = 9


@dataclass(frozen=True)
class MeanSquares:
    """The mean squares of a table of items x wordings, in squared units of its scores.

    wording: n times the variance of the score over wordings. rest: n times the part of it that is due to the choice of
    items, by their clusters; NaN if all items are in one cluster. n_items, n_wordings, clusters: their numbers.
    """

    wording: float
    rest: float
    n_items: int
    n_wordings: int
    clusters: int

    @property
    def variance(self) -> float:
        """The estimate of sigma^2, below 0 if items alone explain more than the variance over wordings."""
        return (self.wording - self.rest) / self.n_items

    def variance_at(self, share: float) -> float:
        """Return the end of the interval of sigma^2 at a quantile of chi-squared with k-1 degrees of freedom."""
        return (self.wording * variance_factor(share, self.n_wordings - 1) - self.rest) / self.n_items


def variance_factor(share: float, df: int) -> float:
    """Return df / q, q the quantile of chi-squared below which a `share` of it is: 8.26 for 0.025 and df = 4."""
    return df / (2 * float(gammaincinv(df / 2, share)))


def mean_squares(
    scores: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    groups: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> MeanSquares:
    """Return the mean squares of wordings and of the rest.

    scores: (items, wordings), two or more of each, without gaps. clusters, groups: (items,) integers. weights: of the
    groups. The score in a wording is the mean over groups of the mean of their items, as in `means`; all items are one
    group by default, and each a cluster of its own.
    Let d_ij be the score of item i in wording j minus the item's mean over wordings, and s_j their mean over items in
    the wording. MS_wording = n sum_j s_j^2 / (k-1) and MS_rest = n sum_j v_j / (k-1), v_j the clustered variance of
    s_j. If each item is a cluster, MS_rest = sum_ij (d_ij - s_j)^2 / ((n-1)(k-1)), as in the analysis of variance.
    Source: Scheffé (1959), The analysis of variance, 7.4, two-way layout with random effects; Miller (2024), Adding
    error bars to evals, clustered standard errors.
    """
    table = np.asarray(scores, np.float64)
    n, k = table.shape
    deviations = (table - table.mean(axis=1, keepdims=True)).T
    found = means(deviations, groups, clusters, weights=weights)
    return MeanSquares(
        wording=n * float(np.square(found.value).sum()) / (k - 1),
        rest=n * float(np.square(found.se).sum()) / (k - 1),
        n_items=n,
        n_wordings=k,
        clusters=int(found.clusters[0]),
    )


def sigma_prompt(
    scores: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    groups: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> Bounded:
    """Return the standard deviation of a score over wordings of the prompt, in the unit of the scores.

    scores: (items, wordings), NaN if there is none. Arguments as in `mean_squares`.
    sigma^2 = (MS_wording - MS_rest) / n, with the 95 % interval ((k-1) MS_wording / q - MS_rest) / n, for n items, k
    wordings and quantiles q of chi-squared with k-1 degrees of freedom. All three are at least 0. MS_rest counts as
    known. With right and wrong answers in five wordings, benchmarks/wordings.py finds a coverage of 94 % or more; of
    92 % if all wordings but one are nearly alike; of 90 % if three sigma reach an end of the scale.
    Undefined, with the reason, with fewer than 5 wordings, a missing score or a single cluster. There is no interval
    with fewer than 6 clusters, or if no score depends on the wording.
    ValueError unless scores has two dimensions.
    Source: Scheffé (1959), The analysis of variance, 7.4; the interval as in Searle, Casella & McCulloch (1992),
    Variance components, 3.6, with the mean square of the rest as a constant.
    """
    table = np.asarray(scores, np.float64)
    if table.ndim != 2:
        raise ValueError(f"scores must be items x wordings, got shape {table.shape}")
    if table.shape[1] < LEAST_WORDINGS:
        return Bounded.undefined(too_few(table.shape[1]))
    if (missing := int(np.isnan(table).any(axis=1).sum())) or not len(table):
        lack = "1 item has" if missing == 1 else f"{missing} items have"
        return Bounded.undefined(f"{lack} no score in some wording" if missing else "no item")
    squares = mean_squares(table, clusters, groups=groups, weights=weights)
    if isnan(squares.rest):
        return Bounded.undefined(ONE_CLUSTER)
    value = sqrt(max(squares.variance, 0.0))
    if reason := SAME_IN_ALL if (table == table[:, :1]).all() else unsure(0.0, squares.clusters):
        return Bounded(value, reason=reason)
    low, high = (sqrt(max(squares.variance_at(share), 0.0)) for share in ((1 + LEVEL) / 2, (1 - LEVEL) / 2))
    return Bounded(value, low, high)


def too_few(wordings: int) -> str:
    """Say that a number of wordings is too small."""
    return f"{wordings} wording{'' if wordings == 1 else 's'}; at least {LEAST_WORDINGS} are needed"


def items_needed(rest: float, wordings: int, bound: float) -> int:
    """Return how many items bring the upper end of sigma to `bound` if the wording has no effect.

    rest: MS_rest, in squared units of the bound. Without an effect MS_wording is MS_rest on average, and the upper end
    of sigma^2 is MS_rest ((k-1)/q - 1) / n. About half of all such boards have a higher end.
    """
    return ceil(rest * (variance_factor((1 - LEVEL) / 2, wordings - 1) - 1) / bound**2)


def kendall_tau(one: npt.ArrayLike, other: npt.ArrayLike) -> Measure:
    """Return Kendall's tau-b of two scores of the same contestants: 1 is the same order, -1 the reverse order.

    one, other: (n,) finite. Ties count for neither order and shorten the scale: (C - D) / sqrt((P - T)(P - U)), with C
    pairs in the same order, D in reverse, P all pairs, T and U those tied in one and in the other.
    Undefined, with the reason, with fewer than 2 contestants or if all are tied.
    Source: Kendall (1945), The treatment of ties in ranking problems.
    """
    a, b = (_order(finite(name, of, ndim=1)) for name, of in (("one", one), ("other", other)))
    if len(a) < 2:
        return Measure.undefined("fewer than 2 contestants")
    scale = float(np.abs(a).sum()) * float(np.abs(b).sum())
    return Measure(float((a * b).sum()) / sqrt(scale)) if scale else Measure.undefined("all scores are equal")


def _order(values: Floats) -> Floats:
    """Return (n, n) 1 where the first is higher than the second, -1 where it is lower, 0 for a tie."""
    return np.sign(np.round(np.subtract.outer(values, values), _TIE_DECIMALS))

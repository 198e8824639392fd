"""What a judge's favourite of n answers scores, and how the truth follows the judge's score as n rises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, finite
from nullbench_site.stats.estimate import Estimate, differences_of, estimate_of, means, unsure
from nullbench_site.stats.measure import Bounded
from nullbench_site.stats.ranking import TIE_DECIMALS, resampled_means

SCALE = 0.0, 100.0
FORMS = ("square", "log")
"""The curves that are fitted: d (alpha - beta d), and d (alpha - beta log d)."""
ONE_CURVE = "a curve is fitted to three numbers of answers or more"
NO_CHOICE = "the judge gives all answers to an item one score, so it cannot pick"
NO_PEAK = "there is no peak: these items do not show that the truth rises and then falls"


def pick_weights(scores: npt.ArrayLike) -> Floats:
    """Return how likely each answer is the judge's favourite of n drawn without replacement, (N, items, N).

    scores: (items, N) of the N answers to each item. The first axis is n = 1 ... N. The i-th lowest answer is picked
    with probability C(i-1, n-1) / C(N, n). Answers with one score share their probability equally.
    Source: Nakano et al. (2021), WebGPT, arXiv:2112.09332, appendix I: the unbiased estimator of best-of-n.
    """
    table = np.round(finite("scores", scores, ndim=2), 9)
    size = table.shape[1]
    of_rank = np.array([[comb(i, n - 1) / comb(size, n) for i in range(size)] for n in range(1, size + 1)])
    below = (table[:, np.newaxis] < table[:, :, np.newaxis]).sum(axis=2)
    equal = (table[:, np.newaxis] == table[:, :, np.newaxis]).sum(axis=2)
    up_to = np.pad(np.cumsum(of_rank, axis=1), ((0, 0), (1, 0)))
    weights: Floats = (up_to[:, below + equal] - up_to[:, below]) / equal
    return weights


def kl_bound(n: npt.ArrayLike) -> Floats:
    """Return ln n - (n-1)/n, the most that choosing the best of n moves a model: its KL divergence, in nats.

    It is reached if no two answers are equal; answers that repeat move it less.
    Source: Stiennon et al. (2020), Learning to summarize from human feedback, appendix G; that it is an upper bound:
    Beirami et al. (2024), Theoretical guarantees on the best-of-n alignment policy.
    """
    of = np.asarray(n, np.float64)
    bound: Floats = np.log(of) - (of - 1) / of
    return bound


def fit_weights(size: int, form: str) -> Floats:
    """Return (2, N) the weights of a curve at n = 1 ... N in the alpha and beta of its least-squares fit.

    The fitted change from n = 1 is d (alpha - beta d), or d (alpha - beta log d), with d = sqrt(`kl_bound`). Both are
    linear in alpha and beta, so these are weighted sums of the curve. size: 3 or more.
    Source: Gao, Schulman & Hilton (2022), Scaling laws for reward model overoptimization, equations 1 (best of n) and 2
    (reinforcement learning).
    """
    inverse = np.linalg.pinv(_terms(size, form))
    weights: Floats = np.column_stack([-inverse.sum(axis=1), inverse])
    return weights


def _terms(size: int, form: str) -> Floats:
    d = np.sqrt(kl_bound(np.arange(2, size + 1)))
    return np.column_stack([d, -d * (d if form == "square" else np.log(d))])


@dataclass(frozen=True)
class Fit:
    """A fitted curve. alpha, beta: in points of 100. error: the root mean square distance of the curve, in points."""

    alpha: Estimate
    beta: Estimate
    error: float


@dataclass(frozen=True)
class BestOfN:
    """What picks by a judge score, for n = 1 ... N. proxy, gold: by its own score and by the truth, 0-100.

    gain: how much more gold is at N than at 1. fits: of gold, by form; empty with N < 3. peak: the n at which gold is
    highest, or why there is none. correlation: of proxy and gold over n.
    """

    proxy: Sequence[Estimate]
    gold: Sequence[Estimate]
    gain: Estimate
    fits: Mapping[str, Fit]
    peak: Bounded
    correlation: Bounded


def best_of_n(
    scores: npt.ArrayLike,
    truth: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    seed: int,
    *,
    weights: npt.ArrayLike | None = None,
) -> BestOfN:
    """Return what the favourite of n of N answers scores by the judge and by the truth, n = 1 ... N.

    scores, truth: (items, N) 0-100, finite. groups, clusters, weights: as `estimate.group_mean`, which gives the values
    of each n and of each alpha and beta: these are means over items too. The intervals of peak and correlation are the
    2.5 and 97.5 % quantiles over `resampled_means`. There is a peak if its interval contains neither 1 nor N.
    Source: Nakano et al. (2021) and Gao, Schulman & Hilton (2022), as above; the rule for a peak is ours.
    """
    picked = pick_weights(scores)
    proxy, gold = (
        (picked * finite(name, of, ndim=2)).sum(axis=2) for name, of in (("scores", scores), ("truth", truth))
    )
    size = len(picked)

    def estimated(table: Floats, scale: tuple[float, float] | None) -> list[Estimate]:
        return estimate_of(means(table, groups, clusters, weights=weights), scale)

    by_gold = estimated(gold, SCALE)
    curve = np.array([each.value for each in by_gold])
    fits = {}
    for form in FORMS if size > 2 else ():
        rows = fit_weights(size, form)
        alpha, beta = estimated(rows @ gold, None)
        apart = curve[1:] - curve[0] - _terms(size, form) @ (rows @ curve)
        fits[form] = Fit(alpha, beta, float(np.sqrt(np.mean(np.square(apart)))))
    by_proxy = estimated(proxy, SCALE)
    drawn = resampled_means(np.concatenate([proxy, gold]), groups, clusters, seed, weights=weights)
    few = unsure(0.0, by_gold[0].clusters)
    curves = np.array([each.value for each in by_proxy]), curve
    (gain,) = differences_of(means(gold[-1:] - gold[:1], groups, clusters, weights=weights), SCALE)
    return BestOfN(by_proxy, by_gold, gain, fits, _peak(curve, drawn[size:], few), _correlation(*curves, drawn, few))


def _peak(curve: Floats, drawn: Floats, few: str | None) -> Bounded:
    """Return the n of the highest value of a curve; its draws: (N, draws)."""
    places = np.round(drawn, TIE_DECIMALS).argmax(axis=0) + 1
    low, high = np.quantile(places, (0.025, 0.975), method="inverted_cdf").tolist()
    if few or low == 1 or high == curve.size:
        return Bounded.undefined(few or NO_PEAK)
    return Bounded(float(np.round(curve, TIE_DECIMALS).argmax() + 1), float(low), float(high))


def _correlation(proxy: Floats, gold: Floats, drawn: Floats, few: str | None) -> Bounded:
    """Return Pearson's correlation of two curves with its interval; drawn: (2N, draws), proxy first."""
    (value,) = _pearson(proxy[:, np.newaxis], gold[:, np.newaxis])
    if np.isnan(value):
        flat = np.ptp(np.round(proxy, TIE_DECIMALS)) == 0
        return Bounded.undefined(NO_CHOICE if flat else "the truth is the same at each number of answers")
    each = _pearson(*np.split(drawn, 2))
    if few or np.isnan(each).any():
        return Bounded(float(value), reason=few or "in some draws of source texts a curve is flat")
    low, high = np.quantile(each, (0.025, 0.975)).tolist()
    return Bounded(float(value), low, high)


def _pearson(one: Floats, other: Floats) -> Floats:
    """Return (draws,) the correlation of two sets of curves, (N, draws); NaN for a flat one."""
    x, y = (np.round(each - each.mean(axis=0), TIE_DECIMALS) for each in (one, other))
    spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    found: Floats = np.divide((x * y).sum(axis=0), spread, out=np.full(spread.shape, np.nan), where=spread > 0)
    return found

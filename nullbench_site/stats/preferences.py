"""Comparisons of two answers: win rates, position effects, points of verdicts. `scores.preference` makes preferences.

A preference is 1..2: 2 if the contestant's answer is preferred, 1 if the opponent's is. Less 1 it is the share of a
win, 0..1, from which everything else follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, finite
from nullbench_site.stats.measure import Measure

NO_GAME = "no game has a preference"
_DUST = 1e-9
"""A rate, 0..100, below this is a rounding error of 0."""


def win_share(preferences: npt.ArrayLike) -> Floats:
    """Return the preference less 1: 0..1. A preference stored as 0 is a draw, 0.5; NaN stays.

    Source: AlpacaEval, its metrics of pairwise evaluation.
    """
    values = np.asarray(preferences, dtype=np.float64)
    return np.where(values == 0, 1.5, values) - 1


def agreed_share(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Return two games of the same two answers as one share: 1 if both are won, 0 if both are lost, else 0.5.

    first, second: of one shape, as `win_share`, in one order and in the other. A game is won by a share above 0.5. NaN
    if either is NaN.
    Source: Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, 3.4: a win only where both
    orders prefer the answer, else a tie; so does FastChat, fastchat/llm_judge/show_result.py.
    """
    one, other = (np.sign(np.asarray(shares, dtype=np.float64) - 0.5) for shares in (first, second))
    agreed: Floats = np.where(one == other, (one + 1) / 2, 0.5)
    agreed[np.isnan(one) | np.isnan(other)] = np.nan
    return agreed


@dataclass(frozen=True, slots=True)
class WinRate:
    """The win rate of `n` games. value, se, discrete: 0..100; se is None for one game, all three are None for none.

    se: the plain standard error, which treats games as independent; intervals are those of `estimate`. discrete: the
    rate if each game counts as won, drawn or lost.
    """

    value: float | None
    se: float | None
    discrete: float | None
    wins: int
    losses: int
    draws: int
    n: int


def win_rate(shares: npt.ArrayLike) -> WinRate:
    """Return the win rate of games, from the share of a win in each, (n,) as `win_share`, NaN for a missing game.

    100 * the mean; its error is 100 * s / sqrt(n), s with the divisor n - 1; discrete is 100 * (wins + draws/2) / n. A
    win is a share above 0.5, a draw is a share of exactly 0.5.
    Source: AlpacaEval, its metrics of pairwise evaluation.
    """
    every = np.asarray(shares, dtype=np.float64)
    values = every[~np.isnan(every)]
    n, wins, losses = values.size, int((values > 0.5).sum()), int((values < 0.5).sum())
    draws = n - wins - losses
    if not n:
        return WinRate(None, None, None, 0, 0, 0, 0)
    se = 100 * float(values.std(ddof=1)) / n**0.5 if n > 1 else None
    return WinRate(100 * float(values.mean()), se, 100 * (wins + draws / 2) / n, wins, losses, draws, n)


@dataclass(frozen=True, slots=True)
class PositionEffect:
    """The effect of the order of answers on a judge's preferences.

    first, second: the win rate, 0..100, of a contestant when shown first and when shown second.
    debiased: `debiased_rate` of both, 0..100.
    pairs: games played in both orders. flips: how many of them the answer shown first wins in both orders, or the
    answer shown second.
    """

    first: Measure
    second: Measure
    debiased: Measure
    flips: int
    pairs: int


def position_effect(first: npt.ArrayLike, second: npt.ArrayLike) -> PositionEffect:
    """Return the position effect from shares of wins in games that show the contestant first and in their mirrors.

    first, second: (n,) 0..1 of the same two answers, NaN for an order that was not played.
    Source: Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena, position bias; the rate as
    `debiased_rate`.
    """
    ours, mirrored = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    at_first, at_second = (win_rate(shares) for shares in (ours, mirrored))
    played = ~np.isnan(ours) & ~np.isnan(mirrored)
    flips = int(((ours[played] - 0.5) * (mirrored[played] - 0.5) < 0).sum())
    one, other = (Measure.undefined(NO_GAME) if r.value is None else Measure(r.value) for r in (at_first, at_second))
    if one.value is None or other.value is None:
        debiased = Measure.undefined(NO_GAME if one.value is other.value else "only one order was played")
    else:
        debiased = debiased_rate(one.value, other.value)
    return PositionEffect(one, other, debiased, flips, int(played.sum()))


def position_items(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return three (n,) numbers: their means are the rates of `position_effect`, their spreads give the errors.

    first, second: (n, games) as in `position_effect`, one row per item. NaN for an item without a game. All NaN for the
    debiased rate if one order is not played, all won or all lost: the slope of its odds has no bound.
    Source: Cochran (1977), Sampling techniques, chapter 6, the linearised ratio; the delta method for the other.
    """
    orders = [np.asarray(shares, dtype=np.float64) for shares in (first, second)]
    one, other = (ratio_items(np.nansum(each, axis=1), (~np.isnan(each)).sum(axis=1)) for each in orders)
    neither = np.isnan(one) & np.isnan(other)
    moved = np.zeros(one.size)
    rates = []
    for items in (one, other):
        rate = float(np.mean(items[~np.isnan(items)])) if not np.isnan(items).all() else 0.0
        if not _DUST < rate < 100 - _DUST:
            return one, other, np.full(one.size, np.nan)
        moved += np.nan_to_num(items - rate) / (rate * (100 - rate))
        rates.append(rate)
    value = debiased_rate(*rates).value or 0.0
    return one, other, np.where(neither, np.nan, value + value * (100 - value) * (moved - moved[~neither].mean()) / 2)


def debiased_rate(first: float, second: float) -> Measure:
    """Return the win rate without position bias, 0..100, from the rates of games shown first and shown second.

    The geometric mean of both orders: if the odds are multiplied by b when shown first and by 1/b when shown second,
    the unbiased odds are the root of the product of the two: f / (f + g), f = sqrt(p1 p2), g = sqrt((1 - p1)(1 - p2)).
    Undefined if one order is all won and the other all lost.
    Source: Davidson & Beaver (1977), On extending the Bradley-Terry model to incorporate within-pair order effects.
    """
    for_it = (first * second) ** 0.5
    against = ((100 - first) * (100 - second)) ** 0.5
    if for_it + against == 0:
        return Measure.undefined("who is shown first wins every game, or loses every game")
    return Measure(100 * for_it / (for_it + against))


MUCH = 3
"""The weight of a verdict that one answer is much better."""


def verdict_points(verdicts: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return (points, weights) of verdicts for the contestant.

    verdicts: 2 much better, 1 better, 0 a tie, -1 worse, -2 much worse.
    A missing game, NaN, has a weight of 0. A game weighs 1, or 3 if one answer is much better. The winner gets all of
    the weight in points, a tie gives half.
    Source: Li et al. (2024), From crowdsourced data to high-quality benchmarks: Arena-Hard and BenchBuilder; its code,
    weight 3.
    """
    values = np.asarray(verdicts, dtype=np.float64)
    played = ~np.isnan(values)
    weights = np.where(played, np.where(np.abs(values) == 2, MUCH, 1.0), 0.0)
    return np.where(played, weights * (np.sign(values) + 1) / 2, 0.0), weights


def ratio_items(points: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Return numbers, (n,), whose mean is the score 100 * sum(points) / sum(weights) and whose spread is its error.

    points, weights: (n,) of the games on each item; NaN for an item without any.
    With R the score and W the mean weight: R + (100 points - R weights) / W, 0..100 on average. An estimate from them,
    by clusters of items, is that of a ratio. For games against one baseline, R is also the Bradley-Terry probability of
    a win against it.
    Source: Cochran (1977), Sampling techniques, chapter 6, the linearised ratio of two sums.
    """
    of_items, weight = finite("points", points, ndim=1), finite("weights", weights, ndim=1)
    there = weight > 0
    if not there.any():
        return np.full(of_items.shape, np.nan)
    ratio = 100 * of_items[there].sum() / weight[there].sum()
    return np.where(there, ratio + (100 * of_items - ratio * weight) / weight[there].mean(), np.nan)


def row_bootstrap(
    wins: npt.ArrayLike, ties: npt.ArrayLike, losses: npt.ArrayLike, seed: int, *, rounds: int = 100
) -> Floats:
    """Return scores of resampled rows, (rounds, k) 0..100, as leaderboards of this kind publish them.

    wins, ties, losses: (k,) counts of each contestant's rows against the baseline; a game of weight 3 is three rows.
    All contestants' rows are drawn from one urn, with replacement, as many as there are.
    It treats rows as independent. The two orders of a question and the copies of a game are not, so its intervals are
    too narrow.
    Source: the code of Arena-Hard-Auto; Efron (1979), Bootstrap methods: another look at the jackknife.
    """
    counts = np.stack([finite("counts", of, ndim=1) for of in (wins, ties, losses)], axis=1)
    total = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(total, counts.ravel() / total, size=rounds)
    by_outcome = drawn.reshape(rounds, *counts.shape).astype(np.float64)
    with np.errstate(invalid="ignore"):
        scores: Floats = 100 * (by_outcome[..., 0] + by_outcome[..., 1] / 2) / by_outcome.sum(axis=2)
    return scores

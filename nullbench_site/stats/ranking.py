"""Paired bootstrap over source texts -> intervals of ranks, and groups of ties.

Draw once with `bootstrap_overalls`, then ask `rank_intervals` and `tie_groups` the two questions of the same
draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Floats, Ints, finite, group_shares, labels, level_tails

# Scores are added in steps of 2^-24 (6e-8 of a point). Sums of such numbers are exact in a float, so two
# contestants with equal scores get equal sums on every machine; the plain matrix product may differ in the
# last bit from column to column, and a rank must not hang on that.
_STEPS = 2.0**24
_EXACT_BELOW = 2.0**53

# Scores that differ by less than a millionth of a point are tied: that is arithmetic, not skill.
_TIE_DECIMALS = 6

# Cells of one chunk of draws; three arrays of 8 bytes a cell are alive at a time.
_CHUNK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class RankIntervals:
    """Rank of each model and the ends of its interval, in the order of the models.

    1 is best; rank_low <= rank <= rank_high.
    """

    rank: tuple[int, ...]
    rank_low: tuple[int, ...]
    rank_high: tuple[int, ...]


def bootstrap_overalls(
    scores: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    resamples: int,
    seed: int,
    weights: npt.ArrayLike | None = None,
) -> Floats:
    """Overall scores of all models on `resamples` bootstrap benchmarks, shape (resamples, models).

    In the unit of `scores`, higher is better.
    scores: (models, items) finite, the score of each model on each item (failures score 0).
    groups, clusters: (items,) integers, the group and the source text of each item. resamples >= 1;
    seed >= 0. weights: (groups,) > 0, in the order of the group labels, where a board weighs its constructs.
    Each resample draws, in every group, as many source texts as the group has, with replacement, and takes
    all items of a drawn text; the overall is the unweighted mean over groups of the mean of the drawn items.
    Paired: all models are scored on the same draw, so what they share (hard texts) cancels in differences and
    ranks.
    Within groups: the overall gives every group the same weight, so a resample that missed a small group
    would estimate another quantity; the groups are the design of the benchmark, the texts are the sample. A
    text that serves two groups is drawn independently in each. A group with one text always draws that text
    and adds no spread.
    The same arguments give the same bytes; the order of models and of items does not matter, nor does which
    other models there are. ValueError for arrays that do not fit, no item, or scores too large to be added
    exactly.
    Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, the percentile method; by cluster as
    in Cameron & Miller (2015), A practitioner's guide to cluster-robust inference (pairs cluster bootstrap).
    """
    table = finite("scores", scores, ndim=2)
    group = labels("groups", groups, size=table.shape[1])
    cluster = labels("clusters", clusters, size=table.shape[1])
    if table.shape[1] == 0 or resamples < 1:
        raise ValueError(f"a bootstrap needs items and resamples, got {table.shape[1]} and {resamples}")
    strata = list(_strata(np.rint(table * _STEPS), group, cluster))
    # One stream per group: more texts in one group leave the draws of the others as they were.
    streams = np.random.SeedSequence(seed).spawn(len(strata))
    shares = group_shares(weights, len(strata))
    total = np.zeros((resamples, table.shape[0]))
    for stratum, stream, share in zip(strata, streams, shares, strict=True):
        rng = np.random.default_rng(stream)
        rows = max(1, _CHUNK_CELLS // stratum.sizes.size)
        for start in range(0, resamples, rows):
            drawn = _draw_counts(rng, min(rows, resamples - start), stratum.sizes.size)
            means = (drawn @ stratum.sums) / (drawn @ stratum.sizes)[:, np.newaxis]
            total[start : start + rows] += share * means
    return total / _STEPS


def rank_intervals(points: npt.ArrayLike, draws: npt.ArrayLike, *, level: float = 0.95) -> RankIntervals:
    """Rank of each model, with the interval of its ranks over the bootstrap draws; 1 is best.

    points: (models,) the overall scores. draws: (resamples, models) from `bootstrap_overalls`. 0 < level < 1.
    Ties (equal to a millionth of a point) share the best rank of the tie, as in competitions: 1, 1, 3. The
    interval is the percentile interval, its ends ranks that occurred (rounded outwards), widened to hold the
    rank itself where models that tie on the points never tie in the draws. ValueError for arrays that do not
    fit.
    Source: percentile bootstrap, Efron & Tibshirani (1993), applied to ranks.
    """
    overall, resampled = _points_and_draws(points, draws)
    low, high = level_tails(level)
    ranks = _ranks(resampled)
    rank = _ranks(overall[np.newaxis, :])[0]
    rank_low = np.minimum(rank, np.quantile(ranks, low, axis=0, method="lower"))
    rank_high = np.maximum(rank, np.quantile(ranks, high, axis=0, method="higher"))
    return RankIntervals(_as_tuple(rank), _as_tuple(rank_low), _as_tuple(rank_high))


def tie_groups(points: npt.ArrayLike, draws: npt.ArrayLike, *, level: float = 0.95) -> list[int]:
    """Group of each model, from 1 at the top; the members of a group cannot be told from its leader.

    In the order of the models.
    points, draws, level: as `rank_intervals`. Greedy from the top of the ranking: a model joins the current
    group while the percentile interval (rounded outwards) of the paired difference between the group's leader
    and it contains 0; else it leads a new group. A later model never joins an earlier group, so groups are
    runs of the ranking; the last of one and the first of the next need not differ from each other. Not
    corrected for the number of comparisons.
    Source: percentile bootstrap of paired differences, Efron & Tibshirani (1993); the grouping is a decision
    of ours.
    """
    overall, resampled = _points_and_draws(points, draws)
    tails = level_tails(level)
    scores = np.round(overall, _TIE_DECIMALS)
    # Equal scores are ordered by their draws, not by their place in the input: the result may not hang on
    # that.
    ranking = sorted(range(scores.size), key=lambda model: (-scores[model], (-resampled[:, model]).tolist()))
    group_of = [0] * scores.size
    leader, number = -1, 0
    for model in ranking:
        if leader < 0 or not _may_be_zero(resampled[:, leader] - resampled[:, model], tails):
            leader, number = model, number + 1
        group_of[model] = number
    return group_of


@dataclass(frozen=True, slots=True)
class _Stratum:
    """The source texts of one group: sums (texts, models) of scores in steps, sizes (texts,) in items."""

    sums: Floats
    sizes: Floats


def _strata(steps: Floats, group: Ints, cluster: Ints) -> Iterator[_Stratum]:
    """One stratum a group, in the order of the group labels; texts in the order of theirs."""
    for g in range(int(group.max()) + 1):
        items = np.flatnonzero(group == g)
        items = items[np.argsort(cluster[items], kind="stable")]
        _, starts, sizes = np.unique(cluster[items], return_index=True, return_counts=True)
        largest = np.add.reduceat(np.abs(steps[:, items]), starts, axis=1).max(initial=0.0)
        if starts.size * largest >= _EXACT_BELOW:
            raise ValueError("scores are too large to be added exactly; use a scale such as 0..100")
        sums = np.add.reduceat(steps[:, items], starts, axis=1).T
        yield _Stratum(sums=sums, sizes=sizes.astype(np.float64))


def _draw_counts(rng: np.random.Generator, rows: int, texts: int) -> Floats:
    """How often each of `texts` texts is drawn in `texts` draws with replacement, shape (rows, texts)."""
    drawn = rng.integers(texts, size=(rows, texts))
    drawn += np.arange(rows)[:, np.newaxis] * texts
    return np.bincount(drawn.ravel(), minlength=rows * texts).reshape(rows, texts).astype(np.float64)


def _ranks(scores: Floats) -> Ints:
    """Competition ranks (1 = highest, ties share the best) along the rows of (rows, models)."""
    rounded = np.round(scores, _TIE_DECIMALS)
    order = np.argsort(-rounded, axis=1, kind="stable")
    descending = np.take_along_axis(rounded, order, axis=1)
    place = np.broadcast_to(np.arange(1, scores.shape[1] + 1), scores.shape).copy()
    place[:, 1:][descending[:, 1:] == descending[:, :-1]] = 0
    ranks = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.maximum.accumulate(place, axis=1), axis=1)
    return ranks


def _may_be_zero(differences: Floats, tails: tuple[float, float]) -> bool:
    """Whether the percentile interval of `differences` contains 0."""
    ordered = np.sort(np.round(differences, _TIE_DECIMALS))
    low, high = (tail * (ordered.size - 1) for tail in tails)
    return bool(ordered[floor(low)] <= 0 <= ordered[ceil(high)])


def _points_and_draws(points: npt.ArrayLike, draws: npt.ArrayLike) -> tuple[Floats, Floats]:
    overall = finite("points", points, ndim=1)
    resampled = finite("draws", draws, ndim=2)
    if resampled.shape[0] == 0 or resampled.shape[1] != overall.size:
        raise ValueError(f"draws must be (resamples >= 1, {overall.size}), got shape {resampled.shape}")
    return overall, resampled


def _as_tuple(ranks: Ints) -> tuple[int, ...]:
    return tuple(int(rank) for rank in ranks)

"""Whether the score of a part of a board says more about the part than the score of the whole board does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nullbench_site.stats.arrays import Bools, Floats, Ints

LEAST_CONTESTANTS = 20
DRAWS = 2_000


class SubScore(NamedTuple):
    """The proportional reductions in mean squared error of a part's true score, 0-1, predicted by two scores.

    by_itself: by the score of the part. by_whole: by the score of the board. low, high: the 95 % interval of by_itself
    less by_whole. The part adds to the whole if low is above 0.
    """

    by_itself: float
    by_whole: float
    low: float
    high: float


@dataclass(frozen=True)
class _Contestants:
    """Of each contestant, (k,): the scores of the part and of the whole, and the error (co)variances of these."""

    part: Floats
    whole: Floats
    part_error: Floats
    joint_error: Floats

    def reductions(self, drawn: Ints) -> tuple[Floats, Floats, Floats]:
        """Return PRMSE_s, PRMSE_x and Var(s_t) of drawn contestants, each (draws,). drawn: (draws, k) places."""
        part, whole = self.part[drawn], self.whole[drawn]
        k = drawn.shape[1]
        s, x = part - part.mean(axis=1, keepdims=True), whole - whole.mean(axis=1, keepdims=True)
        of_part, of_whole = np.square(s).sum(axis=1) / (k - 1), np.square(x).sum(axis=1) / (k - 1)
        true = of_part - self.part_error[drawn].mean(axis=1)
        shared = (s * x).sum(axis=1) / (k - 1) - self.joint_error[drawn].mean(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_part, by_whole = true / of_part, np.square(shared) / (true * of_whole)
        return by_part, np.minimum(by_whole, 1.0), true


def sub_score(
    scores: Floats,
    chosen: Bools,
    groups: Ints,
    clusters: Ints,
    *,
    weights: Sequence[float] | None,
    seed: int,
) -> SubScore | None:
    """Return what the score of the chosen items adds to that of all items, over contestants.

    None with fewer than 20 contestants, and if they differ by no more than the errors of their scores.

    scores: (contestants, items) without NaN. chosen: (items,) the items of the part, whose score is their mean. groups,
    clusters, weights: as in `means`; the score of the board is the weighted mean over groups.
    PRMSE_s = Var(s_t) / Var(s) with Var(s_t) = Var(s) - e_ss; PRMSE_x = Cov(s_t, x)^2 / (Var(s_t) Var(x)) with
    Cov(s_t, x) = Cov(s, x) - e_sx, since s is a part of x. e_ss and e_sx are clustered, averaged over contestants, and
    without the difficulty of items: all contestants answer the same items, so it is in no difference between them. The
    interval is that of 2,000 draws of contestants (percentiles); a draw without true differences counts as -1.
    Source: Haberman (2008), When can subscores have value?, Journal of Educational and Behavioral Statistics 33.
    """
    k = len(scores)
    if k < LEAST_CONTESTANTS:
        return None
    n_clusters = int(clusters.max()) + 1
    sizes = np.bincount(groups)
    of_groups = np.ones(sizes.size) if weights is None else np.asarray(weights, np.float64)
    counts = (of_groups / of_groups.sum() / sizes)[groups]
    own = chosen / chosen.sum()
    relative = scores - scores.mean(axis=0)
    of_part = _influence(relative, own, chosen.astype(np.int64), clusters, n_clusters)
    of_whole = _influence(relative, counts, groups, clusters, n_clusters)
    each = _Contestants(scores @ own, scores @ counts, np.square(of_part).sum(axis=1), (of_part * of_whole).sum(axis=1))
    (by_part,), (by_whole,), (true,) = each.reductions(np.arange(k)[np.newaxis])
    if not true > 0 or np.isnan(by_whole):
        return None
    drawn = np.random.default_rng(seed).integers(0, k, (DRAWS, k))
    parts, wholes, trues = each.reductions(drawn)
    differences = np.where((trues > 0) & ~np.isnan(wholes), parts - wholes, -1.0)
    low, high = np.quantile(differences, (0.025, 0.975)).tolist()
    return SubScore(float(by_part), float(by_whole), low, high)


def _influence(scores: Floats, counts: Floats, groups: Ints, clusters: Ints, n_clusters: int) -> Floats:
    """Return the part of each cluster in the error of a weighted mean, (contestants, clusters).

    counts: (items,) how much each item counts; 0 for none. Each group of C clusters gets the factor sqrt(C / (C - 1)).
    """
    found = np.zeros((len(scores), n_clusters))
    for group in np.unique(groups[counts > 0]):
        items = np.flatnonzero((groups == group) & (counts > 0))
        rest = scores[:, items] - scores[:, items].mean(axis=1, keepdims=True)
        n = np.unique(clusters[items]).size
        factor = np.sqrt(n / (n - 1)) if n > 1 else 0.0
        for item, place in enumerate(items):
            found[:, clusters[place]] += factor * counts[place] * rest[:, item]
    return found

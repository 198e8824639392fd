"""What a judge's scores owe to other things than quality: length, form and order of answers, family, severity."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from nullbench_site.stats.arrays import Bools, Floats, labels
from nullbench_site.stats.estimate import LEVEL, Estimate, group_mean, paired_difference, quantile
from nullbench_site.stats.judges import mean_of_known
from nullbench_site.stats.measure import LEAST_CLUSTERS
from nullbench_site.stats.preferences import ratio_items

NEVER_VARIES = "it does not vary within contestants and items"
ONE_SOURCE = "it varies within one item or one source only"
RARE = "it varies on too few items"
NO_OTHER = "no answer that another judge scored too"
_LEAST_SHARE = 1e-9
"""A feature whose variance within contestants and items is a smaller share of its whole variance does not vary."""


@dataclass(frozen=True)
class Slopes:
    """How scores change with features of answers.

    values: (f,) points per unit of each feature, NaN for one that does not vary. items: (f, n) numbers whose mean is
    the slope and whose spread over clusters is its error. effective: (f,) how many equal clusters would have as much
    of a feature. reasons: (f,) why a slope is NaN, or None. n: how many answers they rest on.
    """

    values: Floats
    items: Floats
    effective: Floats
    reasons: list[str | None]
    n: int

    def estimate(self, feature: int, clusters: npt.ArrayLike) -> Estimate:
        """Return a slope with its interval, by Student's t with `effective` - 1 degrees of freedom.

        clusters: (n,) integers. A feature in too few clusters has no interval, and the reason says so.
        Source: Carter, Schnepel & Steigerwald (2017), Asymptotic behavior of a t-test robust to cluster heterogeneity,
        for the effective number of clusters.
        """
        items, effective = self.items[feature], float(self.effective[feature])
        found = replace(group_mean(items, None, clusters), n=self.n)
        if self.reasons[feature] is not None or found.reason is not None or found.value is None or found.se is None:
            return replace(found, reason=self.reasons[feature] or found.reason)
        if effective < LEAST_CLUSTERS:
            return replace(found, low=None, high=None, reason=f"{RARE}: an interval needs {LEAST_CLUSTERS} or more")
        half = float(quantile(LEVEL, effective - 1)) * found.se
        return replace(found, df=effective - 1, low=found.value - half, high=found.value + half)


def within_slopes(scores: Floats, features: Floats, clusters: npt.ArrayLike, *, by_item: bool = True) -> Slopes:
    """Return the slopes of scores on features of answers, among the answers of one contestant and to one item.

    scores: (k, n) of contestants on items, NaN for no score. features: (f, k, n), NaN if not known; an answer needs all
    of them. clusters: (n,) integers. by_item: whether items have effects of their own.
    The model is score = contestant + item + sum_f slope_f feature_f, fitted by least squares: a contestant that is
    better than others, and an item that is easier, change no slope. The error is clustered and by the jackknife: a
    cluster moves the slopes by (G - G_c)^-1 s_c, with G the products of the features within contestants and items, G_c
    the part of the cluster in it, and s_c the cluster's products of features and residuals.
    Source: the regression of length on scores in Dubois et al. (2024), Length-controlled AlpacaEval, on the linear
    scale and within items; Frisch & Waugh (1933), Partial time regressions, for the effects; Bell & McCaffrey (2002),
    Bias reduction in standard errors for linear regression with multi-stage samples, for the jackknife.
    """
    known = ~(np.isnan(scores) | np.isnan(features).any(axis=0))
    f, (_, n) = len(features), scores.shape
    cluster = labels("clusters", clusters, size=n)
    x, (y,) = (_within(each, known, by_item=by_item) for each in (features, scores[np.newaxis]))
    slopes = Slopes(np.full(f, np.nan), np.full((f, n), np.nan), np.zeros(f), [NEVER_VARIES] * f, int(known.sum()))
    whole = np.array([each[known].var() if known.any() else 0.0 for each in features])
    kept = np.flatnonzero(np.square(x).sum(axis=(1, 2)) > _LEAST_SHARE * whole * max(slopes.n, 1))
    if not kept.size:
        return slopes
    x = x[kept]
    products = np.einsum("fkn,gkn->nfg", x, x)
    of_clusters = np.zeros((int(cluster.max()) + 1, kept.size, kept.size))
    np.add.at(of_clusters, cluster, products)
    total = of_clusters.sum(axis=0)
    without = total - of_clusters
    if np.linalg.matrix_rank(without, hermitian=True).min() < kept.size:
        return replace(slopes, reasons=[ONE_SOURCE if place in kept else NEVER_VARIES for place in range(f)])
    values = np.linalg.solve(total, np.einsum("fkn,kn->f", x, y))
    residual = np.einsum("fkn,kn->nf", x, y - np.einsum("f,fkn->kn", values, x))
    moved = n * np.einsum("nfg,ng->fn", np.linalg.inv(without)[cluster], residual)
    partial = np.linalg.inv(total)
    own = np.einsum("fg,nga,fa->fn", partial, of_clusters, partial) / np.diag(partial)[:, np.newaxis]
    slopes.effective[kept] = 1 / np.square(own).sum(axis=1)
    slopes.values[kept] = values
    slopes.items[kept] = values[:, np.newaxis] + moved - moved.mean(axis=1, keepdims=True)
    return replace(slopes, reasons=[None if place in kept else NEVER_VARIES for place in range(f)])


def _within(tables: Floats, known: Bools, *, by_item: bool) -> Floats:
    """Return (m, k, n) tables less the effects of rows and, if `by_item`, of columns; 0 for cells that are not known.

    The effects are fitted by least squares over the known cells.
    """
    weight = known.astype(np.float64)
    values = np.where(known, tables, 0.0)
    rows = np.maximum(weight.sum(axis=1), 1)
    if not by_item:
        centred: Floats = (values - (values.sum(axis=2) / rows)[:, :, np.newaxis]) * weight
        return centred
    columns = np.maximum(weight.sum(axis=0), 1)
    values = (values - (values.sum(axis=1) / columns)[:, np.newaxis, :]) * weight
    normal = np.diag(weight.sum(axis=1)) - (weight / columns) @ weight.T
    effects = values.sum(axis=2) @ np.linalg.pinv(normal, rcond=1e-9, hermitian=True)
    left: Floats = (values - effects[:, :, np.newaxis] + (effects @ weight / columns)[:, np.newaxis, :]) * weight
    return left


def corrected_items(scores: Floats, lengths: Floats, slope: Floats) -> Floats:
    """Return (k, n) scores corrected for length: score - slope * (length - mean length of the item's answers).

    The mean of a row is the contestant's corrected score, and its spread over clusters is the error, which includes
    that of the slope.
    scores, lengths: (k, n), NaN if not known. slope: (n,) the items of `Slopes`.
    Source: score_corrected = score - beta * length, as in regressions of length by Dubois et al. (2024), with lengths
    less their mean, so that the scores of all contestants together stay.
    """
    known = ~(np.isnan(scores) | np.isnan(lengths))
    n = np.maximum(known.sum(axis=0), 1)
    longer = np.where(known, lengths - np.where(known, lengths, 0.0).sum(axis=0) / n, np.nan)
    beta = slope.mean()
    of_rows = np.where(known, longer, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    corrected: Floats = scores - beta * longer - of_rows[:, np.newaxis] * (slope - beta)
    return corrected


@dataclass(frozen=True)
class Scored:
    """The scores of answers by each judge of a panel, with the groups, clusters and weights of the items.

    scores: (judges, contestants, items), 0-100, NaN for none. groups, clusters: (items,) integers.
    """

    scores: Floats
    groups: npt.ArrayLike
    clusters: npt.ArrayLike
    weights: npt.ArrayLike | None = None

    def apart(self, judge: int) -> Floats:
        """Return (contestants, items) a judge's score less the mean of the others' scores of the same answer."""
        apart: Floats = self.scores[judge] - mean_of_known(np.delete(self.scores, judge, axis=0), axis=0)
        return apart


def severity(scored: Scored, judge: int) -> Estimate:
    """Return how many points more a judge gives than the others do to the same answers; below 0 is severe.

    The mean over groups and items of the mean over contestants, with its clustered interval.
    Source: Linacre (1989), Many-facet Rasch measurement, on the raw scale; here against the rest of the panel.
    """
    apart = scored.apart(judge)
    answers = int((~np.isnan(apart)).sum())
    if not answers:
        return none_of(NO_OTHER)
    found = group_mean(mean_of_known(apart, axis=0), scored.groups, scored.clusters, weights=scored.weights)
    return replace(found, n=answers)


def self_preference(scored: Scored, judge: int, own: Bools) -> Estimate:
    """Return how many points more a judge gives to one family than other judges do, beyond what it gives to others.

    own: (contestants,) which are of the family.
    (judge - other judges) on answers of the family, less the same on answers of the others, paired by item. Severity
    cancels, and so does what the judges agree on.
    Source: the difference in differences of Panickssery et al. (2024), LLM evaluators recognize and favor their own
    generations, with other judges in the place of people.
    """
    apart = scored.apart(judge)
    of_own, of_others = (mean_of_known(apart[which], axis=0) for which in (own, ~own))
    both = ~np.isnan(of_own) & ~np.isnan(of_others)
    if not both.any():
        return none_of("no item on which another judge also scored answers of the family and of another")
    found = paired_difference(of_own, of_others, scored.groups, scored.clusters, weights=scored.weights)
    return replace(found, n=int((~np.isnan(apart[:, both])).sum()))


def flip_rate(flips: npt.ArrayLike, pairs: npt.ArrayLike) -> Estimate:
    """Return the share of pairs of games, 0-100, that went to the same place in both orders.

    flips, pairs: (items,) counts of them and of games played in both orders.
    Source: 1 - consistency of Zheng et al. (2023), Judging LLM-as-a-judge with MT-Bench and Chatbot Arena.
    """
    n = np.asarray(pairs, dtype=np.float64)
    if not n.any():
        return none_of("no game was judged in both orders")
    return replace(group_mean(ratio_items(flips, n), None, None, scale=(0.0, 100.0)), n=int(n.sum()))


def none_of(reason: str) -> Estimate:
    """Return an estimate without numbers, for this `reason`."""
    return Estimate(None, None, None, None, None, 0, 0, reason)

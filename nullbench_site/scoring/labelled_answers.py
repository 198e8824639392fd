"""The answers of contestants with the scores of judges and with labels, and what labels say about a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nullbench_site.scoring.ranking import SCALE, Strata
from nullbench_site.stats.arrays import Bools, Floats, Ints
from nullbench_site.stats.labels import ONE_KIND, corrected_rate, effective_size, ppi_mean, weighted_mean
from nullbench_site.stats.measure import Bounded

_ARRAYS = ("label", "probability", "cluster", "weight", "item", "raters", "used")


@dataclass(frozen=True)
class LabelledAnswers:
    """The answers of some contestants on all items, one after another; every array is (answers,), NaN for none.

    scores: by judge, None for the panel, 0-100. label: 0-100. probability: with which it was drawn. cluster: of its
    item. weight: of its item in the score of the board, 1 on average. item: its number. raters: (answers, raters) the
    labels of each rater, 0-100. used: whether scores are corrected by its label.
    """

    scores: Mapping[str | None, Floats]
    label: Floats
    probability: Floats
    cluster: Ints
    weight: Floats
    item: Ints
    raters: Floats
    used: Bools

    @classmethod
    def joined(cls, parts: Sequence[LabelledAnswers]) -> LabelledAnswers:
        """Return the answers of several contestants."""
        scores = {judge: np.concatenate([part.scores[judge] for part in parts]) for judge in parts[0].scores}
        return cls(scores, **{name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS})

    def at(self, places: Ints, cluster: Ints, used: Bools) -> LabelledAnswers:
        """Return some answers, repeated ones too, in other clusters and with other labels in use."""
        scores = {judge: score[places] for judge, score in self.scores.items()}
        arrays = {name: getattr(self, name)[places] for name in _ARRAYS}
        return LabelledAnswers(scores, **(arrays | {"cluster": cluster, "used": used}))

    def judged(self, judge: str | None) -> Bools:
        """Return which answers have a score of a judge."""
        judged: Bools = ~np.isnan(self.scores[judge])
        return judged

    def compared(self, judge: str | None) -> Bools:
        """Return which of these have a label."""
        compared: Bools = self.judged(judge) & ~np.isnan(self.label)
        return compared

    def inverse(self, chosen: Bools) -> Floats:
        """Return 1 over the draw probability of some answers with a label."""
        inverse: Floats = 1 / self.probability[chosen]
        return inverse

    def mean(self, values: Floats) -> float | None:
        """Return the mean of the values that are not NaN, with the weights of the board; None without any."""
        known = ~np.isnan(values)
        return float(np.average(values[known], weights=self.weight[known])) if known.any() else None


def item_weights(strata: Strata) -> Floats:
    """Return (items,) the weight of each item in the score of a board, 1 on average: that of its group, shared."""
    sizes = np.bincount(strata.groups)
    if sizes.size == 1:
        return np.ones(strata.groups.size)
    of_groups = np.ones(sizes.size) if strata.weights is None else np.asarray(strata.weights, np.float64)
    shares: Floats = of_groups[strata.groups] / sizes[strata.groups]
    shares *= shares.size / shares.sum()
    return shares


def label_mean_of(of: LabelledAnswers, judge: str | None) -> Bounded:
    """Return the mean of the labels that are used, without the judge's scores."""
    both = of.compared(judge) & of.used
    return weighted_mean(of.label[both], of.inverse(both) * of.weight[both], of.cluster[both], SCALE)


def ppi_of(of: LabelledAnswers, judge: str | None) -> Bounded:
    """Return the mean label of all answers by `ppi_mean`, within the scale.

    If answers were drawn with different probabilities, those without a label are no sample of all. The judge's scores
    of all answers take their place. An answer is then in both parts, and its cluster too, so that its two parts of the
    error are added.
    """
    score, both = of.scores[judge], of.compared(judge) & of.used
    rest = of.judged(judge) & ~both
    if not rest.any():
        return Bounded.undefined("every answer has a label")
    others = rest if np.ptp(of.probability[both]) == 0 else both | rest
    places = np.concatenate([np.flatnonzero(both), np.flatnonzero(others)])
    inverse = of.inverse(both)
    weights = np.concatenate([inverse / inverse.mean(), np.ones(int(others.sum()))]) * of.weight[places]
    found = ppi_mean(of.label[both], score[both], score[others], weights=weights, clusters=of.cluster[places])
    if found.low is None or found.high is None:
        return found
    return Bounded(found.value, max(SCALE[0], found.low), min(SCALE[1], found.high), found.reason)


def corrected_share_of(of: LabelledAnswers, judge: str | None, right_from: float) -> Bounded:
    """Return the share of right answers by the specificity and the sensitivity of the judge on the same contestant."""
    both, judged = of.compared(judge) & of.used, of.judged(judge)
    accepts, right = of.scores[judge] >= right_from, of.label >= right_from
    rates, sizes = [], []
    for part, agrees in ((both & ~right, ~accepts), (both & right, accepts)):
        if not part.any():
            return Bounded.undefined(ONE_KIND)
        known, weights, clusters = agrees[part].astype(float), of.inverse(part) * of.weight[part], of.cluster[part]
        rates.append(float(np.average(known, weights=weights)))
        sizes.append(effective_size(known, weights, clusters))
    p, weights = accepts[judged].astype(float), of.weight[judged]
    n = effective_size(p, weights, of.cluster[judged])
    return corrected_rate(float(np.average(p, weights=weights)), n, rates[0], sizes[0], rates[1], sizes[1])

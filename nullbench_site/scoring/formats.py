"""The scores of contestants in two formats of the same questions, such as a free answer and a choice of options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from nullbench_site.scoring.ranking import SCALE
from nullbench_site.scoring.scorer import Scorer
from nullbench_site.scoring.wording_tables import FormatDifference
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.estimate import paired_difference


def format_differences(scorer: Scorer[Any, Any, Any], scores: Mapping[str, Floats]) -> Iterator[FormatDifference]:
    """Yield a row for each two formats that have questions in common, and each contestant.

    scores: (items,) of each contestant, over its wordings and samples. Items of one question and format are averaged.
    """
    formats, (labels, of_item) = scorer.formats, np.unique(scorer.questions, return_inverse=True)
    for name, other in combinations(formats.in_order, 2):
        items = [np.flatnonzero(formats.of_item == formats.names.index(each)) for each in (name, other)]
        both = np.intersect1d(of_item[items[0]], of_item[items[1]])
        if not both.size:
            continue
        clusters = np.zeros(labels.size, np.int64)
        clusters[of_item] = scorer.strata.clusters
        for model, of in scores.items():
            ours, theirs = (_by_question(of[each], of_item[each], labels.size)[both] for each in items)
            apart = paired_difference(ours, theirs, np.zeros_like(both), clusters[both], scale=SCALE)
            known = ~np.isnan(ours - theirs)
            yield FormatDifference(
                model=model,
                format=name,
                other=other,
                n_questions=int(known.sum()),
                overall=float(ours[known].mean()) if known.any() else None,
                overall_other=float(theirs[known].mean()) if known.any() else None,
                value=apart.value,
                se=apart.se,
                low=apart.low if apart.reason is None else None,
                high=apart.high if apart.reason is None else None,
                absent=apart.reason,
            )


def _by_question(scores: Floats, question: Ints, n: int) -> Floats:
    """Return (n,) the mean score of the items of each question, NaN without an item or if one has no score."""
    with np.errstate(invalid="ignore"):
        mean: Floats = np.bincount(question, scores, n) / np.bincount(question, minlength=n)
    return mean

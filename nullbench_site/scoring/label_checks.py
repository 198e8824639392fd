"""How far corrected scores can be trusted: how often their intervals cover the truth, and what labels are worth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nullbench_site.scoring.label_tables import LabelRedrawRow, LabelWorthRow
from nullbench_site.scoring.labelled_answers import LabelledAnswers, corrected_share_of, ppi_of
from nullbench_site.specs.types import Labels
from nullbench_site.stats.label_worth import label_worth
from nullbench_site.stats.labels import LEAST_LABELS

REDRAWS = 1000
NUMBERS = (100, 200, 400, 800)
"""The numbers of labels that the table of their worth has."""


def redraw_rows(
    of: LabelledAnswers, model: str, judge: str | None, labels: Labels, seed: int
) -> Iterator[LabelRedrawRow]:
    """Yield how often each interval covers the mean label of the judged answers, over redraws of these answers.

    Each redraw draws as many clusters as there are, with replacement, and then the labels that are used.
    """
    known = np.flatnonzero(of.compared(judge))
    n = min(int(of.used[known].sum()), labels.use or 0)
    if n < LEAST_LABELS or n == known.size:
        return
    members = [known[of.cluster[known] == each] for each in np.unique(of.cluster[known])]
    truths: dict[Any, float] = {
        name: float(np.average(of_all[known], weights=of.weight[known]))
        for name, of_all in (
            ("corrected_score", of.label),
            ("corrected_share", of.label >= labels.right_from),
        )
    }
    rng, found = np.random.default_rng(seed), {name: list[tuple[float, float]]() for name in truths}
    for _ in range(REDRAWS):
        chosen = rng.integers(len(members), size=len(members)).tolist()
        places = np.concatenate([members[each] for each in chosen])
        if places.size <= n:
            continue
        used = np.zeros(places.size, np.bool_)
        used[rng.permutation(places.size)[:n]] = True
        drawn = of.at(places, np.repeat(np.arange(len(chosen)), [members[each].size for each in chosen]), used)
        for name, interval in (
            ("corrected_score", ppi_of(drawn, judge)),
            ("corrected_share", corrected_share_of(drawn, judge, labels.right_from)),
        ):
            if interval.low is not None and interval.high is not None:
                found[name].append((interval.low, interval.high))
    for name, ends in found.items():
        covers = [low <= truths[name] <= high for low, high in ends]
        yield LabelRedrawRow(
            model=model,
            judge=judge,
            interval=name,
            n_redraws=REDRAWS,
            n_intervals=len(ends),
            covered=float(np.mean(covers)) if covers else None,
            half_width=float(np.mean([high - low for low, high in ends])) / 2 if ends else None,
        )


def worth_rows(of: LabelledAnswers, model: str, judge: str | None) -> Iterator[LabelWorthRow]:
    """Yield what numbers of labels of a contestant are worth next to all answers that a judge has scored."""
    known, others = of.compared(judge), int(of.judged(judge).sum())
    if known.sum() < LEAST_LABELS:
        return
    for n in NUMBERS:
        worth = label_worth(of.label[known], of.scores[judge][known], of.cluster[known], n, others)
        if worth is not None:
            yield LabelWorthRow(
                model=model,
                judge=judge,
                n_labels=n,
                n_answers=others,
                half_width_alone=worth.alone,
                half_width=worth.corrected,
                equal_to=worth.equal_to,
            )

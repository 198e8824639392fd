"""A contestant on groups of a board's items: its score and accuracy with intervals, rates, consistency of bundles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.oracle.layout import OracleLayout
from nullbench_site.scoring.oracle.results import OracleGroup, OracleScores
from nullbench_site.scoring.oracle.shard import CORRECT, ERRORED, INVALID, UNMARKED, WRONG, OracleSummary
from nullbench_site.scoring.rounding import rounded
from nullbench_site.stats.accuracy import (
    accuracy,
    accuracy_interval,
    accuracy_standard_error,
    contrast_consistency,
    outcome_consistency,
)
from nullbench_site.stats.arrays import Bools, Ints

PERCENT = 100
RIGHT: Mapping[int, bool] = {CORRECT: True, WRONG: False, INVALID: False, ERRORED: False}
"""Whether an answer is right: one that is invalid or failed is not."""
_VALID: Mapping[int, bool] = {CORRECT: True, WRONG: False}
"""The same of valid answers alone."""


def group_tables(layout: OracleLayout, summaries: Iterable[OracleSummary], grouping: Groups) -> list[OracleGroup]:
    """The groups in the board's order, each with the contestants that have some of its items, best first."""
    summaries = list(summaries)
    tables = []
    for name in grouping.in_order:
        chosen = grouping.of_item == grouping.names.index(name)
        found = (scores(layout, summary, chosen) for summary in summaries)
        rows = [rounded(row) for row in found if row is not None]
        rows.sort(key=lambda row: (-row.overall, row.model))
        tables.append(OracleGroup(id=name, n_items=int(chosen.sum()), rows=rows))
    return tables


def scores(layout: OracleLayout, summary: OracleSummary, chosen: Bools) -> OracleScores | None:
    """The contestant on the items `chosen`, (items,); None where none of them has an answer that counts."""
    outcomes = summary.outcome.reshape(len(layout.placed), -1)
    counted = chosen & ((outcomes >= 0) & (outcomes < UNMARKED)).any(axis=1)
    if not counted.any():
        return None
    of_chosen = outcomes[chosen]
    n = {state: int((of_chosen == state).sum()) for state in (CORRECT, WRONG, INVALID, ERRORED)}
    total = sum(n.values())
    items = np.flatnonzero(chosen)
    of_all, of_valid = (_bundles(layout, outcomes, items, right) for right in (RIGHT, _VALID))
    se, interval = accuracy_standard_error(of_all), accuracy_interval(of_all)
    valid, valid_interval = accuracy(of_valid), accuracy_interval(of_valid)
    whole = _whole(layout, of_valid, outcomes.shape[1])
    contrast, outcome = contrast_consistency(whole), outcome_consistency(whole)
    reasons = {
        "se": None if se else _no_spread(se),
        "accuracy": valid.reason,
        "accuracy_low": valid.reason or (None if valid_interval else _no_spread(accuracy_standard_error(of_valid))),
        "contrast_consistency": contrast.reason,
        "outcome_consistency": outcome.reason,
    }
    return OracleScores(
        model=summary.model,
        n_items=int(counted.sum()),
        n_correct=n[CORRECT],
        n_wrong=n[WRONG],
        n_invalid=n[INVALID],
        n_errored=n[ERRORED],
        overall=PERCENT * n[CORRECT] / total,
        se=PERCENT * se if se else None,
        ci_low=None if interval is None else PERCENT * interval.low,
        ci_high=None if interval is None else PERCENT * interval.high,
        accuracy=valid.value,
        accuracy_low=None if valid_interval is None else valid_interval.low,
        accuracy_high=None if valid_interval is None else valid_interval.high,
        valid_share=(n[CORRECT] + n[WRONG]) / total,
        invalid_rate=n[INVALID] / total,
        error_rate=n[ERRORED] / total,
        n_bundles=sum(None not in answers for answers in whole.values()),
        contrast_consistency=contrast.value,
        outcome_consistency=outcome.value,
        absent={name: reason for name, reason in reasons.items() if reason is not None},
    )


def _no_spread(se: float | None) -> str:
    """Why there is no standard error; one of 0 says only that the sample shows no spread, not that there is none."""
    if se is None:
        return "fewer than two bundles with an answer that counts"
    return "all bundles have the same share of right answers"


def _bundles(
    layout: OracleLayout, outcomes: Ints, items: Ints, right: Mapping[int, bool]
) -> dict[str, list[bool | None]]:
    """Bundle -> whether each answer to its items is right, samples of an item beside each other; None: not counted.

    right: outcome -> whether such an answer is right, of the outcomes that count.
    """
    bundles: dict[str, list[bool | None]] = {}
    for item, of_item in zip(items.tolist(), outcomes[items].tolist(), strict=True):
        answers = bundles.setdefault(layout.clusters[item], [])
        answers += [right.get(outcome) for outcome in of_item]
    return bundles


def _whole(
    layout: OracleLayout, bundles: Mapping[str, Sequence[bool | None]], samples: int
) -> dict[str, Sequence[bool | None]]:
    """The bundles of two or more variants all of which are there; a part of a bundle tells nothing of the rest."""
    return {
        name: answers
        for name, answers in bundles.items()
        if layout.variants[name] > 1 and len(answers) == layout.variants[name] * samples
    }

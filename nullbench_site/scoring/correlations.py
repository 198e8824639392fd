"""The correlations of a board's tasks over its language models, within groups of tasks and across."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from nullbench_site.scoring.board_tables import CorrelationRow
from nullbench_site.scoring.scorer import Scorer
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.constructs import task_correlations

FEWEST_TASKS = 2


def correlation_rows(
    scorer: Scorer[Any, Any, Any], scores: Mapping[str, Floats]
) -> list[CorrelationRow] | msgspec.UnsetType:
    """Return the rows of a board with two tasks or more; unset for other boards.

    scores: (items,) of each contestant. Only language models with a score of every task are used.
    """
    of_item, group_of = scorer.measured_tasks()
    tasks, place = np.unique(of_item, return_inverse=True)
    if len(tasks) < FEWEST_TASKS:
        return msgspec.UNSET
    means = {
        model: np.bincount(place, own) / np.bincount(place)
        for model, own in scores.items()
        if scorer.benchmark.models[model].is_language_model and not np.isnan(own).any()
    }
    table = np.array(list(means.values())).reshape(len(means), len(tasks))
    families = np.unique([scorer.benchmark.models[model].family for model in means], return_inverse=True)[1]
    names, groups = np.unique([group_of[task] for task in tasks.tolist()], return_inverse=True)
    return list(_rows(table, names.tolist(), groups, families))


def _rows(table: Floats, names: list[str], groups: Ints, families: Ints) -> Iterator[CorrelationRow]:
    first, second = np.triu_indices(table.shape[1], 1)
    for number, name in [(None, None), *(enumerate(names) if len(names) > 1 else ())]:
        found = task_correlations(table, groups, families, of_group=number)
        own = np.ones(first.shape, np.bool_)
        if number is not None:
            own = (groups[first] == number) | (groups[second] == number)
        same = groups[first] == groups[second]
        each = (
            ("within", found.within, found.within_rest, own & same),
            ("across", found.across, found.across_rest, own & ~same),
            ("within minus across", found.apart, found.apart_rest, own),
        )
        for kind, raw, rest, pairs in each:
            yield CorrelationRow(
                kind=kind,  # type: ignore[arg-type]  # the three kinds
                group=name,
                n_pairs=int(pairs.sum()),
                n_models=len(table),
                n_families=found.families,
                value=raw.value,
                low=raw.low,
                high=raw.high,
                rest=rest.value,
                rest_low=rest.low,
                rest_high=rest.high,
                absent=raw.reason or rest.reason,
            )

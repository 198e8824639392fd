"""One contestant's answers -> a row an item, for item-level evidence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from nullbench_site.scoring.rounding import known
from nullbench_site.scoring.rubric.contestant import Contestant
from nullbench_site.scoring.rubric.results import RubricItemRow
from nullbench_site.scoring.rubric.shard import ERRORED, SCORED, STATES, UNJUDGED, UNPARSED_ANSWER
from nullbench_site.stats.arrays import Floats
from nullbench_site.stats.marks import mean_of_known, spread_of_each

_WORST_FIRST = (ERRORED, UNJUDGED, UNPARSED_ANSWER, SCORED)


def item_rows(contestant: Contestant) -> Iterator[RubricItemRow]:
    """The rows of the items that have an answer, by item id. An item's state is its samples' worst."""
    layout, summary = contestant.layout, contestant.summary
    items = len(layout.placed)
    state = summary.state.reshape(items, -1)
    worst = np.argmax((state[:, :, np.newaxis] == _WORST_FIRST).any(axis=1), axis=1).tolist()

    def by_item(of_unit: Floats) -> list[Any]:
        return known(mean_of_known(of_unit.reshape(items, -1, *of_unit.shape[1:])))

    overall, marks = known(contestant.overall_of_item), by_item(summary.marks)
    mark, geval = by_item(contestant.mark_of_unit), by_item(contestant.geval_of_unit)
    spread = by_item(spread_of_each(summary.marks))
    samples, words = state.shape[1], layout.words.tolist()
    for number in np.flatnonzero((state >= 0).any(axis=1)).tolist():
        item, category, domain = words[number]
        failed = (summary.failed.get(unit, ()) for unit in range(number * samples, (number + 1) * samples))
        given = zip(layout.judges, marks[number], strict=True)
        yield RubricItemRow(
            model=summary.model,
            item=item,
            category=category,
            domain=domain,
            difficulty=layout.placed[number].item.difficulty,
            state=STATES[_WORST_FIRST[worst[number]]],
            overall=overall[number],
            judge_mean=mark[number],
            geval_mean=geval[number],
            spread=spread[number],
            marks={judge: value for judge, value in given if value is not None},
            failed=sorted(set(chain.from_iterable(failed))),
        )

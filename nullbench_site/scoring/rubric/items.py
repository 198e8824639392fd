"""The answers of contestants -> a row an item, for item-level evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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


def item_rows(contestants: Sequence[Contestant]) -> Iterator[RubricItemRow]:
    """The rows of each contestant in turn, of the items that have an answer, by item id.

    An item's state is its samples' worst.
    """
    if not contestants:
        return
    layout = contestants[0].layout
    n_items = len(layout.placed)
    samples = contestants[0].counted.size // n_items

    def by_item(of_units: Iterable[Floats]) -> list[Any]:
        """The mean of each item of each contestant, one after the other."""
        units = np.concatenate(list(of_units))
        return known(mean_of_known(units.reshape(-1, samples, *units.shape[1:])))

    state = np.concatenate([contestant.summary.state for contestant in contestants]).reshape(-1, samples)
    worst = np.argmax((state[:, :, np.newaxis] == _WORST_FIRST).any(axis=1), axis=1).tolist()
    overall = known(np.concatenate([contestant.overall_of_item for contestant in contestants]))
    marks = by_item(contestant.summary.marks for contestant in contestants)
    mark = by_item(contestant.mark_of_unit for contestant in contestants)
    geval = by_item(contestant.geval_of_unit for contestant in contestants)
    spread = by_item(spread_of_each(contestant.summary.marks) for contestant in contestants)
    words = layout.words.tolist()
    difficulties = [placed.item.difficulty for placed in layout.placed]
    for place in np.flatnonzero((state >= 0).any(axis=1)).tolist():
        number = place % n_items
        summary = contestants[place // n_items].summary
        item, category, domain = words[number]
        failed = (summary.failed.get(unit, ()) for unit in range(number * samples, (number + 1) * samples))
        yield RubricItemRow(
            model=summary.model,
            item=item,
            category=category,
            domain=domain,
            difficulty=difficulties[number],
            state=STATES[_WORST_FIRST[worst[place]]],
            overall=overall[place],
            judge_mean=mark[place],
            geval_mean=geval[place],
            spread=spread[place],
            marks={judge: value for judge, value in zip(layout.judges, marks[place], strict=True) if value is not None},
            failed=sorted(set(chain.from_iterable(failed))),
        )

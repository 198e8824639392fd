"""A contestant on groups of a board's items: means, composite, overall score, interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isnan

import numpy as np

from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.rounding import known
from nullbench_site.scoring.rubric.contestant import Contestant
from nullbench_site.scoring.rubric.results import RubricGroup, RubricScores
from nullbench_site.scoring.rubric.shard import ERRORED, SCORED, UNPARSED_ANSWER
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.composite import composite, judge_mean, overall_of_composite
from nullbench_site.stats.interval import normal_interval, standard_errors

FEW_ITEMS = "fewer than two items"
_COUNTED = (SCORED, ERRORED, UNPARSED_ANSWER)


def group_tables(contestants: Iterable[Contestant], grouping: Groups) -> list[RubricGroup]:
    """The groups in the board's order, each with the contestants that have some of its items, best first."""
    rows: dict[str, list[RubricScores]] = {name: [] for name in grouping.in_order}
    for contestant in contestants:
        for group, row in group_rows(contestant, grouping.of_item, len(grouping.names)):
            rows[grouping.names[group]].append(row)
    sizes = dict(zip(grouping.names, np.bincount(grouping.of_item).tolist(), strict=True))
    for of_group in rows.values():
        of_group.sort(key=lambda row: (row.overall is None, -(row.overall or 0.0), row.model))
    return [RubricGroup(id=name, n_items=sizes[name], rows=of_group) for name, of_group in rows.items()]


def group_rows(contestant: Contestant, of_item: Ints, groups: int) -> Iterator[tuple[int, RubricScores]]:
    """Each group with an item that counts, and the row of the contestant there, rounded as results are.

    of_item: the group of each item.
    """
    summary, decimals = contestant.summary, contestant.weights.judge_decimals
    of_unit = of_item[contestant.item_of_unit]
    answers = np.bincount(of_unit[contestant.scorable], minlength=groups).tolist()
    states = [np.bincount(of_unit[summary.state == state], minlength=groups).tolist() for state in _COUNTED]
    judges, metrics, geval_means = _answer_means(contestant, of_unit[contestant.scorable], groups)
    n_items, item_means, errors = _item_scores(contestant, of_item, groups)
    marks_of = judges.tolist()
    figures = []
    for group, n in enumerate(answers):
        overall, se = item_means[group], errors[group]
        absent = contestant.absent if n else contestant.absent_unscored
        mark = None if "judge_mean" in absent else judge_mean(marks_of[group], decimals)
        geval = None if "geval_mean" in absent else geval_means[group]
        merged = (
            None if "composite" in absent or contestant.shares is None else composite(mark, geval, contestant.shares)
        )
        if overall is not None and merged is not None and decimals is not None:
            overall = overall_of_composite(merged, n, states[_COUNTED.index(ERRORED)][group])
        figures.append((overall, se, *_interval(overall, se), mark, geval, merged))
    shown = zip(known(np.array(figures, dtype=np.float64)), known(judges), known(metrics), strict=True)
    for group, ((overall, se, low, high, mark, geval, merged), marks, scores) in enumerate(shown):
        if not n_items[group]:
            continue
        absent = contestant.absent if answers[group] else contestant.absent_unscored
        scored, errored, unparsed = (counts[group] for counts in states)
        yield (
            group,
            RubricScores(
                model=summary.model,
                n_items=n_items[group],
                n_scored=scored,
                n_errored=errored,
                n_unparsed=unparsed,
                overall=overall,
                se=se,
                ci_low=low,
                ci_high=high,
                judge_mean=mark,
                geval_mean=geval,
                composite=merged,
                composite_of=None if merged is None else contestant.composite_of,
                judges={} if mark is None else dict(zip(contestant.complete_ids, marks, strict=True)),
                geval={} if geval is None else _there(contestant.layout.metrics, scores),
                absent=absent | _reasons(contestant, overall, se),
            ),
        )


def _answer_means(contestant: Contestant, group_of: Ints, groups: int) -> tuple[Floats, Floats, list[float]]:
    """By group: the mean mark of each complete judge, the mean of each metric, the mean of answers' G-Eval scores.

    group_of: the group of each scorable answer.
    """
    scorable, summary = contestant.scorable, contestant.summary
    marks, metrics = summary.marks[scorable][:, contestant.complete], summary.geval[scorable]
    columns = np.column_stack([marks, metrics, contestant.geval_of_unit[scorable]])
    means = _means(columns, group_of, groups)
    of_judges, of_metrics, of_answers = np.split(means, [marks.shape[1], columns.shape[1] - 1], axis=1)
    return of_judges, of_metrics, of_answers[:, 0].tolist()


def _item_scores(
    contestant: Contestant, of_item: Ints, groups: int
) -> tuple[list[int], list[float | None], list[float | None]]:
    """By group: how many items count, the mean of their scores and its standard error, None for no figure."""
    counted = contestant.has_item
    of_counted, scores = of_item[counted], contestant.overall_of_item[counted]
    n: list[int] = np.bincount(of_counted, minlength=groups).tolist()
    if np.isnan(scores).any():
        return n, [None] * groups, [None] * groups
    means = _or_none(_means(scores[:, np.newaxis], of_counted, groups)[:, 0])
    errors = _or_none(standard_errors(scores, of_counted))
    return n, means, errors + [None] * (groups - len(errors))


def _means(values: Floats, group_of: Ints, groups: int) -> Floats:
    """(groups, columns) the mean of what is not NaN of `values`, (answers, columns), in each group; NaN for nothing.

    Sums are in the order of the answers, so the last digit is the same everywhere.
    """
    order = np.argsort(group_of, kind="stable")
    present, starts = np.unique(group_of[order], return_index=True)
    means: Floats = np.full((groups, values.shape[1]), np.nan)
    if present.size:
        there = ~np.isnan(values[order])
        total = np.add.reduceat(np.where(there, values[order], 0.0), starts, axis=0)
        n = np.add.reduceat(there.astype(np.int64), starts, axis=0)
        means[present] = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return means


def _or_none(values: Floats) -> list[float | None]:
    return [None if isnan(value) else value for value in values.tolist()]


def _there(names: Sequence[str], values: Sequence[float | None]) -> dict[str, float]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}


def _interval(overall: float | None, se: float | None) -> tuple[float, float] | tuple[None, None]:
    if overall is None or se is None:
        return None, None
    interval = normal_interval(overall, se, lower=0.0, upper=100.0)
    return interval.low, interval.high


def _reasons(contestant: Contestant, overall: float | None, se: float | None) -> dict[str, str]:
    if overall is None and contestant.no_composite is not None:
        return {"overall": contestant.no_composite, "se": contestant.no_composite}
    return {"se": FEW_ITEMS} if se is None else {}

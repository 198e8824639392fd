"""Contestants on groups of a board's items: means, composite, overall score, interval.

All contestants are worked out at once: a cell is one group of one contestant, its number is
`contestant number * groups + group`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from math import isnan, nan

import numpy as np
from msgspec import UNSET

from nullbench_site.scoring.layout import Groups
from nullbench_site.scoring.rounding import known
from nullbench_site.scoring.rubric.contestant import Contestant
from nullbench_site.scoring.rubric.results import RubricGroup, RubricScores
from nullbench_site.scoring.rubric.shard import ERRORED, SCORED, UNPARSED_ANSWER
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.composite import composite, judge_mean, overall_of_composite
from nullbench_site.stats.interval import normal_interval, standard_errors

FEW_ITEMS = "fewer than two items"


def group_tables(contestants: Sequence[Contestant], grouping: Groups) -> list[RubricGroup]:
    """The groups in the board's order, each with the contestants that have some of its items, best first."""
    rows: dict[str, list[RubricScores]] = {name: [] for name in grouping.in_order}
    for group, row in group_rows(contestants, grouping.of_item, len(grouping.names)):
        rows[grouping.names[group]].append(row)
    sizes = dict(zip(grouping.names, np.bincount(grouping.of_item).tolist(), strict=True))
    for of_group in rows.values():
        of_group.sort(key=lambda row: (row.overall is None, -(row.overall or 0.0), row.model))
    return [RubricGroup(id=name, n_items=sizes[name], rows=of_group) for name, of_group in rows.items()]


def board_rows(contestants: Sequence[Contestant]) -> list[RubricScores]:
    """Each contestant on the whole board; every one of them has an item that counts."""
    if not contestants:
        return []
    whole = np.zeros(len(contestants[0].layout.placed), dtype=np.int64)
    return [row for _, row in group_rows(contestants, whole, 1)]


def group_rows(contestants: Sequence[Contestant], of_item: Ints, groups: int) -> Iterator[tuple[int, RubricScores]]:
    """Each contestant in turn, on each group with an item that counts: the group and the row, rounded as results are.

    of_item: the group of each item.
    """
    if not contestants:
        return
    layout, decimals = contestants[0].layout, contestants[0].board.composite.judge_decimals
    cells = groups * len(contestants)
    first = groups * np.arange(len(contestants))[:, np.newaxis]
    cell_of_unit = first + of_item[contestants[0].item_of_unit]
    state = np.array([contestant.summary.state for contestant in contestants])
    scored, errored, unparsed = (
        np.bincount(cell_of_unit[state == ended], minlength=cells) for ended in (SCORED, ERRORED, UNPARSED_ANSWER)
    )
    has_geval = np.array([contestant.has_geval for contestant in contestants])
    n_geval = np.bincount(cell_of_unit[has_geval], minlength=cells).tolist() if layout.metrics else [UNSET] * cells
    n_items, means, errors = _item_scores(contestants, first + of_item, cells)
    judges, metrics, gevals = _answer_means(contestants, cell_of_unit, cells)
    marks = _marks(judges, decimals)
    merged = _composites(contestants, marks, gevals)
    overall = means if decimals is None else _of_composites(means, merged, scored + unparsed, errored)
    figures = np.column_stack([overall, errors, *_intervals(overall, errors), marks, gevals, merged])
    counts = zip(n_items.tolist(), scored.tolist(), errored.tolist(), unparsed.tolist(), n_geval, strict=True)
    every = zip(counts, known(figures), known(judges), known(metrics), strict=True)
    for cell, ((n, n_scored, n_errored, n_unparsed, n_by_geval), numbers, of_judges, of_metrics) in enumerate(every):
        if not n:
            continue
        contestant, group = contestants[cell // groups], cell % groups
        overall_there, se, low, high, mark, geval, composite_there = numbers
        absent = contestant.absent if n_scored + n_unparsed else contestant.absent_unscored
        yield (
            group,
            RubricScores(
                model=contestant.summary.model,
                n_items=n,
                n_scored=n_scored,
                n_errored=n_errored,
                n_unparsed=n_unparsed,
                n_geval=n_by_geval,
                overall=overall_there,
                se=se,
                ci_low=low,
                ci_high=high,
                judge_mean=mark,
                geval_mean=geval,
                composite=composite_there,
                composite_of=None if composite_there is None else contestant.composite_of,
                judges={} if mark is None else _there(layout.judges, of_judges),
                geval={} if geval is None else _there(layout.metrics, of_metrics),
                absent=absent | _reasons(contestant, overall_there, se),
            ),
        )


def _answer_means(contestants: Sequence[Contestant], cell_of_unit: Ints, cells: int) -> tuple[Floats, Floats, Floats]:
    """(cells, judges) the mean mark of each complete judge, (cells, metrics) the mean of each metric, (cells,) the mean
    of answers' G-Eval scores as they count; NaN for none."""
    scorable = np.array([contestant.scorable for contestant in contestants])
    marks = np.array([np.where(contestant.complete, contestant.summary.marks, nan) for contestant in contestants])
    metrics = np.array([contestant.summary.geval for contestant in contestants])
    geval = np.array([contestant.geval_as_counted for contestant in contestants])
    geval[[contestant.no_geval_mean is not None for contestant in contestants]] = nan
    columns = np.column_stack([marks[scorable], metrics[scorable], geval[scorable]])
    means = _means(columns, cell_of_unit[scorable], cells)
    of_judges, of_metrics, of_answers = np.split(means, [marks.shape[2], columns.shape[1] - 1], axis=1)
    return of_judges, of_metrics, of_answers[:, 0]


def _item_scores(contestants: Sequence[Contestant], cell_of_item: Ints, cells: int) -> tuple[Ints, Floats, Floats]:
    """(cells,) how many items count, the mean of their scores and its standard error; NaN for none."""
    counted = np.array([contestant.has_item for contestant in contestants])
    scores = np.array([contestant.overall_of_item for contestant in contestants])
    linearised = np.array([contestant.linearised_of_item for contestant in contestants])
    n: Ints = np.bincount(cell_of_item[counted], minlength=cells)
    # A contestant of which one item has no score has none anywhere.
    chosen = counted & ~(counted & np.isnan(scores)).any(axis=1, keepdims=True)
    means = _means(scores[chosen][:, np.newaxis], cell_of_item[chosen], cells)[:, 0]
    errors = standard_errors(linearised[chosen], cell_of_item[chosen])
    return n, means, np.concatenate([errors, np.full(cells - errors.size, nan)])


def _means(values: Floats, cell_of: Ints, cells: int) -> Floats:
    """(cells, columns) the mean of what is not NaN of `values`, (answers, columns), in each cell; NaN for nothing.

    Sums are in the order of the answers, so the last digit is the same everywhere.
    """
    order = np.argsort(cell_of, kind="stable")
    present, starts = np.unique(cell_of[order], return_index=True)
    means: Floats = np.full((cells, values.shape[1]), nan)
    if present.size:
        there = ~np.isnan(values[order])
        total = np.add.reduceat(np.where(there, values[order], 0.0), starts, axis=0)
        n = np.add.reduceat(there.astype(np.int64), starts, axis=0)
        means[present] = np.divide(total, n, out=np.full(total.shape, nan), where=n > 0)
    return means


def _marks(judges: Floats, decimals: int | None) -> Floats:
    """(cells,) the judge mean, NaN for none. judges: (cells, judges) the mean mark of each complete judge."""
    # Small groups have the same few means again and again.
    mean = cache(partial(judge_mean, decimals=decimals))
    given = (tuple(mark for mark in of_cell if not isnan(mark)) for of_cell in judges.tolist())
    return np.array([mean(marks) for marks in given], dtype=np.float64)


def _composites(contestants: Sequence[Contestant], marks: Floats, gevals: Floats) -> Floats:
    """(cells,) the composite of each, NaN for none."""
    parts = zip(contestants, np.split(marks, len(contestants)), np.split(gevals, len(contestants)), strict=True)
    merged = [
        np.full(mark.shape, nan) if contestant.shares is None else composite(mark, geval, contestant.shares)
        for contestant, mark, geval in parts
    ]
    return np.concatenate(merged)


def _of_composites(means: Floats, merged: Floats, answered: Ints, failed: Ints) -> Floats:
    """(cells,) the overall score that the composite gives, where there are both; elsewhere the mean over items."""
    overall = means.copy()
    both = np.flatnonzero(~np.isnan(means) & ~np.isnan(merged))
    of_cells = zip(merged[both].tolist(), answered[both].tolist(), failed[both].tolist(), strict=True)
    overall[both] = [overall_of_composite(*of_cell) for of_cell in of_cells]
    return overall


def _intervals(overall: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """(cells,) the low and the high end of each interval, NaN where there is no standard error."""
    low, high = np.full(overall.shape, nan), np.full(overall.shape, nan)
    for cell in np.flatnonzero(~np.isnan(errors)).tolist():
        interval = normal_interval(float(overall[cell]), float(errors[cell]), lower=0.0, upper=100.0)
        low[cell], high[cell] = interval.low, interval.high
    return low, high


def _there(names: Sequence[str], values: Sequence[float | None]) -> dict[str, float]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}


def _reasons(contestant: Contestant, overall: float | None, se: float | None) -> dict[str, str]:
    if overall is None and contestant.no_composite is not None:
        return {"overall": contestant.no_composite, "se": contestant.no_composite}
    return {"se": FEW_ITEMS} if se is None else {}

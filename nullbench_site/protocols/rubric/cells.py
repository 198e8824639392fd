"""The means of a `rubric` board, of all contestants at once; a cell is one group of items of one contestant."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from math import isnan, nan

import numpy as np

from nullbench_site.protocols.rubric.contestant import RubricContestant
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.stats.composite import composite, judge_mean, overall_of_composite


def answer_means(
    contestants: Sequence[RubricContestant], cell_of_unit: Ints, cells: int
) -> tuple[Floats, Floats, Floats]:
    """(cells, judges) the mean mark of each complete judge, (cells, metrics) the mean of each metric, (cells,) the mean
    of answers' G-Eval scores as they count; NaN for none."""
    scorable = np.array([contestant.scorable for contestant in contestants])
    marks = np.array([np.where(contestant.complete, contestant.marks, nan) for contestant in contestants])
    metrics = np.array([contestant.geval for contestant in contestants])
    geval = np.array([contestant.geval_as_counted for contestant in contestants])
    geval[[contestant.no_geval_mean is not None for contestant in contestants]] = nan
    columns = np.column_stack([marks[scorable], metrics[scorable], geval[scorable]])
    means = _means(columns, cell_of_unit[scorable], cells)
    of_judges, of_metrics, of_answers = np.split(means, [marks.shape[2], columns.shape[1] - 1], axis=1)
    return of_judges, of_metrics, of_answers[:, 0]


def item_scores(contestants: Sequence[RubricContestant], cell_of_item: Ints, cells: int) -> tuple[Ints, Floats]:
    """(cells,) how many items count, and the mean of their scores; NaN for none."""
    counted = np.array([contestant.has_item for contestant in contestants])
    scores = np.array([contestant.overall_of_item for contestant in contestants])
    n: Ints = np.bincount(cell_of_item[counted], minlength=cells)
    # A contestant of which one item has no score has none anywhere.
    chosen = counted & ~(counted & np.isnan(scores)).any(axis=1, keepdims=True)
    return n, _means(scores[chosen][:, np.newaxis], cell_of_item[chosen], cells)[:, 0]


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


def judge_means(judges: Floats, decimals: int | None) -> Floats:
    """(cells,) the judge mean, NaN for none. judges: (cells, judges) the mean mark of each complete judge."""
    # Small groups have the same few means again and again.
    mean = cache(partial(judge_mean, decimals=decimals))
    given = (tuple(mark for mark in of_cell if not isnan(mark)) for of_cell in judges.tolist())
    return np.array([mean(marks) for marks in given], dtype=np.float64)


def composites(contestants: Sequence[RubricContestant], marks: Floats, gevals: Floats) -> Floats:
    """(cells,) the composite of each, NaN for none."""
    parts = zip(contestants, np.split(marks, len(contestants)), np.split(gevals, len(contestants)), strict=True)
    merged = [
        np.full(mark.shape, nan) if contestant.shares is None else composite(mark, geval, contestant.shares)
        for contestant, mark, geval in parts
    ]
    return np.concatenate(merged)


def of_composites(means: Floats, merged: Floats, answered: Ints, failed: Ints) -> Floats:
    """(cells,) the overall score that the composite gives, where there are both; elsewhere the mean over items."""
    overall = means.copy()
    both = np.flatnonzero(~np.isnan(means) & ~np.isnan(merged))
    of_cells = zip(merged[both].tolist(), answered[both].tolist(), failed[both].tolist(), strict=True)
    overall[both] = [overall_of_composite(*of_cell) for of_cell in of_cells]
    return overall

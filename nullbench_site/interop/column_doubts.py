"""Find columns that may be no scores although they lie on the scale of the others: ranks, sizes, prices, errors.

A doubt is no proof. It makes a user name the columns; the name of a known benchmark removes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nullbench_site.interop.column_names import is_benchmark, is_score, is_series
from nullbench_site.stats.arrays import Floats
from nullbench_site.text import quoted

if TYPE_CHECKING:
    from nullbench_site.interop.score_columns import Column

_MOST_COLUMNS = 30
"""A table of more columns has items, and some of many items look like anything."""
PARTS = (0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0)
"""The usual scores of an item that is partly right."""
_LOW, _USUAL = 0.2, 0.4
_WIDE, _NARROW = 8.0, 2.5
_FALLING = -0.75
_SIZES = frozenset((
    0.1, 0.125, 0.135, 0.14, 0.16, 0.3, 0.35, 0.36, 0.41, 0.5, 0.6, 0.77, 0.8, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7,
    1.8, 2, 2.4, 2.6, 2.7, 2.8,
    3, 3.1, 3.2, 3.8, 4, 5, 6, 6.7, 6.9, 7, 7.2, 7.3, 7.6, 8, 9, 9.4, 10, 10.7, 11, 12, 12.2, 13,
    13.9, 14, 14.7, 14.8, 15, 15.7, 16, 20, 20.9, 21, 22, 24, 26, 27, 28, 30, 30.5, 32, 32.8, 33, 34, 35, 35.1, 36, 40,
    46.7, 47, 49, 51.5, 52, 56, 57, 64, 65, 67, 70, 70.6, 72, 72.7, 80, 90, 93,
))  # fmt: skip
"""The sizes of published models, in billions of parameters."""


def doubts(columns: Sequence[Column], top: float) -> str | None:
    """Return a column that may be no score, and why; None if there is no doubt. top: of the scale of all."""
    if not 2 <= len(columns) <= _MOST_COLUMNS:
        return None
    numbered = len(columns) >= 8 or is_series([column.name for column in columns])
    if numbered and top <= 10 and all(_whole(column.values) for column in columns):
        return None
    if top <= 1 and all(np.isin(column.values[~np.isnan(column.values)], PARTS).all() for column in columns):
        return None
    unknown = [column for column in columns if not is_benchmark(column.name) and not is_score(column.name)]
    for column in unknown:
        others = [other for other in columns if other is not column]
        why = _doubt(column, others, top)
        if why is not None:
            return f"{quoted(column.name)} may be no score: {why}"
    return None


def _doubt(column: Column, others: Sequence[Column], top: float) -> str | None:
    """Return why a column may be no score, None if nothing says so."""
    values = column.values[~np.isnan(column.values)]
    rows = len(values)
    if top <= 1 and set(values.tolist()) <= {0.0, 1.0}:
        return None
    if column.high < _LOW * top and np.median([other.low for other in others]) > _USUAL * top:
        return "its values are far below those of the others"
    if (pattern := _pattern(column, others, top)) is not None:
        return pattern
    constant = rows >= 3 and column.low == column.high and column.low not in (0.0, top)
    if constant and any(other.low < other.high for other in others):
        return "it has one value for all models"
    wide = _ratio(values) >= _WIDE and column.low < 0.1 * top
    if wide and float(np.median([_ratio(other.values) for other in others])) <= _NARROW:
        return "its values differ by a factor that those of the others do not"
    return _beside(column, others, top)


def _pattern(column: Column, others: Sequence[Column], top: float) -> str | None:
    """Return what whole numbers or sizes a column has, None if none that others do not have too."""
    values = column.values[~np.isnan(column.values)]
    rows, several = len(values), len(set(values.tolist())) > 1
    if rows >= 3 and is_ranking(values) and not all(_whole(other.values) and other.high <= rows for other in others):
        return "its values are the ranks from 1"
    if top > 1 and several and _are_sizes(values) and not all(_are_sizes(other.values) for other in others):
        return "its values are usual sizes of models"
    steps = rows >= 3 and top > 1 and _whole(values) and bool((np.diff(np.sort(values)) == 1).all())
    if steps and all(other.decimals for other in others):
        return "it has whole numbers in steps of one"
    return None


def _beside(column: Column, others: Sequence[Column], top: float) -> str | None:
    """Return what a column is in relation to the others that a score is not, None if nothing."""
    rows, together = int((~np.isnan(column.values)).sum()), _correlation(column, others)
    if rows >= 3 and column.low < column.high and any(_completes(column, other, top) for other in others):
        return "it is what another column lacks to the end of the scale"
    if rows >= 4 and together <= _FALLING:
        return "it falls where the others rise"
    if rows >= 3 and _coarser(column, others):
        if len(others) >= 2 and together <= 0:
            return "it has fewer decimals than all others, and does not rise with them"
        if column.low == 0 or column.high == top:
            return "it has fewer decimals than all others, and an end of the scale"
    return "it is another column in other units" if rows >= 4 and _in_other_units(column, others) else None


def _completes(column: Column, other: Column, top: float) -> bool:
    """Return True if two columns add up to the end of the scale in each row, as accuracy and error rate do."""
    sums = column.values + other.values
    return not np.isnan(sums).any() and bool((np.abs(sums - top) <= 1e-6 * top).all())


def _whole(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool((known == np.rint(known)).all())


def is_ranking(values: Floats) -> bool:
    """Return True for the ranks 1 to n in any order, with ties in any of the usual ways."""
    if not _whole(values) or values.min() != 1 or values.max() > len(values):
        return False
    own = np.sort(values)
    distinct = np.unique(own)
    dense = len(distinct) > 1 and bool((distinct == np.arange(1, len(distinct) + 1)).all())
    return len(distinct) > len(values) / 2 and (dense or bool((own == np.searchsorted(own, own) + 1).all()))


def _are_sizes(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    low, high = float(known.min()), float(known.max())
    round_ones = bool((known % 5 == 0).all())
    return low > 0 and high >= 2 * low and not round_ones and set(known.tolist()) <= _SIZES


def _ratio(values: Floats) -> float:
    known = values[~np.isnan(values)]
    above = known[known > 0]
    if not above.size:
        return 1.0
    return float(above.max() / max(above.min(), above.max() / 1000))


def _correlation(column: Column, others: Sequence[Column]) -> float:
    """Return Spearman's correlation of a column with the mean of the others, 1 if it cannot be computed."""
    known = ~np.isnan(column.values) & np.any([~np.isnan(other.values) for other in others], axis=0)
    if known.sum() < 3:
        return 1.0
    mean = np.nanmean([other.values[known] for other in others], axis=0)
    own, of_others = (np.searchsorted(np.sort(each), each, "left") + np.searchsorted(np.sort(each), each, "right")
                      for each in (column.values[known], mean))  # fmt: skip
    if np.ptp(own) == 0 or np.ptp(of_others) == 0:
        return 1.0
    return float(np.corrcoef(own, of_others)[0, 1])


def _in_other_units(column: Column, others: Sequence[Column]) -> bool:
    """Return True if a column is a linear function of another one, as a count is of a rate, but not the same."""
    for other in others:
        known = ~np.isnan(column.values) & ~np.isnan(other.values)
        own, of_other = column.values[known], other.values[known]
        if known.sum() < 4 or len(set(own.tolist())) < 4 or not (column.decimals or other.decimals):
            continue
        slope = float(np.ptp(own) / (np.ptp(of_other) or 1.0))
        if abs(np.corrcoef(own, of_other)[0, 1]) > 0.9995 and abs(slope - 1) > 0.02:
            return True
    return False


def _coarser(column: Column, others: Sequence[Column]) -> bool:
    """Return True if a column has no decimals and all others have some, or two fewer than all others."""
    finest = [other.decimals for other in others]
    if column.decimals is None or any(decimals is None for decimals in finest):
        return False
    least = min(decimals or 0 for decimals in finest)
    return least > 0 and (column.decimals == 0 or column.decimals <= least - 2)

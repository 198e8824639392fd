"""Choose the columns of a wide table that are scores on one scale: by their values first, then by their names.

Columns are averaged only if their values fit one scale. In doubt nothing is chosen, and the message names the columns
with their ranges and the option that decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from math import inf

import numpy as np

from nullbench_site.interop.column_doubts import PARTS, doubts, is_ranking
from nullbench_site.interop.column_names import (
    facts_in,
    has_score,
    is_average,
    is_rank,
    is_rating,
    is_score,
    is_series,
)
from nullbench_site.interop.score_cells import Content
from nullbench_site.scoring.ranked_table import ColumnUse
from nullbench_site.stats.arrays import Floats
from nullbench_site.text import listed, plural, quoted, some_of

_NAMED = 12
_MOST_MEANS = 200
"""In a table with more columns only those that are called an average may be the mean of others."""
_BITS = 20
"""The evidence that a column without such a name is a mean: chance agrees once in 2 ** 20 tables."""
_CLASSES = (1.0, 10.0, 100.0)
_FEW = 8
"""In a table of fewer columns a column of 0 and 1 beside other numbers is a fact; in one of more, an item."""


@dataclass(frozen=True)
class Column:
    """A column that may be a score. values: (models,) NaN where one is missing or cannot be read.

    shown: a cell of it, for messages. decimals: the most decimals of a cell, None if they are not known.
    """

    name: str
    content: Content
    values: Floats
    shown: str = ""
    decimals: int | None = None

    @property
    def low(self) -> float:
        return float(np.nanmin(self.values))

    @property
    def high(self) -> float:
        return float(np.nanmax(self.values))

    @property
    def of_numbers(self) -> bool:
        return self.content in ("number", "percent", "truth") and not np.isnan(self.values).all()

    def range(self) -> str:
        """Return the column with its range, for a message."""
        if not self.of_numbers:
            kind = {"date": "dates", "quantity": "numbers with a unit"}.get(self.content, "texts")
            return f"{quoted(self.name)} ({kind}, such as {quoted(self.shown, 30)})"
        if self.content == "truth":
            return f"{quoted(self.name)} (true and false)"
        unit = " %" if self.content == "percent" else ""
        ends = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"{quoted(self.name)} {ends}{unit}"


@dataclass(frozen=True)
class Choice:
    """The columns to average, why, and what becomes of the others."""

    names: Sequence[str]
    why: str
    others: Mapping[str, ColumnUse] = field(default_factory=dict)


class NoChoiceError(Exception):
    """Why no columns are chosen. columns: with their ranges. likely: those to name with --score.

    lower_is_better: the likely columns are ranks.
    """

    def __init__(self, why: str, columns: Sequence[Column], likely: Sequence[str]) -> None:
        super().__init__(why)
        self.why, self.columns, self.likely = why, columns, likely
        named = [column for column in columns if column.name in likely]
        self.lower_is_better = all(is_rank(column.name) or _are_ranks(column) for column in named)

    def message(self) -> str:
        ranges = listed(some_of([column.range() for column in self.columns], _NAMED))
        return f"{self.why}; columns: {ranges}"


def matching(patterns: Iterable[str], header: Sequence[str]) -> tuple[list[str], str | None]:
    """Return the columns that names or patterns such as task_* select, in order; and one that selects nothing."""
    found: dict[str, None] = {}
    for pattern in patterns:
        if pattern in header:
            found[pattern] = None
            continue
        of_pattern = re.compile(translate(pattern))
        some = [name for name in header if any(mark in pattern for mark in "*?[") and of_pattern.match(name)]
        if not some:
            return [], pattern
        found |= dict.fromkeys(some)
    return [name for name in header if name in found], None


def choose(columns: Sequence[Column], scale: tuple[float, float] | None) -> Choice:
    """Return the columns to average. Raises NoChoiceError.

    columns: those with numbers, dates or quantities. scale: the ends that the user states for all scores.
    """
    by_name = facts_in([column.name for column in columns])
    facts = {column.name: "a fact by its name" for column in columns if column.name in by_name}
    facts |= {column.name: "it counts the rows" for column in columns if _counts_rows(column)}
    rest = [column for column in columns if column.name not in facts]
    means = _means(rest)
    left = [column for column in rest if column.name not in means]
    others = {name: ColumnUse(column=name, use="fact", why=why) for name, why in facts.items()}
    others |= {name: ColumnUse(column=name, use="mean", why=mean.why) for name, mean in means.items()}
    whole = [column for column in left if is_score(column.name) and column.of_numbers] or _summary(left)
    if len(whole) == 1:
        return _only(whole[0], columns, others)
    names = listed(some_of([quoted(column.name) for column in whole], _NAMED))
    problem = f"{names} are each a score of the whole by their names, and not to be averaged" if whole else None
    problem = problem or _apart(left, scale)
    if problem is None and left and scale is None and all(map(_are_ranks, left)):
        names = listed(some_of([quoted(column.name) for column in left], _NAMED))
        raise NoChoiceError(f"the values of {names} are the ranks from 1", columns, [column.name for column in left])
    if problem is None and len(left) == 1 and facts and has_score(left[0].name):
        return _only(left[0], columns, others)
    if problem is None and (len(left) > 1 or (len(left) == 1 and not facts)):
        why = "the only column of numbers" if len(left) == 1 else "their values fit one scale"
        return Choice([column.name for column in left], why, others)
    for name, mean in means.items() if not whole else ():
        members = [column for column in rest if column.name in mean.members]
        if is_average(name) and len(members) > 1 and _apart(members, scale) is None:
            why = f"{quoted(name)} is their mean"
            return Choice([column.name for column in members], why, _unused(columns, members, others, why))
    averages = [column for column in rest if is_score(column.name) and column.of_numbers]
    if not whole and len(averages) == 1:
        return _only(averages[0], columns, others)
    if problem is None:
        some = listed(some_of([quoted(column.name) for column in left], _NAMED))
        problem = f"only {some} may be a score" if left else "all columns of numbers are facts by their names"
    ratings = [] if whole or len(left) > 1 else [column for column in columns if is_rating(column.name)]
    raise NoChoiceError(problem, columns, _likely(whole or ratings or left or columns, scale))


def _summary(columns: Sequence[Column]) -> list[Column]:
    """Return the one column with a word for a score whose values lie between those of the others in every row."""
    scores = [column for column in columns if has_score(column.name) and column.of_numbers]
    if len(scores) != 1 or len(columns) < 3 or not all(column.of_numbers for column in columns):
        return []
    (own,) = scores
    others = np.array([column.values for column in columns if column is not own])
    if len(own.values) < 2 or np.isnan(others).all(axis=0).any():
        return []
    inside = (own.values >= np.nanmin(others, axis=0)) & (own.values <= np.nanmax(others, axis=0))
    return scores if inside.all() and is_average(own.name) else []


def _only(column: Column, columns: Sequence[Column], others: dict[str, ColumnUse]) -> Choice:
    """Return the choice of one column."""
    why = f"{quoted(column.name)} is the score"
    return Choice([column.name], "the only score by its name", _unused(columns, [column], others, why))


def _unused(
    columns: Sequence[Column], used: Sequence[Column], others: dict[str, ColumnUse], why: str
) -> dict[str, ColumnUse]:
    """Return what becomes of all columns but those that are used."""
    rest = {column.name: ColumnUse(column=column.name, use="unused", why=why) for column in columns}
    names = {column.name for column in used}
    return {name: use for name, use in (rest | others).items() if name not in names}


def _are_ranks(column: Column) -> bool:
    """Return True if the values are the ranks of three or more models: then the lowest is the best."""
    values = column.values[~np.isnan(column.values)] if column.content == "number" else np.array([])
    return len(values) >= 3 and is_ranking(values)


def _counts_rows(column: Column) -> bool:
    """Return True for the index that pandas writes in a column without a name."""
    if not re.fullmatch(r"column 1|Unnamed: [0-9]{1,3}|level_[0-9]|#|no\.?", column.name, re.IGNORECASE):
        return False
    return column.of_numbers and bool((np.diff(column.values) == 1).all())


# One scale.


def _apart(columns: Sequence[Column], scale: tuple[float, float] | None) -> str | None:
    """Return why columns cannot be averaged, None if they fit one scale."""
    if found := [column for column in columns if not column.of_numbers]:
        return f"{found[0].range()} is no score"
    if len(columns) < 2:
        return None
    if hard := unlike(columns, scale):
        return hard
    if len(columns[0].values) < 2:
        return None
    return doubts(columns, _top(columns) if scale is None else scale[1])


def _top(columns: Sequence[Column]) -> float:
    high = max(max(abs(column.low), abs(column.high)) for column in columns)
    return next((top for top in _CLASSES if high <= top), inf)


def unlike(columns: Sequence[Column], scale: tuple[float, float] | None = None) -> str | None:
    """Return why columns of numbers have unlike scales whatever their names, None if they may have one."""
    percent = [column for column in columns if column.content == "percent"]
    if percent and len(percent) < len(columns):
        return f"{quoted(percent[0].name)} has percent signs, other columns have none"
    if scale is not None:
        return None
    values = np.concatenate([column.values for column in columns])
    values = values[~np.isnan(values)]
    if np.isin(values, (0.0, 1.0)).all():
        return None
    if truth := [column for column in columns if column.content == "truth"]:
        return f"{quoted(truth[0].name)} has true and false, other columns have numbers"
    top = _top(columns)
    if top == inf:
        far = max(columns, key=lambda column: max(abs(column.low), abs(column.high)))
        return f"{quoted(far.name)} has values beyond 100, so the columns have no scale that is known"
    grid = bool((values == np.rint(values)).all()) and top == 10
    if grid and (len(columns) >= _FEW or is_series([column.name for column in columns])):
        return None
    small = [column for column in columns if 0 < column.high <= 1 and column.low >= 0]
    if top == 10:  # 1 is the lowest of many ratings
        small = [column for column in small if column.low != 1]
    if top > 1 and small:
        return f"{quoted(small[0].name)} lies within 0 to 1, other columns do not"
    if (below := [column for column in columns if column.low < 0]) and not grid and len(below) < len(columns):
        return f"{quoted(below[0].name)} has values below 0, other columns have none"
    return _truths_beside_fractions(columns) if top == 1 else None


def _truths_beside_fractions(columns: Sequence[Column]) -> str | None:
    """Return a column of 0 and 1 alone, if nearly all others have fractions; None if there is none."""
    of_truths = [column for column in columns if np.isin(column.values[~np.isnan(column.values)], (0.0, 1.0)).all()]
    mixed = [column for column in of_truths if column.low < column.high]
    of_fractions = [
        column for column in columns if (np.abs(column.values[:, None] - PARTS).min(axis=1) > 0.001).mean() > 0.6
    ]
    few = len(columns) < _FEW and of_fractions
    if mixed and (few or len(of_fractions) >= 0.8 * len(columns)):
        return f"{quoted(mixed[0].name)} has only 0 and 1, other columns have fractions"
    return None


def _likely(columns: Sequence[Column], scale: tuple[float, float] | None) -> list[str]:
    """Return columns that a user may mean: the most that fit one scale, without those that are in doubt."""
    numbers = [column for column in columns if column.of_numbers]
    numbers = [column for column in numbers if column.content != "truth"] or numbers
    numbers = [column for column in numbers if not (is_rank(column.name) or _are_ranks(column))] or numbers
    groups: dict[float, list[Column]] = {}
    for column in numbers:
        groups.setdefault(_top([column]), []).append(column)
    groups.pop(inf, None) if len(groups) > 1 else None
    best = max(groups.values(), key=len, default=[])
    for of_score in (is_score, has_score):
        if named := [column for column in numbers if of_score(column.name)]:
            best = named[:1] if of_score is is_score or any(column not in named for column in best) else best
            break
    while len(best) > 1 and _apart(best, scale) is not None and not _similar(best):
        best = best[:-1]
    return [column.name for column in best] or [column.name for column in numbers[:1]]


def _similar(columns: Sequence[Column]) -> bool:
    """Return True for columns beyond 100 with nearly the same ranges, such as the Elo ratings of several tasks."""
    low, high = max(column.low for column in columns), min(column.high for column in columns)
    spread = max(column.high for column in columns) - min(column.low for column in columns)
    return min(column.low for column in columns) > 100 and high - low > spread / 2


# Means of other columns.


@dataclass(frozen=True)
class _Mean:
    """Of which columns a column is the mean."""

    members: frozenset[str]
    why: str


def _means(columns: Sequence[Column]) -> dict[str, _Mean]:
    """Return the columns that are the plain mean, or the sum, of others within rounding: of all, or of neighbours."""
    numbers = [column for column in columns if column.content in ("number", "percent") and column.of_numbers]
    found: dict[str, _Mean] = {}
    if len(numbers) < 2:
        return found
    values = np.array([column.values for column in numbers])
    for place, column in enumerate(numbers):
        if len(numbers) > _MOST_MEANS and not is_average(column.name):
            continue
        if (what := _mean_of(place, numbers, values)) is not None:
            found[column.name] = what
    if len(found) < len(numbers):
        return found
    return {}


def _mean_of(place: int, columns: Sequence[Column], values: Floats) -> _Mean | None:
    """Return of which columns a column is the mean; None if of none."""
    n, own = len(columns), columns[place]
    every = [at for at in range(n) if at != place]
    no_averages = [at for at in every if not is_average(columns[at].name)]
    tried = [every, no_averages]
    named = is_average(own.name)
    if n <= _MOST_MEANS:
        tried += [list(range(place + 1, end)) for end in range(place + 3, n + 1)]
        tried += [list(range(start, place)) for start in range(place - 1)]
    averages = [at for at in every if is_average(columns[at].name)]
    tried += [averages] if named and len(averages) > 1 else []
    known = ~np.isnan(values[place])
    if not known.any():
        return None
    target, spread = values[place][known], float(np.ptp(values[place][known]))
    half = _half_a_digit(own)
    bits = known.sum() * np.log2(max(spread / (2 * half), 1.0)) - np.log2(len(tried))
    if not named and (bits < _BITS or len(set(target.tolist())) < max(4, len(target) / 2)):
        return None
    for members in tried:
        if len(members) < 2 and not (named and members):
            continue
        others = values[members][:, known]
        counts = (~np.isnan(others)).sum(axis=0)
        if (counts == 0).any():
            continue
        sums = np.nansum(others, axis=0)
        off = half + max(_half_a_digit(columns[at]) for at in members) + 1e-9 * max(1.0, float(np.abs(target).max()))
        alike = bool((np.abs(others - target) <= off).all())
        if (np.abs(sums / counts - target) <= off).all() and (named or not alike):
            return _of("the mean", members, columns, len(every))
        if named and len(members) > 1 and (np.abs(sums - target) <= off * len(members)).all() and sums.any():
            return _of("the sum", members, columns, len(every))
    return None


def _of(what: str, members: Sequence[int], columns: Sequence[Column], n: int) -> _Mean:
    names = [columns[at].name for at in members]
    shown = "the other columns" if len(members) == n and n > 1 else listed(some_of(list(map(quoted, names)), 4))
    return _Mean(frozenset(names), f"{what} of {shown}")


def _half_a_digit(column: Column) -> float:
    """Return how far rounding can move a cell: half of its last digit, at most 0.1 % of the largest cell."""
    decimals = 6 if column.decimals is None else min(column.decimals, 12)
    return 0.5000001 * 10.0**-decimals


def note(choice: Choice) -> str:
    """Return the sentence about the columns that are averaged, and why."""
    shown = listed(some_of([quoted(name) for name in choice.names], 6))
    return f"{plural(len(choice.names), 'column')} of scores: {shown} ({choice.why})."

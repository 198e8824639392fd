"""Read the two shapes of a table of scores: long, with a row per score, and wide, with a row per model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from nullbench_site.interop.score_cells import Scores, has_numbers, numbers_or_none, texts_of
from nullbench_site.interop.table_rows import TableRows
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.text import listed, plural, quoted, some_of

_MOST_CELLS = 200_000_000
_NAMED = 6
_MISTAKES = 0.05
"""The share of items that may have several texts in a column about items: 14 of 442 dates of LiveCodeBench differ."""
_Codes = npt.NDArray[np.int32]


@dataclass
class Shaped:
    """The content of a table by model and item, before groups, clusters and families are chosen. As in ScoreTable."""

    models: Sequence[str]
    items: Sequence[str]
    values: Floats
    item_columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    model_columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cell_columns: dict[str, Floats] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class _Numbers(dict[str, int]):
    """Numbers names in the order in which they come, so that each name is in memory once."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]

    def codes(self, rows: TableRows, column: str, cells: Sequence[Any], numbers: Sequence[int]) -> _Codes:
        """Return the numbers of the names in a column. Raises UsageError at an empty one."""
        names = texts_of(cells)
        if "" in names:
            raise rows.error(
                f"column {quoted(column)} is empty; write a name, or remove the row", numbers[names.index("")]
            )
        return np.fromiter(map(self.__getitem__, names), np.int32, len(names))


class _SideColumn:
    """A column without a role: texts of items, or of models, or else numbers of cells.

    of: "items" and "models", as long as the column may belong to them -> number of one -> its first text. differ: the
    numbers of those that also have another text: a few are taken for mistakes, but not in a column of numbers.
    """

    def __init__(self) -> None:
        self.of: dict[str, dict[int, str]] = {"items": {}, "models": {}}
        self.differ: dict[str, set[int]] = {"items": set(), "models": set()}
        self.numbers: list[Floats] | None = []
        """The numbers of the rows, once the column belongs to neither; None if one is not a number."""

    def add(self, at: dict[str, _Codes], cells: Sequence[Any], earlier: dict[str, list[_Codes]]) -> None:
        """Add the cells of some rows. at, earlier: the numbers of their items and models, and of the rows before."""
        if self.of:
            texts, last = texts_of(cells), self.of
            self.of = {what: seen for what, seen in last.items() if self._fits(what, seen, at[what].tolist(), texts)}
            if self.of:
                return
            what, seen = next(iter(last.items()))
            self._add_numbers([seen[code] for codes in earlier[what] for code in codes.tolist()])
        self._add_numbers(cells)

    def _fits(self, what: str, seen: dict[int, str], codes: Sequence[int], texts: Sequence[str]) -> bool:
        differ = {code for code, text in zip(codes, texts, strict=True) if seen.setdefault(code, text) != text}
        self.differ[what] |= differ
        return not differ or (len(self.differ[what]) <= _MISTAKES * len(seen) and numbers_or_none(texts) is None)

    def _add_numbers(self, cells: Sequence[Any]) -> None:
        values = None if self.numbers is None else numbers_or_none(cells)
        if self.numbers is None or values is None:
            self.numbers = None
        else:
            self.numbers.append(values)


def read_long(rows: TableRows, model: str, item: str, score: str, scores: Scores) -> Shaped:
    """Read a table with a row for each model and item."""
    names = {"models": _Numbers(), "items": _Numbers()}
    codes: dict[str, list[_Codes]] = {"models": [], "items": []}
    values, numbers = [], []
    sides = {column: _SideColumn() for column in rows.header if column not in (model, item, score)}
    for block in rows.blocks:
        cells = {column: [row[place] for row in block.rows] for place, column in enumerate(rows.header)}
        at = {
            what: names[what].codes(rows, column, cells[column], block.numbers)
            for what, column in (("models", model), ("items", item))
        }
        values.append(scores.column(score, cells[score], block.numbers))
        numbers.append(np.asarray(block.numbers, np.int32))
        for column, side in sides.items():
            side.add(at, cells[column], codes)
        for what, of_block in at.items():
            codes[what].append(of_block)
    if not values:
        raise rows.error("the table has a header and no row")
    k, n = len(names["models"]), len(names["items"])
    if k * n > _MOST_CELLS:
        raise rows.error(f"{plural(k, 'model')} and {plural(n, 'item')} are too many; check --model and --item")
    of_models, of_items = (np.concatenate(codes[what]) for what in ("models", "items"))
    place = of_models.astype(np.int64) * n + of_items
    models, items = list(names["models"]), list(names["items"])
    _check_once(rows, place, np.concatenate(numbers), models, items)
    shaped = Shaped(models, items, _filled(place, np.concatenate(values), k, n))
    shaped.notes.append(f"Columns: {quoted(model)} is the model, {quoted(item)} the item, {quoted(score)} the score.")
    _put_sides(shaped, sides, place)
    return shaped


def _put_sides(shaped: Shaped, sides: Mapping[str, _SideColumn], place: Ints) -> None:
    """Assign the columns without a role to items, models or cells. place: the cell of each row."""
    k, n = shaped.values.shape
    ignored = []
    for column, side in sides.items():
        if len(side.of) == 2 and len(set(side.of["items"].values())) == 1:
            ignored.append(column)
        elif "items" in side.of:
            shaped.item_columns[column] = tuple(side.of["items"][code] for code in range(n))
            if differ := len(side.differ["items"]):
                which = f"{quoted(column)} differs between rows of {plural(differ, 'item')}"
                shaped.notes.append(f"{which}; the first value counts.")
        elif "models" in side.of:
            shaped.model_columns[column] = tuple(side.of["models"][code] for code in range(k))
        elif side.numbers is not None:
            shaped.cell_columns[column] = _filled(place, np.concatenate(side.numbers), k, n)
        else:
            ignored.append(column)
    if ignored:
        shaped.notes.append(f"Not used: {listed([quoted(column) for column in ignored])}.")


def _filled(place: Ints, values: Floats, k: int, n: int) -> Floats:
    table = np.full(k * n, np.nan)
    table[place] = values
    return table.reshape(k, n)


def _check_once(rows: TableRows, place: Ints, numbers: _Codes, models: Sequence[str], items: Sequence[str]) -> None:
    """Raise UsageError if a model has an item twice."""
    counts = np.bincount(place)
    if counts.max(initial=0) < 2:
        return
    twice = (counts > 1)[place]
    cell = place[np.flatnonzero(twice)[0]]
    first, second = numbers[place == cell][:2].tolist()
    model, item = models[cell // len(items)], items[cell % len(items)]
    more = int((counts > 1).sum()) - 1
    others = f", and {plural(more, 'other pair')} too" if more else ""
    message = f"model {quoted(model)} has a second score for item {quoted(item)} (the first is in row {first}){others}"
    raise rows.error(f"{message}; keep one, or average repeated samples first", second)


_NO_TASKS = frozenset((
    "column_1", "index", "unnamed:_0",
    "rank", "average", "avg", "mean", "overall", "total", "score", "global_average", "cost", "cost_usd", "price",
    "time", "seconds", "latency", "tokens", "size", "params", "parameters", "year",
))  # fmt: skip
"""Columns of a wide table with other numbers than the scores of a task."""


def read_wide(rows: TableRows, model: str | None, scores: Scores, items: Collection[str] | None) -> Shaped:
    """Read a table with a row for each model and a column for each item.

    model: the column that names the models; None for the first. items: their columns; None to recognise them.
    """
    columns, numbers = _columns(rows)
    if model is None:
        model = rows.header[0]
        if has_numbers(columns[model]):
            raise rows.error(f"no column names the model, and the first, {quoted(model)}, has numbers; use --model")
    names, tasks = _model_names(rows, model, columns[model], numbers), list[str]()
    shaped, ignored, values = Shaped(names, tasks, np.empty((0, 0))), [], []
    for column, own in columns.items():
        if column == model:
            continue
        is_task = column in items if items is not None else column.strip().casefold().replace(" ", "_") not in _NO_TASKS
        of_numbers = has_numbers(own)
        if is_task and (of_numbers or items is not None):
            tasks.append(column)
            values.append(scores.column(column, own, numbers))
        elif of_numbers is None or (of_numbers and items is not None):
            ignored.append(column)
        else:
            shaped.model_columns[column] = tuple(texts_of(own))
    if not values:
        raise rows.error("no column has scores; a wide table has a row per model and a column per item")
    shaped.values = np.array(values).T.copy()
    shown = listed(some_of(shaped.items, _NAMED))
    shaped.notes.append(
        f"A row per model, named by {quoted(model)}; {plural(len(values), 'column')} of scores: {shown}."
    )
    if shaped.model_columns:
        shown = listed(some_of([quoted(column) for column in shaped.model_columns], _NAMED))
        shaped.notes.append(f"About models, not scores: {shown}.")
    if ignored:
        shaped.notes.append(f"Not used: {listed(some_of([quoted(column) for column in ignored], _NAMED))}.")
    return shaped


def _columns(rows: TableRows) -> tuple[dict[str, Sequence[Any]], Sequence[int]]:
    """Return all columns, and the numbers of the rows."""
    numbers: list[int] = []
    cells: list[Sequence[Any]] = []
    for block in rows.blocks:
        numbers += block.numbers
        cells += block.rows
    if not cells:
        raise rows.error("the table has a header and no row")
    return dict(zip(rows.header, zip(*cells, strict=True), strict=True)), numbers


def _model_names(rows: TableRows, column: str, cells: Sequence[Any], numbers: Sequence[int]) -> list[str]:
    """Return the name in each row. Raises UsageError if one is empty or repeated."""
    codes = _Numbers().codes(rows, column, cells, numbers)
    names = texts_of(cells)
    if len(set(codes.tolist())) < len(names):
        at = next(place for place, name in enumerate(names) if name in names[:place])
        first = numbers[names.index(names[at])]
        where = f"{'line' if rows.by_line else 'row'} {first}"
        message = f"model {quoted(names[at])} already has a row, in {where}; delete one of the two"
        raise rows.error(message, numbers[at])
    return names

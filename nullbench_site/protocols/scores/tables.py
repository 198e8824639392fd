"""The tables of a board: scores, costs and times by contestant and item; contestants; items.

scores.csv has a row for each contestant and a column for each item, by id; an empty cell is a missing score. costs.csv
(US dollars) and seconds.csv have the same form. models.csv has fields of a model, items.csv those of an item.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
import numpy as np

from nullbench_site.errors import Problem
from nullbench_site.protocols.scores.specs import ScoredItem, ScoresBoardFile, ScoresCategory, ScoresDomainFile
from nullbench_site.specs.sources import BoardTables
from nullbench_site.specs.table_files import (
    OF_MODELS,
    Cells,
    TableFiles,
    TableRow,
    check_names,
    domains_of,
    models_of,
)
from nullbench_site.stats.arrays import Bools, Floats
from nullbench_site.text import did_you_mean, plural, quoted

OF_ITEMS = ("id", "title", "domain", "category", "cluster", "date", "difficulty", "tags", "link")
"""The columns of items.csv; only id and title are required."""
_NOT_OF_ITEMS = ("domain", "category", "tags")
_NUMBERS: Mapping[str, str] = {"costs": "cost_usd", "seconds": "seconds"}
"""The tables beside the scores -> the column of models.csv that can replace them."""


@dataclass(frozen=True)
class Scores:
    """What the tables of a board say in numbers.

    models, items: ids in sorted order. values: (models, items) in the unit of the board, NaN where there is none.
    numbers: the same of costs, in US dollars, and seconds, where they are known. n_left: how many items of the tables
    are left out, because not every contestant with enough of them has a score.
    """

    models: tuple[str, ...]
    items: tuple[str, ...]
    values: Floats
    numbers: Mapping[str, Floats] = field(default_factory=dict)
    n_left: int = 0

    @cached_property
    def sha256(self) -> str:
        """The digest of everything."""
        digest = hashlib.sha256(msgspec.json.encode((self.models, self.items, sorted(self.numbers))))
        for table in (self.values, *(self.numbers[name] for name in sorted(self.numbers))):
            # One NaN and one zero, so that equal tables have equal bytes.
            digest.update(np.where(np.isnan(table), np.nan, table + 0.0).astype("<f8").tobytes())
        return digest.hexdigest()

    def row(self, table: Floats, model: str, items: Iterable[str]) -> Floats:
        """Return the cells of a contestant for these items."""
        cells: Floats = table[self._rows[model]][[self._columns[item] for item in items]]
        return cells

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return {model: place for place, model in enumerate(self.models)}

    @cached_property
    def _columns(self) -> Mapping[str, int]:
        return {item: place for place, item in enumerate(self.items)}


def read_tables(
    board: ScoresBoardFile, folder: str, files: Mapping[str, bytes]
) -> tuple[BoardTables | None, list[Problem]]:
    """Return the content of the tables of a board, or None, and every problem in them."""
    source = TableFiles(folder, files)
    scores = source.cells("scores.csv", required=True)
    of_models, of_items = source.rows("models.csv", OF_MODELS), source.rows("items.csv", OF_ITEMS)
    beside = {name: cells for name in _NUMBERS if (cells := source.cells(f"{name}.csv")) is not None}
    if source.problems or scores is None:
        return None, source.problems
    check_names(source, "models.csv", of_models, scores.models, "scores.csv")
    check_names(source, "items.csv", of_items, scores.items, "scores.csv")
    for name, cells in beside.items():
        for noun, own, known in (("row", cells.models, scores.models), ("column", cells.items, scores.items)):
            for each in sorted(set(own) - set(known)):
                source.note(f"{name}.csv", 1, f"scores.csv has no {noun} {quoted(each)}; {did_you_mean(each, known)}")
    _check_values(source, board, scores)
    models, items = list(models_of(source, of_models)), list(_items(source, of_items))
    if source.problems:
        return None, source.problems
    content = _content(board, scores, beside, of_models)
    kept = set(content.items)
    of_kept = [(row, item) for row, item in items if item.id in kept]
    domains = domains_of(board, f"{folder}/items.csv", of_kept, ScoresDomainFile, ScoresCategory)
    return BoardTables(models, domains, content), source.problems


def _check_values(source: TableFiles, board: ScoresBoardFile, scores: Cells) -> None:
    """Check that every score is on the scale, and that every contestant has one."""
    low, high = board.scale.low, board.scale.high
    off = np.argwhere((scores.values < low) | (scores.values > high)).tolist()
    for place, column in off[:1]:
        found = f"found {scores.values[place, column]:g} of {quoted(scores.models[place])}"
        others = f"; {plural(len(off) - 1, 'other score')} too" if len(off) > 1 else ""
        advice = "correct it, or change `scale` of the board"
        message = f"{found}, off the scale of {low:g} to {high:g}{others}; {advice}"
        source.note("scores.csv", place + 2, message, scores.items[column])
    for place in np.flatnonzero(np.isnan(scores.values).all(axis=1)).tolist():
        source.note("scores.csv", place + 2, f"{quoted(scores.models[place])} has no score; remove the row")


def _items(source: TableFiles, rows: Sequence[TableRow]) -> Iterator[tuple[TableRow, ScoredItem]]:
    for name in ("domain", "difficulty"):
        without = [row for row in rows if name not in row.cells]
        if 0 < len(without) < len(rows):
            message = f"item {quoted(without[0].id)} has no {name}, but others have one; fill in the column"
            source.problems.append(without[0].problem(name, message))
    for row in rows:
        cells = {name: text for name, text in row.cells.items() if name not in _NOT_OF_ITEMS}
        tags = tuple(row.cells.get("tags", "").split())
        item = source.spec(TableRow(row.document, cells), ScoredItem, tags=tags)
        if item is not None:
            yield row, item


def _content(
    board: ScoresBoardFile, scores: Cells, beside: Mapping[str, Cells], of_models: Sequence[TableRow]
) -> Scores:
    models, items = sorted(scores.models), sorted(scores.items)
    values = _aligned(scores, models, items)
    numbers = {name: _aligned(cells, models, items) for name, cells in beside.items()}
    for name, column in _NUMBERS.items():
        known = {row.id: float(row.cells[column]) for row in of_models if column in row.cells}
        if known and name not in numbers:  # a cost is of all items of a contestant, a time of one item
            n = np.maximum((~np.isnan(values)).sum(axis=1), 1) if name == "costs" else np.ones(len(models))
            of_item = np.array([known.get(model, np.nan) for model in models]) / n
            numbers[name] = np.where(np.isnan(values), np.nan, of_item[:, np.newaxis])
    kept = _kept(values, board.coverage)
    return Scores(
        models=tuple(models),
        items=tuple(item for item, keep in zip(items, kept.tolist(), strict=True) if keep),
        values=values[:, kept],
        numbers={name: table[:, kept] for name, table in numbers.items()},
        n_left=int((~kept).sum()),
    )


def _kept(values: Floats, coverage: float) -> Bools:
    """Return which items count: those of every contestant that has its share of all items; all, if none is left."""
    known = ~np.isnan(values)
    enough = known.mean(axis=1) >= coverage
    kept: Bools = known[enough].all(axis=0)
    return kept if coverage < 1 and enough.any() and kept.any() else np.ones_like(kept)


def _aligned(cells: Cells, models: Sequence[str], items: Sequence[str]) -> Floats:
    """Return the cells in this order, NaN for those that the table does not have."""
    rows, columns = ({name: place for place, name in enumerate(names)} for names in cells[:2])
    values = np.full((len(cells.models) + 1, len(cells.items) + 1), np.nan)
    values[:-1, :-1] = cells.values
    return values[np.ix_([rows.get(model, -1) for model in models], [columns.get(item, -1) for item in items])]

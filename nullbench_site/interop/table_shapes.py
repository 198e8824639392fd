"""Read the two shapes of a table of scores: long, with a row per score, and wide, with a row per model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

import msgspec
import numpy as np
import numpy.typing as npt

from nullbench_site.interop.column_names import facts_in, is_score
from nullbench_site.interop.model_column import all_columns, command_with, distinct_texts, model_column
from nullbench_site.interop.score_cells import (
    Content,
    Scores,
    content_of,
    decimals_of,
    numbers_or_none,
    texts_of,
    values_or_nan,
)
from nullbench_site.interop.score_columns import Choice, Column, NoChoiceError, choose, matching, note, unlike
from nullbench_site.interop.table_rows import TableRows
from nullbench_site.scoring.ranked_table import ColumnUse
from nullbench_site.stats.arrays import Floats, Ints
from nullbench_site.text import did_you_mean, listed, plural, quoted, some_of

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
    columns: list[ColumnUse] = field(default_factory=list)


class Names(dict[str, int]):
    """Numbers names in the order in which they come, so that each is in memory once.

    known: the names in order, each as it is written first. Names in two forms of Unicode are one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.known: list[str] = []
        self._plain: dict[str, int] = {}

    def __missing__(self, name: str) -> int:
        number = self._plain.setdefault(normalize("NFC", name), len(self.known))
        if number == len(self.known):
            self.known.append(name)
        self[name] = number
        return number

    @property
    def notes(self) -> Iterator[str]:
        """Yield names that are written in several forms of Unicode."""
        if several := [self.known[number] for name, number in self.items() if self.known[number] != name]:
            shown = listed(some_of([quoted(name) for name in dict.fromkeys(several)], _NAMED))
            yield f"Written in two forms of Unicode, and one name: {shown}."

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
    names = {"models": Names(), "items": Names()}
    codes: dict[str, list[_Codes]] = {"models": [], "items": []}
    values, numbers, beside = list[Floats](), list[_Codes](), list[dict[str, Floats]]()
    sides = {column: _SideColumn() for column in rows.header if column not in (model, item, score)}
    for block in rows.blocks:
        cells = {column: [row[place] for row in block.rows] for place, column in enumerate(rows.header)}
        at = {
            what: names[what].codes(rows, column, cells[column], block.numbers)
            for what, column in (("models", model), ("items", item))
        }
        read = scores.column(score, cells[score], block.numbers)
        values.append(read.values)
        beside.append(read.beside)
        numbers.append(np.asarray(block.numbers, np.int32))
        for column, side in sides.items():
            side.add(at, cells[column], codes)
        for what, of_block in at.items():
            codes[what].append(of_block)
    if not values:
        raise rows.error("the table has a header and no row")
    models, items = names["models"].known, names["items"].known
    k, n = len(models), len(items)
    if k * n > _MOST_CELLS:
        raise rows.error(f"{plural(k, 'model')} and {plural(n, 'item')} are too many; check --model and --item")
    of_models, of_items = (np.concatenate(codes[what]) for what in ("models", "items"))
    place = of_models.astype(np.int64) * n + of_items
    _check_once(rows, place, np.concatenate(numbers), models, items)
    shaped = Shaped(models, items, _filled(place, np.concatenate(values), k, n))
    shaped.notes.append(f"Columns: {quoted(model)} is the model, {quoted(item)} the item, {quoted(score)} the score.")
    shaped.notes += [note for each in names.values() for note in each.notes]
    for behind in dict.fromkeys(name for each in beside for name in each):
        cells_of = [each.get(behind, np.full(len(own), np.nan)) for each, own in zip(beside, values, strict=True)]
        shaped.cell_columns[behind] = _filled(place, np.concatenate(cells_of), k, n)
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


class Asked(msgspec.Struct, frozen=True):
    """What a user asks of a wide table. model: the column of models; None to find it. named: the user named it.

    scores: columns or patterns.

    items: all columns of scores, as a file of groups names them. scale: the ends of all scores. command: to complete in
    messages; "" in the library.
    """

    model: str | None = None
    scores: Sequence[str] = ()
    items: Collection[str] | None = None
    scale: tuple[float, float] | None = None
    command: str = ""
    named: bool = False


def read_wide(rows: TableRows, scores: Scores, asked: Asked) -> Shaped:
    """Read a table with a row for each model and a column for each item."""
    columns, numbers = all_columns(rows)
    model = model_column(rows, columns, asked.model, asked.command, named=asked.named)
    names = _model_names(rows, model, columns, numbers, asked.command)
    contents = {column: content_of(cells) for column, cells in columns.items() if column != model}
    choice = _choice(rows, columns, contents, numbers, asked)
    shaped = Shaped(names, list(choice.names), np.empty((0, 0)))
    read = [scores.column(column, columns[column], numbers) for column in choice.names]
    shaped.values = np.array([each.values for each in read]).T.copy()
    for behind in dict.fromkeys(name for each in read for name in each.beside):
        gaps = np.full(len(names), np.nan)
        shaped.cell_columns[behind] = np.array([each.beside.get(behind, gaps) for each in read]).T.copy()
    shaped.notes += [f"A row per model, named by {quoted(model)}; {note(choice)}"]
    used = set(choice.names)
    for column, content in contents.items():
        if column in used:
            use = ColumnUse(column=column, use="score", why=choice.why)
        elif content == "empty":
            use = ColumnUse(column=column, use="unused", why="it is empty")
        else:
            use = choice.others.get(column, ColumnUse(column=column, use="text", why="it has texts"))
            shaped.model_columns[column] = tuple(texts_of(columns[column]))
        shaped.columns.append(use)
    shaped.notes += _notes(shaped.columns)
    return shaped


def _notes(uses: Sequence[ColumnUse]) -> Iterator[str]:
    """Yield what became of the columns that are not averaged."""
    of_use: dict[str, list[str]] = {}
    for use in uses:
        of_use.setdefault("empty" if use.why == "it is empty" else use.use, []).append(quoted(use.column))
    shown = {use: listed(some_of(names, _NAMED)) for use, names in of_use.items()}
    if "fact" in shown:
        yield f"Facts by their names, not scores: {shown['fact']}."
    for use in [use for use in uses if use.use == "mean"][:_NAMED]:
        yield f"Left out: {quoted(use.column)} is {use.why}."
    if "unused" in shown:
        why = next(use.why for use in uses if use.use == "unused" and use.why != "it is empty")
        yield f"Not used, since {why}: {shown['unused']}. Choose others with --score."
    if "empty" in shown:
        yield f"Not used: {shown['empty']}."
    if "text" in shown:
        yield f"About models, not scores: {shown['text']}."


def _choice(
    rows: TableRows,
    columns: Mapping[str, Sequence[Any]],
    contents: Mapping[str, Content],
    numbers: Sequence[int],
    asked: Asked,
) -> Choice:
    """Return the columns to average. Raises UsageError with the command that chooses them."""
    if asked.items is not None:
        return _with_others(Choice([name for name in contents if name in asked.items], "named in the groups"), contents)
    if asked.scores:
        found, missing = matching(asked.scores, list(contents))
        if missing is not None:
            raise rows.error(f"no column {quoted(missing)} for --score; {did_you_mean(missing, contents)}")
        if without := [name for name in found if contents[name] == "empty"]:
            raise rows.error(f"column {quoted(without[0])} is empty; choose another with --score")
        chosen = [_column(name, columns[name], contents[name]) for name in found]
        why = "chosen with --score"
        apart = unlike(chosen, asked.scale) if all(column.of_numbers for column in chosen) else None
        if apart is not None and len(chosen) > 1:
            why += f"; they may not share a scale: {apart}"
        return _with_others(Choice(found, why), contents)
    candidates = [
        _column(name, columns[name], content) for name, content in contents.items() if content not in ("text", "empty")
    ]
    for name in contents:
        if any(map(_has_numbers_inside, columns[name])):
            raise rows.error(f"column {quoted(name)} has objects or lists of numbers; write a column for each score")
    if not any(column.of_numbers for column in candidates):
        raise rows.error("no column has scores; a wide table has a row per model and a column per item")
    facts = facts_in([column.name for column in candidates])
    unclear = [each for each in candidates if each.name not in facts and each.content in ("number", "percent")]
    if sum(is_score(column.name) for column in unclear) != 1:
        for column in unclear:
            Scores(rows, asked.scale).column(column.name, columns[column.name], numbers)
    try:
        return choose(candidates, asked.scale)
    except NoChoiceError as error:
        choice = command_with("score", error.likely, asked.command)
        lower = " --lower-is-better" if error.lower_is_better and asked.command else ""
        raise rows.error(f"{error.message()}. Choose: {choice}{lower}") from None


def _has_numbers_inside(cell: object) -> bool:
    inside = cell.values() if isinstance(cell, dict) else cell if isinstance(cell, list) else ()
    return any(isinstance(each, int | float) for each in inside)


def _with_others(choice: Choice, contents: Mapping[str, Content]) -> Choice:
    used = set(choice.names)
    others = {
        name: ColumnUse(column=name, use="unused", why="others are chosen")
        for name, content in contents.items()
        if name not in used and content not in ("text", "empty")
    }
    return Choice(choice.names, choice.why, others)


def _column(name: str, cells: Sequence[Any], content: Content) -> Column:
    shown = next((str(cell).strip() for cell in cells if cell not in (None, "")), "")
    return Column(name, content, values_or_nan(cells), shown, decimals_of(cells))


def _model_names(
    rows: TableRows, column: str, columns: Mapping[str, Sequence[Any]], numbers: Sequence[int], command: str
) -> Sequence[str]:
    """Return the name in each row. Raises UsageError if one is empty or repeated."""
    names = Names()
    codes = names.codes(rows, column, columns[column], numbers).tolist()
    if len(set(codes)) == len(codes):
        return names.known
    first: dict[int, int] = {}
    at = next(place for place, code in enumerate(codes) if first.setdefault(code, place) != place)
    where = f"{rows.unit} {numbers[first[codes[at]]]}"
    known = names.known[codes[at]]
    if texts_of([columns[column][at]])[0] != known:
        where += ", in another form of Unicode"
    message = f"model {quoted(known)} already has a row, in {where}; delete one of the two"
    other = [name for name in distinct_texts(columns) if name != column]
    pairs = [
        name
        for name, cells in columns.items()
        if name != column
        and content_of(cells) == "text"
        and len(set(zip(codes, texts_of(cells), strict=True))) == len(codes)
    ]
    if other:
        message += f", or name another column of models: {command_with('model', other[:1], command)}"
    elif pairs:
        message += f", or name the column of items: {command_with('item', pairs[:1], command)}"
    raise rows.error(message, numbers[at])

"""Read the cells of a table: scores with every problem named, other numbers, and texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from nullbench_site.interop import number_forms
from nullbench_site.interop.number_forms import LARGEST, MISSING, Cell, Mark, NoNumberError, read_cell
from nullbench_site.interop.table_rows import TableRows
from nullbench_site.stats.arrays import Floats
from nullbench_site.text import listed, plural, quoted, some_of

MARGINS, CORRECT, OF = "plus_minus", "n_correct", "n_of"
"""The columns of cells with what is behind a score: 0.4 in "71.2 ± 0.4", 7 and 8 in "87.5 (7/8)"."""
_BEHIND = {MARGINS: "margin", CORRECT: "correct", OF: "of"}
_NAMED = 6
_DECIMALS = re.compile(r"[+-]?[0-9]*(?:[.,]([0-9]*))?(?![0-9.,eE])")
Content: TypeAlias = Literal["number", "percent", "truth", "date", "quantity", "text", "empty"]
"""What a column has: scores, true and false, dates, numbers with a unit, other texts, or nothing."""


class Read(NamedTuple):
    """The scores in a column. beside: the numbers behind them, by the name of their column."""

    values: Floats
    beside: dict[str, Floats]


@dataclass
class Scores:
    """Reads columns of scores, and counts the assumptions about them.

    scale: the two ends that every score must lie between. marks: the decimal mark of each column.
    """

    rows: TableRows
    scale: tuple[float, float] | None = None
    percent: int = 0
    plain: int = 0
    words: int = 0
    truths: int = 0
    more: int = 0
    marks: dict[str, Mark] = field(default_factory=dict)
    behind: dict[str, None] = field(default_factory=dict)

    def column(self, name: str, cells: Sequence[Any], numbers: Sequence[int]) -> Read:
        """Return the scores in a column, NaN for a missing one. Raises UsageError at the first invalid score."""
        values, beside = _as_floats(cells), dict[str, Floats]()
        if values is None or self.marks.get(name) == ",":
            read = self._cells(name, cells, numbers)
            values = np.array([cell.value for cell in read])
            beside = {column: np.array([getattr(cell, own) for cell in read]) for column, own in _BEHIND.items()}
            beside = {column: own for column, own in beside.items() if not np.isnan(own).all()}
            self.behind |= dict.fromkeys(beside)
        else:
            missing = int(np.isnan(values).sum())
            self.plain += missing < len(cells)
            self.words += missing and missing - sum(cell is None for cell in cells)
            if any("." in cell for cell in cells if type(cell) is str):
                self.marks.setdefault(name, ".")
        if self.percent and self.plain:
            at = next((n for cell, n in zip(cells, numbers, strict=True) if "%" in str(cell)), numbers[0])
            raise self.rows.error(f"{name}: some scores have a percent sign and others do not; write all alike", at)
        if np.isinf(values).any():
            at = int(np.flatnonzero(np.isinf(values))[0])
            message = f"{name}: the score {quoted(cells[at])} is infinite; correct it, or leave the cell empty"
            raise self.rows.error(message, numbers[at])
        if (too_large := np.flatnonzero(np.abs(values) > LARGEST)).size:
            at = int(too_large[0])
            raise self.rows.error(f"{name}: the score {values[at]:g} is too large to compare; correct it", numbers[at])
        if self.scale is not None:
            self._check_scale(name, values, numbers, self.scale)
        return Read(values, beside)

    def _check_scale(self, name: str, values: Floats, numbers: Sequence[int], scale: tuple[float, float]) -> None:
        outside = np.flatnonzero((values < scale[0]) | (values > scale[1]))
        if outside.size:
            at = int(outside[0])
            message = f"{name}: the score {values[at]:g} is outside the scale {scale[0]:g} to {scale[1]:g}"
            raise self.rows.error(f"{message}; correct it, or change --scale", numbers[at])

    def _cells(self, name: str, cells: Sequence[Any], numbers: Sequence[int]) -> list[Cell]:
        """Return what the cells of a column say, all with one decimal mark. Raises UsageError at the first other."""
        first = [_cell_or_none(cell) for cell in cells]
        seen = Counter(cell.mark for cell in first if cell is not None and cell.mark)
        mark = self.marks.get(name) or (seen.most_common(1)[0][0] if seen else "?")
        read = []
        for cell, number in zip(cells, numbers, strict=True):
            try:
                own = read_cell(cell, mark)
            except NoNumberError as error:
                raise self.rows.error(f"{name}: {error}", number) from error
            if own.mark and own.mark != mark and isinstance(cell, str):
                which = "a comma" if own.mark == "," else "a point"
                message = f"{name}: the score {quoted(cell.strip())} has {which} as its decimal mark, unlike others"
                raise self.rows.error(f"{message}; write a decimal point in all", number)
            read.append(own)
        if mark != "?":
            self.marks.setdefault(name, mark)
        self.more += sum(cell.more for cell in read)
        kinds = Counter(cell.kind for cell in read)
        self.percent += kinds["percent"]
        self.plain += kinds["plain"]
        self.words += kinds["word"]
        self.truths += kinds["truth"]
        return read

    @property
    def notes(self) -> Iterator[str]:
        """Yield the assumptions about the scores read so far."""
        if self.percent:
            yield "Scores have percent signs; the scale is 0 to 100."
        if self.truths:
            yield "true and false count as 1 and 0."
        if self.words:
            yield f"{plural(self.words, 'cell')} with NaN, NA, null or a dash count as missing."
        if commas := [quoted(name) for name, mark in self.marks.items() if mark == ","]:
            yield f"A comma is the decimal mark in {listed(some_of(commas, _NAMED))}."
        if MARGINS in self.behind:
            yield f"Numbers after ± are kept as {MARGINS!r}; ranks and intervals do not use them."
        if self.more:
            yield f"Numbers in brackets after {plural(self.more, 'score')} are not used."
        if CORRECT in self.behind:
            yield f"Counts such as 7/8 are kept as {CORRECT!r} and {OF!r}; ranks and intervals do not use them."


def _as_floats(cells: Sequence[Any]) -> Floats | None:
    """Return cells that are all numbers or None; None for any other."""
    if any("_" in cell for cell in cells if type(cell) is str):
        return None  # Python and numpy read 1_000 as a number
    try:
        values = np.array(cells, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        return None
    return values if values.ndim == 1 and bool not in set(map(type, cells)) else None


def _cell_or_none(cell: Any, comma: Mark = "?") -> Cell | None:
    try:
        return read_cell(cell, comma)
    except NoNumberError:
        return None


def content_of(cells: Sequence[Any]) -> Content:
    """Return what a column has. A third of numbers makes it one of numbers, even if other cells cannot be read."""
    if (values := _as_floats(cells)) is not None:
        return "empty" if np.isnan(values).all() else "number"
    kinds: Counter[str] = Counter()
    for cell in cells:
        read = _cell_or_none(cell)
        kinds[_other(cell) if read is None else read.kind] += 1
    n = kinds.total() - kinds["empty"] - kinds["word"]
    if not n:
        return "empty"
    if kinds["date"] > n / 2:
        return "date"
    if kinds["quantity"] > n / 2:
        return "quantity"
    if kinds["truth"] == n:
        return "truth"
    if kinds["plain"] + kinds["percent"] + kinds["truth"] + kinds["numberlike"] < n / 3:
        return "text"
    return "percent" if kinds["percent"] > kinds["plain"] else "number"


def values_or_nan(cells: Sequence[Any]) -> Floats:
    """Return the numbers in a column, NaN for a cell without one."""
    if (values := _as_floats(cells)) is not None:
        return values
    read = [_cell_or_none(cell) for cell in cells]
    marks = Counter(cell.mark for cell in read if cell is not None and cell.mark)
    mark = marks.most_common(1)[0][0] if marks else "?"
    again = [_cell_or_none(cell, mark) for cell in cells]
    return np.array([np.nan if cell is None else cell.value for cell in again])


def decimals_of(cells: Sequence[Any]) -> int | None:
    """Return the most decimals of a cell, None if some cells are not written in the usual way."""
    most = 0
    for cell in cells:
        if cell is None or isinstance(cell, int) or (isinstance(cell, str) and cell.strip().casefold() in MISSING):
            continue
        if isinstance(cell, float) and isnan(cell):
            continue
        found = _DECIMALS.match(number_forms.plain_text(cell) if isinstance(cell, str) else repr(cell))
        if found is None:
            return None
        most = max(most, len(found[1] or ""))
    return most


def _other(cell: Any) -> str:
    """Return what a cell is that is not a score."""
    if not isinstance(cell, str):
        return "date" if hasattr(cell, "isoformat") else "text"
    if number_forms.looks_like_a_date(cell):
        return "date"
    if number_forms.looks_like_a_quantity(cell):
        return "quantity"
    return "numberlike" if number_forms.looks_like_a_number(cell) else "text"


def numbers_or_none(cells: Sequence[Any]) -> Floats | None:
    """Return the numbers in a column without scores, NaN for empty cells; None if it contains anything else."""
    return _as_floats([None if cell == "" else cell for cell in cells])


def texts_of(cells: Sequence[Any]) -> list[str]:
    """Return cells as texts without surrounding spaces, empty for None."""
    if set(map(type, cells)) == {str}:
        return list(map(str.strip, cells))
    return [cell.strip() if isinstance(cell, str) else "" if cell is None else _text(cell) for cell in cells]


def _text(cell: Any) -> str:
    """Return 3 for the number 3.0, into which a format may have turned it."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)

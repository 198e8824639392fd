"""Read the cells of a table: scores with every problem named, other numbers, and texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nullbench_site.interop.table_rows import TableRows
from nullbench_site.stats.arrays import Floats
from nullbench_site.text import plural, quoted

_MISSING = frozenset(("", "nan", "na", "n/a", "null", "none", "-"))
_LARGEST = 1e100
"""The square of a larger score would be infinite, or near it."""
_TRUTH = {"true": 1.0, "false": 0.0}
_WITH_COMMA = re.compile(r"[+-]?[\d.]*\d,\d[\d.,]*%?")


class _NoNumberError(ValueError):
    """The problem of the text of a score, and its remedy."""


@dataclass
class Scores:
    """Reads columns of scores, and counts the assumptions about them.

    scale: the two ends that every score must lie between.
    """

    rows: TableRows
    scale: tuple[float, float] | None = None
    percent: int = 0
    plain: int = 0
    words: int = 0
    truths: int = 0

    def column(self, name: str, cells: Sequence[Any], numbers: Sequence[int]) -> Floats:
        """Return the scores in a column, NaN for a missing one. Raises UsageError at the first invalid score."""
        values = _as_floats(cells)
        if values is None:
            values = np.array([self._cell(name, cell, number) for cell, number in zip(cells, numbers, strict=True)])
        else:
            missing = int(np.isnan(values).sum())
            self.plain += missing < len(cells)
            self.words += missing and missing - sum(cell is None for cell in cells)
        if self.percent and self.plain:
            at = next((n for cell, n in zip(cells, numbers, strict=True) if str(cell).strip()[-1:] == "%"), numbers[0])
            raise self.rows.error(f"{name}: some scores have a percent sign and others do not; write all alike", at)
        if np.isinf(values).any():
            at = int(np.flatnonzero(np.isinf(values))[0])
            message = f"{name}: the score {quoted(cells[at])} is infinite; correct it, or leave the cell empty"
            raise self.rows.error(message, numbers[at])
        if (too_large := np.flatnonzero(np.abs(values) > _LARGEST)).size:
            at = int(too_large[0])
            raise self.rows.error(f"{name}: the score {values[at]:g} is too large to compare; correct it", numbers[at])
        if self.scale is not None:
            self._check_scale(name, values, numbers, self.scale)
        return values

    def _check_scale(self, name: str, values: Floats, numbers: Sequence[int], scale: tuple[float, float]) -> None:
        outside = np.flatnonzero((values < scale[0]) | (values > scale[1]))
        if outside.size:
            at = int(outside[0])
            message = f"{name}: the score {values[at]:g} is outside the scale {scale[0]:g} to {scale[1]:g}"
            raise self.rows.error(f"{message}; correct it, or change --scale", numbers[at])

    def _cell(self, name: str, cell: Any, number: int) -> float:
        try:
            value, kind = _number(cell)
        except _NoNumberError as error:
            raise self.rows.error(f"{name}: {error}", number) from error
        self.percent += kind == "percent"
        self.plain += kind == "plain"
        self.words += kind == "word"
        self.truths += kind == "truth"
        return value

    @property
    def notes(self) -> Iterator[str]:
        """Yield the assumptions about the scores read so far."""
        if self.percent:
            yield "Scores have percent signs; the scale is 0 to 100."
        if self.truths:
            yield "true and false count as 1 and 0."
        if self.words:
            yield f"{plural(self.words, 'cell')} with NaN, NA, null or a dash count as missing."


def _as_floats(cells: Sequence[Any]) -> Floats | None:
    """Return cells that are all numbers or None; None for any other."""
    if any("_" in cell for cell in cells if type(cell) is str):
        return None  # Python and numpy read 1_000 as a number
    try:
        values = np.array(cells, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        return None
    return values if values.ndim == 1 and bool not in set(map(type, cells)) else None


def _number(cell: Any) -> tuple[float, str]:
    """Return the number in a cell, and how it is written."""
    if cell is None:
        return float("nan"), "empty"
    if isinstance(cell, bool):
        return float(cell), "truth"
    if isinstance(cell, int) and abs(cell) > _LARGEST:
        raise _NoNumberError(f"the score {quoted(cell, 20)} is too large to compare; correct it")
    if isinstance(cell, int | float):
        return float(cell), "word" if cell != cell else "plain"  # noqa: PLR0124 - only NaN differs from itself
    if not isinstance(cell, str):
        raise _NoNumberError(f"a score is a number, not {quoted(cell)}; write one row per score")
    text = cell.strip()
    if text.casefold() in _MISSING:
        return float("nan"), "word" if text else "empty"
    if text.casefold() in _TRUTH:
        return _TRUTH[text.casefold()], "truth"
    try:
        if "_" in text:
            raise ValueError
        return (float(text[:-1]), "percent") if text[-1] == "%" else (float(text), "plain")
    except ValueError:
        pass
    if _WITH_COMMA.fullmatch(text):
        advice = "write a decimal point, and no separator between thousands"
        raise _NoNumberError(f"the score {quoted(text)} has a comma; {advice}")
    raise _NoNumberError(f"the score {quoted(text)} is not a number; correct it, or leave the cell empty")


def has_numbers(cells: Sequence[Any]) -> bool | None:
    """Return True if a cell is a score, False if all are other texts, None if all are empty."""
    kinds = {_kind(cell) for cell in cells} if _as_floats(cells) is None else {"plain"}
    kinds -= {"empty", "word"}
    return None if not kinds else kinds != {"text"}


def _kind(cell: Any) -> str:
    try:
        return _number(cell)[1]
    except _NoNumberError:
        return "text"


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

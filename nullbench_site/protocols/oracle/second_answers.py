"""Compare the right options with those of further columns of a table, such as `answer_index` beside `answer`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from nullbench_site.protocols.oracle.choosing import (
    LETTERS,
    READING_WORDS,
    Asked,
    Options,
    Places,
    literal,
    placed,
    text_of,
)
from nullbench_site.specs.protocol import Row
from nullbench_site.text import escaped, listed, plural, quoted, shortened

_RIGHT = r"(?:correct|right|gold|golden|ground|truth|gt|true|best|final|expected|target|reference|actual)"
_WHAT = r"(?:answer|ans|option|choice|label|key|solution|response|class)s?"
_HOW = (
    r"(?:index|indices|idx|i|id|ids|letter|char|number|num|nr|no|n|pos|position|place|text|texts|string|str|value|"
    r"values|label|key|name|code|int)"
)
HEADERS = re.compile(
    rf"{_RIGHT}{{1,2}}(?:{_WHAT}){{0,2}}{_HOW}?|{_WHAT}{_RIGHT}{_HOW}?|{_HOW}(?:of(?:the)?)?{_RIGHT}?(?:{_WHAT}|{_RIGHT})|"
    rf"(?:answer|ans|label|key|solution|cop|ideal)s?(?:option|choice|key)?{_HOW}?|answers?spans|assert"
)
"""Headers, as letters and digits only, of columns that may have the right answer too. Their cells decide."""
_ANY = ("letter", "text", "label")
_WAYS = (_ANY, ("index-0",), ("index-1",))
"""Readings of a column. Letters, texts and labels may alternate in one; a number needs the whole column."""


class _Cell(msgspec.Struct):
    """The cell of a further column at a question: its entries, and what these name in each of the ways.

    right: the places that were read.
    """

    asked: Asked
    right: Places
    entries: tuple[str, ...]
    found: tuple[tuple[str, Places] | None, ...]

    def agrees(self, way: int) -> bool:
        """Return True if it names the right options, or is the same text as the cell that was read."""
        found, same = self.found[way], bool(self.entries) and self.entries == self.asked.entries
        return same or (found is not None and set(found[1]) == set(self.right))


def disagreements(
    rows: Sequence[Row],
    asked: Mapping[int, Asked],
    right: Mapping[int, Places],
    entries: Callable[[Any], Sequence[Any]],
) -> list[tuple[int, str]]:
    """Return a problem for each further column that names other options than those that were read, at the first line.

    right: the places that were read, by place of the row. entries: the answers in a cell; ValueError for another cell.
    A column is compared if at least half of its cells are options in one way of reading them; it agrees if all of them
    are the right ones in one way.
    """
    headers, problems = list(rows[0].answers), list[tuple[int, str]]()
    for header in headers:
        is_read = header == headers[0]
        cells = [
            cell
            for at, places in right.items()
            if not (is_read and asked[at].options.right is None)
            and (cell := _cell(rows[at].answers.get(header), asked[at], places, entries)) is not None
        ]
        if cells and (problem := _problem(header, headers[0], cells)) is not None:
            problems.append(problem)
    return problems


def _cell(cell: Any, asked: Asked, right: Places, entries: Callable[[Any], Sequence[Any]]) -> _Cell | None:
    """Return what a cell names, which is nothing if it lists all options; None for an empty cell."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    size = len(asked.options.texts)
    cell = literal(cell)
    if isinstance(cell, list) and len(cell) == size and {text_of(each) for each in cell} == {"0", "1"}:
        marks = tuple(text_of(each) for each in cell)
        ones = tuple(place for place, mark in enumerate(marks) if mark == "1")
        return _Cell(asked, right, marks, (("marks", ones),) * len(_WAYS))
    try:
        found = tuple(text_of(each) for each in entries(cell))
    except ValueError:
        return _Cell(asked, right, (text_of(cell),), (None,) * len(_WAYS))
    ways = tuple(_named(way, found, asked.options) for way in _WAYS)
    most = size if len(right) == size else size - 1
    return _Cell(asked, right, found, tuple(way if way and len(way[1]) <= most else None for way in ways))


def _named(way: Sequence[str], entries: Sequence[str], options: Options) -> tuple[str, Places] | None:
    """Return the first reading that fits all entries, and the places that they name."""
    for reading in way:
        places = [placed(reading, entry, options) for entry in entries]
        if entries and None not in places:
            return reading, tuple(dict.fromkeys(place for each in places for place in each or ()))
    return None


def _problem(header: str, first: str, cells: Sequence[_Cell]) -> tuple[int, str] | None:
    """Return the problem of a column at its first line, None without one. first: the column that was read."""
    ways = range(len(_WAYS))
    wrong = [[cell for cell in cells if not cell.agrees(way)] for way in ways]
    read = [sum(cell.found[way] is not None for cell in cells) for way in ways]
    if not all(wrong) or 2 * max(read) < len(cells):
        return None
    way = max(ways, key=lambda each: (read[each], -len(wrong[each])))
    cell, differ = wrong[way][0], len(wrong[way])
    entry, found, options = quoted(shortened("|".join(cell.entries), 40)), cell.found[way], cell.asked.options
    if found is None:
        says = f"{entry}, which is none of the {len(options.texts)} options"
    else:
        how = "" if found[0] == "marks" else f" as {READING_WORDS[found[0]]}"
        says = f"{_shown(options, found[1])} ({entry}{how})"
    of = "the options mark" if header == first else f"{quoted(first)} has"
    count = f"{differ} of {plural(len(cells), 'row')} {'disagrees' if differ == 1 else 'disagree'}"
    advice = "correct one of the two"
    if header != first:
        choices = [f"--column {escaped(shlex.quote(f'answer={each}'))}" for each in (first, header)]
        advice = f"correct the file, or choose one with {' or '.join(choices)}"
    both = f"{of} {_shown(options, cell.right)} as right, but {quoted(header)} has {says}"
    return cell.asked.line, f"{both}; {count}; {advice}"


def _shown(options: Options, places: Places) -> str:
    return escaped(listed([f"{LETTERS[at]}) {shortened(options.texts[at], 40)}" for at in places]))

"""Read the labels of a board's answers from CSV, and check that they fit the board."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.sources import LabelRow, SpecFile, SpecFiles
from nullbench_site.text import did_you_mean, quoted

COLUMNS = ("item", "contestant", "rater", "value", "probability")
TICKED = "|"
"""Stands between the values of a rater who finds several right."""
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\Z")
NO_PROBABILITY = (
    "no probability of being drawn, and without it rates are biased; write a number such as 0.25, or 1 if every answer "
    "has a label"
)


def value_of(cell: str) -> float | None:
    """Return the mean of the ticked values of a cell, such as `3` or `3|4`; None if it is not of this form."""
    values = [each.strip() for each in cell.split(TICKED)]
    if not all(map(_NUMBER.match, values)):
        return None
    return sum(map(float, values)) / len(values)


def off_scale(cell: str, labels: types.Labels) -> bool:
    """Return True if one of the ticked values of a cell is outside the scale."""
    return any(not labels.low <= float(each) <= labels.high for each in cell.split(TICKED))


def read_labels(folder: str, name: str, raw: bytes) -> tuple[list[LabelRow], list[Problem]]:
    """Return the labels of a CSV file with their lines, and every problem of its form. folder: as messages show it."""
    from nullbench_site.specs.table_files import TableFiles  # noqa: PLC0415 - needs numpy

    table, read = TableFiles(folder, {name: raw}), list[LabelRow]()
    for row in table.rows(name, COLUMNS, COLUMNS):
        cells, before = row.cells, len(table.problems)
        for column in COLUMNS[:3]:
            if column not in cells:
                table.problems.append(row.problem(column, "the cell is empty; write an id"))
        value = value_of(cells.get("value", ""))
        if value is None:
            message = f"found {quoted(cells.get('value', ''))}; write a number, or several with {TICKED} between them"
            table.problems.append(row.problem("value", message))
        probability = cells.get("probability", "")
        if not probability:
            table.problems.append(row.problem("probability", NO_PROBABILITY))
        elif not (_NUMBER.match(probability) and 0 < float(probability) <= 1):
            table.problems.append(
                row.problem("probability", f"found {quoted(probability)}; write a number above 0, up to 1")
            )
        if len(table.problems) == before and value is not None:
            label = types.Label(
                item=cells["item"], contestant=cells["contestant"], rater=cells["rater"], value=value,
                probability=float(probability),
            )  # fmt: skip
            read.append(LabelRow(label, row.document, cells["value"]))
    return read, table.problems


def labels_fit(files: SpecFiles) -> Iterator[Problem]:
    """Check that the labels of each board are about its answers, on their scale, and about drawn answers."""
    for source in files.boards:
        labels = getattr(source.spec, "labels", None)
        if labels is None:
            continue
        if (labels.board is None) == (labels.file is None):
            yield source.document.problem(
                ["labels"], "labels are of a board or in a file; set one of `board` and `file`"
            )
        if labels.use is not None and labels.board is None:
            message = "only the labels of a board can be more than are used; set `board`, or remove `use`"
            yield source.document.problem(["labels", "use"], message)
        if labels.low >= labels.high:
            yield source.document.problem(
                ["labels"], f"low {labels.low:g} is not below high {labels.high:g}; swap them"
            )
        if source.spec.draws > 1:
            message = "a label is about one answer to an item; set `samples: 1` and one template"
            yield source.document.problem(["labels"], message)
        if labels.board is not None:
            yield from _of_board(files, source, labels.board)
        yield from _of_file(files, source, labels, files.labels.get(source.spec.id, ()))


def _of_board(files: SpecFiles, source: SpecFile[types.BoardFile], name: str) -> Iterator[Problem]:
    """Check that a board with keys shares contestants with this one."""
    others = {other.spec.id: other.spec for other in files.boards if other.spec.id != source.spec.id}
    at = ["labels", "board"]
    if name not in others:
        yield source.document.problem(at, f"there is no other board {quoted(name)}; {did_you_mean(name, others)}")
        return
    other = others[name]
    if isinstance(other, types.JudgedBoardFile):
        message = f"judges mark the answers of board {quoted(name)}; name a board whose answers keys mark"
        yield source.document.problem(at, message)
    both = ({model.spec.id for model in files.of_board(board.contestants)} for board in (source.spec, other))
    if not set.intersection(*both):
        message = f"no overlap: board {quoted(name)} has no contestant of this board; add them to `contestants`"
        yield source.document.problem(at, message)


def _of_file(
    files: SpecFiles, source: SpecFile[types.BoardFile], labels: types.Labels, rows: Sequence[LabelRow]
) -> Iterator[Problem]:
    """Check the labels of a file."""
    board = source.spec
    items = {
        item.id
        for domain in files.domains
        if domain.spec.id in board.domains
        for category in domain.spec.categories
        for item in category.items
    }
    contestants = {model.spec.id for model in files.of_board(board.contestants)}
    raters = Counter(row.label.rater for row in rows)
    seen, drawn = dict[tuple[str, str, str], int](), dict[tuple[str, str], float]()
    for row in rows:
        label = row.label
        for column, noun, known in (("item", "item", items), ("contestant", "contestant", contestants)):
            name = getattr(label, column)
            if name not in known:
                message = f"board {quoted(board.id)} has no {noun} {quoted(name)}; {did_you_mean(name, known)}"
                yield row.document.problem([column], message)
        if off_scale(row.cell, labels):
            advice = f"the scale is {labels.low:g} to {labels.high:g}, the `low` and `high` of the board's labels"
            yield row.document.problem(["value"], f"{quoted(row.cell)} is off the scale; {advice}")
        if raters[label.rater] == 1:
            message = f"rater {quoted(label.rater)} has one label, which shows nothing about a judge; remove it"
            yield row.document.problem(["rater"], f"{message}, or add more")
        answer = label.item, label.contestant
        if (line := seen.setdefault((*answer, label.rater), row.document.line)) != row.document.line:
            message = f"{quoted(label.rater)} has a label of this answer on line {line} too; keep one"
            yield row.document.problem(["rater"], message)
        if drawn.setdefault(answer, label.probability) != label.probability:
            message = f"this answer was drawn with probability {drawn[answer]:g} on an earlier line; write one number"
            yield row.document.problem(["probability"], message)

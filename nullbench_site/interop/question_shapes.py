"""Bring tables of questions of public benchmarks and other tools into columns: prompt, options, answer.

Shapes: a column for each option, right and wrong answers apart, objects in cells, and a table without a header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from nullbench_site.protocols.oracle.choosing import LETTERS, sorted_options, text_of
from nullbench_site.text import listed, quoted, slug

_OPTION = re.compile(
    r"(option|opt|op|choice|answer|ans|sol|solution|ending|candidate|alternative|alt|)s?_?([a-z]|[0-9]{1,2})"
)
_WRONG = re.compile(r"(?:incorrect|wrong|false)_?(?:answer|option|choice)s?_?[0-9]*|distractors?_?[0-9]*")
_RIGHT = ("correct_answer", "correct", "right_answer", "best_answer", "answer", "correct_option", "correct_choice")
_SAME = ("equals", "contains", "icontains", "equals-any", "contains-any", "icontains-any")
_EXPECTED = re.compile(r"(equals|i?contains(?:-any)?): *(.*)", re.DOTALL)
_MOST_OPTIONS = 10


class Shaped(msgspec.Struct):
    """The columns of a table and its rows. The rows that do not fit have their problem, by line."""

    header: list[str]
    numbers: list[int]
    rows: list[list[Any]]
    notes: list[str] = []
    problems: list[tuple[int, str]] = []

    def cells(self, at: int) -> list[Any]:
        return [row[at] for row in self.rows]

    def add(self, name: str, cells: Sequence[Any]) -> None:
        """Add a column; one of this name gets another."""
        while name in self.header:
            name += "_"
        self.header.append(name)
        for row, cell in zip(self.rows, cells, strict=True):
            row.append(cell)

    def change(self, at: int, change: Callable[[Any], Any]) -> None:
        """Change the cells of a column. A ValueError is a problem of its row."""
        for number, row in zip(self.numbers, self.rows, strict=True):
            try:
                row[at] = change(row[at])
            except ValueError as error:
                self.problems.append((number, str(error)))
                row[at] = None


def plain(header: str) -> str:
    """Return a header as columns are recognised by it."""
    return slug(header, kept="").replace("-", "_")


def without_header(shaped: Shaped) -> None:
    """Take the first line as a row if every line is a prompt, its options and a letter of these, as in MMLU."""
    lines = [shaped.header, *shaped.rows]
    options = len(shaped.header) - 2
    if not 2 <= options <= _MOST_OPTIONS or not all(isinstance(cell, str) for line in lines for cell in line):
        return
    if not all(len(line[-1].strip()) == 1 and line[-1].strip() in LETTERS[:options] for line in lines):
        return
    shaped.rows.insert(0, list(shaped.header))
    shaped.numbers.insert(0, 1)
    shaped.header = ["question", *LETTERS[:options], "answer"]
    shaped.notes.append("Line 1 is a question, so the file has no header: the prompt, its options and a letter")


def flatten(shaped: Shaped) -> None:
    """Bring objects in cells into columns: variables and assertions of promptfoo, messages, answers with aliases."""
    for at, header in enumerate(list(shaped.header)):
        name, cells = plain(header), [cell for cell in shaped.cells(at) if cell is not None]
        objects = bool(cells) and all(isinstance(cell, Mapping) for cell in cells)
        if objects and (name == "vars" or (name in ("question", "doc") and all("stem" in cell for cell in cells))):
            keys = dict.fromkeys(key for cell in cells for key in cell)
            for key in keys:
                shaped.add(str(key), [(row[at] or {}).get(key) for row in shaped.rows])
            shaped.header[at] = f"{header} (object)"
        elif name == "assert":
            shaped.change(at, _asserted)
            shaped.header[at] = "answer" if "answer" not in shaped.header else header
        elif name == "expected" and header.startswith("__"):
            shaped.change(at, _expected)
        elif name == "input" and any(isinstance(cell, list) for cell in cells):
            shaped.change(at, _messages)
        elif name in ("answer", "answers", "answers_spans"):
            shaped.change(at, _answers)


def _asserted(cell: Any) -> Any:
    """Return the right answers in the assertions of a test of promptfoo."""
    cell = [cell] if isinstance(cell, Mapping) else cell
    found = [each for each in cell or () if isinstance(each, Mapping) and each.get("type") in _SAME]
    if not isinstance(cell, list) or len(found) != len(cell) or len(found) != 1 or "value" not in found[0]:
        raise ValueError(f"a test needs one assertion for a key: {', '.join(_SAME[:3])} or one of these with -any")
    return found[0]["value"]


def _expected(cell: Any) -> Any:
    text = str(cell or "")
    if match := _EXPECTED.fullmatch(text):
        return [each.strip() for each in match[2].split(",")] if match[1].endswith("-any") else match[2]
    if re.match(r"[a-z]+(?:-[a-z]+)*(?:\([0-9.]*\))?:", text):
        raise ValueError(f"the assertion {quoted(text.partition(':')[0])} is no key; write equals: or contains:")
    return cell


def _messages(cell: Any) -> Any:
    """Return the text of messages before an answer: of a system and a user."""
    if not isinstance(cell, list):
        return cell
    roles = [each.get("role") if isinstance(each, Mapping) else None for each in cell]
    if roles not in (["user"], ["system", "user"]) or not all(isinstance(each.get("content"), str) for each in cell):
        raise ValueError("the input has several turns; write one prompt, from a user or from a system and a user")
    return "\n\n".join(each["content"] for each in cell)


def _answers(cell: Any) -> Any:
    """Return the accepted texts of an object as SQuAD, TriviaQA and DROP write it, and other cells unchanged."""
    if not isinstance(cell, Mapping) or "type" in cell:
        return cell
    if "value" in cell and ("aliases" in cell or "normalized_aliases" in cell):
        return [cell["value"], *(cell.get("aliases") or ())]
    if isinstance(cell.get("text"), list):
        return cell["text"]
    if "spans" in cell:
        spans = list(dict.fromkeys(text_of(each) for each in cell["spans"] or ()))
        number, date = cell.get("number"), cell.get("date") or {}
        dated = " ".join(str(date[part]) for part in ("day", "month", "year") if date.get(part))
        found = spans or [text_of(each) for each in (number, dated) if each not in (None, "")]
        if len(found) != 1:
            raise ValueError(f"the answer has {len(found)} spans; write one answer, or a list of right wordings")
        return found[0]
    return cell


def with_options(shaped: Shaped) -> None:
    """Add a column of options if each option has a column, or if right and wrong answers have columns of their own."""
    names = [plain(header) for header in shaped.header]
    if any(name in ("options", "choices", "endings", "mc1_targets", "target_scores") for name in names):
        _marked(shaped, names)
        return
    if (family := _family(names)) is not None:
        shown = f"{shaped.header[family[0]]} ... {shaped.header[family[-1]]}"
        cells = [[row[at] for at in family] for row in shaped.rows]
        for number, options in zip(shaped.numbers, cells, strict=True):
            if all(option in (None, "") for option in options):
                shaped.problems.append((number, f"the columns {shown} are empty; write the options"))
        shaped.notes.append(f"Options: from the columns {listed([quoted(shaped.header[at]) for at in family])}")
        shaped.add("options", cells)
        for at in family:
            shaped.header[at] = f"{shaped.header[at]} (option)"
        return
    _right_and_wrong(shaped, names)


def _family(names: Sequence[str]) -> list[int] | None:
    """Return the places of columns that are the options in their order: A to D, option_1 to option_4, ending0 ..."""
    found: dict[str, dict[str, int]] = {}
    for at, name in enumerate(names):
        if match := _OPTION.fullmatch(name):
            found.setdefault(match[1], {})[match[2]] = at
    for numbered in found.values():
        for symbols in (LETTERS.lower(), "123456789", "0123456789"):
            places = []
            for symbol in symbols:
                if symbol not in numbered:
                    break
                places.append(numbered[symbol])
            if len(places) >= 2 and len(places) == len(numbered):
                return places
    return None


def _marked(shaped: Shaped, names: Sequence[str]) -> None:
    """Name an answer column for options that say which of them is right."""
    known = ("mc1_targets", "target_scores")
    at = next((at for at, name in enumerate(names) if name in known), None)
    if at is not None and not {"answer", "label", "target"} & set(names):
        shaped.header[at] = "options"
        shaped.add("answer", ["marked"] * len(shaped.rows))


def _right_and_wrong(shaped: Shaped, names: Sequence[str]) -> None:
    wrong = [at for at, name in enumerate(names) if _WRONG.fullmatch(name)]
    right = next((at for name in _RIGHT for at, each in enumerate(names) if each == name), None)
    if not wrong or right is None:
        return
    cells: list[Any] = []
    for number, row in zip(shaped.numbers, shaped.rows, strict=True):
        others = [each for at in wrong for each in (row[at] if isinstance(row[at], list) else [row[at]])]
        try:
            cells.append(sorted_options([row[right]], [each for each in others if each not in (None, "")]))
        except ValueError as error:
            shaped.problems.append((number, str(error)))
            cells.append(None)
    of = listed([quoted(shaped.header[at]) for at in (right, *wrong)])
    shaped.notes.append(f"Options: from the columns {of}, in the order of their texts")
    shaped.add("options", cells)
    for at in wrong:
        shaped.header[at] = f"{shaped.header[at]} (option)"

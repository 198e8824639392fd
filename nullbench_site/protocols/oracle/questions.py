"""Make keys of the answers in a table of questions. The whole column decides how an ambiguous answer is read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from nullbench_site.protocols.oracle.amounts import PERCENT, Amount, amount
from nullbench_site.protocols.oracle.choosing import (
    LETTERS,
    READINGS,
    Asked,
    Options,
    chosen,
    is_listed,
    literal,
    options_of,
    text_of,
)
from nullbench_site.protocols.oracle.second_answers import disagreements
from nullbench_site.specs.protocol import ReadItems, Row
from nullbench_site.text import listed, plural, quoted, short_line, some_of

ANSWERS = (*READINGS, "number")
"""How the user can say that answers are to be read."""
_NAMED = 3
_WORKED = re.compile(r"(?m)^[ \t]*####(.*)$")
_CONCLUDED = re.compile(r"(?:the )?(?:final |correct )?answer(?: is)?[ :]+(\S.*?)\.?", re.IGNORECASE)
_BOX = re.compile(r"\\(?:boxed|fbox) ?\{")
_LINE_OF_OPTION = re.compile(r"[ \t]*\(?([A-Z])[).:][ \t]*(\S.*)")
_YES, _NO = ("yes", "true"), ("no", "false")
_LEAD = (
    r"(?:(?:so|therefore|thus|hence|well|it is|it's|that is|that's|this is|the (?:claim|statement|answer) is)\b[\W_]*)*"
)
_TRUTHS: Mapping[bool, str] = {
    True: rf"(?is)[\W_]*{_LEAD}(?:yes|true)\b.*",
    False: rf"(?is)[\W_]*{_LEAD}(?:no|false|not true|untrue)\b.*",
}
"""Patterns of responses that affirm or deny. They begin with it, as in "No, it is not."."""


class _Open(msgspec.Struct):
    """A question without options. cut: from a worked solution."""

    line: int
    entries: list[Any]
    cut: bool = False

    @property
    def single(self) -> str | None:
        return text_of(self.entries[0]) if len(self.entries) == 1 else None


def read_items(rows: Sequence[Row], answers: str) -> ReadItems:
    """Return the items of rows with prompt, answer, and perhaps options and context. answers: one of ANSWERS, or ""."""
    return _Reading(rows, answers).read()


class _Reading:
    """The rows of a table, their keys and problems so far."""

    def __init__(self, rows: Sequence[Row], answers: str) -> None:
        self.rows, self.answers = rows, answers
        self.keys: list[dict[str, Any] | None] = [None] * len(rows)
        self.options: list[Options | None] = [None] * len(rows)
        self.inline = [False] * len(rows)
        self.problems: list[tuple[int, str]] = []
        self.notes: list[str] = []

    def read(self) -> ReadItems:
        open_: list[int] = []
        asked: dict[int, Asked] = {}
        for at, row in enumerate(self.rows):
            answer = row.cells["answer"]
            if isinstance(answer, Mapping) and "type" in answer:
                self.keys[at] = dict(answer)
            elif "options" in row.cells:
                self._with_options(at, row, asked)
            else:
                open_.append(at)
        open_ = self._options_in_prompts(open_, asked)
        self._choices(asked)
        self._open_keys(open_)
        self._count()
        data = [self._data(row, key, at) for at, (row, key) in enumerate(zip(self.rows, self.keys, strict=True))]
        return ReadItems(data, self.problems, self.notes)

    def _with_options(self, at: int, row: Row, asked: dict[int, Asked]) -> None:
        try:
            self.options[at] = options = options_of(row.cells["options"])
            entries = [] if options.right is not None else _entries(row.cells["answer"])
        except ValueError as error:
            self.problems.append((row.line, str(error)))
            return
        asked[at] = Asked(row.line, tuple(text_of(each) for each in entries), options)

    def _options_in_prompts(self, open_: list[int], asked: dict[int, Asked]) -> list[int]:
        """Move questions whose prompts list their options, and whose answers are letters of these, to the choices."""
        if self.answers in ("text", "number"):
            return open_
        found = {at: options for at in open_ if (options := _listed_options(self.rows[at]))}
        if not found or len(found) < len(open_):
            return open_
        for at, options in found.items():
            self.options[at], self.inline[at] = options, True
            answer = text_of(self.rows[at].cells["answer"])
            asked[at] = Asked(self.rows[at].line, (answer,), options)
        self.notes.append("Options: from the lines A), B) ... of the prompts")
        return []

    def _choices(self, asked: Mapping[int, Asked]) -> None:
        if not asked:
            return
        stated = self.answers if self.answers in READINGS else ""
        places, problems = chosen(list(asked.values()), stated, self.rows[0])
        self.problems += problems
        read = {at: right for at, right in zip(asked, places, strict=True) if right}
        self.problems += disagreements(self.rows, asked, read, _entries)
        for (at, each), right in zip(asked.items(), places, strict=True):
            if right is None:
                continue
            if not right:
                self.problems.append((each.line, "no option is marked as right; mark one, or delete the row"))
                continue
            letters = [LETTERS[place] for place in sorted(right)]
            options = dict(zip(LETTERS, each.options.texts, strict=False))
            self.keys[at] = {
                "type": "multiple-choice", "options": options, "correct": letters[0] if len(letters) == 1 else letters
            }  # fmt: skip

    def _open_keys(self, open_: Sequence[int]) -> None:
        questions: dict[int, _Open] = {}
        for at in open_:
            row = self.rows[at]
            try:
                questions[at] = _open(row)
            except ValueError as error:
                self.problems.append((row.line, str(error)))
        if any(each.cut for each in questions.values()):
            cut = sum(each.cut for each in questions.values())
            self.notes.append(
                f"Worked solutions: the result of {plural(cut, 'answer')} is the key; the rest is left out"
            )
        singles = [each.single for each in questions.values()]
        truths = _truths(singles) if self.answers == "" else None
        column = _Column([each for each in questions.values() if each.single is not None], self.answers)
        self.problems += column.problems()
        for at, each in questions.items():
            if truths is not None and each.single is not None:
                self.keys[at] = {"type": "regex", "pattern": _TRUTHS[truths[each.single.casefold()]], "full": True}
            else:
                self.keys[at] = column.key(each)
        if truths is None:
            self.notes += column.notes()

    def _count(self) -> None:
        """Note how many keys of each type there are, with an example of each."""
        counts = Counter(key["type"] for key in self.keys if key)
        parts = []
        for kind, count in counts.items():
            at = next(at for at, key in enumerate(self.keys) if key and key["type"] == kind)
            key = self.keys[at] or {}
            parts.append(f"{count} {kind}, such as {_example(key, self.rows[at].cells['answer'])}")
        if parts and self.rows[0].of_table:
            self.notes.append(f"Keys: {'; '.join(parts)}")

    def _data(self, row: Row, key: dict[str, Any] | None, at: int) -> dict[str, Any] | None:
        if key is None:
            return None
        fields = {name: cell for name, cell in row.cells.items() if name not in ("answer", "options", "context")}
        if "context" in row.cells:
            fields["prompt"] = f"{text_of(row.cells['context'])}\n\n{fields['prompt']}"
        options = self.options[at]
        if options is not None and not self.inline[at]:
            lines = [f"{letter}) {text}" for letter, text in zip(LETTERS, options.texts, strict=False)]
            if not all(line in fields["prompt"] for line in lines):
                fields["prompt"] = "\n".join([fields["prompt"], *lines])
        return {**fields, "key": key}


def _example(key: Mapping[str, Any], answer: Any) -> str:
    match key:
        case {"type": "multiple-choice", "options": {} as options, "correct": correct}:
            return ", ".join(f"{letter}) {short_line(str(options.get(letter)), 40)}" for letter in correct)
        case {"type": "numeric", "value": value}:
            return f"{value:.15g}{' %' if key.get('unit') == list(PERCENT) else ''}"
        case {"type": "exact", "accepted": [first, *others]}:
            return quoted(short_line(str(first), 40)) + (f" and {plural(len(others), 'other')}" if others else "")
        case {"type": "regex", "pattern": pattern} if pattern in _TRUTHS.values():
            return "yes or true" if pattern == _TRUTHS[True] else "no or false"
    return quoted(short_line(text_of(answer), 40))


def _listed_options(row: Row) -> Options | None:
    """Return the options that the lines of a prompt list, if the answer is a letter of one of these."""
    answer = row.cells["answer"]
    if not isinstance(answer, str) or not re.fullmatch(r"\(?[A-Z]\)?[.:]?", answer.strip()):
        return None
    lines = [match for line in str(row.cells["prompt"]).split("\n") if (match := _LINE_OF_OPTION.fullmatch(line))]
    if len(lines) < 2 or [match[1] for match in lines] != list(LETTERS[: len(lines)]):
        return None
    letter = re.sub(r"[^A-Z]", "", answer)
    return Options(tuple(match[2].strip() for match in lines)) if letter in LETTERS[: len(lines)] else None


def _entries(cell: Any) -> list[Any]:
    """Return the answers in a cell: those of a list, or texts with | between. Raises ValueError for another list."""
    if isinstance(cell, str) and is_listed(cell):
        cell = literal(cell)
        if isinstance(cell, str):
            raise ValueError("the answer looks like a list, but cannot be read as one; write a JSON list")
    if isinstance(cell, Mapping):
        raise ValueError(
            f"the answer is an object with {listed([quoted(key) for key in cell])}; write a text or a list"
        )
    if isinstance(cell, list):
        flat = [each for each in cell if each not in ("", None)]
        if any(isinstance(each, list | dict) for each in flat):
            raise ValueError("the answer is a list of lists or objects; write a list of texts")
    else:
        flat = _split(cell) if isinstance(cell, str) else [cell]
    entries = [each.replace("\r\n", "\n").strip() if isinstance(each, str) else each for each in flat]
    if not entries:
        raise ValueError("the answer is empty; write it, or delete the row")
    return list({text_of(each).casefold(): each for each in reversed(entries)}.values())[::-1]


def _split(cell: str) -> list[str]:
    """Return the parts of a text at |, unless these are marks of an absolute value or of a condition, as in P(A|B)."""
    parts = [part.strip() for part in cell.split("|")]
    balanced = all(part.count("(") == part.count(")") and part.count("[") == part.count("]") for part in parts)
    return parts if balanced and all(parts) else [cell]


def _open(row: Row) -> _Open:
    """Return the answers of a question without options. Raises ValueError for one that is too long for a key."""
    cell = row.cells["answer"]
    if isinstance(cell, str) and (result := _result(cell.replace("\r\n", "\n").strip())) is not None:
        return _Open(row.line, [result], cut=True)
    entries = _entries(cell)
    if any("\n" in text_of(each) for each in entries):
        advice = (
            "write one short answer, end a worked solution with a line '#### ANSWER', or put | between right answers"
        )
        raise ValueError(f"the answer has several lines; {advice}")
    return _Open(row.line, entries)


def _result(text: str) -> str | None:
    """Return the result of a worked solution: after ####, in its last box, or after "The answer is" at its end."""
    if marked := [line for each in _WORKED.findall(text) if (line := each.strip())]:
        return str(marked[-1])
    if boxes := list(_BOX.finditer(text)):
        return _boxed(text, boxes[-1].end())
    last = text.rsplit("\n", 1)[-1].strip()
    concluded = _CONCLUDED.fullmatch(last) if "\n" in text else None
    return concluded[1] if concluded else None


def _boxed(text: str, start: int) -> str | None:
    depth = 1
    for at in range(start, min(len(text), start + 1000)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at].strip() or None
    return None


def _truths(singles: Sequence[str | None]) -> Mapping[str, bool] | None:
    """Return the truth of each answer if all answers of a column are yes or no, or true or false."""
    found = {"" if each is None else each.casefold() for each in singles}
    for words in (("yes", "no"), ("true", "false")):
        if found and found <= set(words):
            return {words[0]: True, words[1]: False}
    return None


class _Column:
    """The single answers of a column, and how its numbers are written."""

    def __init__(self, questions: Sequence[_Open], answers: str) -> None:
        self.questions, self.answers = questions, answers
        texts = [(each.line, each.entries[0]) for each in questions if isinstance(each.entries[0], str)]
        self.written = {line: (text, found) for line, text in texts if (found := amount(text)) is not None}
        self.all_numbers = len(self.written) == len(texts)
        decimals = {len(text.partition(".")[2]) for text, found in self.written.values() if "." in text}
        plain = all(found.written in ("padded", "decimal") for _, found in self.written.values())
        zeros = any(
            text.lstrip("+-")[:1] == "0" and text.lstrip("+-")[1:2].isdigit() for text, _ in self.written.values()
        )
        lengths = {len(text) for text, _ in self.written.values()}
        # As postal codes and telephone numbers are written.
        self.codes = zeros and len(lengths) == 1 and all(text.isdigit() for text, _ in self.written.values())
        self.same_decimals = self.all_numbers and plain and len(decimals) == 1 and len(texts) > 1 and not zeros

    def _amount(self, each: _Open) -> Amount | None:
        return self.written[each.line][1] if each.line in self.written else None

    def _is_number(self, found: Amount) -> bool:
        if self.answers in ("number", "text"):
            return self.answers == "number"
        return not self.codes and (not found.ambiguous or self.same_decimals)

    def problems(self) -> Iterator[tuple[int, str]]:
        """Yield the answers that are no number, if all have to be, and those that may be two different numbers."""
        if self.answers == "text":
            return
        comma = next((text for text, found in self.written.values() if found.written == "decimal comma"), None)
        point = next(
            (text for text, found in self.written.values() if found.written == "decimal" and not found.one_group), None
        )
        for each in self.questions:
            found, entry = self._amount(each), each.entries[0]
            if found is None:
                if self.answers == "number" and not isinstance(entry, int | float):
                    message = f"the answer {quoted(short_line(text_of(entry), 40))} is not a number"
                    yield each.line, f"{message}; fix it, or leave out --answers number"
            elif found.one_group and comma is not None and point is None:
                text = str(entry)
                bare = re.sub("[.,]", "", text)
                two = f"{bare} or {text.replace(',', '.')}"
                advice = "write it without separators of thousands and with a decimal point, or add --answers text"
                yield (
                    each.line,
                    f"the answer {quoted(text)} may be {two}, as {quoted(comma)} has a decimal comma; {advice}",
                )

    def key(self, each: _Open) -> dict[str, Any]:
        first, found = each.entries[0], self._amount(each) if len(each.entries) == 1 else None
        if len(each.entries) == 1 and isinstance(first, int | float) and not isinstance(first, bool):
            if self.answers != "text":
                return {"type": "numeric", "value": int(first) if float(first).is_integer() else first}
        elif found is not None and self._is_number(found):
            unit = {"unit": list(PERCENT)} if found.written == "percent" else {}
            return {"type": "numeric", "value": found.value, **unit}
        texts = [text_of(entry) for entry in each.entries]
        # A single letter is also a word of many sentences.
        apart = all(len(text) > 1 or text.isdigit() for text in texts)
        return {"type": "exact", "accepted": texts, **({"in_sentence": True} if apart else {})}

    def notes(self) -> Iterator[str]:
        """Yield a sentence about numbers that are kept as texts, and about texts that are read as numbers."""
        texts, numbers = [], []
        for line, (text, found) in self.written.items():
            if not self._is_number(found):
                texts += [f"{quoted(text)} (line {line})"]
            elif found.written not in ("plain", "decimal", "padded"):
                sign = " %" if found.written == "percent" else ""
                numbers += [f"{quoted(text)} as {found.value:.15g}{sign} (line {line})"]
        if texts and self.answers != "text":
            yield f"Read as texts: {', '.join(some_of(texts, _NAMED))}. If they are numbers, add --answers number"
        if numbers:
            yield f"Read as numbers: {', '.join(some_of(numbers, _NAMED))}. If they are texts, add --answers text"

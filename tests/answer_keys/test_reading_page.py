"""docs/explanation/reading-answers.md: each row of its table of examples, and its example in Python, hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.commands import ROOT

from nullbench_site.answer_keys import Key, mark
from nullbench_site.answer_keys.choices import MultipleChoice
from nullbench_site.answer_keys.exact import Exact
from nullbench_site.answer_keys.numeric import Numeric

PAGE = (ROOT / "docs/explanation/reading-answers.md").read_text("utf-8")
_RIGHT = {"right": "correct", "wrong": "wrong"}


def key_of(words: str) -> Key:
    """The key that a cell describes."""
    match words.split():
        case ["number", value, *unit]:
            return Numeric(value=float(value), unit=tuple(unit))
        case ["choice", "of", letters, letter, *_]:
            first, last = letters.rstrip(",").split("-")
            options = {chr(code): f"option {chr(code)}" for code in range(ord(first), ord(last) + 1)}
            return MultipleChoice(options=options, correct=letter)
        case ["text", *accepted]:
            return Exact(accepted=(" ".join(accepted),))
    raise AssertionError(words)


def rows() -> Iterator[Any]:
    table = PAGE.split("## Examples")[1].split("\n## ")[0]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[0] not in ("Key", "---"):
            key, question, response, said = cells
            text = response.strip("`").replace("⏎", "\n")
            yield pytest.param(key, question, text, said, id=text[:40])


@pytest.mark.parametrize(("key", "question", "text", "said"), list(rows()))
def test_each_row_of_the_table_holds(key: str, question: str, text: str, said: str) -> None:
    marked = mark(text, key_of(key), asked=question, stopped=said.startswith("cut off"))
    outcome, _, cause = said.removeprefix("cut off; ").partition(": ")
    assert (marked.outcome, marked.cause or "") == (_RIGHT.get(outcome, outcome), cause)


def test_the_table_has_rows_of_each_mark_and_cause() -> None:
    said = {row.values[3] for row in rows()}
    assert len(list(rows())) > 25
    assert {"right", "wrong", "cut off; invalid: cut"} <= said
    assert {f"invalid: {cause}" for cause in ("no answer", "several answers", "other form")} <= said


def test_the_example_in_python_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = re.findall(r"```(?:python|text)\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})  # noqa: S102 - of our own page
    assert capsys.readouterr().out == printed

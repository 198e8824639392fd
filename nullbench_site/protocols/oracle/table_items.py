"""The columns of a table of questions with right answers, and the answer key of each."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import Any

from nullbench_site.specs.protocol import PROMPT, Column

_ANSWERS = ("answers", "correct_answer", "correct", "expected", "target", "label", "solution", "gold", "key")
COLUMNS = (
    PROMPT,
    Column(
        "answer", "the right answers with | between them, a number, or the letter of an option", required=True,
        many=True, names=_ANSWERS,
    ),
    Column("options", "the options of a choice with | between them", many=True, names=("choices",)),
)  # fmt: skip
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


def item_data(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an item: the answer as a key, and the options as lines of the prompt."""
    answers, options = fields.pop("answer"), fields.pop("options", None)
    if options:
        lines = [f"{letter}) {text}" for letter, text in zip(string.ascii_uppercase, options, strict=False)]
        if not all(line in fields["prompt"] for line in lines):
            fields["prompt"] = "\n".join([fields["prompt"], *lines])
        return {**fields, "key": _choice(answers, options)}
    return {**fields, "key": _key(answers)}


def _key(answers: Sequence[Any]) -> Any:
    """Return the key of one or more right answers, also within a sentence. An object is a key as specs have it."""
    first = answers[0] if answers else ""
    if isinstance(first, dict):
        return first
    if len(answers) == 1 and isinstance(first, int | float) and not isinstance(first, bool):
        return {"type": "numeric", "value": first}
    if len(answers) == 1 and _NUMBER.fullmatch(str(first)):
        return {"type": "numeric", "value": float(first) if "." in first else int(first)}
    texts = [str(each).lower() if isinstance(each, bool) else each for each in answers]
    return {"type": "exact", "accepted": texts, "in_sentence": True}


def _choice(answers: Sequence[Any], options: Sequence[Any]) -> Any:
    """Return the key of a choice. An answer is the text of an option, or a letter."""
    by_letter = {letter: str(text) for letter, text in zip(string.ascii_uppercase, options, strict=False)}
    letters = {text: letter for letter, text in by_letter.items()}
    return {
        "type": "multiple-choice",
        "options": by_letter,
        "correct": [letters.get(str(each), str(each).upper()) for each in answers],
    }

"""What `init` and `add` need to know of a protocol: what they write for a new board, and the columns of its items."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

_ENTRIES = re.compile(r"[|\n]")


@dataclass(frozen=True)
class Column:
    """A field of an item as a column of a table.

    names: other headers by which the column is recognised. many: a cell has entries, with `|` or line breaks between.
    about: what to write in a cell.
    """

    name: str
    about: str
    required: bool = False
    many: bool = False
    names: tuple[str, ...] = ()

    def value(self, cell: Any) -> Any:
        """Return the value of a cell that is not empty. JSONL has lists and objects too, as has JSON in a cell."""
        if not self.many:
            return cell
        if isinstance(cell, str) and cell.startswith(("[", "{")):
            with suppress(ValueError, RecursionError):
                cell = json.loads(cell)
        entries = cell if isinstance(cell, list) else [cell] if isinstance(cell, dict) else _ENTRIES.split(str(cell))
        return [each.strip() if isinstance(each, str) else each for each in entries if each not in ("", None)]


ID = Column("id", "an id of the item; numbered by default", names=("question_id", "item_id", "item", "task_id", "uid"))
PROMPT = Column(
    "prompt", "the prompt", required=True, names=("question", "instruction", "input", "query", "problem", "request")
)
CATEGORY = Column("category", "the title of its category", names=("topic", "subject", "group"))
DIFFICULTY = Column("difficulty", "easy, medium or hard; medium by default", names=("level",))
REFERENCE = ("ideal_answer", "ideal", "reference_answer", "reference", "answer", "expected", "target", "output")
"""Headers of a column with a right answer."""


@dataclass(frozen=True)
class Starter:
    """The parts of a new board of a protocol.

    example: the shipped board whose contestants are copied. domains: shipped domains with their goals.
    board: fields of the board. category: further fields of a new category. copied: shipped files that every board
    needs. written: schema and content of further files of a new domain, by path with `{domain}`.
    columns: those of a table of items, after the shared ones. item: the fields of an item -> its data.
    importer: the format that reads a table, for a protocol without prompts.
    """

    example: str
    board: Mapping[str, Any]
    domains: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    category: Mapping[str, Any] = field(default_factory=dict)
    copied: tuple[str, ...] = ()
    written: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    item: Callable[[dict[str, Any]], dict[str, Any]] = dict
    importer: str = ""

    @property
    def every_column(self) -> tuple[Column, ...]:
        """Return the columns of a table of items."""
        return (ID, CATEGORY, DIFFICULTY, *self.columns)

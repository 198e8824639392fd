"""The interface of the specs of a protocol: its types and rules, its items on a board, what `init` and `add` write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar

from nullbench_site.errors import Problem
from nullbench_site.extensions import load_all, protocol_part, registered
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.sources import BoardTables, SpecFile, SpecFiles, Steps
from nullbench_site.specs.types import BoardFile, DomainFile, Item, PrivateText, Spec

_OF_PLACES = ("item", "category", "domain", "turns", "earlier")


@dataclass(frozen=True)
class Column:
    """A field of an item as a column of a table.

    names: other headers by which the column is recognised. many: a cell has entries, with `|` between. raw: the
    protocol reads the cell itself. same: headers, as letters and digits only, of columns that may say the same. about:
    what to write in a cell.
    """

    name: str
    about: str
    required: bool = False
    many: bool = False
    names: tuple[str, ...] = ()
    raw: bool = False
    same: re.Pattern[str] | None = None

    def value(self, cell: Any) -> Any:
        """Return the value of a cell that is not empty. JSONL has lists and objects too, as has JSON in a cell."""
        if not self.many:
            return cell
        if isinstance(cell, str) and cell.startswith(("[", "{")):
            with suppress(ValueError, RecursionError):
                cell = json.loads(cell)
        entries = cell if isinstance(cell, list) else [cell] if isinstance(cell, dict) else str(cell).split("|")
        return [each.strip() if isinstance(each, str) else each for each in entries if each not in ("", None)]


ID = Column("id", "an id of the item; numbered by default", names=("question_id", "item_id", "item", "task_id", "uid"))
PROMPT = Column(
    "prompt", "the prompt", required=True,
    names=(
        "question", "instruction", "input", "query", "problem", "request", "question_text", "question_stem", "stem",
        "goal", "sentence", "ctx",
    ),
)  # fmt: skip
CATEGORY = Column("category", "the title of its category", names=("topic", "subject", "group"))
DIFFICULTY = Column("difficulty", "easy, medium or hard; medium by default", names=("level",))
REFERENCE = ("ideal_answer", "ideal", "reference_answer", "reference", "answer", "expected", "target", "output")
"""Headers of a column with a right answer."""


@dataclass(frozen=True)
class Row:
    """The cells of one item by column, and its line. of_table: it is one of many, so the whole column is read.

    answers: the cells by header of the column that is read as the answer, and then of columns that may say the same;
    empty if the user chose the column.
    """

    line: int
    cells: dict[str, Any]
    of_table: bool = True
    answers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ReadItems:
    """The data of each row, None where there is a problem; the problems with their lines; and how rows were read."""

    data: list[dict[str, Any] | None]
    problems: list[tuple[int, str]]
    notes: list[str]


@dataclass(frozen=True)
class Starter:
    """The parts of a new board of a protocol.

    example: the shipped board whose contestants are copied. domains: shipped domains with their goals.
    board: fields of the board. category: further fields of a new category. copied: shipped files that every board
    needs. written: schema and content of further files of a new domain, by path with `{domain}`.
    columns: those of a table of items, after the shared ones. item: the fields of an item -> its data. items: the same
    for all rows together, with the reading of answers that the user chose, "" for none.
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
    items: Callable[[Sequence[Row], str], ReadItems] | None = None
    importer: str = ""

    @property
    def every_column(self) -> tuple[Column, ...]:
        """Return the columns of a table of items."""
        return (ID, CATEGORY, DIFFICULTY, *self.columns)


@dataclass(frozen=True)
class OwnSpec:
    """A spec of one protocol in the comparison of two benchmarks. beside: other content that changes a score."""

    kind: str
    id: str
    title: str
    spec: Spec | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)


class ProtocolSpecs:
    """The specs of one protocol.

    board, domain, item: the types of its files and items. placed: the type of an item on a board; its own fields have
    defaults and the names of the text's fields. of_board: those of its fields that have the names of fields of the
    board. parts: lists of the text without duplicates -> name of an entry.
    files: the types of the SPEC_FILES of its package, which only its boards need. optional: those that may be missing.
    of_questions: the names of its own specs that only judges of short questions use. kinds: the kinds of specs in them.
    references: kind and field -> the kind of spec that the field names. variables: what templates can use, and whether
    they must. has_questions: whether judges with `method: questions` can judge its boards. starter: what `init` and
    `add` write; None if they cannot.
    """

    board: ClassVar[type[BoardFile]]
    domain: ClassVar[type[DomainFile]]
    item: ClassVar[type[Item]]
    placed: ClassVar[type[PlacedItem]]
    of_board: ClassVar[tuple[str, ...]] = ()
    parts: ClassVar[Mapping[str, str]] = {}
    files: ClassVar[Mapping[str, type[Spec]]] = {}
    optional: ClassVar[tuple[str, ...]] = ()
    of_questions: ClassVar[tuple[str, ...]] = ()
    kinds: ClassVar[tuple[str, ...]] = ()
    references: ClassVar[Mapping[tuple[str, str], str]] = {}
    variables: ClassVar[Mapping[str, bool]] = {"prompt": True}
    has_questions: ClassVar[bool] = False
    starter: ClassVar[Starter | None] = None

    def places(self, kind: type[Item]) -> bool:
        """Return True if boards accept domains with items of this type."""
        return kind is self.item

    def place(
        self, benchmark: Benchmark, item: Any, category: Any, domain: Any, text: Item | PrivateText
    ) -> PlacedItem:
        """Return an item on a board. text: the item, or the line of a private file with its text."""
        own = {name: value for name in self._own if (value := getattr(text, name)) is not None}
        return self.placed(item, category, domain, **own)

    @cached_property
    def _own(self) -> tuple[str, ...]:
        """Return the fields of a text that a placed item has, without the turns."""
        return tuple(each.name for each in fields(self.placed) if each.name not in (*_OF_PLACES, *self.of_board))

    def asked(self, text: Any) -> object:
        """Return the prompt or the turns of an item or private text; None if they are not on this machine."""
        turns = getattr(text, "turns", None)
        if isinstance(turns, tuple):
            return tuple(turn.strip() for turn in turns)
        return None if text.prompt is None else text.prompt.strip()

    def texts(self, item: Any, domain: Any) -> tuple[str, str] | None:
        """Return what a public item asks, and the source text that this is about; None if its text is not here.

        Both are compared with corpora. If the source text is the material of the task, it belongs to what is asked.
        """
        turns = getattr(item, "turns", None)
        asked = "\n".join(turns) if isinstance(turns, tuple) else getattr(item, "prompt", None)
        return None if asked is None else (asked, "")

    def read_tables(
        self, board: SpecFile[Any], folder: str, files: Mapping[str, bytes]
    ) -> tuple[BoardTables | None, list[Problem]]:
        """Return the content of the table files of a board, or None, and every problem in them.

        folder: as messages show it. files: those of TABLES that exist, by name.
        """
        raise NotImplementedError

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        """Yield violations of rules that a JSON Schema cannot express and that only this protocol has."""
        return iter(())

    def own(self, files: SpecFiles) -> Mapping[str, Any]:
        """Return the specs in `files` that a benchmark keeps, by their names in the spec digest."""
        return {}

    def listed(self, files: SpecFiles) -> Iterator[tuple[str, str, SpecFile[Any], Steps]]:
        """Yield kind, id and place of each spec in `files`."""
        return iter(())

    def compared(self, benchmark: Benchmark) -> Iterator[OwnSpec]:
        """Yield each spec of `files` for the comparison of two benchmarks."""
        return iter(())

    def further_judges(self, part: Any) -> Iterable[tuple[str, str, str]]:
        """Return judges used in addition to the panel: the key of the spec, the judge, and the part that uses it."""
        return ()

    def judge_replies(self, board: Any, prompt: str, replies: tuple[str, ...]) -> tuple[str, ...]:
        """Return those reply forms of a judging prompt that a board can use, the default first."""
        return replies


def specs_of(protocol: str) -> ProtocolSpecs:
    """Return the specs of a registered protocol."""
    part: ProtocolSpecs = protocol_part(protocol, "specs")
    return part


def protocol_files() -> Mapping[str, tuple[str, ...]]:
    """Return the spec files that only boards of one protocol need: `name.yaml`, or `folder/*.yaml`.

    The package of a protocol names them in SPEC_FILES, so that they are known without importing the types.
    """
    files = {name: getattr(package, "SPEC_FILES", ()) for name, package in load_all("protocols").items()}
    return {name: own for name, own in files.items() if own}


def protocol_tables() -> Mapping[str, tuple[str, ...]]:
    """Return the names of the table files of each protocol that has some, in `<protocol>/<board>/`.

    The package of a protocol names them in TABLES.
    """
    tables = {name: getattr(package, "TABLES", ()) for name, package in load_all("protocols").items()}
    return {name: own for name, own in tables.items() if own}


def in_digest(used: Collection[str]) -> list[str]:
    """Return the protocols with their own spec files that are used, or that every digest names."""
    packages = load_all("protocols")
    return [name for name in protocol_files() if name in used or getattr(packages[name], "IN_EVERY_DIGEST", False)]


def kinds_of_specs() -> tuple[str, ...]:
    """Return the names of the kinds of specs in files of single protocols."""
    return tuple(kind for name in protocol_files() for kind in specs_of(name).kinds)


def default_protocol() -> str:
    """Return the protocol of a domain file that names none."""
    return next(iter(registered("protocols")))

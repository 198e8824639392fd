"""Spec files with their documents, so that every rule can name a position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Generic, TypeVar

import msgspec

from nullbench_site.errors import Problem
from nullbench_site.specs import types
from nullbench_site.specs.benchmark import TableContent
from nullbench_site.specs.document import Document
from nullbench_site.specs.json_lines import JsonLine

SpecT_co = TypeVar("SpecT_co", bound=types.Spec, covariant=True)
Steps = Sequence[str | int]
Problems = Callable[[Steps, str], Problem]
"""Makes a problem at a position in an item."""


class BackendNames(msgspec.Struct, frozen=True):
    """The contestants and judges that each backend can run.

    The names are None for a backend that calls endpoints, which accepts any name. contestants_for, judges_for: the
    names that support a protocol, or free-text questions if the protocol is None. params_problem: the problem with the
    parameters of a name, or None.
    """

    contestants: Mapping[str, frozenset[str] | None]
    judges: Mapping[str, frozenset[str] | None]
    contestants_for: Callable[[str, str], frozenset[str] | None] = lambda backend, protocol: None
    judges_for: Callable[[str, str | None], frozenset[str] | None] = lambda backend, protocol: None
    params_problem: Callable[[str, str, Mapping[str, types.Parameter]], str | None] = lambda backend, model, params: (
        None
    )


class SpecFile(msgspec.Struct, Generic[SpecT_co], frozen=True):
    """A spec and its document. Items of a JSONL file have their own documents."""

    spec: SpecT_co
    document: Document | JsonLine
    item_documents: Mapping[tuple[int, int], JsonLine] = {}

    def item_problem(self, category: int, item: int, steps: Steps, message: str) -> Problem:
        own = self.item_documents.get((category, item))
        if own is not None:
            return own.problem(steps, message)
        return self.document.problem(["categories", category, "items", item, *steps], message)


class PrivateLine(msgspec.Struct, frozen=True):
    """A private text and its position."""

    text: types.PrivateText
    document: JsonLine


class BoardTables(msgspec.Struct, frozen=True):
    """The content of the table files of a board: its contestants, its domains with their items, and the rest.

    judges: of its recorded verdicts; they are the panel with the id of the board. settings: fields of the board that
    are too long for its file.
    """

    models: Sequence[SpecFile[types.ModelFile]]
    domains: Sequence[SpecFile[types.DomainFile]]
    content: TableContent
    judges: tuple[types.Judge, ...] = ()
    settings: Mapping[str, Any] = {}


class LabelRow(msgspec.Struct, frozen=True):
    """A label, its line, and the cell with its values."""

    label: types.Label
    document: JsonLine
    cell: str


class SpecFiles(msgspec.Struct, frozen=True):
    """Every spec file of a benchmark, each valid alone.

    new: False for the specs of a run; newer rules do not apply to them. own: the files of single protocols, by their
    path. domains: with those of tables. private: the texts on this machine, by domain. tables: by board; the boards
    name the domains and contestants of theirs. labels: those of files, by board.
    """

    new: bool
    about: SpecFile[types.BenchmarkFile]
    own: Mapping[str, Sequence[SpecFile[Any]]]
    judges: SpecFile[types.JudgesFile] | None
    domains: Sequence[SpecFile[types.DomainFile]]
    models: Sequence[SpecFile[types.ModelFile]]
    boards: Sequence[SpecFile[types.BoardFile]]
    templates: Mapping[str, str]
    endpoints: SpecFile[types.EndpointsFile] | None = None
    ledger: SpecFile[types.LedgerFile] | None = None
    private: Mapping[str, Sequence[PrivateLine]] = {}
    tables: Mapping[str, BoardTables] = {}
    overlaps: Sequence[SpecFile[types.OverlapFile]] = ()
    labels: Mapping[str, Sequence[LabelRow]] = {}
    questions: SpecFile[types.QuestionsFile] | None = None

    @property
    def contestants(self) -> tuple[SpecFile[types.ModelFile], ...]:
        """The models, with those of tables; one that several files describe once."""
        every = (*self.models, *(model for tables in self.tables.values() for model in tables.models))
        return tuple({source.spec.id: source for source in reversed(every)}.values())[::-1]

    def of_board(self, contestants: types.Contestants) -> list[SpecFile[types.ModelFile]]:
        """Return the contestants that a board names; `all` are those of files."""
        if contestants == "all":
            return [*self.models]
        return [source for source in self.contestants if source.spec.id in contestants]

    @property
    def all(self) -> tuple[SpecFile[types.Spec], ...]:
        single = (self.about, self.judges, self.endpoints, self.ledger, self.questions)
        several = (*chain.from_iterable(self.own.values()), *self.domains, *self.models, *self.boards, *self.overlaps)
        return (*(source for source in single if source is not None), *several)

    @property
    def all_judges(self) -> tuple[types.Judge, ...]:
        return () if self.judges is None else self.judges.spec.judges

    @property
    def panels(self) -> tuple[types.Panel, ...]:
        return () if self.judges is None else self.judges.spec.panels

    @property
    def private_lines(self) -> Iterator[PrivateLine]:
        """Yield the private texts on this machine."""
        return (line for lines in self.private.values() for line in lines)

    @property
    def protocols(self) -> list[str]:
        """Return the protocols that domains and boards name."""
        domains, boards = ({source.spec.protocol for source in sources} for sources in (self.domains, self.boards))
        return sorted(domains | boards)


def each_item(domains: Iterable[SpecFile[types.DomainFile]]) -> Iterator[tuple[Any, Any, Problems]]:
    """Yield every category and item of domains, with a function that makes a problem in the item."""
    for source in domains:
        for c, category in enumerate(source.spec.categories):
            for i, item in enumerate(category.items):
                yield category, item, partial(source.item_problem, c, i)


def unique(noun: str, entries: Iterable[tuple[SpecFile[Any], Steps, str]]) -> Iterator[Problem]:
    """Check that each id of `entries` (position and id) is unique."""
    first: dict[str, tuple[SpecFile[Any], Steps]] = {}
    for source, steps, name in entries:
        if name in first:
            other, there = first[name]
            taken = other.document.problem(there, "")
            message = f"duplicate {noun} id {name!r}, already used at {taken.file}:{taken.line}"
            yield source.document.problem(steps, message)
        first.setdefault(name, (source, steps))


def folded(text: str) -> str:
    """Return `text` for comparison, with single spaces and in one case."""
    return " ".join(text.split()).casefold()

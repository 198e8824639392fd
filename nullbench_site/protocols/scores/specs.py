"""The specs of the `scores` protocol: a board, and items of which only names and groups are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, field

from nullbench_site.errors import Problem
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.protocol import ProtocolSpecs, Starter
from nullbench_site.specs.sources import BoardTables, SpecFile, SpecFiles
from nullbench_site.specs.types import (
    BoardFile,
    Category,
    Declaration,
    Difficulty,
    DomainFile,
    Id,
    Item,
    PrivateText,
    Spec,
    Title,
)
from nullbench_site.specs.types.common import Day, Released, WebAddress
from nullbench_site.text import quoted


class Scale(Spec, frozen=True, kw_only=True):
    """The two ends between which every score lies."""

    low: Annotated[float, Meta(description="The lowest possible score.")]
    high: Annotated[float, Meta(description="The highest possible score.")]


class ScoredItem(Item, frozen=True, kw_only=True):
    """An item that a table names. cluster: shared by items that are not independent, such as those of one source."""

    text_type: ClassVar[type[PrivateText]] = PrivateText
    difficulty: Annotated[Difficulty | None, Meta(description="How hard it is meant to be.")] = None  # type: ignore[assignment]  # few tables state it
    title: Title
    cluster: Annotated[Title | None, Meta(description="Items that are not independent share a name here.")] = None
    date: Annotated[Released | None, Meta(description="When the item was published.")] = None
    link: Annotated[WebAddress | None, Meta(description="Where the item can be read.")] = None


class ScoresCategory(Category, frozen=True, kw_only=True):
    """A group of items."""

    items: tuple[ScoredItem, ...] = ()


class ScoresDomainFile(DomainFile, frozen=True, kw_only=True):
    """A domain of a board of the `scores` protocol. It comes from the board's table of items; it has no file."""

    protocol: Literal["scores"]
    categories: Annotated[tuple[ScoresCategory, ...], Meta(min_length=1)]


class ScoresBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board of the `scores` protocol. Scores, contestants and items are in the tables of specs/scores/<board>/."""

    protocol: Literal["scores"]
    domains: Annotated[tuple[Id, ...], Meta(description="Leave it out: items.csv names the domains.")] = ()
    scale: Annotated[Scale, Meta(description="The lowest and the highest possible score.")] = Scale(low=0, high=100)
    declared: Annotated[
        Mapping[Literal["prompts", "contamination", "agreement"], Declaration],
        Meta(
            description="Trust in the scores, each with its source: prompts, several wordings; contamination, items "
            "newer than the training data; agreement, how answers were marked, such as by a key."
        ),
    ] = field(default_factory=dict)  # type: ignore[assignment]  # more marks than boards that are judged here
    unit: Annotated[Title, Meta(description="What a score counts, such as 'problems solved, in %'.")] = "points"
    lower_is_better: Annotated[bool, Meta(description="True: the lowest score is the best.")] = False
    cells: Annotated[
        Literal["items", "means"],
        Meta(description="means: a score is a mean over items that are not in the table. Pages then say so."),
    ] = "items"
    contamination_date: Annotated[
        Day | None,
        Meta(
            description="Scores on items from this day on are compared with those on older items, to see whether a "
            "contestant saw the older ones in training. Each contestant's own training cutoff is always tested."
        ),
    ] = None
    coverage: Annotated[
        float,
        Meta(
            gt=0,
            le=1,
            description="The share of items that a contestant needs for a rank. Below 1, only items that each such "
            "contestant has are used.",
        ),
    ] = 1.0


@dataclass(frozen=True)
class ScoredPlacedItem(PlacedItem):
    """An item of a table."""

    item: ScoredItem
    category: ScoresCategory


class ScoresSpecs(ProtocolSpecs):
    """See the module."""

    board = ScoresBoardFile
    domain = ScoresDomainFile
    item = ScoredItem
    placed = ScoredPlacedItem
    starter = Starter(example="livecodebench", board={}, importer="scores")

    def asked(self, text: Any) -> object:
        """Return None: the prompt is not in the table."""
        return None

    def read_tables(
        self, board: SpecFile[ScoresBoardFile], folder: str, files: Mapping[str, bytes]
    ) -> tuple[BoardTables | None, list[Problem]]:
        """Read the tables of a board."""
        from nullbench_site.protocols.scores.tables import read_tables  # noqa: PLC0415 - other boards need no numpy

        return read_tables(board.spec, folder, files)

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        """Check the scale of a board, and that it has no key without an effect."""
        for source in files.boards:
            board = source.spec
            if not isinstance(board, ScoresBoardFile):
                continue
            if board.scale.low >= board.scale.high:
                yield source.document.problem(["scale", "high"], "the upper end is not above the lower one")
            for name, given in (("samples", board.samples != 1), ("templates", board.templates)):
                if given:
                    yield source.document.problem([name], f"`{name}` has no effect on a table of scores; remove it")
            tables = files.tables.get(board.id)
            if board.contamination_date is not None and tables is not None and not _has_dates(tables):
                message = "no item has a date; fill in the column 'date' of items.csv, or remove this key"
                yield source.document.problem(["contamination_date"], message)
        yield from _described_alike(files)


def _has_dates(tables: BoardTables) -> bool:
    categories: Any = (category for domain in tables.domains for category in domain.spec.categories)
    return any(item.date is not None for category in categories for item in category.items)


def _described_alike(files: SpecFiles) -> Iterator[Problem]:
    """Check that a contestant of several tables, or of a table and models/, is the same in all."""
    first = {source.spec.id: source for source in files.contestants}
    for tables in files.tables.values():
        for source in tables.models:
            other = first[source.spec.id]
            for name in ("title", "kind", "family"):
                own, known = getattr(source.spec, name), getattr(other.spec, name)
                if own != known:
                    there = other.document.problem([], "")
                    message = f"{quoted(own)} differs from {quoted(known)} at {there.file}:{there.line}"
                    yield source.document.problem([name], f"{message}; write the same, or choose another id")


SPECS = ScoresSpecs()

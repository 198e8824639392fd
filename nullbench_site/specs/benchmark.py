"""A loaded and checked benchmark, as the rest of the program uses it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, Self

import msgspec

from nullbench_site.errors import Problem
from nullbench_site.extensions import protocol_part
from nullbench_site.specs import types

OPENAI = types.Endpoint(id="openai", base_url_env="OPENAI_BASE_URL", key_env="OPENAI_API_KEY")
"""The endpoint of models and judges that name none. endpoints.yaml can redefine it."""
ANTHROPIC = types.Endpoint(id="anthropic", base_url="https://api.anthropic.com/v1", key_env="ANTHROPIC_API_KEY")
"""The same for those of the backend `anthropic`."""
BUILT_IN = {endpoint.id: endpoint for endpoint in (OPENAI, ANTHROPIC)}
OPENAI_BASE_URL = "https://api.openai.com/v1"
"""The base URL if the variable OPENAI_BASE_URL is not set."""


@dataclass(frozen=True)
class PlacedItem:
    """An item of a board at one of its turns.

    salt: of an item that was private before, or that is private with its text on this machine. turns: the prompts of a
    conversation, empty for a single prompt. earlier: the responses to the turns before this one.
    """

    item: types.Item
    category: types.Category
    domain: types.DomainFile

    salt: str | None = field(default=None, kw_only=True)
    turns: tuple[str, ...] = field(default=(), kw_only=True)
    earlier: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def private(self) -> bool:
        """Return True if neither its text nor the responses to it may be published."""
        return self.item.visibility == "private"

    @property
    def withheld(self) -> bool:
        """Return True if its text is private and not on this machine."""
        return self.private and self.salt is None

    def in_turns(self, turns: tuple[str, ...] | int | None) -> Self:
        """Return the item at the first of `turns`, or of that number of unknown turns."""
        asked = ("",) * turns if isinstance(turns, int) else turns
        at_first: dict[str, Any] = {"prompt": asked[0], "turns": asked} if asked else {}
        return dataclasses.replace(self, **at_first) if at_first else self

    @property
    def turn(self) -> int:
        """The number of this turn, counted from 1."""
        return len(self.earlier) + 1

    @property
    def n_turns(self) -> int:
        """The number of turns of the item."""
        return len(self.turns) or 1

    @property
    def is_last_turn(self) -> bool:
        return self.turn == self.n_turns

    def at(self, *earlier: str) -> Self:
        """Return the item at the turn after these responses. Raise IndexError if there is none."""
        if earlier == self.earlier:
            return self
        at_turn: dict[str, Any] = {"prompt": self.turns[len(earlier)], "earlier": earlier}
        return dataclasses.replace(self, **at_turn)

    @property
    def every_turn(self) -> Iterator[Self]:
        """Yield the item at each of its turns, with empty responses."""
        return (self.at(*[""] * answered) for answered in range(self.n_turns))


class TableContent(Protocol):
    """The content of a board's tables that a protocol reads in addition to contestants and items, such as scores."""

    @property
    def sha256(self) -> str:
        """Return the digest of everything that can change a score; the spec digest covers it."""
        ...


@dataclass(frozen=True)
class Benchmark:
    """Every spec of a benchmark by id, in the order of the files.

    models, judges, panels: only those that boards use. unused: kind and id of the others. profile: the applied one of
    `profiles`; the boards already include its values. own: the specs of single protocols, by protocol and by name in
    the digest. private: the private texts on this machine, by id. ledger: oldest entry first. warnings: problems that
    may come later. whole: the benchmark before items were removed. tables: the content of the tables of boards.
    overlaps: what was found of their items in corpora, by board. labels: those of files, by board.
    prohibitions: the numbers, from 1, of the criteria of an item that an empty response meets, for short questions.
    asked: by board, the only items that are asked, because a build stopped at a look; other boards ask all.
    """

    about: types.BenchmarkFile
    domains: Mapping[str, types.DomainFile]
    judges: Mapping[str, types.Judge]
    panels: Mapping[str, types.Panel]
    models: Mapping[str, types.ModelFile]
    boards: Mapping[str, types.BoardFile]
    templates: Mapping[str, str]
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    endpoints: Mapping[str, types.Endpoint] = field(default_factory=dict)
    profiles: tuple[str, ...] = ()
    profile: str | None = None
    private: Mapping[str, types.PrivateText] = field(default_factory=dict)
    ledger: tuple[types.LedgerEntry, ...] = ()
    warnings: tuple[Problem, ...] = ()
    unused: frozenset[tuple[str, str]] = frozenset()
    whole: Benchmark | None = None
    tables: Mapping[str, TableContent] = field(default_factory=dict)
    overlaps: Mapping[str, types.OverlapFile] = field(default_factory=dict)
    labels: Mapping[str, tuple[types.Label, ...]] = field(default_factory=dict)
    prohibitions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    asked: Mapping[str, Collection[str]] = field(default_factory=dict)

    @cached_property
    def checkable(self) -> dict[tuple[str, str, str | None], frozenset[str]]:
        """A cache: board, judge and wording -> the items that the judge does judge, if it can abstain."""
        return {}

    @property
    def without_texts(self) -> Benchmark:
        """Return the benchmark without private texts: everything that may be published."""
        return dataclasses.replace(self, private={})

    @property
    def every_item(self) -> Iterator[tuple[types.DomainFile, types.Item]]:
        """Yield every item with its domain."""
        for domain in self.domains.values():
            for category in domain.categories:
                yield from ((domain, item) for item in category.items)

    def contestants(self, board: types.BoardFile) -> tuple[types.ModelFile, ...]:
        """Return the models of a board, sorted by id."""
        wanted = self.models if board.contestants == "all" else board.contestants
        return tuple(self.models[model] for model in sorted(wanted))

    def answerer(self, name: str) -> types.ModelFile:
        """Return the contestant or control with this id."""
        return self.models[name] if name in self.models else types.CONTROLS[name]

    def endpoint_of(self, who: types.ModelFile | types.Judge) -> types.Endpoint:
        """Return the endpoint that a model or judge names, or the built-in one of its backend."""
        name = who.endpoint or (who.backend if who.backend in BUILT_IN else OPENAI.id)
        return self.endpoints.get(name) or BUILT_IN[name]

    def items(self, board: types.BoardFile) -> Iterator[Any]:
        """Yield the items of a board in the order of domains, categories and files, as its protocol's PlacedItem."""
        of_board = {name: getattr(board, name) for name in protocol_part(board.protocol, "specs").of_board}
        name = board.protocol, board.domains, tuple(of_board.values())
        if name not in self._placed:
            self._placed[name] = tuple(self._place(board, of_board))
        asked = self.asked.get(board.id)
        return iter(self._placed[name]) if asked is None else (each for each in self._placed[name] if each.id in asked)

    def asking(self, asked: Mapping[str, Collection[str]]) -> Benchmark:
        """Return the benchmark with only these items on some boards, by id."""
        if not asked and not self.asked:
            return self
        return dataclasses.replace(self, asked={board: frozenset(items) for board, items in asked.items()})

    @cached_property
    def with_every_item(self) -> Benchmark:
        """The benchmark with all items on every board. What is drawn from items is drawn from these at every look."""
        return self.asking({}) if self.asked else self

    @cached_property
    def _placed(self) -> dict[tuple[str, tuple[str, ...], tuple[Any, ...]], tuple[Any, ...]]:
        return {}

    def _place(self, board: types.BoardFile, of_board: Mapping[str, Any]) -> Iterator[Any]:
        protocol = protocol_part(board.protocol, "specs")
        for domain in (self.domains[name] for name in board.domains):
            for category in domain.categories:
                for item in category.items:
                    text = self.private.get(item.id, item)
                    placed = protocol.place(self, item, category, domain, text)
                    placed = placed.in_turns(getattr(text, "turns", None))
                    yield dataclasses.replace(placed, **of_board) if of_board else placed

    def without_items(self, board: types.BoardFile, items: Collection[str]) -> tuple[Benchmark, types.BoardFile]:
        """Return the benchmark and the board without some items, and without emptied categories and domains."""
        if not items:
            return self, board
        domains = {}
        for name in board.domains:
            domain = self.domains[name]
            categories = tuple(
                msgspec.structs.replace(category, items=kept)
                for category in domain.categories
                if (kept := tuple(item for item in category.items if item.id not in items))
            )
            if categories:
                domains[name] = msgspec.structs.replace(domain, categories=categories)
        board = msgspec.structs.replace(board, domains=tuple(name for name in board.domains if name in domains))
        whole = self.whole or self
        return dataclasses.replace(self, domains=domains, boards={board.id: board}, whole=whole), board

    def judges_for(self, board: types.BoardFile, model: types.ModelFile) -> tuple[types.Judge, ...]:
        """Return the judges of a board's panel that may score a contestant, in the panel's order.

        A judge never scores its own family unless the panel allows it.
        """
        if not isinstance(board, types.JudgedBoardFile):
            return ()
        panel = self.panels[board.panel]
        judges = (self.judges[judge] for judge in panel.judges)
        return tuple(judge for judge in judges if panel.same_family or judge.family != model.family)


def not_ready(benchmark: Benchmark) -> Iterator[str]:
    """Yield what a new benchmark lacks before it can be built."""
    if not benchmark.boards:
        yield "there is no board yet; add one with: nullbench-site add board"
    for board in benchmark.boards.values():
        categories = [category for name in board.domains for category in benchmark.domains[name].categories]
        if not any(category.items for category in categories):
            yield f"board {board.id!r} has no items yet; add one with: nullbench-site add item"
        if not board.contestants:
            yield f"board {board.id!r} has no contestants yet; add one with: nullbench-site add model"

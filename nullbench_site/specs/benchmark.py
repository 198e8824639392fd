"""The whole of a benchmark, loaded and checked: what travels through the rest of the program."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import msgspec

from nullbench_site.errors import Problem
from nullbench_site.extensions import protocol_part
from nullbench_site.specs import types

OPENAI = types.Endpoint(id="openai", base_url_env="OPENAI_BASE_URL", key_env="OPENAI_API_KEY")
"""The endpoint of models and judges that name none, unless endpoints.yaml defines another of this id."""
OPENAI_BASE_URL = "https://api.openai.com/v1"
"""What holds where the variable OPENAI_BASE_URL is not set."""


@dataclass(frozen=True)
class PlacedItem:
    """An item with the groups it stands in, at one of its turns. salt: of one that is private and here, or was private
    before. turns: all that is asked, where that is more than one prompt; `prompt`, of its protocol's type, is one of
    them. said: what was answered to those before it.
    """

    item: types.Item
    category: types.Category
    domain: types.DomainFile

    salt: str | None = field(default=None, kw_only=True)
    turns: tuple[str, ...] = field(default=(), kw_only=True)
    said: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def id(self) -> str:
        return self.item.id

    @property
    def private(self) -> bool:
        """Whether nothing of its text, or of what is said to it, may be published."""
        return self.item.visibility == "private"

    @property
    def withheld(self) -> bool:
        """Whether its text is private and not here, so that nobody can be asked."""
        return self.private and self.salt is None

    def in_turns(self, turns: tuple[str, ...] | int | None) -> Self:
        """The item at the first of its turns; of a private one whose text is not here, at the first of so many."""
        asked = ("",) * turns if isinstance(turns, int) else turns
        at_first: dict[str, Any] = {"prompt": asked[0], "turns": asked} if asked else {}
        return dataclasses.replace(self, **at_first) if at_first else self

    @property
    def turn(self) -> int:
        """The number of this turn, from 1."""
        return len(self.said) + 1

    @property
    def n_turns(self) -> int:
        """How many turns the item has."""
        return len(self.turns) or 1

    @property
    def is_last_turn(self) -> bool:
        return self.turn == self.n_turns

    def at(self, *said: str) -> Self:
        """The item at the turn behind these answers. IndexError where it has no such turn."""
        if said == self.said:
            return self
        at_turn: dict[str, Any] = {"prompt": self.turns[len(said)], "said": said}
        return dataclasses.replace(self, **at_turn)

    @property
    def every_turn(self) -> Iterator[Self]:
        """The item at each of its turns, as if nothing were said."""
        return (self.at(*[""] * answered) for answered in range(self.n_turns))


@dataclass(frozen=True)
class Benchmark:
    """Every spec of one benchmark, by id, each map in the order of its files.

    models, judges and panels are those that its boards use; unused: kind and id of the others. profile: the one that
    was put in, of all those in profiles; the boards are as it makes them and have none themselves. own: what only one
    protocol has, by protocol and the name that the digest has for it. private: the texts of private items that are
    here, by id. ledger: its entries, oldest first. warnings: what is wrong with none of it,
    and may come to be. whole: where items were taken out, what it was before.
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

    @cached_property
    def checkable(self) -> dict[tuple[str, str, str | None], frozenset[str]]:
        """Board, judge and wording -> the items on which a judge that may abstain does not, as far as it was asked."""
        return {}

    @property
    def without_texts(self) -> Benchmark:
        """The same as somebody has it who has no private text: all that may be published."""
        return dataclasses.replace(self, private={})

    @property
    def every_item(self) -> Iterator[tuple[types.DomainFile, types.Item]]:
        """Every item with its domain."""
        for domain in self.domains.values():
            for category in domain.categories:
                yield from ((domain, item) for item in category.items)

    def contestants(self, board: types.BoardFile) -> tuple[types.ModelFile, ...]:
        """The models that stand on a board, by id."""
        wanted = self.models if board.contestants == "all" else board.contestants
        return tuple(self.models[model] for model in sorted(wanted))

    def answerer(self, name: str) -> types.ModelFile:
        """The contestant or control of this id."""
        return self.models[name] if name in self.models else types.CONTROLS[name]

    def endpoint_of(self, who: types.ModelFile | types.Judge) -> types.Endpoint:
        """Where a model or judge is reached: the endpoint it names, else `openai`."""
        name = who.endpoint or OPENAI.id
        return OPENAI if name == OPENAI.id and name not in self.endpoints else self.endpoints[name]

    def items(self, board: types.BoardFile) -> Iterator[Any]:
        """The items of a board, of its protocol's type of PlacedItem, in the order of domains, categories and files."""
        protocol = protocol_part(board.protocol, "specs")
        for domain in (self.domains[name] for name in board.domains):
            for category in domain.categories:
                for item in category.items:
                    text = self.private.get(item.id, item)
                    placed = protocol.place(self, item, category, domain, text)
                    yield placed.in_turns(getattr(text, "turns", None))

    def without_items(self, board: types.BoardFile, items: Collection[str]) -> tuple[Benchmark, types.BoardFile]:
        """The same board, and a benchmark of it, without some of its items, and without what then has none."""
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
        """The judges of a board's panel that may score a contestant, in the panel's order.

        A judge never scores its own family unless the panel says so.
        """
        if not isinstance(board, types.JudgedBoardFile):
            return ()
        panel = self.panels[board.panel]
        judges = (self.judges[judge] for judge in panel.judges)
        return tuple(judge for judge in judges if panel.same_family or judge.family != model.family)

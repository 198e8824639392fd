"""What the specs of a protocol are made of: its types, its rules, and how its items are placed on a board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar

from nullbench_site.errors import Problem
from nullbench_site.extensions import protocol_part, registered
from nullbench_site.specs.benchmark import Benchmark, PlacedItem
from nullbench_site.specs.sources import SpecFiles
from nullbench_site.specs.types import BoardFile, DomainFile, Item, PrivateText

_OF_PLACES = ("item", "category", "domain", "turns", "said")


class ProtocolSpecs:
    """The specs of one protocol.

    board, domain, item: the types of its files, and of a line of an items file. placed: of an item on a board, whose
    own fields have the names of those of its text, and defaults. on_axes: whether its boards use axes.yaml and the
    goals. parts: the lists of an item's text that may hold nothing twice, each with what one entry is called.
    """

    board: ClassVar[type[BoardFile]]
    domain: ClassVar[type[DomainFile]]
    item: ClassVar[type[Item]]
    placed: ClassVar[type[PlacedItem]]
    on_axes: ClassVar[bool] = False
    parts: ClassVar[Mapping[str, str]] = {}

    def places(self, kind: type[Item]) -> bool:
        """Whether boards take domains with items of this type: those of its own, and what it can read as such."""
        return kind is self.item

    def place(
        self, benchmark: Benchmark, item: Any, category: Any, domain: Any, text: Item | PrivateText
    ) -> PlacedItem:
        """An item on a board. text: what has its text, the item itself or, of a private one, a line that is here."""
        own = {name: value for name in self._own if (value := getattr(text, name)) is not None}
        return self.placed(item, category, domain, **own)

    @cached_property
    def _own(self) -> tuple[str, ...]:
        """What a text has for its place. Its turns are put in behind."""
        return tuple(each.name for each in fields(self.placed) if each.name not in _OF_PLACES)

    def asked(self, text: Any) -> object:
        """What a contestant is asked, by an item or its private text: its prompt or its turns; None where these are not
        here."""
        turns = getattr(text, "turns", None)
        if isinstance(turns, tuple):
            return tuple(turn.strip() for turn in turns)
        return None if text.prompt is None else text.prompt.strip()

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        """Violations of what a JSON Schema cannot say and no other protocol asks for."""
        return iter(())

    def further_judges(self, part: Any) -> Iterable[tuple[str, str, str]]:
        """The judges asked beside the panel of a board or profile, in words alone: the key, the judge, and by whom."""
        return ()


def specs_of(protocol: str) -> ProtocolSpecs:
    """The specs of a protocol that somebody registered."""
    part: ProtocolSpecs = protocol_part(protocol, "specs")
    return part


def default_protocol() -> str:
    """The protocol of a domain file that names none: the first of ours by name."""
    return next(iter(registered("protocols")))

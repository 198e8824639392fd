"""The registry of attacks, as data: answers that try to win a judge or a key without answering."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from nullbench_site.packaged import data_text

Kind: TypeAlias = Literal[
    "key", "constant", "style", "model-written", "structured", "request", "option", "carrier", "payload"
]
Insert: TypeAlias = Literal["request", "carrier"]
"""What only the item can give: its request, or the first sentence of an honest answer to it."""
_Words: TypeAlias = Annotated[str, Meta(min_length=1, max_length=500)]
_Id: TypeAlias = Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of an answer: a text, an insert, or the text of another attack. times: how often the text is repeated."""

    text: str | None = None
    insert: Insert | None = None
    attack: str | None = None
    times: Annotated[int, Meta(ge=1, le=1000)] = 1

    def __post_init__(self) -> None:
        if [self.text, self.insert, self.attack].count(None) != 2:
            raise ValueError("a part has a text, an insert, or another attack, and only one of them")


class Attack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An attack. description: one sentence. source: where it is from. protocols: those it is made for; empty for any.

    program: the contestant that makes the answer, where that takes the options of an item.
    """

    id: _Id
    kind: Kind
    description: _Words
    source: _Words
    protocols: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    program: str | None = None

    @property
    def inserts(self) -> frozenset[Insert]:
        """Return what an answer takes from the item."""
        return frozenset(part.insert for part in _flat(self) if part.insert is not None)

    def answer(self, inserts: Mapping[Insert, str] | None = None) -> str:
        """Return the text of the attack. inserts: what it takes from the item. Raises KeyError if one is missing."""
        given = inserts or {}
        return "".join(given[part.insert] if part.insert else (part.text or "") * part.times for part in _flat(self))


def _flat(attack: Attack) -> Iterator[Part]:
    """Yield the parts, with those of attacks that are inserted."""
    for part in attack.parts:
        if part.attack is None:
            yield part
        else:
            yield from _flat(attacks()[part.attack])


@cache
def attacks() -> Mapping[str, Attack]:
    """Return the attacks of data/attacks.yaml by id."""
    return read(data_text("attacks.yaml"))


def read(text: str) -> Mapping[str, Attack]:
    """Read a registry. Raises msgspec.ValidationError, also for an id that occurs twice or is inserted before it is."""
    known: dict[str, Attack] = {}
    for attack in msgspec.yaml.decode(text, type=tuple[Attack, ...]):
        if attack.id in known:
            raise msgspec.ValidationError(f"two attacks have the id {attack.id!r}")
        for part in attack.parts:
            if part.attack is not None and part.attack not in known:
                raise msgspec.ValidationError(f"{attack.id} inserts {part.attack!r}, which no attack before it is")
        if bool(attack.parts) == (attack.program is not None):
            raise msgspec.ValidationError(f"{attack.id}: an attack has parts or a program, not both")
        known[attack.id] = attack
    return known

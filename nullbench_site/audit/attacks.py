"""The registry of attacks, as data: answers that try to win a judge or a key without answering."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from nullbench_site.packaged import data_text

Kind: TypeAlias = Literal[
    "key", "constant", "style", "model-written", "structured", "searched", "request", "option", "carrier", "payload"
]
Insert: TypeAlias = Literal[
    "request", "carrier", "attack", "searched", "model-written", "own-letter", "own-verdict", "highest-score",
    "majority-option", "random-option", "all-options",
]  # fmt: skip
"""What the item, a search or a model gives; `attack` is the text of another attack."""
_Words: TypeAlias = Annotated[str, Meta(min_length=1, max_length=500)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of an answer: a text, or an insert. of: the attack that is inserted. times: how often the text stands."""

    text: str | None = None
    insert: Insert | None = None
    of: str | None = None
    times: Annotated[int, Meta(ge=1, le=1000)] = 1

    def __post_init__(self) -> None:
        if (self.text is None) == (self.insert is None):
            raise ValueError("a part has either a text or an insert")
        if (self.insert == "attack") != (self.of is not None):
            raise ValueError("`of` names the attack that is inserted, and only an attack has it")


class Attack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An attack. description: one sentence. source: where it is from. protocol: of the judges that it is made for.

    ask: what a model is asked to write. use: a contestant without a rank, or only in the audit of judges.
    """

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
    kind: Kind
    use: Literal["null-contestant", "audit"]
    description: _Words
    source: _Words
    protocol: str | None = None
    ask: _Words | None = None
    parts: Annotated[tuple[Part, ...], Meta(min_length=1)]

    @property
    def inserts(self) -> frozenset[Insert]:
        """Return what an answer needs besides the registry."""
        return frozenset(part.insert for part in _flat(self) if part.insert is not None)

    def answer(self, inserts: Mapping[Insert, str] | None = None) -> str:
        """Return the text of the attack. inserts: what it needs. Raises KeyError if one is missing."""
        given = inserts or {}
        return "".join(given[part.insert] if part.insert else (part.text or "") * part.times for part in _flat(self))


def _flat(attack: Attack) -> Iterator[Part]:
    """Yield the parts, with those of attacks that are inserted."""
    for part in attack.parts:
        if part.of is None:
            yield part
        else:
            yield from _flat(attacks()[part.of])


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
            if part.of is not None and part.of not in known:
                raise msgspec.ValidationError(f"{attack.id} inserts {part.of!r}, which no attack before it is")
        if (attack.kind == "model-written") != (attack.ask is not None):
            raise msgspec.ValidationError(f"{attack.id}: an attack that a model writes, and only that, has `ask`")
        known[attack.id] = attack
    return known


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of data/attacks.yaml, which is packaged as data/attacks.schema.json."""
    schema = msgspec.json.schema(tuple[Attack, ...])
    given = [{"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in ("text", "insert")]
    schema["$defs"]["Part"]["oneOf"] = given
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}

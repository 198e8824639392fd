"""What an answer key is, what marking a response by it returns, and what the methodology page says of its type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from nullbench_site.keys.reading.visible import Visible
from nullbench_site.text import shortened

Outcome = Literal["correct", "wrong", "invalid"]
Line = Annotated[str, Meta(min_length=1, max_length=500)]
_SHOWN = 200


class Key(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, tag_field="type"):
    """The base of the answer keys; the id of the type is its tag."""


@dataclass(frozen=True)
class Marked:
    """`invalid`: no answer can be read, or several that differ; it is not wrong.

    answer: what was read, at most 200 characters of the response or of the key; None where nothing was. why: a sentence
    of ours with words of the key only, never of the response.
    """

    outcome: Outcome
    answer: str | None
    why: str


def correct(answer: str, why: str) -> Marked:
    """The answer that was read is right."""
    return Marked("correct", shortened(answer, _SHOWN), why)


def wrong(answer: str, why: str) -> Marked:
    """An answer was read, and it is not right."""
    return Marked("wrong", shortened(answer, _SHOWN), why)


def invalid(why: str) -> Marked:
    """No answer was read."""
    return Marked("invalid", None, why)


KeyT = TypeVar("KeyT", bound=Key)


@dataclass(frozen=True)
class KeyType(Generic[KeyT]):
    """One type of answer key. `function` is pure and takes time linear in the response."""

    title: str
    looks_at: str
    cannot_see: str
    key: type[KeyT]
    function: Callable[[Visible, KeyT], Marked]

    @property
    def id(self) -> str:
        return str(self.key.__struct_config__.tag)

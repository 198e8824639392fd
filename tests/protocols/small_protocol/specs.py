"""A prompt, and the word that an answer has to have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.protocol import ProtocolSpecs
from nullbench_site.specs.types import Category, DomainFile, Item, JudgedBoardFile, Line, PrivateText, Prose


class EchoText(PrivateText, frozen=True, kw_only=True):
    """A line of a private file."""

    prompt: Prose
    word: Line


class EchoItem(Item, frozen=True, kw_only=True):
    """A prompt with its word; of a private one a hash."""

    text_type: ClassVar[type[PrivateText]] = EchoText
    prompt: Prose | None = None
    word: Annotated[Line, Meta(description="What an answer has to have.")] | None = None


class EchoCategory(Category, frozen=True, kw_only=True):
    """A group of prompts."""

    items: tuple[EchoItem, ...] = ()


class EchoDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the protocol."""

    protocol: Literal["echo"]
    categories: tuple[EchoCategory, ...]


class EchoBoardFile(JudgedBoardFile, frozen=True, kw_only=True):
    """A board of the protocol."""

    protocol: Literal["echo"]


@dataclass(frozen=True)
class EchoPlacedItem(PlacedItem):
    """A prompt with its text, which of a private one stands elsewhere."""

    prompt: str = ""
    word: str = ""


class EchoSpecs(ProtocolSpecs):
    """See the module."""

    board, domain, item, placed = EchoBoardFile, EchoDomainFile, EchoItem, EchoPlacedItem


SPECS = EchoSpecs()

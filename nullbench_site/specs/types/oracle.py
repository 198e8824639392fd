"""The items of the `oracle` protocol: a prompt, and the key by which its answer is right or wrong."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from nullbench_site.answer_keys import AnyKey
from nullbench_site.specs.types.common import Category, DomainFile, Id, Prose
from nullbench_site.specs.types.private import HideableItem, PrivateText


class OracleText(PrivateText, frozen=True, kw_only=True):
    """A line of a private file, of the `oracle` protocol."""

    prompt: Prose
    key: AnyKey


class OracleItem(HideableItem, frozen=True, kw_only=True):
    """An evaluation unit: a prompt and its answer key.

    A private one has a hash in their place; they stand in a private file.
    """

    text_type: ClassVar[type[PrivateText]] = OracleText
    bundle: Annotated[Id, Meta(description="Shared by items that ask the same in several ways.")] | None = None
    prompt: Prose | None = None
    key: Annotated[AnyKey, Meta(description="What a right answer is.")] | None = None


class OracleCategory(Category, frozen=True, kw_only=True):
    """A group of prompts with keys."""

    items: tuple[OracleItem, ...] = ()


class OracleDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `oracle` protocol."""

    protocol: Literal["oracle"]
    categories: Annotated[tuple[OracleCategory, ...], Meta(min_length=1)]

"""The specs of the `oracle` protocol: a prompt, and the key that decides what is right. No judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from nullbench_site.answer_keys import AnyKey
from nullbench_site.errors import Problem
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.protocol import ProtocolSpecs
from nullbench_site.specs.sources import Problems, SpecFile, SpecFiles, each_item
from nullbench_site.specs.types import BoardFile, Category, DomainFile, Id, PrivateText, PromptItem, PromptText


class OracleText(PromptText, frozen=True, kw_only=True):
    """A line of a private file of the `oracle` protocol."""

    key: AnyKey


class OracleItem(PromptItem, frozen=True, kw_only=True):
    """An evaluation unit: a prompt and its answer key. With several turns, the key is for the last.

    A private item has a hash instead; prompt and key are in a private file.
    """

    text_type: ClassVar[type[PrivateText]] = OracleText
    bundle: Annotated[Id, Meta(description="Shared by items that ask the same thing in several ways.")] | None = None
    key: Annotated[AnyKey, Meta(description="What a right answer is.")] | None = None


class OracleCategory(Category, frozen=True, kw_only=True):
    """A group of prompts with keys."""

    items: tuple[OracleItem, ...] = ()


class OracleDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `oracle` protocol."""

    protocol: Literal["oracle"]
    categories: Annotated[tuple[OracleCategory, ...], Meta(min_length=1)]


class OracleBoardFile(BoardFile, frozen=True, kw_only=True):
    """A board of the `oracle` protocol: a key decides whether an answer is right. There are no judges."""

    protocol: Literal["oracle"]


@dataclass(frozen=True)
class OraclePlacedItem(PlacedItem):
    """A prompt with its key, which a private item has in a private file. key: None if it is not on this machine."""

    item: OracleItem
    category: OracleCategory
    prompt: str = ""
    key: AnyKey | None = None


class OracleSpecs(ProtocolSpecs):
    """The specs of the `oracle` protocol."""

    board = OracleBoardFile
    domain = OracleDomainFile
    item = OracleItem
    placed = OraclePlacedItem

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        return _bundles_are_whole([source for source in files.domains if isinstance(source.spec, OracleDomainFile)])


def _bundles_are_whole(domains: Sequence[SpecFile[Any]]) -> Iterator[Problem]:
    """Check that a bundle has two or more items, all in one category."""
    bundles: dict[str, list[tuple[str, Problems]]] = {}
    for category, item, problem in each_item(domains):
        if item.bundle is not None:
            bundles.setdefault(item.bundle, []).append((category.id, problem))
    for bundle, variants in bundles.items():
        home, first = variants[0]
        if len(variants) == 1:
            message = f"bundle {bundle!r} has only this item"
            yield first(["bundle"], f"{message}; add a second variant of the question, or remove the key")
        for category, problem in variants:
            if category != home:
                there = first(["bundle"], "")
                message = f"bundle {bundle!r} is already used in category {home!r} at {there.file}:{there.line}"
                yield problem(["bundle"], f"{message}; move the variants to one category, or rename this bundle")


SPECS = OracleSpecs()

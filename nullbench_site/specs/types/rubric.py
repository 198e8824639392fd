"""The prompts of the `rubric` protocol: what is asked, what a good answer is, what programs look at."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from nullbench_site.checks.registry import AnyCheck
from nullbench_site.specs.types.common import Category, DomainFile, Line, Prose
from nullbench_site.specs.types.private import HideableItem, PrivateText

Criteria = Annotated[tuple[Line, ...], Meta(min_length=1, max_length=20)]
Checks = Annotated[
    tuple[AnyCheck, ...], Meta(min_length=1, max_length=10, description="The first is the item's type of check.")
]


class RubricText(PrivateText, frozen=True, kw_only=True):
    """A line of a private file, of the `rubric` protocol."""

    prompt: Prose
    ideal: Prose
    criteria: Criteria
    checks: Checks


class RubricItem(HideableItem, frozen=True, kw_only=True):
    """An evaluation unit: a prompt, its ideal answer, criteria and checks.

    A private one has a hash in their place; they stand in a private file.
    """

    text_type: ClassVar[type[PrivateText]] = RubricText
    prompt: Prose | None = None
    ideal: Prose | None = None
    criteria: Criteria | None = None
    checks: Checks | None = None


class RubricCategory(Category, frozen=True, kw_only=True):
    """A group of prompts."""

    items: tuple[RubricItem, ...] = ()


class RubricDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `rubric` protocol."""

    protocol: Literal["rubric"]
    categories: Annotated[tuple[RubricCategory, ...], Meta(min_length=1)]

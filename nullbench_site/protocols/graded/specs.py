"""The specs of the `graded` protocol: prompts of one turn or two, with optional reference answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from nullbench_site.errors import Problem
from nullbench_site.specs.authoring import PROMPT, REFERENCE, Column, Starter
from nullbench_site.specs.benchmark import PlacedItem
from nullbench_site.specs.protocol import ProtocolSpecs
from nullbench_site.specs.sources import Problems, SpecFiles, each_item
from nullbench_site.specs.types import (
    Category,
    DomainFile,
    JudgedBoardFile,
    PrivateText,
    PromptItem,
    PromptText,
    Prose,
)

TURNS = 2
References = Annotated[
    tuple[Prose, ...],
    Meta(
        min_length=1,
        max_length=TURNS,
        description="A right answer to each turn. Judges see them, and controls are made from them.",
    ),
]


class GradedText(PromptText, frozen=True, kw_only=True):
    """A line of a private file of the `graded` protocol."""

    references: References | None = None


class GradedItem(PromptItem, frozen=True, kw_only=True):
    """An evaluation unit: a prompt, or two turns, with optional reference answers."""

    text_type: ClassVar[type[PrivateText]] = GradedText
    references: References | None = None


class GradedCategory(Category, frozen=True, kw_only=True):
    """A group of prompts."""

    items: tuple[GradedItem, ...] = ()


class GradedDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `graded` protocol."""

    protocol: Literal["graded"]
    categories: Annotated[tuple[GradedCategory, ...], Meta(min_length=1)]


class GradedBoardFile(JudgedBoardFile, frozen=True, kw_only=True):
    """A board of the `graded` protocol. Prompts are sent unchanged."""

    protocol: Literal["graded"]


@dataclass(frozen=True)
class GradedPlacedItem(PlacedItem):
    """A prompt with its text, which a private item has in a private file. references: one per turn, or none."""

    item: GradedItem
    category: GradedCategory
    prompt: str = ""
    references: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """The reference answer to this turn; empty without one."""
        return self.references[self.turn - 1] if self.references else ""


def _data(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an item of one turn."""
    reference = fields.pop("reference", None)
    return fields if reference is None else {**fields, "references": [reference]}


class GradedSpecs(ProtocolSpecs):
    """The specs of the `graded` protocol."""

    board = GradedBoardFile
    domain = GradedDomainFile
    item = GradedItem
    placed = GradedPlacedItem
    starter = Starter(
        example="two-turns",
        domains=("conversations",),
        board={
            "question": "How good are the answers to these prompts?",
            "description": "Grades of 1 to 10, averaged over the prompts.",
            "construct": "capability",
            "panel": "rules-rubric",
        },
        columns=(
            PROMPT,
            Column("reference", "a right answer", names=REFERENCE),
        ),
        item=_data,
    )

    def rules(self, files: SpecFiles) -> Iterator[Problem]:
        domains = [source for source in files.domains if isinstance(source.spec, GradedDomainFile)]
        for _, item, problem in each_item(domains):
            yield from _fits(item, problem)
        for source in domains:
            for line in files.private.get(source.spec.id, ()):
                yield from _fits(line.text, line.document.problem)


def _fits(text: Any, problem: Problems) -> Iterator[Problem]:
    """Check that no turn is without a grade, and that each turn or none has a reference answer."""
    turns = text.turns if isinstance(text.turns, int) else len(text.turns or ("",))
    if turns > TURNS:
        message = f"found {turns} turns; this protocol grades {TURNS} at most"
        yield problem(["turns"], f"{message}; remove the others")
    elif text.references is not None and len(text.references) != turns:
        counted = f"{len(text.references)} for {turns}"
        yield problem(["references"], f"expected one reference answer per turn, or none; found {counted}")


SPECS = GradedSpecs()

"""The axes, goals and domains of the `axes` protocol."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from nullbench_site.specs.types.common import (
    Canary,
    Category,
    Count,
    DomainFile,
    Id,
    Item,
    Likert,
    Line,
    Prose,
    Spec,
    Title,
)

FactKind = Literal["scope", "positive", "null", "negative", "caveat", "context"]
Dimension = Literal["scope", "causality", "hedging", "salience", "framing"]
DIMENSIONS: tuple[Dimension, ...] = ("scope", "causality", "hedging", "salience", "framing")
Aspect = Literal[
    "facts",
    "numbers",
    "names",
    "scope",
    "causality",
    "hedging",
    "salience",
    "framing",
    "task",
    "readability",
    "concision",
]


class Axis(Spec, frozen=True, kw_only=True):
    """A 1-5 scale. `aspects` says what of an answer it looks at; the rule-based judges read it."""

    id: Id
    title: Title
    short: Title
    measures: Line
    aspects: Annotated[tuple[Aspect, ...], Meta(min_length=1)]
    anchors: Annotated[
        tuple[Line, ...], Meta(min_length=5, max_length=5, description="What 1, 2, 3, 4 and 5 mean, in that order.")
    ]


class AxesFile(Spec, frozen=True, kw_only=True):
    """specs/axes.yaml: the baseline axes every category has, in order, and the special ones it may add."""

    canary: Canary
    baseline: Annotated[tuple[Axis, ...], Meta(min_length=4, max_length=4)]
    special: tuple[Axis, ...] = ()


class Rule(Spec, frozen=True, kw_only=True):
    """A qualitative expectation of a goal, under one of the five fidelity dimensions."""

    dimension: Dimension
    rule: Line
    weight: Annotated[int, Meta(ge=1, le=3)] = 1


class Goal(Spec, frozen=True, kw_only=True):
    """What a good answer is in a category: a target per axis and rules over the fidelity dimensions."""

    id: Id
    title: Title
    alignment_target: dict[Id, Likert]
    rules: Annotated[tuple[Rule, ...], Meta(min_length=1)]


class GoalsFile(Spec, frozen=True, kw_only=True):
    """specs/goals/*.yaml."""

    canary: Canary
    goals: Annotated[tuple[Goal, ...], Meta(min_length=1)]


class Constraints(Spec, frozen=True, kw_only=True):
    """What the task asks of the form of an answer, in a form a program can check."""

    min_sentences: Count | None = None
    max_sentences: Count | None = None
    min_words: Count | None = None
    max_words: Count | None = None
    format: Literal["prose", "bullets"] | None = None
    bullets: Count | None = None
    forbid: tuple[Line, ...] = ()


class Fact(Spec, frozen=True, kw_only=True):
    """A reference fact of the source; each key (`a|b`: either) is a string that an answer telling it would contain."""

    kind: FactKind
    text: Line
    keys: Annotated[tuple[Line, ...], Meta(min_length=1, max_length=5)]


class AxesItem(Item, frozen=True, kw_only=True):
    """An evaluation unit: a source text, a task about it, and what is known to be in the source."""

    probes: Annotated[
        tuple[Id, ...], Meta(min_length=1, description="The axes of the category that this item is a hard test of.")
    ]
    source: Prose
    task: Prose
    constraints: Constraints = Constraints()
    facts: Annotated[tuple[Fact, ...], Meta(min_length=1)]
    goal: Annotated[Id, Meta(description="Instead of the category's goal.")] | None = None


class AxesCategory(Category, frozen=True, kw_only=True):
    """A group of items that share axes and, by default, a goal."""

    goal: Id
    axes: Annotated[
        tuple[Id, ...],
        Meta(
            min_length=4,
            max_length=6,
            description="The four baseline axes in their order, and at most two special ones.",
        ),
    ]
    items: tuple[AxesItem, ...] = ()


class AxesDomainFile(DomainFile, frozen=True, kw_only=True):
    """specs/domains/<id>.yaml of the `axes` protocol, which is the one of a file that names none."""

    protocol: Literal["axes"] = "axes"
    categories: Annotated[tuple[AxesCategory, ...], Meta(min_length=1)]

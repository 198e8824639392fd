"""specs/axes.yaml and specs/goals/*.yaml: the scales, and what a good answer is on them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from nullbench_site.specs.types.common import (
    Canary,
    Id,
    Likert,
    Line,
    Spec,
    Title,
)

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

"""What a judge is given, read once from the loose fields of a call into typed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from nullbench_site.programs.arguments import count, known, mapping, mappings, one_of, text, texts
from nullbench_site.protocols.axes.specs import FactKind
from nullbench_site.specs.types import DIMENSIONS, Aspect

ASPECTS: tuple[str, ...] = get_args(Aspect)
KINDS: tuple[str, ...] = get_args(FactKind)
FORMATS = ("prose", "bullets")


@dataclass(frozen=True)
class Axis:
    """An axis and the aspects it is about; `target` (1-5) is None if the goal names none."""

    id: str
    aspects: tuple[str, ...]
    target: int | None


@dataclass(frozen=True)
class Fact:
    """A reference fact. An answer that tells it contains one of the alternatives of each of `keys`."""

    kind: str
    keys: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Constraints:
    """The form the task asks for; None where it asks nothing."""

    max_sentences: int | None = None
    min_sentences: int | None = None
    max_words: int | None = None
    min_words: int | None = None
    format: str | None = None
    bullets: int | None = None
    forbid: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One response to judge, with everything the judge may look at."""

    axes: tuple[Axis, ...]
    rules: tuple[tuple[str, int], ...]  # (dimension, weight)
    task: str
    source: str
    constraints: Constraints
    facts: tuple[Fact, ...]
    response: str
    gates: bool


def read_case(fields: Mapping[str, object]) -> Case:
    """`fields` of a judge's call as a Case; ValueError names what is missing or of the wrong kind."""
    goal = mapping(fields, "goal")
    targets = mapping(goal, "alignment_target")
    gates = fields.get("gates")
    if not isinstance(gates, bool):
        raise ValueError(f"field 'gates' must be true or false, not {gates!r}")
    return Case(
        axes=tuple(_axis(axis, targets) for axis in mappings(fields, "axes")),
        rules=tuple((one_of(rule, "dimension", DIMENSIONS), count(rule, "weight")) for rule in mappings(goal, "rules")),
        task=text(fields, "task"),
        source=text(fields, "source"),
        constraints=_constraints(mapping(fields, "constraints")),
        facts=tuple(_fact(fact) for fact in mappings(fields, "facts")),
        response=text(fields, "response"),
        gates=gates,
    )


def _axis(fields: Mapping[str, object], targets: Mapping[str, object]) -> Axis:
    name = text(fields, "id")
    aspects = texts(fields, "aspects")
    known("aspect", aspects, ASPECTS)
    return Axis(name, aspects, count(targets, name) if name in targets else None)


def _fact(fields: Mapping[str, object]) -> Fact:
    keys = (tuple(key.split("|")) for key in texts(fields, "keys"))
    return Fact(one_of(fields, "kind", KINDS), tuple(keys))


def _constraints(fields: Mapping[str, object]) -> Constraints:
    known("constraint", fields, Constraints.__dataclass_fields__)
    counts = {
        name: count(fields, name, least=1)
        for name in ("max_sentences", "min_sentences", "max_words", "min_words", "bullets")
        if name in fields
    }
    return Constraints(
        **counts,
        format=one_of(fields, "format", FORMATS) if "format" in fields else None,
        forbid=texts(fields, "forbid") if "forbid" in fields else (),
    )

"""What a judge is given, read once from the loose fields of a call into typed values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from nullbench_site.specs.types import DIMENSIONS, Aspect, FactKind

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
    goal = _mapping(fields, "goal")
    targets = _mapping(goal, "alignment_target")
    gates = fields.get("gates")
    if not isinstance(gates, bool):
        raise ValueError(f"field 'gates' must be true or false, not {gates!r}")
    return Case(
        axes=tuple(_axis(axis, targets) for axis in _mappings(fields, "axes")),
        rules=tuple(
            (_one_of(rule, "dimension", DIMENSIONS), _count(rule, "weight")) for rule in _mappings(goal, "rules")
        ),
        task=_text(fields, "task"),
        source=_text(fields, "source"),
        constraints=_constraints(_mapping(fields, "constraints")),
        facts=tuple(_fact(fact) for fact in _mappings(fields, "facts")),
        response=_text(fields, "response"),
        gates=gates,
    )


def _axis(fields: Mapping[str, object], targets: Mapping[str, object]) -> Axis:
    name = _text(fields, "id")
    aspects = _texts(fields, "aspects")
    _known("aspect", aspects, ASPECTS)
    return Axis(name, aspects, _count(targets, name) if name in targets else None)


def _fact(fields: Mapping[str, object]) -> Fact:
    keys = (tuple(key.split("|")) for key in _texts(fields, "keys"))
    return Fact(_one_of(fields, "kind", KINDS), tuple(keys))


def _constraints(fields: Mapping[str, object]) -> Constraints:
    _known("constraint", fields, Constraints.__dataclass_fields__)
    counts = {
        name: _count(fields, name, least=1)
        for name in ("max_sentences", "min_sentences", "max_words", "min_words", "bullets")
        if name in fields
    }
    return Constraints(
        **counts,
        format=_one_of(fields, "format", FORMATS) if "format" in fields else None,
        forbid=_texts(fields, "forbid") if "forbid" in fields else (),
    )


def _known(what: str, found: Iterable[str], known: Iterable[str]) -> None:
    unknown = sorted(set(found) - set(known))
    if unknown:
        raise ValueError(f"unknown {what} {', '.join(map(repr, unknown))}; known: {', '.join(known)}")


def _one_of(fields: Mapping[str, object], name: str, known: Sequence[str]) -> str:
    value = _text(fields, name)
    _known(name, [value], known)
    return value


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise ValueError(f"field {name!r} must be text, not {value!r}")
    return value


def _texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = fields.get(name)
    if not isinstance(value, list | tuple) or not all(isinstance(entry, str) for entry in value):
        raise ValueError(f"field {name!r} must be a list of texts, not {value!r}")
    return tuple(value)


def _count(fields: Mapping[str, object], name: str, least: int = 0) -> int:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"field {name!r} must be a whole number >= {least}, not {value!r}")
    return value


def _mapping(fields: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = fields.get(name)
    if not isinstance(value, Mapping):
        raise ValueError(f"field {name!r} must be a mapping, not {value!r}")
    return value


def _mappings(fields: Mapping[str, object], name: str) -> tuple[Mapping[str, object], ...]:
    value = fields.get(name)
    if not isinstance(value, list | tuple) or not all(isinstance(entry, Mapping) for entry in value):
        raise ValueError(f"field {name!r} must be a list of mappings, not {value!r}")
    return tuple(value)

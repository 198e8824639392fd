"""The difference of two benchmarks: what is new, gone or changed, and what of it can move a score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import UNSCORED, canonical_json, given_fields, scored_json
from nullbench_site.specs.types import Category, DomainFile

Kind = Literal[
    "benchmark", "board", "domain", "category", "item", "axes", "axis", "goal", "template", "contestant", "judge",
    "panel", "endpoint",
]  # fmt: skip
Number: TypeAlias = bool | int | float

_OUTSIDE = frozenset({"benchmark", "endpoint"})
"""Kinds of which nothing is in the digest."""
_ORDER = "order"
"""What stands for the order of the parts of a spec, which the digest covers."""


class FieldChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A field that is not the same. path: its name, below those of the fields that it is in.

    scored: whether the digest covers it. before, after: only of a number; texts are told by their names alone, so that
    nothing of a private item can be in them.
    """

    path: tuple[str, ...]
    scored: bool
    before: Number | None = None
    after: Number | None = None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """A spec that is not the same in both benchmarks. scored: whether it can move a score.

    title: that of the newer one; the id of what has none. fields: only of one that changed.
    """

    kind: Kind
    id: str
    title: str
    what: Literal["added", "removed", "changed"]
    scored: bool
    fields: tuple[FieldChange, ...] = ()


@dataclass(frozen=True)
class _Leaf:
    value: Any
    scored: bool


@dataclass(frozen=True)
class _Part:
    title: str
    leaves: Mapping[tuple[str, ...], _Leaf]


def changes(before: Benchmark, after: Benchmark) -> Iterator[Change]:
    """Every spec of one benchmark that the other has not, or has otherwise, kind by kind and by id.

    One of them is `scored` exactly where the digests of the two differ. Canaries are left out: nobody reads them.
    """
    old, new = _parts(before), _parts(after)
    for kind in old:
        for spec in sorted(old[kind].keys() | new[kind].keys()):
            if spec not in new[kind]:
                yield Change(kind, spec, old[kind][spec].title, "removed", kind not in _OUTSIDE)
            elif spec not in old[kind]:
                yield Change(kind, spec, new[kind][spec].title, "added", kind not in _OUTSIDE)
            elif fields := tuple(_field_changes(old[kind][spec], new[kind][spec])):
                scored = any(field.scored for field in fields)
                yield Change(kind, spec, new[kind][spec].title, "changed", scored, fields)


def _field_changes(before: _Part, after: _Part) -> Iterator[FieldChange]:
    absent = _Leaf(None, scored=False)
    for path in sorted(before.leaves.keys() | after.leaves.keys()):
        old, new = before.leaves.get(path, absent), after.leaves.get(path, absent)
        values = old.value, new.value
        if path[-1] == _ORDER and isinstance(values[0], tuple) and isinstance(values[1], tuple):
            values = _of_both(*values), _of_both(*reversed(values))
        given_twice = old is not absent and new is not absent
        if given_twice and canonical_json(values[0]) == canonical_json(values[1]):
            continue
        moves = not given_twice or scored_json(values[0]) != scored_json(values[1])
        scored = moves and (old.scored or new.scored)
        if all(value is None or isinstance(value, bool | int | float) for value in values):
            yield FieldChange(path, scored, *values)
        else:
            yield FieldChange(path, scored)


def _of_both(ids: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """`ids` without those that only they have: one more part is no other order."""
    kept = frozenset(others)
    return tuple(name for name in ids if name in kept)


def _parts(benchmark: Benchmark) -> dict[Kind, dict[str, _Part]]:
    """Every spec as its fields, one in another as a part of its own."""
    axes = benchmark.axes
    parts: dict[Kind, dict[str, _Part]] = {
        "benchmark": {benchmark.about.id: _part(benchmark.about, scored=False)},
        "board": {name: _part(board) for name, board in benchmark.boards.items()},
        "domain": {},
        "category": {},
        "item": {},
        "axes": {"axes": _Part("Axes", {(_ORDER,): _Leaf(tuple(axes), scored=True)})} if axes else {},
        "axis": {name: _part(axis, baseline=name in benchmark.baseline_axes) for name, axis in axes.items()},
        "goal": {name: _part(goal) for name, goal in benchmark.goals.items()},
        "template": {
            name: _Part(name, {("wording",): _Leaf(text, scored=True)}) for name, text in benchmark.templates.items()
        },
        "contestant": {name: _part(model) for name, model in benchmark.models.items()},
        "judge": {name: _part(judge) for name, judge in benchmark.judges.items()},
        "panel": {name: _part(panel) for name, panel in benchmark.panels.items()},
        "endpoint": {name: _part(endpoint, scored=False) for name, endpoint in benchmark.endpoints.items()},
    }
    for name, domain in benchmark.domains.items():
        parts["domain"][name] = _part(domain, order=tuple(category.id for category in domain.categories))
        for category in domain.categories:
            place = f"{name}/{category.id}"
            parts["category"][place] = _part(category, order=tuple(item.id for item in category.items))
            parts["item"] |= {item.id: _part(item, category=place) for item in category.items}
    return parts


def _part(spec: msgspec.Struct, *, scored: bool = True, **beside: Any) -> _Part:
    """beside: what places a spec among others, which the digest covers."""
    leaves = {path: _Leaf(value, scored and leaf_scored) for path, value, leaf_scored in _leaves(spec)}
    leaves |= {(name,): _Leaf(value, scored) for name, value in beside.items()}
    return _Part(str(getattr(spec, "title", None) or getattr(spec, "id")), leaves)  # noqa: B009 - Struct has none


def _leaves(spec: msgspec.Struct) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
    """The fields of a spec and of those in it: path, value, whether the digest covers it."""
    parts = {"canary"} | ({"categories"} if isinstance(spec, DomainFile) else set())
    parts |= {"items"} if isinstance(spec, Category) else set()
    for name in given_fields(spec):
        if name not in parts:
            for path, value, scored in _below(getattr(spec, name)):
                yield (name, *path), value, scored and name not in UNSCORED


def _below(value: Any) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
    # One with a tag is an answer key or a check: a whole to readers. Keys of a mapping are people's names: all count.
    if isinstance(value, msgspec.Struct) and value.__struct_config__.tag is None and any(given_fields(value)):
        yield from _leaves(value)
    elif isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from (((str(name), *path), leaf, scored) for path, leaf, scored in _below(inner))
    else:
        yield (), value, True

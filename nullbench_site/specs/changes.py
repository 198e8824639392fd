"""Compare two benchmarks: which specs were added, removed or changed, and which changes can move a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import UNSCORED, canonical_json, given_fields, scored_json, sha256
from nullbench_site.specs.protocol import specs_of
from nullbench_site.specs.types import BoardFile, Category, DomainFile, WordedJudge, WordedPanel

Kind: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z][a-z-]*$(?!\n)", max_length=40)]
"""The kind of a spec: a benchmark, a board, an item, ... or a kind of a single protocol."""
What = Literal["added", "removed", "joined", "dropped", "changed", "renamed"]
Number: TypeAlias = bool | int | float

_OUTSIDE = frozenset({"benchmark", "endpoint"})
"""Kinds that the digest does not cover."""
_PLACE = frozenset({"id", "category"})
"""Fields that change when a spec is renamed or moved."""
_ORDER = "order"
"""The name of a field for the order of parts, which the digest covers."""


class FieldChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A changed field. path: its name after those of the fields that contain it.

    scored: True if the digest covers it. before, after: only for numbers. Texts are never quoted, because they may be
    private.
    """

    path: tuple[str, ...]
    scored: bool
    before: Number | None = None
    after: Number | None = None


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """A spec that differs between two benchmarks. scored: True if the difference can move a score.

    joined, dropped: both benchmarks have it, but a board uses it in only one of them. title: the newer one, or the id.
    fields: of a changed or renamed spec. before: the old id of a renamed spec.
    """

    kind: Kind
    id: str
    title: str
    what: What
    scored: bool
    fields: tuple[FieldChange, ...] = ()
    before: str = ""


@dataclass(frozen=True)
class _Leaf:
    value: Any
    scored: bool


@dataclass(frozen=True)
class _Part:
    id: str
    title: str
    leaves: Mapping[tuple[str, ...], _Leaf]


_Parts: TypeAlias = dict[Kind, dict[str, _Part]]


def changes(before: Benchmark, after: Benchmark) -> Iterator[Change]:
    """Yield every spec that differs, by kind and id.

    At least one change is `scored` if and only if the digests differ. Canaries are ignored.
    """
    boards = [*before.boards.values(), *after.boards.values()]
    protocols = sorted(before.own.keys() | after.own.keys() | {board.protocol for board in boards})
    own_kinds = tuple(dict.fromkeys(kind for name in protocols for kind in specs_of(name).kinds))
    naming = dict(_NAMING)
    for name in protocols:
        naming |= specs_of(name).references
    old, new = _parts(before), _parts(after)
    for kind in (*old, *new):
        old.setdefault(kind, {})
        new.setdefault(kind, {})
    renamed = _renamed(old, new, own_kinds, naming)
    for kind in old:
        names = renamed[kind]
        taken = set(names.values())
        known = {name: part for name, part in old[kind].items() if name not in names and name not in taken}
        known |= {now: old[kind][name] for name, now in names.items()}
        for name in sorted(taken & old[kind].keys() - names.keys()):  # another spec has its id now
            yield Change(kind, name, old[kind][name].title, "removed", scored=True)
        former = {now: name for name, now in names.items()}
        for spec in sorted(known.keys() | new[kind].keys()):
            if spec not in new[kind]:
                gone: What = "dropped" if (kind, spec) in after.unused else "removed"
                yield Change(kind, spec, known[spec].title, gone, kind not in _OUTSIDE)
            elif spec not in known:
                come: What = "joined" if (kind, spec) in before.unused else "added"
                yield Change(kind, spec, new[kind][spec].title, come, kind not in _OUTSIDE)
            else:
                fields = tuple(_field_changes(_as_named_now(kind, known[spec], renamed, naming), new[kind][spec]))
                if spec in former:
                    fields = tuple(field for field in fields if field.path != ("id",))
                    yield Change(kind, spec, new[kind][spec].title, "renamed", True, fields, former[spec])
                elif fields:
                    scored = any(field.scored for field in fields)
                    yield Change(kind, spec, new[kind][spec].title, "changed", scored, fields)


_Naming: TypeAlias = Mapping[tuple[Kind, str], Kind]
_NAMING: _Naming = {
    ("category", _ORDER): "item",
    ("item", "category"): "category",
    ("board", "contestants"): "contestant",
    ("board", "domains"): "domain",
    ("board", "panel"): "panel",
    ("board", "template"): "template",
    ("board", "templates"): "template",
    ("board", "judge_templates"): "template",
    ("board", "first_template_only"): "contestant",
    ("panel", "judges"): "judge",
}
"""Kind and field -> the kind of spec that the values or keys of the field name."""
_NAMED_FIRST: tuple[Kind, ...] = ("template", "contestant", "judge", "panel", "item", "category", "domain", "board")
"""Each kind after the kinds that it names, except an item, which names its category. Kinds of one protocol first."""


def _renamed(old: _Parts, new: _Parts, own_kinds: tuple[Kind, ...], naming: _Naming) -> dict[Kind, dict[str, str]]:
    """Return old id -> new id for each kind. In the digest, a renamed spec differs only in id and place.

    Specs that are equal except for their ids cannot be distinguished, so none of them counts as renamed.
    """
    renamed: dict[Kind, dict[str, str]] = {kind: {} for kind in old}
    for kind in (*own_kinds, *_NAMED_FIRST):
        before, after = old[kind], new[kind]
        same = {name for name in before.keys() & after.keys() if before[name].leaves == after[name].leaves}
        were = _by_content(_as_named_now(kind, before[name], renamed, naming) for name in before if name not in same)
        are = _by_content(after[name] for name in after if name not in same)
        for content, (name, *others) in were.items():
            match are.get(content, ()):
                case [now] if not others and now != name:
                    renamed[kind][name] = now
    return renamed


def _by_content(parts: Iterable[_Part]) -> Mapping[bytes, Sequence[str]]:
    """Return the ids of specs by their scored content, without id and place."""
    ids: dict[bytes, list[str]] = {}
    for part in parts:
        kept = {
            ".".join(path): leaf.value for path, leaf in part.leaves.items() if leaf.scored and path[0] not in _PLACE
        }
        ids.setdefault(scored_json(kept), []).append(part.id)
    return ids


def _as_named_now(kind: Kind, part: _Part, renamed: Mapping[Kind, Mapping[str, str]], naming: _Naming) -> _Part:
    """Return a spec with references to renamed specs updated."""
    leaves = {}
    for path, leaf in part.leaves.items():
        names = renamed[naming[kind, path[0]]] if (kind, path[0]) in naming else {}
        if not names:
            leaves[path] = leaf
        elif len(path) > 1:
            leaves[path[0], names.get(path[1], path[1]), *path[2:]] = leaf
        elif isinstance(leaf.value, tuple):
            ids = (names.get(each, each) for each in leaf.value)
            # Contestants have no order except that of their ids.
            leaves[path] = _Leaf(tuple(sorted(ids) if path[0] == "contestants" else ids), leaf.scored)
        else:
            leaves[path] = _Leaf(names.get(leaf.value, leaf.value), leaf.scored)
    return _Part(part.id, part.title, leaves)


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
    """Return the ids that both lists have, so that an added part does not count as a new order."""
    kept = frozenset(others)
    return tuple(name for name in ids if name in kept)


def _parts(benchmark: Benchmark) -> _Parts:
    """Return every spec as its fields. Nested specs such as items are parts of their own."""
    own: _Parts = {kind: {} for protocol in benchmark.own for kind in specs_of(protocol).kinds}
    for protocol in benchmark.own:
        for spec in specs_of(protocol).compared(benchmark):
            beside = {(name,): _Leaf(value, scored=True) for name, value in spec.beside.items()}
            leaves = {} if spec.spec is None else dict(_part(spec.spec).leaves)
            own[spec.kind][spec.id] = _Part(spec.id, spec.title, leaves | beside)
    boards = benchmark.boards.items()
    parts: _Parts = {
        "benchmark": {benchmark.about.id: _part(benchmark.about, scored=False)},
        "board": {name: _part(_as_in_specs(benchmark, board), **_beside(benchmark, name)) for name, board in boards},
        "domain": {},
        "category": {},
        "item": {},
        **own,
        "template": {
            name: _Part(name, name, {("wording",): _Leaf(text, scored=True)})
            for name, text in benchmark.templates.items()
        },
        "contestant": {name: _part(model) for name, model in benchmark.models.items()},
        "judge": {n: _part(judge) for n, judge in benchmark.judges.items() if not isinstance(judge, WordedJudge)},
        "panel": {n: _part(panel) for n, panel in benchmark.panels.items() if not isinstance(panel, WordedPanel)},
        "endpoint": {name: _part(endpoint, scored=False) for name, endpoint in benchmark.endpoints.items()},
    }
    for name, domain in benchmark.domains.items():
        parts["domain"][name] = _part(domain, order=tuple(category.id for category in domain.categories))
        for category in domain.categories:
            place = f"{name}/{category.id}"
            parts["category"][place] = _part(category, place, order=tuple(item.id for item in category.items))
            parts["item"] |= {
                item.id: _part(item, category=place, **_prohibited(benchmark, item.id)) for item in category.items
            }
    return parts


def _as_in_specs(benchmark: Benchmark, board: BoardFile) -> BoardFile:
    """Return a board with the panel that its file names."""
    panel = benchmark.panels.get(getattr(board, "panel", ""))
    return msgspec.structs.replace(board, panel=panel.base) if isinstance(panel, WordedPanel) else board


def _beside(benchmark: Benchmark, board: str) -> dict[str, Any]:
    """Return the digests of the tables of a board, its overlap with corpora and its labels, if it has any."""
    beside = {"table": benchmark.tables[board].sha256} if board in benchmark.tables else {}
    if board in benchmark.overlaps:
        beside["overlap"] = sha256(scored_json(benchmark.overlaps[board]))
    if board in benchmark.labels:
        beside["labels"] = sha256(scored_json(benchmark.labels[board]))
    return beside


def _prohibited(benchmark: Benchmark, item: str) -> dict[str, Any]:
    """Return the criteria of an item that an empty response meets, if the digest covers some."""
    return {"prohibitions": benchmark.prohibitions[item]} if item in benchmark.prohibitions else {}


def _part(spec: msgspec.Struct, place: str = "", *, scored: bool = True, **beside: Any) -> _Part:
    """Return a spec as its fields. place: a unique id, if its own is not. beside: more content in the digest."""
    leaves = {path: _Leaf(value, scored and leaf_scored) for path, value, leaf_scored in _leaves(spec)}
    leaves |= {(name,): _Leaf(value, scored) for name, value in beside.items()}
    own = str(getattr(spec, "id"))  # noqa: B009 - Struct has none
    return _Part(place or own, str(getattr(spec, "title", None) or own), leaves)


def _leaves(spec: msgspec.Struct) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
    """Yield the fields of a spec and of nested structs: path, value, whether the digest covers it."""
    parts = {"canary"} | ({"categories"} if isinstance(spec, DomainFile) else set())
    parts |= {"items"} if isinstance(spec, Category) else set()
    for name in given_fields(spec):
        if name not in parts:
            for path, value, scored in _below(getattr(spec, name)):
                yield (name, *path), value, scored and name not in UNSCORED


def _below(value: Any) -> Iterator[tuple[tuple[str, ...], Any, bool]]:
    # A tagged struct is an answer key or a check, shown as a whole. Keys of a mapping are ids, so all of them count.
    if isinstance(value, msgspec.Struct) and value.__struct_config__.tag is None and any(given_fields(value)):
        yield from _leaves(value)
    elif isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from (((str(name), *path), leaf, scored) for path, leaf, scored in _below(inner))
    else:
        yield (), value, True

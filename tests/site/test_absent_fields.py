"""Every field of the specs that may be left out is left out once, and filled once, and the site is rendered of it.

The variants are made of the types themselves, so that a new field takes part by itself.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from msgspec import inspect
from support.sites import Site

from nullbench_site.protocols.rubric.specs import GEval
from nullbench_site.site.render import tree_files
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Decoding, Item, ModelFile, Spec

SITES = ("small_site", "rubric_site", "oracle_site")
HASH = f"sha256:{'0' * 64}"
_CANDIDATES: tuple[Any, ...] = (
    "a text", "openai", "x.jsonl", "2026", "2026-01-01", "https://example.org/", HASH, "0" * 32, "TEXT", 1, 0.5, True,
    "reproduced",
)  # fmt: skip
"""One of these is a value of every simple type of the specs; openai is an endpoint that every benchmark has."""
_REFERENCES = ("goal", "bridges", "source")
"""What has to exist, and to fit: it may be left out, and is there in every category that names it."""
_KEPT = ("items", "template")
"""What a run was made from, which no rule lets a board leave out."""


def may_be_null(field: msgspec.structs.FieldInfo) -> bool:
    kind = inspect.type_info(field.type)
    kind = kind.type if isinstance(kind, inspect.Metadata) else kind
    return isinstance(kind, inspect.UnionType) and any(isinstance(of, inspect.NoneType) for of in kind.types)


def changed(value: Any, change: Callable[[msgspec.Struct, msgspec.structs.FieldInfo, Any], Any]) -> Any:
    """The value with every field of every spec in it changed, from the innermost out; checks and keys stay."""
    if isinstance(value, Spec):
        fields = {
            field.name: change(value, field, changed(getattr(value, field.name), change))
            for field in msgspec.structs.fields(value)
        }
        return _coherent(msgspec.structs.replace(value, **fields))
    if isinstance(value, Mapping):
        return {key: changed(inner, change) for key, inner in value.items()}
    return tuple(changed(inner, change) for inner in value) if isinstance(value, tuple) else value


def _coherent(spec: msgspec.Struct) -> msgspec.Struct:
    """What the rules ask for beside the types: an item without its text is private and has a hash."""
    if isinstance(spec, Item):
        texts = [
            getattr(spec, name) for name in ("prompt", "ideal", "criteria", "checks", "key") if hasattr(spec, name)
        ]
        if None in texts:
            return msgspec.structs.replace(spec, visibility="private", hash=HASH, salt=None)
    return spec


def nulls(spec: msgspec.Struct, field: msgspec.structs.FieldInfo, value: Any) -> Any:
    """Null wherever the schema allows it."""
    return None if may_be_null(field) and field.name not in _KEPT else value


def defaults(spec: msgspec.Struct, field: msgspec.structs.FieldInfo, value: Any) -> Any:
    """As if nothing but what is required had been written, and the items."""
    return value if field.default is msgspec.NODEFAULT or field.name in _KEPT else field.default


def filled(spec: msgspec.Struct, field: msgspec.structs.FieldInfo, value: Any) -> Any:
    """A value in every field that has none."""
    return _made(field.type) if value is None and field.name not in _REFERENCES else value


def _made(kind: Any) -> Any:
    for candidate in (
        *_CANDIDATES,
        ["a text"],
        {"since": "2026-01-01", "reason": "a text"},
        {"input": 1.0, "output": 2.0, "date": "2026-01-01", "source": "a list"},
    ):
        try:
            return msgspec.convert(candidate, kind)
        except msgspec.ValidationError:
            continue
    try:
        return msgspec.convert({}, kind)
    except msgspec.ValidationError:
        return None


VARIANTS = {"null": nulls, "left out": defaults, "filled": filled}


def variant(benchmark: Benchmark, name: str) -> Benchmark:
    """Items without their text and boards without their contestants keep what the run was made from."""
    parts = {
        part: changed(getattr(benchmark, part), VARIANTS[name])
        for part in ("about", "domains", "judges", "panels", "models", "boards")
    }
    return dataclasses.replace(benchmark, **parts)


def pages(site: Site, benchmark: Benchmark) -> dict[str, str]:
    data = dataclasses.replace(site.data, benchmark=benchmark)
    made = tree_files(data, site.repository.root, site.repository.cache)
    return {name: content.decode() for name, content in made if name.endswith(".md")}


@pytest.mark.parametrize("name", ["null", pytest.param("left out", marks=pytest.mark.sweep), "filled"])
@pytest.mark.parametrize("of", SITES)
def test_a_site_is_rendered_whatever_fields_of_its_specs_are_absent(
    request: pytest.FixtureRequest, of: str, name: str
) -> None:
    site: Site = request.getfixturevalue(of)
    shown = pages(site, variant(site.data.benchmark, name))
    assert len(shown) == len(list(site.tree.rglob("*.md")))
    told = [
        f"{page}: ...{text[max(0, found.start() - 60) : found.end() + 30]}"
        for page, text in shown.items()
        for found in re.finditer(r"(?<![\w.])(None(?! of)|undefined|NaN)(?!\w)", text)
    ]
    assert told == []


def test_variants_have_and_lack_every_field_that_may_be_null(rubric_site: Site) -> None:
    benchmark = rubric_site.data.benchmark
    bare, full = (variant(benchmark, name).models["clear"] for name in ("null", "filled"))
    optional = {field.name for field in msgspec.structs.fields(ModelFile) if may_be_null(field)}
    assert {"decoding", "prices", "vendor", "homepage", "parameters_b"} <= optional
    assert {name for name in optional if getattr(bare, name) is None} == optional
    assert {name for name in optional if getattr(full, name) is not None} == optional
    assert variant(benchmark, "null").boards["tasks"].decoding == Decoding(temperature=None)
    assert isinstance(getattr(variant(benchmark, "filled").boards["tasks"], "geval", None), GEval)

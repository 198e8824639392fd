"""JSON Schemas of the spec files, generated from the types."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.extensions import registered
from nullbench_site.specs import types
from nullbench_site.specs.protocol import default_protocol, protocol_files, specs_of

_SHARED: Mapping[str, type[types.Spec]] = {
    "benchmark": types.BenchmarkFile,
    "judges": types.JudgesFile,
    "endpoints": types.EndpointsFile,
    "model": types.ModelFile,
    "ledger": types.LedgerFile,
    "overlap": types.OverlapFile,
    "questions": types.QuestionsFile,
}


DRAFT = "https://json-schema.org/draft/2020-12/schema"
_IN_LINES = ("item", "text")
"""Lines of JSONL files. Editors read these without a schema; the schema of the domain defines them."""


class _FileTypes(Mapping[str, type[types.Spec]]):
    """Schema name -> type. The types of a protocol are imported when needed, as some imports are slow.

    `item` is a line of an items file, `text` a line of a private file. For other protocols than the default, the name
    of the protocol is the prefix.
    """

    def __getitem__(self, name: str) -> type[types.Spec]:
        if name in _SHARED:
            return _SHARED[name]
        for protocol, paths in protocol_files().items():
            for path in paths:
                if _schema_of(path) == name:
                    return specs_of(protocol).files[path]
        protocol, _, kind = name.rpartition("-")
        specs = specs_of(protocol or default_protocol())
        of_protocol: type[types.Spec] = specs.item.text_type if kind == "text" else getattr(specs, kind)
        return of_protocol

    def __iter__(self) -> Iterator[str]:
        yield from _SHARED
        yield from (_schema_of(path) for paths in protocol_files().values() for path in paths)
        for protocol in registered("protocols"):
            for kind in ("board", "domain", "item", "text"):
                yield kind if protocol == default_protocol() else f"{protocol}-{kind}"

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _schema_of(path: str) -> str:
    """Return the schema name of `name.yaml` or `name/*.yaml`."""
    return path.split("/", maxsplit=1)[0].removesuffix(".yaml")


FILE_TYPES = _FileTypes()


def schema_name(kind: type[types.Spec]) -> str:
    """Return the name of the schema of a type."""
    shared = {of_file: name for name, of_file in _SHARED.items()}
    return shared[kind] if kind in shared else next(name for name in FILE_TYPES if FILE_TYPES[name] is kind)


@cache
def json_schema(name: str) -> Mapping[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a kind of file. That of a domain also defines its private lines."""
    protocol = name.removesuffix("domain")
    kinds = [FILE_TYPES[name]] if protocol == name else [FILE_TYPES[name], FILE_TYPES[f"{protocol}text"]]
    [schema, *_], definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for each in definitions.values():
        if "description" in each:  # a docstring, whose indentation Python 3.13 removes
            each["description"] = cleandoc(each["description"])
    for each in definitions.values():
        for key in each.get("properties", {}).values():
            if "description" not in key and (words := _described(key, each, definitions)):
                key["description"] = words
    return {
        "$schema": DRAFT,
        "$id": f"urn:nullbench-site:schema:{name}",
        "title": f"{name} spec",
        **schema,
        "$defs": definitions,
    }


def _described(key: Mapping[str, Any], of: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return the description of what a key has: of its type, or of the object that a key with one value marks."""
    if len(key.get("enum", ())) == 1:
        return str(of.get("description", ""))
    for part in (*key.get("anyOf", ()), key, key.get("items", {})):
        named = definitions.get(part.get("$ref", "").rpartition("/")[2], {})
        if words := part.get("description", named.get("description", "")):
            return str(words)
    return ""


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema of a file below `folder` for editors. Return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in FILE_TYPES:
        if name.rpartition("-")[2] not in _IN_LINES:
            path = folder / f"{name}.json"
            path.write_bytes(_text(json_schema(name)))
            paths.append(path)
    return paths


def published(base: str, folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of every schema, for a site. base: the address of `folder`; without a host, ids stay."""
    for name in FILE_TYPES:
        schema = dict(json_schema(name))
        if base.startswith("http"):
            schema["$id"] = f"{base}{name}.json"
        yield f"{folder}{name}.json", _text(schema)


def _text(schema: Mapping[str, Any]) -> bytes:
    return f"{json.dumps(schema, indent=1, ensure_ascii=False)}\n".encode()

"""JSON Schemas of the spec files, generated from the types."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import cleandoc
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.specs import types

_TYPES: Mapping[str, str] = {
    "benchmark": "BenchmarkFile",
    "axes": "AxesFile",
    "goals": "GoalsFile",
    "domain": "AxesDomainFile",
    "rubric-domain": "RubricDomainFile",
    "oracle-domain": "OracleDomainFile",
    "judges": "JudgesFile",
    "endpoints": "EndpointsFile",
    "model": "ModelFile",
    "board": "AxesBoardFile",
    "rubric-board": "RubricBoardFile",
    "oracle-board": "OracleBoardFile",
    "item": "AxesItem",
    "rubric-item": "RubricItem",
    "oracle-item": "OracleItem",
    "rubric-text": "RubricText",
    "oracle-text": "OracleText",
}
"""Schema name -> the name of its type. Those of the axes protocol have plain names; `item` is a line of items."""


class _FileTypes(Mapping[str, type[types.Spec]]):
    """The types by schema name, had when they are asked for: those of some protocols import much."""

    def __getitem__(self, name: str) -> type[types.Spec]:
        found: type[types.Spec] = getattr(types, _TYPES[name])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_TYPES)

    def __len__(self) -> int:
        return len(_TYPES)


FILE_TYPES = _FileTypes()


@cache
def json_schema(name: str) -> Mapping[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of spec file."""
    schema = msgspec.json.schema(FILE_TYPES[name])
    for each in schema["$defs"].values():
        if "description" in each:  # a docstring, from which Python 3.13 takes the indent
            each["description"] = cleandoc(each["description"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"{name} spec", **schema}


def schema_text(name: str) -> str:
    """The schema as it is written to specs/schema/<name>.json."""
    return json.dumps(json_schema(name), indent=1, ensure_ascii=False) + "\n"


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema below `folder` for editors to find; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in FILE_TYPES:
        path = folder / f"{name}.json"
        path.write_text(schema_text(name), encoding="utf-8", newline="\n")
        paths.append(path)
    return paths

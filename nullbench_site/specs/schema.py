"""JSON Schemas of the spec files, generated from the types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.specs import types

FILE_TYPES: Mapping[str, type[types.Spec]] = {
    "benchmark": types.BenchmarkFile,
    "axes": types.AxesFile,
    "goals": types.GoalsFile,
    "domain": types.AxesDomainFile,
    "rubric-domain": types.RubricDomainFile,
    "oracle-domain": types.OracleDomainFile,
    "judges": types.JudgesFile,
    "endpoints": types.EndpointsFile,
    "model": types.ModelFile,
    "board": types.AxesBoardFile,
    "rubric-board": types.RubricBoardFile,
    "oracle-board": types.OracleBoardFile,
    "item": types.AxesItem,
    "rubric-item": types.RubricItem,
    "oracle-item": types.OracleItem,
    "rubric-text": types.RubricText,
    "oracle-text": types.OracleText,
}
"""Schema name -> the type of that file. Those of the axes protocol have plain names; `item` is a line of an
items file."""


@cache
def json_schema(name: str) -> Mapping[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of spec file."""
    schema = msgspec.json.schema(FILE_TYPES[name])
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
        path.write_text(schema_text(name), encoding="utf-8")
        paths.append(path)
    return paths

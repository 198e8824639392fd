"""Digests of everything that can change a score. They do not cover descriptions, endpoints and prices."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from nullbench_site.specs.benchmark import Benchmark

UNSCORED = frozenset({
    "title", "short", "adjective", "description", "question", "homepage", "canary", "vendor", "license", "released",
    "open_weights", "items_file", "endpoint", "prices", "provenance", "retires", "provisional", "reason", "declared",
    "runtime", "link", "imported", "published", "task_kind",
    "inference", "items_made", "about", "one_mark_limit", "cut_limit", "contradiction_limit",
})  # fmt: skip
"""Fields that cannot change a score: descriptions, the file of items, endpoints, prices, and what pages say of a board.

Limits of judges are among them if no result depends on them.
"""


_encode = msgspec.json.Encoder().encode


def canonical_json(value: object) -> bytes:
    """Return `value` as JSON with sorted keys, without spaces, in UTF-8."""
    return msgspec.json.encode(value, order="sorted")


def sha256(data: bytes) -> str:
    """Return the sha256 of `data` in hex."""
    return hashlib.sha256(data).hexdigest()


def file_sha256(path: Path) -> str:
    """Return the sha256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_DIGESTED = ("answers", "audits", "runs")
"""The folders at the top of a repository whose files have digests."""


def line_ends_changed(content: bytes, digest: str) -> bool:
    """Return True if the content has this sha256 with other line ends: git or an editor changed them.

    digest: in hex, with or without `sha256:`.
    """
    unix = content.replace(b"\r\n", b"\n")
    forms = {unix, unix.replace(b"\n", b"\r\n")} - {content}
    return digest.removeprefix("sha256:") in map(sha256, forms)


def line_ends_advice(path: Path) -> str:
    """Return how to get a file back whose line ends git changed. path: of the file, or of a folder with it."""
    folder = next((part for part in reversed(path.parts) if part in _DIGESTED), _DIGESTED[-1])
    return (
        f"only its line ends changed: put the line '{folder}/** -text' into .gitattributes, delete the file, and "
        "restore it with git checkout"
    )


def spec_digest(benchmark: Benchmark) -> str:
    """Return the sha256, in hex, of everything in the specs that can change a score.

    The canonical JSON is hashed piece by piece, so that thousands of items are not in memory twice.
    """
    digest = hashlib.sha256()
    content: dict[str, Any] = {
        "domains": benchmark.domains,
        "judges": benchmark.judges,
        "panels": benchmark.panels,
        "models": benchmark.models,
        "boards": benchmark.boards,
        "templates": benchmark.templates,
    }
    for own in benchmark.own.values():
        content |= own
    if benchmark.tables:
        content["tables"] = {board: table.sha256 for board, table in benchmark.tables.items()}
    if benchmark.overlaps:
        content["overlaps"] = benchmark.overlaps
    if benchmark.labels:
        content["labels"] = benchmark.labels
    if benchmark.prohibitions:
        content["prohibitions"] = benchmark.prohibitions
    _write(content, digest.update)
    return digest.hexdigest()


def scored_json(value: Any) -> bytes:
    """Return the canonical JSON of a spec or a part of one, without fields that cannot change a score."""
    pieces: list[bytes] = []
    _write(value, pieces.append)
    return b"".join(pieces)


def _write(value: Any, out: Callable[[bytes], None]) -> None:
    """Write `value` as canonical JSON without unscored fields. Keys of a mapping are ids, so all of them count."""
    if isinstance(value, str):  # texts first: they are the most frequent, and the test for Mapping is slow
        out(_encode(value))
    elif isinstance(value, msgspec.Struct):
        members = {name: getattr(value, name) for name in given_fields(value) if name not in UNSCORED}
        config = value.__struct_config__
        if config.tag is not None:  # two types may have the same fields
            members[str(config.tag_field)] = config.tag
        _write_members(members, out)
    elif isinstance(value, tuple):
        out(b"[")
        for place, inner in enumerate(value):
            if place:
                out(b",")
            _write(inner, out)
        out(b"]")
    elif isinstance(value, Mapping):
        _write_members(value, out)
    else:
        out(_encode(value))


def _write_members(members: Mapping[str, Any], out: Callable[[bytes], None]) -> None:
    out(b"{")
    for place, name in enumerate(sorted(members)):
        out(b",%b:" % _encode(name) if place else _encode(name) + b":")
        _write(members[name], out)
    out(b"}")


def given_fields(spec: msgspec.Struct) -> Iterator[str]:
    """Yield the fields that msgspec would write: those that differ from their default."""
    for name, default, factory in _defaults(type(spec)):
        value = getattr(spec, name)
        if value is not default and not (type(value) is factory and not value):
            yield name


@cache
def required_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """Return the fields without a default."""
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.required)


@cache
def _defaults(kind: type[msgspec.Struct]) -> tuple[tuple[str, Any, Any], ...]:
    return tuple((field.name, field.default, field.default_factory) for field in msgspec.structs.fields(kind))


NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""The errors of msgspec for bytes that are not JSON of a type, or that are nested too deeply."""

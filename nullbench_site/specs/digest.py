"""Digests over what can change a score. Words for readers, endpoints and prices are outside them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from nullbench_site.specs.benchmark import Benchmark

UNSCORED = frozenset({
    "title", "short", "description", "question", "homepage", "canary", "vendor", "license", "released", "open_weights",
    "items_file", "endpoint", "prices", "provenance", "retires", "provisional", "reason", "declared",
})  # fmt: skip
"""Fields that change no score: what only readers see, in which file items stand, where a model is reached and what it
costs. `version` is outside too: it is in the run's name."""


_encode = msgspec.json.Encoder().encode


def canonical_json(value: object) -> bytes:
    """The one way to write `value`: sorted keys, no spaces, UTF-8."""
    return msgspec.json.encode(value, order="sorted")


def sha256(data: bytes) -> str:
    """The digest of `data`, in hex."""
    return hashlib.sha256(data).hexdigest()


def spec_digest(benchmark: Benchmark) -> str:
    """sha256, in hex, of everything in the specs that can change a score, order of files aside.

    It is that of the canonical JSON, which is written piece by piece: thousands of items take no memory twice.
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
    _write(content, digest.update)
    return digest.hexdigest()


def scored_json(value: Any) -> bytes:
    """Canonical JSON of a spec, or of a part of one, without what changes no score."""
    pieces: list[bytes] = []
    _write(value, pieces.append)
    return b"".join(pieces)


def _write(value: Any, out: Callable[[bytes], None]) -> None:
    """`value` as canonical JSON without what changes no score. Keys of a mapping are people's names: all count."""
    if isinstance(value, str):  # as most are; to be no Mapping takes longer to find out
        out(_encode(value))
    elif isinstance(value, msgspec.Struct):
        members = {name: getattr(value, name) for name in given_fields(value) if name not in UNSCORED}
        config = value.__struct_config__
        if config.tag is not None:  # of two types with the same fields
            members[str(config.tag_field)] = config.tag
        _write_members(members, out)
    elif isinstance(value, Mapping):
        _write_members(value, out)
    elif isinstance(value, tuple):
        out(b"[")
        for place, inner in enumerate(value):
            if place:
                out(b",")
            _write(inner, out)
        out(b"]")
    else:
        out(_encode(value))


def _write_members(members: Mapping[str, Any], out: Callable[[bytes], None]) -> None:
    out(b"{")
    for place, name in enumerate(sorted(members)):
        out(b",%b:" % _encode(name) if place else _encode(name) + b":")
        _write(members[name], out)
    out(b"}")


def given_fields(spec: msgspec.Struct) -> Iterator[str]:
    """The fields that msgspec would write: not those that have the very default, or an empty collection as theirs."""
    for name, default, factory in _defaults(type(spec)):
        value = getattr(spec, name)
        if value is not default and not (type(value) is factory and not value):
            yield name


@cache
def required_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """The fields that have no default."""
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.required)


@cache
def _defaults(kind: type[msgspec.Struct]) -> tuple[tuple[str, Any, Any], ...]:
    return tuple((field.name, field.default, field.default_factory) for field in msgspec.structs.fields(kind))


NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises of bytes that are no JSON of a type, or that are nested too deeply."""

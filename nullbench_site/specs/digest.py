"""Digests over what can change a score. Words for readers, endpoints and prices are outside them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from nullbench_site.specs.benchmark import Benchmark

UNSCORED = frozenset(
    {
        "title",
        "short",
        "description",
        "question",
        "homepage",
        "canary",
        "vendor",
        "license",
        "released",
        "open_weights",
        "items_file",
        "endpoint",
        "prices",
    }
)
"""Fields that change no score: what only readers see, in which file items stand, where a model is reached and what it
costs. `version` is outside too: it is in the run's name."""


def canonical_json(value: object) -> bytes:
    """The one way to write `value`: sorted keys, no spaces, UTF-8."""
    return msgspec.json.encode(value, order="sorted")


def sha256(data: bytes) -> str:
    """The digest of `data`, in hex."""
    return hashlib.sha256(data).hexdigest()


def spec_digest(benchmark: Benchmark) -> str:
    """sha256, in hex, of everything in the specs that can change a score, order of files aside."""
    content = {
        "axes": benchmark.axes_file,
        "goals": benchmark.goals,
        "domains": benchmark.domains,
        "judges": benchmark.judges,
        "panels": benchmark.panels,
        "models": benchmark.models,
        "boards": benchmark.boards,
        "templates": benchmark.templates,
    }
    return sha256(canonical_json({name: _scored(part) for name, part in content.items()}))


def _scored(value: Any) -> Any:
    """`value` as plain data without UNSCORED fields. Keys of a mapping are no fields but people's names: all count."""
    if isinstance(value, msgspec.Struct):
        fields = msgspec.to_builtins(value)  # without those that have their defaults
        return {name: _scored(getattr(value, name)) for name in fields if name not in UNSCORED}
    if isinstance(value, Mapping):
        return {key: _scored(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return [_scored(inner) for inner in value]
    return value

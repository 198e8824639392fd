"""Digests over what can change a score. Titles, descriptions and other words for readers are outside them."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from nullbench_site.specs.benchmark import Benchmark

COSMETIC = frozenset(
    {"title", "short", "description", "question", "homepage", "canary", "vendor", "license", "released", "open_weights"}
)
"""Keys of spec mappings that only readers see. `version` is outside too: it stands in the run's name."""


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
        "goals": dict(benchmark.goals),
        "domains": dict(benchmark.domains),
        "judges": dict(benchmark.judges),
        "panels": dict(benchmark.panels),
        "models": dict(benchmark.models),
        "boards": dict(benchmark.boards),
        "templates": dict(benchmark.templates),
    }
    return sha256(canonical_json(_without_cosmetics(msgspec.to_builtins(content))))


def _without_cosmetics(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if key not in COSMETIC}
        # Parameters are the backend's own words: nothing in them is known to be for readers only.
        return {key: inner if key == "params" else _without_cosmetics(inner) for key, inner in kept.items()}
    if isinstance(value, list):
        return [_without_cosmetics(inner) for inner in value]
    return value

"""specs/benchmark.yaml."""

from __future__ import annotations

from nullbench_site.specs.types.common import Canary, Id, Line, Prose, Spec, Version, WebAddress


class BenchmarkFile(Spec, frozen=True, kw_only=True):
    """specs/benchmark.yaml: what the whole benchmark is."""

    canary: Canary
    id: Id
    title: Line
    version: Version
    description: Prose
    license: Line
    homepage: WebAddress | None = None

"""specs/benchmark.yaml."""

from __future__ import annotations

from nullbench_site.specs.types.common import Canary, Id, Name, Prose, Spec, Title, Version, WebAddress


class BenchmarkFile(Spec, frozen=True, kw_only=True):
    """specs/benchmark.yaml: what the whole benchmark is."""

    canary: Canary
    id: Id
    title: Title
    version: Version
    description: Prose
    license: Name
    homepage: WebAddress | None = None

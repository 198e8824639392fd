"""The backends, by the name a spec gives in `backend`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from nullbench_site.evaluation.backends.base import Backend
from nullbench_site.specs.rules import BackendNames


@cache
def backends() -> Mapping[str, Backend]:
    """Every backend. Imported when first asked for: a warm build needs none."""
    from nullbench_site.evaluation.backends.offline.backend import OfflineBackend

    return MappingProxyType({"offline": OfflineBackend()})


def backend_names() -> BackendNames:
    """What each backend can run, for checking specs."""
    return BackendNames(
        contestants={name: backend.contestants for name, backend in backends().items()},
        judges={name: backend.judges for name, backend in backends().items()},
        params_problem=lambda backend, model, params: backends()[backend].params_problem(model, params),
    )

"""The backends, by the name a spec gives in `backend`: ours, and those that other packages register."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends.base import Backend
from nullbench_site.extensions import load, registered
from nullbench_site.specs.sources import BackendNames


@cache
def backends() -> Mapping[str, Backend]:
    """Return every registered backend by its name.

    Raises UsageError for a backend whose answers could pass for another's.
    """
    by_name: dict[str, Backend] = {name: load("backends", name)() for name in registered("backends")}
    for name, backend in by_name.items():
        if backend.identity.partition("@")[0] != name:
            raise UsageError(
                f"the backend {name!r} has the identity {backend.identity!r}; expected {name!r}, @ and a revision"
            )
    return by_name


def backend_names() -> BackendNames:
    """Return the names that each backend can run, for checking specs."""
    by_name = backends()
    return BackendNames(
        contestants={name: backend.contestants for name, backend in by_name.items()},
        judges={name: backend.judges for name, backend in by_name.items()},
        contestants_for=lambda name, protocol: by_name[name].contestants_for(protocol),
        judges_for=lambda name, protocol: by_name[name].judges_for(protocol),
        params_problem=lambda name, model, params: by_name[name].params_problem(model, params),
    )

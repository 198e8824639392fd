"""The backends, by the name a spec gives in `backend`: ours, and those that other packages register."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from nullbench_site.errors import UsageError
from nullbench_site.evaluation.backends.base import Backend
from nullbench_site.extensions import load, registered

if TYPE_CHECKING:
    from nullbench_site.specs.sources import BackendNames

T = TypeVar("T")


def backends() -> Mapping[str, Backend]:
    """Every backend, imported when it is first looked up: a build needs those of its specs, a warm one no other."""
    return _ByBackend(_backend)


def backend_names() -> BackendNames:
    """What each backend can run, for checking specs."""
    from nullbench_site.specs.sources import BackendNames  # noqa: PLC0415 - a build with nothing changed reads no specs

    return BackendNames(
        contestants=_ByBackend(lambda name: _backend(name).contestants),
        judges=_ByBackend(lambda name: _backend(name).judges),
        contestants_for=lambda name, protocol: _backend(name).contestants_for(protocol),
        judges_for=lambda name, protocol: _backend(name).judges_for(protocol),
        params_problem=lambda name, model, params: _backend(name).params_problem(model, params),
    )


@cache
def _backend(name: str) -> Backend:
    """Raises KeyError for a name nobody registered, UsageError for a backend whose answers could pass for another's."""
    backend: Backend = load("backends", name)()
    if backend.identity.partition("@")[0] != name:
        raise UsageError(
            f"the backend {name!r} says it is {backend.identity!r}; it has to be {name!r}, @ and a revision"
        )
    return backend


class _ByBackend(Mapping[str, T]):
    """Something of each backend, worked out when it is asked for: to list programs they must be imported."""

    def __init__(self, of: Callable[[str], T]) -> None:
        self._of = of

    def __getitem__(self, name: str) -> T:
        return self._of(name)

    def __contains__(self, name: object) -> bool:
        return name in registered("backends")

    def __iter__(self) -> Iterator[str]:
        return iter(registered("backends"))

    def __len__(self) -> int:
        return len(registered("backends"))

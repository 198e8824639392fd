"""The backends, by the name a spec gives in `backend`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType

from nullbench_site.evaluation.backends.base import Backend
from nullbench_site.specs.rules import BackendNames


@cache
def backends() -> Mapping[str, Backend]:
    """Every backend. Imported when first asked for: a warm build needs none."""
    from nullbench_site.evaluation.backends.offline import OfflineBackend
    from nullbench_site.evaluation.backends.openai.backend import OpenAIBackend
    from nullbench_site.evaluation.backends.recorded import RecordedBackend

    return MappingProxyType({"offline": OfflineBackend(), "openai": OpenAIBackend(), "recorded": RecordedBackend()})


def backend_names() -> BackendNames:
    """What each backend can run, for checking specs."""
    return BackendNames(
        contestants=_Names(lambda backend: backend.contestants),
        judges=_Names(lambda backend: backend.judges),
        contestants_for=lambda backend, protocol: backends()[backend].contestants_for(protocol),
        judges_for=lambda backend, protocol: backends()[backend].judges_for(protocol),
        params_problem=lambda backend, model, params: backends()[backend].params_problem(model, params),
    )


class _Names(Mapping[str, frozenset[str] | None]):
    """Of each backend the names it knows, looked up when asked for: to list programs they must be imported."""

    def __init__(self, names_of: Callable[[Backend], frozenset[str] | None]) -> None:
        self._names_of = names_of

    def __getitem__(self, backend: str) -> frozenset[str] | None:
        return self._names_of(backends()[backend])

    def __iter__(self) -> Iterator[str]:
        return iter(backends())

    def __len__(self) -> int:
        return len(backends())

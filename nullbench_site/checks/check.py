"""What a check is: its text for the methodology page, the type of its parameters, and its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from nullbench_site.checks.params import Params
from nullbench_site.checks.reading.response import Response
from nullbench_site.checks.result import Result

ParamsT = TypeVar("ParamsT", bound=Params)


@dataclass(frozen=True)
class Check(Generic[ParamsT]):
    """One type of check. `function` is pure and takes time linear in the response; None: only judges see to it."""

    title: str
    looks_at: str
    cannot_see: str
    params: type[ParamsT]
    function: Callable[[Response, ParamsT], Result] | None

    @property
    def id(self) -> str:
        return str(self.params.__struct_config__.tag)

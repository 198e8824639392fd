"""The seam between the runner and whatever answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from nullbench_site.protocols.request import Request
from nullbench_site.specs.types import Parameter


@dataclass(frozen=True, slots=True)
class Answer:
    """The text that came back. Token counts are None where the backend does not count."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class BackendError(Exception):
    """The backend gave no answer to this request; it is recorded as errored and the others go on."""


class Backend(Protocol):
    """Something that answers requests, for contestants and judges alike."""

    identity: str
    """Name and revision, `offline@1`; part of every call key."""
    contestants: frozenset[str]
    judges: frozenset[str]

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """What is wrong with the parameters of a contestant or judge it has; None where nothing is."""
        ...

    async def ask(self, request: Request) -> Answer:
        """The answer to one request. Raises BackendError."""
        ...

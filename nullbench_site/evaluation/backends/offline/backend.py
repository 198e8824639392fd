"""The offline backend: contestants and judges that are programs. No model, no key, no network."""

from __future__ import annotations

from collections.abc import Mapping

from nullbench_site.evaluation.backends.base import Answer, BackendError
from nullbench_site.evaluation.backends.offline import CONTESTANTS, JUDGES, answer, judge
from nullbench_site.protocols.request import Request
from nullbench_site.specs.types import Parameter

REVISION = 1
"""Raised whenever an answer or a verdict may come out differently; part of every call key."""


class OfflineBackend:
    """See the module."""

    identity = f"offline@{REVISION}"
    contestants = frozenset(CONTESTANTS)
    judges = frozenset(JUDGES)

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Programs read their parameters before anything else, so a try on no text at all tells."""
        if model in JUDGES:
            return f"unknown param {', '.join(map(repr, sorted(params)))}; judges take none" if params else None
        try:
            answer(model, params, {"task": "", "source": ""})
        except ValueError as error:
            return str(error)
        return None

    async def ask(self, request: Request) -> Answer:
        """The program's answer. Raises BackendError where its parameters are wrong."""
        program = answer if request.model in CONTESTANTS else judge
        try:
            return Answer(program(request.model, request.params, request.fields))
        except ValueError as error:
            raise BackendError(str(error)) from error

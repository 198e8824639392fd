"""The offline backend: contestants and judges that are programs. No model, no key, no network."""

from __future__ import annotations

from nullbench_site.evaluation.backends.base import Answer, BackendError
from nullbench_site.evaluation.backends.offline import CONTESTANTS, JUDGES, answer, judge
from nullbench_site.protocols.request import Request

REVISION = 1
"""Raised whenever an answer or a verdict may come out differently; part of every call key."""


class OfflineBackend:
    """See the module."""

    identity = f"offline@{REVISION}"
    contestants = frozenset(CONTESTANTS)
    judges = frozenset(JUDGES)

    async def ask(self, request: Request) -> Answer:
        """The program's answer. Raises BackendError where its parameters are wrong."""
        program = answer if request.model in CONTESTANTS else judge
        try:
            return Answer(program(request.model, request.params, request.fields))
        except ValueError as error:
            raise BackendError(str(error)) from error

"""The seam between the runner and whatever answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from nullbench_site.evaluation.meters import Meter
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile, Parameter

if TYPE_CHECKING:
    from nullbench_site.evaluation.cost import Budget

DRAINING = "the build is being stopped"
"""Why requests are not put while a build drains."""


class BackendError(Exception):
    """This request got no answer after every attempt; it is recorded as errored and the others go on.

    failed_usd: what its attempts cost, as far as known.
    """

    failed_usd = 0.0


class UnavailableError(Exception):
    """This request was not put, or was given up unanswered: its endpoint stopped, or the build drains.

    The next build asks again. The message is for the user, the same for each call it stops. failed_usd: as above.
    """

    failed_usd = 0.0


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


class BuildContext(msgspec.Struct):
    """What a build hands its backends.

    specs: the folder, to name places in it. private: that of what is not published, where there is one. draining: set
    when no new request may be put. writable: not set while the disk refuses records; a new request waits for that.
    budget: counts each request to a server and each attempt that gave no answer. on_note: a line for the user.
    """

    specs: Path
    budget: Budget
    private: Path | None = None
    draining: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    writable: asyncio.Event = msgspec.field(default_factory=_set_event)
    on_note: Callable[[str], None] = lambda note: None


class Asker(Protocol):
    """Answers in the name of one contestant or judge."""

    meter: Meter
    """That of its endpoint; askers of one endpoint share it."""
    concurrency: int
    """How many requests its endpoint may have in flight."""

    async def ask(self, request: Request) -> Answer:
        """The answer to one request. Raises BackendError, UnavailableError."""
        ...


class Connection(Protocol):
    """An open backend."""

    def asker(self, who: ModelFile | Judge) -> Asker: ...


class Backend(Protocol):
    """Something that answers requests, for contestants and judges alike.

    A package registers its own as an entry point `nullbench_site.backends`: the name that specs give in `backend`, and
    a class to make it of. One that inherits from this class takes any model with any parameters until it says more.
    """

    identity: str
    """Name and revision, `offline@1`; part of every call key."""
    chats: bool
    """Whether judges of it are asked in messages; programs read the fields of a request."""

    @property
    def contestants(self) -> frozenset[str] | None:
        """The models it has; None where only its endpoints know."""
        return None

    @property
    def judges(self) -> frozenset[str] | None:
        """As `contestants`, of judges."""
        return None

    def contestants_for(self, protocol: str) -> frozenset[str] | None:
        """Those of `contestants` that can answer what `protocol` asks."""
        return self.contestants

    def judges_for(self, protocol: str | None) -> frozenset[str] | None:
        """As `contestants_for`, of judges; None for what is asked in words alone."""
        return self.judges

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """What is wrong with the parameters of a contestant or judge it has; None where nothing is."""
        return None

    def connect(self, benchmark: Benchmark, context: BuildContext) -> AbstractAsyncContextManager[Connection]:
        """Open it for one build; connections are made when first needed."""
        ...

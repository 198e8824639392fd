"""The interface of backends, which answer requests for the runner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from nullbench_site.evaluation.meters import Meter
from nullbench_site.judging.calls import Answer, Request
from nullbench_site.runs.in_flight import InFlight
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.types import Judge, ModelFile, Parameter

if TYPE_CHECKING:
    from nullbench_site.evaluation.cost import Budget
    from nullbench_site.evaluation.endpoints.backend import Endpoints
    from nullbench_site.evaluation.endpoints.batch_files import Batch

DRAINING = "the build is being stopped"
"""Why requests are not sent while a build drains."""


class BackendError(Exception):
    """A request got no answer in all its attempts. It is recorded as errored, and the others continue.

    failed_usd: the known cost of its attempts. uncounted: its attempts of unknown cost, as in Answer.
    """

    failed_usd = 0.0
    uncounted = 0


class UnavailableError(Exception):
    """A request was not sent, or was abandoned without an answer: its endpoint stopped, or the build drains.

    The next build sends it again. The message is for the user, the same for each call it stops. failed_usd,
    uncounted: as above. billed: the digest of the line of a batch that these are of.
    """

    failed_usd = 0.0
    uncounted = 0
    billed = ""


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


class BuildContext(msgspec.Struct):
    """The parts of a build that backends use.

    specs: the folder, for places in messages. private: the folder of private items, if there is one. draining: set when
    no new request may be sent. writable: not set while the disk refuses records; new requests wait for it. budget:
    counts each request to a server and each attempt without an answer. is_known: whether a call is recorded, by its
    key. on_note: shows the user a line. builds: how many share the limits of each endpoint. batch: files in the place
    of endpoints. endpoints: those in use. batches: the folder of the batches that are out. in_flight: follows priced
    requests; None without a run.
    """

    specs: Path
    budget: Budget
    private: Path | None = None
    draining: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    writable: asyncio.Event = msgspec.field(default_factory=_set_event)
    is_known: Callable[[str], bool] = lambda key: False
    on_note: Callable[[str], None] = lambda note: None
    builds: int = 1
    batch: Batch | None = None
    endpoints: Endpoints | None = None
    batches: Path = Path("runs/.batches")
    in_flight: InFlight | None = None


class Asker(Protocol):
    """Answers for one contestant or judge."""

    meter: Meter
    """The meter of its endpoint; askers of one endpoint share it."""
    concurrency: int
    """The most requests in flight at its endpoint."""

    async def ask(self, request: Request) -> Answer:
        """Return the answer to one request. Raises BackendError, UnavailableError."""
        ...


class Connection(Protocol):
    """An open backend."""

    def asker(self, who: ModelFile | Judge) -> Asker: ...


class Backend(Protocol):
    """Answers requests of contestants and judges.

    A package registers its own as an entry point `nullbench_site.backends`: the name that specs give in `backend`, and
    a class. A subclass of this one accepts any model with any parameters unless it overrides that.
    """

    identity: str
    """Name and revision, `offline@1`; part of every call key."""
    chats: bool
    """True if its judges are called with messages; programs read the fields of a request."""

    @property
    def contestants(self) -> frozenset[str] | None:
        """Return its models; None if only its endpoints know."""
        return None

    @property
    def judges(self) -> frozenset[str] | None:
        """Return its judges, as `contestants`."""
        return None

    def contestants_for(self, protocol: str) -> frozenset[str] | None:
        """Return those of `contestants` that can answer the questions of `protocol`."""
        return self.contestants

    def judges_for(self, protocol: str | None) -> frozenset[str] | None:
        """Return those of `judges` that support `protocol`; None for a question in text alone."""
        return self.judges

    def completes(self, model: str) -> bool:
        """Return True if one of its models can be asked to complete a text, such as a canary."""
        return self.chats

    def params_problem(self, model: str, params: Mapping[str, Parameter]) -> str | None:
        """Return the problem with the parameters of one of its models, or None."""
        return None

    def connect(self, benchmark: Benchmark, context: BuildContext) -> AbstractAsyncContextManager[Connection]:
        """Open it for one build. Connections are made when first needed."""
        ...

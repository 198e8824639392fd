"""One endpoint in a build: its connection, and whether it goes on."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, NoReturn

from nullbench_site.evaluation.backends.base import BuildContext, UnavailableError
from nullbench_site.evaluation.endpoints.address import Address, resolve
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.evaluation.endpoints.limiter import Pool
from nullbench_site.evaluation.meters import Meter
from nullbench_site.specs.listing import place_of
from nullbench_site.specs.types import Endpoint

if TYPE_CHECKING:
    import httpx2

    from nullbench_site.evaluation.endpoints.client import Client

MOST_LARGE = 2
"""Large responses, of up to 32 MiB each, that a build reads at once, from all endpoints together."""


class OpenEndpoint:
    """See the module. For one event loop: make it while that runs.

    It stops for what no model there can change: settings that make no client, a certificate, a redirect, a connection
    that does not come about. Whatever it answers to the requests of one model stops that model alone, for a gateway
    passes on what servers behind it say, of their keys and quotas too.
    """

    def __init__(self, spec: Endpoint, controls: BuildContext, large: asyncio.Semaphore) -> None:
        self.spec = spec
        self.meter = Meter(spec.id)
        self.pool = Pool(spec.limits)
        self._controls = controls
        self._large = large
        self._stopped: str | None = None
        self._address: Address | None = None
        self._client: Client | None = None
        self._unreached_in_a_row = 0

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no message may hold."""
        return self._address.secrets if self._address else ()

    @property
    def versioned(self) -> bool:
        """Whether its base URL names a version, as /v1 does."""
        return self._address is not None and self._address.versioned

    @property
    def patience(self) -> int:
        """As many calls may be lost to bad luck, one after the other, before it or a model there counts as down."""
        return max(3, min(10, self.spec.limits.concurrency))

    async def put(self, body: bytes) -> httpx2.Response:
        """The reply to one request, put at once. Raises Fault, UnavailableError."""
        client = self._open()
        self._controls.budget.count()
        self.meter.requests += 1
        self.meter.in_flight += 1
        total = self.spec.timeouts.total
        try:
            async with asyncio.timeout(total):
                reply = await client.post(body)
        except TimeoutError:
            raise Fault("attempt", f"it gave no whole answer within {total:g} s") from None
        finally:
            self.meter.in_flight -= 1
        self._unreached_in_a_row = 0
        return reply

    def unreached(self, fault: Fault) -> None:
        """A call found no connection in all its attempts; too many in a row, and the endpoint counts as down."""
        self._unreached_in_a_row += 1
        if self._unreached_in_a_row >= self.patience and self._stopped is None:
            text = f"{self._unreached_in_a_row} calls in a row got no answer, the last because {fault.text}"
            self._stop(Fault("endpoint", text, advice="build again when it is back", field=fault.field))

    def stop(self, fault: Fault) -> NoReturn:
        """Put no further request. Raises UnavailableError with the one message that all its calls get."""
        if self._stopped is None:
            self._stop(fault)
        raise UnavailableError(self._stopped)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    def place(self, field: str | None = None) -> str:
        """Its place in the specs, or that of a field as far as it stands there."""
        if field == "base_url" and self.spec.base_url is None:
            field = "base_url_env"
        steps = (field,) if field and getattr(self.spec, field) else ()
        return place_of(self._controls.specs, self.spec, *steps)

    def _open(self) -> Client:
        """The client, made when first needed, as are the variables read. Raises UnavailableError."""
        if self._client is None:
            try:
                self._address = resolve(self.spec, os.environ)
                from nullbench_site.evaluation.endpoints.client import Client  # noqa: PLC0415 - it imports openai, which takes most of a second

                self._client = Client(self._address, self.spec, self._large)
            except Fault as fault:
                self.stop(fault)
        return self._client

    def _stop(self, fault: Fault) -> None:
        self._stopped = self.meter.stopped = fault.stops(f"{self.place(fault.field)}: endpoint {self.spec.id!r}")
        self.meter.models_stopped = 0
        self.pool.close(self._stopped)
        self._controls.on_note(self._stopped)

"""One endpoint in a build: its address and key, its connection, and whether it goes on."""

from __future__ import annotations

import asyncio
import os
import re
from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import unquote, urlsplit

import msgspec

from nullbench_site.evaluation.backends.base import BuildContext, UnavailableError
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.evaluation.endpoints.limiter import Pool
from nullbench_site.evaluation.endpoints.redaction import SHORTEST, is_secret, too_short
from nullbench_site.evaluation.meters import Meter
from nullbench_site.specs.benchmark import OPENAI, OPENAI_BASE_URL
from nullbench_site.specs.listing import place_of
from nullbench_site.specs.types import Endpoint

if TYPE_CHECKING:
    import httpx2

    from nullbench_site.evaluation.endpoints.client import Client

_VISIBLE = re.compile(r"[\x21-\x7e]+")
_PRINTABLE = re.compile(r"[\x20-\x7e]+")
_VERSIONED = re.compile(r"/v[0-9]")
_OPERATION = "/chat/completions"
_TOO_FEW = f"fewer than {SHORTEST} characters, which cannot be kept out of records if an answer repeats them"
_ACCOUNT = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}
"""Variables that everyone expects to hold for OpenAI, and that are nobody else's business."""
MOST_LARGE = 2
"""Large responses, of up to 32 MiB each, that a build reads at once, from all endpoints together."""


class Address(msgspec.Struct, frozen=True):
    """What a client needs. headers: the key is among them. secrets: what no message may hold."""

    base_url: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    secrets: tuple[str, ...]

    @property
    def versioned(self) -> bool:
        """Whether its path names a version, as /v1 does."""
        return _VERSIONED.search(urlsplit(self.base_url).path) is not None


def resolve(endpoint: Endpoint, environ: Mapping[str, str]) -> Address:
    """The address of an endpoint. Raises Fault, which names the variable and never its value."""
    base_url, field, name_of_url = _base_url(endpoint, environ)
    url, user = _checked(base_url, field, name_of_url)
    headers = dict(endpoint.headers)
    for name, value in headers.items():
        if not _PRINTABLE.fullmatch(value):
            raise Fault("endpoint", f"its header {name} holds letters outside ASCII", field="headers")
    if endpoint == OPENAI:
        headers |= {header: environ[name] for name, header in _ACCOUNT.items() if environ.get(name)}
    key = _key(endpoint, environ)
    name, password = (unquote(part) for part in (user or ":").partition(":")[::2])
    if user is not None and too_short(password or name):
        raise Fault("endpoint", f"{name_of_url} has a password of {_TOO_FEW}", advice="use a longer one", field=field)
    if user is not None:
        # The client would put it there itself, and then refuse to send what it has put there.
        headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
    if key is not None and endpoint.key_header is not None:
        headers[endpoint.key_header] = key
    elif key is not None and user is not None:
        advice = "leave one of them out, or name a key_header"
        raise Fault(
            "endpoint", f"{name_of_url} has a user or password in it besides the key", advice=advice, field=field
        )
    elif key is not None:
        headers["Authorization"] = f"Bearer {key}"
    basic = None if user is None else headers["Authorization"].split()[-1]
    secrets = {part for part in (key, basic, name, password) if part and is_secret(part)}
    return Address(url, headers, endpoint.query, tuple(sorted(secrets)))


def _base_url(endpoint: Endpoint, environ: Mapping[str, str]) -> tuple[str, str, str]:
    """The URL, the field of the spec that gives it, and how messages name it."""
    variable = endpoint.base_url_env
    if variable is not None:
        value = environ.get(variable, "").strip()
        if value:
            return value, "base_url_env", f"the base URL in {variable}"
    if endpoint.base_url is not None:
        return endpoint.base_url, "base_url", "its base URL"
    if variable is None or variable == OPENAI.base_url_env:
        return OPENAI_BASE_URL, "base_url_env", "its base URL"
    raise Fault(
        "endpoint",
        f"the variable {variable}, which holds its base URL, is not set",
        advice="set it in the environment or in .env",
        field="base_url_env",
    )


def _checked(base_url: str, field: str, name_of_url: str) -> tuple[str, str | None]:
    """The URL without the user and password in it, and these. Raises Fault where it is no base URL."""
    expected = "it is of the form https://host/v1"
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname or not _VISIBLE.fullmatch(base_url):
        raise Fault("endpoint", f"{name_of_url} is no URL", advice=expected, field=field)
    if parts.query or parts.fragment:
        advice = "put what follows the ? into `query`"
        raise Fault("endpoint", f"{name_of_url} has more than a path after its host", advice=advice, field=field)
    if parts.path.rstrip("/").endswith(_OPERATION):
        advice = "leave that out; it is added to each request"
        raise Fault("endpoint", f"{name_of_url} ends in {_OPERATION}", advice=advice, field=field)
    user, _, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{host}{parts.path}", user or None


def _key(endpoint: Endpoint, environ: Mapping[str, str]) -> str | None:
    variable = endpoint.key_env
    if variable is None:
        return None
    key = environ.get(variable, "")
    if not key:
        raise Fault(
            "endpoint",
            f"the variable {variable}, which holds its key, is not set",
            advice="set it in the environment or in .env, or leave key_env out if it needs no key",
            field="key_env",
        )
    if not _VISIBLE.fullmatch(key):
        raise Fault(
            "endpoint",
            f"the key in {variable} holds a space, a line break or a letter outside ASCII",
            advice="set it to the key alone",
            field="key_env",
        )
    if too_short(key):
        advice = "set a longer one, or EMPTY at a server that takes any, or leave key_env out if it needs none"
        raise Fault("endpoint", f"the key in {variable} has {_TOO_FEW}", advice=advice, field="key_env")
    return key


class OpenEndpoint:
    """See the module. For one event loop: make it while that runs.

    It stops for what no model there can change: settings that make no client, a certificate, a redirect, a connection
    that does not come about. Whatever it answers to the requests of one model stops that model alone, for a gateway
    passes on what servers behind it say, of their keys and quotas too.
    """

    def __init__(self, spec: Endpoint, context: BuildContext, large: asyncio.Semaphore) -> None:
        self.spec = spec
        self.meter = Meter(spec.id)
        self.pool = Pool(spec.limits)
        self._context = context
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
        self._context.budget.count()
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
        return place_of(self._context.specs, self.spec, *steps)

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
        self._context.on_note(self._stopped)

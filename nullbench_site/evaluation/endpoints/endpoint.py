"""One endpoint in a build: its address and key, its connection, and whether it has stopped."""

from __future__ import annotations

import asyncio
import os
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, NoReturn, TypeVar
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
    from nullbench_site.evaluation.endpoints.completion import Dialect, Sdk

_T = TypeVar("_T")
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_PRINTABLE = re.compile(r"[\x20-\x7e]+")
_VERSIONED = re.compile(r"/v[0-9]")
_OPERATION = "/chat/completions"
_TOO_FEW = f"fewer than {SHORTEST} characters, too short to be removed from answers"
_ACCOUNT = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}
"""Environment variable -> header. Sent to OpenAI only."""
MOST_LARGE = 2
"""Large responses, of up to 32 MiB each, that a build reads at once, from all endpoints together."""


class Address(msgspec.Struct, frozen=True):
    """The address of an endpoint. headers: with the key. secrets: texts that no message may contain."""

    base_url: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    secrets: tuple[str, ...]

    @property
    def versioned(self) -> bool:
        """Return True if its path names a version, such as /v1."""
        return _VERSIONED.search(urlsplit(self.base_url).path) is not None


def resolve(endpoint: Endpoint, environ: Mapping[str, str]) -> Address:
    """Return the address of an endpoint. Raises Fault, which names a variable and never its value."""
    base_url, field, name_of_url = _base_url(endpoint, environ)
    url, user = _checked(base_url, field, name_of_url)
    headers = dict(endpoint.headers)
    for name, value in headers.items():
        if not _PRINTABLE.fullmatch(value):
            raise Fault("endpoint", f"its header {name} has characters outside ASCII", field="headers")
    if endpoint == OPENAI:
        headers |= {header: environ[name] for name, header in _ACCOUNT.items() if environ.get(name)}
    key = _key(endpoint, environ)
    name, password = (unquote(part) for part in (user or ":").partition(":")[::2])
    if user is not None and too_short(password or name):
        raise Fault("endpoint", f"{name_of_url} has a password of {_TOO_FEW}", advice="use a longer one", field=field)
    if user is not None:
        headers["Authorization"] = f"Basic {b64encode(unquote(user).encode()).decode()}"
    if key is not None and endpoint.key_header is not None:
        headers[endpoint.key_header] = key
    elif key is not None and user is not None:
        advice = "leave one of them out, or name a key_header"
        raise Fault(
            "endpoint", f"{name_of_url} has a user or password, and there is a key as well", advice=advice, field=field
        )
    elif key is not None:
        headers["Authorization"] = f"Bearer {key}"
    basic = None if user is None else headers["Authorization"].split()[-1]
    secrets = {part for part in (key, basic, name, password) if part and is_secret(part)}
    return Address(url, headers, endpoint.query, tuple(sorted(secrets)))


def _base_url(endpoint: Endpoint, environ: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the URL, the field of the spec that gives it, and how messages name it."""
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
        f"the variable {variable}, for its base URL, is not set",
        advice="set it in the environment or in .env",
        field="base_url_env",
    )


def _checked(base_url: str, field: str, name_of_url: str) -> tuple[str, str | None]:
    """Return the URL without user and password, and these. Raises Fault if it is not a base URL."""
    expected = "write it as https://host/v1"
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname or not _VISIBLE.fullmatch(base_url):
        raise Fault("endpoint", f"{name_of_url} is not a URL", advice=expected, field=field)
    if parts.query or parts.fragment:
        advice = "move the part after the ? to `query`"
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
            f"the variable {variable}, for its key, is not set",
            advice="set it in the environment or in .env, or leave key_env out if it needs no key",
            field="key_env",
        )
    if not _VISIBLE.fullmatch(key):
        raise Fault(
            "endpoint",
            f"the key in {variable} has a space, a line break or a character outside ASCII",
            advice="set it to the key alone",
            field="key_env",
        )
    if too_short(key):
        advice = "set a longer one, or EMPTY for a server that accepts any key, or leave key_env out if it needs none"
        raise Fault("endpoint", f"the key in {variable} has {_TOO_FEW}", advice=advice, field="key_env")
    return key


def _client_of(sdk: Sdk) -> type[Client]:
    """Return the class of the client. Raises Fault if it is not installed."""
    # Each import takes most of a second.
    if sdk == "openai":
        from nullbench_site.evaluation.endpoints.client import Client  # noqa: PLC0415

        return Client
    try:
        from nullbench_site.evaluation.endpoints.anthropic_client import AnthropicClient  # noqa: PLC0415
    except ImportError:
        advice = "install it: pip install 'nullbench-site[anthropic]'"
        raise Fault("endpoint", "Anthropic's client is not installed", advice=advice) from None
    return AnthropicClient


class OpenEndpoint:
    """The connections to one endpoint. For one running event loop.

    It stops for reasons that concern all its models: unusable settings, a certificate, a redirect, no connection. An
    answer to a request of one model stops only that model, because a gateway passes on errors of the servers behind it,
    even about keys and quotas.
    """

    def __init__(self, spec: Endpoint, context: BuildContext, large: asyncio.Semaphore) -> None:
        self.spec = spec
        self.meter = Meter(spec.id)
        self.pool = Pool(spec.limits)
        self._context = context
        self._large = large
        self._stopped: str | None = None
        self._address: Address | None = None
        self._clients: dict[str, Client] = {}
        self._unreached_in_a_row = 0

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the texts that no message may contain."""
        return self._address.secrets if self._address else ()

    @property
    def versioned(self) -> bool:
        """Return True if its base URL names a version, such as /v1."""
        return self._address is not None and self._address.versioned

    @property
    def patience(self) -> int:
        """Return how many calls in a row may fail before the endpoint, or a model there, counts as down."""
        return max(3, min(10, self.spec.limits.concurrency))

    async def put(self, body: bytes, dialect: Dialect) -> httpx2.Response:
        """Send one request now and return the response. Raises Fault, UnavailableError."""
        self._open(dialect.sdk)
        self._context.budget.count()
        self.meter.requests += 1
        self.meter.in_flight += 1
        try:
            return await self.call(lambda client: client.post(body, dialect.path), dialect.sdk)
        finally:
            self.meter.in_flight -= 1

    async def call(self, act: Callable[[Client], Awaitable[_T]], sdk: Sdk = "openai") -> _T:
        """Return the result of one use of the client. Raises Fault, UnavailableError."""
        client, total = self._open(sdk), self.spec.timeouts.total
        try:
            async with asyncio.timeout(total):
                result = await act(client)
        except TimeoutError:
            raise Fault("attempt", f"it gave no complete answer within {total:g} s") from None
        self._unreached_in_a_row = 0
        return result

    def unreached(self, fault: Fault) -> None:
        """Count a call without a connection in all its attempts; stop after too many in a row."""
        self._unreached_in_a_row += 1
        if self._unreached_in_a_row >= self.patience and self._stopped is None:
            text = f"{self._unreached_in_a_row} calls in a row got no answer, the last because {fault.text}"
            self._stop(Fault("endpoint", text, advice="build again when it is back", field=fault.field))

    def stop(self, fault: Fault) -> NoReturn:
        """Stop sending requests. Raises UnavailableError with one message for all its calls."""
        if self._stopped is None:
            self._stop(self.with_key(fault))
        raise UnavailableError(self._stopped)

    def with_key(self, fault: Fault) -> Fault:
        """Return the fault with the name of the variable of the key, if the key was rejected."""
        if fault.status != 401:
            return fault
        variable = self.spec.key_env
        text = f"the key in {variable} was rejected (401)" if variable else "it requires a key (401)"
        advice = "set a valid key, then build again" if variable else "name its variable in key_env"
        return Fault(fault.reach, text, advice=advice, field=fault.field)

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()

    def place(self, field: str | None = None) -> str:
        """Return its place in the specs, or that of a field of it."""
        if field == "base_url" and self.spec.base_url is None:
            field = "base_url_env"
        steps = (field,) if field and getattr(self.spec, field) else ()
        return place_of(self._context.specs, self.spec, *steps)

    def _open(self, sdk: Sdk) -> Client:
        """Return the client. The first call reads the environment and makes it. Raises UnavailableError."""
        if sdk not in self._clients:
            try:
                self._address = resolve(self.spec, os.environ)
                self._clients[sdk] = _client_of(sdk)(self._address, self.spec, self._large)
            except Fault as fault:
                self.stop(fault)
        return self._clients[sdk]

    def _stop(self, fault: Fault) -> None:
        self._stopped = self.meter.stopped = fault.stops(f"{self.place(fault.field)}: endpoint {self.spec.id!r}")
        self.meter.models_stopped = 0
        self.pool.close(self._stopped)
        self._context.on_note(self._stopped)

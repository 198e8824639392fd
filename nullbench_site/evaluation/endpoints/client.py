"""HTTP, by the openai client on aiohttp. Costs 0.8 s to import: only who puts a request imports it.

On loopback a call costs 0.9 ms of CPU this way, and 1.6 ms on the client's own transport, httpx2.
"""

from __future__ import annotations

import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, cast

import aiohttp
import httpx2
import msgspec
import openai

from nullbench_site.evaluation.endpoints.address import Address
from nullbench_site.evaluation.endpoints.faults import Fault
from nullbench_site.specs.types import Endpoint

_PATH = "/chat/completions"
_PROXIES = "HTTPS_PROXY, HTTP_PROXY and ALL_PROXY"
# Reasons of OpenSSL for what answers in another language, plain HTTP for one.
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL"})

MOST_BYTES = 32 * 2**20
"""Bytes of an answer, unpacked. The longest outputs of models are below one megabyte."""
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_MOST_PARTS = 64
"""A body is one stream of gzip, or a few; each costs a copy of what follows it, and a million would take hours."""
_EITHER = 47
"""Tells zlib to take gzip and zlib, by what the first bytes say, with the largest window."""


class HttpReply(msgspec.Struct, frozen=True):
    """A whole HTTP response, unpacked."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Refusal(openai.OpenAIError):
    """A reply that is no success, on its way out: the openai client would read its body whole, whatever its size."""

    def __init__(self, reply: HttpReply) -> None:
        super().__init__(reply.status)
        self.reply = reply


class _OpenAI(openai.AsyncOpenAI):
    """Sends the headers it is given. Its own would be made anew for each request, and hold those of OPENAI_ORG_ID,
    OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS, whichever endpoint they go to."""

    def __init__(self, headers: Mapping[str, str], **settings: Any) -> None:
        super().__init__(**settings)
        self._sent: dict[str, str | openai.Omit] = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "Content-Type": "application/json",
            "User-Agent": self.user_agent,
            **headers,
        }

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        return self._sent


class Client:
    """The connections to one endpoint. For one event loop."""

    def __init__(self, address: Address, endpoint: Endpoint) -> None:
        """Raises Fault where the settings of the environment make no client: a proxy that is no URL, say."""
        most = endpoint.limits.concurrency
        try:
            http = openai.DefaultAioHttpClient(
                limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
                timeout=httpx2.Timeout(None, connect=endpoint.timeouts.connect),
                # A redirect would carry the request, and a key in a header of its own, to who knows where.
                follow_redirects=False,
                event_hooks={"response": [_stop_refusals]},
            )
            self._openai = _OpenAI(
                address.headers,
                # The key is among the headers. Without one here the client would take OPENAI_API_KEY.
                api_key="none",
                base_url=address.base_url,
                default_query=dict(address.query),
                max_retries=0,
                http_client=http,
            )
        except (ValueError, OSError, ImportError, httpx2.InvalidURL) as error:
            text = f"no HTTP client can be made for it ({type(error).__name__})"
            raise Fault("endpoint", text, advice=f"check its base URL, SSL_CERT_FILE, {_PROXIES}") from None
        # Else the client would make one of the key above.
        authorized = "authorization" in map(str.lower, address.headers)
        self._omitted = {} if authorized else {"Authorization": openai.Omit()}
        self._connect = endpoint.timeouts.connect

    async def post(self, body: bytes) -> HttpReply:
        """The reply to one request, whatever its status. Raises Fault where none came whole."""
        try:
            streamed = await self._openai.post(
                _PATH,
                content=body,
                cast_to=httpx2.Response,
                options={"headers": self._omitted},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
            # With this cast_to the client hands out the response itself, unread.
            response = cast(httpx2.Response, streamed)
            try:
                return await _read(response)
            finally:
                await response.aclose()
        except _Refusal as refusal:
            return refusal.reply
        except (openai.APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, OSError, UnicodeError) as error:
            raise self._fault(error) from None

    async def close(self) -> None:
        await self._openai.close()

    def _fault(self, error: BaseException) -> Fault:
        """What went wrong on the way, in words of our own: those of the libraries may hold the URL and its secrets."""
        causes = list(_causes(error))
        # From the innermost, which knows most: what is raised from it only says that a connection failed.
        for cause in reversed(causes):
            fault = _tls_fault(cause) or _proxy_fault(cause)
            if fault is not None:
                return fault
        for cause in reversed(causes):
            match cause:
                case socket.gaierror() | aiohttp.ClientConnectorDNSError():
                    return Fault("attempt", "its host name is not known", kind="unreached", field="base_url")
                case UnicodeError():  # of two dots in a row, or too long
                    return Fault("endpoint", "its host name is none", advice=f"check its base URL, {_PROXIES}")
                case ConnectionRefusedError():
                    return Fault("attempt", "it refused the connection", kind="unreached")
                case aiohttp.ServerDisconnectedError() | ConnectionResetError() | BrokenPipeError():
                    return Fault("attempt", "it closed the connection without an answer")
                case aiohttp.ClientPayloadError():
                    return Fault("attempt", "it closed the connection before the end of its answer")
                case aiohttp.ServerTimeoutError():
                    return Fault("attempt", f"no connection to it within {self._connect:g} s", kind="unreached")
                case aiohttp.ClientResponseError() | aiohttp.InvalidURL() | httpx2.UnsupportedProtocol():
                    return Fault("attempt", f"it does not speak HTTP as it should ({type(cause).__name__})")
        return Fault("attempt", f"the connection to it broke ({type(causes[-1]).__name__})")


async def _stop_refusals(response: httpx2.Response) -> None:
    if response.is_success:
        return
    try:
        reply = await _read(response)
    except Fault:
        # The status says enough.
        reply = HttpReply(response.status_code, response.headers, b"")
    raise _Refusal(reply)


async def _read(response: httpx2.Response) -> HttpReply:
    body = await read_body(response.aiter_raw(), response.headers.get("content-encoding", ""))
    return HttpReply(response.status_code, response.headers, body)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what it was raised from, and so on, and the error of the system inside one of aiohttp."""
    while error is not None:
        yield error
        inside = getattr(error, "os_error", None) or getattr(error, "certificate_error", None)
        if isinstance(inside, BaseException):
            yield inside
        error = error.__cause__ or error.__context__


def _tls_fault(cause: BaseException) -> Fault | None:
    # The errors of aiohttp are of these classes too, but know no reason.
    if isinstance(cause, ssl.SSLCertVerificationError) and hasattr(cause, "verify_message"):
        advice = "correct its base URL, or put the certificate of its authority into the file that SSL_CERT_FILE names"
        return Fault("endpoint", f"its TLS certificate is refused: {cause.verify_message}", advice=advice)
    if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", None) in _NO_TLS:
        advice = "write http:// in its base URL if that is what it is"
        return Fault("endpoint", "what answers there does not speak TLS", advice=advice)
    return None


def _proxy_fault(cause: BaseException) -> Fault | None:
    if isinstance(cause, aiohttp.ClientHttpProxyError):
        text = f"the proxy of the environment answered {cause.status}"
        return Fault("endpoint" if 400 <= cause.status < 500 else "attempt", text, advice=f"check {_PROXIES}")
    if isinstance(cause, aiohttp.ClientProxyConnectionError | httpx2.ProxyError):
        return Fault("attempt", f"the proxy of the environment is not reached; check {_PROXIES}", kind="unreached")
    return None


async def read_body(chunks: AsyncIterator[bytes], encoding: str) -> bytes:
    """The body, unpacked. Raises Fault where it is larger than MOST_BYTES, or is not packed as `encoding` says."""
    packed = bytearray()
    async for chunk in chunks:
        packed += chunk
        if len(packed) > MOST_BYTES:
            raise _too_large()
    coding = encoding.strip().lower()
    if coding in {"", "identity"}:
        return bytes(packed)
    if coding not in _PACKED:
        raise Fault("attempt", "its answer came packed in a way that was not asked for")
    return _unpacked(bytes(packed))


def _unpacked(packed: bytes) -> bytes:
    plain = b""
    for _ in range(_MOST_PARTS):
        if not packed:
            return plain
        reader = zlib.decompressobj(_EITHER)
        try:
            plain += reader.decompress(packed, MOST_BYTES + 1 - len(plain))
        except zlib.error:
            raise Fault("attempt", "its answer came in gzip that is damaged") from None
        if len(plain) > MOST_BYTES:
            raise _too_large()
        if not reader.eof:
            raise Fault("attempt", "its answer came in gzip that is cut short")
        packed = reader.unused_data
    raise Fault("attempt", "its answer came in gzip that is damaged")


def _too_large() -> Fault:
    return Fault("call", f"its answer is larger than {MOST_BYTES // 2**20} MiB")

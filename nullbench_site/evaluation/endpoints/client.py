"""HTTP, by the client on aiohttp that the openai package has below its own. Costs 0.8 s to import: only who puts a
request imports it.

On loopback a call costs 0.14 ms of CPU this way, 0.31 by the openai client, which makes URL, headers and options anew
for each request, and 0.40 on the other transport, httpx2.
"""

from __future__ import annotations

import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy

import aiohttp
import httpx2
import msgspec
import openai

from nullbench_site.evaluation.endpoints.address import Address
from nullbench_site.evaluation.endpoints.faults import Fault, Reach
from nullbench_site.evaluation.endpoints.room import SMALL, Room
from nullbench_site.specs.types import Endpoint

_PATH = "/chat/completions"
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "Content-Type": "application/json",
    "User-Agent": "nullbench-site",
}
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


class Client:
    """The connections to one endpoint. For one event loop."""

    def __init__(self, address: Address, endpoint: Endpoint, room: Room) -> None:
        """Raises Fault where the settings of the environment make no client: a proxy that is no URL, say."""
        most = endpoint.limits.concurrency
        headers = httpx2.Headers(_HEADERS)
        headers.update(address.headers)
        try:
            self._url = httpx2.URL(address.base_url.removesuffix("/") + _PATH, params=address.query or None)
            self._http = openai.DefaultAioHttpClient(
                headers=headers,
                limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
                timeout=httpx2.Timeout(None, connect=endpoint.timeouts.connect),
                # A redirect would carry the request, and a key in a header of its own, to who knows where.
                follow_redirects=False,
                # aiohttp keeps cookies. A second jar would send those, too, that no header can hold.
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
                event_hooks={"response": [_stay]},
            )
        except (ValueError, OSError, ImportError, httpx2.InvalidURL) as error:
            text = f"no HTTP client can be made for it ({type(error).__name__})"
            raise Fault("endpoint", text, advice=f"check its base URL, SSL_CERT_FILE, {_PROXIES}") from None
        self._connect = endpoint.timeouts.connect
        self._room = room

    async def post(self, body: bytes) -> HttpReply:
        """The reply to one request, whatever its status. Raises Fault where none came whole."""
        try:
            async with self._http.stream("POST", self._url, content=body) as response:
                return await _read(response, self._room)
        except (httpx2.HTTPError, aiohttp.ClientError, OSError, UnicodeError) as error:
            raise self._fault(error) from None

    async def close(self) -> None:
        await self._http.aclose()

    def _fault(self, error: BaseException) -> Fault:
        """What went wrong on the way, in words of our own: those of the libraries may hold the URL and its secrets."""
        causes = list(_causes(error))
        # From the innermost, which knows most: what is raised from it only says that a connection failed.
        for cause in reversed(causes):
            fault = _tls_fault(cause) or _proxy_fault(cause, self._url.host)
            if fault is not None:
                return fault
        for cause in reversed(causes):
            match cause:
                case socket.gaierror() | aiohttp.ClientConnectorDNSError():
                    return Fault("attempt", "its host name is not known", kind="unreached", field="base_url")
                case UnicodeError() | aiohttp.InvalidURL():  # two dots in a row, or too long; a port out of range
                    text = "its host or port, or that of the proxy of the environment, is none"
                    return Fault("endpoint", text, advice=f"check its base URL, {_PROXIES}")
                case ConnectionRefusedError():
                    return Fault("attempt", "it refused the connection", kind="unreached")
                case aiohttp.ServerDisconnectedError() | ConnectionResetError() | BrokenPipeError():
                    return Fault("attempt", "it closed the connection without an answer")
                case aiohttp.ClientPayloadError():
                    return Fault("attempt", "it closed the connection before the end of its answer")
                case aiohttp.ServerTimeoutError():
                    return Fault("attempt", f"no connection to it within {self._connect:g} s", kind="unreached")
                case aiohttp.ClientResponseError() | httpx2.UnsupportedProtocol():
                    return Fault("attempt", f"it does not speak HTTP as it should ({type(cause).__name__})")
        return Fault("attempt", f"the connection to it broke ({type(causes[-1]).__name__})")


async def _stay(response: httpx2.Response) -> None:
    """Without this a redirect that is not followed is looked at all the same, and one to what is no host raises."""
    response.headers.pop("location", None)


async def _read(response: httpx2.Response, room: Room) -> HttpReply:
    length = response.headers.get("content-length", "")
    # What a body takes is what it says, or the most it may be.
    most = min(int(length), MOST_BYTES + 1) if length.isdecimal() and len(length) < 20 else MOST_BYTES
    try:
        body = await read_body(response.aiter_raw(), response.headers.get("content-encoding", ""), room, most)
    except Fault:
        if response.is_success:
            raise
        body = b""  # the status says enough
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


def _proxy_fault(cause: BaseException, host: str) -> Fault | None:
    if isinstance(cause, aiohttp.ClientHttpProxyError):
        text = f"the proxy of the environment answered {cause.status}"
        reach: Reach = "endpoint" if 400 <= cause.status < 500 else "attempt"
        return Fault(reach, text, advice=f"check {_PROXIES}", kind="unreached")
    unknown = isinstance(cause, aiohttp.ClientConnectorDNSError) and cause.host != host
    if unknown or isinstance(cause, aiohttp.ClientProxyConnectionError | httpx2.ProxyError):
        return Fault("attempt", f"the proxy of the environment is not reached; check {_PROXIES}", kind="unreached")
    return None


async def read_body(chunks: AsyncIterator[bytes], encoding: str, room: Room, most: int) -> bytes:
    """The body, unpacked. most: bytes that may come. Raises Fault where it is larger than MOST_BYTES, or is not packed
    as `encoding` says."""
    if most > MOST_BYTES:
        raise _too_large()
    packed, taken = bytearray(), 0
    try:
        async for chunk in chunks:
            packed += chunk
            if len(packed) > most:
                raise _too_large()
            if not taken and len(packed) > SMALL:
                taken = most
                await room.take(most)
        return _plain(bytes(packed), encoding)
    finally:
        room.leave(taken)


def _plain(packed: bytes, encoding: str) -> bytes:
    coding = encoding.strip().lower()
    if coding in {"", "identity"}:
        return packed
    if coding not in _PACKED:
        raise Fault("attempt", "its answer came packed in a way that was not asked for")
    return _unpacked(packed)


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

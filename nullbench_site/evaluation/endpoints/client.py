"""Requests by the openai client on aiohttp. The import takes 0.8 s, so only the first request imports it."""

from __future__ import annotations

import asyncio
import socket
import ssl
import zlib
from collections.abc import Awaitable, Iterator, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import httpx2
import msgspec
import openai

from nullbench_site.evaluation.endpoints.completion import BatchUrl
from nullbench_site.evaluation.endpoints.endpoint import Address
from nullbench_site.evaluation.endpoints.faults import Fault, Reach, read_error, refused
from nullbench_site.evaluation.endpoints.local_server import START, is_loopback
from nullbench_site.runs.storage import storage_errors
from nullbench_site.specs.digest import NOT_JSON
from nullbench_site.specs.types import Endpoint

_PATH = "/chat/completions"
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "Content-Type": "application/json",
    "User-Agent": "nullbench-site",
}
_PROXIES = "HTTPS_PROXY, HTTP_PROXY and ALL_PROXY"
# Reasons of OpenSSL for a server without TLS, such as plain HTTP.
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL"})

_T = TypeVar("_T")

MOST_BYTES = 32 * 2**20
"""Bytes of a response, unpacked. The longest outputs of models are below one megabyte."""
SMALL = 64 * 2**10
"""In bytes. A larger response waits until fewer than MOST_LARGE others are being read."""
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_EITHER = 47
"""Makes zlib accept gzip and zlib, with the largest window."""


class SentBatch(msgspec.Struct):
    """A batch as the endpoint reports it. created_at: seconds since 1970."""

    id: str
    status: str
    created_at: float = 0.0
    output_file_id: str | None = None
    error_file_id: str | None = None
    metadata: dict[str, str] | None = None
    errors: Any = None


class _File(msgspec.Struct):
    id: str


class _Page(msgspec.Struct):
    data: list[SentBatch]
    has_more: bool = False


class Client:
    """The connections to one endpoint. For one event loop."""

    status_error: type[Any] = openai.APIStatusError
    broken: tuple[type[BaseException], ...] = (
        openai.OpenAIError, httpx2.HTTPError, aiohttp.ClientError, OSError, UnicodeError,
    )  # fmt: skip

    def __init__(self, address: Address, endpoint: Endpoint, large: asyncio.Semaphore) -> None:
        """Raises Fault if the environment has unusable settings, such as a proxy that is not a URL.

        large: held while a large response is read.
        """
        most = endpoint.limits.concurrency
        # The client would otherwise send its own key, and a header that the request is not a retry.
        omitted = dict.fromkeys(("Authorization", "X-Stainless-Retry-Count"), openai.Omit())
        self.headers: dict[str, Any] = {**omitted, **_HEADERS, **address.headers}
        of_request = {name: value for name, value in self.headers.items() if name not in _HEADERS}
        self._plain: Mapping[str, Any] = {**of_request, "Accept-Encoding": "identity", "User-Agent": "nullbench-site"}
        self._secrets = address.secrets
        self._connect = endpoint.timeouts.connect
        try:
            http = _BoundedClient(
                limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
                timeout=httpx2.Timeout(None, connect=self._connect),
                # A redirect would send the request, with a key in its own header, to another server.
                follow_redirects=False,
                event_hooks={"response": [_forget_location]},
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            )
            http.large = large
            settings: dict[str, Any] = {
                "base_url": address.base_url,
                "api_key": "unused",
                "default_query": address.query,
                "max_retries": 0,
                "http_client": http,
            }
            self._sdk = self.made(settings)
        except (ValueError, OSError, ImportError, httpx2.InvalidURL) as error:
            text = f"an HTTP client cannot be set up ({type(error).__name__})"
            raise Fault("endpoint", text, advice=f"check its base URL, SSL_CERT_FILE, {_PROXIES}") from None

    def made(self, settings: dict[str, Any]) -> Any:
        """Return the client of a vendor."""
        return _OpenAI(**settings)

    async def post(self, body: bytes, path: str = _PATH) -> httpx2.Response:
        """Return the response to one request, whatever its status. Raises Fault if it is incomplete."""
        try:
            reply: httpx2.Response = await self._sdk.post(
                path, content=body, cast_to=httpx2.Response, options={"headers": self.headers}
            )
            return reply
        except self.status_error as error:
            of_refusal: httpx2.Response = error.response
            return of_refusal
        except self.broken as error:
            raise self._fault(error) from None

    async def upload(self, path: Path) -> str:
        """Upload a file of calls and return its id. Raises Fault."""
        with path.open("rb") as file:
            sent = self._sdk.files.with_raw_response.create(
                file=(path.name, file), purpose="batch", extra_headers=self._plain
            )
            return (await self._read(sent, _File)).id

    async def start_batch(self, file_id: str, url: BatchUrl, metadata: dict[str, str]) -> SentBatch:
        """Start a batch of an uploaded file. Raises Fault."""
        sent = self._sdk.batches.with_raw_response.create(
            input_file_id=file_id,
            endpoint=url,
            completion_window="24h",
            metadata=metadata,
            extra_headers=self._plain,
        )
        return await self._read(sent, SentBatch)

    async def batch(self, batch_id: str) -> SentBatch:
        """Return the present state of a batch. Raises Fault."""
        sent = self._sdk.batches.with_raw_response.retrieve(batch_id, extra_headers=self._plain)
        return await self._read(sent, SentBatch)

    async def find_batch(self, metadata: Mapping[str, str], since: float) -> SentBatch | None:
        """Return the batch with these metadata, if it was made after `since`, in seconds since 1970. Raises Fault."""
        after: str | openai.Omit = openai.omit
        while True:
            listed = self._sdk.batches.with_raw_response.list(limit=100, after=after, extra_headers=self._plain)
            page = await self._read(listed, _Page)
            for batch in page.data:
                if metadata.items() <= (batch.metadata or {}).items():
                    return batch
            # The newest come first.
            if not page.has_more or not page.data or page.data[-1].created_at < since:
                return None
            after = page.data[-1].id

    async def download(self, file_id: str, path: Path) -> None:
        """Write a file of results to `path`. Raises Fault, StorageError."""
        try:
            contents = self._sdk.files.with_streaming_response.content(file_id, extra_headers=self._plain)
            async with contents as reply:
                with storage_errors(path):
                    file = path.open("wb")
                with file:
                    async for chunk in reply.iter_bytes():
                        with storage_errors(path):
                            file.write(chunk)
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except self.broken as error:
            raise self._fault(error) from None

    async def _read(self, reply: Awaitable[Any], kind: type[_T]) -> _T:
        """Return the object in a reply. Raises Fault."""
        try:
            return msgspec.json.decode((await reply).content, type=kind)
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except NOT_JSON:
            raise Fault("attempt", "its answer is not one of /v1/files and /v1/batches") from None
        except self.broken as error:
            raise self._fault(error) from None

    def _refused(self, error: openai.APIStatusError) -> Fault:
        content = error.response.content if error.response.is_closed else b""
        return refused(error.response.status_code, read_error(content), self._secrets)

    async def close(self) -> None:
        await self._sdk.close()

    def _fault(self, error: BaseException) -> Fault:
        """Return the fault in our own words: those of the libraries may contain the URL and its secrets."""
        causes = list(_causes(error))
        # The innermost error is the most specific; the outer ones only say that a connection failed.
        for cause in reversed(causes):
            fault = _tls_fault(cause) or _proxy_fault(cause, self._sdk.base_url.host)
            if fault is not None:
                return fault
        for cause in reversed(causes):
            match cause:
                case socket.gaierror() | aiohttp.ClientConnectorDNSError():
                    return Fault("attempt", "its host name cannot be resolved", kind="unreached", field="base_url")
                case UnicodeError() | aiohttp.InvalidURL():  # two dots in a row, or too long; a port out of range
                    text = "the host or port of its base URL, or of the proxy, is invalid"
                    return Fault("endpoint", text, advice=f"check its base URL, {_PROXIES}")
                case ConnectionRefusedError() if is_loopback(self._sdk.base_url.host):
                    advice = f"{START}, then build again"
                    text = f"no server is running at {self._sdk.base_url.netloc.decode()}"
                    return Fault("endpoint", text, advice=advice, kind="unreached", field="base_url")
                case ConnectionRefusedError():
                    return Fault("attempt", "it refused the connection", kind="unreached")
                case aiohttp.ServerDisconnectedError() | ConnectionResetError() | BrokenPipeError():
                    return Fault("attempt", "it closed the connection without an answer")
                case aiohttp.ClientPayloadError():
                    return Fault("attempt", "it closed the connection before the end of its answer")
                case aiohttp.ServerTimeoutError():
                    return Fault("attempt", f"no connection to it within {self._connect:g} s", kind="unreached")
                case aiohttp.ClientResponseError() | httpx2.UnsupportedProtocol():
                    return Fault("attempt", f"it sent an invalid HTTP response ({type(cause).__name__})")
        return Fault("attempt", f"the connection to it broke ({type(causes[-1]).__name__})")


async def _forget_location(response: httpx2.Response) -> None:
    """Keep httpx2 from parsing the address of an unfollowed redirect: an invalid one raises ValueError."""
    response.headers.pop("location", None)


class _OpenAI(openai.AsyncOpenAI):
    """The openai client without its own headers.

    OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS and facts about this machine would go to every server.
    """

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        return {}


class _BoundedClient(openai.DefaultAioHttpClient):
    """Reads each response itself, up to MOST_BYTES.

    Neither library has a bound: openai reads an error whole, and httpx2 keeps everything that follows a gzip stream.
    """

    large: asyncio.Semaphore

    async def send(self, request: httpx2.Request, **settings: Any) -> httpx2.Response:
        response = await super().send(request, **{**settings, "stream": True})
        if settings.get("stream") and response.is_success:  # results of a batch, which go to a file
            return response
        try:
            body = await _read(response, self.large)
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_TRANSFER]
        return httpx2.Response(response.status_code, headers=headers, content=body, request=request)


_OF_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding"})


async def _read(response: httpx2.Response, large: asyncio.Semaphore) -> bytes:
    """Return the unpacked body; empty if an error's body is too large or damaged, because its status is enough."""
    packed, holds = bytearray(), False
    try:
        async for chunk in response.aiter_raw():
            packed += chunk
            if len(packed) > MOST_BYTES:
                raise _too_large()
            if not holds and len(packed) > SMALL:
                holds = await large.acquire()
        return _unpacked(bytes(packed), response.headers.get("content-encoding", "").strip().lower())
    except Fault:
        if response.is_success:
            raise
        return b""
    finally:
        if holds:
            large.release()


def _unpacked(packed: bytes, encoding: str) -> bytes:
    if encoding in {"", "identity"}:
        return packed
    if encoding not in _PACKED:
        raise Fault("attempt", "its answer has a compression that was not requested")
    reader = zlib.decompressobj(_EITHER)
    try:
        plain = reader.decompress(packed, MOST_BYTES + 1)
    except zlib.error:
        raise Fault("attempt", "its answer is damaged gzip") from None
    if len(plain) > MOST_BYTES:
        raise _too_large()
    if not reader.eof or reader.unused_data:
        raise Fault("attempt", "its answer is damaged gzip")
    return plain


def _too_large() -> Fault:
    return Fault("call", f"its answer is larger than {MOST_BYTES // 2**20} MiB")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error, its cause, and so on, including the system's error inside one of aiohttp."""
    while error is not None:
        yield error
        inside = getattr(error, "os_error", None) or getattr(error, "certificate_error", None)
        if isinstance(inside, BaseException):
            yield inside
        error = error.__cause__ or error.__context__


def _tls_fault(cause: BaseException) -> Fault | None:
    # aiohttp's errors have these classes too, but without a reason.
    if isinstance(cause, ssl.SSLCertVerificationError) and hasattr(cause, "verify_message"):
        advice = "correct its base URL, or put the certificate of its authority into the file that SSL_CERT_FILE names"
        return Fault("endpoint", f"its TLS certificate is rejected: {cause.verify_message}", advice=advice)
    if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", None) in _NO_TLS:
        advice = "write http:// in its base URL if it is a server of plain HTTP"
        return Fault("endpoint", "the server does not speak TLS", advice=advice)
    return None


def _proxy_fault(cause: BaseException, host: str) -> Fault | None:
    if isinstance(cause, aiohttp.ClientHttpProxyError):
        text = f"the proxy answered {cause.status}"
        reach: Reach = "endpoint" if 400 <= cause.status < 500 else "attempt"
        return Fault(reach, text, advice=f"check {_PROXIES}", kind="unreached")
    unknown = isinstance(cause, aiohttp.ClientConnectorDNSError) and cause.host != host
    if unknown or isinstance(cause, aiohttp.ClientProxyConnectionError | httpx2.ProxyError):
        return Fault("attempt", f"the proxy cannot be reached; check {_PROXIES}", kind="unreached")
    return None

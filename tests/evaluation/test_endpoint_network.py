"""What lies between us and an endpoint: TLS, proxies, limits on connections."""

from __future__ import annotations

import socketserver
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
import trustme
from support.endpoints import ask, endpoint, request
from support.fault_server import Canned, FaultServer

from nullbench_site.evaluation.backends.base import BackendError, UnavailableError
from nullbench_site.judging.calls import Answer


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """An authority that is not trusted until a test says so."""
    return trustme.CA()


@pytest.fixture
def tls_server(authority: trustme.CA) -> Iterator[FaultServer]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "localhost").configure_cert(tls)
    with FaultServer(tls=tls) as running:
        yield running


@contextmanager
def junk_server(answer: bytes) -> Iterator[str]:
    """A server that sends this to every client; its base URL."""

    class Junk(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(answer)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Junk) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n", b"", b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", b"HTTP/1.1 9999 WHAT\r\n\r\n",
    ],
)  # fmt: skip
def test_an_invalid_http_response_is_retried_and_then_reported(answer: bytes, tmp_path: Path) -> None:
    with junk_server(answer) as url:
        asked = ask(tmp_path, endpoint(url, attempts=2), request())
    assert isinstance(asked.error, BackendError)
    assert str(asked.error).startswith("no answer after 2 attempts; the last time, it ")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_a_certificate_of_an_unknown_authority_stops_the_endpoint(tls_server: FaultServer, tmp_path: Path) -> None:
    asked = ask(tmp_path, endpoint(tls_server.url), request())
    assert isinstance(asked.error, UnavailableError)
    assert "endpoint 'local' stopped: its TLS certificate is rejected: " in str(asked.error)
    assert asked.notes == [str(asked.error)]
    assert tls_server.seen == []


def test_a_certificate_of_an_authority_in_ssl_cert_file_is_accepted(
    tls_server: FaultServer, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    assert isinstance(ask(tmp_path, endpoint(tls_server.url), request()).answer, Answer)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_is_used(
    variable: str, server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, server.url.removesuffix("/v1"))
    asked = ask(tmp_path, endpoint("http://model.invalid/v1"), request())
    assert isinstance(asked.answer, Answer)
    assert server.seen[0].host == "model.invalid"


# aiohttp deprecates what the openai client uses to log in at a proxy.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_proxy_is_given_the_password_of_its_url(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1").replace("//", "//user:password@"))
    ask(tmp_path, endpoint("http://model.invalid/v1"), request())
    assert server.seen[0].headers["Proxy-Authorization"].startswith("Basic ")


def test_no_proxy_is_heeded(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert isinstance(ask(tmp_path, endpoint(server.url), request()).answer, Answer)


UNREACHED = "the last time, the proxy cannot be reached; check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY"
INVALID = "stopped: the host or port of its base URL, or of the proxy, is invalid; check its base URL,"
NO_CLIENT = "endpoint 'local' stopped: an HTTP client cannot be set up"
SERVER, ELSEWHERE, ELSEWHERE_TLS = "http://{server}/v1", "http://model.invalid/v1", "https://model.invalid/v1"


@pytest.mark.parametrize(
    ("url", "setting", "message"),
    [
        ("https://{server}/v1", "NO_PROXY=", "the server does not speak TLS; write http:// in its base URL"),
        (ELSEWHERE, "HTTP_PROXY=http://127.0.0.1:1", UNREACHED),
        (ELSEWHERE, "HTTP_PROXY=http://proxy.invalid:3128", UNREACHED),
        (ELSEWHERE, "HTTP_PROXY=nonsense.invalid", UNREACHED),
        (ELSEWHERE_TLS, "HTTPS_PROXY=http://127.0.0.1:99999", INVALID),
        (ELSEWHERE_TLS, "HTTPS_PROXY=http://127.0.0.1:-1", INVALID),
        (ELSEWHERE_TLS, "HTTPS_PROXY=http:///nowhere", INVALID),
        (ELSEWHERE_TLS, "HTTPS_PROXY=http://a..b", INVALID),
        (ELSEWHERE_TLS, "HTTPS_PROXY=http://{server}", "endpoint 'local' stopped: the proxy answered 4"),
        (SERVER, "HTTP_PROXY=::no-such-thing::", NO_CLIENT),
        (SERVER, "SSL_CERT_FILE=::no-such-thing::", NO_CLIENT),
    ],
)
def test_wrong_settings_of_the_network_are_reported(
    url: str, setting: str, message: str, server: FaultServer, tmp_path: Path
) -> None:
    host = server.url.removeprefix("http://").removesuffix("/v1")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(*setting.format(server=host).split("=", 1))
        asked = ask(tmp_path, endpoint(url.format(server=host), attempts=2), request())
    assert message in str(asked.error)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_cookie_that_no_header_can_hold_is_not_sent_back(name: str, server: FaultServer, tmp_path: Path) -> None:
    server.next(Canned({"error": {"message": "busy"}}, 503, {"Set-Cookie": "\udcff=;;;=,"}))
    asked = ask(tmp_path, endpoint(server.url.replace("127.0.0.1", name)), request())
    assert isinstance(asked.answer, Answer)


@pytest.mark.parametrize("concurrency", [5, 150])
def test_as_many_are_in_flight_as_the_limit_allows(concurrency: int, server: FaultServer, tmp_path: Path) -> None:
    """By default a client of aiohttp has 100 connections, and the pool of httpx keeps 20."""
    server.gather = concurrency
    requests = [request(f"Number {number}.") for number in range(max(60, concurrency))]
    asked = ask(tmp_path, endpoint(server.url, concurrency=concurrency), *requests, together=True)
    assert all(isinstance(outcome, Answer) for outcome in asked.outcomes)
    assert server.max_in_flight == concurrency

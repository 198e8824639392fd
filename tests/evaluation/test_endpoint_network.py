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
    """One that nobody trusts until told."""
    return trustme.CA()


@pytest.fixture
def tls_server(authority: trustme.CA) -> Iterator[FaultServer]:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "localhost").configure_cert(tls)
    with FaultServer(tls=tls) as running:
        yield running


@contextmanager
def junk_server(answer: bytes) -> Iterator[str]:
    """Says this to whoever connects; gives its base URL."""

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
def test_what_is_no_http_is_tried_again_and_then_told(answer: bytes, tmp_path: Path) -> None:
    with junk_server(answer) as url:
        asked = ask(tmp_path, endpoint(url, attempts=2), request())
    assert isinstance(asked.error, BackendError)
    assert str(asked.error).startswith("no answer after 2 attempts; the last time, it ")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_a_certificate_nobody_vouches_for_stops_the_endpoint(tls_server: FaultServer, tmp_path: Path) -> None:
    asked = ask(tmp_path, endpoint(tls_server.url), request())
    assert isinstance(asked.error, UnavailableError)
    assert "endpoint 'local' stopped: its TLS certificate is rejected: " in str(asked.error)
    assert asked.notes == [str(asked.error)]
    assert tls_server.seen == []


def test_a_certificate_that_ssl_cert_file_vouches_for_is_taken(
    tls_server: FaultServer, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    assert isinstance(ask(tmp_path, endpoint(tls_server.url), request()).answer, Answer)


def test_https_to_a_server_of_plain_http_is_told(server: FaultServer, tmp_path: Path) -> None:
    asked = ask(tmp_path, endpoint(server.url.replace("http:", "https:")), request())
    assert "the server does not speak TLS; write http:// in its base URL" in str(asked.error)


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


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "http://proxy.invalid:3128", "nonsense.invalid"])
def test_a_proxy_that_is_not_there_is_told(proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    asked = ask(tmp_path, endpoint("http://model.invalid/v1", attempts=2), request())
    words = "the last time, the proxy cannot be reached; check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY"
    assert str(asked.error).endswith(words)


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:99999", "http://127.0.0.1:-1", "http:///nowhere", "http://a..b"])
def test_a_proxy_whose_address_is_none_stops_the_endpoint_and_is_told(
    proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    asked = ask(tmp_path, endpoint("https://model.invalid/v1"), request())
    words = "the host or port of its base URL, or of the proxy, is invalid; check its base URL, HTTPS_PROXY, "
    assert f"endpoint 'local' stopped: {words}" in str(asked.error)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_cookie_that_no_header_can_hold_is_not_sent_back(name: str, server: FaultServer, tmp_path: Path) -> None:
    server.next(Canned({"error": {"message": "busy"}}, 503, {"Set-Cookie": "\udcff=;;;=,"}))
    asked = ask(tmp_path, endpoint(server.url.replace("127.0.0.1", name)), request())
    assert isinstance(asked.answer, Answer)


def test_a_proxy_that_refuses_us_stops_the_endpoint(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", server.url.removesuffix("/v1"))
    asked = ask(tmp_path, endpoint("https://model.invalid/v1"), request())
    assert "endpoint 'local' stopped: the proxy answered 4" in str(asked.error)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "SSL_CERT_FILE"])
def test_settings_that_make_no_client_are_told(
    variable: str, server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "::no-such-thing::")
    asked = ask(tmp_path, endpoint(server.url), request())
    assert "endpoint 'local' stopped: an HTTP client cannot be set up" in str(asked.error)


def test_no_more_are_in_flight_than_the_limit(server: FaultServer, tmp_path: Path) -> None:
    server.gather = 5
    requests = [request(f"Number {number}.") for number in range(60)]
    asked = ask(tmp_path, endpoint(server.url, concurrency=5), *requests, together=True)
    assert all(isinstance(outcome, Answer) for outcome in asked.outcomes)
    assert server.max_in_flight == 5


def test_more_connections_than_a_client_has_by_default_are_used(server: FaultServer, tmp_path: Path) -> None:
    """That of aiohttp has a hundred, the pool of httpx keeps twenty."""
    server.gather = 150
    requests = [request(f"Number {number}.") for number in range(150)]
    asked = ask(tmp_path, endpoint(server.url, concurrency=150), *requests, together=True)
    assert all(isinstance(outcome, Answer) for outcome in asked.outcomes)
    assert server.max_in_flight == 150

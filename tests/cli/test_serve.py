from __future__ import annotations

import http.client
import re
import signal
import socket
import struct
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from support.commands import nullbench, start

from nullbench_site.cli import serving
from nullbench_site.repository import Repository


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A repository whose site has one page."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<title>The board</title>", "utf-8")
    return tmp_path


def test_a_port_that_is_taken_is_named_with_what_to_do(site: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = nullbench(site, "serve", "--port", str(port))
    assert (done.code, done.out) == (3, "")
    assert done.message == (
        f"Error: cannot listen on 127.0.0.1:{port} (Address already in use); "
        "choose another port with --port, or a free one with --port 0"
    )


@pytest.mark.parametrize(
    ("host", "code", "message"),
    [
        ("203.0.113.7", 3, "cannot listen on 203.0.113.7:0 (Cannot assign requested address)"),
        ("", 2, "--host is empty; use 127.0.0.1, or "),  # not every network
    ],
)
def test_an_address_that_cannot_be_bound_is_one_message(site: Path, host: str, code: int, message: str) -> None:
    done = nullbench(site, "serve", "--host", host, "--port", "0")
    assert done.code == code
    assert message in done.message


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address; asserts that nothing is said until Ctrl-C, and that it ends well."""
    with start(site, "serve", "--port", "0") as process:
        said = process.stderr.readline()
        address = re.search(r"127\.0\.0\.1:\d+", said)
        assert address, said
        try:
            yield address[0]
        finally:
            process.send_signal(signal.SIGINT)
            try:
                out, err = process.communicate(timeout=60)
            finally:
                process.kill()
    assert (process.returncode, out, err) == (0, "", "")


def status(address: str, path: str, host: str | None = None) -> int:
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host or address)
    connection.endheaders()
    with connection.getresponse() as response:
        return response.status


def test_it_serves_the_site_until_ctrl_c(site: Path) -> None:
    with served(site) as address:
        with urllib.request.urlopen(f"http://{address}/", timeout=60) as page:
            assert page.read() == b"<title>The board</title>"
        assert status(address, "/nothing") == 404


def test_pages_learn_that_the_site_has_changed(site: Path) -> None:
    index = site / "site" / "index.html"
    index.write_text("<body>One</body>", "utf-8")
    with served(site) as address:
        with urllib.request.urlopen(f"http://{address}/", timeout=60) as page:
            assert page.read() == b'<body>One<script src="/_reload.js" async></script></body>'
        with urllib.request.urlopen(f"http://{address}/_version", timeout=60) as reply:
            version = reply.read().decode()
        index.write_text("<body>Other</body>", "utf-8")
        with urllib.request.urlopen(f"http://{address}/_version?{version}", timeout=60) as reply:
            assert reply.read().decode() != version
        assert status(address, "/_reload.js") == 200


def test_without_a_port_it_finds_a_free_one(site: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with serving._listening("127.0.0.1", [port, 0], site / "site") as server:
            assert server.server_port != port


def test_changed_specs_are_rendered_again_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[Path] = []
    monkeypatch.setattr(serving, "_SECONDS", 0.01)
    monkeypatch.setattr(serving.api, "render", lambda repository, on_note: rendered.append(repository.root))
    (tmp_path / "specs").mkdir()
    watcher = serving.Watcher(Repository(tmp_path))
    looks = iter([1, 1, 2, 3, 3, 3])

    def files() -> object:
        look = next(looks, None)
        if look is None:
            watcher.stop.set()
        return look

    monkeypatch.setattr(watcher, "_files", files)
    watcher.run()
    assert rendered == [tmp_path]


def test_links_out_of_the_site_are_not_served(site: Path) -> None:
    (site / "secret").write_text("secret", "utf-8")
    (site / "site" / "secret").symlink_to(site / "secret")
    (site / "site" / "folder").symlink_to(site)
    with served(site) as address:
        for path in ("/%00", "/secret", "/folder/secret", "/../secret", "/%2e%2e/secret", "//secret"):
            assert status(address, path) == 404, path


@pytest.mark.parametrize(
    ("bound", "host", "is_answered"),
    [
        ("127.0.0.1", "127.0.0.1:8000", True),
        ("127.0.0.1", "localhost:8000", True),
        ("127.0.0.1", "LOCALHOST", True),
        ("127.0.0.1", "[::1]:8000", True),
        ("127.0.0.1", "board.localhost:8000", True),
        ("127.0.0.1", None, True),
        ("127.0.0.1", "evil.example:8000", False),
        ("127.0.0.1", "127.0.0.1.evil.example", False),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "evil.example@x", False),
        ("127.0.0.1", "[::1", False),
        ("127.0.0.1", "", False),
        (str(IPv4Address(0)), "box.example:8000", True),  # for every network, by the names that it has there
    ],
)
def test_a_site_that_takes_the_address_of_this_machine_is_not_answered(
    site: Path, bound: str, host: str | None, is_answered: bool
) -> None:
    with serving.SiteServer(bound, 0, site / "site") as server:
        assert server.answers(host) is is_answered


def test_a_request_by_a_foreign_name_gets_no_page(site: Path) -> None:
    with served(site) as address:
        for path in ("/", "/_version", "/_reload.js", "/nothing"):
            assert status(address, path, host="evil.example") == 421


def test_a_browser_that_disconnects_is_ignored(site: Path) -> None:
    (site / "site" / "large").write_bytes(bytes(20_000_000))
    with served(site) as address:
        host, port = address.split(":")
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall(b"GET /large HTTP/1.0\r\n\r\n")
            assert connection.recv(100)
        assert status(address, "/nothing") == 404

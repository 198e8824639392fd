"""The command `serve`. It has its own module because http.server takes 30 ms to import."""

from __future__ import annotations

import contextlib
import errno
import sys
import threading
import time
from collections.abc import Sequence
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from ipaddress import ip_address
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import click

from nullbench_site import api
from nullbench_site.cli.app import say
from nullbench_site.errors import NullbenchError, StorageError, UsageError
from nullbench_site.repository import Repository
from nullbench_site.runs.stamp import files_at

_PORT = 8000
_SECONDS = 0.5
"""Between two looks at files."""
_MOST_WAITS = 50
_WATCHED = ("specs", "site_templates", "mkdocs.yml")
_SCRIPT_AT, _CHANGES_AT = "/_reload.js", "/_version"
_TAG = f'<script src="{_SCRIPT_AT}" async></script>'.encode()
_SCRIPT = b"""
(async () => {
  let version = "";
  for (;;) {
    try {
      const now = await (await fetch("/_version?" + version)).text();
      if (version && now !== version) { location.reload(); return; }
      version = now;
    } catch { await new Promise((done) => setTimeout(done, 2000)); }
  }
})();
"""
"""The script that reloads a page when the site changes. Only `serve` adds it to pages."""


class SiteServer(ThreadingHTTPServer):
    """Serve a folder, but no file outside that a link points to. Raises OSError if it cannot listen.

    On a loopback address it answers only requests to an address or to localhost. Another site can give its own name the
    address 127.0.0.1, and its scripts could then read this one.
    """

    def __init__(self, host: str, port: int, folder: Path) -> None:
        self.folder = folder.resolve()
        super().__init__((host, port), _Handler)
        self._is_local = ip_address(str(self.server_address[0])).is_loopback

    def answers(self, host: str | None) -> bool:
        """Return True if a request with this header `Host` is for us."""
        if host is None or not self._is_local:
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
            return name == "localhost" or name.endswith(".localhost") or bool(ip_address(name))
        except ValueError:
            return False

    def version(self, other_than: str = "") -> str:
        """Return a text that changes with the site. Wait a while for one other than `other_than`."""
        for _ in range(_MOST_WAITS if other_than else 1):
            with contextlib.suppress(OSError):  # a build is exchanging the folder
                stat = (self.folder / "index.html").stat()
                if (version := f"{stat.st_mtime_ns}-{stat.st_ino}") != other_than:
                    return version
            time.sleep(_SECONDS)
        return other_than

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that closes the connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(SimpleHTTPRequestHandler):
    """Answer without a log line per request."""

    server: SiteServer

    def __init__(self, request: Any, client_address: Any, server: SiteServer) -> None:
        super().__init__(request, client_address, server, directory=str(server.folder))

    def send_head(self) -> BytesIO | BinaryIO | None:
        if not self.server.answers(self.headers.get("Host")):
            self.send_error(
                HTTPStatus.MISDIRECTED_REQUEST, explain="Open the address that nullbench-site serve printed."
            )
            return None
        address, _, since = self.path.partition("?")
        if address == _SCRIPT_AT:
            return self._sent("text/javascript", _SCRIPT)
        if address == _CHANGES_AT:
            return self._sent("text/plain", self.server.version(other_than=since).encode())
        path = self.translate_path(self.path)
        if "\0" in path or not Path(path).resolve().is_relative_to(self.server.folder):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        page = Path(path, "index.html") if path.endswith("/") else Path(path)
        if page.suffix == ".html" and page.is_file() and page.resolve().is_relative_to(self.server.folder):
            return self._sent("text/html; charset=utf-8", page.read_bytes().replace(b"</body>", _TAG + b"</body>", 1))
        return super().send_head()

    def _sent(self, kind: str, content: bytes) -> BytesIO:
        """Send the head of an answer that no browser keeps; return its content."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        return BytesIO(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Watcher(threading.Thread):
    """Render the site again when specs, templates or settings have changed and then stay the same for a moment."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(daemon=True)
        self.repository = repository
        self.stop = threading.Event()

    def run(self) -> None:
        shown = seen = self._files()
        while not self.stop.wait(_SECONDS):
            now = self._files()
            if now == seen and now != shown:
                shown = now
                self._render()
            seen = now

    def _files(self) -> object:
        return [files_at(self.repository.root / name) for name in _WATCHED]

    def _render(self) -> None:
        try:
            api.render(self.repository, on_note=say)
            say("rendered the site again")
        except (NullbenchError, OSError) as error:
            say(f"Error: {error}\nThe site stays as it is")


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), help="By default 8000, or a free one; 0 selects a free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.pass_obj
def serve(repository: Repository, port: int | None, host: str) -> None:
    """Serve site/ until Ctrl-C. Pages reload when the site changes.

    A build in another terminal changes it. If specs, site_templates/ or mkdocs.yml change, the site is rendered again.

    \b
    Example:
      nullbench-site serve --port 8080
    """
    if not (repository.site / "index.html").is_file():
        raise UsageError(f"{repository.site}: there is no site yet; make one with: nullbench-site build")
    if not host:
        raise UsageError("--host is empty; use 127.0.0.1, or 0.0.0.0 for every network")
    server = _listening(host, [*range(_PORT, _PORT + 10), 0] if port is None else [port], repository.site)
    watcher = Watcher(repository)
    with server:
        say(f"serving {repository.site} at http://{host}:{server.server_port}/ (Ctrl-C stops)")
        watcher.start()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
        watcher.stop.set()


def _listening(host: str, ports: Sequence[int], site: Path) -> SiteServer:
    """Return a server at the first of these ports that is free."""
    for port in ports:
        try:
            return SiteServer(host, port, site)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or port == ports[-1]:
                advice = "choose another port with --port, or a free one with --port 0"
                raise StorageError(f"cannot listen on {host}:{port} ({error.strerror}); {advice}") from error
    raise UsageError("no port was given")

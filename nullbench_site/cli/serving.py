"""The command `serve`. It has its own module because http.server takes 30 ms to import."""

from __future__ import annotations

import contextlib
import sys
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import click

from nullbench_site.cli.app import say
from nullbench_site.errors import StorageError, UsageError
from nullbench_site.repository import Repository


class SiteServer(ThreadingHTTPServer):
    """Serve a folder, but no file outside that a link points to. Raises OSError if it cannot listen."""

    def __init__(self, host: str, port: int, folder: Path) -> None:
        self.folder = folder.resolve()
        super().__init__((host, port), _Handler)

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
        path = self.translate_path(self.path)
        if "\0" in path or not Path(path).resolve().is_relative_to(self.server.folder):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def log_message(self, format: str, *args: object) -> None:
        pass


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 selects a free port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.pass_obj
def serve(repository: Repository, port: int, host: str) -> None:
    """Serve site/ until Ctrl-C.

    \b
    Example:
      nullbench-site serve --port 8080
    """
    if not (repository.site / "index.html").is_file():
        raise UsageError(f"{repository.site}: there is no site yet; make one with: nullbench-site build")
    if not host:
        raise UsageError("--host is empty; use 127.0.0.1, or 0.0.0.0 for every network")
    try:
        server = SiteServer(host, port, repository.site)
    except OSError as error:
        advice = "choose another port with --port, or a free one with --port 0"
        raise StorageError(f"cannot listen on {host}:{port} ({error.strerror}); {advice}") from error
    with server:
        say(f"serving {repository.site} at http://{host}:{server.server_port}/ (Ctrl-C stops)")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()

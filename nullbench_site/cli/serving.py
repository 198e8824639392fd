"""The server of `serve`. Its imports take 30 ms, for which no other command waits."""

from __future__ import annotations

import sys
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO


class SiteServer(ThreadingHTTPServer):
    """Serves what stands in a folder, and nothing outside it that a link leads to.

    Raises OSError where it cannot listen.
    """

    def __init__(self, host: str, port: int, folder: Path) -> None:
        self.folder = folder.resolve()
        super().__init__((host, port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away before the end is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(SimpleHTTPRequestHandler):
    """Answers without a log line a request."""

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

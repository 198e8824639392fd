"""A server that answers JSON, for tests of what is asked of hosts of repositories."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

TOKEN = "token-of-the-workflow"  # noqa: S105 - of this server
Json = dict[str, Any]
_PAGE = 100


@dataclass
class JsonServer:
    """refuses: a method. asked: `GET /repos/ours/board/pulls/3`."""

    refuses: str = ""
    asked: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Json) -> tuple[int, Any]:
        """The status and what is sent as JSON, or bytes as they are."""
        raise NotImplementedError

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *arguments: object) -> None:
                pass

            def _handle(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                address = urlsplit(self.path)
                query = parse_qs(address.query)
                server.asked.append(f"{self.command} {self.path}")
                if self.headers["Authorization"] != f"Bearer {TOKEN}":
                    code, answer = 401, {"message": "Bad credentials"}
                elif server.refuses == self.command:
                    code, answer = 403, {"message": "Resource not accessible by integration"}
                else:
                    code, answer = server.answer(self.command, address.path, query, json.loads(content or b"{}"))
                raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                if isinstance(answer, list) and len(answer) == _PAGE:
                    more = urlencode(
                        {**parse_qs(address.query), "page": int(query.get("page", ["1"])[0]) + 1}, doseq=True
                    )
                    self.send_header("Link", f'<{server.url}{address.path}?{more}>; rel="next"')
                self.end_headers()
                self.wfile.write(raw)

            do_GET = do_POST = do_PATCH = do_PUT = _handle  # noqa: N815

        return Handler

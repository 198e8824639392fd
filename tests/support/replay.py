"""A server on loopback that lists a model and replays its recorded answers, by the last message of a request."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def replaying(models: Sequence[str], answers: Mapping[str, str] | None = None, *, other: str = "") -> Iterator[str]:
    """Yield the base URL. other: the answer to a message that was not recorded."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *arguments: object) -> None:
            pass

        def do_GET(self) -> None:
            self._reply({"object": "list", "data": [{"id": name, "object": "model"} for name in models]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = (answers or {}).get(body["messages"][-1]["content"], other)
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
            head = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
            self._reply({**head, "choices": [choice], "usage": usage})

        def _reply(self, answer: object) -> None:
            raw = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()

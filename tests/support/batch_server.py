"""A server that also speaks /v1/files and /v1/batches (developers.openai.com/api/docs/guides/batch)."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any

from aiohttp import web
from support.fault_server import BASE, FaultServer, answer_to, completion

Json = dict[str, Any]


class BatchServer(FaultServer):
    """ends: the status in which a batch ends. answers: how many of its calls are answered; all without.

    lines: whether a call without an answer is in the file of errors. polls: how often it is asked before a batch ends.
    damage: replaces the end of each file of results. holds_reply: a batch is made and the reply to that held.
    refuses: as in FaultServer, of the calls in batches.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ends, self.polls, self.lines = "completed", 1, True
        self.answers_of_batch: int | None = None
        self.damage = b""
        self.holds_reply: threading.Event | None = None
        self.made = threading.Event()
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Json] = {}

    def routes(self) -> list[web.RouteDef]:
        return [
            *super().routes(),
            web.post(f"{BASE}/files", self._upload),
            web.get(f"{BASE}/files/{{id}}/content", self._content),
            web.post(f"{BASE}/batches", self._start_batch),
            web.get(f"{BASE}/batches", self._list),
            web.get(f"{BASE}/batches/{{id}}", self._batch),
        ]

    @property
    def requests(self) -> list[Json]:
        """The calls of all batches."""
        return [call for batch in self.batches.values() for call in self._calls(batch)]

    def _calls(self, batch: Json) -> list[Json]:
        return [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        sent = form["file"]
        assert isinstance(sent, web.FileField)
        with sent.file as content:
            return web.json_response({"id": self._keep(content.read()), "object": "file"})

    def _keep(self, content: bytes) -> str:
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    async def _content(self, request: web.Request) -> web.Response:
        content = self.files[request.match_info["id"]]
        return web.Response(body=content[: len(content) // 2] + self.damage if self.damage else content)

    async def _start_batch(self, request: web.Request) -> web.Response:
        asked = await request.json()
        assert asked["completion_window"] == "24h"
        assert {call["url"] for call in self._calls(asked)} == {asked["endpoint"]}
        name = f"batch_{len(self.batches)}"
        made = {"id": name, "object": "batch", "status": "in_progress", "created_at": int(time.time()), **asked}
        self.batches[name] = {**made, "polls": 0}
        self.made.set()
        while self.holds_reply is not None and not self.holds_reply.is_set():
            await asyncio.sleep(0.01)
        return web.json_response(made)

    async def _list(self, request: web.Request) -> web.Response:
        newest_first = [self.batches[name] for name in reversed(self.batches)]
        return web.json_response({"object": "list", "data": newest_first, "has_more": False})

    async def _batch(self, request: web.Request) -> web.Response:
        batch = self.batches.get(request.match_info["id"])
        if batch is None:
            return web.json_response({"error": {"message": "No batch found"}}, status=404)
        batch["polls"] += 1
        if batch["status"] == "in_progress" and batch["polls"] > self.polls:
            self._finish(batch)
        return web.json_response(batch)

    def _finish(self, batch: Json) -> None:
        batch["status"], calls = self.ends, self._calls(batch)
        n = len(calls) if self.answers_of_batch is None else self.answers_of_batch
        lines, errors = [], []
        for number, call in enumerate(calls):
            refusal = self._refusal(call["body"])
            if refusal is not None:
                errors.append(_line(call, status_code=400, body=refusal.body))
            elif number < n:
                lines.append(_line(call, status_code=200, body=completion(call["body"], answer_to(call["body"]))))
            else:
                code = f"batch_{self.ends}"
                errors.append({"custom_id": call["custom_id"], "error": {"code": code, "message": f"It {self.ends}."}})
        if self.ends == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "invalid", "message": "too many enqueued tokens"}]}
            return
        for kind, found in (("output", lines), ("error", errors if self.lines else [])):
            if found:
                batch[f"{kind}_file_id"] = self._keep("".join(json.dumps(line) + "\n" for line in found[::-1]).encode())


def _line(call: Json, **response: Any) -> Json:
    return {"id": "r", "custom_id": call["custom_id"], "response": {"request_id": "r", **response}, "error": None}

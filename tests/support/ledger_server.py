"""A server with its own ledger: what each request costs, also of those whose reply is a fault or never arrives."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Any

from aiohttp import web
from support.batch_server import BatchServer
from support.fault_server import BASE, Canned, answer_to
from support.live import PRICES

Json = dict[str, Any]

COUNTED = ("429-usage", "500-usage", "error-200", "no-text")
"""Faults that tell the tokens used."""
FREE = ("429", "503", "refused")
GARBLED = "garbled"
"""An answer without a verdict: a judge is asked again."""
LOST = ("cut", "truncated", "gateway", "no-usage")
"""Faults of requests that are charged, but whose usage never arrives."""
KINDS = (*COUNTED, *FREE, *LOST)


class LedgerServer(BatchServer):
    """Speaks three dialects. rate: of faults. known: dollars of usage that was told. lost: of usage that was not.

    n_lost: how many requests are in `lost`. kinds: of faults, each as likely. most_output: the limit of requests.
    unanswered: how many lines of batches had no answer, by the id of their call.
    """

    def __init__(self, rate: float = 0.3, seed: int = 5, kinds: tuple[str, ...] = KINDS) -> None:
        super().__init__()
        self.rate, self.kinds = rate, kinds
        self.known: list[float] = []
        self.lost: list[float] = []
        self._draws = Random(seed)  # noqa: S311
        self.held_usd: list[float] = []
        self.held = 0
        self.unanswered: Counter[str] = Counter()
        self._until_hold: int | None = None
        self._hold_at: tuple[str, str] | None = None
        self._go_on = asyncio.Event()

    def routes(self) -> list[web.RouteDef]:
        return [web.route(each.method, each.path, self._held_by(each)) for each in super().routes()]

    def _held_by(self, route: web.RouteDef) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return the handler of a route, which holds its reply where `hold_at` says so."""
        handler: Any = route.handler

        async def handle(request: web.Request) -> web.StreamResponse:
            response: web.StreamResponse = await handler(request)
            if self._hold_at != (route.method, route.path.removeprefix(BASE)):
                return response
            if isinstance(response, web.Response) and isinstance(response.body, bytes):
                half = web.StreamResponse()
                await half.prepare(request)
                await half.write(response.body[: len(response.body) // 2])
            self.held += 1
            await self._go_on.wait()
            return response

        return handle

    def hold_at(self, method: str, path: str) -> None:
        """Do the work of the next request of this kind, but hold the second half of its reply."""
        self._go_on = asyncio.Event()
        self.held, self._hold_at = 0, (method, path)

    def hold_after(self, calls: int) -> None:
        """Answer some more calls, then count each further one but hold its reply."""
        self._go_on = asyncio.Event()  # the former one may be set late
        self.held, self._until_hold = 0, calls

    def let_go(self) -> None:
        """Drop the replies that are held, and answer again. The client of these is gone."""
        self._until_hold = self._hold_at = None
        self._loop.call_soon_threadsafe(self._go_on.set)
        while self.in_flight or self.connections:
            time.sleep(0.005)

    @property
    def charged(self) -> float:
        """Dollars."""
        return sum(self.known) + sum(self.lost)

    def _drawn(self) -> str:
        return self._draws.choice(self.kinds) if self._draws.random() < self.rate else "ok"

    def _used(self, body: Json, kind: str) -> tuple[int, int]:
        """Return input and output tokens, and write them into the ledger."""
        most = next(body[name] for name in ("max_tokens", "max_output_tokens", "max_completion_tokens") if name in body)
        said = body.get("messages", body.get("input"))
        given, made = self._draws.randint(1, sum(len(each["content"]) for each in said)), self._draws.randint(1, most)
        told = self.lost if kind in LOST else self.known
        told.append((given * PRICES["input"] + made * PRICES["output"]) / 1e6)
        return given, made

    def reply(self, body: Json, path: str, kind: str) -> Canned | None:
        """Return the reply to one call; None for a connection that breaks after the work was done."""
        if kind in FREE:
            return Canned({"error": {"message": kind}}, {"429": 429, "503": 503, "refused": 400}[kind])
        used = _usage(path, *self._used(body, kind))
        match kind:
            case "cut":
                return None
            case "429-usage" | "500-usage":
                return Canned({"error": {"message": kind}, "usage": used}, int(kind[:3]))
            case "error-200":
                return Canned({"error": {"message": "upstream failed", "code": 502}, "usage": used})
            case "gateway":
                return Canned(b"<html>timeout</html>", 504)
        text = None if kind == "no-text" else "I cannot say." if kind == GARBLED else answer_to(_as_chat(body))
        made = _completed(path, text)
        if kind != "no-usage":
            made["usage"] = used
        raw = json.dumps(made).encode()
        return Canned(raw[: len(raw) // 2] if kind == "truncated" else raw)

    async def _response(self, request: web.Request, raw: bytes, body: Json) -> web.StreamResponse:
        path = request.path.removeprefix(BASE)
        known = len(self.known)
        made = self.reply(body, path, self._drawn())
        if self._until_hold is not None:
            self._until_hold -= 1
            if self._until_hold < 0 and len(self.known) > known:  # it is charged
                self.held_usd += self.known[known:]
                self.held += len(self.known) - known
                await self._go_on.wait()
        if made is not None:
            return made.response()
        if request.transport is not None:
            request.transport.abort()
        return web.Response()

    def _finish(self, batch: Json) -> None:
        batch["status"], path = "completed", batch["endpoint"].removeprefix(BASE)
        output, errors = [], []
        for call in self._calls(batch):
            kind = self._drawn()
            if kind in ("cut", "truncated", "gateway"):  # a line is whole, or there is none
                kind = "429"
            self.unanswered[call["custom_id"]] += kind not in ("ok", "no-usage", GARBLED)
            if kind == "503":
                errors.append({"custom_id": call["custom_id"], "error": {"message": "This request expired."}})
                continue
            made = self.reply(call["body"], path, kind)
            assert made is not None
            body = json.loads(made.body) if isinstance(made.body, bytes) else made.body
            line = {"id": f"r{len(self.known)}", "custom_id": call["custom_id"]}
            line |= {"response": {"status_code": made.status, "body": body}, "error": None}
            (output if made.status == 200 else errors).append(line)
        for name, lines in (("output", output), ("error", errors)):
            if lines:
                batch[f"{name}_file_id"] = self._keep("".join(json.dumps(line) + "\n" for line in lines).encode())


def _usage(path: str, given: int, made: int) -> Json:
    if path == "/chat/completions":
        return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    return {"input_tokens": given, "output_tokens": made}


def _completed(path: str, text: str | None) -> Json:
    if path == "/chat/completions":
        return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
    if path == "/messages":
        content = [] if text is None else [{"type": "text", "text": text}]
        return {"type": "message", "content": content, "stop_reason": "end_turn"}
    parts = [] if text is None else [{"type": "output_text", "text": text}]
    return {"object": "response", "status": "completed", "output": [{"type": "message", "content": parts}]}


def _as_chat(body: Mapping[str, Any]) -> Json:
    """Return the request as one for a chat completion, of which the words of the answer are made."""
    schema = (body.get("output_config") or body.get("text") or {}).get("format", {}).get("schema")
    asked = {"model": body["model"], "messages": body.get("messages", body.get("input"))}
    if schema is not None:
        asked["response_format"] = {"json_schema": {"schema": schema}}
    elif "response_format" in body:
        asked["response_format"] = body["response_format"]
    return asked

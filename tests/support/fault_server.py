"""A small server that speaks /v1/chat/completions, with answers made from the request, and every fault we know of.

In a test:

    with FaultServer() as server:
        server.next("429", "cut")           # what the next two requests meet; all others are answered
        server.always["model-x"] = "404"    # what every request for a model meets
        server.longest["model-x"] = (400, "too-long")   # what its requests of more than 400 characters meet
    server.refuses.add("json_schema")   # what it does not take
    server.tells = False                # it takes a wish for log probabilities, and tells none

`repeated` counts requests whose bytes had been answered before.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import math
import re
import ssl
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from aiohttp import web

WORDS = ("study", "people", "walked", "daily", "slept", "better", "while", "effect", "on", "mood", "was", "seen")
PASSING = (
    "408", "409", "429", "429-wait", "500", "503", "reset", "cut", "stall", "html", "no-choices", "null-content",
    "short-json", "bad-gzip", "bad-utf8", "error-200",
)  # fmt: skip
"""The faults that another attempt gets over; what is drawn with `faults`."""
HARMLESS = ("gzip", "plain-type", "duplicate-id")
"""Odd, but answers all the same."""
HUGE = 33 * 2**20
BASE, OPERATION = "/v1", "/chat/completions"


@dataclass(frozen=True)
class Canned:
    """A response word for word: `body` as it is, or as JSON."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        raw = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return web.Response(body=raw, status=self.status, headers={"Content-Type": "application/json", **self.headers})


Fault = str | Canned


@dataclass(frozen=True)
class Seen:
    """A request as it came."""

    body: dict[str, Any]
    headers: Mapping[str, str]
    path: str
    host: str


class FaultServer:
    """See the module. latency: seconds before each answer. stall: seconds a stalled request hangs before its 503.

    hold: hold every request until it is set. gather: hold every request until so many have been in flight at once.
    stops_after: hold every request that comes after so many answers. first: what the first requests for a model meet.
    usage: what it said in JSON that requests took.
    """

    def __init__(
        self,
        *,
        faults: float = 0.0,
        kinds: tuple[str, ...] = PASSING,
        seed: int = 7,
        latency: float = 0.0,
        stall: float = 60.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.always: dict[str, Fault] = {}
        self.longest: dict[str, tuple[int, Fault]] = {}
        self.first: dict[str, list[Fault]] = {}
        self.refuses: set[str] = set()
        self.tells = True
        self.seen: list[Seen] = []
        self.answered: dict[str, None] = {}
        self.answers = 0
        self.max_in_flight = 0
        self.repeated = 0
        self.usage: list[Any] = []
        self.hold: threading.Event | None = None
        self.gather = 0
        self.stops_after: int | None = None
        self._in_flight = 0
        self._next: deque[Fault] = deque()
        self._port, self._rate, self._kinds, self._dice = 0, faults, kinds, Random(seed)  # noqa: S311
        self._latency, self._stall, self._tls = latency, stall, tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self._port}{BASE}"

    def next(self, *faults: Fault) -> None:
        """What the coming requests meet, one each; "ok" is an answer."""
        self._next.extend(faults)

    @property
    def in_flight(self) -> int:
        """Requests being answered now."""
        return self._in_flight

    @property
    def connections(self) -> int:
        """Connections of clients. Without any, all that a killed client had sent is in `seen`."""
        return 0 if self._runner is None or self._runner.server is None else len(self._runner.server.connections)

    def forget(self) -> None:
        """Count from nothing again."""
        self.seen, self.answered = [], {}
        self.answers = self.repeated = self.max_in_flight = 0

    def __enter__(self) -> FaultServer:
        self._thread.start()
        self._do(self._start())
        return self

    def __exit__(self, *exc: object) -> None:
        self.go_away()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def go_away(self) -> None:
        """Close the port and every connection."""
        if self._runner is not None:
            runner, self._runner = self._runner, None
            self._do(_close(runner))

    def come_back(self) -> None:
        """Open the port again after `go_away`."""
        self._do(self._start())

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=120)

    async def _start(self) -> None:
        app = web.Application(client_max_size=64 * 2**20)
        app.add_routes(self.routes())
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.05)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=self._tls, backlog=1024)
        await site.start()
        self._port = self._runner.addresses[0][1]

    def routes(self) -> list[web.RouteDef]:
        """What it speaks."""
        return [web.post(BASE + path, self._complete) for path in (OPERATION, "/messages", "/responses")]

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw)
        self.seen.append(Seen(body, request.headers, request.path_qs, request.host))
        self._in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self._in_flight)
        try:
            while self._holds():
                await asyncio.sleep(0.01)
            response = await self._response(request, raw, body)
            self._note_usage(response)
            return response
        finally:
            self._in_flight -= 1

    async def _response(self, request: web.Request, raw: bytes, body: dict[str, Any]) -> web.StreamResponse:
        fault = self._fault(body)
        canned = fault if isinstance(fault, Canned) else _REPLIES.get(fault)
        if canned is None and fault in _BREAKS:
            return await _BREAKS[fault](request, self._stall)
        canned = canned or self._refusal(body)
        if canned is not None:
            return canned.response()
        return await self._answer(request, raw, body, fault)

    def _note_usage(self, response: web.StreamResponse) -> None:
        with suppress(AttributeError, TypeError, KeyError, ValueError, RecursionError):  # no JSON, or no usage in it
            self.usage.append({**json.loads(response.body)["usage"]})  # type: ignore[attr-defined]

    def _holds(self) -> bool:
        held = self.hold is not None and not self.hold.is_set()
        stopped = self.stops_after is not None and self.answers >= self.stops_after
        return self.max_in_flight < self.gather or held or stopped

    def _fault(self, body: Mapping[str, Any]) -> Fault:
        if self._next:
            return self._next.popleft()
        model = body["model"]
        if self.first.get(model):
            return self.first[model].pop(0)
        longest, refusal = self.longest.get(model, (None, "ok"))
        if longest is not None and sum(len(message["content"]) for message in body["messages"]) > longest:
            return refusal
        if model in self.always:
            return self.always[model]
        return self._dice.choice(self._kinds) if self._dice.random() < self._rate else "ok"

    def _refusal(self, body: Mapping[str, Any]) -> Canned | None:
        form = body.get("response_format", {}).get("type")
        if form in self.refuses:
            return error(400, f"response_format of type {form} is not supported", param="response_format")
        if "max_tokens" in body and "max_tokens" in self.refuses:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return error(400, message, code="unsupported_parameter", param="max_tokens")
        if "logprobs" in body and "logprobs" in self.refuses:
            return error(400, "logprobs is not supported by this model", param="logprobs")
        return None

    async def _answer(self, request: web.Request, raw: bytes, body: dict[str, Any], odd: str) -> web.Response:
        if self._latency:
            await asyncio.sleep(self._latency)
        digest = hashlib.sha256(raw).hexdigest()
        self.repeated += digest in self.answered
        self.answered[digest] = None
        self.answers += 1
        made = completion(body, answer_to(body))
        if body.get("logprobs") and self.tells:
            made["choices"][0]["logprobs"] = {"content": [first_token(made["choices"][0]["message"]["content"])]}
        if odd == "duplicate-id":
            made["id"] = "chatcmpl-the-same"
        packed = json.dumps(made).encode()
        if odd == "gzip":
            return web.Response(body=gzip.compress(packed), headers={**_JSON, "Content-Encoding": "gzip"})
        return web.Response(body=packed, headers={"Content-Type": "text/plain"} if odd == "plain-type" else _JSON)


_JSON = {"Content-Type": "application/json"}


async def _close(runner: web.AppRunner) -> None:
    """Also what still has to be sent to a client that has left: the loop ends before that would be noticed."""
    transports = [each.transport for each in runner.server.connections if each.transport is not None]
    await runner.cleanup()
    for transport in transports:
        # Python 3.11.2 cannot abort a TLS connection that the client and the server have both closed.
        with suppress(AttributeError):
            transport.abort()
    await asyncio.sleep(0)


def error(status: int, message: str, *, http: int | None = None, **more: Any) -> Canned:
    """An error object; `http` is the status where that is another."""
    found = {"message": message, "type": more.pop("type", "invalid_request_error"), "code": more.pop("code", None)}
    wait = {"Retry-After": str(more.pop("wait"))} if "wait" in more else {}
    return Canned({"error": {**found, **more}}, http or status, wait)


def completion(body: Mapping[str, Any], content: Any, **message: Any) -> dict[str, Any]:
    """A chat completion, as the body of a response."""
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    used = {"prompt_tokens": len(json.dumps(body)) // 4, "completion_tokens": len(str(content)) // 4}
    return {
        "id": f"chatcmpl-{digest[:24]}", "object": "chat.completion", "created": 0, "model": body.get("model"),
        "choices": [{
            "index": 0, "finish_reason": message.pop("finish_reason", "stop"),
            "message": {"role": "assistant", "content": content, **message},
        }],
        "usage": {**used, "total_tokens": sum(used.values()), "prompt_tokens_details": {"cached_tokens": 0}},
    }  # fmt: skip


def first_token(said: str) -> dict[str, Any]:
    """That of an answer of m or M: it 0.6, with a space 0.25, the other 0.15."""
    told = [
        {"token": token, "logprob": math.log(share), "bytes": list(token.encode())}
        for token, share in ((said, 0.6), (f" {said}", 0.25), (said.swapcase(), 0.15))
    ]
    return {**told[0], "top_logprobs": told}


def answer_to(body: Mapping[str, Any]) -> str:
    """The same for the same messages: m or M where one letter is asked for, JSON where a schema or the end of the
    messages gives its shape, else prose."""
    said = json.dumps([body.get("model"), body["messages"]], sort_keys=True)
    dice = Random(hashlib.sha256(said.encode()).hexdigest())  # noqa: S311
    if "the one letter m" in body["messages"][-1]["content"]:
        return "mM"[dice.random() < 0.5]
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema") or _shape(body["messages"])
    if schema is not None:
        return json.dumps(_filled(schema, dice))
    return " ".join(dice.choices(WORDS, k=30)).capitalize() + "."


def _shape(messages: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The schema of a template such as {"score": 1-5, "kept": true|false, "why": "..."} on a line of its own."""
    for message in reversed(messages):
        for line in reversed(message["content"].splitlines()):
            if message["role"] == "user" and line.startswith('{"') and re.search(r": (\d+-\d+|true\|false)", line):
                number = r': {"type": "integer", "minimum": \1, "maximum": \2}'
                made = re.sub(r": (\d+)-(\d+)", number, line).replace("true|false", '{"type": "boolean"}')
                return _schema_of(json.loads(made.replace('"..."', '{"type": "string"}')))
    return None


def _schema_of(value: dict[str, Any]) -> dict[str, Any]:
    if isinstance(value.get("type"), str):
        return value
    return {"type": "object", "properties": {name: _schema_of(inner) for name, inner in value.items()}}


def _filled(schema: Mapping[str, Any], dice: Random) -> Any:
    if "enum" in schema:
        return dice.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            # By name, so that the order in which a schema or a template has them makes no difference.
            return {name: _filled(schema["properties"][name], dice) for name in sorted(schema["properties"])}
        case "integer":
            return dice.randint(schema.get("minimum", 0), schema.get("maximum", 100))
        case "boolean":
            return dice.random() < 0.1
        case _:
            return " ".join(dice.choices(WORDS, k=8))


async def _cut(request: web.Request, _: float) -> web.StreamResponse:
    response = web.StreamResponse(headers={**_JSON, "Content-Length": "5000"})
    await response.prepare(request)
    await response.write(b'{"id": "x", "choices": [')
    return await _reset(request, 0, response)


async def _reset(request: web.Request, _: float, response: web.StreamResponse | None = None) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return response or web.Response()


async def _stalled(request: web.Request, seconds: float) -> web.StreamResponse:
    await asyncio.sleep(seconds)
    return error(503, "stalled").response()


async def _slow(request: web.Request, _: float) -> web.StreamResponse:
    """A body that never ends, a byte at a time: each byte comes within any timeout between two reads."""
    response = web.StreamResponse(headers=_JSON)
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.005)


_PACKED = {"Content-Encoding": "gzip"}
_REPLIES = {
    "400": error(400, "this request is malformed"),
    "401": error(401, "Incorrect API key provided", code="invalid_api_key"),
    "402": error(402, "Payment required"),
    "403": error(403, "not from your country"),
    "404": error(404, "The model does not exist", code="model_not_found"),
    "408": error(408, "the request took too long"),
    "409": error(409, "conflict"),
    "422": error(422, "unprocessable"),
    "429": error(429, "slow down", code="rate_limit_exceeded"),
    "429-wait": error(429, "slow down", wait=0.02),
    "429-day": error(429, "come back tomorrow", wait=86_400),
    "quota": error(429, "You exceeded your current quota", code="insufficient_quota"),
    "500": error(500, "try again", type="server_error"),
    "501": error(501, "not implemented"),
    "503": error(503, "overloaded"),
    "filter": error(400, "flagged by our policy", code="content_filter"),
    "too-long": error(400, "maximum context length is 10 tokens", code="context_length_exceeded"),
    "error-200": error(502, "upstream failed", http=200, code=502),
    "quota-200": error(429, "no credit", http=200, code="insufficient_quota"),
    "redirect": Canned({}, 307, {"Location": "/elsewhere"}),
    "html": Canned(b"<html><body>gateway</body></html>", headers={"Content-Type": "text/html"}),
    "no-choices": Canned({**completion({}, "x"), "choices": []}),
    "null-content": Canned(completion({"model": "x"}, None)),
    "short-json": Canned(b'{"id": "x", "object": "chat.comp'),
    "bad-gzip": Canned(b"this is no gzip", headers=_PACKED),
    "bad-utf8": Canned(b'{"choices": [{"message": {"content": "\xff"}}]}'),
    "huge": Canned(b" " * HUGE),
    "bomb": Canned(gzip.compress(b" " * HUGE), headers=_PACKED),
}
_BREAKS: dict[str, Callable[[web.Request, float], Awaitable[web.StreamResponse]]] = {
    "cut": _cut, "reset": _reset, "stall": _stalled, "slow-body": _slow,
}  # fmt: skip

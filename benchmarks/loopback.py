"""A minimal server of chat completions on loopback, so that benchmarks measure the client.

`python -m benchmarks.loopback --latency S [--record FILE]` prints its port and serves until it is stopped. --record
writes the body of each request as a line.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from benchmarks.measure import ROOT

_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length:"
_ANSWER = (
    "Answer {} of {}: the trial randomised adults aged 55 to 84 in six hospitals and found no difference in the time "
    "to walking. Patients who got calls were more often satisfied, but everyone knew their group, which may have "
    "coloured the answers. People in care homes were not enrolled, so this may not hold for them."
)


@contextmanager
def served(*, latency: float = 0, record: Path | None = None) -> Iterator[str]:
    """The base URL of a server in a process of its own, /v1 at its end."""
    command = [sys.executable, "-m", __name__, "--latency", str(latency)]
    command += [] if record is None else ["--record", str(record)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = process.stdout.readline().strip() if process.stdout else ""
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


class _Asked(msgspec.Struct):
    model: str
    response_format: dict[str, Any] | None = None
    top_logprobs: int | None = None


class _Connection(asyncio.Protocol):
    """One client; its requests come one after another, each after the answer to the one before."""

    def __init__(self, latency: float, record: BinaryIO | None) -> None:
        self._latency, self._record = latency, record
        self._received = bytearray()
        self._transport: asyncio.WriteTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(_END_OF_HEAD)
        if head < 0:
            return
        at = self._received[: head + 2].lower().find(_LENGTH)
        length = 0 if at < 0 else int(self._received[at + len(_LENGTH) : self._received.index(b"\r\n", at + 2)])
        end = head + len(_END_OF_HEAD) + length
        if len(self._received) < end:
            return
        first, body = bytes(self._received[: self._received.index(b"\r\n")]), bytes(self._received[end - length : end])
        del self._received[:end]
        if self._latency:
            asyncio.get_running_loop().call_later(self._latency, self._answer, first, body)
        else:
            self._answer(first, body)

    def _answer(self, first: bytes, body: bytes) -> None:
        if self._transport.is_closing():
            return
        if not first.startswith(b"POST /v1/chat/completions"):
            self._transport.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        if self._record is not None:
            self._record.write(body + b"\n")
        reply = _completion(body)
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(reply)
        self._transport.write(head + reply)


def _completion(body: bytes) -> bytes:
    """Texts differ with the model and the prompt: the same text of two contestants would be judged once."""
    asked = msgspec.json.decode(body, type=_Asked)
    number = zlib.crc32(body)
    schema = (asked.response_format or {}).get("json_schema")
    logprobs = None
    if asked.top_logprobs is not None:
        text = "m"  # of two answers the first, with a probability that differs with the prompt
        p = (1 + number % 98) / 100
        top = [{"token": token, "logprob": math.log(share)} for token, share in (("m", p), ("M", 1 - p))]
        logprobs = {"content": [{"token": text, "logprob": math.log(p), "top_logprobs": top}]}
    elif schema is None:
        text = _ANSWER.format(number, asked.model)
    else:
        text = msgspec.json.encode(_filled(schema["schema"], number)).decode()
    prompt, written = len(body) // 4, len(text) // 4
    return msgspec.json.encode(
        {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": asked.model,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "logprobs": logprobs,
                    "message": {"role": "assistant", "content": text},
                }
            ],
            "usage": {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written},
        }
    )


def _filled(schema: dict[str, Any], number: int) -> Any:
    """What fits a schema; the numbers in it come from `number`."""
    match schema["type"]:
        case "object":
            fields = enumerate(schema["properties"].items())
            return {name: _filled(inner, number >> place) for place, (name, inner) in fields}
        case "integer" | "number":
            low, high = schema.get("minimum", 1), schema.get("maximum", 5)
            return low + number % (high - low + 1)
        case "boolean":
            return False
        case _:
            return f"It tells {number % 7} of 6 facts, and keeps {number % 5} of 4 hedges."


async def _serve(latency: float, record: BinaryIO | None) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(partial(_Connection, latency, record), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0)
    parser.add_argument("--record", type=Path)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        file = None if arguments.record is None else stack.enter_context(arguments.record.open("wb", buffering=0))
        asyncio.run(_serve(arguments.latency, file))

"""Bounds on what a server can make us read, remember or follow, seen from the server's side."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support.endpoints import Endpoints, ask, endpoint, outcomes_of, request
from support.fault_server import Canned, FaultServer

from nullbench_site.judging.calls import Answer

MIB = 2**20
COMPLETION = b'{"choices": [{"message": {"content": "Yes."}}]}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
BUFFERS = 24 * MIB
"""More than the sockets of both sides hold, which the server takes for read."""


@contextmanager
def raw_server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Lets `answer` write what follows each request; gives the base URL."""

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while b"\r\n\r\n" not in connection.recv(65536):
                pass
            answer(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        listening.shutdown(socket.SHUT_RDWR)


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content)


@pytest.mark.parametrize("length", [b"Transfer-Encoding: chunked\r\n\r\n", b"Content-Length: 9999999999\r\n\r\n"])
@pytest.mark.parametrize("status", [b"200 OK", b"503 Busy"])
def test_of_a_body_without_end_little_is_read_and_the_connection_is_closed(
    length: bytes, status: bytes, tmp_path: Path
) -> None:
    sent: list[int] = []

    def answer(connection: socket.socket) -> None:
        connection.sendall(HEAD.replace(b"200 OK", status) + length)
        part = b" " * MIB if b"Content" in length else chunk(b" " * MIB)
        sent.append(0)
        with suppress(OSError):
            while sent[-1] < 400:
                connection.sendall(part)
                sent[-1] += 1

    with raw_server(answer) as url:
        ask(tmp_path, endpoint(url, attempts=1), request())
    assert sent
    assert max(sent) * MIB <= 32 * MIB + BUFFERS


@pytest.mark.parametrize("chunked", [True, False])
def test_large_answers_share_one_budget_of_bytes_and_all_of_them_arrive(chunked: bool, tmp_path: Path) -> None:
    """The last byte of a body comes when a third body is sent too, which is one too many, or half a second later."""
    size, lock, too_many = 31 * MIB, threading.Lock(), threading.Event()
    sent: list[int] = []
    body = COMPLETION + b" " * (size - len(COMPLETION))

    def answer(connection: socket.socket) -> None:
        length = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" if chunked else b"Content-Length: %d\r\n\r\n"
        connection.sendall(HEAD + length % size)
        connection.sendall(body[:-1])
        with lock:
            sent.append(len(sent))
            if len(sent) == 3:
                too_many.set()
        too_many.wait(0.5)
        with lock:
            sent.pop()
        connection.sendall(body[-1:] + (b"\r\n0\r\n\r\n" if chunked else b""))

    with raw_server(answer) as url:
        requests = [request(f"Number {number}.") for number in range(4)]
        asked = ask(tmp_path, endpoint(url, concurrency=4, attempts=1), *requests, together=True)
    assert [outcome.text for outcome in asked.outcomes if isinstance(outcome, Answer)] == ["Yes."] * 4
    assert not too_many.is_set()


def test_small_answers_do_not_wait_for_large_ones_that_fill_the_budget(tmp_path: Path) -> None:
    size, begun, small_ones = 31 * MIB, threading.Semaphore(0), threading.Semaphore(0)
    to_be_large = [1, 2]

    def answer(connection: socket.socket) -> None:
        if to_be_large and to_be_large.pop():
            connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % size + COMPLETION + b" " * MIB)
            begun.release(2)
            passed = all(small_ones.acquire(timeout=20) for _ in range(2))
            connection.sendall(b" " * (size - len(COMPLETION) - MIB if passed else 1))
        else:
            begun.acquire()
            connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(COMPLETION) + COMPLETION)
            connection.recv(1)  # until it is closed, as it was read
            small_ones.release()

    with raw_server(answer) as url:
        requests = [request(f"Number {number}.") for number in range(6)]
        asked = ask(tmp_path, endpoint(url, concurrency=6, attempts=1), *requests, together=True)
    assert [type(outcome) for outcome in asked.outcomes] == [Answer] * 6


@pytest.mark.parametrize(("size", "parts"), [(256 * MIB, 1), (1, 100_000)])
def test_a_bomb_is_no_answer_and_is_not_asked_for_again(
    size: int, parts: int, server: FaultServer, tmp_path: Path
) -> None:
    server.next(Canned(gzip.compress(b" " * size) * parts, headers={"Content-Encoding": "gzip"}))
    asked = ask(tmp_path, endpoint(server.url, attempts=1), request(), request("Another."))
    assert [type(outcome) is Answer for outcome in asked.outcomes] == [False, True]
    assert len(server.seen) == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_what_it_leads_to_gets_no_request(
    status: int, server: FaultServer, tmp_path: Path
) -> None:
    with FaultServer() as other:
        server.always["m"] = Canned({}, status, {"Location": f"{other.url}/chat/completions"})
        ask(tmp_path, endpoint(server.url), request(), request("Another."))
        assert (len(server.seen), other.seen) == (1, [])


def test_a_cookie_of_one_endpoint_goes_to_no_other(server: FaultServer, tmp_path: Path) -> None:
    """Cookies know hosts and no ports."""
    with FaultServer() as other:
        server.always["m"] = Canned({"error": "busy"}, 503, {"Set-Cookie": "session=1; Path=/"})
        urls = {"local": server.url, "other": other.url}
        specs = [endpoint(url.replace("127.0.0.1", "localhost"), name, attempts=1) for name, url in urls.items()]
        endpoints = Endpoints(tmp_path, tuple(specs))

        async def put() -> None:
            async with endpoints.connect() as connection:
                for spec in specs:
                    await outcomes_of(connection, [request()], spec.id)

        asyncio.run(put())
        assert [len(each.seen) for each in (server, other)] == [1, 1]
        assert "Cookie" not in other.seen[0].headers

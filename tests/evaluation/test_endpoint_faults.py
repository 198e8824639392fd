"""What an endpoint may do wrong in one attempt: the server's reply, what is recorded, and the message."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from support.endpoints import ask, endpoint, request
from support.fault_server import HARMLESS, PASSING, Canned, FaultServer, answer_to, completion
from support.ports import held_port

from nullbench_site.evaluation.backends.base import BackendError
from nullbench_site.evaluation.endpoints.completion import read_completion
from nullbench_site.evaluation.endpoints.faults import Fault

EXPECTED = answer_to({"model": "m", "messages": [{"role": "user", "content": "Say something."}]})
FAILED_IN_CHOICE = completion({"model": "m"}, "")
FAILED_IN_CHOICE["choices"][0]["error"] = {"code": 502, "message": "the provider failed"}
NO_COMPLETION = "it answered 200 with JSON that is not a chat completion"
NO_JSON = "it answered 200 without JSON, or with truncated JSON"
NO_CHOICE = "it answered 200 without a choice"
NO_TEXT = "it answered 200 with content that is not text"
MESSAGES: list[tuple[Any, str]] = [
    ("408", "it answered 408: the request took too long"),
    ("503", "it answered 503: overloaded"),
    ("reset", "it closed the connection without an answer"),
    ("cut", "it closed the connection before the end of its answer"),
    ("html", "it answered 200 with a web page"),
    ("no-choices", NO_CHOICE),
    ("null-content", "it answered 200 without content or a reason"),
    ("short-json", NO_JSON),
    ("bad-gzip", "its answer is damaged gzip"),
    ("bad-utf8", "it answered 200 with bytes that are not UTF-8"),
    ("error-200", "it answered 502: upstream failed"),
    (Canned(gzip.compress(b" ") * 2, headers={"Content-Encoding": "gzip"}), "its answer is damaged gzip"),
    (Canned(gzip.compress(b"{}")[:-4], headers={"Content-Encoding": "gzip"}), "its answer is damaged gzip"),
    (Canned(b"...", headers={"Content-Encoding": "br"}), "its answer has a compression that was not requested"),
    (Canned(b"...", headers={"Content-Encoding": "gzip, gzip"}), "its answer has a compression that was not requested"),
    (Canned(FAILED_IN_CHOICE), "it answered 502: the provider failed"),
    *((Canned(body, status=503), message) for body, message in [
        ({"error": "just words"}, "it answered 503: just words"),
        ({"detail": "of FastAPI"}, "it answered 503: of FastAPI"),
        ({"detail": [{"msg": "x"}]}, 'it answered 503: [{"msg": "x"}]'),
        ({"message": "of vLLM"}, "it answered 503: of vLLM"),
        ([{"error": {"code": 503, "message": "of Gemini"}}], "it answered 503: of Gemini"),
        ({"error": None}, "it answered 503"),
        ([], "it answered 503"),
        (None, "it answered 503"),
        (b"", "it answered 503"),
        (b"plain words", "it answered 503: plain words"),
        (b"\xff words", "it answered 503: \ufffd words"),
        (b" " * (33 * 2**20), "it answered 503"),
        ({"error": {"message": {"deep": 1}, "code": {}, "type": [], "param": 3, "innererror": 1}},
         'it answered 503: {"deep": 1}'),
    ]),
    *((Canned(body), message) for body, message in [
        ([], NO_COMPLETION), (3, NO_COMPLETION), (None, NO_COMPLETION), ("text", NO_COMPLETION), (b"", NO_JSON),
        (b"[" * 100_000, NO_JSON), ({"choices": 3}, NO_COMPLETION), ({"choices": [3]}, NO_COMPLETION),
        ({"choices": [{}]}, NO_CHOICE), ({"choices": [{"message": {"content": 42}}]}, NO_TEXT),
        ({"choices": [{"message": {"content": {"text": "x"}}}]}, NO_TEXT),
        ({"choices": [{"message": {"content": [1, 2]}}]}, NO_TEXT),
        ({"choices": [{"message": "hello"}]}, NO_COMPLETION), ({"error": {"message": "x"}}, "it answered 500: x"),
        ({"error": "x"}, "it answered 500: x"), ({"error": {"code": 529}}, "it answered 529"),
        ({"error": {"code": "²²²"}}, "it answered 500"),
    ]),
]  # fmt: skip
"""The reply to each attempt, and what the record of the call says of the last one."""


@pytest.mark.parametrize(("reply", "message"), MESSAGES)
def test_a_fault_is_retried_and_then_recorded_with_what_the_last_attempt_met(
    reply: Any, message: str, server: FaultServer, tmp_path: Path
) -> None:
    server.next(reply, reply, "ok")
    asked = ask(tmp_path, endpoint(server.url, attempts=2), request(), request())
    assert isinstance(asked.outcomes[0], BackendError)
    assert str(asked.outcomes[0]) == f"no answer after 2 attempts; the last time, {message}"
    assert (asked.answer.text, len(server.seen), asked.meter.retries) == (EXPECTED, 3, 1)


@pytest.mark.parametrize("fault", sorted({*PASSING} - {"stall"}))
def test_a_call_is_answered_after_passing_faults(fault: str, server: FaultServer, tmp_path: Path) -> None:
    server.next(fault, fault)
    asked = ask(tmp_path, endpoint(server.url), request())
    assert asked.answer.text == EXPECTED
    assert (len(server.seen), asked.meter.retries, asked.meter.in_flight) == (3, 2, 0)
    assert asked.meter.rate_limited == (2 if fault.startswith("429") else 0)
    assert asked.notes == []


@pytest.mark.parametrize("fault", ["stall", "slow-body"])
def test_an_answer_that_takes_too_long_is_asked_for_again(fault: str, server: FaultServer, tmp_path: Path) -> None:
    server.next(fault)
    assert ask(tmp_path, endpoint(server.url, total=0.3, attempts=8), request()).answer.text == EXPECTED


@pytest.mark.parametrize("oddity", HARMLESS)
def test_an_odd_answer_is_an_answer(oddity: str, server: FaultServer, tmp_path: Path) -> None:
    server.next(oddity, oddity)
    asked = ask(tmp_path, endpoint(server.url), request(), request("Another."))
    assert len({outcome.text for outcome in asked.outcomes}) == 2
    assert (len(server.seen), asked.meter.retries) == (2, 0)


def test_a_call_that_times_out_says_after_how_long(server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = "slow-body"
    asked = ask(tmp_path, endpoint(server.url, attempts=2, total=0.03), request())
    assert str(asked.error).endswith("the last time, it gave no complete answer within 0.03 s")


@pytest.mark.parametrize("fault", ["huge", "bomb"])
def test_an_answer_that_is_too_large_fails_its_call_without_a_retry(
    fault: str, server: FaultServer, tmp_path: Path
) -> None:
    server.next(fault)
    asked = ask(tmp_path, endpoint(server.url), request(), request("Another."))
    assert str(asked.outcomes[0]) == "its answer is larger than 32 MiB"
    assert asked.answer.text
    assert len(server.seen) == 2


@pytest.mark.parametrize("depth", range(900, 1000, 5))
def test_an_error_is_read_however_deep_its_words_are_nested(depth: int) -> None:
    """At some depths Python parses JSON and cannot write it again."""
    body = b'{"error": {"message": ' + b"[" * depth + b"]" * depth + b"}}"
    with pytest.raises(Fault):
        read_completion(body, "m", 1.0, ())


def test_a_refused_connection_is_recorded_after_the_last_attempt(tmp_path: Path) -> None:
    with held_port() as port:
        asked = ask(tmp_path, endpoint(f"http://0.0.0.0:{port}", attempts=3), request())
    assert str(asked.error) == "no answer after 3 attempts; the last time, it refused the connection"
    assert asked.meter.retries == 2


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://nowhere.invalid/v1", "no answer after 1 attempt; the last time, its host name cannot be resolved"),
        ("http://two..dots/v1", "the host or port of its base URL, or of the proxy, is invalid; check its base URL"),
    ],
)
def test_an_unknown_or_invalid_host_is_reported(url: str, message: str, tmp_path: Path) -> None:
    assert message in str(ask(tmp_path, endpoint(url, attempts=1), request()).error)

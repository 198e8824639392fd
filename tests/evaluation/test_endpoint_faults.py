"""What an endpoint may do wrong in one attempt, and how the next one gets over it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support.endpoints import ask, endpoint, request
from support.fault_server import HARMLESS, PASSING, Canned, FaultServer, answer_to, completion
from support.ports import held_port

from nullbench_site.evaluation.backends.base import BackendError
from nullbench_site.evaluation.endpoints.completion import read_completion
from nullbench_site.evaluation.endpoints.faults import Fault

EXPECTED = answer_to({"model": "m", "messages": [{"role": "user", "content": "Say something."}]})


@pytest.mark.parametrize("fault", sorted({*PASSING} - {"stall"}))
def test_a_passing_fault_is_got_over(fault: str, server: FaultServer, tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("408", "it answered 408: the request took too long"),
        ("503", "it answered 503: overloaded"),
        ("reset", "it closed the connection without an answer"),
        ("cut", "it closed the connection before the end of its answer"),
        ("html", "it answered 200 with a web page"),
        ("no-choices", "it answered 200 without a choice"),
        ("null-content", "it answered 200 without content, and without a reason for that"),
        ("short-json", "it answered 200 with no JSON, or JSON cut short"),
        ("bad-gzip", "its answer came in gzip that is damaged"),
        ("bad-utf8", "it answered 200 with bytes that are not UTF-8"),
        ("error-200", "it answered 502: upstream failed"),
    ],
)
def test_a_call_that_never_gets_an_answer_says_what_the_last_attempt_met(
    fault: str, words: str, server: FaultServer, tmp_path: Path
) -> None:
    server.always["m"] = fault
    asked = ask(tmp_path, endpoint(server.url, attempts=2), request())
    assert isinstance(asked.error, BackendError)
    assert str(asked.error) == f"no answer after 2 attempts; the last time, {words}"
    assert len(server.seen) == 2


def test_a_call_that_times_out_says_after_how_long(server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = "slow-body"
    asked = ask(tmp_path, endpoint(server.url, attempts=2, total=0.03), request())
    assert str(asked.error).endswith("the last time, it gave no whole answer within 0.03 s")


@pytest.mark.parametrize("fault", ["huge", "bomb"])
def test_an_answer_without_end_fails_its_call_and_is_not_asked_for_again(
    fault: str, server: FaultServer, tmp_path: Path
) -> None:
    server.next(fault)
    asked = ask(tmp_path, endpoint(server.url), request(), request("Another."))
    assert str(asked.outcomes[0]) == "its answer is larger than 32 MiB"
    assert asked.answer.text
    assert len(server.seen) == 2


def test_an_answer_packed_as_nobody_asked_is_asked_for_again(server: FaultServer, tmp_path: Path) -> None:
    server.next(Canned(b"...", headers={"Content-Encoding": "br"}))
    assert ask(tmp_path, endpoint(server.url), request()).answer.text == EXPECTED


def test_gzip_of_a_million_parts_is_not_unpacked(server: FaultServer, tmp_path: Path) -> None:
    server.next(Canned(gzip.compress(b" ") * 1000, headers={"Content-Encoding": "gzip"}))
    asked = ask(tmp_path, endpoint(server.url, attempts=1), request())
    assert str(asked.error).endswith("its answer came in gzip that is damaged")


@pytest.mark.parametrize("depth", range(900, 1000, 5))
def test_an_error_is_read_however_deep_its_words_are_nested(depth: int) -> None:
    """At some depths Python reads JSON and cannot write it again."""
    body = b'{"error": {"message": ' + b"[" * depth + b"]" * depth + b"}}"
    with pytest.raises(Fault):
        read_completion(body, "m", 1.0, ())


def test_the_size_of_an_error_does_not_hide_its_status(server: FaultServer, tmp_path: Path) -> None:
    server.next(Canned(b" " * (33 * 2**20), status=503))
    asked = ask(tmp_path, endpoint(server.url), request())
    assert (asked.answer.text, asked.meter.retries) == (EXPECTED, 1)


def test_an_error_inside_a_choice_is_an_error(server: FaultServer, tmp_path: Path) -> None:
    made = completion({"model": "m"}, "")
    made["choices"][0]["error"] = {"code": 502, "message": "the provider failed"}
    server.next(Canned(made))
    assert ask(tmp_path, endpoint(server.url), request()).answer.text == EXPECTED


@pytest.mark.parametrize(
    "body",
    [
        {"error": "just words"}, {"detail": "of FastAPI"}, {"detail": [{"msg": "x"}]}, {"message": "of vLLM"},
        [{"error": {"code": 503, "message": "of Gemini"}}], {"error": None}, [], None, b"", b"plain words",
        b"[" * 100_000, {"error": {"message": {"deep": 1}, "code": {}, "type": [], "param": 3, "innererror": 1}},
    ],
)  # fmt: skip
def test_any_body_of_an_error_will_do(body: object, server: FaultServer, tmp_path: Path) -> None:
    server.next(Canned(body, status=503))
    assert ask(tmp_path, endpoint(server.url), request()).answer.text == EXPECTED


@pytest.mark.parametrize(
    "body",
    [
        [], 3, None, "text", b"", b"[" * 100_000, {"choices": 3}, {"choices": [3]}, {"choices": [{}]},
        {"choices": [{"message": {"content": 42}}]}, {"choices": [{"message": {"content": {"text": "x"}}}]},
        {"choices": [{"message": {"content": [1, 2]}}]}, {"choices": [{"message": "hello"}]},
        {"error": {"message": "x"}}, {"error": "x"}, {"error": {"code": 529}}, {"error": {"code": "²²²"}},
    ],
)  # fmt: skip
def test_whatever_is_no_completion_is_asked_for_again(body: object, server: FaultServer, tmp_path: Path) -> None:
    server.next(Canned(body))
    asked = ask(tmp_path, endpoint(server.url), request())
    assert (asked.answer.text, asked.meter.retries) == (EXPECTED, 1)


def test_a_refused_connection_is_tried_again_and_then_told(tmp_path: Path) -> None:
    with held_port() as port:
        asked = ask(tmp_path, endpoint(f"http://127.0.0.1:{port}", attempts=3), request())
    assert str(asked.error) == "no answer after 3 attempts; the last time, it refused the connection"
    assert asked.meter.retries == 2


def test_an_unknown_host_is_told(tmp_path: Path) -> None:
    asked = ask(tmp_path, endpoint("http://nowhere.invalid/v1", attempts=1), request())
    assert str(asked.error) == "no answer after 1 attempt; the last time, its host name is not known"


def test_a_host_name_that_can_be_none_stops_the_endpoint(tmp_path: Path) -> None:
    asked = ask(tmp_path, endpoint("http://two..dots/v1"), request())
    assert "its host or port, or that of the proxy of the environment, is none; check its base URL" in str(asked.error)

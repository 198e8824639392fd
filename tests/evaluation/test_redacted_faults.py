"""What is said of a fault that a private request met: everything but the server's words."""

from __future__ import annotations

import json

import pytest

from nullbench_site.evaluation.endpoints.faults import read_error, refused

WORDS = "Which of the two is older?"


@pytest.mark.parametrize("status", [400, 402, 403, 404, 408, 413, 422, 429, 500, 501, 503])
@pytest.mark.parametrize(
    "code", [None, "insufficient_quota", "content_filter", "context_length_exceeded", "model_not_found"]
)
def test_a_redacted_fault_is_the_same_without_the_words_of_the_server(status: int, code: str | None) -> None:
    body = json.dumps({"error": {"message": f"{WORDS} is no request", "code": code}}).encode()
    fault = refused(status, read_error(body), ())
    redacted = fault.redacted
    assert WORDS not in redacted.text + redacted.advice + str(redacted)
    assert (redacted.reach, redacted.status, redacted.kind, redacted.advice) == (
        fault.reach,
        fault.status,
        fault.kind,
        fault.advice,
    )
    if WORDS in fault.text:
        assert str(status) in redacted.text
        assert "message withheld: the item is private" in redacted.text


@pytest.mark.parametrize("status", [200, 400, 402, 404, 429, 503])
@pytest.mark.parametrize(
    "body",
    [
        WORDS, [WORDS], {"error": WORDS}, {"detail": WORDS}, {"message": {WORDS: WORDS}}, {"error": {"error": [WORDS]}},
        {"error": {"message": WORDS, "code": WORDS, "type": WORDS, "param": WORDS, "innererror": {"code": WORDS}}},
        {"error": {"message": f"{WORDS}: {WORDS}: it answered 429: {WORDS}.", "metadata": {"flagged_input": WORDS}}},
        {"detail": [{"loc": ["body", "messages"], "msg": "too long", "input": WORDS}]},
    ],
)  # fmt: skip
def test_wherever_a_server_puts_its_words_they_are_left_out(status: int, body: object) -> None:
    redacted = refused(status, read_error(json.dumps(body).encode()), ()).redacted
    assert WORDS not in repr(vars(redacted)) + str(redacted)


def test_a_fault_without_words_of_a_server_stays_as_it_is() -> None:
    fault = refused(503, read_error(b""), ())
    assert fault.redacted.text == fault.text == "it answered 503"

"""What is said of a fault that a private request met: everything but the server's words."""

from __future__ import annotations

import json

import pytest

from nullbench_site.evaluation.backends.openai.refusals import read_error, refused

SAID = "Which of the two is older?"


@pytest.mark.parametrize("status", [400, 402, 403, 404, 408, 413, 422, 429, 500, 501, 503])
@pytest.mark.parametrize(
    "code", [None, "insufficient_quota", "content_filter", "context_length_exceeded", "model_not_found"]
)
def test_a_quiet_fault_is_the_same_without_the_words_of_the_server(status: int, code: str | None) -> None:
    body = json.dumps({"error": {"message": f"{SAID} is no request", "code": code}}).encode()
    fault = refused(status, read_error(body), ())
    quiet = fault.quiet
    assert SAID not in quiet.text + quiet.advice + str(quiet)
    assert (quiet.reach, quiet.status, quiet.kind, quiet.advice) == (
        fault.reach,
        fault.status,
        fault.kind,
        fault.advice,
    )
    if SAID in fault.text:
        assert str(status) in quiet.text
        assert "its words are withheld, as the item is private" in quiet.text


@pytest.mark.parametrize("status", [200, 400, 402, 404, 429, 503])
@pytest.mark.parametrize(
    "body",
    [
        SAID, [SAID], {"error": SAID}, {"detail": SAID}, {"message": {SAID: SAID}}, {"error": {"error": [SAID]}},
        {"error": {"message": SAID, "code": SAID, "type": SAID, "param": SAID, "innererror": {"code": SAID}}},
        {"error": {"message": f"{SAID}: {SAID}: it answered 429: {SAID}.", "metadata": {"flagged_input": SAID}}},
        {"detail": [{"loc": ["body", "messages"], "msg": "too long", "input": SAID}]},
    ],
)  # fmt: skip
def test_wherever_a_server_puts_its_words_they_are_left_out(status: int, body: object) -> None:
    quiet = refused(status, read_error(json.dumps(body).encode()), ()).quiet
    assert SAID not in repr(vars(quiet)) + str(quiet)


def test_a_fault_without_words_of_a_server_stays_as_it_is() -> None:
    fault = refused(503, read_error(b""), ())
    assert fault.quiet.text == fault.text == "it answered 503"

"""Keys that a server repeats are removed from everything it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha512
from typing import Any

import pytest
from support.echoes import survivors, written
from support.endpoints import KEY, endpoint
from support.fault_server import completion

from nullbench_site.evaluation.endpoints.completion import read_completion
from nullbench_site.evaluation.endpoints.endpoint import resolve
from nullbench_site.evaluation.endpoints.faults import Fault, read_error, refused
from nullbench_site.evaluation.endpoints.redaction import redact

AWKWARD = "sk_\"a\\b/c+d=e&f<g>'h%i"
KEYS = {
    "short": "sk-1234",
    "of letters": "letmein",
    "usual": KEY,
    "with what formats escape": AWKWARD,
    "of a project": "sk-proj-" + sha512(b"1").hexdigest() + "-T3_xYz",
}
SHOWN = "; ".join(written(AWKWARD).values())
URL = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize("form", written("k"))
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_key_is_removed_in_every_form_and_the_text_around_it_stays(key: str, form: str) -> None:
    text = f"You sent ({written(key)[form]}), I think."
    assert form in survivors(text, key), "the search does not see what it is to look for"
    left = redact(text, (key,))
    assert survivors(left, key) == []
    assert left.startswith("You sent (")
    assert left.endswith("), I think.")
    assert "[key]" in left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("secret", "[key]"), ("_secret_", "_[key]_"), ("Bearer secret", "Bearer [key]"), ('"secret"', '"[key]"'),
        ("?key=secret&n=1", "?key=[key]&n=1"), ("key%3Dsecret%26", "key%3D[key]%26"), (r"\nsecret\n", r"\n[key]\n"),
        *((word, word) for word in ("secretary", "topsecret", "secrets", "secret2")),
    ],
)  # fmt: skip
def test_a_short_key_is_removed_where_it_is_a_word(text: str, left: str) -> None:
    assert redact(text, ("secret",)) == left


def test_a_key_within_a_longer_one_does_not_keep_that_from_being_removed() -> None:
    assert redact(f"{KEY}-and-more {KEY}", (KEY, f"{KEY}-and-more")) == "[key] [key]"


@pytest.mark.parametrize(
    ("message", "rest"),
    [
        ({"content": SHOWN}, {}),
        ({"content": [{"type": "text", "text": SHOWN[:40]}, SHOWN[40:]]}, {}),
        ({"content": None, "refusal": SHOWN}, {}),
        ({"content": "x", "reasoning_content": SHOWN}, {}),
        ({"content": "x", "reasoning": SHOWN}, {}),
        ({"content": f"<think>{SHOWN}</think>x"}, {}),
        ({"content": None, "tool_calls": [{"id": SHOWN, "function": {"name": SHOWN, "arguments": SHOWN}}]}, {}),
        ({"content": "x"}, {"model": SHOWN, "id": SHOWN, "system_fingerprint": SHOWN, "service_tier": SHOWN}),
        ({"content": "x", "role": SHOWN, "name": SHOWN}, {"usage": {SHOWN: SHOWN, "prompt_tokens": SHOWN}}),
    ],
)  # fmt: skip
def test_no_field_of_an_answer_keeps_a_key(message: Mapping[str, Any], rest: Mapping[str, Any]) -> None:
    body = {"choices": [{"message": message, "finish_reason": SHOWN}], **rest}
    assert survivors(repr(read_completion(json.dumps(body).encode(), "m", 1.0, (AWKWARD,))), AWKWARD) == []


@pytest.mark.parametrize("status", [400, 402, 403, 404, 413, 422, 429, 500])
@pytest.mark.parametrize(
    "body",
    [
        SHOWN, {"error": SHOWN}, {"detail": SHOWN}, [{"error": {"message": SHOWN}}],
        {"error": {"message": SHOWN, "code": SHOWN, "type": SHOWN, "param": SHOWN}},
        {"detail": [{"loc": ["body"], "msg": AWKWARD, "input": {"authorization": AWKWARD}}]},
    ],
)  # fmt: skip
def test_no_part_of_a_fault_keeps_a_key(status: int, body: object) -> None:
    fault = refused(status, read_error(json.dumps(body).encode()), (AWKWARD,))
    assert survivors(repr(vars(fault)) + str(fault), AWKWARD) == []


def test_the_name_of_a_model_is_one_short_line_without_control_characters() -> None:
    name = "m\n\x1b[31m\u202egpt\u2066 \u2028\x85\x9b\x00" + "x" * 10**6
    served = read_completion(json.dumps(completion({"model": name}, "x")).encode(), "m", 1.0, ()).served_model
    assert served.startswith("m [31m gpt xxx")
    assert served.isprintable()
    assert len(served) <= 300


@pytest.mark.parametrize("key", ["EMPTY", "ollama", "none", "x", "lm-studio"])
def test_a_placeholder_is_sent_and_stays_in_answers(key: str) -> None:
    address = resolve(endpoint(URL, key_env="THE_KEY"), {"THE_KEY": key})
    assert address.headers["Authorization"] == f"Bearer {key}"
    assert redact(f"An {key} list.", address.secrets) == f"An {key} list."


@pytest.mark.parametrize("key", ["sk-1", "12345", "ab"])
def test_a_key_too_short_to_be_removed_is_refused(key: str) -> None:
    with pytest.raises(Fault, match="the key in THE_KEY has fewer than 6 characters") as met:
        resolve(endpoint(URL, key_env="THE_KEY"), {"THE_KEY": key})
    assert (met.value.reach, met.value.field) == ("endpoint", "key_env")
    assert key not in str(met.value) + met.value.advice
    with pytest.raises(Fault, match="its base URL has a password of fewer than 6 characters"):
        resolve(endpoint(URL.replace("//", f"//somebody:{key}@")), {})


def test_user_and_password_of_a_url_are_removed_apart_and_together() -> None:
    address = resolve(endpoint(URL.replace("//", "//somebody:pass%20w%C3%B6rd@")), {})
    sent = address.headers["Authorization"]
    for text in (sent, "somebody", "pass wörd", "pass%20w%c3%b6rd", "pass w\\u00f6rd"):
        assert "[key]" in redact(text, address.secrets)
    assert redact(sent, address.secrets) == "Basic [key]"


# What is said of a fault that a private request met: everything but the server's words


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

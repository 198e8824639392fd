"""What stops an endpoint, or one model at it: one message that says where, what and what to do; the others go on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.endpoints import KEY, CallResult, Endpoints, ask, endpoint, outcomes_of, request
from support.fault_server import Canned, FaultServer

from nullbench_site.evaluation.backends.base import BackendError, Connection, UnavailableError
from nullbench_site.judging.calls import Answer


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OTHER_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("THE_KEY", KEY)


def refusing(status: int, message: str, **more: Any) -> Canned:
    return Canned({"error": {"message": message, "type": "x", "code": None, **more}}, status=status)


@pytest.mark.parametrize(
    ("spec", "sent"),
    [
        ({"key_env": "THE_KEY"}, {"Authorization": f"Bearer {KEY}"}),
        ({"key_env": "THE_KEY", "key_header": "api-key"}, {"api-key": KEY, "Authorization": None}),
        ({"headers": {"X-Team": "blue"}}, {"X-Team": "blue", "Authorization": None}),
    ],
)
def test_key_and_headers_of_the_spec_are_sent_and_nothing_of_the_environment(
    spec: dict[str, Any],
    sent: dict[str, str | None],
    server: FaultServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-somebody")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "admin-of-somebody")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-somebody")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Key: of-somebody\nAuthorization: Bearer of-somebody")
    ask(tmp_path, endpoint(server.url, query={"api-version": "2026-01-01"}, **spec), request())
    headers = server.seen[0].headers
    assert {name: headers.get(name) for name in sent} == sent
    assert "somebody" not in str(headers)
    assert "stainless" not in str(headers).lower()
    assert server.seen[0].path == "/v1/chat/completions?api-version=2026-01-01"


def test_the_endpoint_of_those_that_name_none_is_that_of_the_environment(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-ours")
    endpoints = Endpoints(tmp_path, ())

    async def put(connection: Connection) -> list[object]:
        return list(await outcomes_of(connection, [request()], "openai"))

    assert isinstance(endpoints.run(put)[0], Answer)
    assert server.seen[0].headers["Authorization"] == f"Bearer {KEY}"
    assert server.seen[0].headers["OpenAI-Organization"] == "org-ours"


@pytest.mark.parametrize(
    ("key", "found"),
    [
        (None, "the variable OTHER_KEY, for its key, is not set"),
        ("", "the variable OTHER_KEY, for its key, is not set"),
        ("sk-abc\n", "the key in OTHER_KEY has a space, a line break or a character outside ASCII"),
        ("sk-äbc", "the key in OTHER_KEY has a space, a line break or a character outside ASCII"),
    ],
)
def test_a_key_that_is_none_stops_its_endpoint_before_any_request(
    key: str | None, found: str, server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if key is not None:
        monkeypatch.setenv("OTHER_KEY", key)
    endpoints = Endpoints(tmp_path, (endpoint(server.url, key_env="OTHER_KEY"), endpoint(server.url, "other")))

    async def put(connection: Connection) -> tuple[list[Any], Any]:
        stopped = await outcomes_of(connection, [request(), request("Another.")])
        return stopped, await outcomes_of(connection, [request()], "other")

    stopped, (other,) = endpoints.run(put)
    assert isinstance(other, Answer)
    line = endpoints.line_of("key_env")
    assert str(stopped[0]).startswith(f"specs/endpoints.yaml:{line}:")
    assert f"endpoint 'local' stopped: {found}; set it" in str(stopped[0])
    assert [type(outcome) for outcome in stopped] == [UnavailableError] * 2
    assert endpoints.notes == [str(stopped[0])] == [str(stopped[1])]
    assert len(server.seen) == 1
    assert "abc" not in endpoints.notes[0]
    assert "bc" not in endpoints.notes[0].split("OTHER_KEY")[1]


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("", "the variable THE_URL, for its base URL, is not set"),
        ("localhost:1234", "the base URL in THE_URL is not a URL; write it as https://host/v1"),
        ("https://", "the base URL in THE_URL is not a URL"),
        ("https://host:port/v1", "the base URL in THE_URL is not a URL"),
        ("https://[::1/v1", "the base URL in THE_URL is not a URL"),
        ("ftp://host/v1", "the base URL in THE_URL is not a URL"),
        ("https://a host/v1", "the base URL in THE_URL is not a URL"),
        ("https://host/v1?key=abc", "the base URL in THE_URL has more than a path after its host"),
        ("https://host/v1/chat/completions", "the base URL in THE_URL ends in /chat/completions; leave that out"),
    ],
)
def test_a_base_url_that_is_none_stops_its_endpoint(
    url: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_URL", url)
    asked = ask(tmp_path, endpoint(None, base_url_env="THE_URL"), request())
    assert isinstance(asked.error, UnavailableError)
    assert f"endpoint 'local' stopped: {found}" in str(asked.error)
    assert asked.notes == [str(asked.error)]
    assert "abc" not in str(asked.error)


def stopped(asked: CallResult) -> str:
    """The one message of an endpoint or a model that stopped, which all its calls and the user got."""
    assert isinstance(asked.error, UnavailableError)
    message = str(asked.error)
    assert {str(outcome) for outcome in asked.outcomes if not isinstance(outcome, Answer)} == {message}
    assert asked.notes == [message]
    assert asked.meter.stopped == message
    return message


KEYED = {"key_env": "THE_KEY"}
DAY = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "50000"}


@pytest.mark.parametrize(
    ("fault", "spec", "words"),
    [
        ("401", KEYED, "the key in THE_KEY was rejected (401); set a valid key, then build again"),
        ("401", {}, "it requires a key (401); name its variable in key_env"),
        ("402", {}, "it asks for payment (it answered 402: Payment required); top up the account, then build again"),
        ("404", {}, "it has no such model (it answered 404: The model does not exist); set `model` to one that it has"),
        ("quota", {}, "its quota is used up (it answered 429: You exceeded your current quota); top up"),
        ("quota-200", {}, "its quota is used up (it answered 429: no credit)"),
        ("429-day", {}, "it asks to wait 86400 s (it answered 429: come back tomorrow); build again after that"),
        (Canned({"error": "free models: 50 a day"}, 429, DAY),
         {}, "it asks to wait 50000 s (it answered 429: free models: 50 a day); build again after that"),
    ],
)  # fmt: skip
def test_what_no_further_attempt_can_change_stops_its_model_at_once_and_no_other(
    fault: Any, spec: dict[str, Any], words: str, server: FaultServer, tmp_path: Path
) -> None:
    """Behind a gateway a key, a quota or a limit may be that of one model."""
    server.always["m"] = fault
    asked = ask(tmp_path, endpoint(server.url, **spec), request(), request(model="other"), request("Another."))
    assert f"model 'm' at endpoint 'local' stopped: {words}" in stopped(asked)
    assert isinstance(asked.outcomes[1], Answer)
    assert [seen.body["model"] for seen in server.seen] == ["m", "other"]


@pytest.mark.parametrize("location", ["/elsewhere", "https://a..b/", "//%/", "//ß@//", ""])
def test_a_redirect_stops_the_endpoint_at_once(location: str, server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = Canned({}, status=307, headers={"Location": location})
    message = stopped(ask(tmp_path, endpoint(server.url), request(), request(), request(model="other")))
    assert "endpoint 'local' stopped: it redirects elsewhere (307); set its base URL to the new address" in message
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("400", "it answered 400: this request is malformed; correct its spec"),
        ("403", "it answered 403: not from your country; check the permissions of its key"),
        ("422", "it answered 422: unprocessable"),
        ("501", "it answered 501: not implemented"),
        (refusing(400, "no temperature", param="temperature"),
         "it answered 400: no temperature; set `temperature: null` in its decoding"),
        (refusing(404, "nothing here"), "it answered 404: nothing here; correct its spec"),
        (refusing(405, "nothing here"), "it answered 405: nothing here; correct its spec"),
    ],
)  # fmt: skip
def test_a_model_that_refuses_a_small_request_too_stops_and_no_other(
    fault: Any, words: str, server: FaultServer, tmp_path: Path
) -> None:
    server.always["m"] = fault
    wanted = request(params={"top_p": 0.5}, max_tokens=50)
    asked = ask(tmp_path, endpoint(server.url), wanted, request(), request(model="other"))
    assert isinstance(asked.answer, Answer)
    assert f"model 'm' at endpoint 'local' stopped: {words}" in asked.notes[0]
    assert (asked.meter.stopped, asked.meter.models_stopped) == (asked.notes[0], 1)
    assert [str(outcome) for outcome in asked.outcomes[:2]] == asked.notes * 2
    first, probe, other = (dict(seen.body) for seen in server.seen)
    assert other["model"] == "other"
    assert first.pop("messages") != probe.pop("messages")
    assert first == probe


def test_a_base_url_without_v1_is_suspected_if_the_server_does_not_know_the_path(
    server: FaultServer, tmp_path: Path
) -> None:
    asked = ask(tmp_path, endpoint(server.url.removesuffix("/v1")), request())
    assert "it answered 404: Not Found; its base URL does not end in /v1" in stopped(asked)


def test_a_filtered_request_is_an_answer_that_was_withheld(server: FaultServer, tmp_path: Path) -> None:
    server.next("filter", refusing(403, "flagged", metadata={"flagged_input": "..."}))
    asked = ask(tmp_path, endpoint(server.url), request(), request(), request("Another."))
    assert [outcome.ended for outcome in asked.outcomes] == ["content_filter", "content_filter", "stop"]
    assert asked.notes == []


def test_an_endpoint_that_went_away_is_down_after_some_calls_in_a_row(server: FaultServer, tmp_path: Path) -> None:
    spec = endpoint(server.url.replace("127.0.0.1", "0.0.0.0"), attempts=2, concurrency=4)  # noqa: S104 - as if it were elsewhere
    endpoints = Endpoints(tmp_path, (spec,))

    async def put(connection: Connection) -> tuple[list[Any], list[Any]]:
        before = await outcomes_of(connection, [request()])
        await asyncio.to_thread(server.go_away)
        return before, await outcomes_of(connection, [request(f"Number {n}.") for n in range(50)])

    (before,), after = endpoints.run(put)
    assert isinstance(before, Answer)
    given_up = [outcome for outcome in after if isinstance(outcome, BackendError)]
    never_put = [outcome for outcome in after if isinstance(outcome, UnavailableError)]
    assert len(given_up) + len(never_put) == 50
    assert 4 <= len(given_up) < 20
    (message,) = {str(outcome) for outcome in never_put}
    words = "endpoint 'local' stopped: 4 calls in a row got no answer, the last because it refused the connection"
    assert f"{words}; build again when it is back" in message
    assert endpoints.notes == [message]


def test_an_answer_in_between_shows_that_the_endpoint_is_there(server: FaultServer, tmp_path: Path) -> None:
    server.next(*(["503", "503", "ok"] * 4))
    requests = [request(f"Number {n}.") for n in range(12)]
    asked = ask(tmp_path, endpoint(server.url, attempts=1, concurrency=1), *requests)
    assert [isinstance(outcome, Answer) for outcome in asked.outcomes] == [False, False, True] * 4
    assert asked.meter.stopped is None


def test_a_stopped_endpoint_ends_the_waits_of_its_other_calls(server: FaultServer, tmp_path: Path) -> None:
    server.always |= {"busy": Canned({}, status=503, headers={"Retry-After": "500"}), "m": "redirect"}
    endpoints = Endpoints(tmp_path, (endpoint(server.url),))

    async def put(connection: Connection) -> list[Any]:
        return await outcomes_of(connection, [request(model="m"), request(model="busy"), request(model="busy")])

    outcomes = endpoints.run(put)
    assert {str(outcome) for outcome in outcomes} == {endpoints.notes[0]}


def test_no_message_contains_a_key_or_a_password(server: FaultServer, tmp_path: Path) -> None:
    with_password = server.url.replace("http://", "http://somebody:pass%20word@")
    for status in (400, 403, 503):
        server.always["m"] = refusing(status, f"wrong: {KEY} and pass word and pass%20word\n\x1b[31m" + "a" * 210 + KEY)
        spec = endpoint(with_password, key_env="THE_KEY", key_header="api-key", attempts=1)
        asked = ask(tmp_path, spec, request())
        told = "\n".join([*asked.notes, repr(asked.error), str(asked.error.__cause__)])
        assert "wrong: [key] and [key] and [key]" in told
        assert not [secret for secret in (KEY[:4], "pass word", "pass%20word", "\x1b") if secret in told]


def test_a_url_with_a_password_and_a_key_are_too_much_for_one_header(server: FaultServer, tmp_path: Path) -> None:
    url = server.url.replace("http://", "http://somebody:password@")
    message = stopped(ask(tmp_path, endpoint(url, key_env="THE_KEY"), request()))
    assert "its base URL has a user or password, and there is a key as well; leave one of them out" in message
    assert "somebody" not in message

"""What is sent, and how it is asked for in another way when an endpoint refuses the first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.endpoints import SCHEMA, ask, endpoint, judging, request
from support.fault_server import Canned, FaultServer

from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.endpoints.backend import OpenAIBackend
from nullbench_site.judging.calls import Answer


def forms(server: FaultServer) -> list[str | None]:
    """The response formats of the requests, in their order."""
    return [seen.body.get("response_format", {}).get("type") for seen in server.seen]


def test_a_body_holds_what_the_request_says_and_no_more(server: FaultServer, tmp_path: Path) -> None:
    ask(tmp_path, endpoint(server.url), request(params={"top_p": 0.5}, max_tokens=50))
    assert server.seen[0].body == {
        "model": "m", "messages": [{"role": "user", "content": "Say something."}], "temperature": 0.0,
        "max_tokens": 50, "top_p": 0.5,
    }  # fmt: skip


def test_what_a_request_leaves_open_is_not_sent(server: FaultServer, tmp_path: Path) -> None:
    ask(tmp_path, endpoint(server.url), request(temperature=None))
    assert set(server.seen[0].body) == {"model", "messages"}


def test_a_judge_is_asked_with_the_schema_of_its_reply(server: FaultServer, tmp_path: Path) -> None:
    asked = ask(tmp_path, endpoint(server.url), judging())
    assert set(json.loads(asked.answer.text)) == {"score"}
    assert server.seen[0].body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
    }


@pytest.mark.parametrize(
    ("refused", "replies", "expected"),
    [
        ({"json_schema"}, [], ["json_schema", "json_object", "json_object"]),
        ({"json_schema", "json_object"}, [], ["json_schema", "json_object", None, None]),
        # A fault in between does not forget the form.
        ({"json_schema"}, ["503", "ok", "503", "cut"], ["json_schema"] * 2 + ["json_object"] * 4),
        *((set(), [Canned({"error": {"message": "no such thing"}}, status)], ["json_schema"] + ["json_object"] * 2)
          for status in (400, 404, 422, 501)),
    ],
)  # fmt: skip
def test_a_refused_form_falls_back_to_the_next_which_is_remembered(
    refused: set[str], replies: list[Any], expected: list[str | None], server: FaultServer, tmp_path: Path
) -> None:
    server.refuses |= refused
    server.next(*replies)
    asked = ask(tmp_path, endpoint(server.url), judging("One."), judging("Two."))
    assert all(isinstance(outcome, Answer) for outcome in asked.outcomes)
    assert forms(server) == expected
    assert (asked.meter.retries, asked.notes) == (sum(reply in ["503", "cut"] for reply in replies), [])


LETTER = replace(request("Write the one letter m or M."), top_logprobs=5)


def test_log_probabilities_of_the_first_token_are_asked_for_where_a_request_wants_them(
    server: FaultServer, tmp_path: Path
) -> None:
    answer = ask(tmp_path, endpoint(server.url), LETTER).answer
    assert (server.seen[0].body["logprobs"], server.seen[0].body["top_logprobs"]) == (True, 5)
    assert answer.logprobs is not None
    assert list(answer.logprobs) == [answer.text, f" {answer.text}", answer.text.swapcase()]


def test_refused_log_probabilities_are_no_more_asked_for(server: FaultServer, tmp_path: Path) -> None:
    server.refuses.add("logprobs")
    answer = ask(tmp_path, endpoint(server.url), LETTER, replace(LETTER, sample=1)).answer
    assert [seen.body.get("logprobs") for seen in server.seen] == [True, None, None]
    assert (answer.text in {"m", "M"}, answer.logprobs) == (True, None)


def test_a_contestant_is_asked_for_the_log_probabilities_of_its_answer_alone(
    server: FaultServer, tmp_path: Path
) -> None:
    answer = ask(tmp_path, endpoint(server.url), request(logprobs=True)).answer
    body = server.seen[0].body
    assert (body["logprobs"], "top_logprobs" in body, answer.confidence) == (True, False, 0.6)


def test_an_endpoint_without_log_probabilities_answers_without_a_confidence(
    server: FaultServer, tmp_path: Path
) -> None:
    server.refuses.add("logprobs")
    asked = ask(tmp_path, endpoint(server.url), request(logprobs=True), request("Another.", logprobs=True))
    assert [seen.body.get("logprobs") for seen in server.seen] == [True, None, None]
    assert (asked.answer.confidence, asked.notes) == (None, [])


def test_first_requests_put_together_each_fall_back_and_none_is_lost(server: FaultServer, tmp_path: Path) -> None:
    server.refuses |= {"json_schema", "json_object"}
    requests = [judging(f"Number {number}.") for number in range(20)]
    asked = ask(tmp_path, endpoint(server.url, concurrency=20), *requests, together=True)
    assert all(isinstance(outcome, Answer) for outcome in asked.outcomes)


def test_what_is_refused_in_every_form_is_remembered_in_none(server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = "422"
    asked = ask(tmp_path, endpoint(server.url), judging(), judging("Another."))
    assert isinstance(asked.error, UnavailableError)
    assert forms(server) == ["json_schema", "json_object", None] * 2, "a small request is tried in every form as well"
    assert len(asked.notes) == 1


def test_an_unknown_model_is_not_asked_in_other_forms(server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = "404"
    ask(tmp_path, endpoint(server.url), judging())
    assert forms(server) == ["json_schema"]


def test_max_completion_tokens_is_sent_where_max_tokens_is_refused(server: FaultServer, tmp_path: Path) -> None:
    server.refuses |= {"max_tokens", "json_schema"}
    asked = ask(tmp_path, endpoint(server.url), request(max_tokens=9), request("Another.", max_tokens=9))
    assert asked.answer.text
    limits = [{name for name in seen.body if name.startswith("max")} for seen in server.seen]
    assert limits == [{"max_tokens"}, {"max_completion_tokens"}, {"max_completion_tokens"}]


@pytest.mark.parametrize(
    "name", ["model", "messages", "temperature", "max_tokens", "max_completion_tokens", "n", "stream", "tools",
             "response_format"],
)  # fmt: skip
def test_params_that_are_set_elsewhere_are_refused_and_the_place_is_told(name: str) -> None:
    problem = OpenAIBackend().params_problem("m", {name: 1})
    assert problem is not None
    assert f"param {name!r} cannot be set here; " in problem


def test_any_other_param_is_the_servers_affair() -> None:
    assert OpenAIBackend().params_problem("m", {"top_p": 0.5, "reasoning_effort": "low", "seed": 3}) is None

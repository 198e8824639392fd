"""A refused request is its own failure while its model answers others; where a small one is refused too, it stops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.endpoints import SCHEMA, Endpoints, ask, endpoint, outcomes_of, request
from support.fault_server import Canned, FaultServer

from nullbench_site.evaluation.backends.base import BackendError, Connection, UnavailableError
from nullbench_site.judging.calls import Answer

LONG = "word " * 200
TOO_LONG = {
    "openai": (400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 213462."),
    "openai-responses": (400, "Your input exceeds the context window of this model."),
    "anthropic": (400, "prompt is too long: 213462 tokens > 200000 maximum"),
    "anthropic-output": (400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
    "gemini": (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    "llama.cpp": (400, "the request exceeds the available context size, try increasing it"),
    "llama.cpp-500": (500, "the request exceeds the available context size"),
    "vllm": (400, "The decoder prompt (length 9000) is longer than the maximum model length of 4096."),
    "sglang": (400, "The input (9000 tokens) is longer than the model's context length (4096 tokens)."),
    "xai": (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    "bedrock": (400, "Input is too long for requested model."),
    "a gateway": (422, "litellm.ContextWindowExceededError: prompt is too long: 9000 tokens > 8000 maximum"),
}


def error(status: int, message: str, **more: Any) -> Canned:
    return Canned({"error": {"message": message, "code": None, **more}}, status=status)


def models_asked(server: FaultServer) -> int:
    """How many requests there were but for the small ones that were put to find out about a model."""
    return sum("hello" not in seen.body["messages"][0]["content"] for seen in server.seen)


@pytest.mark.parametrize("vendor", TOO_LONG)
def test_a_request_that_is_too_long_fails_alone_in_the_words_of_every_vendor(
    vendor: str, server: FaultServer, tmp_path: Path
) -> None:
    server.longest["m"] = (500, error(*TOO_LONG[vendor]))
    asked = ask(tmp_path, endpoint(server.url), request(LONG), request("Another."))
    assert isinstance(asked.outcomes[0], BackendError)
    assert str(asked.outcomes[0]).startswith("the request is too long for the model (it answered ")
    assert isinstance(asked.answer, Answer)
    assert asked.notes == []
    assert models_asked(server) == 2


def test_too_long_is_known_by_the_type_of_the_error_too(server: FaultServer, tmp_path: Path) -> None:
    server.longest["m"] = (500, error(400, "no", type="exceed_context_size_error", n_ctx=4096))
    asked = ask(tmp_path, endpoint(server.url), request(LONG))
    assert str(asked.error) == "the request is too long for the model (it answered 400: no)"


def test_a_limit_on_tokens_a_minute_is_no_limit_on_length(server: FaultServer, tmp_path: Path) -> None:
    server.next(error(429, "tokens per minute exceeded; a smaller context window helps"))
    assert ask(tmp_path, endpoint(server.url), request()).answer.text


@pytest.mark.parametrize("status", [400, 403, 404, 405, 413, 418, 422, 501])
def test_a_refusal_in_unknown_words_fails_its_request_alone(status: int, server: FaultServer, tmp_path: Path) -> None:
    server.longest["m"] = (500, error(status, "we would rather not"))
    asked = ask(tmp_path, endpoint(server.url), request("One."), request(LONG), request("Another."))
    assert [type(outcome) for outcome in asked.outcomes] == [Answer, BackendError, Answer]
    assert f"it answered {status}: we would rather not" in str(asked.outcomes[1])
    assert asked.notes == []
    assert len(server.seen) == 3, "after an answer nothing has to be found out"


def test_before_the_first_answer_one_small_request_tells_a_bad_request_from_a_bad_spec(
    server: FaultServer, tmp_path: Path
) -> None:
    server.longest["m"] = (500, "422")
    requests = [request(f"{LONG}{number}") for number in range(8)]
    asked = ask(tmp_path, endpoint(server.url), *requests, together=True)
    assert {str(outcome) for outcome in asked.outcomes} == {"it answered 422: unprocessable"}
    assert {type(outcome) for outcome in asked.outcomes} == {BackendError}
    assert asked.notes == []
    assert (len(server.seen), models_asked(server)) == (9, 8)


def test_no_call_of_a_bad_spec_fails_and_few_are_put(server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = "400"
    requests = [request(f"Number {number}.") for number in range(200)]
    asked = ask(tmp_path, endpoint(server.url, concurrency=4), *requests, together=True)
    assert {type(outcome) for outcome in asked.outcomes} == {UnavailableError}
    assert {str(outcome) for outcome in asked.outcomes} == set(asked.notes)
    assert asked.notes[0].endswith(
        "stopped: it answered 400: this request is malformed; correct its spec, then build again"
    )
    assert len(server.seen) <= 3 * 4


def test_a_model_that_takes_no_small_request_either_may_leave_no_room_for_an_answer(
    server: FaultServer, tmp_path: Path
) -> None:
    server.always["m"] = "too-long"
    asked = ask(tmp_path, endpoint(server.url), request(max_tokens=100_000))
    assert isinstance(asked.error, UnavailableError)
    assert "the request is too long for the model" in asked.notes[0]
    assert asked.notes[0].endswith("; lower max_tokens in its decoding, then build again")


def test_a_model_that_comes_to_refuse_everything_stops_after_some_calls(server: FaultServer, tmp_path: Path) -> None:
    endpoints = Endpoints(tmp_path, (endpoint(server.url, concurrency=4),))

    async def put(connection: Connection) -> list[Any]:
        await outcomes_of(connection, [request()])
        server.always["m"] = "400"
        return await outcomes_of(connection, [request(f"Number {number}.") for number in range(50)])

    outcomes = endpoints.run(put)
    failed = [outcome for outcome in outcomes if isinstance(outcome, BackendError)]
    left = [outcome for outcome in outcomes if isinstance(outcome, UnavailableError)]
    assert len(failed) == 3
    assert len(failed) + len(left) == 50
    assert len(endpoints.notes) == 1


@pytest.mark.parametrize("fault", ["500", "400"])
def test_many_bad_requests_in_a_row_do_not_stop_a_model_that_answers_others(
    fault: str, server: FaultServer, tmp_path: Path
) -> None:
    server.longest["m"] = (500, fault)
    requests = [*(request(f"{LONG}{number}") for number in range(12)), request("Another.")]
    asked = ask(tmp_path, endpoint(server.url, attempts=1, concurrency=1), *requests)
    assert [type(outcome) for outcome in asked.outcomes] == [BackendError] * 12 + [Answer]
    assert asked.notes == []
    assert models_asked(server) == 13


def test_a_judge_that_takes_no_schema_is_found_out_about_in_the_forms_it_takes(
    server: FaultServer, tmp_path: Path
) -> None:
    server.refuses.add("json_schema")
    server.longest["m"] = (500, "422")
    asked = ask(tmp_path, endpoint(server.url), request(LONG, schema=SCHEMA), request("Judge this.", schema=SCHEMA))
    assert isinstance(asked.outcomes[0], BackendError)
    assert isinstance(asked.answer, Answer)
    assert asked.notes == []


def test_what_could_not_be_found_out_is_found_out_with_the_next_refusal(server: FaultServer, tmp_path: Path) -> None:
    server.next("400", "503", "400", "400")
    asked = ask(tmp_path, endpoint(server.url, attempts=1), request(), request("Another."))
    assert [type(outcome) for outcome in asked.outcomes] == [BackendError, UnavailableError]

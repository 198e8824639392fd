"""Several models behind one endpoint: what one of them does wrong costs the others nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.endpoints import CallResult, Endpoints, ask, endpoint, judge, outcomes_of, request, until
from support.fault_server import Canned, FaultServer
from support.live import JUDGES, live_repository
from support.ports import held_port
from support.repositories import ITEMS, build, run_dir

from nullbench_site.evaluation.backends.base import BackendError, Connection, UnavailableError
from nullbench_site.judging.calls import Answer
from nullbench_site.runs.manifest import read_manifest
from nullbench_site.specs.types import Limits

WAIT = Canned({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "500"})


def together(folder: Path, server: FaultServer, calls: int, *, attempts: int = 2) -> dict[str, list[Any]]:
    """What becomes of so many requests to each of three models, put at once."""
    models = ("dead", "one", "two")
    requests = [request(f"Number {number}.", model) for number in range(calls) for model in models]
    asked = ask(folder, endpoint(server.url, attempts=attempts), *requests, together=True)
    assert sum(note.count("stopped") for note in asked.notes) <= 1
    return {model: asked.outcomes[number :: len(models)] for number, model in enumerate(models)}


@pytest.mark.parametrize(
    "fault",
    [
        *("429", "reset", "html", "quota", "401", "404", "400"),
        *(
            pytest.param(each, marks=pytest.mark.sweep)
            for each in ("500", "cut", "null-content", "402", "403", "429-day")
        ),
    ],
)
def test_a_model_that_never_answers_is_given_up_and_the_others_finish(
    fault: str, server: FaultServer, tmp_path: Path
) -> None:
    server.always["dead"] = fault
    outcomes = together(tmp_path, server, 30)
    assert {type(outcome) for outcome in outcomes["one"] + outcomes["two"]} == {Answer}
    left = {str(outcome) for outcome in outcomes["dead"] if isinstance(outcome, UnavailableError)}
    assert len(left) == 1
    assert "model 'dead' at endpoint 'local' stopped: " in left.pop()
    assert sum(isinstance(outcome, BackendError) for outcome in outcomes["dead"]) < 8


def test_the_message_of_a_model_that_is_given_up_says_after_how_many_calls_and_why(
    server: FaultServer, tmp_path: Path
) -> None:
    server.always["dead"] = "429"
    requests = [request(f"Number {number}.", "dead") for number in range(12)]
    asked: CallResult = ask(tmp_path, endpoint(server.url, attempts=2), *requests)
    (note,) = asked.notes
    words = "stopped: 8 calls in a row got no answer, the last because it answered 429: slow down; build again when it"
    assert words in note
    assert [type(outcome) for outcome in asked.outcomes] == [BackendError] * 7 + [UnavailableError] * 5
    assert len(server.seen) == 8 * 2 + 1


@pytest.mark.parametrize("pause", [WAIT, Canned({}, status=503, headers={"Retry-After": "500"})])
def test_a_pause_that_one_model_asks_for_holds_no_other(pause: Canned, server: FaultServer, tmp_path: Path) -> None:
    server.always["dead"] = pause
    endpoints = Endpoints(tmp_path, (endpoint(server.url),))

    async def put(connection: Connection) -> tuple[list[Any], list[Any]]:
        dead = asyncio.create_task(connection.asker(judge("dead")).ask(request(model="dead")))
        await until(lambda: len(server.seen) == 1)
        others = await outcomes_of(connection, [request(f"Number {n}.", "one") for n in range(20)])
        endpoints.context.draining.set()
        return await asyncio.gather(dead, return_exceptions=True), others

    (waiting,), others = endpoints.run(put)
    assert isinstance(waiting, UnavailableError)
    assert {type(outcome) for outcome in others} == {Answer}


def test_the_slots_a_busy_model_loses_are_its_own(server: FaultServer, tmp_path: Path) -> None:
    server.always["dead"] = "429"
    server.gather = 8
    spec = endpoint(server.url, limits=Limits(concurrency=8, attempts=20, first_wait=60.0))
    endpoints = Endpoints(tmp_path, (spec,))

    async def put(connection: Connection) -> None:
        dead = [asyncio.create_task(connection.asker(judge("dead")).ask(request(f"{n}", "dead"))) for n in range(8)]
        await until(lambda: connection.asker(judge("dead")).meter.rate_limited == 8)
        server.forget()
        await outcomes_of(connection, [request(f"Number {n}.", "one") for n in range(16)])
        endpoints.context.draining.set()
        await asyncio.gather(*dead, return_exceptions=True)

    endpoints.run(put)
    assert server.max_in_flight == 8


def test_connections_that_do_not_come_about_are_the_endpoints_affair_whatever_the_model(tmp_path: Path) -> None:
    requests = [request(f"Number {number}.", f"model-{number}") for number in range(12)]
    with held_port() as port:
        asked = ask(tmp_path, endpoint(f"http://0.0.0.0:{port}", attempts=2, concurrency=4), *requests)
    assert [type(outcome) for outcome in asked.outcomes] == [BackendError] * 4 + [UnavailableError] * 8
    (note,) = asked.notes
    assert "endpoint 'local' stopped: 4 calls in a row got no answer, the last because it refused the connecti" in note


def test_a_contestant_and_a_judge_of_one_model_stop_apart(server: FaultServer, tmp_path: Path) -> None:
    """They may be asked with other params: those of one may be wrong."""
    server.always["m"] = "400"
    endpoints = Endpoints(tmp_path, (endpoint(server.url),))

    async def put(connection: Connection) -> Any:
        await outcomes_of(connection, [request()])
        del server.always["m"]
        other = msgspec.structs.replace(judge(), id="other")
        return await connection.asker(other).ask(request())

    assert endpoints.run(put).text


LIMITS = {"concurrency": 4, "attempts": 2, "first_wait": 0.001}


@pytest.mark.parametrize("fault", ["429", "quota", WAIT])
def test_a_build_finishes_everybody_but_a_dead_model_and_a_later_one_finishes_that(
    fault: Any, server: FaultServer, tmp_path: Path
) -> None:
    board = live_repository(tmp_path / "board", server.url, limits=LIMITS, endpoint={"timeouts": {"total": 5}})
    server.always["model-alpha"] = fault if fault is not WAIT else Canned(WAIT.body, 429, {"Retry-After": "0.02"})
    report = build(board)
    assert (report.calls.made, len(report.stopped)) == (2 * ITEMS * (1 + len(JUDGES)), 1)
    assert "specs/models/alpha.yaml:" in report.stopped[0]
    server.always.clear()
    rest = build(board)
    assert (rest.calls.made, rest.calls.failed, rest.calls.left) == (ITEMS * (1 + len(JUDGES)), 0, 0)
    assert read_manifest(run_dir(board)).state == "sealed"
    assert server.repeated == 0


def test_a_dead_judge_costs_contestants_and_other_judges_nothing(server: FaultServer, tmp_path: Path) -> None:
    server.always["model-judge-one"] = "429"
    board = live_repository(tmp_path / "board", server.url, limits=LIMITS)
    report = build(board)
    # The first calls that got no answer are recorded as errored; the next build asks these again too.
    assert (report.calls.made, report.calls.failed + report.calls.left) == (3 * ITEMS * len(JUDGES), 3 * ITEMS)
    assert report.calls.failed < 4
    assert "specs/judges.yaml:" in report.stopped[0]


@pytest.mark.sweep
def test_a_contestant_whose_requests_hang_leaves_the_others_their_share_of_workers_and_slots(
    server: FaultServer, tmp_path: Path
) -> None:
    server.always["model-alpha"] = "slow-body"
    limits = {**LIMITS, "concurrency": 3, "attempts": 1}
    board = live_repository(tmp_path / "board", server.url, limits=limits, endpoint={"timeouts": {"total": 1.5}})
    report = build(board)
    assert report.calls.made == 2 * ITEMS * (1 + len(JUDGES))
    order = [seen.body["model"] for seen in server.seen]
    last = max(number for number, model in enumerate(order) if model != "model-alpha")
    assert order[:last].count("model-alpha") <= 6, "it was asked again and again while the others waited"

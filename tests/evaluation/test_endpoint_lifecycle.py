"""How an endpoint begins and ends: nothing heavy before the first request, and quick ends without leftovers."""

from __future__ import annotations

import asyncio
import gc
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from support.endpoints import Endpoints, ask, endpoint, judge, judging, outcomes_of, request, until
from support.fault_server import PASSING, Canned, FaultServer, answer_to, completion

from nullbench_site.evaluation.backends.base import Connection, UnavailableError
from nullbench_site.judging.calls import Answer
from nullbench_site.specs.types import Limits


def test_nothing_of_http_is_imported_before_the_first_request() -> None:
    code = """
import asyncio, sys
from pathlib import Path
from support import boards
from support.endpoints import judge
from nullbench_site.evaluation.backends import backends
from nullbench_site.evaluation.backends.base import BuildContext
from nullbench_site.evaluation.cost import Budget
async def main():
    backend = backends()["openai"]
    backend.params_problem("m", {"n": 1})
    async with backend.connect(boards.benchmark(), BuildContext(Path(), Budget())) as connection:
        connection.asker(judge(at="openai"))
asyncio.run(main())
print({"openai", "aiohttp", "httpx2", "httpx"} & set(sys.modules))
"""
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent,
                          env={"PYTHONPATH": f".:{Path(__file__).parent.parent.parent}"})  # fmt: skip
    assert done.stdout.strip() == "set()"


def test_askers_of_one_endpoint_share_its_meter_and_those_of_one_model_its_lane(
    server: FaultServer, tmp_path: Path
) -> None:
    endpoints = Endpoints(tmp_path, (endpoint(server.url, concurrency=3), endpoint(server.url, "other")))

    async def look(connection: Connection) -> None:
        first, second = connection.asker(judge("a")), connection.asker(judge("b"))
        assert first is connection.asker(judge("a"))
        assert first is not second
        assert first.meter is second.meter
        assert (first.meter.endpoint, first.concurrency) == ("local", 3)
        assert connection.asker(judge("a", "other")).meter is not first.meter

    endpoints.run(look)


def test_what_is_in_flight_when_the_build_drains_is_finished_and_nothing_more_is_put(
    server: FaultServer, tmp_path: Path
) -> None:
    endpoints = Endpoints(tmp_path, (endpoint(server.url, concurrency=2),))
    server.hold = hold = threading.Event()

    async def put(connection: Connection) -> tuple[list[Any], list[Any]]:
        asks = asyncio.gather(
            *(connection.asker(judge()).ask(request(f"Number {n}.")) for n in range(5)), return_exceptions=True
        )
        await until(lambda: len(server.seen) == 2)
        endpoints.context.draining.set()
        late = await outcomes_of(connection, [request("Late.")])
        hold.set()
        return list(await asks), late

    outcomes, late = endpoints.run(put)
    assert [type(outcome) for outcome in outcomes] == [Answer] * 2 + [UnavailableError] * 3
    assert {str(outcome) for outcome in (*outcomes[2:], *late)} == {"the build is being stopped"}
    assert len(server.seen) == 2
    assert endpoints.notes == []


def test_a_build_that_drains_ends_back_offs_at_once(server: FaultServer, tmp_path: Path) -> None:
    server.always["m"] = Canned({}, status=503)
    limits = Limits(concurrency=4, first_wait=60.0)
    endpoints = Endpoints(tmp_path, (endpoint(server.url, limits=limits),))

    async def put(connection: Connection) -> list[Any]:
        asks = asyncio.gather(
            *(connection.asker(judge()).ask(request(f"Number {n}.")) for n in range(4)), return_exceptions=True
        )
        await until(lambda: len(server.seen) == 4)
        endpoints.context.draining.set()
        return list(await asks)

    assert [type(outcome) for outcome in endpoints.run(put)] == [UnavailableError] * 4
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    "first",
    [
        Canned({}, status=429, headers={"Retry-After": "500"}),
        Canned({}, status=503, headers={"Retry-After": "500"}),
        Canned(
            completion({"model": "m"}, "Yes."),
            headers={"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "8m20s"},
        ),
    ],
)
def test_a_model_that_asks_for_a_pause_is_put_no_other_request(
    first: Canned, server: FaultServer, tmp_path: Path
) -> None:
    server.next(first)
    endpoints = Endpoints(tmp_path, (endpoint(server.url, concurrency=1),))

    async def put(connection: Connection) -> list[Any]:
        asks = [asyncio.create_task(connection.asker(judge()).ask(request(f"Number {n}."))) for n in range(3)]
        await until(lambda: len(server.seen) == 1)
        await until(lambda: connection.asker(judge()).meter.in_flight == 0)
        endpoints.context.draining.set()
        return list(await asyncio.gather(*asks, return_exceptions=True))

    outcomes = endpoints.run(put)
    assert len(server.seen) == 1
    (note,) = endpoints.notes
    assert re.fullmatch("endpoint 'local' asks to wait [35]00 s before the next request to 'm'", note)
    assert [type(outcome) for outcome in outcomes[1:]] == [UnavailableError] * 2


def test_cancelling_leaves_nothing_behind(server: FaultServer, tmp_path: Path) -> None:
    """Warnings are errors: an unclosed session or connection would be one."""
    server.always["m"] = "stall"
    server.always["slow"] = "slow-body"
    endpoints = Endpoints(tmp_path, (endpoint(server.url),))

    async def put(connection: Connection) -> int:
        asks = [
            asyncio.create_task(connection.asker(judge(model)).ask(request(f"Number {n}.", model)))
            for n in range(3)
            for model in ("m", "slow")
        ]
        await until(lambda: len(server.seen) == 6)
        for each in asks:
            each.cancel()
        assert {type(end) for end in await asyncio.gather(*asks, return_exceptions=True)} == {asyncio.CancelledError}
        return connection.asker(judge()).meter.in_flight

    assert endpoints.run(put) == 0
    gc.collect()


def test_an_error_inside_the_build_closes_its_connections(server: FaultServer, tmp_path: Path) -> None:
    endpoints = Endpoints(tmp_path, (endpoint(server.url),))

    async def put(connection: Connection) -> None:
        await connection.asker(judge()).ask(request())
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        endpoints.run(put)
    gc.collect()


def test_many_calls_with_many_faults_are_all_answered_and_none_is_answered_twice(tmp_path: Path) -> None:
    kinds = tuple(kind for kind in PASSING if kind != "stall")
    requests = [judging(f"Judge number {n}.") if n % 2 else request(f"Number {n}.") for n in range(400)]
    with FaultServer(faults=0.2, kinds=kinds, seed=3) as server:
        asked = ask(tmp_path, endpoint(server.url, attempts=12, concurrency=64), *requests, together=True)
    assert asked.meter.stopped is None
    for wanted, outcome in zip(requests, asked.outcomes, strict=True):
        assert isinstance(outcome, Answer)
        body = {"model": "m", "messages": [{"role": "user", "content": wanted.messages[0].content}]}
        assert wanted.reply_schema or outcome.text == answer_to(body)
    assert (server.answers, server.repeated, asked.meter.retries) == (400, 0, len(server.seen) - 400)

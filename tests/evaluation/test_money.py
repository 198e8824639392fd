"""What a server charges for is what a build counts: also attempts that gave no answer, and what a budget allows."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.endpoints import Endpoints, ask, endpoint, judge, request
from support.evidence import records
from support.fault_server import Canned, FaultServer, completion
from support.live import JUDGES, PRICES, live_repository
from support.ports import held_port
from support.repositories import ITEMS, build, run_dir

from nullbench_site import api
from nullbench_site.build_report import BuildReport
from nullbench_site.errors import StoppedEarly
from nullbench_site.evaluation.backends.base import Connection, UnavailableError
from nullbench_site.evaluation.cost import Budget
from nullbench_site.evaluation.endpoints.asker import _Failed
from nullbench_site.evaluation.options import BuildOptions
from nullbench_site.judging.calls import Answer
from nullbench_site.repository import Repository
from nullbench_site.runs.manifest import read_manifest

MOST_OUTPUT = 500
WORST = MOST_OUTPUT * 2.0 / 1e6
"""Dollars of the output alone."""
EMPTY = completion({"model": "x", "prompt": "long" * 100}, None)


def board(folder: Path, server: FaultServer, attempts: int = 8, **more: Any) -> Repository:
    limits = {"first_wait": 0.001, "concurrency": 4, "attempts": attempts}
    return live_repository(
        folder, server.url, prices=PRICES, decoding={"max_tokens": MOST_OUTPUT}, limits=limits, **more
    )


def within(repository: Repository, budget: Budget) -> BuildReport | None:
    """None where nothing was recorded."""
    with suppress(StoppedEarly):
        return api.build(repository, BuildOptions(budget=budget), render_site=False)
    return None


def charged(server: FaultServer) -> float:
    """Dollars, by the usage that the server reported."""
    return sum(used["prompt_tokens"] * 1.0 + used["completion_tokens"] * 2.0 for used in server.usage) / 1e6


@pytest.mark.parametrize("judges", [JUDGES, ()])
def test_what_a_build_reports_and_records_is_what_the_server_charges_also_for_attempts_without_an_answer(
    judges: tuple[str, ...], tmp_path: Path
) -> None:
    with FaultServer(faults=0.5, kinds=("null-content", "no-choices", "429")) as server:
        server.always["model-alpha"] = Canned(EMPTY)
        server.always["model-judge-one"] = Canned(completion({"model": "x"}, "no JSON"))
        repository = board(tmp_path / "board", server)
        report = within(repository, Budget())
        assert report.cost_usd == pytest.approx(charged(server))
        assert read_manifest(run_dir(repository)).cost_usd == pytest.approx(charged(server))
        assert any(record.get("failed_usd") for record in records(run_dir(repository), "responses"))


def test_what_an_earlier_build_paid_for_in_vain_stays_in_the_cost_of_the_run(tmp_path: Path) -> None:
    with FaultServer() as server:
        server.always["model-alpha"] = Canned(EMPTY)
        repository = board(tmp_path / "board", server)
        first = within(repository, Budget())
        server.always.clear()
        second = build(repository)
        assert (first.run, second.calls.left) == (second.run, 0)
        assert read_manifest(run_dir(repository)).state == "sealed"
        assert read_manifest(run_dir(repository)).cost_usd == pytest.approx(charged(server))


def test_a_server_that_answers_every_eighth_attempt_gets_no_more_than_the_budget(tmp_path: Path) -> None:
    with FaultServer() as server:
        server.next(*([Canned(EMPTY)] * 7 + ["ok"]) * 300)
        budget = Budget(max_usd=0.01)
        within(board(tmp_path / "board", server), budget)
        assert 0.005 < charged(server) <= 0.01
        assert budget.spent_usd == pytest.approx(charged(server))


def test_an_attempt_whose_usage_is_missing_is_charged_at_its_worst(tmp_path: Path) -> None:
    with FaultServer() as server:
        without_usage = {**EMPTY, "usage": None}
        server.next(*([Canned(without_usage)] * 2 + ["ok"]) * 300)
        report = within(board(tmp_path / "board", server), Budget(max_usd=10.5 * WORST))
        n_without = len(server.seen) - len(server.usage)
        assert 2 < n_without < 10
        assert report.uncounted == n_without
        assert n_without * WORST <= report.uncounted_usd
        assert report.uncounted_usd + (report.cost_usd or 0.0) <= 10.5 * WORST


@pytest.mark.parametrize(
    ("fault", "may_cost"),
    [
        ("null-content", True), (Canned({"choices": []}), True), ("html", True), ("short-json", True),
        ("bad-gzip", True), ("error-200", True), ("cut", True), ("reset", True),
        (Canned({}, 504), True), (Canned({"error": {"code": 429}, "usage": EMPTY["usage"]}), True),
        ("400", False), ("401", False), ("404", False), ("429", False), ("429-day", False), ("500", False),
        ("503", False), ("quota", False), ("quota-200", False), ("redirect", False),
    ],
)  # fmt: skip
def test_an_attempt_costs_something_where_the_server_may_have_made_an_answer(
    fault: Any, may_cost: bool, server: FaultServer, tmp_path: Path
) -> None:
    server.always["model-alpha"] = fault
    budget = Budget(max_usd=1.0)
    within(board(tmp_path / "board", server, attempts=1, contestants=("alpha",)), budget)
    assert server.seen
    assert (budget.spent_usd > 0) == may_cost


def test_an_answer_that_takes_too_long_is_charged_at_its_worst(server: FaultServer, tmp_path: Path) -> None:
    server.always["model-alpha"] = "slow-body"
    repository = board(
        tmp_path / "board", server, attempts=1, contestants=("alpha",), endpoint={"timeouts": {"total": 0.5}}
    )
    budget = Budget(max_usd=1.0)
    within(repository, budget)
    assert budget.spent_usd > budget.requests * WORST


def test_a_connection_that_is_refused_costs_nothing(server: FaultServer, tmp_path: Path) -> None:
    repository = board(tmp_path / "board", server, attempts=2)
    endpoints = repository.specs / "endpoints.yaml"
    budget = Budget(max_usd=1.0)
    with held_port() as port:
        endpoints.write_text(endpoints.read_text("utf-8").replace(server.url, f"http://127.0.0.1:{port}/v1"), "utf-8")
        within(repository, budget)
    assert budget.requests
    assert budget.spent_usd == 0


def test_a_model_whose_answers_are_all_empty_stops_soon_with_one_message_and_others_go_on(
    server: FaultServer, tmp_path: Path
) -> None:
    server.always["model-alpha"] = Canned(EMPTY)
    report = within(board(tmp_path / "board", server), Budget())
    assert len(report.stopped) == 1
    assert "attempts in a row got no answer, the last because it answered 200 without content" in report.stopped[0]
    assert report.calls.made == 2 * ITEMS * (1 + len(JUDGES))
    assert sum(seen.body["model"] == "model-alpha" for seen in server.seen) <= 2 * 4 + 4 + 1


def test_a_model_that_answers_small_requests_goes_on_however_many_attempts_are_wasted(
    server: FaultServer, tmp_path: Path
) -> None:
    server.longest["m"] = (100, Canned(EMPTY))
    asked = ask(tmp_path, endpoint(server.url, attempts=3), *[request("x" * 200)] * 12, request())
    assert isinstance(asked.answer, Answer)
    assert not any(isinstance(outcome, UnavailableError) for outcome in asked.outcomes)


@pytest.mark.parametrize("count", ["9" * 5000, "-" + "9" * 5000, "-1", "1.0", "1e9999", "true", '"12"', "null", "[[]]"])
def test_an_answer_stands_whose_usage_is_no_number_of_tokens_and_its_worst_is_charged(
    count: str, server: FaultServer, tmp_path: Path
) -> None:
    body = b'{"choices": [{"message": {"content": "Yes."}}], "usage": {"prompt_tokens": %b, "completion_tokens": %b}}'
    server.always["model-alpha"] = Canned(body % (count.encode(), count.encode()))
    repository = board(tmp_path / "board", server, contestants=("alpha",), judges=("judge-one",))
    budget = Budget(max_usd=1.0)
    report = within(repository, budget)
    assert (report.calls.failed, len(server.seen)) == (0, report.calls.made)
    assert report.uncounted == ITEMS
    assert ITEMS * WORST < budget.spent_usd < 1.0


def test_a_call_that_waits_for_a_probe_leaves_it_the_room_in_the_budget_that_it_waits_for(tmp_path: Path) -> None:
    """Otherwise each waits for the other, and the build never ends."""
    endpoints = Endpoints(tmp_path, (endpoint("http://127.0.0.1:9/v1"),))
    budget = endpoints.context.budget
    budget.max_usd = 1.0

    async def two_calls(connection: Connection) -> float:
        asker: Any = connection.asker(judge("m", "local"))
        probing, waiting = _Failed(0.6), _Failed(0.4)
        await budget.reserve(probing.most_usd)
        await budget.reserve(waiting.most_usd)

        async def wait() -> None:
            async with asker._turn_to_probe(waiting):
                await budget.renew(waiting.most_usd)

        async with asker._turn_to_probe(probing), asyncio.timeout(60):
            task = asyncio.create_task(wait())
            budget.charge(0.3)
            await budget.renew(probing.most_usd)
        budget.settle(probing.most_usd, 0.1)
        await task
        budget.settle(waiting.most_usd, 0.2)
        return budget.spent_usd

    assert endpoints.run(two_calls) == pytest.approx(0.6)

"""A budget: what is spent and reserved together never passes it."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.clock import on_clock

from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.cost import Budget


@on_clock
async def test_requests_are_refused_once_all_are_put_and_so_are_calls() -> None:
    budget = Budget(max_calls=2)
    await budget.reserve(0.0)
    budget.count()
    budget.count()
    for refused in (budget.count, lambda: asyncio.ensure_future(budget.reserve(0.0))):
        with pytest.raises(UnavailableError, match="stopped after 2 requests, the limit of --max-calls"):
            await (refused() or asyncio.sleep(0))
    assert budget.requests == 2


@on_clock
async def test_a_call_that_was_never_put_is_not_counted() -> None:
    budget = Budget(max_calls=1)
    await budget.reserve(0.0)
    budget.settle(0.0, 0.0)
    await budget.reserve(0.0)
    budget.count()


@on_clock
async def test_a_call_waits_for_those_in_flight_and_goes_when_they_were_cheaper_than_their_worst() -> None:
    budget = Budget(max_usd=1.0)
    await budget.reserve(0.8)
    waiting = asyncio.create_task(budget.reserve(0.8))
    await asyncio.sleep(0)
    assert not waiting.done()
    budget.settle(0.8, 0.1)
    await waiting


@on_clock
async def test_a_call_is_refused_when_nothing_in_flight_can_make_room_for_it() -> None:
    budget = Budget(max_usd=1.0)
    await budget.reserve(0.8)
    budget.settle(0.8, 0.7)
    with pytest.raises(UnavailableError, match=r"up to 0\.4000 USD, .* left of 1 USD .*; build again"):
        await budget.reserve(0.4)
    await budget.reserve(0.3)


@on_clock
async def test_where_not_one_call_has_room_more_money_is_what_it_takes() -> None:
    with pytest.raises(UnavailableError, match=r"--max-cost; raise it"):
        await Budget(max_usd=1.0).reserve(2.0)


@on_clock
async def test_every_refusal_has_the_words_of_the_first() -> None:
    budget = Budget(max_usd=1.0)
    for most in (2.0, 3.0):
        with pytest.raises(UnavailableError, match="a call may cost up to 2"):
            await budget.reserve(most)


@on_clock
async def test_a_call_of_unknown_cost_counts_as_its_worst() -> None:
    budget = Budget(max_usd=1.0)
    await budget.reserve(0.6)
    budget.settle(0.6, None)
    assert budget.spent_usd == 0.6


@on_clock
async def test_a_waiter_that_is_cancelled_takes_no_room() -> None:
    budget = Budget(max_usd=1.0)
    await budget.reserve(1.0)
    waiting = asyncio.create_task(budget.reserve(1.0))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    budget.settle(1.0, 0.0)
    await budget.reserve(1.0)


@on_clock
async def test_a_further_attempt_of_a_call_is_refused_where_the_ones_before_it_left_no_room() -> None:
    budget = Budget(max_usd=1.0)
    await budget.reserve(0.4)
    budget.charge(0.3)
    await budget.renew(0.4)
    budget.charge(0.4)
    with pytest.raises(UnavailableError, match="--max-cost"):
        await budget.renew(0.4)
    budget.settle(0.4, 0.0)
    assert budget.spent_usd == pytest.approx(0.7)
    await budget.reserve(0.3)


@given(
    limit=st.floats(0.1, 5.0),
    calls=st.lists(
        st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.integers(0, 3), st.integers(0, 3)), max_size=30
    ),
)
def test_spending_never_passes_the_limit_whatever_the_order(
    limit: float, calls: list[tuple[float, float, int, int]]
) -> None:
    async def use() -> float:
        budget = Budget(max_usd=limit)

        async def call(most: float, share: float, turns: int, failures: int) -> None:
            try:
                await budget.reserve(most)
            except UnavailableError:
                return
            for _ in range(failures):
                await asyncio.sleep(0)
                budget.charge(most * share)
                try:
                    await budget.renew(most)
                except UnavailableError:
                    budget.settle(most, 0.0)
                    return
            assert budget.spent_usd <= limit + 1e-6
            for _ in range(turns):
                await asyncio.sleep(0)
            budget.settle(most, most * share)

        await asyncio.gather(*(call(*each) for each in calls))
        return budget.spent_usd

    assert asyncio.run(use()) <= limit + 1e-6

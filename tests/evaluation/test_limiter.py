"""The limiter on a clock that jumps: hours pass in milliseconds, and a lost wake-up fails instead of hanging."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.clock import on_clock, run

from nullbench_site.evaluation.backends.base import UnavailableError
from nullbench_site.evaluation.endpoints.limiter import MAX_RETRY_AFTER, Ending, Limiter, Pool, shared_beginning
from nullbench_site.specs.types import Limits

TICK = 1e-6
"""Seconds; far more than the rounding of a day's clock, far less than any wait here."""

NO_TIMER = "after 0.000000 s .* no timer is set"
"""What the clock says when all wait for ever and no time has passed: no timer is left that would let it pass."""


def now() -> float:
    return round(asyncio.get_running_loop().time(), 6)


@dataclass
class Callers:
    """Tasks that ask a limiter, and what became of them, in order."""

    limiter: Limiter
    started: list[tuple[int, float]] = field(default_factory=list)
    refused: list[tuple[int, str, float]] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def add(self, tokens: int = 0, lasts: float | None = None, outcome: Ending = "answered") -> asyncio.Task[None]:
        """One more caller. It holds its slot for `lasts` seconds, or for good."""
        task = asyncio.create_task(self._call(len(self.tasks), tokens, lasts, outcome))
        self.tasks.append(task)
        return task

    async def _call(self, number: int, tokens: int, lasts: float | None, outcome: Ending) -> None:
        try:
            await self.limiter.acquire(tokens)
        except UnavailableError as error:
            self.refused.append((number, str(error), now()))
            return
        self.started.append((number, now()))
        if lasts is not None:
            await asyncio.sleep(lasts)
            self.limiter.release(outcome)

    @property
    def times(self) -> list[float]:
        return [at for _, at in self.started]

    @property
    def order(self) -> list[int]:
        return [number for number, _ in self.started]


async def settle() -> None:
    """Let every task go as far as it can without time passing."""
    for _ in range(10):
        await asyncio.sleep(0)


def runs_at_once(coroutine: Awaitable[None]) -> bool:
    """Whether it ends without a suspension."""
    steps = coroutine.__await__()
    try:
        next(steps)
    except StopIteration:
        return True
    return False


# Slots


@on_clock
async def test_a_free_slot_is_taken_without_a_suspension() -> None:
    limiter = Limiter(Limits(concurrency=2, requests_per_minute=600, tokens_per_minute=60_000))
    assert runs_at_once(limiter.acquire(100))
    assert runs_at_once(limiter.acquire(100))
    assert limiter.in_flight == 2


@on_clock
async def test_those_who_wait_start_in_order_as_slots_become_free() -> None:
    callers = Callers(Limiter(Limits(concurrency=2)))
    for _ in range(5):
        callers.add(lasts=1.0)
    await asyncio.gather(*callers.tasks)
    assert callers.started == [(0, 0.0), (1, 0.0), (2, 1.0), (3, 1.0), (4, 2.0)]
    assert callers.limiter.in_flight == callers.limiter.waiting == 0


async def started(texts: list[str], *, gathers: bool = True, first: str = "") -> list[str]:
    """The order in which requests with these texts start at a server that answers one at a time."""
    limiter, order = Limiter(Limits(concurrency=1), gathers=gathers), list[str]()

    async def call(text: str) -> None:
        await limiter.acquire(1, text=text, first=text == first)
        order.append(text)
        await asyncio.sleep(1)
        limiter.release("answered")

    await asyncio.gather(*map(call, texts))
    return order


@on_clock
async def test_requests_with_the_same_beginning_are_sent_one_after_the_other() -> None:
    texts = [
        "item 1, response a",
        "item 2, response a",
        "item 1, response b",
        "item 2, response b",
        "item 1, response c",
    ]
    assert await started(texts) == [
        "item 1, response a", "item 1, response b", "item 1, response c", "item 2, response a", "item 2, response b",
    ]  # fmt: skip


@on_clock
async def test_questions_about_one_response_come_before_the_next_response() -> None:
    texts = ["i1 ra q1", "i1 rb q1", "i2 ra q1", "i1 ra q2", "i1 rb q2", "i1 ra q3"]
    assert await started(texts) == ["i1 ra q1", "i1 ra q2", "i1 ra q3", "i1 rb q1", "i1 rb q2", "i2 ra q1"]


@on_clock
async def test_without_a_shared_beginning_requests_start_in_order_and_a_probe_is_first() -> None:
    assert await started(["a", "b", "c", "d"]) == ["a", "b", "c", "d"]
    assert await started(["ax", "bx", "ay", "probe"], first="probe") == ["ax", "probe", "bx", "ay"]


@on_clock
async def test_judges_at_one_server_are_asked_one_after_the_other_if_their_prompts_differ() -> None:
    pool, order = Pool(Limits(concurrency=1)), list[str]()
    judges = {name: Limiter(Limits(concurrency=1), pool, gathers=True) for name in ("full", "short")}

    async def call(text: str) -> None:
        limiter = judges[text.split(maxsplit=1)[0]]
        await limiter.acquire(1, text=text)
        order.append(text)
        await asyncio.sleep(1)
        limiter.release("answered")

    await asyncio.gather(*(call(f"{judge} item {item} {case}") for item in "12" for case in "rw" for judge in judges))
    assert order == [
        "full item 1 r", "full item 1 w", "full item 2 r", "full item 2 w",
        "short item 1 r", "short item 1 w", "short item 2 r", "short item 2 w",
    ]  # fmt: skip


@on_clock
async def test_a_server_elsewhere_gets_requests_in_order() -> None:
    texts = ["item 1, a", "item 2, a", "item 1, b"]
    assert await started(texts, gathers=False) == texts


@on_clock
async def test_a_request_that_was_cancelled_is_not_started_again() -> None:
    limiter = Limiter(Limits(concurrency=1), gathers=True)
    await limiter.acquire(1, text="item 1, a")
    waiting = [asyncio.create_task(limiter.acquire(1, text=text)) for text in ("item 2, a", "item 1, b", "item 1, c")]
    await settle()
    waiting[1].cancel()
    await settle()
    limiter.release("answered")
    await waiting[2]
    assert [task.done() for task in waiting] == [False, True, True]
    limiter.release("answered")
    await waiting[0]


@given(st.text(), st.text(), st.text())
def test_the_shared_beginning_is_the_longest(common: str, one: str, other: str) -> None:
    shared = shared_beginning(common + one, common + other)
    assert shared >= len(common)
    assert (common + one)[:shared] == (common + other)[:shared]
    assert (common + one)[shared : shared + 1] != (common + other)[shared : shared + 1] or not (common + one)[shared:]


@on_clock
async def test_who_comes_in_the_moment_a_slot_becomes_free_does_not_pass_who_waits() -> None:
    callers = Callers(Limiter(Limits(concurrency=1)))
    await callers.limiter.acquire(0)
    callers.add()
    await settle()
    callers.limiter.release("answered")
    assert not runs_at_once(callers.limiter.acquire(0))
    await settle()
    assert callers.order == [0]


# Concurrency that adapts


@on_clock
async def test_when_all_in_flight_are_refused_concurrency_halves() -> None:
    limiter = Limiter(Limits(concurrency=64))
    for expected in (32, 16, 8, 4, 2, 1, 1):
        for _ in range(limiter.slots):
            await limiter.acquire(0)
        for _ in range(limiter.in_flight):
            limiter.release("limited")
        assert limiter.slots == expected


@on_clock
async def test_concurrency_climbs_back_to_its_limit_and_no_further() -> None:
    limiter = Limiter(Limits(concurrency=4))
    await limiter.acquire(0)
    limiter.release("limited")
    assert limiter.slots == 3
    slots = []
    for _ in range(60):
        await limiter.acquire(0)
        limiter.release("answered")
        slots.append(limiter.slots)
    assert slots == [3] * 24 + [4] * 36
    await limiter.acquire(0)
    limiter.release("limited")
    assert limiter.slots == 3


@on_clock
async def test_failures_that_are_no_429_leave_concurrency_alone() -> None:
    limiter = Limiter(Limits(concurrency=4))
    for _ in range(100):
        await limiter.acquire(0)
        limiter.release("failed")
    assert limiter.slots == 4


@on_clock
async def test_a_busy_endpoint_gets_as_few_at_once_as_it_can_take() -> None:
    """It answers 10 at once, in a second, and refuses the others at once: about 1 in 26 is refused at rest."""
    limiter = Limiter(Limits(concurrency=64))
    busy, counted = 0, {"answered": 0, "limited": 0}

    async def caller() -> None:
        nonlocal busy
        while now() < 2000:
            await limiter.acquire(0)
            outcome: Ending = "answered" if busy < 10 else "limited"
            busy += outcome == "answered"
            await asyncio.sleep(1.0)
            busy -= outcome == "answered"
            limiter.release(outcome)
            if now() > 200:
                counted[outcome] += 1

    await asyncio.gather(*(caller() for _ in range(64)))
    assert 10 <= limiter.slots <= 11
    assert counted["limited"] / sum(counted.values()) == pytest.approx(1 / 26, abs=0.01)


@on_clock
async def test_nobody_starts_while_more_are_in_flight_than_are_allowed_now() -> None:
    callers = Callers(Limiter(Limits(concurrency=4)))
    for seconds in (1.0, 2.0, 3.0, 4.0):
        callers.add(lasts=seconds, outcome="limited")
    callers.add()
    await asyncio.gather(*callers.tasks)
    # 3.5 are allowed after a second with 3 in flight, 3 after two with 2 in flight.
    assert callers.started[-1] == (4, 2.0)


# Several models at one endpoint


@on_clock
async def test_a_slot_that_becomes_free_goes_to_the_model_with_the_fewest_in_flight() -> None:
    limits = Limits(concurrency=4)
    pool = Pool(limits)
    hanging, quick = Callers(Limiter(limits, pool)), Callers(Limiter(limits, pool))
    for _ in range(8):
        hanging.add(lasts=1000.0)
        quick.add(lasts=1.0)
    await asyncio.gather(*quick.tasks, *hanging.tasks)
    assert quick.times == [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]
    assert hanging.times == [0.0, 0.0, 4.0, 4.0, 1000.0, 1000.0, 1004.0, 1004.0]
    assert pool.in_flight == 0


@on_clock
async def test_refusals_and_pauses_of_one_model_hold_no_other() -> None:
    limits = Limits(concurrency=4)
    pool = Pool(limits)
    busy, other = Callers(Limiter(limits, pool)), Callers(Limiter(limits, pool))
    for _ in range(8):
        await busy.limiter.acquire(0)
        busy.limiter.release("limited")
    busy.limiter.pause(500.0)
    busy.add(lasts=1.0)
    for _ in range(4):
        other.add(lasts=1.0)
    await asyncio.gather(*busy.tasks, *other.tasks)
    assert (busy.limiter.slots, busy.times) == (1, [500.0])
    assert (other.limiter.slots, other.times) == (4, [0.0] * 4)


@on_clock
async def test_requests_and_tokens_a_minute_are_those_of_all_models_together() -> None:
    limits = Limits(concurrency=4, requests_per_minute=60, tokens_per_minute=600_000)
    pool = Pool(limits)
    models = [Callers(Limiter(limits, pool)) for _ in range(3)]
    for model in models:
        model.add(lasts=0.0)
    await asyncio.gather(*(task for model in models for task in model.tasks))
    assert [model.times for model in models] == [[0.0], [1.0], [2.0]]


@on_clock
async def test_one_model_is_closed_alone_and_an_endpoint_with_all_that_come_later() -> None:
    limits = Limits(concurrency=1)
    pool = Pool(limits)
    one, other = Callers(Limiter(limits, pool)), Callers(Limiter(limits, pool))
    one.add(lasts=9.0)
    one.add()
    other.add()
    await asyncio.sleep(1)
    one.limiter.close("one is over")
    await asyncio.sleep(9)
    pool.close("all is over")
    late = Callers(Limiter(limits, pool))
    one.add(), late.add()
    await asyncio.gather(*one.tasks, *other.tasks, *late.tasks)
    assert one.refused == [(1, "one is over", 1.0), (2, "one is over", 10.0)]
    assert (other.times, late.refused) == ([9.0], [(0, "all is over", 10.0)])


@on_clock
async def test_a_sleep_ends_when_it_is_over_or_when_its_model_is_closed() -> None:
    limiter = Limiter(Limits())
    await limiter.sleep(30.0)
    assert now() == 30.0
    asyncio.get_running_loop().call_later(5.0, limiter.close, "over")
    with pytest.raises(UnavailableError, match="over"):
        await limiter.sleep(30.0)
    assert now() == 35.0


@on_clock
async def test_who_is_to_be_the_first_passes_those_who_wait() -> None:
    limiter = Limiter(Limits(concurrency=1))
    await limiter.acquire(0)
    second = asyncio.create_task(limiter.acquire(0))
    await settle()
    first = asyncio.create_task(limiter.acquire(0, first=True))
    await settle()
    limiter.release("answered")
    await settle()
    assert (first.done(), second.done()) == (True, False)
    limiter.release("answered")
    await second


# Pauses


@on_clock
async def test_nobody_starts_in_a_pause_and_afterwards_all_in_order() -> None:
    callers = Callers(Limiter(Limits(concurrency=3)))
    callers.limiter.pause(30.0)
    for _ in range(4):
        callers.add(lasts=2.0)
    await asyncio.gather(*callers.tasks)
    assert callers.started == [(0, 30.0), (1, 30.0), (2, 30.0), (3, 32.0)]


@on_clock
async def test_the_longest_of_several_pauses_holds() -> None:
    callers = Callers(Limiter(Limits()))
    callers.limiter.pause(10.0)
    callers.add()
    await asyncio.sleep(5)
    callers.limiter.pause(20.0)
    await asyncio.sleep(1)
    callers.limiter.pause(3.0)
    callers.limiter.pause(-8.0)
    callers.limiter.pause(float("nan"))
    await callers.tasks[0]
    assert callers.times == [25.0]


@on_clock
async def test_a_pause_before_a_release_holds_the_next_back() -> None:
    callers = Callers(Limiter(Limits(concurrency=1)))
    await callers.limiter.acquire(0)
    callers.add()
    await asyncio.sleep(1)
    callers.limiter.pause(7.0)
    callers.limiter.release("limited")
    await callers.tasks[0]
    assert callers.times == [8.0]


@on_clock
async def test_no_pause_is_longer_than_ten_minutes() -> None:
    callers = Callers(Limiter(Limits()))
    callers.limiter.pause(86_400.0)
    await callers.add()
    assert callers.times == [MAX_RETRY_AFTER]


# Requests and tokens a minute


@pytest.mark.parametrize(
    ("limits", "tokens", "times"),
    [
        ({"requests_per_minute": 1}, [0] * 3, [0.0, 60.0, 120.0]),
        ({"requests_per_minute": 30}, [0] * 3, [0.0, 2.0, 4.0]),
        ({"requests_per_minute": 60}, [0] * 3, [0.0, 1.0, 2.0]),
        ({"requests_per_minute": 120}, [0] * 4, [0.0, 0.0, 60 / 119, 120 / 119]),
        ({"requests_per_minute": 240}, [0] * 6, [0.0] * 4 + [60 / 237, 120 / 237]),
        # 6,000 tokens a minute are 100 a second, and 600 at once.
        ({"tokens_per_minute": 6000}, [400, 200, 50, 300], [0.0, 0.0, 0.5, 3.5]),
        # A request larger than the bucket waits until it is full, and those after it pay for it.
        ({"tokens_per_minute": 6000}, [100, 5000, 600], [0.0, 1.0, 51.0]),
        # A small request does not pass a large one.
        ({"tokens_per_minute": 6000}, [600, 500, 1], [0.0, 5.0, 5.01]),
    ],
)
def test_requests_and_tokens_are_paced_in_order(limits: dict[str, int], tokens: list[int], times: list[float]) -> None:
    async def scene() -> None:
        callers = Callers(Limiter(Limits(**limits)))
        await asyncio.gather(*map(callers.add, tokens))
        assert callers.order == list(range(len(times)))
        assert callers.times == pytest.approx(times, abs=TICK)

    run(scene())


@on_clock
async def test_what_was_not_used_in_quiet_times_is_not_saved_up() -> None:
    callers = Callers(Limiter(Limits(requests_per_minute=60)))
    await callers.add()
    await asyncio.sleep(3600)
    await asyncio.gather(callers.add(), callers.add())
    assert callers.times == [0.0, 3600.0, 3601.0]


@pytest.mark.parametrize(
    ("second", "after", "correction", "starts"),
    [(600, 1.0, -500, 1.0), (100, 0.5, 1000, 11.0)],
)
def test_tokens_that_a_request_did_not_use_are_free_at_once_and_more_are_waited_for(
    second: int, after: float, correction: int, starts: float
) -> None:
    async def scene() -> None:
        callers = Callers(Limiter(Limits(tokens_per_minute=6000)))
        callers.add(600)
        callers.add(second)
        await asyncio.sleep(after)
        callers.limiter.correct(correction)
        await asyncio.gather(*callers.tasks)
        assert callers.times == [0.0, starts]

    run(scene())


@on_clock
async def test_more_tokens_put_back_than_were_taken_do_not_overfill_the_bucket() -> None:
    callers = Callers(Limiter(Limits(tokens_per_minute=6000)))
    callers.limiter.correct(-100_000)
    await asyncio.gather(callers.add(600), callers.add(100))
    assert callers.times == [0.0, 1.0]


# Closing


@on_clock
async def test_closing_sends_away_all_who_wait_and_all_who_come() -> None:
    callers = Callers(Limiter(Limits(concurrency=1)))
    callers.add(lasts=9.0)
    callers.add()
    callers.add()
    await asyncio.sleep(2)
    callers.limiter.close("endpoint here: the key is wrong")
    callers.limiter.close("a later reason")
    await settle()
    callers.add()
    await asyncio.gather(*callers.tasks)
    assert callers.refused == [(number, "endpoint here: the key is wrong", 2.0) for number in (1, 2, 3)]
    assert callers.limiter.in_flight == callers.limiter.waiting == 0


@on_clock
async def test_closing_ends_a_pause() -> None:
    callers = Callers(Limiter(Limits()))
    callers.limiter.pause(500.0)
    callers.add()
    await asyncio.sleep(1)
    callers.limiter.close("the build ends")
    await callers.tasks[0]
    assert callers.refused == [(0, "the build ends", 1.0)]


def test_closing_leaves_no_timer() -> None:
    async def scene() -> None:
        callers = Callers(Limiter(Limits()))
        callers.limiter.pause(500.0)
        callers.add()
        await settle()
        callers.limiter.close("the build ends")
        await asyncio.Event().wait()

    with pytest.raises(AssertionError, match=NO_TIMER):
        run(scene())


@on_clock
async def test_a_caller_cancelled_while_the_limiter_closes_is_cancelled() -> None:
    for first in ("close", "cancel"):
        callers = Callers(Limiter(Limits(concurrency=1)))
        await callers.limiter.acquire(0)
        task = callers.add()
        await settle()
        steps: list[Callable[[], object]] = [lambda: callers.limiter.close("over"), task.cancel]  # noqa: B023
        for step in steps if first == "close" else reversed(steps):
            step()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert callers.limiter.in_flight == 1


# Cancelling


@on_clock
async def test_a_caller_who_is_cancelled_is_passed_over() -> None:
    callers = Callers(Limiter(Limits(concurrency=1)))
    for _ in range(4):
        callers.add(lasts=1.0)
    await settle()
    callers.tasks[1].cancel()
    callers.tasks[2].cancel()
    await asyncio.gather(*callers.tasks, return_exceptions=True)
    assert callers.started == [(0, 0.0), (3, 1.0)]


@on_clock
async def test_a_turn_that_comes_together_with_a_cancellation_goes_to_the_next() -> None:
    for release_first in (True, False):
        callers = Callers(Limiter(Limits(concurrency=1, requests_per_minute=60_000, tokens_per_minute=6000)))
        await callers.limiter.acquire(0)
        callers.add(600)
        callers.add(600)
        await settle()
        if release_first:
            callers.limiter.release("answered")
            callers.tasks[0].cancel()
        else:
            callers.tasks[0].cancel()
            callers.limiter.release("answered")
        start = now()
        await asyncio.gather(*callers.tasks, return_exceptions=True)
        assert callers.started == [(1, start)], "the tokens of the cancelled one were not put back"
        assert callers.limiter.in_flight == 1


@on_clock
async def test_when_the_one_the_clock_holds_back_is_cancelled_the_next_starts_at_its_own_time() -> None:
    callers = Callers(Limiter(Limits(tokens_per_minute=6000)))
    callers.add(600)
    large, _ = callers.add(600), callers.add(100)
    await asyncio.sleep(0.25)
    large.cancel()
    await asyncio.gather(*callers.tasks, return_exceptions=True)
    assert callers.started == [(0, 0.0), (2, 1.0)]


def test_who_gave_up_waiting_leaves_nothing_behind() -> None:
    limiters: list[Limiter] = []
    gone: list[weakref.ref[asyncio.Task[None]]] = []

    async def scene() -> None:
        callers = Callers(Limiter(Limits()))
        callers.limiter.pause(600.0)
        gone.extend(weakref.ref(callers.add()) for _ in range(100))
        await settle()
        while callers.tasks:
            callers.tasks.pop().cancel()
        await settle()
        limiters.append(callers.limiter)
        await asyncio.Event().wait()

    with pytest.raises(AssertionError, match=NO_TIMER):
        run(scene())
    gc.collect()
    assert [limiter.waiting for limiter in limiters] == [0]
    assert not any(task() for task in gone)


@on_clock
async def test_a_deadline_on_the_wait_is_kept() -> None:
    limiter = Limiter(Limits(concurrency=1))
    await limiter.acquire(0)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(3):
            await limiter.acquire(0)
    assert now() == 3.0
    limiter.release("answered")
    assert runs_at_once(limiter.acquire(0))


# Laws


@dataclass(frozen=True)
class Call:
    after: float
    lasts: float
    tokens: int
    used: int
    outcome: Ending
    patience: float | None
    pause: float | None


seconds = st.sampled_from([0.0, 0.0, 0.001, 0.5, 1.0, 3.0, 20.0])
calls = st.lists(
    st.builds(
        Call,
        after=seconds,
        lasts=seconds,
        tokens=st.integers(0, 3000),
        used=st.integers(0, 3000),
        outcome=st.sampled_from(["answered", "answered", "limited", "failed"]),
        patience=st.none() | seconds,
        pause=st.none() | st.none() | seconds,
    ),
    max_size=40,
)
limits = st.builds(
    Limits,
    concurrency=st.integers(1, 5),
    requests_per_minute=st.none() | st.integers(1, 300),
    tokens_per_minute=st.none() | st.integers(100, 30_000),
)


def most_in_a_minute(amounts: list[tuple[float, int]]) -> int:
    return max(
        (sum(amount for at, amount in amounts if start <= at < start + 60 - TICK) for start, _ in amounts), default=0
    )


@given(limits, calls)
def test_whatever_comes_the_limits_hold_the_order_holds_and_nobody_is_forgotten(
    limits: Limits, calls: list[Call]
) -> None:
    started: list[tuple[int, float]] = []
    cancelled: set[int] = set()

    async def call(number: int, call: Call, limiter: Limiter) -> None:
        try:
            async with asyncio.timeout(call.patience):
                await limiter.acquire(call.tokens)
        except TimeoutError:
            cancelled.add(number)
            return
        started.append((number, asyncio.get_running_loop().time()))
        assert limiter.in_flight <= limits.concurrency
        await asyncio.sleep(call.lasts)
        limiter.correct(call.used - call.tokens)
        if call.pause is not None:
            limiter.pause(call.pause)
        limiter.release(call.outcome)

    async def scene() -> None:
        limiter = Limiter(limits)
        tasks = []
        for number, each in enumerate(calls):
            await asyncio.sleep(each.after)
            tasks.append(asyncio.create_task(call(number, each, limiter)))
        await asyncio.gather(*tasks)
        assert (limiter.in_flight, limiter.waiting) == (0, 0)
        assert 1 <= limiter.slots <= limits.concurrency
        await asyncio.sleep(100_000)
        assert runs_at_once(limiter.acquire(3000))

    run(scene())
    assert all(before <= after for before, after in pairwise(at for _, at in sorted(started)))
    assert {number for number, _ in started} | cancelled == set(range(len(calls)))
    if limits.requests_per_minute is not None:
        assert most_in_a_minute([(at, 1) for _, at in started]) <= limits.requests_per_minute


@given(st.integers(100, 30_000), st.lists(st.tuples(seconds, st.integers(0, 3000)), max_size=40))
def test_no_minute_sees_more_tokens_than_eleven_tenths_and_one_request(
    per_minute: int, asked: list[tuple[float, int]]
) -> None:
    async def scene() -> None:
        callers = Callers(Limiter(Limits(concurrency=40, tokens_per_minute=per_minute)))
        for after, tokens in asked:
            await asyncio.sleep(after)
            callers.add(tokens)
        await asyncio.gather(*callers.tasks)
        largest = max((tokens for _, tokens in asked), default=0)
        amounts = [(at, asked[number][1]) for number, at in callers.started]
        assert most_in_a_minute(amounts) <= 1.1 * per_minute + largest

    run(scene())

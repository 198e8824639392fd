from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nullbench_site.evaluation.endpoints.limiter import LONGEST_WAIT, MAX_RETRY_AFTER, too_long, wait_before

attempts = st.integers(1, 20)
first_waits = st.floats(0.001, 60)
rngs = st.integers(0, 2**32).map(Random)


def waits(attempt: int, first_wait: float, retry_after: float | None = None, count: int = 2000) -> list[float]:
    rng = Random(3)  # noqa: S311
    return [wait_before(attempt, first_wait, retry_after, rng) for _ in range(count)]


@pytest.mark.parametrize(("attempt", "ceiling"), [(1, 0.5), (2, 1.0), (3, 2.0), (7, 32.0), (8, 60.0), (20, 60.0)])
def test_waits_are_spread_over_the_whole_range_that_doubles_up_to_a_minute(attempt: int, ceiling: float) -> None:
    drawn = waits(attempt, first_wait=0.5)
    assert 0 <= min(drawn) < 0.01 * ceiling
    assert 0.99 * ceiling < max(drawn) <= ceiling
    assert sum(drawn) / len(drawn) == pytest.approx(ceiling / 2, rel=0.05)


@given(attempts, first_waits, rngs)
def test_no_wait_is_longer_than_the_longest(attempt: int, first_wait: float, rng: Random) -> None:
    assert 0 <= wait_before(attempt, first_wait, None, rng) <= LONGEST_WAIT


@given(attempts, first_waits, st.floats(0, 1e6), rngs)
def test_nobody_comes_back_before_the_server_said(
    attempt: int, first_wait: float, retry_after: float, rng: Random
) -> None:
    wait = wait_before(attempt, first_wait, retry_after, rng)
    assert retry_after <= wait <= max(LONGEST_WAIT, retry_after + 1)


def test_those_who_were_told_the_same_time_do_not_come_back_together() -> None:
    drawn = waits(3, first_wait=0.5, retry_after=90.0)
    assert len(set(drawn)) == len(drawn)
    assert 90.0 <= min(drawn) < 90.01
    assert 90.99 < max(drawn) <= 91.0


def test_a_server_that_always_says_at_once_is_still_left_in_peace() -> None:
    drawn = waits(8, first_wait=0.5, retry_after=0.0)
    assert sum(drawn) / len(drawn) == pytest.approx(30.0, rel=0.05)


def test_the_same_seed_gives_the_same_waits() -> None:
    assert waits(4, 0.5, count=5) == waits(4, 0.5, count=5)


@pytest.mark.parametrize(
    ("retry_after", "expected"), [(None, False), (0.0, False), (MAX_RETRY_AFTER, False), (600.1, True), (86400.0, True)]
)
def test_ten_minutes_is_the_longest_a_build_sits_through(retry_after: float | None, expected: bool) -> None:
    assert too_long(retry_after) is expected
